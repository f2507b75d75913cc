//! The clauses of a sentence that name a fact, as words.

use super::About;
use super::words::JOINTS;
use crate::text;

/// A clause, and where in it the fact is named.
pub(super) struct Clause {
    /// Its words, folded.
    pub words: Vec<String>,
    /// The first word that names the fact.
    pub at: usize,
    /// The first word after those.
    pub after: usize,
    pub folded: String,
    /// Whether it is of a script without spaces.
    pub is_unspaced: bool,
    /// As it was written.
    pub written: String,
}

impl Clause {
    /// The words before the fact is named.
    pub fn before(&self) -> &[String] {
        &self.words[..self.at]
    }

    /// Whether it says nothing besides the fact and how it is: "Acme is history".
    pub fn says_only(&self, about: &About<'_>) -> bool {
        self.words.iter().enumerate().filter(|(at, _)| !(self.at..self.after).contains(at)).all(|(_, word)| {
            about.is_own(word)
                || matches!(word.as_str(), "over" | "history" | "gone" | "more" | "any" | "longer" | "anymore" | "mehr")
        })
    }
}

/// The clauses of a sentence that name it.
pub(super) fn clauses_about(sentence: &str, about: &About<'_>) -> Vec<Clause> {
    let mut parts: Vec<&str> = sentence.split([';', ',', '，', '；', '、', '–', '—']).collect();
    for joint in JOINTS {
        parts = parts.into_iter().flat_map(|part| part.split(*joint)).collect();
    }
    parts.into_iter().filter_map(|part| clause(part, about)).collect()
}

fn clause(part: &str, about: &About<'_>) -> Option<Clause> {
    let folded = text::fold(part);
    let words = text::words(part);
    let is_unspaced = about.phrase.chars().any(text::is_unspaced) || part.chars().any(text::is_unspaced);
    let names = |word: &String| {
        let stem = text::stem(&text::digits(word));
        about.named.iter().any(|named| *named == stem || super::shares_beginning(named, &stem))
    };
    let at = words.iter().position(names);
    let last = words.iter().rposition(names);
    let all = about.named.iter().all(|named| {
        words.iter().any(|word| {
            let stem = text::stem(&text::digits(word));
            *named == stem || super::shares_beginning(named, &stem)
        })
    });
    match (at, last) {
        (Some(at), Some(last)) if all => {
            Some(Clause { words, at, after: last + 1, folded, is_unspaced, written: part.trim().to_owned() })
        }
        _ if is_unspaced && folded.contains(about.phrase.trim()) => {
            let at = words.len();
            Some(Clause { at, after: at, words, folded, is_unspaced, written: part.trim().to_owned() })
        }
        _ => None,
    }
}

/// Where a sign stands among words.
pub(super) fn places<'a>(words: &'a [String], sign: &'a [String]) -> impl Iterator<Item = usize> + 'a {
    words.windows(sign.len().max(1)).enumerate().filter(move |(_, window)| *window == sign).map(|(at, _)| at)
}

/// Whether a sign stands among words.
pub(super) fn has(words: &[String], sign: &[String]) -> bool {
    !sign.is_empty() && places(words, sign).next().is_some()
}

/// Whether one of these signs stands among words.
pub(super) fn has_any(words: &[String], signs: &[Vec<String>]) -> bool {
    signs.iter().any(|sign| has(words, sign))
}
