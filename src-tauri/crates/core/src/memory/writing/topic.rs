//! Topics that a person can seal: what they are called, and the words that give them away, in the languages of the lexicons.
//!
//! Invariant: uncertain means sealed. A word too many costs a memory; a word too few breaks a promise. But words are whole
//! words or their beginnings, never a piece of another one: pillows are no pills.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use crate::text;
use crate::text::lexicon;

/// What is known of a topic, from all languages: a text may be in any.
#[derive(Default)]
struct Topic {
    names: Signs,
    words: Signs,
    everyday: Signs,
}

/// Words and phrases, ready to be looked for.
#[derive(Default)]
struct Signs {
    single: HashSet<String>,
    /// Phrases, and words of which only a part is given.
    open: Vec<Vec<Part>>,
    /// Of scripts without spaces.
    unspaced: Vec<String>,
}

/// A word of a sign: "diabet*" stands for all that begin so, "*itis" for all that end so.
struct Part {
    word: String,
    begins: bool,
    ends: bool,
}

/// By their names in the data files.
static TOPICS: LazyLock<BTreeMap<&'static str, Topic>> = LazyLock::new(|| {
    let mut topics: BTreeMap<&str, Topic> = BTreeMap::new();
    for (name, words) in lexicon::all().flat_map(|lexicon| &lexicon.topics) {
        let topic = topics.entry(name.as_str()).or_default();
        words.names.iter().for_each(|sign| topic.names.add(sign));
        words.words.iter().for_each(|sign| topic.words.add(sign));
        words.everyday.iter().for_each(|sign| topic.everyday.add(sign));
    }
    topics
});

/// A text as it is compared.
struct Said {
    folded: String,
    words: Vec<String>,
}

impl Said {
    fn of(written: &str) -> Self {
        let folded = text::fold(written);
        Self { words: text::split(&folded), folded }
    }
}

/// Whether a text touches one of the sealed topics, as far as can be told. `sealed` are the person's own words for them:
/// "my health", "Gesundheit", "my ex Tom".
pub fn touches(said: &str, sealed: &[String]) -> bool {
    let said = Said::of(said);
    sealed.iter().any(|topic| touches_one(&said, topic))
}

/// Whether what is said of a person tells something of a known topic that not everybody could be told: "ask your doctor"
/// touches health and tells nothing.
pub fn tells(said: &str, sealed: &[String]) -> bool {
    let said = Said::of(said);
    sealed.iter().flat_map(|topic| named(topic)).any(|name| TOPICS[name].words.are_in(&said))
}

/// Whether a topic is one that Atlas knows words for; one of the person's own is known by its own words alone.
pub fn is_known(topic: &str) -> bool {
    !named(topic).is_empty()
}

/// Whether a label that a model gave ("health", "健康") means one of the sealed topics.
pub fn is_sealed_label(label: &str, sealed: &[String]) -> bool {
    let (means, said) = (named(label), Said::of(label));
    !said.words.is_empty()
        && sealed.iter().any(|topic| named(topic).iter().any(|name| means.contains(name)) || touches_one(&said, topic))
}

fn touches_one(said: &Said, topic: &str) -> bool {
    let named = named(topic);
    match named.is_empty() {
        true => holds_own_words(said, topic),
        false => named
            .iter()
            .map(|name| &TOPICS[name])
            .any(|topic| [&topic.names, &topic.words, &topic.everyday].iter().any(|signs| signs.are_in(said))),
    }
}

/// The known topics that a person's words for one name: "anything about my health" names health.
fn named(topic: &str) -> Vec<&'static str> {
    let said = Said::of(topic);
    TOPICS.iter().filter(|(_, known)| known.names.are_in(&said)).map(|(name, _)| *name).collect()
}

/// A topic of the person's own: all its words must be there ("my ex Tom").
fn holds_own_words(said: &Said, topic: &str) -> bool {
    let wanted: Vec<String> = text::content(topic);
    let stems: Vec<String> = said.words.iter().map(|word| text::stem(word)).collect();
    let is_there = |word: &String| {
        stems.contains(word) || word.chars().any(text::is_unspaced) && said.folded.contains(word.as_str())
    };
    !wanted.is_empty() && wanted.iter().all(is_there)
}

