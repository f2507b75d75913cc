//! The words by which it can be told that a text repeats a memory.

use std::collections::{BTreeSet, HashSet};

use rusqlite::{Connection, named_params};

use crate::memory::fact::FactDraft;
use crate::memory::index::{self, OwnerKind};
use crate::memory::recall::query::quoted;
use crate::memory::relation::SAID;
use crate::store::StoreError;
use crate::text;

/// Words found in more texts than this tell nothing: half of the person's life would go with one fact.
const MOST_MENTIONS: usize = 200;
/// The shortest single word in small letters that stands for one thing rather than for a kind of things ("tea", "blue").
const LONG_WORD: usize = 7;

/// A phrase that names one thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Phrase {
    /// As it was written.
    pub written: String,
    /// Its words, folded, with a space around each.
    words: String,
}

/// A table of texts that people, models or code wrote.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts {
    table: &'static str,
    /// SQL: the text of a row.
    text: &'static str,
    kind: OwnerKind,
}

/// What people and models said.
pub(super) const MESSAGES: Texts = Texts { table: "messages", text: "text", kind: OwnerKind::Message };
/// What is known.
pub(super) const FACTS: Texts =
    Texts { table: "facts", text: "quote || ' ' || relation || ' ' || value", kind: OwnerKind::Fact };
/// What was talked about.
pub(super) const EPISODES: Texts = Texts { table: "episodes", text: "text", kind: OwnerKind::Episode };
/// What was learned from failures.
pub(super) const PROCEDURES: Texts = Texts {
    table: "procedures",
    text: "signature || ' ' || trigger || ' ' || strategy || ' ' || coalesce(lesson, '')",
    kind: OwnerKind::Procedure,
};

impl Phrase {
    /// A name as the person gives it; nothing where there is no word in it.
    pub fn named(name: &str) -> Option<Self> {
        let words = text::words(name);
        (!words.is_empty()).then(|| Self { written: text::clean(name), words: format!(" {} ", words.join(" ")) })
    }

    /// What tells a fact: its value, or for an opinion what it is about; of words without a structure also the names and numbers in
    /// them. Nothing where that is a word for a kind of things, which others use too.
    pub fn of_fact(draft: &FactDraft) -> Vec<Self> {
        let said = draft.relation.strip_prefix("opinion of ").unwrap_or(&draft.value);
        let parts = if draft.relation == SAID { names_in(said) } else { Vec::new() };
        std::iter::once(said).chain(parts).filter(|part| tells_one_thing(part)).filter_map(Self::named).collect()
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
        let mut found = BTreeSet::new();
        let mut look = |id: i64, said: &str| {
            found.extend(self.is_in(said).then_some(id));
            found.len() <= most
        };
        let goes_on = self.look_at_indexed(conn, texts, &mut look)? && self.look_at_others(conn, texts, &mut look)?;
        Ok(if goes_on { found.into_iter().collect() } else { Vec::new() })
    }

