//! Days in what people say: "tomorrow" becomes a date, because tomorrow it means another day.

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

use crate::memory::language::text;

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
            Self::Day(day) => day.format("%Y-%m-%d").to_string(),
            Self::Week(monday) => format!("the week of {}", monday.format("%Y-%m-%d")),
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

/// Whether a weekday alone ("Friday") means one day: it does for an appointment, not for a habit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weekdays {
    /// The next such day.
    AreDates,
    /// Left as they are.
    AreHabits,
}

/// The text with each relative day replaced by its date. Text that names a date already is left alone.
pub fn absolute(said: &str, today: NaiveDate, weekdays: Weekdays) -> String {
    if last_iso_date(said).is_some() {
        return said.to_owned();
    }
    let words: Vec<&str> = said.split_whitespace().collect();
    let plain: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match relative(&plain[at..], today).or_else(|| weekday_alone(&plain[at..], today, weekdays)) {
            Some((length, span, name)) => {
                let tail: String =
                    words[at + length - 1].chars().rev().take_while(|c| matches!(c, ',' | ';')).collect();
                out.push(format!("{}{}{tail}", name.map(|n| format!("{n} ")).unwrap_or_default(), span.written()));
                at += length;
            }
            None => {
                out.push(unspaced(words[at], today));
                at += 1;
            }
        }
    }
    out.join(" ")
}

/// The days that a text speaks of, as far as they can be told.
pub fn mentioned(said: &str, today: NaiveDate) -> Vec<NaiveDate> {
    let plain: Vec<String> = said.split_whitespace().map(bare).collect();
    let mut days = Vec::new();
    for at in 0..plain.len() {
        let rest = &plain[at..];
        days.extend(relative(rest, today).and_then(|(_, span, _)| span.day()));
        days.extend(weekday_alone(rest, today, Weekdays::AreDates).and_then(|(_, span, _)| span.day()));
        days.extend(calendar_day(rest, today));
    }
    days.extend(last_iso_date(said));
    let spans = said.lines().filter_map(|line| unspaced_span(line, today));
    days.extend(spans.filter_map(|(_, _, span)| span.day()));
    for (name, days_ahead) in UNSPACED {
        if said.contains(name) {
            days.extend(shift(today, *days_ahead));
        }
    }
    days
}

pub(super) fn bare(word: &str) -> String {
    text::fold(word).trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// What a stretch of words that begins here says about the calendar, seen from a day: how many words, and what.
pub(super) fn relative_span(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    relative(words, today).map(|(length, span, _)| (length, span))
}

/// A day moved by "two" "weeks", forth or back.
pub(super) fn shifted(count: &str, of: &str, turn: i64, from: NaiveDate) -> Option<NaiveDate> {
    unit(of)?.shift(from, number(count)? * turn)
}

type Found<'a> = (usize, Span, Option<&'a str>);

fn relative<'a>(words: &[String], today: NaiveDate) -> Option<Found<'a>> {
    fixed(words, today)
        .or_else(|| counted(words, today))
        .or_else(|| next_or_last(words, today))
        .map(|(n, span)| (n, span, None))
}

/// Words that mean one day whatever stands around them.
fn fixed(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    const PHRASES: &[(&str, i64)] = &[
        ("the day after tomorrow", 2),
        ("day after tomorrow", 2),
        ("the day before yesterday", -2),
        ("day before yesterday", -2),
        ("pasado manana", 2),
        ("apres-demain", 2),
        ("this morning", 0),
        ("this afternoon", 0),
        ("this evening", 0),
        ("today", 0),
        ("tonight", 0),
        ("tomorrow", 1),
        ("last night", -1),
        ("yesterday", -1),
        ("heute morgen", 0),
        ("heute fruh", 0),
        ("heute abend", 0),
        ("gestern abend", -1),
        ("morgen fruh", 1),
        ("morgen abend", 1),
        ("heute", 0),
        ("morgen", 1),
        ("ubermorgen", 2),
        ("gestern", -1),
        ("vorgestern", -2),
        ("aujourd'hui", 0),
        ("demain", 1),
        ("hier", -1),
        ("hoy", 0),
        ("manana", 1),
        ("ayer", -1),
        ("anteayer", -2),
        ("avant-hier", -2),
        ("depois de amanha", 2),
        ("amanha", 1),
        ("hoje", 0),
        ("ontem", -1),
        ("anteontem", -2),
        ("domani", 1),
        ("dopodomani", 2),
        ("oggi", 0),
        ("ieri", -1),
        ("overmorgen", 2),
        ("vandaag", 0),
        ("gisteren", -1),
        ("завтра", 1),
        ("послезавтра", 2),
        ("сегодня", 0),
        ("вчера", -1),
        ("позавчера", -2),
        ("jutro", 1),
        ("pojutrze", 2),
        ("dzis", 0),
        ("dzisiaj", 0),
        ("wczoraj", -1),
        ("yarın", 1),
        ("bugun", 0),
        ("غدا", 1),
        ("اليوم", 0),
        ("امس", -1),
        ("आज", 0),
        ("ngay mai", 1),
        ("hom nay", 0),
        ("hom qua", -1),
    ];
    let (phrase, days) = PHRASES.iter().find(|(phrase, _)| starts_with(words, phrase))?;
    Some((phrase.split(' ').count(), Span::Day(shift(today, *days)?)))
}

