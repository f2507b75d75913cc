//! What keeps the forgotten from coming back by itself: keyed hashes, laid at the purge and asked at the gate.
//!
//! They bar what was said before the forget, and what comes with an import or from a document, whenever that was. Who says
//! it again is heard: that lifts them. The key stands in a file of its own, see `store`.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction, named_params, params};

use crate::memory::fact::Origin;
use crate::memory::relation::{self, Key};
use crate::memory::writing::candidate::Source;
use crate::memory::writing::quote::names;
use crate::store::StoreError;
use crate::store::time::Millis;
use crate::text;

/// What a hash is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A text, as its words.
    Text = 0,
    /// A fact, as its keys.
    Fact = 1,
    /// The words that tell a fact: its value, where that names one thing.
    Phrase = 2,
    /// The words that no text from outside may hold: with them went all that told it.
    Name = 3,
}

/// The fewest words, and the fewest characters, of a text that is worth a hash: "yes" is everybody's.
const WORDS: usize = 3;
const CHARS: usize = 12;
/// The longest phrase that is looked for in a text, in words, and in characters of a script without spaces.
const PHRASE_WORDS: usize = 6;
const PHRASE_CHARS: usize = 8;

/// Whether a fact must not be written: it was forgotten, and this is not the person saying it again since.
pub fn bars(conn: &Connection, key: &Key, origin: Origin, source: &Source<'_>) -> Result<bool, StoreError> {
    let Some(forgotten_at) = forgotten_at(conn, key, source)? else { return Ok(false) };
    if origin != Origin::Said {
        return Ok(true);
    }
    // By hand it is always the person, now.
    let Some(message) = source.message else { return Ok(false) };
    let said_at: Option<Millis> = conn
        .prepare_cached("SELECT at FROM messages WHERE id = ?1")?
        .query_row([message], |row| row.get("at"))
        .optional()?;
    let is_new = said_at.is_some_and(|at| at.0 > forgotten_at);
    Ok(!is_new || !says(source.text, key))
}

/// Whether a text must not be taken in from outside: it was forgotten, was the source of what was, or names what was
/// forgotten with all that told it.
pub fn bars_text(conn: &Connection, said: &str) -> Result<bool, StoreError> {
    let was_told = match words_of(said) {
        Some(words) => laid_at(conn, Kind::Text, &words)?.is_some(),
        None => false,
    };
    Ok(was_told || holds_any(conn, Kind::Name, said, "")?)
}

/// Whether a note tells what was forgotten and what the person did not say in the message that it is of: a model that has
/// an old message before it may still know.
pub fn tells_forgotten(conn: &Connection, note: &str, said: &str) -> Result<bool, StoreError> {
    holds_any(conn, Kind::Phrase, note, said)
}

