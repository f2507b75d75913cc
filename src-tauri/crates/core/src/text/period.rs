//! Stretches of the calendar that a question speaks of: "last March", "in May 2023", "two weeks before Christmas".

use std::collections::HashSet;
use std::sync::LazyLock;

use chrono::{Datelike, Days, Months, NaiveDate};

use super::date::{self, Day, Said, Tendency};
use super::lexicon;
use crate::text;

/// From one day to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first day.
    pub from: NaiveDate,
    /// The last day.
    pub to: NaiveDate,
}

impl Period {
    /// Whether a day is in it.
    pub fn holds(&self, day: NaiveDate) -> bool {
        (self.from..=self.to).contains(&day)
    }

    fn new(from: NaiveDate, to: Option<NaiveDate>) -> Self {
        Self { from, to: to.unwrap_or(from) }
    }

    fn month(year: i32, month: u32) -> Option<Self> {
        let from = NaiveDate::from_ymd_opt(year, month, 1)?;
        Some(Self::new(from, from.checked_add_months(Months::new(1)).and_then(|next| next.pred_opt())))
    }

    fn year(year: i32) -> Option<Self> {
        Some(Self::new(NaiveDate::from_ymd_opt(year, 1, 1)?, NaiveDate::from_ymd_opt(year, 12, 31)))
    }

    /// So many days more on both sides: people tell of a day a little later, and of a plan a little earlier.
    fn around(day: NaiveDate, days: u64) -> Self {
        let days = Days::new(days);
        Self { from: day.checked_sub_days(days).unwrap_or(day), to: day.checked_add_days(days).unwrap_or(day) }
    }

    fn of(day: Day) -> Option<Self> {
        match day {
            Day::Date(day) => Some(Self::around(day, 2)),
            Day::Week(monday) => Some(Self::new(monday, monday.checked_add_days(Days::new(7)))),
            Day::Month(first) => Self::month(first.year(), first.month()),
            Day::Year(year) => Self::year(year),
        }
    }
}

/// Where a question names no year, the years it may mean: this one and those before.
const YEARS_BACK: i32 = 4;

/// The periods that a question names, seen from a day. Where it names a month without a year there is one for each year that
/// may be meant. A year beside a month is no period of its own.
pub fn periods(question: &str, today: NaiveDate) -> Vec<Period> {
    let found: Vec<Period> = date::said_in(question, today).iter().flat_map(|said| meant(said, today)).collect();
    if !found.is_empty() {
        return found;
    }
    text::words(question).iter().filter_map(|word| Period::year(year(word)?)).collect()
}

/// Whether a word is one of those that periods are made of.
pub fn is_part_of_one(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&'static str>> =
        LazyLock::new(|| lexicon::all().flat_map(|lexicon| lexicon.dates.of_periods()).collect());
    WORDS.contains(word) || year(word).is_some()
}

/// The periods that words of a calendar may mean, the latest first.
fn meant(said: &Said, today: NaiveDate) -> Vec<Period> {
    let around = |day: Option<NaiveDate>, days| day.map(|day| Period::around(day, days)).into_iter().collect();
    match said {
        Said::Exact(day) => Period::of(*day).into_iter().collect(),
        Said::Weekday(_) | Said::Either(_) | Said::DayOfMonth(_) => {
            around(said.day(today, Tendency::Past, false).and_then(Day::first), 2)
        }
        Said::DayOfYear { month, day } => {
            let soon = today.checked_add_days(Days::new(31)).unwrap_or(today);
            let days = (today.year() - YEARS_BACK..=today.year() + 1).rev();
            let days = days.filter_map(|year| NaiveDate::from_ymd_opt(year, *month, *day)).filter(|day| *day <= soon);
            days.map(|day| Period::around(day, 2)).collect()
        }
        Said::Feast { .. } | Said::Easter(_) => {
            let days = years(today)
                .filter_map(|year| said.day(NaiveDate::from_ymd_opt(year, 1, 1)?, Tendency::Future, false)?.first());
            days.map(|day| Period::around(day, 7)).collect()
        }
        Said::Month(month) => years(today).filter_map(|year| Period::month(year, *month)).collect(),
        Said::Season { season, year, is_last } => seasons(*season, *year, *is_last, today),
        Said::Moved { from, unit, count } => {
            let middle = |period: Period| period.from + (period.to - period.from) / 2;
            let days = meant(from, today).into_iter().filter_map(|period| unit.shift(middle(period), *count));
            days.map(|day| Period::around(day, 4)).collect()
        }
        Said::Nothing => Vec::new(),
    }
}

/// "Last summer", "in winter 2022": three months each, from March on.
fn seasons(season: u32, year: Option<i32>, is_last: bool, today: NaiveDate) -> Vec<Period> {
    let of = |year: i32| {
        let from = NaiveDate::from_ymd_opt(year, 3 + 3 * season, 1)?;
        Some(Period::new(from, from.checked_add_months(Months::new(3)).and_then(|next| next.pred_opt())))
    };
    if year.is_some() {
        return year.and_then(of).into_iter().collect();
    }
    let begun = years(today).filter_map(of).filter(|period| period.from <= today);
    if is_last { begun.filter(|period| !period.holds(today)).take(1).collect() } else { begun.collect() }
}

/// The years that may be meant, the latest first.
fn years(today: NaiveDate) -> impl Iterator<Item = i32> {
    (today.year() - YEARS_BACK..=today.year()).rev()
}

fn year(word: &str) -> Option<i32> {
    word.parse().ok().filter(|year| (1900..2200).contains(year) && word.len() == 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(question: &str) -> Vec<String> {
        // A Monday.
        let today = NaiveDate::from_ymd_opt(2026, 3, 2).unwrap();
        periods(question, today).into_iter().take(2).map(|period| format!("{}..{}", period.from, period.to)).collect()
    }

    #[test]
    fn the_periods_of_a_question_are_read() {
        for (question, expected) in [
            ("What did Mara paint in May 2023?", vec!["2023-05-01..2023-05-31"]),
            ("what happened last March", vec!["2025-03-01..2025-03-31"]),
            ("What did I do in February?", vec!["2026-02-01..2026-02-28", "2025-02-01..2025-02-28"]),
            ("Who came on 7 May 2023?", vec!["2023-05-05..2023-05-09"]),
            ("who called two weeks before Christmas 2024?", vec!["2024-12-07..2024-12-15"]),
            ("where were we last summer?", vec!["2025-06-01..2025-08-31"]),
            ("what did I say yesterday?", vec!["2026-02-27..2026-03-03"]),
            ("what did I buy last month", vec!["2026-02-01..2026-02-28"]),
            ("the trip of 2022", vec!["2022-01-01..2022-12-31"]),
            ("What may I eat?", vec![]),
            ("Who is Mara?", vec![]),
        ] {
            assert_eq!(read(question), expected, "{question}");
        }
    }
}
