//! Keeping what the gate let in: a new fact with its source and its event, or one more source for a fact that is known.

use chrono::{DateTime, Utc};
use rusqlite::Transaction;

use crate::memory::fact::{self, Because, Known, NewFact, Origin};
use crate::memory::forgetting::tombstone;
use crate::memory::history::change::{self, Before, ChangeKind, MemoryRef, NewEvent};
use crate::memory::relation::{Key, SAID};
use crate::memory::writing::candidate::{Candidate, Decision, Rules, Source};
use crate::memory::writing::quote::Spoken;
use crate::memory::writing::verify::Sound;
use crate::store::StoreError;
use crate::store::id::FactId;

/// A fact that is to be written, and what it takes the place of.
pub(super) struct Kept<'a> {
    pub candidate: &'a Candidate,
    pub sound: &'a Sound,
    pub key: &'a Key,
    pub old: &'a [&'a Known],
    pub because: Because,
    pub has_company: bool,
    pub kind: ChangeKind,
}

impl Kept<'_> {
    /// Since when it is true, where it takes the place of something.
    fn valid_from(&self, rules: &Rules<'_>) -> Option<DateTime<Utc>> {
        match self.because {
            _ if self.old.is_empty() => None,
            // The right value was true all the while that the wrong one was believed.
            Because::Correction | Because::Edit => {
                self.old.iter().map(|old| old.valid_from.unwrap_or(old.recorded_at)).min()
            }
            Because::Change | Because::Lost => Some(rules.utc()),
        }
    }
}

/// The words without a structure that were kept of the same message, and that hold what a candidate says.
pub(super) fn words_of(tx: &Transaction<'_>, sound: &Sound, source: &Source<'_>) -> Result<Option<FactId>, StoreError> {
    let (Some(message), false) = (source.message, sound.draft.relation == SAID) else { return Ok(None) };
    let kept = fact::said_in(tx, message)?;
    let holds_it = |(_, words): &&(FactId, String)| {
        Spoken::of(words).find(&sound.draft.value, &(0..words.len())).is_some()
            && (Spoken::of(words).find(&sound.quote, &(0..words.len())).is_some()
                || Spoken::of(&sound.quote).find(words, &(0..sound.quote.len())).is_some())
    };
    Ok(kept.iter().find(holds_it).map(|(id, _)| *id))
}

/// Gives words that were kept at once the structure that was read from them afterwards; what they take the place of becomes
/// history.
pub(super) fn give_structure(
    tx: &Transaction<'_>,
    id: FactId,
    kept: &Kept<'_>,
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<Decision, StoreError> {
    let quote = fact::quote_of(tx, id)?;
    let valid_from = kept.valid_from(rules);
    let new = new_fact(kept.candidate, kept.sound, kept.key, source);
    fact::give_structure(tx, id, &NewFact { quote: &quote, valid_from, ..new })?;
    tombstone::lift(tx, kept.key)?;
    for old in kept.old {
        fact::retire(tx, old.id, id, kept.because, rules.utc())?;
    }
    Ok(Decision::Confirmed { fact: id, change: None })
}

fn new_fact<'a>(candidate: &'a Candidate, sound: &'a Sound, key: &'a Key, source: &Source<'_>) -> NewFact<'a> {
    NewFact {
        draft: &sound.draft,
        key,
        quote: &sound.quote,
        polarity: sound.polarity,
        when: &sound.when,
        topic: candidate.topic.as_deref(),
        confidence: candidate.confidence.clamp(0.0, 1.0),
        origin: sound.origin,
        message: source.message,
        said_at: source.said_at.to_utc(),
        valid_from: None,
        pinned: false,
    }
}

/// Makes a message one more source of a fact.
pub(super) fn confirm(
    tx: &Transaction<'_>,
    known: &Known,
    candidate: &Candidate,
    origin: Origin,
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<Decision, StoreError> {
    let added = match source.message {
        Some(message) => fact::add_source(tx, known.id, message, rules.utc())?,
        None => false,
    };
    let stronger = origin.outranks_or_equals(known.origin) && origin != known.origin;
    if !added && !stronger {
        return Ok(Decision::Confirmed { fact: known.id, change: None });
    }
    let confidence = known.confidence.max(candidate.confidence);
    let origin = if stronger { origin } else { known.origin };
    tx.prepare_cached("UPDATE facts SET confidence = ?1, origin = ?2 WHERE id = ?3")?
        .execute((confidence, origin, known.id))?;
    let before = Before {
        target_stays: true,
        confidence: Some(known.confidence),
        origin: Some(known.origin),
        source: source.message.filter(|_| added),
        ..Before::default()
    };
    let event = NewEvent {
        kind: ChangeKind::Confirmed,
        target: MemoryRef::Fact(known.id),
        other: None,
        before,
        sentence: &known.quote,
        why: candidate.why,
        message: source.message,
    };
    Ok(Decision::Confirmed { fact: known.id, change: Some(change::record(tx, &event, rules.utc())?) })
}

/// Writes a fact; what it takes the place of becomes history.
pub(super) fn write(
    tx: &Transaction<'_>,
    kept: &Kept<'_>,
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<Decision, StoreError> {
    let Kept { candidate, sound, key, old, because, has_company, kind } = *kept;
    let now = rules.utc();
    let new = NewFact { valid_from: kept.valid_from(rules), ..new_fact(candidate, sound, key, source) };
    let id = fact::insert(tx, &new, now)?;
    tombstone::lift(tx, key)?;
    for old in old {
        fact::retire(tx, old.id, id, because, now)?;
    }
    let event = NewEvent {
        kind,
        target: MemoryRef::Fact(id),
        other: old.first().map(|old| old.id),
        before: Before::default(),
        sentence: &sound.quote,
        why: candidate.why,
        message: source.message,
    };
    let change = change::record(tx, &event, now)?;
    Ok(match (old.is_empty(), has_company) {
        (false, _) => Decision::Superseded { old: old.iter().map(|old| old.id).collect(), change },
        (true, true) => Decision::KeptBeside(change),
        (true, false) => Decision::Added(change),
    })
}