/// Whether a text holds words of a kind that another one does not hold.
fn holds_any(conn: &Connection, kind: Kind, text: &str, but: &str) -> Result<bool, StoreError> {
    let mut any = conn.prepare_cached("SELECT 1 FROM tombstones WHERE kind = ?1")?;
    if !any.exists([kind as i64])? {
        return Ok(false);
    }
    let (words, but) = (text::words(text), text::words(but).join(" "));
    let mut phrases: HashSet<String> = HashSet::new();
    for length in 1..=PHRASE_WORDS {
        phrases.extend(words.windows(length).map(|phrase| phrase.join(" ")));
    }
    for run in words.iter().filter(|word| word.chars().any(text::is_unspaced)) {
        let chars: Vec<char> = run.chars().collect();
        for length in 1..=PHRASE_CHARS {
            phrases.extend(chars.windows(length).map(String::from_iter));
        }
    }
    for phrase in phrases.iter().filter(|phrase| !but.contains(phrase.as_str())) {
        if laid_at(conn, kind, phrase)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// When a fact was forgotten, or the very text that it is taken from; also within the time for an undo.
fn forgotten_at(conn: &Connection, key: &Key, source: &Source<'_>) -> Result<Option<DateTime<Utc>>, StoreError> {
    let mut latest = match words_of(source.text) {
        Some(words) => laid_at(conn, Kind::Text, &words)?,
        None => None,
    };
    for key in with_kin(key) {
        latest = latest.max(laid_at(conn, Kind::Fact, &of_key(&key))?);
        let hidden: Option<Millis> = conn
            .prepare_cached(
                "SELECT max(forgotten_at) AS at FROM facts INDEXED BY facts_to_purge WHERE forgotten_at IS NOT NULL
                 AND subject_key = :subject AND relation_key = :relation AND value_key = :value",
            )?
            .query_row(
                named_params! { ":subject": key.subject, ":relation": key.relation, ":value": key.value },
                |row| row.get("at"),
            )?;
        latest = latest.max(hidden.map(|at| at.0));
    }
    Ok(latest)
}

/// Whether the person states it in these very words, rather than asks about it or is answered.
fn says(said: &str, key: &Key) -> bool {
    let about = key.relation.strip_prefix("opinion of ").unwrap_or(&key.value);
    let stated = text::sentences(said).into_iter().filter(|sentence| !sentence.ends_with(['?', '？']));
    // A value in a form of its own (a date as digits) is not looked for word by word.
    let spelled = names(said, about);
    if spelled { stated.into_iter().any(|sentence| names(sentence, about)) } else { stated.count() > 0 }
}

/// Lays the tombstone of a fact.
pub(super) fn lay_fact(tx: &Transaction<'_>, key: &Key, at: DateTime<Utc>) -> Result<(), StoreError> {
    lay(tx, Kind::Fact, &of_key(key), at)
}

/// Lays the tombstone of the words that tell a fact.
pub(super) fn lay_phrase(tx: &Transaction<'_>, written: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
    lay(tx, Kind::Phrase, &text::words(written).join(" "), at)
}

/// Lays the tombstone of words that nothing from outside may hold.
pub(super) fn lay_name(tx: &Transaction<'_>, written: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
    lay(tx, Kind::Name, &text::words(written).join(" "), at)
}

/// Lays the tombstone of a text, where it has words enough to be told by.
pub(super) fn lay_text(tx: &Transaction<'_>, said: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
    match words_of(said) {
        Some(words) => lay(tx, Kind::Text, &words, at),
        None => Ok(()),
    }
}

/// Lifts the tombstone of a fact: the person said it again.
pub(in crate::memory) fn lift(tx: &Transaction<'_>, key: &Key) -> Result<(), StoreError> {
    let about = key.relation.strip_prefix("opinion of ").unwrap_or(&key.value);
    let told = [about, key.subject.as_str()].map(|words| text::words(words).join(" "));
    let told =
        [Kind::Phrase, Kind::Name].into_iter().flat_map(|kind| told.iter().map(move |words| (kind, words.clone())));
    for (kind, hashed) in with_kin(key).map(|key| (Kind::Fact, of_key(&key))).chain(told) {
        tx.prepare_cached("DELETE FROM tombstones WHERE kind = ?1 AND hash = keyed_hash(?2)")?
            .execute(params![kind as i64, hashed])?;
    }
    Ok(())
}

fn lay(tx: &Transaction<'_>, kind: Kind, hashed: &str, at: DateTime<Utc>) -> Result<(), StoreError> {
    tx.prepare_cached(
        "INSERT INTO tombstones (kind, hash, at) VALUES (?1, keyed_hash(?2), ?3)
         ON CONFLICT (kind, hash) DO UPDATE SET at = max(at, excluded.at)",
    )?
    .execute(params![kind as i64, hashed, Millis(at)])?;
    Ok(())
}

fn laid_at(conn: &Connection, kind: Kind, hashed: &str) -> Result<Option<DateTime<Utc>>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT at FROM tombstones WHERE kind = ?1 AND hash = keyed_hash(?2)")?;
    let at: Option<Millis> = statement.query_row(params![kind as i64, hashed], |row| row.get("at")).optional()?;
    Ok(at.map(|at| at.0))
}

/// The same fact through relations that may say the same.
fn with_kin(key: &Key) -> impl Iterator<Item = Key> {
    std::iter::once(key.clone()).chain(relation::kin(&key.relation).iter().map(|kin| key.of(kin)))
}

fn of_key(key: &Key) -> String {
    format!("{}\u{1f}{}\u{1f}{}", key.subject, key.relation, key.value)
}

fn words_of(said: &str) -> Option<String> {
    let words = text::words(said);
    let joined = words.join(" ");
    (words.len() >= WORDS || joined.chars().count() >= CHARS).then_some(joined)
}
