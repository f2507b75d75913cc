//! The relations that Atlas knows, as data: their synonyms, how many values each holds, what they are about, and the words around
//! them. `relations.json` is the one place that says so.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::text;

/// How many values a relation holds at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// One: a new value takes the place of the old one.
    One,
    /// Mostly one: a message that tells of a change replaces it, but nothing less.
    MostlyOne,
    /// Any number.
    Many,
}

/// A relation with the words that mean the same.
#[derive(Debug, Deserialize)]
pub(in crate::memory) struct Relation {
    pub key: String,
    pub holds: Holds,
    /// What it is about: "health".
    #[serde(default)]
    pub topic: Option<String>,
    /// Written as [`super::relation_words`] leaves them.
    pub words: Vec<String>,
}

/// The data file. Lists hold folded words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::memory) struct Known {
    pub relations: Vec<Relation>,
    /// A relation of several words that ends in one of these holds one value: "shoe size".
    pub one_value_endings: Vec<String>,
    /// The same of its beginning: "favourite colour".
    pub one_value_beginnings: Vec<String>,
    /// Relations that say that somebody likes the value.
    pub likes: Vec<String>,
    /// The contrary.
    pub dislikes: Vec<String>,
    /// How people eat: what they "are" or "eat" then is their diet.
    pub diets: Vec<String>,
    /// Who can be somebody's: of them things are said, and they have names.
    pub beings: Vec<String>,
    /// Words that do not change which relation it is.
    pub fillers: Vec<String>,
    /// Names for the person.
    pub user: Vec<String>,
    /// Words at the beginning of a value that belong to the relation: "as" in (works, as a nurse).
    pub leading: Vec<String>,
    /// "opinion of": the thing stands in the relation, the feeling in the value.
    pub opinions: Vec<String>,
    /// Forms of "to be".
    pub be: Vec<String>,
    /// Verbs that end a state by themselves, by the relation that they end: who left a firm no longer works there.
    pub ends: HashMap<String, Vec<String>>,
    /// The same beginnings before the plain form of a verb: "used to".
    pub base_ended: Vec<String>,
    /// "doesn't".
    pub base_denied: Vec<String>,
    /// Beginnings that say that the rest is over: "no longer".
    pub ended: Vec<String>,
    /// Beginnings that say that the rest is not so: "never".
    pub denied: Vec<String>,
    /// Words before a thing that do not change which thing it is.
    pub articles: Vec<String>,
    /// What stands behind the number of an age.
    pub ages: Vec<String>,
    pub job_beginnings: Vec<String>,
    pub job_endings: Vec<String>,
    /// Names under which a model speaks of itself.
    pub assistant: Vec<String>,
    /// Relations that tell what happened in the conversation, not what is so.
    pub talk: Vec<String>,
}

static KNOWN: LazyLock<Known> =
    LazyLock::new(|| serde_json::from_str(include_str!("relations.json")).expect("a test reads the relations"));

/// All words of the known relations, with their place among them; and the same as stems, so that "working at" is "works at".
static BY_WORDS: LazyLock<[HashMap<String, usize>; 2]> = LazyLock::new(|| {
    let mut maps = [HashMap::new(), HashMap::new()];
    for (at, relation) in KNOWN.relations.iter().enumerate() {
        for words in std::iter::once(&relation.key).chain(&relation.words) {
            maps[0].entry(words.clone()).or_insert(at);
            maps[1].entry(stems(words)).or_insert(at);
        }
    }
    maps
});

/// The data.
pub(in crate::memory) fn known() -> &'static Known {
    &KNOWN
}

/// The relation that these words mean.
pub(in crate::memory) fn by_words(words: &str) -> Option<&'static Relation> {
    let [plain, stemmed] = &*BY_WORDS;
    plain.get(words).or_else(|| stemmed.get(&stems(words))).map(|at| &KNOWN.relations[*at])
}

fn stems(words: &str) -> String {
    words.split(' ').map(text::stem).collect::<Vec<_>>().join(" ")
}

/// Whether a list of the data holds a word.
pub(in crate::memory) fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|known| known == word)
}

/// The rest behind a beginning of the list, the longest first.
pub(in crate::memory) fn after<'a>(list: &[String], words: &'a str) -> Option<&'a str> {
    list.iter().filter_map(|start| words.strip_prefix(start.as_str())).min_by_key(|rest| rest.len())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::memory::relation::relation_words;

    #[test]
    fn every_word_of_a_relation_is_written_as_it_is_looked_up_and_stands_once() {
        let mut seen = HashSet::new();
        for relation in &known().relations {
            for words in &relation.words {
                assert!(seen.insert(words.clone()), "{words} stands twice");
                assert_eq!(relation_words(words), *words, "under {}", relation.key);
            }
        }
    }
}
