//! Which facts somebody means by words: precise rather than many, because what is named is forgotten.

use rusqlite::Connection;

use super::candidates;
use super::fact::{self, FactDraft};
use super::relation::{self, USER};
use super::{query, statement, text};
use crate::store::StoreError;
use crate::store::id::FactId;

/// The current facts that the words name: a statement ("box B is a Synology") names the fact that says so; other words
/// ("my birthday") name the facts that hold them all. Empty where nothing is named for certain.
pub fn named(conn: &Connection, words: &str) -> Result<Vec<FactId>, StoreError> {
    let person = fact::person(conn)?;
    let mut found = Vec::new();
    for draft in statement::read(words) {
        found.extend(stated(conn, &draft, person.as_deref())?);
    }
    if found.is_empty() { holding_all(conn, words) } else { Ok(found) }
}

/// The facts that a statement repeats, in whole or in part.
fn stated(conn: &Connection, draft: &FactDraft, person: Option<&str>) -> Result<Vec<FactId>, StoreError> {
    let key = relation::key(draft, person);
    let known = fact::known(conn, &key.subject, &key.relation)?;
    let wanted = text::content(&key.value);
    let same = known.iter().filter(|fact| {
        let held = text::content(&fact.value_key);
        relation::same_value(&key.relation, &fact.value_key, &key.value)
            || (!wanted.is_empty() && wanted.iter().all(|word| held.contains(word)))
    });
    Ok(same.map(|fact| fact.id).collect())
}

fn holding_all(conn: &Connection, words: &str) -> Result<Vec<FactId>, StoreError> {
    let terms = query::terms(words);
    let found = candidates::find(conn, candidates::FACTS, &terms)?;
    let all: u32 = (0..terms.len()).map(|at| 1 << at).sum();
    let spoken = text::words(words);
    let about_me = spoken.iter().any(|word| matches!(word.as_str(), "i" | "me" | "ich" | "je"));
    let mine = spoken
        .iter()
        .any(|word| matches!(word.as_str(), "my" | "mine" | "our" | "mein" | "meine" | "meinen" | "mon" | "ma" | "mi"));
    let mut rows = candidates::facts(conn, &terms, &found)?;
    rows.retain(|(row, matched)| !terms.is_empty() && matched & all == all && (!about_me || row.is_about_user));
    if mine && rows.iter().any(|(row, _)| row.is_about_user) {
        rows.retain(|(row, _)| row.is_about_user || row.value_key.starts_with(USER));
    }
    Ok(rows.into_iter().map(|(row, _)| row.id).collect())
}
