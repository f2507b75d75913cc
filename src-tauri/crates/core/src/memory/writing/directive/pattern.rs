//! A phrasing as data, and whether it stands in a message.
//!
//! A pattern is a line of parts with spaces between:
//! - `word`, `one|other`: one of these words; `word*` begins with it; a trailing `?` may be left out
//! - `{group}`, also as one of several: one of the phrases of that group of the language
//! - a `_` stands for a space inside a word of the pattern; `&` before words: they follow, and are not part of it
//! - `..` up to three words, `…` up to eight, inside a clause; `~` any, inside a sentence
//! - `@` what the order is about; at the end, it reaches as far as the sentence. Without it, the order points at what stands before
//! - `^` a clause begins here (polite words and requests may stand before), `$` one ends here, `$$` the sentence does

use std::collections::BTreeMap;

use super::tokens::{Break, Token, words};

/// A phrasing.
#[derive(Debug)]
pub(super) struct Pattern {
    parts: Vec<Part>,
    /// Whether it counts only where a clause begins.
    pub is_anchored: bool,
}

#[derive(Debug)]
enum Part {
    Phrases {
        phrases: Vec<Vec<Word>>,
        optional: bool,
    },
    /// Up to so much weight, over breaks up to this one.
    Gap(usize, Break),
    Ahead(Vec<Vec<Word>>),
    Object,
    /// Where such a break follows, or a stronger one.
    End(Break),
}

#[derive(Debug, Clone)]
struct Word {
    text: String,
    is_beginning: bool,
}

/// Where a pattern stands: places of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub end: usize,
    /// What it is about, where the pattern says: up to the end of the sentence where it has no end of its own.
    pub object: Option<(usize, Option<usize>)>,
}

/// How much weight of words "…" and ".." and an object inside a pattern may have.
const LONG_GAP: usize = 24;
const SHORT_GAP: usize = 9;
const SENTENCE: usize = 90;

impl Pattern {
    /// Reads a pattern. `None` where it names an unknown group or has no words.
    pub(super) fn parse(line: &str, groups: &BTreeMap<String, Vec<String>>) -> Option<Self> {
        let mut parts = Vec::new();
        let mut is_anchored = false;
        for part in line.split_whitespace() {
            parts.push(match part {
                "^" => {
                    is_anchored = true;
                    continue;
                }
                "$" => Part::End(Break::Comma),
                "$$" => Part::End(Break::Sentence),
                "@" => Part::Object,
                "…" => Part::Gap(LONG_GAP, Break::None),
                ".." => Part::Gap(SHORT_GAP, Break::None),
                "~" => Part::Gap(SENTENCE, Break::Sign),
                phrases => phrases_of(phrases, groups)?,
            });
        }
        matches!(parts.first()?, Part::Phrases { .. }).then_some(Self { parts, is_anchored })
    }

    /// The first letters that it can begin with.
    pub(super) fn first_letters(&self) -> Vec<char> {
        let mut letters = Vec::new();
        for part in &self.parts {
            let Part::Phrases { phrases, optional } = part else { break };
            letters.extend(phrases.iter().filter_map(|phrase| phrase.first()?.text.chars().next()));
            if !optional {
                break;
            }
        }
        letters.sort_unstable();
        letters.dedup();
        letters
    }

    /// Whether it stands at a word, and how far it reaches.
    pub(super) fn at(&self, tokens: &[Token], start: usize) -> Option<Found> {
        run(&self.parts, tokens, Place { start, at: start, object: None, over: Break::Comma })
    }
}

fn phrases_of(part: &str, groups: &BTreeMap<String, Vec<String>>) -> Option<Part> {
    if let Some(part) = part.strip_prefix('&') {
        let Part::Phrases { phrases, .. } = phrases_of(part, groups)? else { return None };
        return Some(Part::Ahead(phrases));
    }
    let (part, optional) = part.strip_suffix('?').map_or((part, false), |part| (part, true));
    let mut phrases: Vec<Vec<Word>> = Vec::new();
    for one in part.split('|') {
        match one.strip_prefix('{').and_then(|one| one.strip_suffix('}')) {
            Some(name) => phrases.extend(groups.get(name)?.iter().map(|phrase| phrase_of(phrase))),
            None => phrases.push(phrase_of(&one.replace('_', " "))),
        }
    }
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    (!phrases.is_empty() && phrases.iter().all(|phrase| !phrase.is_empty()))
        .then_some(Part::Phrases { phrases, optional })
}

fn phrase_of(phrase: &str) -> Vec<Word> {
    phrase
        .split_whitespace()
        .flat_map(|word| {
            let is_beginning = word.ends_with('*');
            let mut parts: Vec<Word> = words(word).into_iter().map(|text| Word { text, is_beginning: false }).collect();
            if let Some(last) = parts.last_mut() {
                last.is_beginning = is_beginning;
            }
            parts
        })
        .collect()
}

#[derive(Clone, Copy)]
struct Place {
    start: usize,
    at: usize,
    object: Option<(usize, Option<usize>)>,
    /// What may stand before the next word.
    over: Break,
}

fn run(parts: &[Part], tokens: &[Token], place: Place) -> Option<Found> {
    let Some((part, rest)) = parts.split_first() else {
        return Some(Found { end: place.at, object: place.object });
    };
    match part {
        Part::Phrases { phrases, optional } => phrases
            .iter()
            .filter_map(|phrase| follow(phrase, tokens, place))
            .find_map(|at| run(rest, tokens, Place { at, over: Break::Comma, ..place }))
            .or_else(|| optional.then(|| run(rest, tokens, place)).flatten()),
        Part::Ahead(phrases) => phrases
            .iter()
            .any(|phrase| follow(phrase, tokens, place).is_some())
            .then(|| run(rest, tokens, place))
            .flatten(),
        Part::Gap(weight, over) => {
            reach(tokens, place, *weight, *over).find_map(|at| run(rest, tokens, Place { at, over: *over, ..place }))
        }
        Part::Object if rest.is_empty() => Some(Found { end: place.at, object: Some((place.at, None)) }),
        Part::Object => reach(tokens, place, LONG_GAP, Break::Comma)
            .skip(1)
            .find_map(|at| run(rest, tokens, Place { at, object: Some((place.at, Some(at))), ..place })),
        Part::End(least) => {
            tokens.get(place.at).is_none_or(|token| token.before >= *least).then(|| run(rest, tokens, place)).flatten()
        }
    }
}

/// The places that a gap may reach to, the nearest first.
fn reach<'a>(tokens: &'a [Token], place: Place, weight: usize, over: Break) -> impl Iterator<Item = usize> + 'a {
    let mut filled = 0;
    let more = tokens[place.at.min(tokens.len())..].iter().take_while(move |token| {
        filled += token.weight;
        filled <= weight && token.before <= over
    });
    (place.at..).take(1 + more.count())
}

/// Where a phrase ends that begins at a place: its words follow one another in one sentence, at most a comma between.
fn follow(phrase: &[Word], tokens: &[Token], place: Place) -> Option<usize> {
    let found = tokens.get(place.at..place.at + phrase.len())?;
    let stands = phrase.iter().zip(found).enumerate().all(|(nth, (word, token))| {
        let is_first = place.at + nth == place.start;
        let same = token.word == word.text || word.is_beginning && token.word.starts_with(&word.text);
        let over = if nth == 0 { place.over } else { Break::Comma };
        same && !token.is_quoted && (is_first || token.before <= over)
    });
    stands.then_some(place.at + phrase.len())
}
