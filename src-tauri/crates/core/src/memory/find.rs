//! Which facts somebody means by words: precise rather than many, because what is named is forgotten.

use rusqlite::Connection;

use crate::memory::recall::{candidates, query};
use crate::memory::relation::USER;
use crate::store::StoreError;
use crate::store::id::FactId;
use crate::text;

/// The current facts that the words name: those that hold them all. Empty where nothing is named for certain.
pub fn named(conn: &Connection, words: &str) -> Result<Vec<FactId>, StoreError> {
    holding_all(conn, words)
}

fn holding_all(conn: &Connection, words: &str) -> Result<Vec<FactId>, StoreError> {
    let terms = query::terms(words);
    let spoken = text::words(words);
    let about_me = spoken.iter().any(|word| matches!(word.as_str(), "i" | "me" | "ich" | "je"));
    let mine = spoken
        .iter()
        .any(|word| matches!(word.as_str(), "my" | "mine" | "our" | "mein" | "meine" | "meinen" | "mon" | "ma" | "mi"));
    let found = candidates::find(conn, candidates::FACTS, &terms, about_me || mine)?;
    let all: u32 = (0..terms.len()).map(|at| 1 << at).sum();
    let mut rows = candidates::facts(conn, &terms, &found)?;
    rows.retain(|(row, matched)| !terms.is_empty() && matched & all == all && (!about_me || row.is_about_user));
    keep_the_named(&mut rows, words);
    if mine && rows.iter().any(|(row, _)| row.is_about_user) {
        rows.retain(|(row, _)| row.is_about_user || row.value_key.starts_with(USER));
    }
    Ok(rows.into_iter().map(|(row, _)| row.id).collect())
}

/// Several facts may be kept in the words of one sentence: where the words tell some of them apart, only these are meant.
fn keep_the_named(rows: &mut Vec<(candidates::FactRow, u32)>, words: &str) {
    let wanted = text::content(words);
    let is_named = |row: &candidates::FactRow| {
        let own = text::content(&format!("{} {} {}", row.draft.subject, row.draft.relation, row.draft.value));
        wanted.iter().all(|word| own.contains(word))
    };
    if rows.iter().any(|(row, _)| is_named(row)) {
        rows.retain(|(row, _)| is_named(row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::Memory;

    #[test]
    fn words_name_the_fact_they_mean_and_no_other() {
        let mut memory = Memory::new();
        memory.say("Box A is a Synology NAS.", &[["Box A", "is a", "Synology NAS"]]);
        memory.say("Box B is a Synology NAS.", &[["Box B", "is a", "Synology NAS"]]);
        memory
            .say("I live in Lyon. Mara lives in Oslo.", &[["user", "lives in", "Lyon"], ["Mara", "lives in", "Oslo"]]);
        memory.say(
            "My birthday is 3 May. Mara's birthday is 4 May.",
            &[["user", "birthday", "3 May"], ["Mara", "birthday", "4 May"]],
        );
        let named_by = |words: &str| {
            let ids = named(&memory.conn, words).unwrap();
            crate::memory::fact::by_ids(&memory.conn, &ids)
                .unwrap()
                .into_iter()
                .map(|fact| fact.quote)
                .collect::<Vec<_>>()
        };
        assert_eq!(named_by("box B is a Synology"), ["Box B is a Synology NAS."]);
        assert_eq!(named_by("box B"), ["Box B is a Synology NAS."]);
        assert_eq!(named_by("where I live"), ["I live in Lyon."]);
        assert_eq!(named_by("I live in Lyon"), ["I live in Lyon."]);
        assert_eq!(named_by("my birthday"), ["My birthday is 3 May."]);
        assert_eq!(named_by("Mara's birthday"), ["Mara's birthday is 4 May."]);
        assert_eq!(named_by("box C"), Vec::<String>::new());
        assert_eq!(named_by("it is nothing"), Vec::<String>::new());
    }

    #[test]
    fn of_facts_in_one_sentence_the_words_name_the_one_they_tell_apart() {
        let mut memory = Memory::new();
        let said = "Ben's locker is 12 and Eve's locker is 14.";
        memory.say(said, &[["Ben", "locker", "12"], ["Eve", "locker", "14"]]);
        let ids = named(&memory.conn, "Eve's locker").unwrap();
        let values: Vec<String> =
            crate::memory::fact::by_ids(&memory.conn, &ids).unwrap().into_iter().map(|fact| fact.value).collect();
        assert_eq!(values, ["14"]);
    }
}
