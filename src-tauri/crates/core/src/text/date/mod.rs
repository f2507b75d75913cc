//! Days and times in what people say: "tomorrow" becomes a date, because tomorrow it means another day.
//!
//! One engine reads all languages. [`words`] finds the words of a language's calendar, as its data file has them, in a text,
//! [`pattern`] and [`held`] read how they stand together, [`numeric`] reads days in digits, and [`said`] reckons which day is meant.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::LazyLock;

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveTime};

use super::language::{self, Language};
use super::lexicon;
use crate::text;

mod held;
mod numeric;
mod pattern;
mod said;
mod words;

use pattern::{Match, Matcher, Pattern, SaidDay};
use said::Clock;
pub(super) use said::{Said, shift};
pub(super) use words::DateWords;
use words::{Text, Vocabulary};

/// A stretch of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Day {
    /// One day.
    Date(NaiveDate),
    /// A week, by its Monday.
    Week(NaiveDate),
    /// A month, by its first day.
    Month(NaiveDate),
    /// A year.
    Year(i32),
}

impl Day {
    /// Its first day.
    pub fn first(self) -> Option<NaiveDate> {
        match self {
            Self::Date(day) | Self::Week(day) | Self::Month(day) => Some(day),
            Self::Year(year) => NaiveDate::from_ymd_opt(year, 1, 1),
        }
    }

    /// Its last day.
    pub fn last(self) -> Option<NaiveDate> {
        match self {
            Self::Date(day) => Some(day),
            Self::Week(monday) => shift(monday, 6),
            Self::Month(first) => said::last_of_month(first),
            Self::Year(year) => NaiveDate::from_ymd_opt(year, 12, 31),
        }
    }

    /// As digits: "2026-03-05", "2026-03", "2026"; a week as its Monday.
    pub fn iso(self) -> String {
        match self {
            Self::Date(day) | Self::Week(day) => day.format("%Y-%m-%d").to_string(),
            Self::Month(first) => first.format("%Y-%m").to_string(),
            Self::Year(year) => year.to_string(),
        }
    }

    fn written(self) -> String {
        match self {
            Self::Week(_) => format!("the week of {}", self.iso()),
            other => other.iso(),
        }
    }
}

/// What a text tells of, where its words fit several days: a plan, what has been, or what comes again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tendency {
    /// The next such day.
    Future,
    /// The last such day.
    Past,
    /// No such day: "Friday" alone is none.
    Habit,
}

/// A day that a text names, with the time of day where it is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where its words stand, in bytes of the text.
    pub range: Range<usize>,
    /// Which it is.
    pub day: Day,
    /// The time of day; an hour up to six without a part of the day is in the afternoon.
    pub time: Option<NaiveTime>,
}

/// The days that a text names, counted from the moment when it was said, in its zone. Whether it tells of a plan or of what has
/// been is guessed by the verbs of each sentence.
pub fn find(said: &str, said_at: DateTime<FixedOffset>) -> Vec<Found> {
    found(said, said_at.date_naive(), None)
}

/// The same, where it is known what the text tells of.
pub fn find_as(said: &str, said_at: DateTime<FixedOffset>, tendency: Tendency) -> Vec<Found> {
    found(said, said_at.date_naive(), Some(tendency))
}

/// The day that words name, as digits, or the words as they are.
pub fn iso_or(words: &str, said_at: DateTime<FixedOffset>) -> String {
    find(words, said_at).first().map_or_else(|| words.to_owned(), |found| found.day.iso())
}

fn found(said: &str, today: NaiveDate, tendency: Option<Tendency>) -> Vec<Found> {
    let reading = Reading::of(said, today);
    let mut ends = text::sentence_ends(said);
    ends.push(said.len());
    let sentence = |at: usize| {
        let number = ends.iter().position(|end| at < *end).unwrap_or(ends.len() - 1);
        number.checked_sub(1).map_or(0, |before| ends[before])..ends[number]
    };
    let mut found = Vec::new();
    for one in &reading.days {
        let range = reading.text.range(one.begins, one.ends);
        let guess =
            || if reading.reader.is_past(&said[sentence(range.start)]) { Tendency::Past } else { Tendency::Future };
        let known = one.what.tendency.or(tendency);
        if known == Some(Tendency::Habit) && one.what.said.needs_a_moment() {
            continue;
        }
        let day = one.what.said.day(today, known.unwrap_or_else(guess), known.is_none());
        found.extend(day.map(|day| (Found { range, day, time: None }, one.what.part)));
    }
    for time in &reading.times {
        let range = reading.text.range(time.from, time.ends);
        let same = sentence(range.start);
        let free = found.iter_mut().filter(|(day, _)| day.time.is_none() && same.contains(&day.range.start));
        if let Some((day, part)) = free.min_by_key(|(day, _)| apart(&day.range, &range).len()) {
            day.time = time.what.time(*part);
            let between = apart(&day.range, &range);
            if between.len() < NEAR || !said[between].contains(char::is_alphanumeric) {
                day.range = day.range.start.min(range.start)..day.range.end.max(range.end);
            }
        }
    }
    found.into_iter().map(|(found, _)| found).collect()
}

