//! The exact words of a message. A model points at them; what is kept is cut out of the message itself, so that nobody's words are
//! ever changed.

use std::ops::Range;

use crate::text;

/// A message as it is compared: folded, with one space for each run of white space.
pub(super) struct Spoken<'a> {
    text: &'a str,
    folded: String,
    /// For each byte of the folded text, where in the message the character stands that it came from.
    at: Vec<usize>,
}

impl<'a> Spoken<'a> {
    pub fn of(text: &'a str) -> Self {
        let (mut folded, mut at) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
        let mut buffer = [0; 4];
        for (place, c) in text.char_indices() {
            if c.is_whitespace() {
                if !folded.ends_with(' ') {
                    folded.push(' ');
                    at.push(place);
                }
                continue;
            }
            folded.push_str(&text::fold(c.encode_utf8(&mut buffer)));
            at.resize(folded.len(), place);
        }
        at.push(text.len());
        Self { text, folded, at }
    }

    /// All of the message.
    pub fn whole(&self) -> Range<usize> {
        0..self.text.len()
    }

    /// The words of a part of the message.
    pub fn words(&self, range: &Range<usize>) -> &'a str {
        &self.text[range.clone()]
    }

    /// Where these words stand in a part of the message, as whole words if they do, else as the beginning of one ("Berlin" in
    /// "Berliner"). Case, accents, spaces, kinds of quotation marks and the script of digits do not matter.
    pub fn find(&self, words: &str, within: &Range<usize>) -> Option<Range<usize>> {
        let needle = Spoken::of(words.trim()).folded;
        let needle = needle.trim_matches(|c: char| matches!(c, '.' | ',' | '!' | '"' | '…' | ' ' | '。' | '，'));
        if needle.is_empty() {
            return None;
        }
        let ranges: Vec<(Fit, Range<usize>)> = self
            .folded
            .match_indices(needle)
            .map(|(start, _)| (self.fit(start..start + needle.len()), self.range(start..start + needle.len())))
            .filter(|(fit, range)| *fit != Fit::Inside && within.start <= range.start && range.end <= within.end)
            .collect();
        let best = ranges.iter().map(|(fit, _)| *fit).min()?;
        ranges.into_iter().find(|(fit, _)| *fit == best).map(|(_, range)| range)
    }

    fn range(&self, folded: Range<usize>) -> Range<usize> {
        let end = self.at[folded.end];
        let end = if end == self.at[folded.end - 1] {
            // A character that folds to several ends where the next one begins.
            self.text[end..].char_indices().nth(1).map_or(self.text.len(), |(next, _)| end + next)
        } else {
            end
        };
        let (start, cut) = (self.at[folded.start], self.text[self.at[folded.start]..end].trim_end().len());
        start..start + cut
    }

    fn fit(&self, range: Range<usize>) -> Fit {
        let found = &self.folded[range.clone()];
        let (first, last) = (found.chars().next(), found.chars().next_back());
        let before = self.folded[..range.start].chars().next_back();
        let after = self.folded[range.end..].chars().next();
        let digits = |a: Option<char>, b: Option<char>| is(a, char::is_numeric) && is(b, char::is_numeric);
        if digits(before, first) || digits(last, after) {
            return Fit::Inside;
        }
        let joined = |a: Option<char>, b: Option<char>| {
            is(a, char::is_alphanumeric)
                && is(b, char::is_alphanumeric)
                && !is(a, text::is_unspaced)
                && !is(b, text::is_unspaced)
                && is(a, char::is_numeric) == is(b, char::is_numeric)
        };
        // In some languages "the", "and" and "to" are written as one with the word.
        let is_latin = is(first, |c| c.is_ascii());
        match (joined(before, first), joined(last, after)) {
            (false, false) => Fit::Whole,
            (false, true) if found.chars().count() >= SHORTEST_BEGINNING => Fit::Beginning,
            (true, _) if !is_latin && found.chars().count() >= SHORTEST_BEGINNING => Fit::End,
            _ => Fit::Inside,
        }
    }
}

fn is(c: Option<char>, what: impl Fn(char) -> bool) -> bool {
    c.is_some_and(what)
}

/// The shortest part of a word that stands for it, in characters.
const SHORTEST_BEGINNING: usize = 3;

/// How words stand among others; the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Whole,
    Beginning,
    End,
    Inside,
}

