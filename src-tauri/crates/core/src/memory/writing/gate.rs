//! The one gate through which every fact gets into memory, whoever proposes it.
//!
//! Verify what was said, gather what is known, decide by code, act. What the gate would not decide alone waits in [`review`].

use rusqlite::Transaction;

use crate::memory::fact::{self, Because, FactDraft, Known, Origin};
use crate::memory::forgetting::{forget, tombstone};
use crate::memory::history::change::ChangeKind;
use crate::memory::relation::{self, Key, Polarity};
pub use crate::memory::writing::candidate::{Authority, Candidate, Decision, Refusal, Rules, Source};
pub use crate::memory::writing::refusal::admits_episode;
use crate::memory::writing::{
    keep::{self, Kept},
    names,
    quote::{Spoken, names as names_value},
    refusal::refusal,
    replace::{self, Replaced},
    review::{self, Doubt, Waiting},
    seals,
    verify::{Heard, Sound},
    when::When,
};
use crate::store::StoreError;
use crate::text;

/// Below this confidence only the person knows whether it is so.
const LEAST_CONFIDENCE: f64 = 0.5;

/// Decides about the candidates of one message, in order, and writes what is accepted.
pub fn consider(
    tx: &Transaction<'_>,
    candidates: &[Candidate],
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<Vec<Decision>, StoreError> {
    let heard = Heard::of(source);
    candidates.iter().map(|candidate| consider_one(tx, candidate, &heard, rules)).collect()
}

/// Takes over what the person vouches for: it needs no support, overrules all origins, and waits for nobody.
pub(super) fn accept(
    tx: &Transaction<'_>,
    candidate: &Candidate,
    sound: &Sound,
    source: &Source<'_>,
    rules: &Rules<'_>,
    authority: Authority,
) -> Result<Decision, StoreError> {
    let person = fact::person(tx)?;
    let key = key_of(tx, sound, person.as_deref())?;
    if let Some(refusal) = refusal(candidate, sound, &key, source, rules) {
        return Ok(Decision::Refused(refusal));
    }
    let known = names::known(tx, &key)?;
    if let Some(same) = replace::known_already(tx, &key, sound.polarity, &known)? {
        return keep::confirm(tx, &same, candidate, sound.origin, source, rules);
    }
    let opposed = replace::opposed(&key, sound.polarity, &known);
    let old = if opposed.is_empty() { replace::by_hand(&key, sound.polarity, &known, authority) } else { opposed };
    let has_company = !known.is_empty();
    let kind = ChangeKind::Accepted;
    let kept = Kept { candidate, sound, key: &key, old: &old, because: Because::Change, has_company, kind };
    keep::write(tx, &kept, source, rules)
}

/// Whether the words of a wish stand in what the person said.
pub fn stands_in(said: &str, words: &str) -> bool {
    Spoken::of(said).find(words, &(0..said.len())).is_some()
}

/// A candidate as somebody wrote it down, with nothing to verify it by.
pub(super) fn vouched_for(candidate: &Candidate) -> Sound {
    let (polarity, relation) = relation::polarity(&candidate.draft.relation);
    let relation = match polarity {
        Polarity::Holds => relation::relation_words_for_people(&candidate.draft.relation),
        Polarity::Denied | Polarity::Ended => relation,
    };
    let draft = FactDraft {
        subject: text::clean(&candidate.draft.subject),
        relation,
        value: text::clean(&candidate.draft.value),
    };
    let quote = candidate.quote.clone().unwrap_or_else(|| written_out(&candidate.draft));
    Sound {
        draft,
        quote,
        polarity,
        change: candidate.change,
        when: When { words: candidate.when.clone(), date: None },
        origin: candidate.origin,
        tells_change: false,
        adds: false,
    }
}

/// The words of a fact that nobody said: what it was entered as.
pub(in crate::memory) fn written_out(draft: &FactDraft) -> String {
    let FactDraft { subject, relation, value } = draft;
    match (relation.as_str(), subject.as_str()) {
        (relation::SAID, _) => text::clean(value),
        (_, relation::USER) => text::clean(&format!("{relation} {value}")),
        _ => text::clean(&format!("{subject} {relation} {value}")),
    }
}

/// The words of a fact whose structure was edited: they stay where they hold the value.
pub(super) fn words_of_edited(quote: &str, draft: &FactDraft) -> String {
    if names_value(quote, &draft.value) { quote.to_owned() } else { written_out(draft) }
}

/// A fact as keys. Who does not like something dislikes it.
pub(super) fn key_of(tx: &Transaction<'_>, sound: &Sound, person: Option<&str>) -> Result<Key, StoreError> {
    let key = names::key(tx, &sound.draft, person)?;
    let is_opinion = key.relation.starts_with("opinion of ");
    let value = match (is_opinion && sound.polarity == Polarity::Denied, key.value.as_str()) {
        (true, "likes") => "dislikes".to_owned(),
        (true, "dislikes") => "likes".to_owned(),
        _ => return Ok(key),
    };
    Ok(Key { value, ..key })
}

fn consider_one(
    tx: &Transaction<'_>,
    candidate: &Candidate,
    heard: &Heard<'_>,
    rules: &Rules<'_>,
) -> Result<Decision, StoreError> {
    let source = heard.source;
    let person = fact::person(tx)?;
    let about = names::key(tx, &candidate.draft, person.as_deref())?.subject;
    let sound = match heard.verify(candidate, fact::knows_subject(tx, &about)?) {
        Ok(sound) => sound,
        Err(refusal) => return Ok(Decision::Refused(refusal)),
    };
    let key = key_of(tx, &sound, person.as_deref())?;
    if let Some(refusal) = refusal(candidate, &sound, &key, source, rules) {
        // A model that knows what a message is about may know more than the words that Atlas does.
        if let Refusal::Sealed(topic) = &refusal {
            seals::count(tx, topic, rules.utc())?;
            source.message.map(|message| forget::pass_by(tx, message)).transpose()?;
        }
        return Ok(Decision::Refused(refusal));
    }
    if tombstone::bars(tx, &key, sound.origin, source)? {
        return Ok(Decision::Refused(Refusal::Forgotten));
    }
    decide(tx, candidate, &sound, &key, source, rules)
}

/// What becomes of a candidate that is fit and verified, by what is known.
fn decide(
    tx: &Transaction<'_>,
    candidate: &Candidate,
    sound: &Sound,
    key: &Key,
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<Decision, StoreError> {
    let words = keep::words_of(tx, sound, source)?;
    let known = names::known(tx, key)?;
    if let Some(same) = replace::known_already(tx, key, sound.polarity, &known)? {
        if let Some(words) = words {
            fact::retire(tx, words, same.id, Because::Edit, rules.utc())?;
        }
        return keep::confirm(tx, &same, candidate, sound.origin, source, rules);
    }
    let opposed = replace::opposed(key, sound.polarity, &known);
    let Replaced { mut old, because, exclusive } = replace::replaced(tx, key, sound, &known, source)?;
    old.extend(opposed.into_iter().filter(|one| old.iter().all(|other| other.id != one.id)).collect::<Vec<_>>());
    if let Some((doubt, other)) = doubt(candidate, sound, &old, exclusive) {
        let conflict = other.map(|other| other.id);
        let waiting = Waiting { candidate, sound, key, doubt, conflict, title: None };
        let waits = review::wait(tx, &waiting, source, rules)?;
        return Ok(Decision::Refused(if waits { Refusal::Review } else { Refusal::Dismissed }));
    }
    let kind = if old.is_empty() { ChangeKind::Added } else { ChangeKind::Superseded };
    let kept = Kept { candidate, sound, key, old: &old, because, has_company: !known.is_empty(), kind };
    match words {
        Some(words) => keep::give_structure(tx, words, &kept, source, rules),
        None => keep::write(tx, &kept, source, rules),
    }
}

/// Why only the person can decide about a candidate, and what it goes against. Pure.
fn doubt<'a>(
    candidate: &Candidate,
    sound: &Sound,
    old: &[&'a Known],
    exclusive: Option<&'a Known>,
) -> Option<(Doubt, Option<&'a Known>)> {
    let stronger = old.iter().find(|old| !sound.origin.outranks_or_equals(old.origin)).copied();
    match (sound.origin, stronger, exclusive) {
        (Origin::Document, ..) => Some((Doubt::Document, stronger.or(exclusive).or(old.first().copied()))),
        (_, Some(stronger), _) => Some((Doubt::Overrules, Some(stronger))),
        (_, None, Some(other)) => Some((Doubt::Exclusive, Some(other))),
        (_, None, None) if candidate.confidence < LEAST_CONFIDENCE => Some((Doubt::Uncertain, None)),
        (_, None, None) => None,
    }
}

#[cfg(test)]
mod tests;
