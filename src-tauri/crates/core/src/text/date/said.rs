//! What words of the calendar mean, before and after it is known which of several days is meant.

use chrono::{Datelike, Days, Months, NaiveDate, NaiveTime};
use serde::Deserialize;

use super::{Day, Tendency};

/// A stretch of time that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::text) enum Unit {
    Minute,
    Hour,
    Day,
    Week,
    Fortnight,
    Month,
    Year,
}

impl Unit {
    pub(in crate::text) fn shift(self, day: NaiveDate, by: i64) -> Option<NaiveDate> {
        let months = |count: i64| {
            let months = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
            if count < 0 { day.checked_sub_months(months) } else { day.checked_add_months(months) }
        };
        match self {
            Self::Minute | Self::Hour => None,
            Self::Day => shift(day, by),
            Self::Week => shift(day, by.checked_mul(7)?),
            Self::Fortnight => shift(day, by.checked_mul(14)?),
            Self::Month => months(by),
            Self::Year => months(by.checked_mul(12)?),
        }
    }
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Part {
    Morning,
    Noon,
    Afternoon,
    Evening,
    Night,
    Midnight,
}

/// A time of day as it is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    /// Of twelve or of twenty-four.
    pub(super) hour: u32,
    /// Minutes after the hour, or before it.
    pub(super) minutes: i64,
    pub(super) part: Option<Part>,
    /// Written in digits, with its minutes.
    pub(super) is_written: bool,
}

impl Clock {
    /// The time of the part alone: noon, midnight.
    pub(super) fn of_part(part: Part) -> Option<Self> {
        let hour = match part {
            Part::Noon => 12,
            Part::Midnight => 0,
            _ => return None,
        };
        Some(Self { hour, minutes: 0, part: Some(part), is_written: false })
    }

    /// The time that is meant on a day, of which a part may be said. "At four" without a part is in the afternoon: people who
    /// mean four in the morning say so.
    pub(super) fn time(self, part_of_day: Option<Part>) -> Option<NaiveTime> {
        let hour = self.hour;
        let hour = match self.part.or(part_of_day) {
            Some(Part::Morning | Part::Night) if hour == 12 => 0,
            Some(Part::Morning | Part::Midnight) => hour,
            Some(Part::Night) if hour < 6 => hour,
            Some(Part::Noon) if hour >= 10 => hour,
            Some(_) if hour < 12 => hour + 12,
            None if !self.is_written && (1..=6).contains(&hour) => hour + 12,
            _ => hour,
        };
        let minutes = u32::try_from((i64::from(hour) * 60 + self.minutes).rem_euclid(24 * 60)).ok()?;
        NaiveTime::from_hms_opt(minutes / 60, minutes % 60, 0)
    }
}

/// What a stretch of words means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::text) enum Said {
    /// This one, whatever is told of it.
    Exact(Day),
    /// So many days ahead or ago.
    Either(i64),
    /// A weekday, from Monday = 0.
    Weekday(i64),
    /// "The 15th".
    DayOfMonth(u32),
    /// "14 May": of each year.
    DayOfYear { month: u32, day: u32 },
    /// A feast that stands on one day of each year.
    Feast { month: u32, day: u32 },
    /// "May".
    Month(u32),
    /// Easter, and so many days later.
    Easter(i64),
    /// A season, from spring = 0, of a year where one is said.
    Season { season: u32, year: Option<i32>, is_last: bool },
    /// So many units before or after another.
    Moved { from: Box<Said>, unit: Unit, count: i64 },
    /// What is no day: a habit.
    Nothing,
}

impl Said {
    /// Whether it means one day only where it is about one moment.
    pub(super) fn needs_a_moment(&self) -> bool {
        match self {
            Self::Exact(_) | Self::Nothing => false,
            Self::Moved { from, .. } => from.needs_a_moment() && !matches!(**from, Self::Weekday(_)),
            _ => true,
        }
    }

