//! Texts as the scorer compares them: folded, and searched with care for digits and short words.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

/// Letters and digits as Python's `str.isalnum` counts them: without marks.
static ALPHANUMERIC: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\p{L}\p{N}]"));
static DECIMAL_DIGIT: LazyLock<Regex> = LazyLock::new(|| pattern(r"\p{Nd}"));
/// What is part of a word here and not in Python.
static MARKS: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\p{M}\p{Join_Control}]"));

/// What a match may border on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Borders {
    /// Anything, as far as Latin needles of up to three characters are words.
    Loose,
    /// Latin needles are whole words.
    Words,
}

/// Compiles a pattern.
///
/// # Panics
/// The pattern is none.
pub fn pattern(source: &str) -> Regex {
    Regex::new(source).unwrap_or_else(|error| panic!("{source}: {error}"))
}

/// Whether a pattern is found in a text. Marks are no part of a word, as in Python, unless the pattern names some.
pub fn matches(pattern: &Regex, text: &str) -> bool {
    let has_marks = !text.is_ascii() && MARKS.is_match(text) && !MARKS.is_match(pattern.as_str());
    let text = if has_marks { MARKS.replace_all(text, "\u{fffd}") } else { Cow::Borrowed(text) };
    pattern.is_match(&text)
}

/// NFKC and case folding; also dotted and dotless i, ё, quotation marks, digits of any script, runs of spaces.
pub fn fold(text: &str) -> String {
    let lower: String = text.nfkc().flat_map(case_fold).nfkc().collect();
    let mut folded = String::with_capacity(lower.len());
    for character in lower.chars().filter(|character| *character != '\u{307}') {
        let is_digit = character.is_numeric() && is(&DECIMAL_DIGIT, character);
        match character {
            _ if is_space(character) => {
                if !folded.ends_with(' ') {
                    folded.push(' ');
                }
            }
            _ if is_digit => folded.push(decimal(character)),
            'ı' => folded.push('i'),
            'ё' => folded.push('е'),
            '’' | '‘' | 'ʼ' => folded.push('\''),
            '“' | '”' | '„' | '«' | '»' => folded.push('"'),
            _ => folded.push(character),
        }
    }
    folded.trim_matches(' ').to_owned()
}

/// Where `needle` stands in `hay`, both folded. A digit never borders on a digit; Latin needles of up to three characters, and
/// all with [`Borders::Words`], are whole words (a short one that is not ASCII may take an ending).
pub fn find(hay: &str, needle: &str, borders: Borders) -> Option<usize> {
    let (first, last) = (needle.chars().next()?, needle.chars().next_back()?);
    let whole = is_latin(needle) && (borders == Borders::Words || needle.chars().count() <= 3);
    let may_take_an_ending = borders == Borders::Loose && !needle.is_ascii();
    let stands = |at: usize| {
        let before = hay[..at].chars().next_back();
        let after = hay[at + needle.len()..].chars().next();
        let in_a_number = both(before, first, |c| c.is_ascii_digit()) || both(after, last, |c| c.is_ascii_digit());
        let begins_late = whole && both(before, first, is_alphanumeric);
        let ends_early = whole && !may_take_an_ending && both(after, last, is_alphanumeric);
        !in_a_number && !begins_late && !ends_early
    };
    let mut from = 0;
    while let Some(found) = hay[from..].find(needle) {
        if stands(from + found) {
            return Some(from + found);
        }
        from += found + first.len_utf8();
    }
    None
}

/// Whether `needle` stands somewhere in `hay`; see [`find`].
pub fn contains(hay: &str, needle: &str) -> bool {
    find(hay, needle, Borders::Loose).is_some()
}

/// Whether all of a text is of the Latin blocks.
pub fn is_latin(text: &str) -> bool {
    text.chars().all(|c| c < '\u{250}')
}

fn both(neighbor: Option<char>, own: char, is: impl Fn(char) -> bool) -> bool {
    neighbor.is_some_and(&is) && is(own)
}

fn is_alphanumeric(character: char) -> bool {
    is(&ALPHANUMERIC, character)
}

fn is(class: &Regex, character: char) -> bool {
    class.is_match(character.encode_utf8(&mut [0; 4]))
}

/// Full case folding: by way of the upper case, ß is ss and both forms of sigma are one.
fn case_fold(character: char) -> impl Iterator<Item = char> {
    character.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

/// The ASCII digit of a decimal digit. Each script's digits stand in a row from zero to nine.
fn decimal(digit: char) -> char {
    let is_digit = |code: u32| char::from_u32(code).is_some_and(|other| is(&DECIMAL_DIGIT, other));
    let before = (0..u32::from(digit)).rev().take_while(|code| is_digit(*code)).count();
    char::from_digit((before % 10) as u32, 10).expect("a number below ten")
}
