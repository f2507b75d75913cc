//! Days in what people say: "tomorrow" becomes a date, because tomorrow it means another day.
//!
//! [`words`] has the words of the calendar, [`relative`] reads stretches of them, [`unspaced`] does for scripts without spaces.

use chrono::{Datelike, Days, NaiveDate};

use crate::text;

mod relative;
mod unspaced;
mod words;

pub(super) use words::month;

/// What a stretch of words says about the calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Span {
    Day(NaiveDate),
    Week(NaiveDate),
    Month(NaiveDate),
    Year(i32),
}

impl Span {
    fn written(&self) -> String {
        match self {
            Self::Week(monday) => format!("the week of {}", monday.format("%Y-%m-%d")),
            other => other.stamp(),
        }
    }

    /// As digits: "2026-03-05", "2026-03", "2026".
    fn stamp(&self) -> String {
        match self {
            Self::Day(day) | Self::Week(day) => day.format("%Y-%m-%d").to_string(),
            Self::Month(first) => first.format("%Y-%m").to_string(),
            Self::Year(year) => year.to_string(),
        }
    }

    fn day(&self) -> Option<NaiveDate> {
        match self {
            Self::Day(day) | Self::Week(day) | Self::Month(day) => Some(*day),
            Self::Year(_) => None,
        }
    }
}

/// Whether a weekday alone ("Friday") or a day without its year ("14 May") means one day: it does for an appointment, not for
/// a habit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weekdays {
    /// The next such day.
    AreDates,
    /// The last such day.
    WereDates,
    /// Left as they are.
    AreHabits,
}

impl Weekdays {
    /// Such a day of the calendar.
    fn on(self, today: NaiveDate, month: u32, day: u32) -> Option<NaiveDate> {
        match self {
            Self::WereDates => words::last_on(today, month, day),
            Self::AreDates | Self::AreHabits => words::next_on(today, month, day),
        }
    }
}

/// The text with each relative day replaced by its date. Text that names a date already is left alone.
pub fn absolute(said: &str, today: NaiveDate, weekdays: Weekdays) -> String {
    if last_iso_date(said).is_some() {
        return said.to_owned();
    }
    let said = if said.chars().any(text::is_unspaced) { &unspaced::absolute(said, today, weekdays) } else { said };
    let words: Vec<&str> = said.split_whitespace().collect();
    let plain: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let found =
            relative::relative(&plain[at..], today).or_else(|| relative::of_a_moment(&plain[at..], today, weekdays));
        match found {
            Some((length, span, name)) => {
                let tail: String =
                    words[at + length - 1].chars().rev().take_while(|c| matches!(c, ',' | ';')).collect();
                out.push(format!("{}{}{tail}", name.map(|n| format!("{n} ")).unwrap_or_default(), span.written()));
                at += length;
            }
            None => {
                out.push(words[at].to_owned());
                at += 1;
            }
        }
    }
    out.join(" ")
}

/// The days that a text speaks of, as far as they can be told, as digits: "2026-03-05", "2026-03", "2026".
pub fn mentioned(said: &str, today: NaiveDate) -> Vec<String> {
    text::sentences(said).into_iter().flat_map(|sentence| mentioned_in(sentence, today)).collect()
}

fn mentioned_in(said: &str, today: NaiveDate) -> Vec<String> {
    let plain: Vec<String> = said.split_whitespace().map(bare).collect();
    let mut found = Vec::new();
    for at in 0..plain.len() {
        let rest = &plain[at..];
        found.extend(relative::relative(rest, today).map(|(_, span, _)| span.stamp()));
        for weekdays in [Weekdays::AreDates, Weekdays::WereDates] {
            found.extend(relative::of_a_moment(rest, today, weekdays).map(|(_, span, _)| span.stamp()));
        }
        found.extend(calendar_day(rest, today).into_iter().map(|day| Span::Day(day).stamp()));
        for weekdays in [Weekdays::AreDates, Weekdays::WereDates] {
            let first = month(&rest[0]).and_then(|month| weekdays.on(today.with_day(1)?, month, 1));
            found.extend(first.map(|first| Span::Month(first).stamp()));
        }
    }
    found.extend(all_iso_dates(said).into_iter().map(|day| Span::Day(day).stamp()));
    for line in said.lines().filter(|line| line.chars().any(text::is_unspaced)) {
        found.extend(unspaced::spans(line, today).iter().map(Span::stamp));
        for (year, month, day) in unspaced::calendar_days(line) {
            let years = year.map_or_else(|| vec![today.year() - 1, today.year(), today.year() + 1], |year| vec![year]);
            let days = years.into_iter().filter_map(|year| NaiveDate::from_ymd_opt(year, month, day));
            found.extend(days.map(|day| Span::Day(day).stamp()));
        }
    }
    found
}

