//! How words of the calendar stand together: the patterns of a language's data file, and what of a text fits them.
//!
//! A pattern is a row of words and slots: `<on|by> the? {ordinal} of? {month}`. Alternatives stand between bars, what may be
//! left out has a question mark, an underscore joins the words of a phrase, and what stands between angle brackets must be there
//! but is no part of the date.

use chrono::NaiveDate;
use serde::Deserialize;

use super::Tendency;
use super::held::{Held, Slot};
use super::said::{Clock, Part, Said};
use super::words::{Atom, Text, Vocabulary};

/// What a pattern means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Meaning {
    /// A day, a week, a month or a year, as its slots say.
    Day,
    /// The same, and it has been: "since May".
    Since,
    /// So many units later.
    Ahead,
    /// So many units earlier.
    Back,
    /// A week later than the day.
    WeekAfter,
    /// The end of a unit or a month.
    End,
    /// What comes again and again, or is no day at all.
    Habit,
    /// An hour, and minutes where they are said.
    Clock,
    HalfPast,
    HalfTo,
    QuarterPast,
    QuarterTo,
    MinutesPast,
    MinutesTo,
}

impl Meaning {
    pub(super) fn is_clock(self) -> bool {
        self >= Self::Clock
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Words(Vec<u16>),
    Slot(Slot),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Element {
    what: What,
    is_optional: bool,
    /// Must be there, and is no part of the date.
    is_outside: bool,
}

/// One row of words and slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) meaning: Meaning,
    elements: Vec<Element>,
}

impl Pattern {
    /// Reads a pattern. `None` where it has a slot that there is not.
    pub(super) fn read(meaning: Meaning, written: &str, vocabulary: &mut Vocabulary) -> Option<Self> {
        let mut is_outside = false;
        let mut elements = Vec::new();
        for token in written.split(' ') {
            is_outside |= token.starts_with('<');
            let (token, is_optional) = token.strip_suffix('?').map_or((token, false), |token| (token, true));
            let closes = token.ends_with('>');
            let token = token.trim_matches(['<', '>']);
            let what = match token.strip_prefix('{').and_then(|token| token.strip_suffix('}')) {
                Some(slot) => What::Slot(Slot::named(slot)?),
                None => {
                    What::Words(token.split('|').map(|word| vocabulary.pattern_word(&word.replace('_', " "))).collect())
                }
            };
            elements.push(Element { what, is_optional, is_outside });
            is_outside &= !closes;
        }
        Some(Self { meaning, elements })
    }

    fn has_date(&self) -> bool {
        self.elements.iter().any(|element| element.what == What::Slot(Slot::Date))
    }
}

/// A stretch of a text that fits a pattern: its places in characters, and what it means.
#[derive(Debug, Clone)]
pub(super) struct Match<T> {
    /// Where it begins with the words that are no part of the date.
    pub(super) from: usize,
    pub(super) begins: usize,
    pub(super) ends: usize,
    pub(super) what: T,
}

/// A day as it is said, with what its words tell beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidDay {
    pub(super) said: Said,
    /// Whether it is to come or has been, where its own words tell.
    pub(super) tendency: Option<Tendency>,
    /// The part of the day.
    pub(super) part: Option<Part>,
}