/// What stands between two stretches of a text.
fn apart(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    first.end.min(second.start)..second.start
}

/// How many bytes between a day and its time are no more than a word between them: "at".
const NEAR: usize = 6;

/// Latin letters stand before it.
const LAST_LATIN: char = '\u{0370}';

/// What stands in a text of the calendar, in the language that fits it best.
struct Reading {
    text: Rc<Text>,
    days: Vec<Match<SaidDay>>,
    times: Vec<Match<Clock>>,
    reader: &'static Reader,
}

impl Reading {
    fn of(said: &str, today: NaiveDate) -> Self {
        let likely = language::likely(said);
        let is_latin = said.chars().any(|c| c.is_ascii_alphabetic());
        let is_mixed = is_latin && said.chars().any(|c| c > LAST_LATIN && c.is_alphabetic());
        // Hindi is also written in Latin letters, and Japanese in Chinese characters alone, and no detector of languages tells.
        let has_han = said.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c));
        let may_be = |code: &str| is_mixed || is_latin && code == "hi" || has_han && matches!(code, "ja" | "zh");
        let others: Vec<Language> =
            Language::all().filter(|other| may_be(other.code()) && !likely.contains(other)).collect();
        let text = Rc::new(Text::new(said));
        let mut readings: Vec<Self> =
            likely.into_iter().chain(others).map(|language| Self::in_language(&text, language, today)).collect();
        readings.sort_by_key(|reading| std::cmp::Reverse(reading.covered()));
        let mut readings = readings.into_iter();
        let mut best = readings.next().expect("every text may be in some language");
        let is_latin = |day: &Match<SaidDay>| text.chars[day.begins] < LAST_LATIN;
        if is_mixed && let Some(own) = best.days.first().map(is_latin) {
            readings.for_each(|other| best.add(other.days.into_iter().filter(|day| is_latin(day) != own).collect()));
        }
        best
    }

    fn in_language(text: &Rc<Text>, language: Language, today: NaiveDate) -> Self {
        let reader = Reader::of(language);
        let matcher = Matcher::new(text, &reader.vocabulary, &reader.patterns, today);
        let (days, mut times) = (matcher.days(), matcher.times());
        let beside = days.iter().filter_map(|day| matcher.time_beside(day.ends));
        let beside: Vec<_> = beside
            .filter(|time| times.iter().all(|other| other.ends <= time.from || time.ends <= other.from))
            .collect();
        times.extend(beside);
        let numeric = numeric::days(text, language.code() == "en").into_iter();
        let numeric = numeric.map(|day| Match {
            from: day.from,
            begins: day.begins,
            ends: day.ends,
            what: SaidDay { said: day.what, tendency: None, part: None },
        });
        let mut reading = Self { days: Vec::new(), times, reader, text: Rc::clone(text) };
        reading.add(numeric.collect());
        reading.add(days);
        reading.tell_days_from_times();
        reading
    }

    /// "The 10" before "o'clock" is no day; a part of the day belongs to both.
    fn tell_days_from_times(&mut self) {
        fn goes_on(day: &Match<SaidDay>, time: &Match<Clock>) -> bool {
            day.from <= time.begins && time.begins < day.ends && day.ends < time.ends
        }
        let Self { days, times, .. } = self;
        days.retain(|day| {
            !matches!(day.what.said, Said::DayOfMonth(_)) || times.iter().all(|time| !goes_on(day, time))
        });
        let is_apart = |day: &Match<SaidDay>, time: &Match<Clock>| day.ends <= time.begins || time.ends <= day.begins;
        times.retain(|time| days.iter().all(|day| is_apart(day, time) || goes_on(day, time)));
    }

    /// Adds what does not stand over what is there.
    fn add(&mut self, days: Vec<Match<SaidDay>>) {
        for day in days {
            if self.days.iter().all(|known| known.ends <= day.from || day.ends <= known.from) {
                self.days.push(day);
            }
        }
        self.days.sort_by_key(|day| day.from);
    }

    fn covered(&self) -> usize {
        let days: usize = self.days.iter().map(|day| 2 * (day.ends - day.from)).sum();
        days + self.times.iter().map(|time| time.ends - time.from).sum::<usize>()
    }
}

/// A language's words of the calendar, made ready.
struct Reader {
    words: &'static DateWords,
    vocabulary: Vocabulary,
    patterns: Vec<Pattern>,
}

static READERS: LazyLock<HashMap<&'static str, Reader>> =
    LazyLock::new(|| Language::all().map(|language| (language.code(), Reader::new(language))).collect());

