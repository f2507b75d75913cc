//! The orders of each language. All are looked for at once: a message may hold an order in another language than its own.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::OrderKind;
use super::pattern::{Found, Pattern};
use super::tokens::{Break, Token, words};
use crate::text::lexicon::{self, DirectiveWords};

/// What is known of the orders of a language.
pub(super) struct Book {
    patterns: Vec<(OrderKind, Pattern)>,
    by_first_letter: HashMap<char, Vec<usize>>,
    pub polite: Phrases,
    pub asked: Phrases,
    pub leads: Phrases,
    pub trails: Phrases,
    pub breaks: Phrases,
    pub mine: Phrases,
    pub says: Phrases,
    pub not_meant: Phrases,
    pub not_a_fact: Phrases,
    pub not_a_name: Phrases,
    pub changed: Phrases,
    pub works: Phrases,
    pub singular: Phrases,
    pub part: Phrases,
}

/// The books of all languages, read once.
pub(super) static BOOKS: LazyLock<Vec<Book>> =
    LazyLock::new(|| lexicon::all().map(|lexicon| Book::read(&lexicon.directives)).collect());

/// Phrases, by their first word.
#[derive(Debug, Default)]
pub(super) struct Phrases(HashMap<String, Vec<Vec<String>>>);

impl Phrases {
    fn of(list: &[String]) -> Self {
        let mut phrases: HashMap<String, Vec<Vec<String>>> = HashMap::new();
        for phrase in list {
            let phrase = words(phrase);
            if let Some(first) = phrase.first() {
                phrases.entry(first.clone()).or_default().push(phrase);
            }
        }
        Self(phrases)
    }

    /// Where the longest phrase ends that begins at a word.
    pub(super) fn starting(&self, tokens: &[Token], at: usize) -> Option<usize> {
        let phrases = self.0.get(&tokens.get(at)?.word)?;
        phrases.iter().filter(|phrase| stands(phrase, tokens, at)).map(|phrase| at + phrase.len()).max()
    }

    /// Where the longest phrase begins that ends before a word.
    pub(super) fn ending(&self, tokens: &[Token], end: usize) -> Option<usize> {
        const LONGEST: usize = 12;
        (end.saturating_sub(LONGEST)..end).find(|at| {
            let phrases = tokens.get(*at).and_then(|token| self.0.get(&token.word));
            phrases.is_some_and(|phrases| {
                phrases.iter().any(|phrase| at + phrase.len() == end && stands(phrase, tokens, *at))
            })
        })
    }

    /// Whether one of the phrases stands among the words.
    pub(super) fn any_in(&self, tokens: &[Token], mut places: std::ops::Range<usize>) -> bool {
        places.any(|at| self.starting(tokens, at).is_some())
    }

    /// Whether the words are one of the phrases.
    pub(super) fn are(&self, tokens: &[Token], places: &std::ops::Range<usize>) -> bool {
        self.starting(tokens, places.start) == Some(places.end)
    }
}

fn stands(phrase: &[String], tokens: &[Token], at: usize) -> bool {
    tokens.get(at..at + phrase.len()).is_some_and(|found| {
        found.iter().zip(phrase).all(|(token, word)| token.word == *word)
            && found.iter().skip(1).all(|token| token.before < Break::Sentence)
    })
}

impl Book {
    fn read(words: &DirectiveWords) -> Self {
        let mut patterns = Vec::new();
        for (kind, lines) in lines(words) {
            patterns.extend(lines.iter().filter_map(|line| Some((kind, Pattern::parse(line, &words.groups)?))));
        }
        let mut by_first_letter: HashMap<char, Vec<usize>> = HashMap::new();
        for (nth, (_, pattern)) in patterns.iter().enumerate() {
            for letter in pattern.first_letters() {
                by_first_letter.entry(letter).or_default().push(nth);
            }
        }
        Self {
            patterns,
            by_first_letter,
            polite: Phrases::of(&words.polite),
            asked: Phrases::of(&words.asked),
            leads: Phrases::of(&words.leads),
            trails: Phrases::of(&words.trails),
            breaks: Phrases::of(&words.breaks),
            mine: Phrases::of(&words.mine),
            says: Phrases::of(&words.says),
            not_meant: Phrases::of(&words.not_meant),
            not_a_fact: Phrases::of(&words.not_a_fact),
            not_a_name: Phrases::of(&words.not_a_name),
            changed: Phrases::of(&words.changed),
            works: Phrases::of(&words.works),
            singular: Phrases::of(&words.singular),
            part: Phrases::of(&words.part),
        }
    }

    /// The patterns that stand at a word.
    pub(super) fn found(&self, tokens: &[Token], at: usize) -> impl Iterator<Item = (OrderKind, &Pattern, Found)> {
        let letter = tokens[at].word.chars().next().unwrap_or_default();
        let candidates = self.by_first_letter.get(&letter).map_or(&[][..], Vec::as_slice);
        candidates.iter().filter_map(move |nth| {
            let (kind, pattern) = &self.patterns[*nth];
            Some((*kind, pattern, pattern.at(tokens, at)?))
        })
    }
}

fn lines(words: &DirectiveWords) -> [(OrderKind, &Vec<String>); 7] {
    [
        (OrderKind::Remember, &words.remember),
        (OrderKind::Forget, &words.forget),
        (OrderKind::DontStore, &words.dont_store),
        (OrderKind::Seal, &words.seal),
        (OrderKind::MaybeSeal, &words.maybe_seal),
        (OrderKind::CallMe, &words.call_me),
        (OrderKind::Instruction, &words.instruction),
    ]
}

/// The lines of every language that cannot be read.
#[cfg(test)]
pub(super) fn unreadable() -> Vec<String> {
    let all = lexicon::all().flat_map(|lexicon| {
        let words = &lexicon.directives;
        lines(words).into_iter().flat_map(|(_, lines)| lines).map(move |line| (line, words))
    });
    all.filter(|(line, words)| Pattern::parse(line, &words.groups).is_none()).map(|(line, _)| line.clone()).collect()
}