impl Signs {
    fn add(&mut self, written: &str) {
        let folded = text::fold(written);
        if folded.chars().any(text::is_unspaced) {
            self.unspaced.push(folded);
            return;
        }
        let mut parts: Vec<Part> = folded.split_whitespace().flat_map(Part::all).collect();
        match parts.as_slice() {
            [Part { begins: false, ends: false, .. }] => self.single.extend(parts.pop().map(|part| part.word)),
            _ => self.open.push(parts),
        }
    }

    fn are_in(&self, said: &Said) -> bool {
        let is_at = |words: &[String], sign: &[Part]| words.iter().zip(sign).all(|(word, part)| part.fits(word));
        said.words.iter().any(|word| self.single.contains(word))
            || self.open.iter().any(|sign| said.words.windows(sign.len()).any(|words| is_at(words, sign)))
            || self.unspaced.iter().any(|sign| said.folded.contains(sign.as_str()))
    }
}

impl Part {
    /// The words of a piece between spaces: an apostrophe ends one too.
    fn all(piece: &str) -> Vec<Self> {
        let part = |word| Self { word, begins: false, ends: false };
        let mut parts: Vec<Self> = text::split(piece).into_iter().map(part).collect();
        parts.last_mut().into_iter().for_each(|part| part.begins = piece.ends_with('*'));
        parts.first_mut().into_iter().for_each(|part| part.ends = piece.starts_with('*'));
        parts
    }

    fn fits(&self, word: &str) -> bool {
        match (self.begins, self.ends) {
            (true, _) => word.starts_with(&self.word),
            (false, true) => word.len() > self.word.len() + 2 && word.ends_with(&self.word),
            (false, false) => word == self.word,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong<'a>(topic: &str, said: &[&'a str], touched: bool) -> Vec<&'a str> {
        said.iter().copied().filter(|said| touches(said, &[topic.to_owned()]) != touched).collect()
    }

    #[test]
    fn a_sealed_topic_is_known_in_the_languages_people_use() {
        #[rustfmt::skip]
        let ill = [
            "has condition diabetes", "Ich habe Diabetes.", "我有糖尿病", "tengo una enfermedad", "She has arthritis", "je suis malade", "Я болею",
            "Jestem chora", "저는 고혈압이 있어요", "喘息があります", "I take two pills a day", "Ich nehme Tabletten",
        ];
        assert_eq!(wrong("my health", &ill, true), Vec::<&str>::new());
        #[rustfmt::skip]
        let well = [
            "I live in Kyiv", "My dog is called Biscuit", "我住在东京", "I speak French", "I bought two pillows", "My tablet is broken",
            "Mein Tablet ist neu", "She is a patient teacher", "We had a picnic in sympathy with nature",
        ];
        assert_eq!(wrong("my health", &well, false), Vec::<&str>::new());
        assert_eq!(
            wrong("religion", &["She makes jewellery", "I like jewels", "Prayag is a town"], false),
            Vec::<&str>::new()
        );
        assert_eq!(
            wrong("family", &["I like any kind of jazz", "Son chien dort", "He is so brave"], false),
            Vec::<&str>::new()
        );
        assert_eq!(
            wrong("finances", &["I paid for lunch", "We share a taxi", "an earnest wish"], false),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn a_topic_can_be_named_in_any_language_and_with_words_around_it() {
        for name in ["健康", "Gesundheit", "anything about my health", "Santé", "mental health"] {
            assert!(touches("I was diagnosed with diabetes", &[name.to_owned()]), "{name}");
        }
        let health = ["my health".to_owned()];
        assert!(is_sealed_label("健康", &health) && is_sealed_label("medical", &health));
        assert!(!is_sealed_label("travel", &health) && !is_sealed_label("", &health));
    }

    #[test]
    fn a_topic_of_ones_own_is_known_by_all_its_words() {
        assert_eq!(wrong("my ex Tom", &["Tom, my ex, called again"], true), Vec::<&str>::new());
        assert_eq!(wrong("my ex Tom", &["Tom Hanks is a good actor"], false), Vec::<&str>::new());
        assert!(!touches("anything", &[]));
    }

    #[test]
    fn what_anybody_could_be_told_tells_nothing() {
        let health = ["my health".to_owned()];
        assert!(tells("diabetes", &health) && !tells("doctor", &health) && touches("your doctor", &health));
    }
}