/// The sentence in which a part of a text stands.
pub(super) fn sentence_around(text: &str, part: &Range<usize>) -> Range<usize> {
    let ends = text::sentence_ends(text);
    let start = ends.iter().copied().filter(|end| *end <= part.start).max().unwrap_or(0);
    let end = ends.into_iter().find(|end| *end >= part.end).unwrap_or(text.len());
    trimmed(text, start..end)
}

/// The clause of a sentence in which a part of a text stands: between commas and the like.
pub(super) fn clause_around(text: &str, sentence: &Range<usize>, part: &Range<usize>) -> Range<usize> {
    let ends = |(at, c): (usize, char)| {
        matches!(c, ',' | ';' | ':' | '(' | ')' | '—' | '–' | '…' | '，' | '；' | '、' | '：' | '（' | '）' | '،')
            .then_some((at, c))
    };
    // A comma within a number or a time ends nothing.
    let is_inside = |at: usize, c: char| {
        let digit = |c: Option<char>| c.is_some_and(char::is_numeric);
        digit(text[..at].chars().next_back()) && digit(text[at + c.len_utf8()..].chars().next())
    };
    let breaks: Vec<(usize, usize)> = text[sentence.clone()]
        .char_indices()
        .filter_map(ends)
        .map(|(at, c)| (sentence.start + at, c))
        .filter(|(at, c)| !is_inside(*at, *c))
        .map(|(at, c)| (at, at + c.len_utf8()))
        .collect();
    let start = breaks.iter().map(|(_, behind)| *behind).filter(|behind| *behind <= part.start).max();
    let end = breaks.iter().map(|(at, _)| *at).find(|at| *at >= part.end);
    trimmed(text, start.unwrap_or(sentence.start)..end.unwrap_or(sentence.end))
}

/// A range without the white space around it.
pub(super) fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// Whether all the words of a value stand in a text, in whatever form.
pub(in crate::memory) fn names(said: &str, value: &str) -> bool {
    let wanted = text::content(value);
    let wanted = if wanted.is_empty() { text::words(value) } else { wanted };
    let folded = text::fold(said);
    let stems: Vec<String> = text::words(said).iter().map(|word| text::stem(&text::digits(word))).collect();
    let is_there =
        |word: &String| stems.contains(word) || (word.chars().any(text::is_unspaced) && folded.contains(word.as_str()));
    !wanted.is_empty() && wanted.iter().all(is_there)
}

/// Whether two ranges have something in common.
pub(super) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(text: &'a str, words: &str) -> Option<&'a str> {
        let spoken = Spoken::of(text);
        spoken.find(words, &(0..text.len())).map(|range| spoken.words(&range))
    }

    #[test]
    fn words_are_found_however_they_are_written_and_told_as_the_message_has_them() {
        for (text, words, wanted) in [
            ("My sister's dog is called  Rex.", "my sister’s DOG is called Rex", "My sister's dog is called  Rex"),
            ("I cycle as a Berliner.", "berlin", "Berlin"),
            ("خزانتي ٤٢ هنا", "42", "٤٢"),
            ("Die Straße ist lang", "strasse", "Straße"),
            ("Мой кот — Ёжик", "ежик", "Ёжик"),
            ("我住在东京。", "东京", "东京"),
            ("Le café, c’est bon", "CAFE", "café"),
            ("at ½ price", "½", "½"),
        ] {
            assert_eq!(found(text, words), Some(wanted), "{text} / {words}");
        }
    }

    #[test]
    fn a_number_is_never_a_part_of_another_and_a_word_never_ends_one() {
        for (text, words) in [
            ("My locker is 121", "12"),
            ("My locker is 121", "21"),
            ("I like party games", "art"),
            ("Hannah is here", "Anna"),
        ] {
            assert_eq!(found(text, words), None, "{text} / {words}");
        }
    }

    #[test]
    fn a_whole_word_comes_before_the_beginning_of_one() {
        let text = "Carpets and a car";
        let spoken = Spoken::of(text);
        assert_eq!(spoken.find("car", &(0..text.len())), Some(14..17));
    }

    #[test]
    fn the_sentence_around_a_part_is_found() {
        let text = "I live in Porto. My dog is Rex! Why?";
        assert_eq!(&text[sentence_around(text, &(28..31))], "My dog is Rex!");
    }
}
