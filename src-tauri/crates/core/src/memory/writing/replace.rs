//! What a new fact stands for among those that are known: one that says the same, ones that it takes the place of, and one
//! that it does not go together with.

use rusqlite::{Connection, named_params};

use crate::memory::fact::{Because, Known};
use crate::memory::relation::{self, Holds, Key, Polarity, known};
use crate::memory::writing::annotation::Change;
use crate::memory::writing::candidate::{Authority, Source};
use crate::memory::writing::names;
use crate::memory::writing::quote::names as names_value;
use crate::memory::writing::verify::Sound;
use crate::store::StoreError;

/// What a new value takes the place of, and why.
pub(super) struct Replaced<'a> {
    pub old: Vec<&'a Known>,
    pub because: Because,
    /// What it does not seem to go together with, where nothing says which of the two is right.
    pub exclusive: Option<&'a Known>,
}

/// The current fact that says the same, perhaps through another relation.
pub(super) fn known_already(
    conn: &Connection,
    key: &Key,
    polarity: Polarity,
    known: &[Known],
) -> Result<Option<Known>, StoreError> {
    let says_it = |relation: &str, old: &Known| {
        old.polarity == polarity && relation::same_value(relation, &old.value_key, &key.value)
    };
    if let Some(same) = known.iter().find(|old| says_it(&key.relation, old)) {
        return Ok(Some(same.clone()));
    }
    for kin in relation::kin(&key.relation) {
        let same = names::known(conn, &key.of(kin))?.into_iter().find(|old| says_it(kin, old));
        if same.is_some() {
            return Ok(same);
        }
    }
    Ok(None)
}

/// The facts that a candidate says the contrary of: what it denies or ends, or what was denied or over and is so again.
pub(super) fn opposed<'a>(key: &Key, polarity: Polarity, known: &'a [Known]) -> Vec<&'a Known> {
    let is_opposed =
        |old: &&Known| old.polarity != polarity && relation::same_value(&key.relation, &old.value_key, &key.value);
    known.iter().filter(is_opposed).collect()
}

/// Which known facts a new value takes the place of, and why.
pub(super) fn replaced<'a>(
    conn: &Connection,
    key: &Key,
    sound: &Sound,
    known: &'a [Known],
    source: &Source<'_>,
) -> Result<Replaced<'a>, StoreError> {
    let because = match sound.change {
        Some(Change::Corrected) => Because::Correction,
        Some(Change::None | Change::New | Change::Ended) | None => Because::Change,
    };
    // What is over or not so takes the place of nothing else.
    if sound.polarity != Polarity::Holds {
        return Ok(Replaced { old: Vec::new(), because, exclusive: None });
    }
    let rivals = rivals(known, sound, source);
    let is_told = tells_change(sound) || held_before(conn, key)?;
    let named: Vec<&Known> = rivals.iter().copied().filter(|old| names_value(source.text, &old.value)).collect();
    let old = match key.holds {
        // "I'm also a beekeeper": what usually is one can be two where the sentence says so.
        Holds::One if sound.adds && relation::can_have_company(&key.relation) => Vec::new(),
        Holds::One => rivals.clone(),
        Holds::MostlyOne if sound.adds => Vec::new(),
        Holds::MostlyOne if is_told || !named.is_empty() => rivals.clone(),
        Holds::MostlyOne => Vec::new(),
        Holds::Many if !tells_change(sound) || sound.adds || is_back(key, known) => Vec::new(),
        Holds::Many => match (named.len(), rivals.len()) {
            (1, _) => named,
            // What is no list seldom has two: there a word of the model's is enough. What is corrected is what is known.
            (0, 1) if sound.change == Some(Change::Corrected) || sound.change.is_some() && !is_list(key) => {
                rivals.clone()
            }
            _ => Vec::new(),
        },
    };
    let is_open = key.holds == Holds::MostlyOne && old.is_empty() && !sound.adds;
    Ok(Replaced { exclusive: if is_open { rivals.last().copied() } else { None }, old, because })
}

/// The known facts that a new value can take the place of. What the same message said goes together with it, unless the message
/// says that something changed: "my favourite colours are blue and green".
fn rivals<'a>(known: &'a [Known], sound: &Sound, source: &Source<'_>) -> Vec<&'a Known> {
    let together = |old: &Known| source.message.is_some() && old.source_message == source.message;
    let holds = known.iter().filter(|old| old.polarity == Polarity::Holds);
    holds.filter(|old| tells_change(sound) || !together(old)).collect()
}

/// Whether this very value was over or not so: its change is that it is so again, and nothing else gives way to it.
fn is_back(key: &Key, known: &[Known]) -> bool {
    !opposed(key, Polarity::Holds, known).is_empty()
}

fn tells_change(sound: &Sound) -> bool {
    match sound.change {
        Some(change) => change != Change::None,
        None => sound.tells_change,
    }
}

/// Whether this very value held before and was replaced: who says it again tells that it is so again.
fn held_before(conn: &Connection, key: &Key) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM facts WHERE subject_key = :subject AND relation_key = :relation AND value_key = :value
             AND retired_because = 'change' AND forgotten_at IS NULL)",
    )?;
    let keys = named_params! { ":subject": key.subject, ":relation": key.relation, ":value": key.value };
    Ok(statement.query_row(keys, |row| row.get(0))?)
}

/// Whether a relation is known to hold any number of values.
fn is_list(key: &Key) -> bool {
    known::by_words(&key.relation).is_some_and(|known| known.holds == Holds::Many)
}

/// What gives way to a value that the person accepts, as they were shown.
pub(super) fn by_hand<'a>(key: &Key, polarity: Polarity, known: &'a [Known], authority: Authority) -> Vec<&'a Known> {
    let gives_way = polarity == Polarity::Holds
        && match (key.holds, authority) {
            (Holds::One, _) | (Holds::MostlyOne, Authority::InPlace) => true,
            (Holds::MostlyOne, Authority::Beside) | (Holds::Many, _) => false,
        };
    known.iter().filter(|old| gives_way && old.polarity == Polarity::Holds).collect()
}
