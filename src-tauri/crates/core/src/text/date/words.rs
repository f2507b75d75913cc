//! The words of one language's calendar as its data file has them, and where in a text they stand.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::said::{Part, Unit};

/// One language's words of the calendar. All folded; several words are a phrase.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DateWords {
    /// "tomorrow": by how many days it lies ahead.
    pub(super) days: BTreeMap<i64, Vec<String>>,
    /// "tonight": a day and a part of it.
    pub(super) parts_of_days: BTreeMap<Part, BTreeMap<i64, Vec<String>>>,
    /// Words for so many days ahead or ago: the verb tells which.
    pub(super) either: BTreeMap<i64, Vec<String>>,
    /// From Monday on.
    pub(super) weekdays: Vec<Vec<String>>,
    pub(super) weekend: Vec<String>,
    /// From January on.
    pub(super) months: Vec<Vec<String>>,
    /// From spring on.
    pub(super) seasons: Vec<Vec<String>>,
    /// Words that are something else more often, as "may": they count only beside another word of the calendar.
    pub(super) weak: Vec<String>,
    pub(super) units: BTreeMap<Unit, Vec<String>>,
    /// Words that are two of a unit by themselves.
    pub(super) two: BTreeMap<Unit, Vec<String>>,
    /// "last", "this", "next": by how many it lies ahead.
    pub(super) which: BTreeMap<i64, Vec<String>>,
    /// "last year" in one word, by the unit and by how many it lies ahead.
    pub(super) spans: BTreeMap<Unit, BTreeMap<i64, Vec<String>>>,
    /// "next" where it means the first one to come.
    pub(super) coming: Vec<String>,
    /// "ago": a word of patterns that is of the calendar alone.
    pub(super) ago: Vec<String>,
    pub(super) parts: BTreeMap<Part, Vec<String>>,
    /// "first": as a day of the month or an hour.
    pub(super) ordinals: BTreeMap<u32, Vec<String>>,
    /// What stands behind the digits of an ordinal: "th".
    pub(super) ordinal_endings: Vec<String>,
    /// "12-25": "christmas".
    pub(super) feasts: BTreeMap<String, Vec<String>>,
    pub(super) easter: Vec<String>,
    /// What may hang before a word: Arabic "and", "in".
    pub(super) prefixes: Vec<String>,
    /// What may hang behind a word: Turkish "in", "from".
    pub(super) suffixes: Vec<String>,
    /// Whether a part of the day may be written onto the day, as in German.
    pub(super) glued: bool,
    /// How a sentence tells that it speaks of the past.
    pub(super) past: PastWords,
    /// How words of the calendar stand together, by what they mean: see [`super::pattern`].
    pub(super) patterns: BTreeMap<super::pattern::Meaning, Vec<String>>,
}

impl DateWords {
    /// Words that periods of the past are made of.
    pub(in crate::text) fn of_periods(&self) -> impl Iterator<Item = &str> {
        let lists = [&self.months, &self.seasons].into_iter().flatten().chain(self.units.values());
        let ago = self.days.iter().filter(|(days, _)| **days < 0).map(|(_, words)| words);
        let last = self.which.get(&-1).into_iter().chain([&self.weekend, &self.ago]);
        lists.chain(ago).chain(last).flatten().map(String::as_str)
    }
}

/// Words by which a sentence is about the past.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PastWords {
    pub(super) words: Vec<String>,
    pub(super) endings: Vec<String>,
    /// What has such an ending and tells of a plan.
    pub(super) but: Vec<String>,
}

/// What a word of the calendar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Atom {
    /// A word that patterns are made of.
    Word(u16),
    Number(i64),
    Ordinal(i64),
    /// Days ahead, and a part of that day.
    Ahead(i64, Option<Part>),
    /// Days ahead or ago.
    Either(i64),
    Weekday(i64),
    Month(u32),
    Season(u32),
    /// A unit, and how many of it the word is by itself.
    Unit(Unit, i64),
    Which(i64),
    /// Which one, and of what.
    Span(Unit, i64),
    Coming,
    Part(Part),
    Feast(u32, u32),
    Easter,
}

/// A text, folded, with the place that each character comes from.
pub(super) struct Text {
    pub(super) chars: Vec<char>,
    /// In bytes of the original; one more than there are characters.
    places: Vec<usize>,
}

impl Text {
    pub(super) fn new(said: &str) -> Self {
        let (mut chars, mut places) = (Vec::new(), Vec::new());
        let mut buffer = [0; 4];
        for (at, c) in said.char_indices() {
            if c.is_ascii() {
                chars.push(c.to_ascii_lowercase());
                places.push(at);
                continue;
            }
            for folded in crate::text::fold(c.encode_utf8(&mut buffer)).chars() {
                chars.push(folded);
                places.push(at);
            }
        }
        places.push(said.len());
        Self { chars, places }
    }

