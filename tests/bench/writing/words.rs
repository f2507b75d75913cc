//! The words that the scorer knows, from `words.json`: for the person, for whose something is, for not, no longer, and tastes.
//!
//! They matter only where a stored fact carries no field that says it.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::text::{fold, matches, pattern};

/// The words of the file, compiled.
pub static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let file: WordsFile = serde_json::from_str(include_str!("words.json")).expect("words.json is a table of words");
    Words::compile(file)
});

/// A kind of words.
#[derive(Clone, Copy)]
pub enum Kind {
    /// "not", "without".
    Not,
    /// "no longer", "used to".
    Over,
    /// "left", "was": over, where something says so already.
    OverMaybe,
    /// "hates".
    Loathe,
    /// "likes".
    Like,
}

/// All words.
pub struct Words {
    /// What the person is called as a subject, folded.
    pub user: HashSet<String>,
    /// "the user's " at the beginning of a subject.
    pub possessive: Regex,
    /// "the " at the beginning of a subject, in several languages.
    pub article: Regex,
    /// "of" at the end of what stands before a name.
    pub of: Regex,
    /// "'s" at the beginning of what stands behind a name.
    pub genitive: Regex,
    not: Table,
    over: Table,
    over_maybe: Table,
    loathe: Table,
    like: Table,
    /// "no" is "in the" in Portuguese, so English denials are read there without it.
    not_beside_portuguese: Regex,
}

/// A pattern for each language.
type Table = HashMap<String, Regex>;

#[derive(Deserialize)]
struct WordsFile {
    user: Vec<String>,
    possessive: String,
    article: String,
    of: String,
    genitive: String,
    not: HashMap<String, String>,
    over: HashMap<String, String>,
    over_maybe: HashMap<String, String>,
    loathe: HashMap<String, String>,
    like: HashMap<String, String>,
}

impl Words {
    fn compile(file: WordsFile) -> Self {
        let table = |words: &HashMap<String, String>| -> Table {
            words.iter().map(|(language, words)| (language.clone(), pattern(words))).collect()
        };
        Self {
            user: file.user.iter().map(|word| fold(word)).collect(),
            possessive: pattern(&file.possessive),
            article: pattern(&file.article),
            of: pattern(&file.of),
            genitive: pattern(&file.genitive),
            not: table(&file.not),
            over: table(&file.over),
            over_maybe: table(&file.over_maybe),
            loathe: table(&file.loathe),
            like: table(&file.like),
            not_beside_portuguese: pattern(&file.not["en"].replace(r"|\bno\b", "")),
        }
    }

    /// Whether a folded text has such a word, of English or of the message's language.
    pub fn says(&self, kind: Kind, text: &str, language: &str) -> bool {
        let table = match kind {
            Kind::Not => &self.not,
            Kind::Over => &self.over,
            Kind::OverMaybe => &self.over_maybe,
            Kind::Loathe => &self.loathe,
            Kind::Like => &self.like,
        };
        let english = match (kind, language) {
            (Kind::Not, "pt") => &self.not_beside_portuguese,
            _ => &table["en"],
        };
        let own = table.get(language).filter(|_| language != "en");
        matches(english, text) || own.is_some_and(|own| matches(own, text))
    }
}
