//! Finding the words of a language's lists in a text.

use std::ops::Range;
use std::sync::LazyLock;

use unicode_normalization::char::is_combining_mark;

use crate::text;
use crate::text::language::{self, Language};
use crate::text::lexicon::{self, Lexicon, PieceWords};

/// A text as the lists are written, that knows where each of its characters came from.
pub(super) struct Folded {
    chars: Vec<char>,
    /// The byte of the text at which each character stood, and the text's length.
    at: Vec<usize>,
}

impl Folded {
    pub fn of(text: &str) -> Self {
        let (mut chars, mut at) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
        for (byte, c) in text.char_indices() {
            for folded in text::fold(c.encode_utf8(&mut [0; 4])).chars() {
                chars.push(folded);
                at.push(byte);
            }
        }
        at.push(text.len());
        Self { chars, at }
    }

    /// The folded characters.
    pub fn chars(&self) -> &[char] {
        &self.chars
    }

    /// The byte of the text where a folded character stood.
    pub fn byte(&self, at: usize) -> usize {
        self.at[at]
    }
}

/// Whether a character belongs to a word.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

/// How many words a text has; two characters of a script without spaces count as one.
pub(super) fn count(text: &str) -> f64 {
    let is_dense = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}');
    let weight = |word: &str| match word.chars().any(is_dense) {
        true => word.chars().count() as f64 / 2.0,
        false => 1.0,
    };
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(weight).sum()
}

/// A part of a phrase.
enum Part {
    Letter(char),
    /// White space between two words.
    Space,
    /// ` * `: up to three words.
    Gap,
    /// `*`: any ending of a word; in a script without spaces a few characters.
    Any,
}

/// The most words that stand in a gap of a phrase.
const GAP_WORDS: usize = 3;
/// The most characters that stand in one, in a script without spaces.
const GAP_CHARS: usize = 6;

/// A list of words and phrases, the longest first.
pub(super) struct Phrases {
    phrases: Vec<Vec<Part>>,
    is_unspaced: bool,
}

impl Phrases {
    fn of(list: &[String], is_unspaced: bool) -> Self {
        let mut list: Vec<String> = list.iter().map(|words| text::fold(words)).collect();
        list.sort_by_key(|words| std::cmp::Reverse(words.chars().count()));
        Self { phrases: list.iter().map(|words| parts(words, is_unspaced)).collect(), is_unspaced }
    }

    /// The end of the longest phrase that begins at a character.
    pub fn at(&self, chars: &[char], at: usize) -> Option<usize> {
        let before = at.checked_sub(1).map(|before| chars[before]);
        if !self.is_unspaced && before.is_some_and(|c| is_word(c) || c == '\'') {
            return None;
        }
        self.phrases.iter().find_map(|phrase| self.end(phrase, chars, at))
    }

    fn end(&self, phrase: &[Part], chars: &[char], at: usize) -> Option<usize> {
        let Some((part, rest)) = phrase.split_first() else {
            let is_whole = self.is_unspaced || chars.get(at).is_none_or(|c| !is_word(*c));
            return is_whole.then_some(at);
        };
        let run = |from: usize, fits: fn(char) -> bool| chars[from..].iter().take_while(|c| fits(**c)).count();
        match part {
            Part::Letter(letter) => (chars.get(at) == Some(letter)).then(|| self.end(rest, chars, at + 1)).flatten(),
            Part::Space => {
                let spaces = run(at, char::is_whitespace);
                (spaces > 0).then(|| self.end(rest, chars, at + spaces)).flatten()
            }
            Part::Any => {
                let most = if self.is_unspaced { GAP_CHARS.min(chars.len() - at) } else { run(at, is_word) };
                (0..=most).rev().find_map(|length| self.end(rest, chars, at + length))
            }
            Part::Gap => {
                let no_word = |c: char| !is_word(c);
                let mut ends = Vec::new();
                let mut end = at;
                for _ in 0..=GAP_WORDS {
                    let between = run(end, no_word);
                    if between == 0 {
                        break;
                    }
                    ends.push(end + between);
                    end += between + run(end + between, is_word);
                }
                ends.into_iter().rev().find_map(|end| self.end(rest, chars, end))
            }
        }
    }

    /// Where the phrases stand, in folded characters.
    pub fn all(&self, text: &Folded) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < text.chars.len() {
            match self.at(&text.chars, at).filter(|end| *end > at) {
                Some(end) => {
                    found.push(at..end);
                    at = end;
                }
                None => at += 1,
            }
        }
        found
    }

    /// Where the first one stands, in folded characters.
    pub fn find(&self, text: &Folded) -> Option<Range<usize>> {
        (0..text.chars.len()).find_map(|at| Some(at..self.at(&text.chars, at).filter(|end| *end > at)?))
    }

    /// Whether one stands anywhere.
    pub fn stands_in(&self, text: &Folded) -> bool {
        self.find(text).is_some()
    }
}