    /// Where a stretch of characters stands in the original.
    pub(super) fn range(&self, from: usize, to: usize) -> std::ops::Range<usize> {
        self.places[from]..self.places[to]
    }

    /// Whether a word may begin or end here.
    pub(super) fn is_bound(&self, at: usize) -> bool {
        let (Some(before), Some(after)) = (at.checked_sub(1).map(|at| self.chars[at]), self.chars.get(at)) else {
            return true;
        };
        if unicode_normalization::char::is_combining_mark(*after) {
            return false;
        }
        let kind = |c: char| match c {
            c if crate::text::is_unspaced(c) => 3,
            c if c.is_ascii_digit() => 2,
            c if c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c) => 1,
            _ => 0,
        };
        !matches!((kind(before), kind(*after)), (1, 1) | (2, 2))
    }

    pub(super) fn starts_with(&self, at: usize, word: &[char]) -> bool {
        self.chars.get(at..at + word.len()).is_some_and(|here| here == word)
    }

    /// Where the next word begins, behind the spaces and the sign that may stand between two words of one date.
    pub(super) fn gap(&self, at: usize) -> usize {
        let c = |at: usize| self.chars.get(at).copied().unwrap_or('\n');
        let before = at.checked_sub(1).map_or(' ', c);
        let joins = match c(at) {
            '.' => before.is_ascii_digit(),
            '\'' => true,
            '-' => before.is_alphabetic() && c(at + 1).is_alphabetic(),
            _ => false,
        };
        let mut at = at + usize::from(joins);
        while c(at).is_whitespace() && c(at) != '\n' {
            at += 1;
        }
        at
    }
}

/// One language's words, to be looked up by their first character.
pub(super) struct Vocabulary {
    atoms: HashMap<char, Vec<(Vec<char>, Atom)>>,
    words: Vec<String>,
    parts: Vec<Vec<char>>,
    suffixes: Vec<Vec<char>>,
    ordinal_endings: Vec<Vec<char>>,
    weak: Vec<Vec<char>>,
    glued: bool,
}

impl Vocabulary {
    pub(super) fn new(dates: &DateWords, numbers: &BTreeMap<u32, Vec<String>>) -> Self {
        let all = |words: &[String]| words.iter().map(|word| word.chars().collect()).collect::<Vec<Vec<char>>>();
        let mut vocabulary = Self {
            atoms: HashMap::new(),
            words: Vec::new(),
            parts: dates.parts.values().flat_map(|words| all(words)).collect(),
            suffixes: all(&dates.suffixes),
            ordinal_endings: all(&dates.ordinal_endings),
            weak: all(&dates.weak),
            glued: dates.glued,
        };
        for (atom, words) in atoms(dates, numbers) {
            for word in words {
                let hung = dates
                    .prefixes
                    .iter()
                    .filter(|_| !matches!(atom, Atom::Number(_)))
                    .map(|prefix| format!("{prefix}{word}"));
                for written in hung.chain([word.clone()]) {
                    vocabulary.add(&written, atom);
                }
            }
        }
        vocabulary
    }

    fn add(&mut self, word: &str, atom: Atom) {
        let chars: Vec<char> = word.chars().collect();
        let Some(first) = chars.first() else { return };
        let here = self.atoms.entry(*first).or_default();
        if !here.iter().any(|(known, same)| *known == chars && *same == atom) {
            here.push((chars, atom));
        }
    }

    /// The number of a word of patterns.
    pub(super) fn pattern_word(&mut self, word: &str) -> u16 {
        let known = self.words.iter().position(|known| known == word);
        let at = known.unwrap_or_else(|| {
            self.words.push(word.to_owned());
            self.words.len() - 1
        });
        let at = u16::try_from(at).unwrap_or(u16::MAX);
        self.add(word, Atom::Word(at));
        at
    }

    /// The words of the calendar that begin at each place, each with its end and whether it is a weak one.
    pub(super) fn atoms(&self, text: &Text) -> Vec<Vec<(usize, Atom, bool)>> {
        let mut atoms = vec![Vec::new(); text.chars.len()];
        for at in 0..atoms.len() {
            if text.is_bound(at) || !atoms[at].is_empty() {
                atoms[at] = self.atoms_at(text, at);
            }
            // What is written onto a word begins within it.
            let within: Vec<usize> =
                atoms[at].iter().map(|(end, ..)| *end).filter(|end| !text.is_bound(*end)).collect();
            within.into_iter().for_each(|end| atoms[end] = self.atoms_at(text, end));
        }
        atoms
    }

