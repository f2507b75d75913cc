//! How words of the calendar stand together: the patterns of a language's data file, and what of a text fits them.
//!
//! A pattern is a row of words and slots: `<on|by> the? {ordinal} of? {month}`. Alternatives stand between bars, what may be
//! left out has a question mark, an underscore joins the words of a phrase, and what stands between angle brackets must be there
//! but is no part of the date.

use chrono::{Datelike, NaiveDate};
use serde::Deserialize;

use super::said::{Clock, Part, Said, Turn, Unit, last_of_month, monday, shift, weekday_of};
use super::words::{Atom, Text, Vocabulary};
use super::{Day, Tendency};

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Count,
    Unit,
    Weekday,
    Month,
    MonthNumber,
    Season,
    Day,
    Ordinal,
    Year,
    Which,
    Fixed,
    Feast,
    Part,
    Hour,
    Minute,
    Date,
}

impl Slot {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "n" => Self::Count,
            "unit" => Self::Unit,
            "weekday" => Self::Weekday,
            "month" => Self::Month,
            "m" => Self::MonthNumber,
            "season" => Self::Season,
            "day" => Self::Day,
            "ordinal" => Self::Ordinal,
            "year" => Self::Year,
            "which" => Self::Which,
            "fixed" => Self::Fixed,
            "feast" => Self::Feast,
            "part" => Self::Part,
            "hour" => Self::Hour,
            "minute" => Self::Minute,
            "date" => Self::Date,
            _ => return None,
        })
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

