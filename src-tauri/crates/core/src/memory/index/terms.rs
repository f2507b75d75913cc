//! The one tokenizer of recall: what a text is found by.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::text;
pub use crate::text::stem;

/// What a fact about the person is found by beside its words. No text holds it.
pub const ABOUT_YOU: &str = "_you";

/// The terms of a text in their order: stems of words without stop words; characters and pairs of characters of scripts that
/// write no spaces; words with signs as they stand ("c++", "#123"); signs beyond ASCII, as emoji; and single capitals within a
/// sentence ("box A" is found by `box` and `_a`).
///
/// Invariant: the index takes each term for one token. No term holds a space, a control character or a quotation mark.
pub fn terms(said: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut begins_sentence = true;
    for chunk in said.split_whitespace() {
        match single_capital(chunk).filter(|_| !begins_sentence) {
            Some(letter) => terms.push(format!("_{}", letter.to_ascii_lowercase())),
            None if chunk.is_ascii() => plain_words(chunk, &mut terms),
            None => words_of_any_script(chunk, &mut terms),
        }
        begins_sentence = chunk.ends_with(['.', '!', '?', ':', '…']);
    }
    terms
}

/// The same as [`words_of_any_script`], quicker.
fn plain_words(chunk: &str, terms: &mut Vec<String>) {
    let lower = chunk.to_ascii_lowercase();
    for word in lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !is_passed_by(word)) {
        terms.push(stem(word));
    }
    if chunk.bytes().any(|b| SIGNS.contains(&b)) {
        signs(chunk, terms);
    }
}

fn words_of_any_script(chunk: &str, terms: &mut Vec<String>) {
    for word in text::words(chunk) {
        if word.chars().next().is_some_and(text::is_unspaced) {
            grams(&word, terms);
        } else if !is_passed_by(&word) {
            terms.push(stem(&word));
        }
    }
    signs(chunk, terms);
}

/// How many words a text has; what an apostrophe joins is one.
pub fn count(said: &str) -> usize {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    said.split(|c| !is_part(c)).filter(|run| run.contains(char::is_alphanumeric)).count()
}

/// A term as a number, to be compared with others quickly: FNV-1a, in 64 bits.
pub fn key(term: &str) -> u64 {
    term.bytes().fold(EMPTY, with_byte)
}

const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

fn with_byte(key: u64, byte: u8) -> u64 {
    (key ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

/// The terms of a passage as they are stored, separated by spaces, each with its [`key`].
pub fn keyed(stored: &str) -> impl Iterator<Item = (&str, u64)> {
    let mut rest = stored;
    std::iter::from_fn(move || {
        let mut key = EMPTY;
        for (at, byte) in rest.bytes().enumerate() {
            if byte == b' ' {
                let term = &rest[..at];
                rest = &rest[at + 1..];
                return Some((term, key));
            }
            key = with_byte(key, byte);
        }
        let last = std::mem::take(&mut rest);
        (!last.is_empty()).then_some((last, key))
    })
}

/// How many words of a text are written as names: with a capital, and not at the beginning of a sentence.
pub fn names(said: &str) -> usize {
    let words: Vec<&str> = said.split_whitespace().collect();
    let is_name = |pair: &&[&str]| {
        let goes_on = pair[0].ends_with(|c: char| c.is_lowercase() || c == ',');
        let mut chars = pair[1].trim_start_matches(['"', '“', '\'', '(']).chars();
        goes_on && chars.next().is_some_and(char::is_uppercase) && chars.next().is_some_and(char::is_lowercase)
    };
    words.windows(2).filter(is_name).count()
}

/// Signs that make another word of a word.
const SIGNS: &[u8] = b"+#%@$&";

fn is_sign(c: char) -> bool {
    u8::try_from(c).is_ok_and(|b| SIGNS.contains(&b))
}

/// "A", "(B)" and "B's", but not "I".
fn single_capital(chunk: &str) -> Option<char> {
    if chunk.len() > 6 {
        return None;
    }
    let chunk = chunk.strip_suffix("'s").or_else(|| chunk.strip_suffix("’s")).unwrap_or(chunk);
    let inner = chunk.trim_matches(|c: char| c.is_ascii_punctuation() && !is_sign(c));
    let mut chars = inner.chars();
    let letter = chars.next().filter(|c| c.is_ascii_uppercase() && *c != 'I')?;
    chars.next().is_none().then_some(letter)
}

fn signs(chunk: &str, terms: &mut Vec<String>) {
    let outer = |c: char| !c.is_alphanumeric() && !is_sign(c) && !is_symbol(c);
    let inner = chunk.trim_matches(outer);
    let has_sign = inner.chars().any(is_sign) && inner.chars().any(char::is_alphanumeric);
    if has_sign && inner.chars().count() <= LONGEST_WITH_SIGNS {
        terms.push(text::fold(inner).replace(|c: char| c.is_whitespace() || c.is_control() || c == '"', ""));
    }
    terms.extend(inner.chars().filter(|c| is_symbol(*c)).map(String::from));
}

/// The longest word with signs that is one term, in characters.
const LONGEST_WITH_SIGNS: usize = 40;

/// Pictures, arrows, currency: signs beyond ASCII that are no punctuation.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{00A2}'..='\u{00A9}' | '\u{00AE}'..='\u{00B1}' | '\u{20A0}'..='\u{20CF}' | '\u{2100}'..='\u{2BFF}'
        | '\u{1F000}'..='\u{1FAFF}')
        && !c.is_alphanumeric()
}

