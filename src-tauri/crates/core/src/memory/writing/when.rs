//! When something is that a message tells: its own words, and the day that they mean.

use std::ops::Range;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime};

use super::quote::Spoken;
use crate::text::date::{self, Day};

/// The words, and the date that code reckons from them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct When {
    /// The words of the message.
    pub words: Option<String>,
    /// ISO 8601: `2026-03-05`, `2026-03-05T09:00`, `2026-03` or `2026`; a week as an interval, `2026-03-09/2026-03-15`.
    pub date: Option<String>,
}

/// When the words of a quote say that it is. `proposed` are the words that an annotation points at, or a date.
pub(super) fn of(
    spoken: &Spoken<'_>,
    quote: &Range<usize>,
    proposed: Option<&str>,
    said_at: DateTime<FixedOffset>,
) -> When {
    let words = spoken.words(quote);
    let pointed = proposed.filter(|when| !is_iso(when)).and_then(|when| spoken.find(when, &spoken.whole()));
    if let Some(range) = pointed {
        let pointed = spoken.words(&range);
        let date = reckon(pointed, said_at).map(|(_, date)| date);
        return When { words: Some(pointed.to_owned()), date };
    }
    match reckon(words, said_at) {
        Some((range, date)) => When { words: Some(words[range].to_owned()), date: Some(date) },
        None => When::default(),
    }
}

/// Whether a word is a date in digits.
pub(super) fn is_iso(word: &str) -> bool {
    word.parse::<NaiveDate>().is_ok() || format!("{word}-01").parse::<NaiveDate>().is_ok()
}

/// Whether words tell this date.
pub(super) fn tells(words: &str, date: &str, said_at: DateTime<FixedOffset>) -> bool {
    date::find(words, said_at)
        .iter()
        .filter(|found| !matches!(found.day, Day::Year(_)))
        .filter_map(|found| iso(found.day, None))
        .any(|told| told.starts_with(date) || date.starts_with(&told))
}

/// The words that tell a date.
pub(super) fn words_of(words: &str, said_at: DateTime<FixedOffset>) -> Option<&str> {
    date::find(words, said_at).into_iter().next().map(|found| &words[found.range])
}

/// The first date that words tell, and where; a whole year only where there is nothing closer.
fn reckon(words: &str, said_at: DateTime<FixedOffset>) -> Option<(Range<usize>, String)> {
    let (years, days): (Vec<_>, Vec<_>) =
        date::find(words, said_at).into_iter().partition(|found| matches!(found.day, Day::Year(_)));
    // A year in digits says itself, and may be no date: a car of 2017.
    let is_reckoned = |range: &Range<usize>| !words[range.clone()].contains(char::is_numeric);
    let reckoned = years.into_iter().filter(|year| is_reckoned(&year.range));
    days.into_iter().chain(reckoned).find_map(|found| Some((found.range, iso(found.day, found.time)?)))
}

fn iso(day: Day, time: Option<NaiveTime>) -> Option<String> {
    match (day, time) {
        (Day::Date(day), Some(time)) => Some(format!("{day}T{}", time.format("%H:%M"))),
        (Day::Date(_) | Day::Month(_) | Day::Year(_), _) => Some(day.iso()),
        (Day::Week(monday), _) => Some(format!("{monday}/{}", day.last()?)),
    }
}

/// The last day of a date that is kept: of a week its Sunday; else as much of it as there is.
pub(in crate::memory) fn end_of(date: &str) -> &str {
    date.split_once('/').map_or(date, |(_, last)| last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reckoned(words: &str) -> Option<String> {
        let said_at = DateTime::parse_from_rfc3339("2026-03-02T09:00:00+01:00").unwrap();
        reckon(words, said_at).map(|(_, date)| date)
    }

    #[test]
    fn a_week_is_kept_from_its_first_day_to_its_last_and_a_year_where_it_had_to_be_reckoned() {
        assert_eq!(reckoned("the market is next week").as_deref(), Some("2026-03-09/2026-03-15"));
        assert_eq!(reckoned("the passport expires in a year").as_deref(), Some("2027"));
        assert_eq!(reckoned("next year, on 4 May").as_deref(), Some("2026-05-04"));
        assert_eq!(reckoned("the bike is from 2019"), None);
        assert_eq!((end_of("2026-03-09/2026-03-15"), end_of("2026-03")), ("2026-03-15", "2026-03"));
    }
}
