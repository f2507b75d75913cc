//! The one tokenizer of recall: what a text is found by.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::memory::language::text;

/// The terms of a text in their order: stems of words without stop words, and characters and pairs of characters of scripts
/// that write no spaces. No term holds a space.
pub fn terms(said: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for word in text::words(said) {
        if word.chars().next().is_some_and(text::is_unspaced) {
            grams(&word, &mut terms);
        } else if !is_passed_by(&word) {
            terms.push(stem(&word));
        }
    }
    terms
}

/// The stem of one folded word: Snowball's English for ASCII, any other word as it is.
pub fn stem(word: &str) -> String {
    if word.bytes().all(|b| b.is_ascii_lowercase()) { STEMMER.stem(word).into_owned() } else { word.to_owned() }
}

/// Whether a folded word says nothing about what a text is about.
pub fn is_passed_by(word: &str) -> bool {
    STOP_WORDS.contains(word) || (word.len() == 1 && !word.bytes().all(|b| b.is_ascii_digit()))
}

/// Each character of a run, and each pair that begins with it.
fn grams(run: &str, terms: &mut Vec<String>) {
    let chars: Vec<char> = run.chars().filter(|c| !unicode_normalization::char::is_combining_mark(*c)).collect();
    for (at, c) in chars.iter().enumerate() {
        terms.push(c.to_string());
        if let Some(next) = chars.get(at + 1) {
            terms.push(String::from_iter([c, next]));
        }
    }
}

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| ENGLISH.split_whitespace().collect());

const ENGLISH: &str = "a about above after again against all also am an and any are aren as at be because been before being \
below between both but by can cannot could couldn d did didn do does doesn doing don down during each few for from further \
had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just ll \
m ma me might mightn more most must mustn my myself need needn no nor not now o of off on once only or other our ours \
ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them themselves then \
there these they this those through to too under until up ve very was wasn we were weren what when where which while who \
whom why will with won would wouldn y you your yours yourself yourselves according across around became become becomes \
done else ever every get gets getting got go goes going gonna however kind lot made make makes many may much one onto per \
said say says shall since someone something thing things type upon us use used using via want wanted wants way went whether \
within without yes yet";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_by_the_stems_of_its_words_in_their_order() {
        assert_eq!(terms("Where did Mara's sister go hiking in 2024?"), ["mara", "sister", "hike", "2024"]);
        assert_eq!(terms("the of and to"), Vec::<String>::new());
        assert_eq!(terms("Café, ＣＡＦÉ"), ["cafe", "cafe"]);
    }

    #[test]
    fn unspaced_scripts_are_found_by_characters_and_pairs() {
        assert_eq!(terms("Mia住东京"), ["mia", "住", "住东", "东", "东京", "京"]);
        assert_eq!(terms("葵"), ["葵"]);
    }
}