pub(super) fn bare(word: &str) -> String {
    text::fold(word).trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// What a stretch of words that begins here says about the calendar, seen from a day: how many words, and what.
pub(super) fn relative_span(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    relative::relative(words, today).map(|(length, span, _)| (length, span))
}

/// A day moved by "two" "weeks", forth or back.
pub(super) fn shifted(count: &str, of: &str, turn: i64, from: NaiveDate) -> Option<NaiveDate> {
    words::unit(of)?.shift(from, words::number(count)? * turn)
}

/// "3 March", "March 3rd", "3. März".
pub(super) fn calendar_day(words: &[String], today: NaiveDate) -> Vec<NaiveDate> {
    let (Some(a), Some(b)) = (words.first(), words.get(1)) else { return Vec::new() };
    let day_number = |word: &str| word.trim_end_matches(|c: char| c.is_alphabetic()).parse::<u32>().ok();
    let (day, month) = match (month(a), month(b)) {
        (Some(month), _) => (day_number(b), month),
        (None, Some(month)) => (day_number(a), month),
        (None, None) => return Vec::new(),
    };
    let said_year = words.get(2).and_then(|word| word.parse::<i32>().ok()).filter(|year| (1900..2200).contains(year));
    let years = said_year.map_or_else(|| vec![today.year() - 1, today.year(), today.year() + 1], |year| vec![year]);
    years.into_iter().filter_map(|year| NaiveDate::from_ymd_opt(year, month, day?)).collect()
}

pub(super) fn starts_with(words: &[String], phrase: &str) -> bool {
    let mut at = 0;
    phrase.split(' ').all(|part| {
        at += 1;
        words.get(at - 1).is_some_and(|word| word == part)
    })
}

pub(super) fn shift(day: NaiveDate, by: i64) -> Option<NaiveDate> {
    let days = Days::new(by.unsigned_abs());
    if by < 0 { day.checked_sub_days(days) } else { day.checked_add_days(days) }
}

/// The places of dates of the form 2026-03-05, each with its day.
fn iso_dates(text: &str) -> Vec<(usize, NaiveDate)> {
    let bytes = text.as_bytes();
    (0..bytes.len().saturating_sub(9))
        .filter(|&at| {
            let before = at.checked_sub(1).is_none_or(|i| !bytes[i].is_ascii_alphanumeric());
            let after = bytes.get(at + 10).is_none_or(|b| !b.is_ascii_digit());
            before && after && bytes[at].is_ascii_digit()
        })
        .filter_map(|at| Some((at, NaiveDate::parse_from_str(text.get(at..at + 10)?, "%Y-%m-%d").ok()?)))
        .collect()
}

/// The last date of the form 2026-03-05 in a text: the end of a span, or the one there is.
pub fn last_iso_date(text: &str) -> Option<NaiveDate> {
    iso_dates(text).last().map(|(_, day)| *day)
}

/// The last day of the last stretch of time that a text names in digits: a day, "the week of 2026-03-02", or "2026-03".
pub fn last_day(text: &str) -> Option<NaiveDate> {
    if let Some((at, day)) = iso_dates(text).last() {
        let is_week = text[..*at].ends_with("the week of ");
        return if is_week { shift(*day, 6) } else { Some(*day) };
    }
    let (year, month) = *iso_months(text).last()?;
    shift(words::Unit::Month.shift(NaiveDate::from_ymd_opt(year, month, 1)?, 1)?, -1)
}

/// The months of the form 2026-03 in a text.
fn iso_months(text: &str) -> Vec<(i32, u32)> {
    let is_end = |c: char| !(c.is_alphanumeric() || c == '-');
    let months = text.split(is_end).filter_map(|word| {
        let (year, month) = word.split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2)?;
        Some((year.parse().ok()?, month.parse().ok().filter(|month| (1..=12).contains(month))?))
    });
    months.collect()
}

/// What a text names in digits of the calendar, as it stands there: "2026-03-05", "2026-03".
pub fn stamps(text: &str) -> Vec<String> {
    let days = all_iso_dates(text).into_iter().map(|day| Span::Day(day).stamp());
    days.chain(iso_months(text).into_iter().map(|(year, month)| format!("{year:04}-{month:02}"))).collect()
}

/// All dates of the form 2026-03-05 in a text.
pub fn all_iso_dates(text: &str) -> Vec<NaiveDate> {
    iso_dates(text).into_iter().map(|(_, day)| day).collect()
}

/// The text with 2026-03-05 as "5 March 2026".
pub fn for_people(text: &str) -> String {
    let mut out = text.to_owned();
    for (at, day) in iso_dates(text).into_iter().rev() {
        out.replace_range(at..at + 10, &day.format("%-d %B %Y").to_string());
    }
    out
}

/// A text that is one day of the calendar, in one form: "1990-05-14", or "--05-14" where no year is said.
pub fn day_key(said: &str) -> Option<String> {
    if said.chars().any(text::is_unspaced) {
        return unspaced::day_key(said);
    }
    let words: Vec<String> =
        said.split_whitespace().map(bare).filter(|word| !matches!(word.as_str(), "of" | "the" | "de")).collect();
    let words = match words.first() {
        Some(first) if words::weekday(first).is_some() => &words[1..],
        _ => &words[..],
    };
    if let [only] = words {
        return NaiveDate::parse_from_str(only, "%Y-%m-%d").ok().map(|day| day.to_string());
    }
    let [a, b, rest @ ..] = words else { return None };
    let (day, month) = month(b).map(|month| (a, month)).or_else(|| month(a).map(|month| (b, month)))?;
    let day: u32 =
        day.trim_end_matches(|c: char| c.is_alphabetic()).parse().ok().filter(|day| (1..=31).contains(day))?;
    match rest {
        [] => Some(format!("--{month:02}-{day:02}")),
        [year] if year.len() == 4 => Some(format!("{:04}-{month:02}-{day:02}", year.parse::<u32>().ok()?)),
        _ => None,
    }
}

/// Whether a text for people begins with a day: "5 March 2026".
pub fn begins_with_spoken_date(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let day = words.next().and_then(|word| word.parse::<u32>().ok());
    day.is_some_and(|day| (1..=31).contains(&day)) && words.next().is_some_and(|word| month(&bare(word)).is_some())
}

#[cfg(test)]
mod tests;

/// A date in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub range: std::ops::Range<usize>,
    pub day: Day,
    pub time: Option<chrono::NaiveTime>,
}
/// A day or longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Day {
    Day(NaiveDate),
    Month(NaiveDate),
    Year(i32),
    Week(NaiveDate),
}
/// INTERIM
pub fn find(_text: &str, _said_at: chrono::DateTime<chrono::FixedOffset>) -> Vec<Found> {
    Vec::new()
}
