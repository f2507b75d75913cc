//! One compiled rule, kept over a whole answer: what a sentence breaks, what is counted, and what only the end can tell.

use std::ops::Range;

use super::super::sentence::Sentence;
use super::super::{Asked, RuleRef};
use super::form::Form;
use super::{Demand, Phrase, names_a_language, tokens};
use crate::text::language::{self, Language};

/// While an answer is written, its language is judged once it has as many letters.
const LETTERS_FOR_LANGUAGE: usize = 250;
/// A whole answer of fewer letters says nothing about its language.
const FEWEST_LETTERS: usize = 48;
/// So much of an answer tells its language, in bytes.
const MOST_FOR_LANGUAGE: usize = 4_000;

/// Keeps one rule over one answer.
#[derive(Clone)]
pub(in super::super) struct Keeper {
    /// The rule that it keeps.
    pub rule: RuleRef,
    demand: Demand,
    /// What the person wrote: a name or a link of theirs may be repeated.
    question: String,
    counted: usize,
    /// The answer's own words, for its language.
    prose: String,
    /// Whether a sentence was read.
    has_begun: bool,
    /// The last sentence that has words, and whether it asks.
    last: Option<(Vec<String>, bool)>,
    holds: bool,
    /// Nothing more is said about it: it is broken, or cannot be.
    is_done: bool,
}

impl Keeper {
    pub fn new(rule: RuleRef, demand: Demand, asked: &Asked<'_>) -> Self {
        let is_done = match &demand {
            // Who names a language may want a text in it.
            Demand::Language { .. } => names_a_language(asked.question),
            Demand::NoNames(names) => {
                let brought = asked.before.iter().map(String::as_str).chain([asked.question]).map(tokens);
                brought.into_iter().any(|said| names.iter().any(|name| name.is_in(&said)))
            }
            _ => false,
        };
        let question = asked.question.to_owned();
        let (counted, prose, has_begun, last, holds) = (0, String::new(), false, None, false);
        Self { rule, demand, question, counted, prose, has_begun, last, holds, is_done }
    }

    /// Reads the next sentence; `gap` is the text between it and the one before. Where the rule is broken, if it is.
    pub fn read(&mut self, sentence: &Sentence, gap: &str) -> Option<Range<usize>> {
        if self.is_done {
            return None;
        }
        self.is_done = self.is_broken_by(sentence, gap);
        self.has_begun = true;
        self.is_done.then(|| sentence.at.clone())
    }

    fn is_broken_by(&mut self, sentence: &Sentence, gap: &str) -> bool {
        match &self.demand {
            Demand::AtMost(unit, most) => {
                self.counted += unit.count(sentence, gap, !self.has_begun);
                self.counted > *most
            }
            Demand::Language { .. } => {
                let was_short = letters(&self.prose) < LETTERS_FOR_LANGUAGE;
                if !sentence.is_foreign && self.prose.len() < MOST_FOR_LANGUAGE {
                    self.prose.push_str(&sentence.own);
                    self.prose.push(' ');
                }
                was_short && letters(&self.prose) >= LETTERS_FOR_LANGUAGE && self.is_in_wrong_language()
            }
            Demand::Begin { phrases, forbidden } => {
                let begins = phrases.iter().any(|phrase| phrase.begins(&tokens(&sentence.written)));
                !self.has_begun && begins == *forbidden
            }
            Demand::End { .. } | Demand::EndAsking => {
                // Signs behind the last word are no sentence of their own.
                if sentence.written.contains(char::is_alphanumeric) {
                    self.last = Some((tokens(&sentence.written), sentence.is_question));
                }
                false
            }
            Demand::Hold(phrase) => {
                self.holds |= phrase.is_in(&tokens(&sentence.written));
                false
            }
            Demand::NoWords(phrases) | Demand::NoNames(phrases) => has_one(phrases, sentence),
            Demand::No(forms) => {
                let is_broken = |form: &Form| form.is_in(sentence) && !form.is_repeated(sentence, &self.question);
                forms.iter().any(is_broken)
            }
        }
    }

    /// What the end of the answer tells. Where the rule is broken, if it is.
    pub fn finish(&mut self, length: usize) -> Option<Range<usize>> {
        if self.is_done || length == 0 {
            return None;
        }
        let is_broken = match (&self.demand, &self.last) {
            (Demand::Language { .. }, _) => letters(&self.prose) >= FEWEST_LETTERS && self.is_in_wrong_language(),
            (Demand::End { phrases, forbidden }, Some((last, _))) => {
                phrases.iter().any(|phrase| phrase.ends(last)) == *forbidden
            }
            (Demand::EndAsking, Some((_, asks))) => !asks,
            (Demand::Hold(_), _) => !self.holds,
            _ => false,
        };
        is_broken.then_some(length..length)
    }

    fn is_in_wrong_language(&self) -> bool {
        let Demand::Language { language, forbidden } = &self.demand else { return false };
        certain(&self.prose).is_some_and(|found| (found == *language) == *forbidden)
    }
}

fn has_one(phrases: &[Phrase], sentence: &Sentence) -> bool {
    !sentence.is_foreign && phrases.iter().any(|phrase| phrase.is_in(&sentence.tokens))
}

/// The language of a text, where it is beyond doubt.
pub(in super::super) fn certain(said: &str) -> Option<Language> {
    match language::likely(said).as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

fn letters(said: &str) -> usize {
    said.chars().filter(|c| c.is_alphabetic()).count()
}
