//! A rule's words, of which one kind after the other is taken away.

use std::sync::LazyLock;

use super::super::stance;
use super::words::{ALWAYS, FORBIDDING_UNSPACED, NEVER};
use crate::text;

/// Signs that are taken out of a rule: each as its folded words, the longest first.
pub(super) type Taken = LazyLock<Vec<Vec<String>>>;

/// Signs ready to be taken.
pub(super) fn taken(signs: &[&str]) -> Vec<Vec<String>> {
    let mut taken: Vec<Vec<String>> = signs.iter().map(|sign| text::words(sign)).collect();
    taken.sort_by_key(|sign| std::cmp::Reverse(sign.len()));
    taken
}

/// What is left of a rule while it is read.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// Whether it forbids what it names.
    pub forbids: bool,
    /// What is still to be understood.
    pub words: Vec<String>,
    /// All words, with "never" and "always".
    pub whole: Vec<String>,
    /// What stands in quotation marks.
    pub quoted: Vec<String>,
    /// As a whole, without the quotations, folded.
    pub folded: String,
}

impl Reading {
    /// `None` for a rule without words.
    pub fn of(rule: &str, is_never: bool) -> Option<Self> {
        let (bare, quoted) = quotations(rule);
        let folded = text::fold(&bare);
        let whole = text::split(&folded);
        let mut reading = Self { forbids: is_never, words: whole.clone(), whole, quoted, folded };
        let denies = reading.take_polarity()
            || reading.is_unspaced() && FORBIDDING_UNSPACED.iter().any(|sign| reading.folded.contains(sign));
        reading.forbids |= denies;
        (!reading.words.is_empty() || !reading.quoted.is_empty()).then_some(reading)
    }

    /// Takes "never" and "always" away, and tells whether there was a "never".
    pub fn take_polarity(&mut self) -> bool {
        self.take(&ALWAYS);
        self.take(&NEVER)
    }

    /// Takes these away wherever they stand, and tells whether there was one.
    pub fn take(&mut self, signs: &[Vec<String>]) -> bool {
        let mut found = false;
        for sign in signs {
            while let Some((from, to)) = stance::place(&self.words, sign) {
                self.words.drain(from..to);
                found = true;
            }
        }
        found
    }

    /// The same for single words.
    pub fn take_one_of(&mut self, names: &[&str]) -> bool {
        let before = self.words.len();
        self.words.retain(|word| !names.contains(&word.as_str()));
        self.words.len() < before
    }

    /// Takes the only number away.
    pub fn take_number(&mut self) -> Option<usize> {
        let number = |word: &String| match word.as_str() {
            "einem" | "einen" | "eine" | "une" | "una" | "um" | "uma" | "een" => Some(1),
            _ => text::digits(word).parse::<usize>().ok(),
        };
        let mut numbers = self.words.iter().enumerate().filter_map(|(at, word)| Some((at, number(word)?)));
        let (at, value) = numbers.next()?;
        let is_only = numbers.next().is_none();
        self.words.remove(at);
        (is_only && value > 0).then_some(value)
    }

    /// Whether it names several things: which of them are meant together, words do not tell.
    pub fn is_list(&self) -> bool {
        const AND: &[&str] = &["and", "or", "und", "oder", "et", "ou", "y", "o", "e", "en", "и", "или", "ve", "veya"];
        self.folded.contains([',', ';', '/']) || self.whole.iter().any(|word| AND.contains(&word.as_str()))
    }

    /// Whether it is written in a script without spaces.
    pub fn is_unspaced(&self) -> bool {
        self.folded.chars().any(text::is_unspaced)
    }
}

/// A rule without what stands in quotation marks, and what stands there.
fn quotations(rule: &str) -> (String, Vec<String>) {
    const MARKS: &[(char, char)] =
        &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('\'', '\''), ('‘', '’'), ('`', '`')];
    let (mut bare, mut quoted) = (String::new(), Vec::new());
    let mut rest = rule;
    while let Some(first) = rest.chars().next() {
        let opens_word = !bare.ends_with(char::is_alphanumeric);
        let inner = MARKS.iter().filter(|(open, _)| *open == first && opens_word).find_map(|(open, close)| {
            let inner = &rest[open.len_utf8()..];
            let end = inner.find(*close).filter(|end| *end > 0)?;
            Some((&inner[..end], &inner[end + close.len_utf8()..]))
        });
        match inner {
            Some((inner, behind)) => {
                quoted.push(inner.trim().trim_end_matches(['.', ',']).to_owned());
                bare.push(' ');
                rest = behind;
            }
            None => {
                bare.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    quoted.retain(|phrase| phrase.chars().any(char::is_alphanumeric));
    (bare, quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_with_its_quotations_apart() {
        let (bare, quoted) = quotations("Never say 'I promise' or “sure”, don't");
        assert_eq!(
            (bare.as_str(), quoted),
            ("Never say   or  , don't", vec!["I promise".to_owned(), "sure".to_owned()])
        );
    }

    #[test]
    fn a_rule_of_always_can_forbid() {
        let forbids = |rule: &str| Reading::of(rule, false).unwrap().forbids;
        assert!(forbids("Never use emojis") && forbids("Do not use emojis") && forbids("Verwende keine Emojis"));
        assert!(!forbids("Always answer in German"));
    }
}
