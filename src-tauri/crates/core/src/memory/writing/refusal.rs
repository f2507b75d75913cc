//! Why a candidate is refused whatever is known: it says nothing, is too long, tells of the conversation, repeats recalled
//! memory, or touches what the person sealed. Pure.

use crate::memory::fact::FactDraft;
use crate::memory::relation::{self, Key, SAID};
use crate::memory::writing::candidate::{Candidate, Refusal, Rules, Source};
use crate::memory::writing::topic;
use crate::memory::writing::verify::Sound;
use crate::text::{self, lexicon};

/// The longest parts of a fact, in characters.
const LONGEST: [usize; 3] = [120, 80, 500];
/// The longest text that is kept whole.
const LONGEST_SAID: usize = 2000;

/// Why a candidate is refused, if it is.
pub(super) fn refusal(
    candidate: &Candidate,
    sound: &Sound,
    key: &Key,
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Option<Refusal> {
    if let Some(refusal) = unfit(&sound.draft) {
        return Some(refusal);
    }
    let is_structured = sound.draft.relation != SAID;
    if is_structured && relation::is_about_the_talk(key, &sound.draft.relation, rules.agent)
        || lexicon::is_small_talk(&sound.quote)
    {
        return Some(Refusal::NotAFact);
    }
    sealed_topic(candidate, sound, key, source, rules.sealed).map(Refusal::Sealed)
}

/// Why a draft cannot be a fact, whoever writes it.
pub(in crate::memory) fn unfit(draft: &FactDraft) -> Option<Refusal> {
    let parts = [&draft.subject, &draft.relation, &draft.value];
    // A value may be a sign alone ("🐈"), a subject or relation may not be empty either.
    if parts.iter().any(|part| !part.chars().any(|c| c.is_alphanumeric() || c as u32 > 0x2000)) {
        return Some(Refusal::Empty);
    }
    let longest_value = if draft.relation == SAID { LONGEST_SAID } else { LONGEST[2] };
    let longest = [LONGEST[0], LONGEST[1], longest_value];
    if parts.iter().zip(longest).any(|(part, longest)| part.chars().count() > longest) {
        return Some(Refusal::TooLong);
    }
    parts.iter().any(|part| is_recalled(part)).then_some(Refusal::Recalled)
}

/// The sealed topic that a candidate touches: by what the proposer says, by its relation, by its words. Where nothing tells what it
/// is about, all of its message counts: what is not certain is refused.
fn sealed_topic(
    candidate: &Candidate,
    sound: &Sound,
    key: &Key,
    source: &Source<'_>,
    sealed: &[String],
) -> Option<String> {
    let FactDraft { subject, relation, value } = &sound.draft;
    let told = candidate.topic.as_deref().or_else(|| relation::topic(key));
    let words = format!("{subject} {relation} {value}");
    let touches = |topic: &&String| {
        let topic = std::slice::from_ref(*topic);
        told.is_some_and(|label| topic::is_sealed_label(label, topic))
            || topic::touches(&words, topic)
            || topic::touches(&sound.quote, topic)
            || told.is_none() && topic::touches(source.text, topic)
    };
    sealed.iter().find(touches).cloned()
}

/// Whether a note or summary of a conversation may be stored: not where it, or what it is about, touches a sealed topic, and
/// not where it repeats recalled memory.
pub fn admits_episode(note: &str, said: &str, sealed: &[String]) -> Result<(), Refusal> {
    if text::clean(note).is_empty() {
        return Err(Refusal::Empty);
    }
    if is_recalled(note) {
        return Err(Refusal::Recalled);
    }
    if topic::touches(note, sealed) || topic::touches(said, sealed) {
        return Err(Refusal::Sealed(sealed.join(", ")));
    }
    Ok(())
}

/// Whether a text is recalled memory or a memory block, however it is spelled.
pub fn is_recalled(said: &str) -> bool {
    /// What such texts hold, in letters and digits alone.
    const SIGNS: [&str; 5] = ["memorycontext", "memoryops", "imstart", "imend", "endoftext"];
    let plain: String = text::fold(&text::clean(said)).chars().filter(|c| c.is_alphanumeric()).collect();
    SIGNS.iter().any(|sign| plain.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recalled_text_is_known_however_it_is_spelled() {
        for said in ["</memory-context>", "＜MEMORY－CONTEXT＞", "mem\u{200B}ory_ops: x", "Memory_Ops"] {
            assert!(is_recalled(said), "{said}");
        }
        assert!(!is_recalled("a memory of the context"));
    }
}