/// "in two weeks", "3 days ago", "a month from now", and the same in German, French and Spanish.
fn counted(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let (lead, back) = match (word(0)?, word(1)?) {
        ("il", "y") if word(2) == Some("a") => (3, true),
        ("daqui", "a") => (2, false),
        ("vor" | "hace", _) => (1, true),
        ("in" | "dans" | "en" | "em" | "tra" | "fra" | "через" | "za", _) => (1, false),
        _ => (0, false),
    };
    let (length, count) = amount(&words[lead..])?;
    let at = lead + length;
    let unit = unit(word(at)?)?;
    let (end, back) = match (word(at + 1), word(at + 2)) {
        _ if lead > 0 => (at + 1, back),
        (Some("ago" | "назад" | "fa" | "geleden" | "temu" | "atras"), _) => (at + 2, true),
        (Some("from"), Some("now" | "today")) => (at + 3, false),
        _ => return None,
    };
    Some((end, Span::Day(unit.shift(today, if back { -count } else { count })?)))
}

/// "3", "a", "a couple of": how many words it takes, and how many it is.
fn amount(words: &[String]) -> Option<(usize, i64)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    match (word(0), word(1), word(2)) {
        ("a", "couple", "of") => Some((3, 2)),
        ("a", "couple", _) => Some((2, 2)),
        (first, _, _) => Some((1, number(first)?)),
    }
}

/// "next Friday", "last month", "this weekend".
fn next_or_last(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    let (first, second) = (words.first()?.as_str(), words.get(1)?.as_str());
    if let Some(found) = end_of(words, today) {
        return Some(found);
    }
    // "vendredi prochain", "viernes pasado".
    let (which, what) = if weekday(first).is_some() { (second, first) } else { (first, second) };
    let turn = match which {
        "next" | "nachste" | "nachsten" | "nachster" | "nachstes" | "prochain" | "prochaine" | "proximo"
        | "proxima" | "prossimo" | "prossima" | "volgende" => 1,
        "this" | "coming" | "kommenden" | "kommende" | "diesen" | "diese" | "ce" | "cette" | "este" | "esta"
        | "questo" | "questa" => 0,
        "last" | "past" | "letzten" | "letzte" | "letztes" | "dernier" | "derniere" | "pasado" | "pasada"
        | "passado" | "passada" | "scorso" | "scorsa" | "vorige" => -1,
        _ => return None,
    };
    if let Some(day) = weekday(what) {
        return Some((2, Span::Day(weekday_of(today, day, turn)?)));
    }
    let monday = shift(today, -i64::from(today.weekday().num_days_from_monday()))?;
    let span = match (what, turn) {
        ("weekend" | "wochenende", _) => Span::Day(shift(monday, 5 + 7 * turn)?),
        (_, 0) => return None,
        ("week" | "woche" | "semaine" | "semana" | "settimana", _) => Span::Week(shift(monday, 7 * turn)?),
        ("month" | "monat" | "mois" | "mes" | "mese" | "maand", _) => {
            Span::Month(Unit::Month.shift(today.with_day(1)?, turn)?)
        }
        ("year" | "jahr" | "annee" | "ano" | "anno" | "jaar", _) => {
            Span::Year(today.year() + i32::try_from(turn).ok()?)
        }
        _ => return None,
    };
    Some((2, span))
}

