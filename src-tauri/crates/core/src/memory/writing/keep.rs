//! Keeping what the gate let in: a new fact with its source and its event, or one more source for a fact that is known.

use rusqlite::Transaction;

use crate::memory::fact::{self, Because, Known, NewFact};
use crate::memory::forgetting::tombstone;
use crate::memory::history::change::{self, Before, ChangeKind, MemoryRef, NewEvent};
use crate::memory::language::relation::Key;
use crate::memory::writing::candidate::{Candidate, Decision, Rules, Source};
use crate::store::StoreError;

/// A fact that is to be written, and what it takes the place of.
pub(super) struct Kept<'a> {
    pub candidate: &'a Candidate,
    pub key: &'a Key,
    pub old: &'a [&'a Known],
    pub because: Because,
    pub has_company: bool,
    pub kind: ChangeKind,
}

/// Makes a message one more source of a fact.
pub(super) fn confirm(
    tx: &Transaction<'_>,
    known: &Known,
    candidate: &Candidate,
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<Decision, StoreError> {
    let added = match source.message {
        Some(message) => fact::add_source(tx, known.id, message, rules.utc())?,
        None => false,
    };
    let stronger = candidate.origin.outranks_or_equals(known.origin) && candidate.origin != known.origin;
    if !added && !stronger {
        return Ok(Decision::Confirmed { fact: known.id, change: None });
    }
    let confidence = known.confidence.max(candidate.confidence);
    let origin = if stronger { candidate.origin } else { known.origin };
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
        sentence: &known.sentence,
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
    person: Option<&str>,
) -> Result<Decision, StoreError> {
    let Kept { candidate, key, old, because, has_company, kind } = *kept;
    let now = rules.utc();
    let valid_from = match because {
        _ if old.is_empty() => None,
        // The right value was true all the while that the wrong one was believed.
        Because::Correction | Because::Edit => old.iter().map(|old| old.valid_from.unwrap_or(old.recorded_at)).min(),
        Because::Change | Because::Lost => Some(now),
    };
    let new = NewFact {
        draft: &candidate.draft,
        key,
        confidence: candidate.confidence.clamp(0.0, 1.0),
        origin: candidate.origin,
        message: source.message,
        valid_from,
        pinned: false,
    };
    let id = fact::insert(tx, &new, person, now)?;
    tombstone::lift(tx, key)?;
    for old in old {
        fact::retire(tx, old.id, id, because, now)?;
    }
    let sentence = fact::sentence_of(tx, id)?;
    let event = NewEvent {
        kind,
        target: MemoryRef::Fact(id),
        other: old.first().map(|old| old.id),
        before: Before::default(),
        sentence: &sentence,
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
