//! Names of one subject: "my wife" and, once her name is known, her name.
//!
//! Nothing is renamed: a fact keeps the words in which it was said, and is compared under the name that is known now.

use rusqlite::{Connection, OptionalExtension, named_params};

use crate::memory::fact::{self, FactDraft, Known};
use crate::memory::relation::{
    self, Key, USER,
    known::{has, known as data},
};
use crate::store::StoreError;

/// A fact as keys, under the name by which its subject is known.
pub(super) fn key(conn: &Connection, draft: &FactDraft, person: Option<&str>) -> Result<Key, StoreError> {
    let key = relation::key(draft, person);
    // "My wife is Anna" gives the name; it is no fact about Anna.
    if key.subject == USER {
        return Ok(key);
    }
    Ok(match called(conn, &key.subject)? {
        Some(name) => Key { subject: name, ..key },
        None => key,
    })
}

/// The current facts of a subject and relation, under each of its names.
pub(super) fn known(conn: &Connection, key: &Key) -> Result<Vec<Known>, StoreError> {
    let mut known = fact::known(conn, key)?;
    for other in also_called(conn, &key.subject)? {
        known.extend(fact::known(conn, &Key { subject: other, ..key.clone() })?);
    }
    known.sort_by_key(|fact| fact.id);
    Ok(known)
}

/// The name of "user's wife", or "anna's dog" for "user's wife's dog", where there is exactly one whom it can mean.
fn called(conn: &Connection, subject: &str) -> Result<Option<String>, StoreError> {
    let Some(theirs) = subject.strip_prefix("user's ") else { return Ok(None) };
    let (being, rest) = theirs.split_once("'s ").map_or((theirs, None), |(being, rest)| (being, Some(rest)));
    if !has(&data().beings, being) {
        return Ok(None);
    }
    let of = FactDraft { subject: USER.to_owned(), relation: being.to_owned(), value: "x".to_owned() };
    let relation = relation::key(&of, None).relation;
    let mut statement = conn.prepare_cached(
        "SELECT value_key FROM facts WHERE subject_key = :user AND relation_key = :relation AND retired_at IS NULL
         AND forgotten_at IS NULL LIMIT 2",
    )?;
    let names: Vec<String> = statement
        .query_map(named_params! { ":user": USER, ":relation": relation }, |row| row.get("value_key"))?
        .collect::<Result<_, _>>()?;
    Ok(match (names.as_slice(), rest) {
        ([name], Some(rest)) => Some(format!("{name}'s {rest}")),
        ([name], None) => Some(name.clone()),
        _ => None,
    })
}

/// The other names of a subject: "user's wife" for "anna".
fn also_called(conn: &Connection, subject: &str) -> Result<Vec<String>, StoreError> {
    if subject == USER {
        return Ok(Vec::new());
    }
    let mut statement = conn.prepare_cached(
        "SELECT relation_key FROM facts WHERE subject_key = :user AND value_key = :name AND retired_at IS NULL
         AND forgotten_at IS NULL LIMIT 1",
    )?;
    let relation: Option<String> = statement
        .query_row(named_params! { ":user": USER, ":name": subject }, |row| row.get("relation_key"))
        .optional()?;
    let Some(relation) = relation else { return Ok(Vec::new()) };
    let means_it = |being: &&String| {
        let of = FactDraft { subject: USER.to_owned(), relation: (*being).clone(), value: "x".to_owned() };
        relation::key(&of, None).relation == relation
    };
    let mut also = Vec::new();
    for being in data().beings.iter().filter(means_it) {
        let other = format!("user's {being}");
        if called(conn, &other)?.as_deref() == Some(subject) {
            also.push(other);
        }
    }
    Ok(also)
}

#[cfg(test)]
mod tests {
    use crate::memory::testing::Memory;

    #[test]
    fn somebody_is_one_subject_before_and_after_their_name_is_known() {
        let mut memory = Memory::new();
        memory.say("My wife works as a nurse.", &[["user's wife", "works as", "nurse"]]);
        memory.say("My wife is called Anna.", &[["user", "wife", "Anna"]]);
        memory.say("Anna works as a nurse.", &[["Anna", "job", "nurse"]]);
        assert_eq!(memory.known(), ["My wife works as a nurse.", "My wife is called Anna."]);
        memory.say("My wife works as a teacher now.", &[["user's wife", "works as", "teacher"]]);
        assert_eq!(memory.known(), ["My wife is called Anna.", "My wife works as a teacher now."]);
        memory.say("Anna is a pilot now", &[["Anna", "works as", "pilot"]]);
        assert_eq!(memory.known(), ["My wife is called Anna.", "Anna is a pilot now"]);
    }

    #[test]
    fn one_of_two_sisters_is_nobody_in_particular() {
        let mut memory = Memory::new();
        memory.say("My sisters are Mara and Ida.", &[["user", "sister", "Mara"], ["user", "sister", "Ida"]]);
        memory.say("Mara lives in Oslo.", &[["Mara", "lives in", "Oslo"]]);
        memory.say("My sister lives in Rome.", &[["user's sister", "lives in", "Rome"]]);
        assert_eq!(memory.known().len(), 4);
    }
}