/// "the end of the month", "end of next week": the last day of it.
fn end_of(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    let skip = usize::from(words.first()? == "the");
    let rest = words.get(skip..)?;
    if rest.first()? != "end" || rest.get(1)? != "of" {
        return None;
    }
    let (turn, unit) = (rest.get(2)?.as_str(), rest.get(3)?.as_str());
    let turn = match turn {
        "the" | "this" => 0,
        "next" => 1,
        _ => return None,
    };
    let sunday = shift(today, 6 - i64::from(today.weekday().num_days_from_monday()))?;
    let day = match unit {
        "week" => shift(sunday, 7 * turn)?,
        "month" => shift(Unit::Month.shift(today.with_day(1)?, turn + 1)?, -1)?,
        "year" => NaiveDate::from_ymd_opt(today.year() + i32::try_from(turn).ok()?, 12, 31)?,
        _ => return None,
    };
    Some((skip + 4, Span::Day(day)))
}

/// The weekday meant. "Next Friday" said before Friday is the one of next week; said later it is the coming one.
fn weekday_of(today: NaiveDate, day: Weekday, turn: i64) -> Option<NaiveDate> {
    let ahead = i64::from((7 + day.num_days_from_monday() - today.weekday().num_days_from_monday()) % 7);
    let in_this_week = day.num_days_from_monday() >= today.weekday().num_days_from_monday();
    match turn {
        -1 if ahead == 0 => shift(today, -7),
        -1 => shift(today, ahead - 7),
        1 if in_this_week => shift(today, ahead + 7),
        _ => shift(today, ahead),
    }
}

fn weekday_alone(words: &[String], today: NaiveDate, weekdays: Weekdays) -> Option<Found<'static>> {
    const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    if weekdays == Weekdays::AreHabits {
        return None;
    }
    let day = weekday(words.first()?)?;
    let name = NAMES[usize::try_from(day.num_days_from_monday()).ok()?];
    Some((1, Span::Day(weekday_of(today, day, 0)?), Some(name)))
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

fn starts_with(words: &[String], phrase: &str) -> bool {
    let mut at = 0;
    phrase.split(' ').all(|part| {
        at += 1;
        words.get(at - 1).is_some_and(|word| word == part)
    })
}

const UNSPACED: &[(&str, i64)] = &[
    ("明後日", 2),
    ("大后天", 3),
    ("后天", 2),
    ("前天", -2),
    ("今天", 0),
    ("明天", 1),
    ("昨天", -1),
    ("今日", 0),
    ("明日", 1),
    ("昨日", -1),
    ("あさって", 2),
    ("おととい", -2),
    ("모레", 2),
    ("내일", 1),
    ("오늘", 0),
    ("그저께", -2),
    ("어제", -1),
    ("มะรืนนี้", 2),
    ("พรุ่งนี้", 1),
    ("เมื่อวานนี้", -1),
    ("เมื่อวาน", -1),
    ("วันนี้", 0),
];

/// Weeks, months and years of scripts without spaces, by how many they lie ahead.
const UNSPACED_SPANS: &[(&str, Unit, i64)] = &[
    ("下下周", Unit::Week, 2),
    ("下星期", Unit::Week, 1),
    ("下周", Unit::Week, 1),
    ("下週", Unit::Week, 1),
    ("来週", Unit::Week, 1),
    ("다음주", Unit::Week, 1),
    ("这周", Unit::Week, 0),
    ("这星期", Unit::Week, 0),
    ("今週", Unit::Week, 0),
    ("上星期", Unit::Week, -1),
    ("上周", Unit::Week, -1),
    ("先週", Unit::Week, -1),
    ("지난주", Unit::Week, -1),
    ("下个月", Unit::Month, 1),
    ("下個月", Unit::Month, 1),
    ("来月", Unit::Month, 1),
    ("다음달", Unit::Month, 1),
    ("上个月", Unit::Month, -1),
    ("先月", Unit::Month, -1),
    ("지난달", Unit::Month, -1),
    ("明年", Unit::Year, 1),
    ("来年", Unit::Year, 1),
    ("내년", Unit::Year, 1),
    ("去年", Unit::Year, -1),
    ("昨年", Unit::Year, -1),
    ("작년", Unit::Year, -1),
];

