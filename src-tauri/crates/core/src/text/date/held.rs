//! What the slots of a pattern hold, and which day or time that is.

use chrono::{Datelike, NaiveDate};

use super::pattern::Meaning;
use super::said::{Clock, Part, Said, Turn, Unit, last_of_month, monday, shift, weekday_of};
use super::words::Atom;
use super::{Day, Tendency};

/// A place of a pattern for one word of the calendar, or for a time or a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
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
    pub(super) fn named(name: &str) -> Option<Self> {
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

/// What the slots of a pattern hold.
#[derive(Debug, Clone, Default)]
pub(super) struct Held {
    pub(super) count: Option<i64>,
    pub(super) unit: Option<(Unit, i64)>,
    pub(super) weekday: Option<i64>,
    pub(super) month: Option<u32>,
    pub(super) season: Option<u32>,
    pub(super) day: Option<u32>,
    pub(super) year: Option<i32>,
    pub(super) which: Option<i64>,
    pub(super) is_coming: bool,
    pub(super) ahead: Option<i64>,
    pub(super) either: Option<i64>,
    pub(super) feast: Option<Said>,
    pub(super) part: Option<Part>,
    pub(super) hour: Option<u32>,
    pub(super) minute: Option<u32>,
    pub(super) date: Option<Said>,
    /// Where the date begins, behind the words that are no part of it.
    pub(super) begins: Option<usize>,
    /// Whether a word is among them that is of the calendar alone.
    pub(super) is_strong: bool,
}

impl Held {
    /// With a word of the calendar in a slot, where it fits.
    pub(super) fn fill(&self, slot: Slot, atom: Atom) -> Option<Self> {
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

    pub(super) fn said(&self, meaning: Meaning, today: NaiveDate) -> Option<Said> {
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
            // One word for the end of the month names no unit.
            (None, None) => Some(Said::Exact(Day::Date(last_of_month(today.with_day(1)?)?))),
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

    pub(super) fn clock(&self, meaning: Meaning) -> Option<Clock> {
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