    /// The day that is meant, seen from one. Where a tendency is only guessed, a month that has just gone by is meant more often
    /// than one that is nearly a year away.
    pub(in crate::text) fn day(&self, today: NaiveDate, tendency: Tendency, is_guess: bool) -> Option<Day> {
        let is_past = tendency == Tendency::Past;
        let nearest = |of: &dyn Fn(i32) -> Option<NaiveDate>| {
            if is_past { last(today, of) } else { next(today, of) }
        };
        Some(match self {
            Self::Exact(day) => *day,
            Self::Either(days) => Day::Date(shift(today, if is_past { -days } else { *days })?),
            Self::Weekday(day) => Day::Date(weekday_of(today, *day, if is_past { Turn::Last } else { Turn::Coming })?),
            Self::DayOfMonth(day) => Day::Date(day_of_month(today, *day, is_past)?),
            Self::DayOfYear { month, day } | Self::Feast { month, day } => {
                Day::Date(nearest(&|year| NaiveDate::from_ymd_opt(year, *month, *day))?)
            }
            Self::Easter(days) => Day::Date(nearest(&|year| shift(easter(year)?, *days))?),
            Self::Month(month) => Day::Month(month_near(today, *month, is_past, is_guess)?),
            Self::Moved { from, unit, count } => {
                // "A week on Thursday" is to come whatever the verb.
                let is_ahead = *count > 0 && matches!(**from, Self::Weekday(_));
                let from = from.day(today, if is_ahead { Tendency::Future } else { tendency }, is_guess)?;
                Day::Date(unit.shift(from.first()?, *count)?)
            }
            Self::Season { .. } | Self::Nothing => return None,
        })
    }
}

/// Which weekday of several is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// The last one, today where it is today.
    Last,
    /// The last one before today.
    Before,
    /// The next one, today where it is today.
    Coming,
    /// The next one after today.
    After,
    /// The one of the week so many weeks ahead.
    Week(i64),
}

pub(super) fn weekday_of(today: NaiveDate, day: i64, turn: Turn) -> Option<NaiveDate> {
    let now = i64::from(today.weekday().num_days_from_monday());
    let ahead = (7 + day - now) % 7;
    shift(
        today,
        match turn {
            Turn::Coming => ahead,
            Turn::After => (ahead + 6) % 7 + 1,
            Turn::Last => -((7 - ahead) % 7),
            Turn::Before => -((6 - ahead + 7) % 7 + 1),
            Turn::Week(weeks) => day - now + 7 * weeks,
        },
    )
}

pub(super) fn monday(today: NaiveDate) -> Option<NaiveDate> {
    weekday_of(today, 0, Turn::Week(0))
}

pub(super) fn last_of_month(first: NaiveDate) -> Option<NaiveDate> {
    shift(Unit::Month.shift(first, 1)?, -1)
}

pub(in crate::text) fn shift(day: NaiveDate, by: i64) -> Option<NaiveDate> {
    let days = Days::new(by.unsigned_abs());
    if by < 0 { day.checked_sub_days(days) } else { day.checked_add_days(days) }
}

fn next(today: NaiveDate, on: &dyn Fn(i32) -> Option<NaiveDate>) -> Option<NaiveDate> {
    (today.year()..=today.year() + 4).filter_map(on).find(|day| *day >= today)
}

fn last(today: NaiveDate, on: &dyn Fn(i32) -> Option<NaiveDate>) -> Option<NaiveDate> {
    (today.year() - 4..=today.year()).rev().filter_map(on).find(|day| *day <= today)
}

fn day_of_month(today: NaiveDate, day: u32, is_past: bool) -> Option<NaiveDate> {
    let turn = if is_past { -1 } else { 1 };
    let mut days = (0..4).filter_map(|months| Unit::Month.shift(today.with_day(1)?, turn * months)?.with_day(day));
    days.find(|found| if is_past { *found <= today } else { *found >= today })
}

/// How many months may have gone by since a month that is meant although nothing says that it is past.
const JUST_GONE: i64 = 3;

fn month_near(today: NaiveDate, month: u32, is_past: bool, is_guess: bool) -> Option<NaiveDate> {
    let ago = (12 + i64::from(today.month()) - i64::from(month)) % 12;
    let back = is_past || is_guess && (1..=JUST_GONE).contains(&ago);
    Unit::Month.shift(today.with_day(1)?, if back { -ago } else { (12 - ago) % 12 })
}

/// Easter Sunday of the Gregorian calendar, by Gauss.
pub(in crate::text) fn easter(year: i32) -> Option<NaiveDate> {
    let (a, b, c) = (year % 19, year / 100, year % 100);
    let h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    let m = (a + 11 * h + 22 * l) / 451;
    let (month, day) = ((h + l - 7 * m + 114) / 31, (h + l - 7 * m + 114) % 31);
    shift(NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, 1)?, i64::from(day))
}
