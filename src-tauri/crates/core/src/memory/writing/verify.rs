//! Whether a message really says what a candidate proposes. The same in every language: the quote stands in the message, the value
//! in the quote, and only what is stated or denied counts. What cannot be verified is not kept; where only the structure cannot, the
//! words are kept without it. Pure.

use std::ops::Range;

use super::annotation::{Change, Stance};
use super::candidate::{Candidate, Refusal, Source};
use super::paste;
use super::quote::{self, Spoken, names};
use super::reading::{self, Reading};
use super::refusal;
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
    /// What looks like recalled memory or like a model's memory block: nobody's word.
    recalled: Vec<Range<usize>>,
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
        Self {
            source,
            spoken: Spoken::of(source.text),
            own: paste::split(source.text).own,
            recalled: recalled(source.text),
        }
    }

    /// Verifies a candidate.
    ///
    /// `is_known` tells that something is known of its subject, who then may be meant without being named.
    pub fn verify(&self, candidate: &Candidate, is_known: bool) -> Result<Sound, Refusal> {
        match (candidate.stance, &candidate.quote) {
            (Some(stance), Some(words)) => self.verify_annotated(candidate, stance, words, is_known),
            _ => self.verify_bare(candidate, is_known),
        }
    }

    /// The model points at the words and says how they are meant.
    fn verify_annotated(
        &self,
        candidate: &Candidate,
        stance: Stance,
        words: &str,
        is_known: bool,
    ) -> Result<Sound, Refusal> {
        if !stance.is_told() {
            return Err(Refusal::NotStated);
        }
        let whole = 0..self.source.text.len();
        let quote = self.spoken.find(words, &whole).ok_or(Refusal::Ungrounded)?;
        self.permit(&quote)?;
        let value = self.value_near(&candidate.draft, &quote);
        let (quote, draft) = match value {
            Some((quote, value)) if is_known || self.names_subject(&candidate.draft.subject, true) => {
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
    fn verify_bare(&self, candidate: &Candidate, is_known: bool) -> Result<Sound, Refusal> {
        let draft = &candidate.draft;
        if !is_known && !self.names_subject(&draft.subject, false) {
            return Err(Refusal::Ungrounded);
        }
        let mut reason = Refusal::Ungrounded;
        for sentence in sentences(self.source.text) {
            let Some((at, value)) = self.value_in(draft, &sentence) else { continue };
            // Nothing is left that could say what the value is.
            if value == self.spoken.words(&sentence) && text::words(&value).len() > MOST_OF_AN_ANSWER {
                continue;
            }
            let clause = quote::clause_around(self.source.text, &sentence, &at);
            let reading = reading::read(self.spoken.words(&clause), self.spoken.words(&sentence), self.source.text);
            match self.told(draft, &reading) {
                Ok(polarity) => {
                    let quote = self.quote_of(draft, &reading, clause, sentence);
                    self.permit(&quote)?;
                    let (of_relation, relation) = relation::polarity(&draft.relation);
                    let relation = if of_relation == Polarity::Holds { draft.relation.clone() } else { relation };
                    let draft = FactDraft { value, relation, ..draft.clone() };
                    let sound = self.sound(candidate, draft, quote, polarity);
                    return Ok(Sound { tells_change: reading.tells_change, adds: reading.adds, ..sound });
                }
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    /// The clause alone, where it says of whom it speaks; else the whole sentence.
    fn quote_of(
        &self,
        draft: &FactDraft,
        reading: &Reading,
        clause: Range<usize>,
        sentence: Range<usize>,
    ) -> Range<usize> {
        let is_user = relation::subject_key(&draft.subject, None) == USER;
        let stands_alone =
            if is_user { reading.speaks_of_oneself } else { names(self.spoken.words(&clause), &draft.subject) };
        if stands_alone { clause } else { sentence }
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

    /// What the person does not want kept, and what is no word of theirs, is not kept.
    fn permit(&self, quote: &Range<usize>) -> Result<(), Refusal> {
        if self.recalled.iter().any(|part| quote::overlap(part, quote)) {
            return Err(Refusal::Recalled);
        }
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
        [quote.clone(), sentence].into_iter().find_map(|part| Some((part.clone(), self.value_in(draft, &part)?.1)))
    }

    /// Where a part of the message tells the value, and the value as it has it.
    fn value_in(&self, draft: &FactDraft, part: &Range<usize>) -> Option<(Range<usize>, String)> {
        let words = self.spoken.words(part);
        let find = |value: &str| {
            self.spoken.find(value, part).map(|range| (range.clone(), self.spoken.words(&range).to_owned()))
        };
        if let Some(found) = find(&draft.value) {
            return Some(found);
        }
        // What does not stand there letter by letter is told by the part as a whole.
        let whole = |holds: bool| holds.then(|| (part.clone(), draft.value.clone()));
        // (opinion of jazz, hates): the thing stands in the message; of the feeling its words tell.
        if let Some(thing) = relation::thing_of(&draft.relation) {
            return match find(thing) {
                Some((range, _)) => Some((range, draft.value.clone())),
                None => whole(names(words, thing)),
            };
        }
        if let Some(found) = self.date_in(&draft.value, part) {
            return found;
        }
        if let Some(being) = relation::subject_key(&draft.value, None).strip_prefix("user's ") {
            let is_named = find(being).is_some() || relation::words_for(being).iter().any(|word| find(word).is_some());
            return whole(is_named);
        }
        whole(names(words, &draft.value))
    }

    /// "Friday 2026-03-06" for "Friday": what the model reckoned is reckoned again. `None` where the value holds no date.
    #[expect(clippy::option_option, reason = "no date, a wrong date and a right one are three answers")]
    fn date_in(&self, value: &str, part: &Range<usize>) -> Option<Option<(Range<usize>, String)>> {
        let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        let (dates, rest): (Vec<&str>, Vec<&str>) = value.split(' ').partition(|word| when::is_iso(&bare(word)));
        if dates.is_empty() {
            return None;
        }
        let words = self.spoken.words(part);
        let is_right = dates.iter().all(|date| when::tells(words, &bare(date), self.source.said_at));
        let told = match rest.is_empty() {
            true => when::words_of(words, self.source.said_at).map(str::to_owned),
            false => Some(rest.join(" ")),
        };
        let found = told.filter(|_| is_right).and_then(|told| self.spoken.find(&told, part));
        Some(found.map(|range| (range.clone(), self.spoken.words(&range).to_owned())))
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

/// Where a text holds recalled memory or a memory block.
fn recalled(text: &str) -> Vec<Range<usize>> {
    let (mut ranges, mut open, mut at) = (Vec::new(), None, 0);
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        if !refusal::is_recalled(line) {
            continue;
        }
        match open.take() {
            Some(from) => ranges.push(from..end),
            None if line.contains('/') || !line.contains('<') => ranges.push(start..end),
            None => open = Some(start),
        }
    }
    ranges.extend(open.map(|from| from..text.len()));
    ranges
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
