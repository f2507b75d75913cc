//! The words by which it can be told that a text repeats a memory.

use rusqlite::{Connection, named_params};

use crate::memory::fact::FactDraft;
use crate::memory::language::text;
use crate::store::StoreError;

/// Words found in more texts than this tell nothing: half of the person's life would go with one fact.
const MOST_MENTIONS: usize = 200;
/// The shortest single word in small letters that stands for one thing rather than for a kind of things ("tea", "blue").
const LONG_WORD: usize = 7;

/// A phrase that names one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    /// As it was written.
    pub written: String,
    /// Its words, folded, with a space around each.
    words: String,
}

/// A table of texts with its index of substrings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts {
    pub table: &'static str,
    pub column: &'static str,
}

/// What people and models said.
pub(super) const MESSAGES: Texts = Texts { table: "messages", column: "text" };
/// What is known.
pub(super) const FACTS: Texts = Texts { table: "facts", column: "sentence" };
/// What was talked about.
pub(super) const EPISODES: Texts = Texts { table: "episodes", column: "text" };

impl Phrase {
    /// A name as the person gives it; nothing where there is no word in it.
    pub fn named(name: &str) -> Option<Self> {
        let words = text::words(name);
        (!words.is_empty()).then(|| Self { written: text::clean(name), words: format!(" {} ", words.join(" ")) })
    }

    /// What tells a fact: its value, or for an opinion what it is about. Nothing where that is a word for a kind of things,
    /// which others use too.
    pub fn of_fact(draft: &FactDraft) -> Option<Self> {
        let said = draft.relation.strip_prefix("opinion of ").unwrap_or(&draft.value);
        let content = text::content(said);
        let short = said.chars().count() < LONG_WORD;
        let is_name = said.chars().any(|c| c.is_uppercase() || c.is_ascii_digit() || !c.is_ascii());
        let tells = match content.as_slice() {
            [] => false,
            [only] if only.chars().all(|c| c.is_ascii_digit()) => only.len() >= 4,
            [_] => is_name && said.chars().count() > 1 || !short,
            _ => true,
        };
        if tells { Self::named(said) } else { None }
    }

    /// Whether a text holds it, as whole words; in scripts without spaces, anywhere.
    pub fn is_in(&self, said: &str) -> bool {
        let bare = self.words.trim();
        let unspaced = bare.chars().any(text::is_unspaced);
        let words = format!(" {} ", text::words(said).join(" "));
        words.contains(&self.words) || (unspaced && text::fold(said).contains(bare))
    }

    /// The rows that hold it; none where too many do. `most` is how many are too many.
    fn holders(&self, conn: &Connection, texts: Texts, most: usize) -> Result<Vec<i64>, StoreError> {
        let Texts { table, column } = texts;
        let longest = self.words.split(' ').max_by_key(|word| word.chars().count()).unwrap_or_default();
        let (condition, wanted) = if longest.chars().count() >= 3 {
            let index = format!("{table}_trigram");
            (
                format!("id IN (SELECT rowid FROM {index} WHERE {index} MATCH :wanted)"),
                format!("\"{}\"", longest.replace('"', "\"\"")),
            )
        } else {
            (format!("instr(lower({column}), :wanted) > 0"), longest.to_owned())
        };
        let mut statement =
            conn.prepare_cached(&format!("SELECT id, {column} AS text FROM {table} WHERE {condition} ORDER BY id"))?;
        let mut rows = statement.query(named_params! { ":wanted": wanted })?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if self.is_in(&row.get::<_, String>("text")?) {
                found.push(row.get("id")?);
                if found.len() > most {
                    return Ok(Vec::new());
                }
            }
        }
        Ok(found)
    }

    /// The rows that repeat it; none where so many do that it tells nothing.
    pub fn mentions(&self, conn: &Connection, texts: Texts) -> Result<Vec<i64>, StoreError> {
        self.holders(conn, texts, MOST_MENTIONS)
    }

    /// All rows that hold it.
    pub fn all(&self, conn: &Connection, texts: Texts) -> Result<Vec<i64>, StoreError> {
        self.holders(conn, texts, usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::{Memory, draft};

    fn phrase(fact: [&str; 3]) -> Option<String> {
        Phrase::of_fact(&draft(fact)).map(|phrase| phrase.written)
    }

    #[test]
    fn names_numbers_and_rare_words_tell_a_fact_and_everyday_words_do_not() {
        assert_eq!(phrase(["user", "lives in", "Porto"]), Some("Porto".into()));
        assert_eq!(phrase(["user", "passphrase", "zebrafink"]), Some("zebrafink".into()));
        assert_eq!(phrase(["user", "locker code", "47119"]), Some("47119".into()));
        assert_eq!(phrase(["user", "住在", "东京"]), Some("东京".into()));
        assert_eq!(phrase(["user", "likes", "blue suede shoes"]), Some("blue suede shoes".into()));
        assert_eq!(phrase(["user", "opinion of Brussels sprouts", "hate"]), Some("Brussels sprouts".into()));
        for common in ["tea", "blue", "12", "yes"] {
            assert_eq!(phrase(["user", "likes to have", common]), None, "{common}");
        }
    }

    #[test]
    fn a_phrase_is_found_as_whole_words_in_any_script() {
        let mut memory = Memory::new();
        let ids: Vec<i64> = ["I love Porto!", "Portobello mushrooms", "我住在东京。", "PORTO again", "odd"]
            .iter()
            .map(|text| memory.message(text).0)
            .collect();
        let found = |name: &str| Phrase::named(name).unwrap().mentions(&memory.conn, MESSAGES).unwrap();
        assert_eq!(found("porto"), [ids[0], ids[3]]);
        assert_eq!(found("东京"), [ids[2]]);
        assert_eq!(found("O'Brien \"x\""), Vec::<i64>::new());
        assert_eq!(Phrase::named(" … "), None);
    }
}
