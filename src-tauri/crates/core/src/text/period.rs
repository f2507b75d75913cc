//! Stretches of the calendar that a question speaks of: "last March", "in May 2023", "two weeks before Christmas".

use chrono::{Datelike, Days, Months, NaiveDate};

use super::date::{self, Span};

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

    fn of(span: &Span) -> Option<Self> {
        match span {
            Span::Day(day) => Some(Self::around(*day, 2)),
            Span::Week(monday) => Some(Self::new(*monday, monday.checked_add_days(Days::new(7)))),
            Span::Month(first) => Self::month(first.year(), first.month()),
            Span::Year(year) => Self::year(*year),
        }
    }
}

/// Where a question names no year, the years it may mean: this one and those before.
const YEARS_BACK: i32 = 4;

/// The periods that a question names, seen from a day. Where it names a month without a year there is one for each year that
/// may be meant. A year beside a month is no period of its own.
pub fn periods(question: &str, today: NaiveDate) -> Vec<Period> {
    let words: Vec<String> = question.split_whitespace().map(date::bare).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (length, periods) = period_at(&words, at, today).unwrap_or((1, Vec::new()));
        found.extend(periods);
        at += length;
    }
    found.extend(date::all_iso_dates(question).into_iter().map(|day| Period::around(day, 2)));
    found
}

/// Whether a word is one of those that periods are made of.
pub fn is_part_of_one(word: &str) -> bool {
    const OTHERS: [&str; 14] = [
        "last",
        "week",
        "weeks",
        "weekend",
        "month",
        "months",
        "year",
        "years",
        "yesterday",
        "ago",
        "spring",
        "summer",
        "autumn",
        "winter",
    ];
    date::month(word).is_some() || year(word).is_some() || OTHERS.contains(&word)
}

fn period_at(words: &[String], at: usize, today: NaiveDate) -> Option<(usize, Vec<Period>)> {
    let rest = &words[at..];
    before_or_after(rest, today)
        .or_else(|| last_month_by_name(rest, today))
        .or_else(|| {
            date::relative_span(rest, today).map(|(length, span)| (length, Period::of(&span).into_iter().collect()))
        })
        .or_else(|| named_day(rest, today))
        .or_else(|| named_month(words, at, today))
        .or_else(|| season(rest, today))
        .or_else(|| holiday(rest, today))
        .or_else(|| year(&rest[0]).and_then(Period::year).map(|period| (1, vec![period])))
}

/// "two weeks before Christmas", "a month after 7 May".
fn before_or_after(words: &[String], today: NaiveDate) -> Option<(usize, Vec<Period>)> {
    let back = match words.get(2)?.as_str() {
        "before" => -1,
        "after" => 1,
        _ => return None,
    };
    let rest = &words[3..];
    let (length, anchors) = holiday(rest, today).or_else(|| named_day(rest, today))?;
    let moved = anchors.into_iter().filter_map(|anchor| {
        let middle =
            anchor.from.checked_add_days(Days::new((anchor.to - anchor.from).num_days().unsigned_abs() / 2))?;
        let day = date::shifted(&words[0], &words[1], back, middle)?;
        Some(Period::around(day, 4))
    });
    Some((3 + length, moved.collect()))
}

/// "last March", "this May", "next June".
fn last_month_by_name(words: &[String], today: NaiveDate) -> Option<(usize, Vec<Period>)> {
    let month = date::month(words.get(1)?)?;
    let year = match words[0].as_str() {
        "last" | "past" => today.year() - i32::from(month >= today.month()),
        "this" => today.year(),
        "next" => today.year() + i32::from(month <= today.month()),
        _ => return None,
    };
    Some((2, Period::month(year, month).into_iter().collect()))
}

/// "7 May", "May 7th, 2023".
fn named_day(words: &[String], today: NaiveDate) -> Option<(usize, Vec<Period>)> {
    let days = date::calendar_day(words, today);
    let has_year = words.get(2).is_some_and(|word| year(word).is_some());
    let near = |day: &NaiveDate| has_year || *day <= today.checked_add_days(Days::new(31)).unwrap_or(today);
    let periods: Vec<Period> = days.into_iter().filter(near).map(|day| Period::around(day, 2)).collect();
    (!periods.is_empty()).then_some((if has_year { 3 } else { 2 }, periods))
}

/// "May 2023", "in March"; "may" alone is a verb.
fn named_month(words: &[String], at: usize, today: NaiveDate) -> Option<(usize, Vec<Period>)> {
    let month = date::month(words[at].as_str())?;
    let next = words.get(at + 1).map(String::as_str);
    if let Some(year) = next.and_then(year).or_else(|| (next == Some("of")).then(|| year(words.get(at + 2)?)).flatten())
    {
        return Some((2, Period::month(year, month).into_iter().collect()));
    }
    let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
    let is_meant =
        words[at].len() > 3 || matches!(before, "in" | "since" | "during" | "of" | "until" | "early" | "late" | "mid");
    is_meant.then(|| (1, years(today).filter_map(|year| Period::month(year, month)).collect()))
}

/// "last summer", "in winter 2022".
fn season(words: &[String], today: NaiveDate) -> Option<(usize, Vec<Period>)> {
    let (skipped, name) = match words[0].as_str() {
        "last" | "this" | "in" => (1, words.get(1)?.as_str()),
        name => (0, name),
    };
    let first = match name {
        "spring" => 3,
        "summer" => 6,
        "autumn" => 9,
        "fall" if skipped == 1 => 9,
        "winter" => 12,
        _ => return None,
    };
    let of = |year: i32| {
        let from = NaiveDate::from_ymd_opt(year, first, 1)?;
        Some(Period::new(from, from.checked_add_months(Months::new(3)).and_then(|next| next.pred_opt())))
    };
    if let Some(year) = words.get(skipped + 1).and_then(|word| year(word)) {
        return Some((skipped + 2, of(year).into_iter().collect()));
    }
    let begun = |period: &Period| period.from <= today;
    let all = years(today).filter_map(of).filter(begun);
    let periods =
        if words[0] == "last" { all.filter(|period| !period.holds(today)).take(1).collect() } else { all.collect() };
    Some((skipped + 1, periods))
}

/// Feasts that stand on one day of each year.
fn holiday(words: &[String], today: NaiveDate) -> Option<(usize, Vec<Period>)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let (length, month, day) = match (word(0), word(1)) {
        ("christmas", "eve") => (2, 12, 24),
        ("christmas" | "xmas" | "weihnachten" | "noel" | "navidad", _) => (1, 12, 25),
        ("halloween", _) => (1, 10, 31),
        ("new", "year's" | "year" | "years") => (2, 1, 1),
        ("silvester", _) => (1, 12, 31),
        ("valentine's" | "valentines", _) => (1, 2, 14),
        ("thanksgiving", _) => (1, 11, 25),
        ("independence", "day") => (2, 7, 4),
        _ => return None,
    };
    let said = words.get(length).and_then(|word| year(word));
    let years: Vec<i32> = said.map_or_else(|| years(today).collect(), |year| vec![year]);
    let on = |year| NaiveDate::from_ymd_opt(year, month, day).map(|day| Period::around(day, 7));
    Some((length + usize::from(said.is_some()), years.into_iter().filter_map(on).collect()))
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
