//! A hard rule in a person's own words, read as something that code can check exactly.
//!
//! Invariant: a rule is compiled only where every word of it is understood, in one language. One unknown word ("never use
//! emojis with *angry* customers"), one condition ("unless asked"), and it is left to the second look.

mod form;
mod keeper;
mod reading;

#[cfg(test)]
mod tests;

pub(super) use keeper::Keeper;
pub(super) use reading::{Sign, names_a_language, tokens};

use super::RuleRef;
use crate::text::language::Language;
use form::{Form, Unit};
use reading::Reading;

/// Who tells whether an answer keeps a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckedBy {
    /// Code, while the answer comes.
    Code(RuleKind),
    /// A model that reads the answer once more, where the person turned that on.
    SecondLook,
}

/// What code looks at for a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    /// Words that the rule quotes or names.
    Words,
    /// What the answer looks like: lists, emoji, links.
    Form,
    /// How long it is.
    Length,
    /// Its language.
    Language,
    /// How it begins or ends.
    Frame,
}

/// What a compiled rule demands of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Demand {
    /// None of these stands in it.
    NoWords(Vec<Phrase>),
    /// It brings none of these up that the person did not.
    NoNames(Vec<Phrase>),
    /// It has nothing of these forms.
    No(Vec<Form>),
    /// It has no more of these.
    AtMost(Unit, usize),
    /// It is in this language, or is not.
    Language { language: Language, forbidden: bool },
    /// It begins with this, or with none of these.
    Begin { phrases: Vec<Phrase>, forbidden: bool },
    /// It ends with this, or with none of these.
    End { phrases: Vec<Phrase>, forbidden: bool },
    /// It ends with a question.
    EndAsking,
    /// It holds this.
    Hold(Phrase),
}

/// A phrase as it is looked for: its words, folded, of a script without spaces its characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase(Sign);

impl Phrase {
    pub fn of(written: &str) -> Self {
        Self(tokens(written))
    }

    fn is_in(&self, tokens: &[String]) -> bool {
        has_any(tokens, std::slice::from_ref(&self.0))
    }

    fn begins(&self, tokens: &[String]) -> bool {
        tokens.starts_with(&self.0)
    }

    fn ends(&self, tokens: &[String]) -> bool {
        tokens.ends_with(&self.0)
    }
}

/// Who checks a rule that stands in this list of the spec.
pub fn checked_by(at: RuleRef, rule: &str) -> CheckedBy {
    compile(at, rule).map_or(CheckedBy::SecondLook, |demand| CheckedBy::Code(demand.kind()))
}

/// What a rule demands; `None` where only judgement can tell.
pub(super) fn compile(at: RuleRef, rule: &str) -> Option<Demand> {
    let is_never = matches!(at, RuleRef::Never(_));
    Reading::all(rule, is_never).find_map(Reading::demand)
}

impl Demand {
    fn kind(&self) -> RuleKind {
        match self {
            Self::NoWords(_) | Self::NoNames(_) | Self::Hold(_) => RuleKind::Words,
            Self::No(_) => RuleKind::Form,
            Self::AtMost(..) => RuleKind::Length,
            Self::Language { .. } => RuleKind::Language,
            Self::Begin { .. } | Self::End { .. } | Self::EndAsking => RuleKind::Frame,
        }
    }
}

impl Reading {
    /// What a rule that was understood demands, where it is one thing.
    fn demand(self) -> Option<Demand> {
        let counts = self.most || self.under || self.over;
        let is_framed = self.begins || self.ends;
        if !self.quoted.is_empty() {
            let is_plain = !counts && self.forms.is_empty() && self.languages.is_empty() && self.names.is_empty();
            return if is_plain && self.number.is_none() { self.of_quotation() } else { None };
        }
        if !self.names.is_empty() {
            let is_plain = !counts && !is_framed && self.number.is_none() && self.units.is_empty();
            let is_ban = self.forbids && self.mentions && self.forms.is_empty() && self.languages.is_empty();
            return (is_plain && is_ban).then(|| Demand::NoNames(phrases(&self.names)));
        }
        let is_bare = !counts && !is_framed && !self.quotable && self.number.is_none();
        match (self.languages.as_slice(), self.forms.as_slice(), self.units.as_slice()) {
            ([], [], [unit]) if counts || self.article || self.number.is_some() => self.length(*unit, is_framed),
            ([], [Form::Questions], [unit]) if counts || self.number.is_some() => self.length(*unit, is_framed),
            ([language], [], []) if is_bare && !self.mentions => {
                Some(Demand::Language { language: *language, forbidden: self.forbids })
            }
            ([], [Form::Questions], _) if self.ends && !self.begins && !self.forbids => Some(Demand::EndAsking),
            // "Without emojis and with lists": which of several is meant, words do not tell.
            ([], [_, more @ ..], _) if is_bare && self.forbids && (more.is_empty() || !self.avoids) => {
                Some(Demand::No(self.forms))
            }
            _ => None,
        }
    }

    /// "Never use the word 'guarantee'", "Always end with 'Cheers'".
    fn of_quotation(self) -> Option<Demand> {
        let phrases = phrases(&self.quoted);
        match (self.begins, self.ends, self.forbids) {
            (false, false, true) => Some(Demand::NoWords(phrases)),
            (false, false, false) => <[Phrase; 1]>::try_from(phrases).ok().map(|[phrase]| Demand::Hold(phrase)),
            (true, false, forbidden) if forbidden || phrases.len() == 1 => Some(Demand::Begin { phrases, forbidden }),
            (false, true, forbidden) if forbidden || phrases.len() == 1 => Some(Demand::End { phrases, forbidden }),
            _ => None,
        }
    }

    /// "At most 50 words", "never more than 3 sentences". "Never less than 50 words" asks for more: no code's limit.
    fn length(&self, unit: Unit, is_framed: bool) -> Option<Demand> {
        let is_limit = match (self.most, self.over, self.under) {
            (true, false, false) => true,
            (false, true, false) => self.forbids,
            (false, false, _) => !self.forbids,
            _ => false,
        };
        let number = self.number.or(self.article.then_some(1));
        let number = number.filter(|number| *number > 0 && is_limit && !is_framed)?;
        Some(Demand::AtMost(unit, number))
    }
}

fn phrases(written: &[String]) -> Vec<Phrase> {
    written.iter().map(|phrase| Phrase::of(phrase)).filter(|phrase| !phrase.0.is_empty()).collect()
}

/// Whether one of these stands among some words.
pub(super) fn has_any(tokens: &[String], signs: &[Sign]) -> bool {
    signs.iter().any(|sign| !sign.is_empty() && tokens.windows(sign.len()).any(|window| window == *sign))
}
