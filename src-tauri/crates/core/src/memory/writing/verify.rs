//! Whether a message really says what a candidate proposes. The same in every language: the quote stands in the message, the value
//! in the quote, and only what is stated or denied counts. What cannot be verified is not kept; where only the structure cannot, the
//! words are kept without it. Pure.

use std::ops::Range;

use super::annotation::{Change, Stance};
use super::candidate::{Candidate, Refusal, Source};
use super::paste;
use super::quote::{self, Spoken, names};
use super::reading::{self, Reading};
use super::when::{self, When};
use crate::memory::fact::{FactDraft, Origin};
use crate::memory::relation::{self, Polarity, SAID, USER};
use crate::text;

/// A message, prepared once for all its candidates.
pub(super) struct Heard<'a> {
    pub source: &'a Source<'a>,
    pub spoken: Spoken<'a>,
    /// What the person wrote themself; the rest was pasted or quoted along with it.
    own: String,
}

/// What a message says, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sound {
    pub draft: FactDraft,
    /// The words that say it, cut out of the message.
    pub quote: String,
    pub polarity: Polarity,
    pub change: Option<Change>,
    pub when: When,
    pub origin: Origin,
    /// It tells of a change, by its words.
    pub tells_change: bool,
    /// It comes beside what is known, by its words.
    pub adds: bool,
}

impl<'a> Heard<'a> {
    pub fn of(source: &'a Source<'a>) -> Self {
        Self { source, spoken: Spoken::of(source.text), own: paste::split(source.text).own }
    }

    /// Verifies a candidate.
    pub fn verify(&self, candidate: &Candidate) -> Result<Sound, Refusal> {
        match (candidate.stance, &candidate.quote) {
            (Some(stance), Some(words)) => self.verify_annotated(candidate, stance, words),
            _ => self.verify_bare(candidate),
        }
    }

    /// The model points at the words and says how they are meant.
    fn verify_annotated(&self, candidate: &Candidate, stance: Stance, words: &str) -> Result<Sound, Refusal> {
        if !stance.is_told() {
            return Err(Refusal::NotStated);
        }
        let whole = 0..self.source.text.len();
        let quote = self.spoken.find(words, &whole).ok_or(Refusal::Ungrounded)?;
        self.permit(&quote)?;
        let value = self.value_near(&candidate.draft, &quote);
        let (quote, draft) = match value {
            Some((quote, value)) if self.names_subject(&candidate.draft.subject, true) => {
                (quote, FactDraft { value, ..candidate.draft.clone() })
            }
            _ => {
                let draft = self.without_structure(&quote);
                (quote, draft)
            }
        };
        let (of_relation, relation) = relation::polarity(&draft.relation);
        let polarity = match (stance, candidate.change) {
            (_, Some(Change::Ended)) => Polarity::Ended,
            (Stance::Denies, _) => Polarity::Denied,
            _ => of_relation,
        };
        let draft = if of_relation == Polarity::Holds { draft } else { FactDraft { relation, ..draft } };
        Ok(self.sound(candidate, draft, quote, polarity))
    }

    /// The model proposes a fact and says nothing of how it was said: the first sentence that tells it counts.
    fn verify_bare(&self, candidate: &Candidate) -> Result<Sound, Refusal> {
        let draft = &candidate.draft;
        if !self.names_subject(&draft.subject, false) {
            return Err(Refusal::Ungrounded);
        }
        let mut refusal = Refusal::Ungrounded;
        for sentence in sentences(self.source.text) {
            let Some(value) = self.value_in(draft, &sentence) else { continue };
            // Nothing is left that could say what the value is.
            if value == self.spoken.words(&sentence) && text::words(&value).len() > MOST_OF_AN_ANSWER {
                continue;
            }
            let reading = reading::read(self.spoken.words(&sentence), self.source.text);
            match self.told(draft, &reading) {
                Ok(polarity) => {
                    self.permit(&sentence)?;
                    let (_, relation) = relation::polarity(&draft.relation);
                    let of_relation = relation::polarity(&draft.relation).0;
                    let relation = if of_relation == Polarity::Holds { draft.relation.clone() } else { relation };
                    let draft = FactDraft { value, relation, ..draft.clone() };
                    let sound = self.sound(candidate, draft, sentence, polarity);
                    return Ok(Sound { tells_change: reading.tells_change, adds: reading.adds, ..sound });
                }
                Err(why) => refusal = why,
            }
        }
        Err(refusal)
    }

