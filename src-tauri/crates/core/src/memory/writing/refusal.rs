//! Why a candidate is refused whatever is known: it says nothing, is too long, tells of the conversation, repeats recalled
//! memory, or touches what the person sealed. Pure.

use crate::memory::fact::FactDraft;
use crate::memory::language::{relation::Key, sentence::ASKED_TO_REMEMBER, signal, small_talk};
use crate::memory::writing::candidate::{Candidate, Refusal, Rules, Source};
use crate::memory::writing::{ground, topic};
use crate::text;

/// The longest parts of a fact, in characters.
const LONGEST: [usize; 3] = [120, 80, 500];
/// The longest text that is kept whole because the person asked for it.
const LONGEST_ASKED: usize = 2000;

/// Why a candidate is refused, if it is.
pub(super) fn refusal(candidate: &Candidate, key: &Key, source: &Source<'_>, rules: &Rules<'_>) -> Option<Refusal> {
    let FactDraft { relation, value, .. } = &candidate.draft;
    if let Some(refusal) = unfit(&candidate.draft) {
        return Some(refusal);
    }
    let is_wish = relation == ASKED_TO_REMEMBER;
    if !is_wish && small_talk::is_no_fact(&key.subject, relation, value, rules.agent) {
        return Some(Refusal::NotAFact);
    }
    is_sealed(candidate, source, rules.sealed).then_some(Refusal::Sealed)
}

/// Why a draft cannot be a fact, whoever writes it.
pub(in crate::memory) fn unfit(draft: &FactDraft) -> Option<Refusal> {
    let parts = [&draft.subject, &draft.relation, &draft.value];
    // A value may be a sign alone ("🐈"), a subject or relation may not be empty either.
    if parts.iter().any(|part| !part.chars().any(|c| c.is_alphanumeric() || c as u32 > 0x2000))
        || small_talk::says_nothing(&draft.value)
        || small_talk::relates_nothing(&draft.relation)
    {
        return Some(Refusal::Empty);
    }
    let longest_value = if draft.relation == ASKED_TO_REMEMBER { LONGEST_ASKED } else { LONGEST[2] };
    let longest = [LONGEST[0], LONGEST[1], longest_value];
    if parts.iter().zip(longest).any(|(part, longest)| part.chars().count() > longest) {
        return Some(Refusal::TooLong);
    }
    parts.iter().any(|part| ground::is_recalled(part)).then_some(Refusal::Recalled)
}

fn is_sealed(candidate: &Candidate, source: &Source<'_>, sealed: &[String]) -> bool {
    let FactDraft { subject, relation, value } = &candidate.draft;
    !sealed.is_empty()
        && (candidate.topic.as_deref().is_some_and(|label| topic::is_sealed_label(label, sealed))
            || topic::touches(&format!("{subject} {relation} {value}"), sealed)
            || stands_only_in_sealed_clauses(value, source.text, sealed))
}

/// "I moved to Kyiv for treatment": what is said in one breath with a sealed topic may belong to it.
fn stands_only_in_sealed_clauses(value: &str, said: &str, sealed: &[String]) -> bool {
    let about: Vec<&str> = signal::clauses(said).into_iter().filter(|clause| signal::names(clause, value)).collect();
    !about.is_empty() && about.iter().all(|clause| topic::touches(clause, sealed))
}

/// Whether a note or summary of a conversation may be stored: not where it, or what it is about, touches a sealed topic, and
/// not where it repeats recalled memory.
pub fn admits_episode(note: &str, said: &str, sealed: &[String]) -> Result<(), Refusal> {
    if text::clean(note).is_empty() {
        return Err(Refusal::Empty);
    }
    if ground::is_recalled(note) {
        return Err(Refusal::Recalled);
    }
    if topic::touches(note, sealed) || topic::touches(said, sealed) {
        return Err(Refusal::Sealed);
    }
    Ok(())
}
