//! How a sentence is meant, by its words alone: for models that propose bare facts and say nothing of what they read. It only ever
//! makes a proposal smaller; what it cannot tell it leaves as it was proposed.

use std::collections::HashSet;

use super::annotation::Stance;
use crate::memory::relation::Polarity;
use crate::text;
use crate::text::lexicon::{self, Lexicon};

/// What the words of a sentence say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    /// How it is meant.
    pub stance: Stance,
    /// Whether it says that something is so.
    pub polarity: Polarity,
    /// It tells of a change: "now", "again".
    pub tells_change: bool,
    /// It comes beside what is known: "also".
    pub adds: bool,
    /// It tells of a feeling for something, or against it.
    pub feels: Option<&'static str>,
    /// It speaks of somebody who was named before, and not of the person.
    pub is_about_another: bool,
}

/// Reads one sentence of a message in the languages that the message may be in.
pub(super) fn read(sentence: &str, message: &str) -> Reading {
    let lexicons: Vec<&Lexicon> = lexicon::of_text(message).collect();
    let said = Said::of(sentence);
    let any = |list: fn(&Lexicon) -> &Vec<String>| lexicons.iter().any(|lexicon| said.holds(list(lexicon)));
    let asks = sentence.trim_end().ends_with(['?', '？', '؟'])
        || lexicons.iter().any(|lexicon| said.begins(&lexicon.stance.asking) || said.ends(&lexicon.stance.asking));
    let requests =
        lexicons.iter().any(|lexicon| said.begins(&lexicon.stance.request) || said.ends(&lexicon.stance.request));
    let stance = match () {
        () if asks || requests => Stance::Asks,
        () if any(|lexicon| &lexicon.stance.supposed) => Stance::Supposes,
        () => Stance::States,
    };
    let polarity = match () {
        () if any(|lexicon| &lexicon.stance.ended) => Polarity::Ended,
        () if any(|lexicon| &lexicon.stance.negation) => Polarity::Denied,
        () => Polarity::Holds,
    };
    let feels = match () {
        () if any(|lexicon| &lexicon.stance.dislike) => Some("dislikes"),
        () if any(|lexicon| &lexicon.stance.like) => Some("likes"),
        () => None,
    };
    Reading {
        stance,
        polarity,
        tells_change: any(|lexicon| &lexicon.stance.change),
        adds: any(|lexicon| &lexicon.stance.addition),
        feels,
        is_about_another: any(|lexicon| &lexicon.stance.third_person) && !any(|lexicon| &lexicon.stance.first_person),
    }
}

/// A sentence, ready to be looked at for words.
struct Said {
    folded: String,
    words: HashSet<String>,
    first: String,
}

impl Said {
    fn of(sentence: &str) -> Self {
        let folded = text::fold(sentence);
        let words: Vec<String> = folded
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .map(|word| word.trim_matches('\'').to_owned())
            .filter(|word| !word.is_empty())
            .collect();
        let joined = format!(" {} ", words.join(" "));
        Self { folded, words: words.into_iter().collect(), first: joined }
    }

    fn holds(&self, list: &[String]) -> bool {
        list.iter().any(|sign| match sign.chars().any(text::is_unspaced) {
            true => self.folded.contains(sign.as_str()),
            false if sign.contains(' ') => self.first.contains(&format!(" {sign} ")),
            false => self.words.contains(sign),
        })
    }

    fn begins(&self, list: &[String]) -> bool {
        list.iter().any(|sign| match sign.chars().any(text::is_unspaced) {
            true => self.folded.trim_start().starts_with(sign.as_str()),
            false => self.first.starts_with(&format!(" {sign} ")),
        })
    }

    /// Where the verb stands last, so does what tells a question or a request.
    fn ends(&self, list: &[String]) -> bool {
        let end = self.folded.trim_end_matches(|c: char| !c.is_alphanumeric());
        list.iter().any(|sign| sign.chars().any(text::is_unspaced) && end.ends_with(sign.as_str()))
    }
}