    fn atoms_at(&self, text: &Text, at: usize) -> Vec<(usize, Atom, bool)> {
        let mut found = Vec::new();
        let first = text.chars[at];
        if first.is_ascii_digit() {
            self.digits_at(text, at, &mut found);
            return found;
        }
        let is_inside_number = is_numeral(first) && at.checked_sub(1).is_some_and(|at| is_numeral(text.chars[at]));
        for (word, atom) in self.atoms.get(&first).into_iter().flatten().filter(|(word, _)| text.starts_with(at, word))
        {
            if is_inside_number && matches!(atom, Atom::Number(_)) {
                continue;
            }
            let is_weak = self.weak.contains(word);
            let ends = self.ends(text, at + word.len(), matches!(atom, Atom::Weekday(_) | Atom::Ahead(..)));
            found.extend(ends.into_iter().map(|end| (end, *atom, is_weak)));
        }
        found
    }

    fn digits_at(&self, text: &Text, at: usize, found: &mut Vec<(usize, Atom, bool)>) {
        let is_fraction = |dot: usize, digit: usize| {
            text.chars.get(dot).is_some_and(|c| matches!(c, '.' | ',' | ':'))
                && text.chars.get(digit).is_some_and(char::is_ascii_digit)
        };
        let length = text.chars[at..].iter().take_while(|c| c.is_ascii_digit()).count();
        let inside = at >= 2 && is_fraction(at - 1, at - 2);
        if length > 4 || inside {
            return;
        }
        let number = text.chars[at..at + length]
            .iter()
            .filter_map(|c| c.to_digit(10))
            .fold(0, |all, digit| all * 10 + i64::from(digit));
        let end = at + length;
        found.push((end, Atom::Number(number), false));
        found.extend(
            self.ends(text, end, false)
                .into_iter()
                .filter(|other| *other != end)
                .map(|end| (end, Atom::Number(number), false)),
        );
        for ending in self.ordinal_endings.iter().filter(|ending| text.starts_with(end, ending)) {
            if text.is_bound(end + ending.len()) {
                found.push((end + ending.len(), Atom::Ordinal(number), false));
            }
        }
    }

    /// Where a word ends that is written to here: here, or behind what hangs on it.
    fn ends(&self, text: &Text, at: usize, may_be_glued: bool) -> Vec<usize> {
        let mut ends = Vec::new();
        let is_glued = || self.parts.iter().any(|part| text.starts_with(at, part) && text.is_bound(at + part.len()));
        if text.is_bound(at) || self.glued && may_be_glued && is_glued() {
            ends.push(at);
        }
        let from = at + usize::from(text.chars.get(at) == Some(&'\''));
        let hung = self.suffixes.iter().filter(|suffix| text.starts_with(from, suffix));
        ends.extend(hung.map(|suffix| from + suffix.len()).filter(|end| text.is_bound(*end)));
        ends
    }
}

/// Chinese numerals, of which one number may have several.
fn is_numeral(c: char) -> bool {
    "一二三四五六七八九十百千万萬两兩".contains(c)
}

/// Every word of the data with what it is.
fn atoms<'a>(dates: &'a DateWords, numbers: &'a BTreeMap<u32, Vec<String>>) -> Vec<(Atom, &'a [String])> {
    let mut atoms: Vec<(Atom, &[String])> = Vec::new();
    let mut add = |atom, words: &'a Vec<String>| atoms.push((atom, words.as_slice()));
    numbers.iter().for_each(|(number, words)| add(Atom::Number(i64::from(*number)), words));
    dates.ordinals.iter().for_each(|(number, words)| add(Atom::Ordinal(i64::from(*number)), words));
    dates.days.iter().for_each(|(days, words)| add(Atom::Ahead(*days, None), words));
    for (part, days) in &dates.parts_of_days {
        days.iter().for_each(|(days, words)| add(Atom::Ahead(*days, Some(*part)), words));
    }
    dates.either.iter().for_each(|(days, words)| add(Atom::Either(*days), words));
    (0..).zip(&dates.weekdays).for_each(|(day, words)| add(Atom::Weekday(day), words));
    add(Atom::Weekday(5), &dates.weekend);
    (1..).zip(&dates.months).for_each(|(month, words)| add(Atom::Month(month), words));
    (0..).zip(&dates.seasons).for_each(|(season, words)| add(Atom::Season(season), words));
    dates.units.iter().for_each(|(unit, words)| add(Atom::Unit(*unit, 1), words));
    dates.two.iter().for_each(|(unit, words)| add(Atom::Unit(*unit, 2), words));
    dates.which.iter().for_each(|(turn, words)| add(Atom::Which(*turn), words));
    for (unit, turns) in &dates.spans {
        turns.iter().for_each(|(turn, words)| add(Atom::Span(*unit, *turn), words));
    }
    add(Atom::Coming, &dates.coming);
    dates.parts.iter().for_each(|(part, words)| add(Atom::Part(*part), words));
    for (day, words) in &dates.feasts {
        let month_and_day = day.split_once('-').and_then(|(month, day)| Some((month.parse().ok()?, day.parse().ok()?)));
        if let Some((month, day)) = month_and_day {
            add(Atom::Feast(month, day), words);
        }
    }
    add(Atom::Easter, &dates.easter);
    atoms
}