/// A text on its way through the patterns of one language.
pub(super) struct Matcher<'a> {
    text: &'a Text,
    patterns: &'a [Pattern],
    today: NaiveDate,
    /// The words of the calendar that begin at each place.
    atoms: Vec<Vec<(usize, Atom, bool)>>,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(text: &'a Text, vocabulary: &Vocabulary, patterns: &'a [Pattern], today: NaiveDate) -> Self {
        Self { text, patterns, today, atoms: vocabulary.atoms(text) }
    }

    /// All days of the text, in their order, none over another.
    pub(super) fn days(&self) -> Vec<Match<SaidDay>> {
        self.all(|at| self.day_at(at, true))
    }

    /// All times of the day.
    pub(super) fn times(&self) -> Vec<Match<Clock>> {
        self.all(|at| self.time_at(at))
    }

    fn all<T>(&self, find: impl Fn(usize) -> Option<Match<T>>) -> Vec<Match<T>> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < self.atoms.len() {
            match (!self.atoms[at].is_empty()).then(|| find(at)).flatten() {
                Some(one) => {
                    at = one.ends.max(at + 1);
                    found.push(one);
                }
                None => at += 1,
            }
        }
        found
    }

    fn day_at(&self, at: usize, may_nest: bool) -> Option<Match<SaidDay>> {
        let mut best: Option<Match<_>> = None;
        if self.atoms[at].is_empty() {
            return best;
        }
        let usable = self.patterns.iter().filter(|pattern| !pattern.meaning.is_clock());
        for pattern in usable.filter(|pattern| may_nest || (!pattern.has_date() && pattern.meaning == Meaning::Day)) {
            let Some((ends, held)) = self.fit(pattern, at) else { continue };
            if best.as_ref().is_some_and(|best| best.ends >= ends) {
                continue;
            }
            let begins = held.begins.unwrap_or(at);
            let Some(said) = held.said(pattern.meaning, self.today) else { continue };
            // "Wed" is a day where a time stands beside it.
            if !(held.is_strong || matches!(said, Said::Weekday(_)) && self.has_time(ends)) {
                continue;
            }
            if matches!(said, Said::DayOfMonth(_)) && self.is_of_a_thing(ends) {
                continue;
            }
            let tendency = (pattern.meaning == Meaning::Since).then_some(Tendency::Past);
            best = Some(Match { from: at, begins, ends, what: SaidDay { said, tendency, part: held.part } });
        }
        // Behind the word in front of it more may fit: "due March 3rd" is more than "due March".
        let longer = best
            .as_ref()
            .filter(|best| best.begins > at)
            .and_then(|best| self.day_at(best.begins, may_nest).filter(|longer| longer.ends > best.ends));
        longer.map(|longer| Match { from: at, ..longer }).or(best)
    }

    fn has_time(&self, at: usize) -> bool {
        let next = self.text.gap(at);
        self.time_beside(at).is_some() || next < self.atoms.len() && self.time_at(next).is_some()
    }

    /// Whether a word follows that has a meaning of its own: "the 3rd floor".
    fn is_of_a_thing(&self, at: usize) -> bool {
        let rest = self.text.chars[at..].iter().skip_while(|c| **c == ' ');
        let next: String = rest.take_while(|c| c.is_alphanumeric()).collect();
        !next.is_empty() && !crate::text::is_stop_word(&next) && !next.chars().any(crate::text::is_unspaced)
    }

    fn time_at(&self, at: usize) -> Option<Match<Clock>> {
        let mut best: Option<Match<_>> = None;
        for pattern in self.patterns.iter().filter(|pattern| pattern.meaning.is_clock()) {
            let Some((ends, held)) = self.fit(pattern, at) else { continue };
            if best.as_ref().is_some_and(|best| best.ends >= ends) {
                continue;
            }
            let time = held.clock(pattern.meaning);
            best = time.map(|time| Match { from: at, begins: held.begins.unwrap_or(at), ends, what: time }).or(best);
        }
        let written = || self.hours(at).into_iter().find(|(_, _, minute, mark)| minute.is_some() && *mark != '.');
        best.or_else(|| {
            let (ends, hour, minute, _) = written()?;
            Some(Match {
                from: at,
                begins: at,
                ends,
                what: Clock { hour, minutes: i64::from(minute?), part: None, is_written: true },
            })
        })
    }

    /// "9.20" and "9-11", which are times only beside a day.
    pub(super) fn time_beside(&self, at: usize) -> Option<Match<Clock>> {
        let at = self.text.gap(at);
        let hours = self.hours(at);
        let whole = hours.iter().find(|(_, _, minute, _)| minute.is_some());
        let (ends, hour, minute, _) = whole.or_else(|| {
            hours.iter().find(|(end, ..)| self.text.chars.get(*end) == Some(&'-') && !self.hours(end + 1).is_empty())
        })?;
        let what =
            Clock { hour: *hour, minutes: minute.map_or(0, i64::from), part: None, is_written: minute.is_some() };
        Some(Match { from: at, begins: at, ends: *ends, what })
    }

    fn fit(&self, pattern: &Pattern, at: usize) -> Option<(usize, Held)> {
        let mut best = None;
        self.run(&pattern.elements, at, &Held::default(), true, &mut best);
        best
    }

    fn run(&self, elements: &[Element], at: usize, held: &Held, is_first: bool, best: &mut Option<(usize, Held)>) {
        let Some((element, rest)) = elements.split_first() else {
            if best.as_ref().is_none_or(|(end, _)| *end < at) {
                *best = Some((at, held.clone()));
            }
            return;
        };
        if element.is_optional {
            self.run(rest, at, held, is_first, best);
        }
        let here = if is_first { at } else { self.text.gap(at) };
        if self.atoms.get(here).is_none_or(Vec::is_empty) {
            return;
        }
        for (end, mut more) in self.take(&element.what, here, held) {
            if !element.is_outside && more.begins.is_none() {
                more.begins = Some(here);
            }
            self.run(rest, end, &more, false, best);
        }
    }

    /// What an element may take here: where it ends, and what is held then.
    fn take(&self, what: &What, at: usize, held: &Held) -> Vec<(usize, Held)> {
        let slot = match what {
            What::Words(words) => {
                let fits = |atom: &Atom| matches!(atom, Atom::Word(word) if words.contains(word));
                let here = self.atoms[at].iter().filter(|(_, atom, _)| fits(atom));
                let is_word = self.text.chars[at].is_alphanumeric();
                let with = |is_weak: bool| Held { is_strong: held.is_strong || is_word && !is_weak, ..held.clone() };
                return here.map(|(end, _, is_weak)| (*end, with(*is_weak))).collect();
            }
            What::Slot(slot) => *slot,
        };
        match slot {
            Slot::Date => {
                let day = self.day_at(at, false).into_iter();
                day.map(|day| {
                    (day.ends, Held { date: Some(day.what.said), part: day.what.part, is_strong: true, ..held.clone() })
                })
                .collect()
            }
            Slot::Hour => {
                // "05:30" says itself that it is no afternoon.
                let early = (self.text.chars[at] == '0').then_some(Part::Morning);
                let hour = |(end, hour, minute, _): (usize, u32, Option<u32>, char)| {
                    let (part, minute) = (held.part.or(early), minute.or(held.minute));
                    (end, Held { hour: Some(hour), minute, part, is_strong: true, ..held.clone() })
                };
                self.hours(at).into_iter().map(hour).collect()
            }
            _ => {
                let digits = self.text.chars[at].is_ascii_digit();
                let fill = |(end, atom, is_weak): &(usize, Atom, bool)| {
                    let mut more = held.fill(slot, *atom)?;
                    let is_bare_number = matches!(atom, Atom::Number(_) | Atom::Ordinal(_)) && !digits;
                    more.is_strong |= !is_weak && !is_bare_number;
                    Some((*end, more))
                };
                self.atoms[at].iter().filter_map(fill).collect()
            }
        }
    }

    /// The hours that may be read here: where each ends, its minute, and the sign between them.
    fn hours(&self, at: usize) -> Vec<(usize, u32, Option<u32>, char)> {
        let mut hours = Vec::new();
        for (end, atom, _) in self.atoms.get(at).into_iter().flatten() {
            let (Atom::Number(hour) | Atom::Ordinal(hour)) = atom else { continue };
            let Some(hour) = u32::try_from(*hour).ok().filter(|hour| *hour <= 24) else { continue };
            hours.push((*end, hour % 24, None, ' '));
            let minute: String = self.text.chars[*end..].iter().skip(1).take(2).collect();
            let is_over = self.text.chars.get(end + 3).is_none_or(|c| !c.is_ascii_digit());
            let mark = self.text.chars.get(*end).copied().filter(|mark| matches!(mark, ':' | '.' | 'h') && is_over);
            let value = minute.parse().ok().filter(|minute| *minute < 60).filter(|_| minute.len() == 2);
            if let (Some(mark), Some(minute)) = (mark, value) {
                hours.push((end + 3, hour % 24, Some(minute), mark));
            }
        }
        hours
    }
}
