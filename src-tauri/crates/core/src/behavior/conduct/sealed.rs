//! Whether an answer tells of a sealed topic of the person's that the person did not raise.
//!
//! What a topic is, memory says; there, uncertain means sealed. Here uncertain means silent: only a plain statement
//! about the person counts ("your diabetes", "you are pregnant"), never advice that anybody could get ("ask your doctor").

use std::sync::LazyLock;

use super::Asked;
use super::human::signs;
use super::rule::{Sign, has_any};
use super::sentence::Sentence;
use crate::memory::writing::topic;
use crate::text;

/// How far behind "your" a word of the topic stands at most, in words; in characters where words have no spaces.
const NEAR: usize = 3;
const NEAR_UNSPACED: usize = 8;

/// "your", "you are".
static YOURS: LazyLock<Vec<Sign>> =
    LazyLock::new(|| [signs(|rules| &rules.yours), signs(|rules| &rules.you_are)].concat());
static SUPPOSED: LazyLock<Vec<Sign>> = LazyLock::new(|| signs(|rules| &rules.supposed));

/// The sealed topics that an answer may not touch.
#[derive(Clone)]
pub(super) struct Sealed {
    /// Those that memory has words for: "my health".
    known: Vec<String>,
    /// Those of the person's own: "my ex Tom".
    own: Vec<String>,
}

impl Sealed {
    /// Without those that the person raised in this message.
    pub fn new(sealed: &[String], asked: &Asked<'_>) -> Self {
        let is_raised = |topic: &&String| topic::touches(asked.question, std::slice::from_ref(*topic));
        let (known, own) =
            sealed.iter().filter(|topic| !is_raised(topic)).cloned().partition(|topic| topic::is_known(topic));
        Self { known, own }
    }

    /// Whether a sentence says something of one of them about the person.
    pub fn are_in(&self, sentence: &Sentence) -> bool {
        let nothing = self.known.is_empty() && self.own.is_empty();
        if nothing || sentence.is_foreign || has_any(&sentence.tokens, &SUPPOSED) {
            return false;
        }
        self.own.iter().any(|topic| is_own_told(topic, sentence)) || self.is_told(&sentence.tokens)
    }

    /// Whether a word of a known topic stands close behind "your".
    fn is_told(&self, tokens: &[String]) -> bool {
        let behind = |at: usize| {
            let sign = YOURS.iter().filter(|sign| tokens[at..].starts_with(sign)).max_by_key(|sign| sign.len())?;
            let rest = &tokens[at + sign.len()..];
            Some(match rest.first()?.chars().any(text::is_unspaced) {
                true => rest[..rest.len().min(NEAR_UNSPACED)].concat(),
                false => rest[..rest.len().min(NEAR)].join(" "),
            })
        };
        !self.known.is_empty() && (0..tokens.len()).filter_map(behind).any(|said| topic::tells(&said, &self.known))
    }
}

/// A topic of the person's own is told where all its words are, beside the person or with a name in it.
fn is_own_told(topic: &String, sentence: &Sentence) -> bool {
    let has_name = topic.split_whitespace().skip(1).any(|word| word.starts_with(char::is_uppercase));
    (has_name || has_any(&sentence.tokens, &YOURS)) && topic::touches(&sentence.own, std::slice::from_ref(topic))
}