/// Whether a folded word says nothing about what a text is about.
pub fn is_passed_by(word: &str) -> bool {
    word.is_empty() || STOP_WORDS.contains(word) || (word.len() == 1 && !word.bytes().all(|b| b.is_ascii_digit()))
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
    fn stored_terms_have_the_keys_of_the_terms() {
        assert_eq!(keyed("mara 住 c++").collect::<Vec<_>>(), ["mara", "住", "c++"].map(|term| (term, key(term))));
        assert_eq!(keyed("").count(), 0);
    }

    #[test]
    fn names_within_sentences_are_counted() {
        assert_eq!(names("We met Mara in “Porto Nord”, then I left. Then Ana came"), 4);
        assert_eq!(names("no names here. None"), 0);
    }

    #[test]
    fn unspaced_scripts_are_found_by_characters_and_pairs() {
        assert_eq!(terms("Mia住东京"), ["mia", "住", "住东", "东", "东京", "京"]);
        assert_eq!(terms("葵"), ["葵"]);
        assert_eq!(terms("부산에 산다"), ["부", "부산", "산", "산에", "에", "산", "산다", "다"]);
    }

    #[test]
    fn signs_make_another_word_of_a_word() {
        assert_eq!(terms("I write C++ and C#."), ["write", "c++", "c#"]);
        assert_eq!(terms("Ticket #123, up 50%!"), ["ticket", "123", "#123", "50", "50%"]);
        assert_eq!(terms("mail a@b.example"), ["mail", "exampl", "a@b.example"]);
        assert_eq!(terms("don't NEAR(shelf* \"odd\""), ["near", "shelf", "odd"]);
        assert_eq!(terms("q\"a#b\" x\u{1}#y é\"#z"), ["qa#b", "x#y", "e#z"]);
        assert_eq!(terms("my cat 🐈‍⬛ costs 5€"), ["cat", "🐈", "⬛", "cost", "5", "€"]);
    }

    #[test]
    fn words_are_counted_with_the_small_ones() {
        assert_eq!(count("Don't worry, it's 7:30 (or 8)!"), 7);
        assert_eq!(count("🐈 ... '"), 0);
    }

    #[test]
    fn a_single_capital_is_a_name_and_an_article_is_none() {
        assert_eq!(terms("Box A is not a box"), ["box", "_a", "box"]);
        assert_eq!(terms("A box, and I (B). A dog! A cat"), ["box", "_b", "dog", "cat"]);
    }
}
