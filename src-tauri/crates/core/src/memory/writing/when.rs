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
    /// ISO 8601: `2026-03-05`, `2026-03-05T09:00` or `2026-03`.
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
        .filter_map(|found| iso(found.day, None))
        .any(|told| told.starts_with(date) || date.starts_with(&told))
}

/// The words that tell a date.
pub(super) fn words_of(words: &str, said_at: DateTime<FixedOffset>) -> Option<&str> {
    date::find(words, said_at).into_iter().next().map(|found| &words[found.range])
}

/// The first date that words tell, and where.
fn reckon(words: &str, said_at: DateTime<FixedOffset>) -> Option<(Range<usize>, String)> {
    date::find(words, said_at).into_iter().find_map(|found| Some((found.range, iso(found.day, found.time)?)))
}

fn iso(day: Day, time: Option<NaiveTime>) -> Option<String> {
    match (day, time) {
        (Day::Date(day), Some(time)) => Some(format!("{day}T{}", time.format("%H:%M"))),
        (Day::Date(_) | Day::Month(_), _) => Some(day.iso()),
        (Day::Week(_) | Day::Year(_), _) => None,
    }
}