    /// Looks at the rows whose one passage has all terms of it, until `look` has seen enough.
    fn look_at_indexed(
        &self,
        conn: &Connection,
        texts: Texts,
        look: &mut impl FnMut(i64, &str) -> bool,
    ) -> Result<bool, StoreError> {
        let Some(terms) = self.terms() else { return Ok(true) };
        let Texts { table, text, kind } = texts;
        let (first, last) = kind.range();
        let mut statement = conn.prepare_cached(&format!(
            "SELECT id, {text} AS text FROM {table} WHERE id IN
                 (SELECT p.owner_id FROM passages_fts i CROSS JOIN passages p ON p.id = i.rowid
                  WHERE passages_fts MATCH :terms AND i.rowid BETWEEN :first AND :last) ORDER BY id",
        ))?;
        let mut rows = statement.query(named_params! { ":terms": terms, ":first": first, ":last": last })?;
        while let Some(row) = rows.next()? {
            if !look(row.get("id")?, &row.get::<_, String>("text")?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Looks at the rows that no passage tells of (old versions, history, what recall passes by), and at those that are in
    /// several parts, at whose borders a phrase may stand. Where all its words are small ones, at every row.
    fn look_at_others(
        &self,
        conn: &Connection,
        texts: Texts,
        look: &mut impl FnMut(i64, &str) -> bool,
    ) -> Result<bool, StoreError> {
        let Texts { table, text, kind } = texts;
        let others = match self.terms() {
            Some(_) => format!(
                "(SELECT count(*) FROM passages WHERE kind = {} AND owner_id = {table}.id) <> 1 AND",
                kind as i64
            ),
            None => String::new(),
        };
        // A text in plain letters holds the words as they are; any other one is folded to tell.
        let longest = self.words.split(' ').max_by_key(|word| word.len()).unwrap_or_default();
        let mut statement = conn.prepare_cached(&format!(
            "SELECT id, {text} AS text FROM {table}
             WHERE {others} (octet_length({text}) > length({text}) OR instr(lower({text}), :longest) > 0) ORDER BY id",
        ))?;
        let mut rows = statement.query(named_params! { ":longest": longest })?;
        while let Some(row) = rows.next()? {
            if !look(row.get("id")?, &row.get::<_, String>("text")?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a passage that holds it is found by; nothing where its words are small ones, which no passage is found by.
    fn terms(&self) -> Option<String> {
        let terms: Vec<String> = index::terms(&self.words).iter().map(|term| quoted(term)).collect();
        (!terms.is_empty()).then(|| terms.join(" AND "))
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

/// Whether words name one thing rather than a kind of things.
fn tells_one_thing(said: &str) -> bool {
    let content = text::content(said);
    let short = said.chars().count() < LONG_WORD;
    let is_name = said.chars().any(|c| c.is_uppercase() || c.is_ascii_digit() || !c.is_ascii());
    match content.as_slice() {
        [] => false,
        [only] if only.chars().all(|c| c.is_ascii_digit()) => only.len() >= 4,
        [_] => is_name && said.chars().count() > 1 || !short,
        _ => true,
    }
}

/// The words of a text that are written as names, and its long numbers; what begins a sentence is written like a name anyway.
fn names_in(said: &str) -> Vec<&str> {
    let words = said.split_whitespace().skip(1).map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words
        .filter(|word| {
            let is_number = word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_digit());
            is_number || word.starts_with(char::is_uppercase) && word.chars().count() > 1
        })
        .collect()
}

/// Many phrases, looked for in one go.
#[derive(Debug, Default)]
pub(super) struct Phrases<'a> {
    /// Their words, as one.
    spaced: HashSet<&'a str>,
    /// The most words that one of them has.
    longest: usize,
    /// Those in scripts without spaces.
    unspaced: Vec<&'a str>,
}

impl<'a> Phrases<'a> {
    pub fn of(phrases: impl IntoIterator<Item = &'a Phrase>) -> Self {
        let mut all = Self::default();
        for phrase in phrases {
            let bare = phrase.words.trim();
            if bare.chars().any(text::is_unspaced) {
                all.unspaced.push(bare);
            }
            all.longest = all.longest.max(bare.split(' ').count());
            all.spaced.insert(bare);
        }
        all
    }

    /// Whether a text holds one of them; see [`Phrase::is_in`].
    pub fn are_in(&self, said: &str) -> bool {
        let words = text::words(said);
        let mut runs = (1..=self.longest).flat_map(|length| words.windows(length));
        if runs.any(|run| self.spaced.contains(run.join(" ").as_str())) {
            return true;
        }
        let folded = if self.unspaced.is_empty() { String::new() } else { text::fold(said) };
        self.unspaced.iter().any(|phrase| folded.contains(phrase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::{Memory, draft};

    fn phrase(fact: [&str; 3]) -> Option<String> {
        Phrase::of_fact(&draft(fact)).into_iter().next().map(|phrase| phrase.written)
    }

    #[test]
    fn names_numbers_and_rare_words_tell_a_fact_and_everyday_words_do_not() {
        assert_eq!(phrase(["user", "lives in", "Porto"]), Some("Porto".into()));
        assert_eq!(phrase(["user", "passphrase", "zebrafink"]), Some("zebrafink".into()));
        assert_eq!(phrase(["user", "locker code", "47119"]), Some("47119".into()));
        assert_eq!(phrase(["user", "住在", "东京"]), Some("东京".into()));
        assert_eq!(phrase(["user", "likes", "blue suede shoes"]), Some("blue suede shoes".into()));
        assert_eq!(phrase(["user", "opinion of Brussels sprouts", "hate"]), Some("Brussels sprouts".into()));
        let boat = Phrase::of_fact(&draft(["user", "said", "my boat is called Albatross"]));
        let told: Vec<&str> = boat.iter().map(|phrase| phrase.written.as_str()).collect();
        assert_eq!(told, ["my boat is called Albatross", "Albatross"]);
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

    /// One name, as people write it: in capitals, with and without accents, in full width, with what cannot be seen in it.
    #[test]
    fn a_phrase_is_found_however_its_letters_are_written() {
        for (name, spellings) in [
            (
                "Quixolotl",
                vec![
                    "QUIXOLOTL!",
                    "quíxolotl",
                    "Ｑｕｉｘｏｌｏｔｌ",
                    "Quixo\u{200B}lotl",
                    "Qui\u{AD}xolotl",
                    "#Quixolotl's 🐈",
                ],
            ),
            ("Strasse", vec!["Straße", "STRASSE", "straẞe"]),
            ("Йошкар", vec!["Йошкар", "йошкар", "И\u{306}ошкар"]),
            ("Ёлка", vec!["ёлка", "елка"]),
            ("Άννα", vec!["άννα", "ΆΝΝΑ", "αννα"]),
            ("Zoë", vec!["Zoe", "ZOË", "Zoe\u{308}"]),
            ("がぎ", vec!["私のがぎです", "か\u{3099}き\u{3099}"]),
            ("부산", vec!["부산에 산다", "\u{1107}\u{116E}\u{1109}\u{1161}\u{11AB}"]),
            ("葵", vec!["娘は葵だ"]),
            ("May", vec!["Ask May about it", "MAY"]),
            ("C3PO", vec!["c3po", "C3PO."]),
        ] {
            let mut memory = Memory::new();
            let said: Vec<String> = spellings.iter().map(|spelling| format!("so {spelling} it is")).collect();
            let ids: Vec<i64> = said.iter().map(|text| memory.message(text).0).collect();
            memory.message("another one");
            let found = |memory: &Memory| Phrase::named(name).unwrap().all(&memory.conn, MESSAGES).unwrap();
            assert_eq!(found(&memory), ids, "{name}");
            memory.conn.execute("UPDATE messages SET recall = 0", []).unwrap();
            assert_eq!(found(&memory), ids, "{name}, where recall passes it by");
        }
    }

    #[test]
    fn a_phrase_over_the_border_of_two_parts_is_found() {
        let mut memory = Memory::new();
        let long: Vec<String> = (0..400).map(|n| format!("word{n}")).collect();
        let id = memory.message(&long.join(" ")).0;
        for pair in long.windows(2) {
            let phrase = Phrase::named(&pair.join(" ")).unwrap();
            assert_eq!(phrase.all(&memory.conn, MESSAGES).unwrap(), [id], "{pair:?}");
        }
    }
}