/// The first stretch of such a text: where it stands, how long its words are, and what it is. "下周五" is a day.
fn unspaced_span(said: &str, today: NaiveDate) -> Option<(usize, usize, Span)> {
    if let Some(found) = unspaced_counted(said, today) {
        return Some(found);
    }
    let (name, unit, turn) = UNSPACED_SPANS.iter().find(|(name, _, _)| said.contains(name))?;
    let at = said.find(name)?;
    let monday = shift(today, -i64::from(today.weekday().num_days_from_monday()))?;
    let span = match unit {
        Unit::Week => {
            let after = &said[at + name.len()..];
            return Some(match unspaced_weekday(after) {
                Some((length, day)) => (at, name.len() + length, Span::Day(shift(monday, 7 * turn + day)?)),
                None => (at, name.len(), Span::Week(shift(monday, 7 * turn)?)),
            });
        }
        Unit::Month => Span::Month(Unit::Month.shift(today.with_day(1)?, *turn)?),
        Unit::Year => Span::Year(today.year() + i32::try_from(*turn).ok()?),
        Unit::Day => Span::Day(shift(today, *turn)?),
    };
    Some((at, name.len(), span))
}

/// The weekday that a text begins with, how long its words are, and how many days it lies after Monday: "五", "の金曜日".
fn unspaced_weekday(said: &str) -> Option<(usize, i64)> {
    let rest = said.trim_start_matches(['の', '的', ' ']);
    let first = rest.chars().next()?;
    let is_japanese = rest.chars().nth(1) == Some('曜');
    let names = if is_japanese { "月火水木金土日" } else { "一二三四五六日" };
    let day = if first == '天' { 6 } else { names.chars().position(|name| name == first)? };
    let length = if is_japanese { rest.find('日').map_or(6, |at| at + 3) } else { first.len_utf8() };
    Some((said.len() - rest.len() + length, i64::try_from(day).ok()?))
}

/// "三天后", "2周前", "3日後".
fn unspaced_counted(said: &str, today: NaiveDate) -> Option<(usize, usize, Span)> {
    const UNITS: &[(&str, Unit)] = &[
        ("个星期", Unit::Week),
        ("个月", Unit::Month),
        ("週間", Unit::Week),
        ("か月", Unit::Month),
        ("ヶ月", Unit::Month),
        ("天", Unit::Day),
        ("日", Unit::Day),
        ("周", Unit::Week),
        ("年", Unit::Year),
        ("일", Unit::Day),
        ("주", Unit::Week),
        ("개월", Unit::Month),
        ("년", Unit::Year),
    ];
    const NUMERALS: &[char] = &['一', '二', '三', '四', '五', '六', '七', '八', '九', '十'];
    for (at, c) in said.char_indices() {
        let digits: String = said[at..].chars().take_while(char::is_ascii_digit).collect();
        let (length, count) = match (digits.parse::<i64>(), NUMERALS.iter().position(|n| *n == c), c) {
            (Ok(count), _, _) => (digits.len(), count),
            (_, Some(place), _) => (c.len_utf8(), i64::try_from(place).ok()? + 1),
            (_, None, '两' | '兩') => (c.len_utf8(), 2),
            _ => continue,
        };
        let rest = &said[at + length..];
        let Some((name, unit)) = UNITS.iter().find(|(name, _)| rest.starts_with(name)) else { continue };
        let after = rest[name.len()..].trim_start();
        let gap = rest[name.len()..].len() - after.len();
        let sign = [
            ("以后", 1),
            ("之后", 1),
            ("后", 1),
            ("後", 1),
            ("뒤", 1),
            ("후", 1),
            ("以前", -1),
            ("之前", -1),
            ("前", -1),
            ("전", -1),
        ];
        let Some((word, turn)) = sign.iter().find(|(word, _)| after.starts_with(word)) else { continue };
        return Some((at, length + name.len() + gap + word.len(), Span::Day(unit.shift(today, count * turn)?)));
    }
    None
}

fn unspaced(word: &str, today: NaiveDate) -> String {
    let word = match unspaced_span(word, today) {
        Some((at, length, span)) => format!("{}{}{}", &word[..at], span.written(), &word[at + length..]),
        None => word.to_owned(),
    };
    UNSPACED.iter().fold(word, |word, (name, days)| match shift(today, *days) {
        Some(day) => word.replace(name, &Span::Day(day).written()),
        None => word,
    })
}