/// What the slots of a pattern hold.
#[derive(Debug, Clone, Default)]
struct Held {
    count: Option<i64>,
    unit: Option<(Unit, i64)>,
    weekday: Option<i64>,
    month: Option<u32>,
    season: Option<u32>,
    day: Option<u32>,
    year: Option<i32>,
    which: Option<i64>,
    is_coming: bool,
    ahead: Option<i64>,
    either: Option<i64>,
    feast: Option<Said>,
    part: Option<Part>,
    hour: Option<u32>,
    minute: Option<u32>,
    date: Option<Said>,
    begins: Option<usize>,
    is_strong: bool,
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
            if !held.is_strong && !(matches!(said, Said::Weekday(_)) && self.has_time(ends)) {
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

impl Held {
    /// With a word of the calendar in a slot, where it fits.
    fn fill(&self, slot: Slot, atom: Atom) -> Option<Self> {
        let mut held = self.clone();
        let small = |number: i64, most: u32| u32::try_from(number).ok().filter(|number| (1..=most).contains(number));
        match (slot, atom) {
            (Slot::Count, Atom::Number(count)) if count <= 1000 => held.count = Some(count),
            (Slot::Unit, Atom::Unit(unit, count)) => held.unit = Some((unit, count)),
            (Slot::Weekday, Atom::Weekday(day)) => held.weekday = Some(day),
            (Slot::Month, Atom::Month(month)) => held.month = Some(month),
            (Slot::MonthNumber, Atom::Number(month)) => held.month = Some(small(month, 12)?),
            (Slot::Season, Atom::Season(season)) => held.season = Some(season),
            (Slot::Day, Atom::Number(day) | Atom::Ordinal(day)) | (Slot::Ordinal, Atom::Ordinal(day)) => {
                held.day = Some(small(day, 31)?);
            }
            (Slot::Year, Atom::Number(year)) if (1900..2200).contains(&year) => held.year = i32::try_from(year).ok(),
            (Slot::Which, Atom::Which(turn)) => held.which = Some(turn),
            (Slot::Which, Atom::Span(unit, turn)) => (held.which, held.unit) = (Some(turn), Some((unit, 1))),
            (Slot::Which, Atom::Coming) => (held.which, held.is_coming) = (Some(1), true),
            (Slot::Fixed, Atom::Ahead(days, part)) => (held.ahead, held.part) = (Some(days), part.or(held.part)),
            (Slot::Fixed, Atom::Either(days)) => held.either = Some(days),
            (Slot::Feast, Atom::Feast(month, day)) => held.feast = Some(Said::Feast { month, day }),
            (Slot::Feast, Atom::Easter) => held.feast = Some(Said::Easter(0)),
            (Slot::Part, Atom::Part(part)) => held.part = Some(part),
            (Slot::Minute, Atom::Number(minute)) if minute < 60 => held.minute = u32::try_from(minute).ok(),
            _ => return None,
        }
        Some(held)
    }

    fn said(&self, meaning: Meaning, today: NaiveDate) -> Option<Said> {
        match meaning {
            Meaning::Day | Meaning::Since => self.day(today),
            Meaning::Ahead => self.moved(1, today),
            Meaning::Back => self.moved(-1, today),
            Meaning::WeekAfter => {
                let from = self.date.clone().or_else(|| self.weekday.map(Said::Weekday))?;
                Some(Said::Moved { from: Box::new(from), unit: Unit::Week, count: 1 })
            }
            Meaning::End => self.end(today),
            Meaning::Habit => Some(Said::Nothing),
            _ => None,
        }
    }

    fn moved(&self, turn: i64, today: NaiveDate) -> Option<Said> {
        let (unit, own) = self.unit?;
        let count = turn * self.count.unwrap_or(own);
        if let Some(from) = self.date.clone().or_else(|| self.feast.clone()) {
            return Some(Said::Moved { from: Box::new(from), unit, count });
        }
        let Some(day) = unit.shift(today, count) else { return Some(Said::Nothing) };
        // "Two months ago" is no day.
        Some(Said::Exact(match unit {
            Unit::Month => Day::Month(day.with_day(1)?),
            Unit::Year => Day::Year(day.year()),
            _ => Day::Date(day),
        }))
    }

    fn end(&self, today: NaiveDate) -> Option<Said> {
        let turn = self.which.unwrap_or(0);
        match (self.month, self.unit) {
            (Some(month), _) => Some(Said::Month(month)),
            (None, Some((Unit::Week, _))) => Some(Said::Exact(Day::Date(shift(monday(today)?, 6 + 7 * turn)?))),
            (None, Some((Unit::Month, _))) => {
                Some(Said::Exact(Day::Date(last_of_month(Unit::Month.shift(today.with_day(1)?, turn)?)?)))
            }
            (None, Some((Unit::Year, _))) => {
                let year = today.year() + i32::try_from(turn).ok()?;
                Some(Said::Exact(Day::Date(NaiveDate::from_ymd_opt(year, 12, 31)?)))
            }
            _ => None,
        }
    }

    fn day(&self, today: NaiveDate) -> Option<Said> {
        if let Some(said) = self.date.clone() {
            return Some(said);
        }
        if let Some(days) = self.ahead {
            return Some(Said::Exact(Day::Date(shift(today, days)?)));
        }
        if let Some(turn) = self.which {
            return self.turned(turn, today);
        }
        let exact = |day| Some(Said::Exact(day));
        match (self.month, self.day, self.year, &self.feast) {
            (Some(month), Some(day), Some(year), _) => exact(Day::Date(NaiveDate::from_ymd_opt(year, month, day)?)),
            (Some(month), Some(day), None, _) => Some(Said::DayOfYear { month, day }),
            (Some(month), None, Some(year), _) => exact(Day::Month(NaiveDate::from_ymd_opt(year, month, 1)?)),
            (Some(month), None, None, _) => Some(Said::Month(month)),
            (None, Some(day), ..) => Some(Said::DayOfMonth(day)),
            (None, None, Some(year), Some(feast)) => {
                feast.day(NaiveDate::from_ymd_opt(year, 1, 1)?, Tendency::Future, false).map(Said::Exact)
            }
            (None, None, None, Some(feast)) => Some(feast.clone()),
            (None, None, year, None) => match (self.season, self.either, self.weekday) {
                (Some(season), ..) => Some(Said::Season { season, year, is_last: false }),
                (_, Some(days), _) => Some(Said::Either(days)),
                (.., Some(day)) => Some(Said::Weekday(day)),
                _ => year.map(|year| Said::Exact(Day::Year(year))),
            },
        }
    }

    /// "Next Friday", "last month", "this May".
    fn turned(&self, turn: i64, today: NaiveDate) -> Option<Said> {
        let unit = self.unit.map(|(unit, _)| unit);
        let day = match (self.weekday, unit) {
            (Some(day), Some(Unit::Week)) => Day::Date(weekday_of(today, day, Turn::Week(turn))?),
            (Some(day), None) => {
                let turn = match turn {
                    -1 => Turn::Before,
                    0 => Turn::Coming,
                    1 if self.is_coming => Turn::After,
                    weeks => Turn::Week(weeks),
                };
                Day::Date(weekday_of(today, day, turn)?)
            }
            (None, Some(Unit::Week)) => Day::Week(shift(monday(today)?, 7 * turn)?),
            (None, Some(Unit::Month)) => Day::Month(Unit::Month.shift(today.with_day(1)?, turn)?),
            (None, Some(Unit::Year)) if self.month.is_none() && self.season.is_none() => {
                Day::Year(today.year() + i32::try_from(turn).ok()?)
            }
            _ => return self.turned_part_of_year(turn, unit, today),
        };
        Some(Said::Exact(day))
    }

    fn turned_part_of_year(&self, turn: i64, unit: Option<Unit>, today: NaiveDate) -> Option<Said> {
        let whole_year = unit == Some(Unit::Year);
        if let Some(month) = self.month {
            let year = today.year()
                + match turn {
                    _ if whole_year => i32::try_from(turn).ok()?,
                    1 => i32::from(month <= today.month()),
                    -1 => -i32::from(month >= today.month()),
                    _ => 0,
                };
            let day = match self.day {
                Some(day) => Day::Date(NaiveDate::from_ymd_opt(year, month, day)?),
                None => Day::Month(NaiveDate::from_ymd_opt(year, month, 1)?),
            };
            return Some(Said::Exact(day));
        }
        let year = if whole_year { Some(today.year() + i32::try_from(turn).ok()?) } else { None };
        self.season.map(|season| Said::Season { season, year, is_last: turn == -1 })
    }

    fn clock(&self, meaning: Meaning) -> Option<Clock> {
        let Some(hour) = self.hour else { return Clock::of_part(self.part?) };
        let minutes = match meaning {
            Meaning::HalfPast => 30,
            Meaning::HalfTo => -30,
            Meaning::QuarterPast => 15,
            Meaning::QuarterTo => -15,
            Meaning::MinutesPast => self.count?,
            Meaning::MinutesTo => -self.count?,
            _ => i64::from(self.minute.unwrap_or(0)),
        };
        Some(Clock { hour, minutes, part: self.part, is_written: false })
    }
}