impl Reader {
    fn of(language: Language) -> &'static Self {
        READERS.get(language.code()).expect("every known language has a reader")
    }

    fn new(language: Language) -> Self {
        let lexicon = lexicon::of(language);
        let words = &lexicon.dates;
        let mut vocabulary = Vocabulary::new(words, &lexicon.numbers);
        let written = words.patterns.iter().flat_map(|(meaning, all)| all.iter().map(|one| (*meaning, one)));
        let patterns = written.filter_map(|(meaning, one)| Pattern::read(meaning, one, &mut vocabulary)).collect();
        Self { words, vocabulary, patterns }
    }

    /// Whether a sentence tells of what has been.
    fn is_past(&self, sentence: &str) -> bool {
        let past = &self.words.past;
        let folded = text::fold(sentence);
        if sentence.chars().any(text::is_unspaced) {
            return past.words.iter().any(|word| folded.contains(word.as_str()));
        }
        text::split(&folded).iter().any(|word| {
            let ends =
                past.endings.iter().any(|ending| word.len() > ending.len() + 1 && word.ends_with(ending.as_str()));
            past.words.contains(word) || ends && !past.but.contains(word)
        })
    }
}

/// What a text says of the calendar, as it is said.
pub(super) fn said_in(text: &str, today: NaiveDate) -> Vec<Said> {
    Reading::of(text, today).days.into_iter().map(|day| day.what.said).collect()
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
    fn tendency(self) -> Tendency {
        match self {
            Self::AreDates => Tendency::Future,
            Self::WereDates => Tendency::Past,
            Self::AreHabits => Tendency::Habit,
        }
    }
}

/// The text with each relative day replaced by its date. Text that names a date already is left alone.
pub fn absolute(said: &str, today: NaiveDate, weekdays: Weekdays) -> String {
    if last_iso_date(said).is_some() {
        return said.to_owned();
    }
    let reading = Reading::of(said, today);
    let mut out = said.to_owned();
    for one in reading.days.iter().rev() {
        let meaning = &one.what.said;
        let tendency = one.what.tendency.unwrap_or(weekdays.tendency());
        if weekdays == Weekdays::AreHabits && meaning.needs_a_moment() {
            continue;
        }
        let Some(day) = meaning.day(today, tendency, false) else { continue };
        let name = match (meaning, day) {
            (Said::Weekday(_), Day::Date(day)) => day.format("%A ").to_string(),
            _ => String::new(),
        };
        out.replace_range(reading.text.range(one.begins, one.ends), &(name + &day.written()));
    }
    out
}

/// The days that a text speaks of, as far as they can be told, as digits: "2026-03-05", "2026-03", "2026".
pub fn mentioned(said: &str, today: NaiveDate) -> Vec<String> {
    let reading = Reading::of(said, today);
    let mut found = Vec::new();
    for meaning in reading.days.iter().map(|day| &day.what.said) {
        let ways = [Tendency::Future, Tendency::Past].map(|tendency| meaning.day(today, tendency, false));
        found.extend(ways.into_iter().flatten().map(Day::iso));
        if let Said::DayOfYear { month, day } = meaning {
            let years = today.year() - 1..=today.year() + 1;
            let days = years.filter_map(|year| NaiveDate::from_ymd_opt(year, *month, *day));
            found.extend(days.map(|day| Day::Date(day).iso()));
        }
    }
    found
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
    said::last_of_month(NaiveDate::from_ymd_opt(year, month, 1)?)
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
    let days = all_iso_dates(text).into_iter().map(|day| Day::Date(day).iso());
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
    // Any day does: what is looked for says its year or none.
    let reading = Reading::of(said, NaiveDate::MIN.with_year(2000)?);
    let [.., day] = reading.days.as_slice() else { return None };
    let range = reading.text.range(day.begins, day.ends);
    let around = [&said[..range.start], &said[range.end..]];
    let only_names = reading.days.iter().rev().skip(1).all(|other| matches!(other.what.said, Said::Weekday(_)));
    let is_all = reading.days.len() > 1 || around.iter().all(|rest| !rest.contains(char::is_alphanumeric));
    match &day.what.said {
        Said::Exact(Day::Date(day)) if only_names && is_all && said.contains(|c: char| c.is_numeric()) => {
            Some(day.to_string())
        }
        Said::DayOfYear { month, day } if only_names && is_all => Some(format!("--{month:02}-{day:02}")),
        _ => None,
    }
}

/// Whether a text for people begins with a day: "5 March 2026".
pub fn begins_with_spoken_date(said: &str) -> bool {
    let begins: String = said.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    let reading = Reading::of(&begins, NaiveDate::default());
    let first = reading.days.first().filter(|day| day.begins == 0);
    first.is_some_and(|day| {
        matches!(day.what.said, Said::DayOfYear { .. } | Said::Exact(Day::Date(_)))
            && said.starts_with(|c: char| c.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests;