fn shift(day: NaiveDate, by: i64) -> Option<NaiveDate> {
    let days = Days::new(by.unsigned_abs());
    if by < 0 { day.checked_sub_days(days) } else { day.checked_add_days(days) }
}

#[derive(Debug, Clone, Copy)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    fn shift(self, day: NaiveDate, by: i64) -> Option<NaiveDate> {
        let months = |count: i64| {
            let months = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
            if count < 0 { day.checked_sub_months(months) } else { day.checked_add_months(months) }
        };
        match self {
            Self::Day => shift(day, by),
            Self::Week => shift(day, by.checked_mul(7)?),
            Self::Month => months(by),
            Self::Year => months(by.checked_mul(12)?),
        }
    }
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "day" | "days" | "tag" | "tage" | "tagen" | "jour" | "jours" | "dia" | "dias" | "giorno" | "giorni" | "dag"
        | "dagen" | "день" | "дня" | "днеи" | "dni" | "dzien" => Unit::Day,
        "week" | "weeks" | "woche" | "wochen" | "semaine" | "semaines" | "semana" | "semanas" | "settimana"
        | "settimane" | "weken" | "неделю" | "недели" | "недель" | "tydzien" | "tygodnie" => {
            Unit::Week
        }
        "fortnight" => Unit::Week,
        "month" | "months" | "monat" | "monaten" | "monate" | "mois" | "mes" | "meses" | "mese" | "mesi" | "maand"
        | "maanden" | "месяц" | "месяца" | "месяцев" | "miesiac" => Unit::Month,
        "year" | "years" | "jahr" | "jahren" | "jahre" | "an" | "ans" | "ano" | "anos" | "anno" | "anni" | "jaar"
        | "год" | "года" | "лет" | "rok" => Unit::Year,
        _ => return None,
    })
}

fn number(word: &str) -> Option<i64> {
    if matches!(word, "a" | "an" | "einem" | "einer" | "un" | "une" | "una" | "um" | "uma" | "een" | "неделю" | "месяц")
    {
        return Some(1);
    }
    text::digits(word).parse().ok().filter(|count| (0..=1000).contains(count))
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday"
        | "montag"
        | "lundi"
        | "lunes"
        | "segunda"
        | "segunda-feira"
        | "lunedi"
        | "maandag"
        | "понедельник" => Weekday::Mon,
        "tuesday" | "dienstag" | "mardi" | "martes" | "terca" | "terca-feira" | "martedi" | "dinsdag" | "вторник" => {
            Weekday::Tue
        }
        "wednesday" | "mittwoch" | "mercredi" | "miercoles" | "quarta" | "quarta-feira" | "mercoledi" | "woensdag"
        | "среду" | "среда" => Weekday::Wed,
        "thursday" | "donnerstag" | "jeudi" | "jueves" | "quinta" | "quinta-feira" | "giovedi" | "donderdag"
        | "четверг" => Weekday::Thu,
        "friday" | "freitag" | "vendredi" | "viernes" | "sexta" | "sexta-feira" | "venerdi" | "vrijdag" | "пятницу"
        | "пятница" => Weekday::Fri,
        "saturday" | "samstag" | "samedi" | "sabado" | "sabato" | "zaterdag" | "суббота" | "субботу" => {
            Weekday::Sat
        }
        "sunday" | "sonntag" | "dimanche" | "domingo" | "domenica" | "zondag" | "воскресенье" => {
            Weekday::Sun
        }
        _ => return None,
    })
}