    /// Whether a sentence tells a bare fact as it is proposed, by the sentence's words.
    fn told(&self, draft: &FactDraft, reading: &Reading) -> Result<Polarity, Refusal> {
        if !reading.stance.is_told() {
            return Err(Refusal::NotStated);
        }
        if reading.is_about_another && relation::subject_key(&draft.subject, None) == USER {
            return Err(Refusal::Ungrounded);
        }
        let (polarity, words) = relation::polarity(&draft.relation);
        let felt = relation::feeling(&words).or_else(|| relation::feeling_of(draft));
        match (felt, reading.feels) {
            // "I can't stand it" holds a "not" that denies nothing.
            (Some(felt), Some(read)) => return if felt == read { Ok(polarity) } else { Err(Refusal::Ungrounded) },
            (Some("likes"), None) if reading.polarity != Polarity::Holds => return Err(Refusal::Ungrounded),
            _ => {}
        }
        match (polarity, reading.polarity) {
            // A sentence may say in one breath what is over and what is so.
            (Polarity::Holds, Polarity::Denied | Polarity::Ended) if !reading.tells_change => Err(Refusal::NotStated),
            (polarity, _) => Ok(polarity),
        }
    }

    fn sound(&self, candidate: &Candidate, draft: FactDraft, quote: Range<usize>, polarity: Polarity) -> Sound {
        let words = self.spoken.words(&quote);
        let is_own = Spoken::of(&self.own).find(words, &(0..self.own.len())).is_some();
        Sound {
            when: when::of(&self.spoken, &quote, candidate.when.as_deref(), self.source.said_at),
            quote: words.to_owned(),
            draft,
            polarity,
            change: candidate.change,
            origin: if is_own { candidate.origin } else { Origin::Document },
            tells_change: false,
            adds: false,
        }
    }

    fn permit(&self, quote: &Range<usize>) -> Result<(), Refusal> {
        let barred = self.source.barred.iter().any(|part| quote::overlap(part, quote));
        if barred { Err(Refusal::Unwanted) } else { Ok(()) }
    }

    fn without_structure(&self, quote: &Range<usize>) -> FactDraft {
        let value = self.spoken.words(quote).to_owned();
        FactDraft { subject: USER.to_owned(), relation: SAID.to_owned(), value }
    }

    /// The value in the quote, or in the sentence around it, which then is the quote.
    fn value_near(&self, draft: &FactDraft, quote: &Range<usize>) -> Option<(Range<usize>, String)> {
        let sentence = quote::sentence_around(self.source.text, quote);
        [quote.clone(), sentence].into_iter().find_map(|part| Some((part.clone(), self.value_in(draft, &part)?)))
    }

    /// The value as a part of the message has it.
    fn value_in(&self, draft: &FactDraft, part: &Range<usize>) -> Option<String> {
        let words = self.spoken.words(part);
        let find = |value: &str| self.spoken.find(value, part).map(|range| self.spoken.words(&range).to_owned());
        if let Some(value) = find(&draft.value) {
            return Some(value);
        }
        // (opinion of jazz, hates): the thing stands in the message; of the feeling its words tell.
        if relation::feeling_of(draft).is_some() {
            let thing = relation::thing_of(&draft.relation)?;
            return names(words, thing).then(|| draft.value.clone());
        }
        // "Friday 2026-03-06" for "Friday": what the model reckoned is reckoned again.
        let (dates, rest): (Vec<&str>, Vec<&str>) =
            draft.value.split(' ').partition(|word| when::is_iso(word.trim_matches(|c: char| !c.is_alphanumeric())));
        if !dates.is_empty() {
            let is_right = dates.iter().all(|date| when::tells(words, date, self.source.said_at));
            return if rest.is_empty() {
                is_right.then(|| when::words_of(words, self.source.said_at)).flatten()
            } else {
                find(&rest.join(" ")).filter(|_| is_right)
            };
        }
        if let Some(being) = relation::subject_key(&draft.value, None).strip_prefix("user's ") {
            let is_named = find(being).is_some() || relation::words_for(being).iter().any(|word| find(word).is_some());
            return is_named.then(|| draft.value.clone());
        }
        names(words, &draft.value).then(|| draft.value.clone())
    }

    /// Whether the message or the conversation names whom something is about. What an annotation calls by a common noun ("cat")
    /// may be called otherwise in the message's language.
    fn names_subject(&self, subject: &str, is_annotated: bool) -> bool {
        let key = relation::subject_key(subject, None);
        let bare = key.strip_prefix("user's ").unwrap_or(&key);
        key == USER
            || (is_annotated && subject.starts_with(char::is_lowercase))
            || names(self.source.text, bare)
            || self.spoken.find(subject, &(0..self.source.text.len())).is_some()
            || relation::words_for(bare)
                .iter()
                .any(|word| self.spoken.find(word, &(0..self.source.text.len())).is_some())
            || text::words(bare).iter().all(|word| {
                let both = format!("{} {}", self.source.text, self.source.conversation);
                names(&both, word)
            })
    }
}

/// An answer of so few words may be nothing but the value: "Porto".
const MOST_OF_AN_ANSWER: usize = 2;

/// The sentences of a message.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text::sentence_ends(text)
        .into_iter()
        .chain([text.len()])
        .map(|end| quote::trimmed(text, std::mem::replace(&mut start, end)..end))
        .filter(|range| !range.is_empty())
        .collect()
}
