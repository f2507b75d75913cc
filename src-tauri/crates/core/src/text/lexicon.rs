//! What Atlas knows of the words of a language: one data file a language, of one shape, loaded when a text is in it.
//!
//! A language without an entry works all the same: the model's annotation tells what no word list does.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::language::{self, Language};

/// One language's words. Every list may be empty.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Lexicon {
    /// What a sentence does: states, asks, wishes, denies.
    pub stance: StanceWords,
    /// What rules of conduct are written in, and what an answer is held to.
    pub rules: RuleWords,
    /// What can be sealed, by the topic's English name: "health".
    pub topics: BTreeMap<String, TopicWords>,
}

/// The words of one topic. Whole words and phrases; "diabet*" stands for all words that begin so, "*itis" for all that end so.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TopicWords {
    /// What people call it.
    pub names: Vec<String>,
    /// They give it away, and tell something of whom they are said of.
    pub words: Vec<String>,
    /// They give it away, and stand in any advice too: "doctor".
    pub everyday: Vec<String>,
}

/// Words by which a sentence tells what it does. Folded; several words are a phrase.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StanceWords {
    /// "I", "my": somebody speaks of themself.
    pub first_person: Vec<String>,
    /// "he", "her": somebody else who was named before.
    pub third_person: Vec<String>,
    /// "not", "never".
    pub negation: Vec<String>,
    /// "no longer", "used to".
    pub ended: Vec<String>,
    /// "if", "maybe", "wish".
    pub supposed: Vec<String>,
    /// "whether", "what": somebody asks, also without a question mark.
    pub asking: Vec<String>,
    /// "give me", "explain": what somebody wants done; at the beginning of a sentence, or at its end where the verb stands there.
    pub request: Vec<String>,
    /// "love", "prefer".
    pub like: Vec<String>,
    /// "hate", "avoid".
    pub dislike: Vec<String>,
}

/// Words by which a rule of conduct names what code can check, and by which an answer breaks one.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleWords {
    /// "never", "do not".
    pub never: Vec<String>,
    /// "avoid", "without": behind "never" they say the opposite.
    pub avoid: Vec<String>,
    /// "always", "must".
    pub always: Vec<String>,
    /// "use", "in your answers": they change nothing of what a rule means.
    pub filler: Vec<String>,
    /// "mention", "say": a name may follow.
    pub mention: Vec<String>,
    /// "the word", "phrase": a quotation may follow.
    pub quotable: Vec<String>,
    /// "begin with".
    pub begin: Vec<String>,
    /// "end with".
    pub end: Vec<String>,
    /// "at most", "no more than".
    pub at_most: Vec<String>,
    /// "less than".
    pub under: Vec<String>,
    /// "more than".
    pub over: Vec<String>,
    /// Numbers as words.
    pub numbers: BTreeMap<usize, Vec<String>>,
    /// What is counted: "words", "sentences".
    pub units: BTreeMap<String, Vec<String>>,
    /// What an answer may look like: "lists", "emojis".
    pub forms: BTreeMap<String, Vec<String>>,
    /// The names of languages, by code.
    pub languages: BTreeMap<String, Vec<String>>,
    /// "your".
    pub yours: Vec<String>,
    /// "you are", "you have".
    pub you_are: Vec<String>,
    /// "if": what follows is not told of anybody.
    pub supposed: Vec<String>,
    /// What somebody asks about who asks whether they talk to a human: "human", "bot".
    pub beings: Vec<String>,
    /// Whole clauses by which a speaker says that they are a human.
    pub human: Vec<String>,
    /// "key", "token".
    pub keys: Vec<String>,
}

/// The languages' files, by code: the known ones, and some of which only the words of topics are known.
macro_rules! lexicons {
    ($($code:literal),*) => {
        [$(($code, include_str!(concat!("lexicons/", $code, ".json")))),*]
    };
}

static LEXICONS: LazyLock<Vec<(&'static str, Lexicon)>> = LazyLock::new(|| {
    let files = lexicons!(
        "en", "de", "es", "fr", "pt", "it", "nl", "pl", "tr", "ru", "uk", "ar", "hi", "ja", "zh", "ko", "th", "vi",
        "he"
    );
    files
        .into_iter()
        .map(|(code, json)| (code, serde_json::from_str(json).expect("a test reads every lexicon")))
        .collect()
});

/// What is known of a language's words.
pub fn of(language: Language) -> &'static Lexicon {
    LEXICONS
        .iter()
        .find(|(code, _)| *code == language.code())
        .map(|(_, lexicon)| lexicon)
        .expect("every known language has a file")
}

/// All that there are.
pub fn all() -> impl Iterator<Item = &'static Lexicon> {
    LEXICONS.iter().map(|(_, lexicon)| lexicon)
}

/// The lexicons of the languages that a text may be in, the likeliest first.
pub fn of_text(text: &str) -> impl Iterator<Item = &'static Lexicon> {
    language::likely(text).into_iter().map(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_lexicon_that_can_be_read() {
        assert_eq!(Language::all().map(of).count(), language::KNOWN.len());
    }
}