pub(super) fn month(word: &str) -> Option<u32> {
    #[rustfmt::skip]
    const MONTHS: [&[&str]; 12] = [
        &["january", "jan", "januar", "janvier", "enero"],
        &["february", "feb", "februar", "fevrier", "febrero"],
        &["march", "mar", "marz", "mars", "marzo"],
        &["april", "apr", "avril", "abril"],
        &["may", "mai", "mayo"],
        &["june", "jun", "juni", "juin", "junio"],
        &["july", "jul", "juli", "juillet", "julio"],
        &["august", "aug", "aout", "agosto"],
        &["september", "sep", "sept", "septembre", "septiembre"],
        &["october", "oct", "oktober", "octobre", "octubre"],
        &["november", "nov", "novembre", "noviembre"],
        &["december", "dec", "dezember", "decembre", "diciembre"],
    ];
    MONTHS.iter().position(|names| names.contains(&word)).and_then(|at| u32::try_from(at + 1).ok())
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
    let words: Vec<String> =
        said.split_whitespace().map(bare).filter(|word| !matches!(word.as_str(), "of" | "the" | "de")).collect();
    let words = match words.first() {
        Some(first) if weekday(first).is_some() => &words[1..],
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
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn relative_days_become_dates() {
        // A Monday.
        let today = day("2026-03-02");
        for (said, expected) in [
            ("tomorrow", "2026-03-03"),
            ("tomorrow at 9", "2026-03-03 at 9"),
            ("the day after tomorrow", "2026-03-04"),
            ("in two weeks", "2026-03-16"),
            ("in a month", "2026-04-02"),
            ("3 days ago", "2026-02-27"),
            ("a week from now", "2026-03-09"),
            ("this Friday", "2026-03-06"),
            ("next Friday", "2026-03-13"),
            ("last Friday", "2026-02-27"),
            ("next week", "the week of 2026-03-09"),
            ("next month", "2026-04"),
            ("next year", "2027"),
            ("dentist tomorrow, then lunch", "dentist 2026-03-03, then lunch"),
            ("morgen", "2026-03-03"),
            ("in zwei Wochen", "2026-03-16"),
            ("dans trois jours", "2026-03-05"),
            ("明天开会", "2026-03-03开会"),
            ("下周五开会", "2026-03-13开会"),
            ("三天后", "2026-03-05"),
            ("来週", "the week of 2026-03-09"),
            ("来週の金曜日", "2026-03-13"),
            ("내년 봄", "2027 봄"),
            ("heute Morgen", "2026-03-02"),
            ("last night", "2026-03-01"),
            ("amanhã", "2026-03-03"),
            ("il y a deux jours", "2026-02-28"),
            ("daqui a 3 dias", "2026-03-05"),
            ("через 2 недели", "2026-03-16"),
            ("in a couple of days", "2026-03-04"),
            ("the end of the month", "2026-03-31"),
            ("in 15 minutes", "in 15 minutes"),
            ("2026-03-10, not tomorrow", "2026-03-10, not tomorrow"),
            ("Mondays", "Mondays"),
            ("in Berlin", "in Berlin"),
        ] {
            assert_eq!(absolute(said, today, Weekdays::AreHabits), expected);
        }
    }

    #[test]
    fn a_weekday_is_a_date_for_an_appointment_and_not_for_a_habit() {
        let today = day("2026-03-02");
        assert_eq!(absolute("Friday", today, Weekdays::AreDates), "Friday 2026-03-06");
        assert_eq!(absolute("Friday", today, Weekdays::AreHabits), "Friday");
        assert_eq!(absolute("monday", today, Weekdays::AreDates), "Monday 2026-03-02");
    }

    #[test]
    fn the_days_of_a_text_are_found() {
        let today = day("2026-03-02");
        assert!(mentioned("My flight is on Friday.", today).contains(&day("2026-03-06")));
        assert!(mentioned("It's due March 3rd, I think", today).contains(&day("2026-03-03")));
        assert!(mentioned("am 14. Mai 2027", today).contains(&day("2027-05-14")));
        assert_eq!(mentioned("The weather is lovely", today), []);
    }

    #[test]
    fn dates_are_written_as_people_write_them() {
        assert_eq!(for_people("Friday 2026-03-06 at 9"), "Friday 6 March 2026 at 9");
        assert_eq!(for_people("order 12026-03-069"), "order 12026-03-069");
        assert_eq!(last_iso_date("2026-03-06 to 2026-03-09"), Some(day("2026-03-09")));
        assert_eq!(day_key("May 14th, 1990").as_deref(), Some("1990-05-14"));
        assert_eq!(day_key("14. Mai").as_deref(), Some("--05-14"));
        assert_eq!(day_key("Friday 2026-03-06").as_deref(), Some("2026-03-06"));
        assert_eq!(day_key("14 Mayfield"), None);
        assert!(begins_with_spoken_date("6 March 2026"));
        assert!(!begins_with_spoken_date("6 eggs"));
    }
}
