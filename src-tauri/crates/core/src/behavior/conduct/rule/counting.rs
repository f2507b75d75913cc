//! One compiled rule, kept over a whole answer: what is counted, and what only the end can tell.

use std::ops::Range;

use super::super::request;
use super::super::sentence::Sentence;
use super::super::{Asked, RuleRef};
use super::demand::{Demand, Unit, plain};
use super::form::Form;
use super::tongue::Tongues;

/// While an answer is written, its language is judged once it has as many words.
const WORDS_FOR_LANGUAGE: usize = 50;

/// Keeps one rule over one answer.
#[derive(Clone)]
pub(in super::super) struct Keeper {
    /// The rule that it keeps.
    pub rule: RuleRef,
    demand: Demand,
    question: String,
    counted: usize,
    tongues: Tongues,
    /// The end of the last prose sentence; a new paragraph begins behind an empty line.
    last_end: usize,
    first: Option<String>,
    last: Option<(String, bool)>,
    holds: bool,
    /// Nothing more is said about it: it is broken, or cannot be.
    is_done: bool,
}

impl Keeper {
    pub fn new(rule: RuleRef, demand: Demand, asked: &Asked<'_>) -> Self {
        // Who asks for a translation is to get it.
        let is_done = matches!(demand, Demand::Language { .. }) && request::is_about_language(asked.question);
        Self {
            rule,
            demand,
            question: asked.question.to_owned(),
            counted: 0,
            tongues: Tongues::default(),
            last_end: 0,
            first: None,
            last: None,
            holds: false,
            is_done,
        }
    }

    /// Reads the next sentence; `gap` is the text between it and the one before. Where the rule is broken, if it is.
    pub fn read(&mut self, sentence: &Sentence, gap: &str) -> Option<Range<usize>> {
        if self.is_done {
            return None;
        }
        let is_broken = self.is_broken_by(sentence, gap);
        self.last_end = sentence.at.end;
        self.is_done = is_broken;
        is_broken.then(|| sentence.at.clone())
    }

    fn is_broken_by(&mut self, sentence: &Sentence, gap: &str) -> bool {
        match &self.demand {
            Demand::AtMost(unit, most) => {
                let most = *most;
                self.counted += count(*unit, sentence, gap, self.last_end == 0);
                self.counted > most
            }
            Demand::Language { .. } => {
                self.tongues.read(sentence);
                self.tongues.size() >= WORDS_FOR_LANGUAGE && self.is_in_wrong_language()
            }
            Demand::Begin(phrase) => {
                let begins = self.first.is_none() && begins_with(&sentence.written, phrase);
                self.first.get_or_insert_with(|| sentence.written.clone());
                matches!(self.rule, RuleRef::Never(_)) && begins
            }
            Demand::End(_) | Demand::EndAsking => {
                // Signs behind the last word are no sentence of their own.
                if !sentence.written.contains(char::is_alphanumeric) {
                    return false;
                }
                self.last = Some((sentence.written.clone(), sentence.is_question));
                false
            }
            Demand::Hold(phrase) => {
                self.holds |= plain(&sentence.written).contains(&plain(phrase));
                false
            }
            Demand::No(form) if self.is_of_the_question(*form, sentence) => false,
            demand => {
                (!sentence.is_foreign || matches!(demand, Demand::No(Form::Code | Form::Markdown)))
                    && demand.is_broken_by(sentence)
            }
        }
    }

    /// What the end of the answer tells. Where the rule is broken, if it is.
    pub fn finish(&mut self, length: usize) -> Option<Range<usize>> {
        if self.is_done || length == 0 {
            return None;
        }
        let is_broken = match &self.demand {
            Demand::Language { .. } => self.is_in_wrong_language(),
            Demand::End(phrase) => self.last.as_ref().is_some_and(|(last, _)| !ends_with(last, phrase)),
            Demand::EndAsking => self.last.as_ref().is_some_and(|(last, asks)| !asks && !is_asking_at_the_end(last)),
            Demand::Hold(_) => !self.holds,
            Demand::Begin(phrase) if matches!(self.rule, RuleRef::Always(_)) => {
                self.first.as_ref().is_some_and(|first| !begins_with(first, phrase))
            }
            _ => false,
        };
        is_broken.then_some(length..length)
    }

    fn is_in_wrong_language(&self) -> bool {
        let Demand::Language { tongue, forbidden } = &self.demand else { return false };
        self.tongues.decided().is_some_and(|decided| (decided == *tongue) == *forbidden)
    }

    /// A link, a number or a sign that the person wrote themself may be repeated.
    fn is_of_the_question(&self, form: Form, sentence: &Sentence) -> bool {
        if !matches!(form, Form::Link | Form::Mail | Form::Phone | Form::Emoji | Form::Price) {
            return false;
        }
        let telling = |part: &&str| part.chars().any(|c| !c.is_alphabetic() && !c.is_ascii_punctuation());
        let mut parts = sentence.written.split_whitespace().filter(|part| match form {
            Form::Link => part.contains("://") || part.contains("www."),
            Form::Mail => part.contains('@'),
            Form::Emoji => !part.is_ascii() && part.chars().all(|c| !c.is_alphabetic()),
            _ => telling(part),
        });
        let trim = |part: &str| part.trim_matches(|c: char| c.is_ascii_punctuation() && c != '$').to_owned();
        !self.question.is_empty()
            && parts.clone().count() > 0
            && parts.all(|part| {
                let part = trim(part);
                !part.is_empty() && self.question.contains(&part)
            })
    }
}

fn count(unit: Unit, sentence: &Sentence, gap: &str, is_first: bool) -> usize {
    if sentence.is_foreign {
        return 0;
    }
    let line = sentence.written.as_str();
    let ends = line.trim_end_matches(['"', '”', '*', '_', ')', ' ']).ends_with(['.', '!', '?', '。', '！', '？', '…']);
    match unit {
        Unit::Words => line.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count(),
        // A heading or an item of a list is no sentence, nor is what goes on behind an abbreviation.
        Unit::Sentences => {
            let goes_on = line.starts_with(char::is_lowercase);
            usize::from(ends && !goes_on && !line.starts_with(['#', '-', '*', '•', '|']))
        }
        Unit::Characters => line.chars().count() + usize::from(!is_first),
        Unit::Paragraphs => usize::from(is_first || gap.matches('\n').count() >= 2),
        Unit::Lines => usize::from(is_first || gap.contains('\n')),
        Unit::Questions => usize::from(sentence.is_question),
    }
}

fn begins_with(written: &str, phrase: &str) -> bool {
    let (written, phrase) = (plain(written), plain(phrase));
    written.strip_prefix(&phrase).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn ends_with(written: &str, phrase: &str) -> bool {
    plain(written).ends_with(&plain(phrase))
}

/// "Shall we? 🙂": signs behind the question mark are no words.
fn is_asking_at_the_end(written: &str) -> bool {
    written
        .trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？' | '؟'))
        .ends_with(['?', '？', '؟'])
}