fn parts(words: &str, is_unspaced: bool) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = words;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(" * ").filter(|_| !is_unspaced) {
            parts.push(Part::Gap);
            rest = after;
            continue;
        }
        parts.push(match c {
            '*' => Part::Any,
            ' ' if !is_unspaced => Part::Space,
            letter => Part::Letter(letter),
        });
        rest = &rest[c.len_utf8()..];
    }
    parts
}

/// The lists of a language, ready to be looked for.
pub(super) struct Lists {
    pub words: &'static PieceWords,
    pub first: Phrases,
    pub mine: Phrases,
    pub third: Phrases,
    pub person: Phrases,
    pub role: Phrases,
    pub second: Phrases,
    pub negation: Phrases,
    pub supposed: Phrases,
    pub scene: Phrases,
    pub asking: Phrases,
    pub request: Phrases,
    pub taste: Phrases,
    pub secret: Phrases,
    pub join: Phrases,
    pub article: Phrases,
}

impl Lists {
    fn of(lexicon: &'static Lexicon) -> Self {
        let (words, stance) = (&lexicon.pieces, &lexicon.stance);
        let list = |list: &[String]| Phrases::of(list, words.unspaced);
        Self {
            first: list(&stance.first_person),
            mine: list(&words.mine),
            third: list(&stance.third_person),
            person: list(&words.person),
            role: list(&words.role),
            second: list(&words.second),
            negation: list(&stance.negation),
            supposed: list(&stance.supposed),
            scene: list(&words.scene),
            asking: list(&stance.asking),
            request: list(&stance.request),
            taste: list(&[stance.like.as_slice(), &stance.dislike].concat()),
            secret: list(&words.secret),
            join: list(&words.join),
            article: list(&words.article),
            words,
        }
    }

    /// How many of its words stand in a text, by which languages are told apart.
    fn hits(&self, text: &Folded) -> usize {
        let telling = [
            &self.first,
            &self.mine,
            &self.third,
            &self.person,
            &self.second,
            &self.negation,
            &self.supposed,
            &self.scene,
            &self.asking,
            &self.request,
            &self.taste,
            &self.join,
        ];
        telling.iter().map(|list| list.all(text).len()).sum()
    }
}

static LISTS: LazyLock<Vec<(Language, Lists)>> =
    LazyLock::new(|| Language::all().map(|language| (language, Lists::of(lexicon::of(language)))).collect());

/// The lists of the language that a text is in: of those that it may be in, the one whose words it holds most of.
pub(super) fn of_text(text: &str) -> &'static Lists {
    let folded = Folded::of(text);
    let likely = language::likely(text);
    // Languages that people also write in another script than their own, which no detector looks for.
    let written_otherwise = LISTS.iter().filter(|(_, lists)| lists.words.romanised).map(|(language, _)| *language);
    let mut best: Option<(usize, &'static Lists)> = None;
    for language in likely.into_iter().chain(written_otherwise) {
        let Some((_, lists)) = LISTS.iter().find(|(known, _)| *known == language) else { continue };
        let hits = lists.hits(&folded);
        if best.is_none_or(|(most, _)| hits > most) {
            best = Some((hits, lists));
        }
    }
    best.map_or(&LISTS[0].1, |(_, lists)| lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str], is_unspaced: bool) -> Phrases {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Phrases::of(&words, is_unspaced)
    }

    fn found<'a>(list: &Phrases, text: &'a str) -> Vec<&'a str> {
        let folded = Folded::of(text);
        list.all(&folded).into_iter().map(|at| &text[folded.byte(at.start)..folded.byte(at.end)]).collect()
    }

    #[test]
    fn words_are_whole_and_the_longest_phrase_counts() {
        let words = list(&["no", "no longer", "paint*", "ne * plus"], false);
        assert_eq!(found(&words, "No one knows: no  longer painting"), ["No", "no  longer", "painting"]);
        assert_eq!(found(&words, "il ne va presque plus, o'no"), ["ne va presque plus"]);
        assert_eq!(found(&list(&["もう*ない"], true), "お茶はもう飲まない。"), ["もう飲まない"]);
    }

    #[test]
    fn the_place_of_a_word_is_told_in_the_text_as_it_was_written() {
        assert_eq!(found(&list(&["strasse", "ecole"], false), "Große Straße, ÉCOLE"), ["Straße", "ÉCOLE"]);
    }

    #[test]
    fn a_text_is_read_by_the_lists_of_its_language_in_whatever_script() {
        let reads = |text: &str| of_text(text).words.person.first().map(String::as_str);
        assert_eq!(reads("I have never been fond of my old bicycle"), Some("mum"));
        assert_eq!(reads("mujhe chai pasand nahi hai aur meri behen doctor hai"), Some("माँ"));
        assert_eq!(reads("ich wohne mit meinem Bruder am Hafen"), Some("mutter"));
    }

    #[test]
    fn two_characters_without_a_space_count_as_a_word() {
        assert_eq!((count("a b_c, d"), count("我爱喝茶"), count("")), (3.0, 2.0, 0.0));
    }
}
