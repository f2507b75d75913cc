//! Stretches of words that name a day, a week or a month as seen from today, in languages that write spaces.

use chrono::{Datelike, NaiveDate, Weekday};

use super::words::{self, DAYS, Unit, feast, is_dutch_unit, is_two, month, number, ordinal, unit, weekday};
use super::{Span, Weekdays, shift, starts_with};

/// How many words, what they mean, and the name to put before it.
pub(super) type Found<'a> = (usize, Span, Option<&'a str>);

/// What a stretch of words that begins here means whatever it is about.
pub(super) fn relative<'a>(words: &[String], today: NaiveDate) -> Option<Found<'a>> {
    // "la semaine prochaine", "the next month": the article goes with it.
    let article = usize::from(
        words.len() > 1 && ["the", "la", "el", "le", "il", "der", "die", "das", "den"].contains(&words[0].as_str()),
    );
    let found = |words: &[String]| {
        fixed(words, today)
            .or_else(|| from_a_day(words, today))
            .or_else(|| counted(words, today))
            .or_else(|| week_and_weekday(words, today))
            .or_else(|| next_or_last(words, today))
            .or_else(|| end_of(words, today))
    };
    found(words)
        .or_else(|| found(&words[article..]).filter(|_| article > 0).map(|(length, span)| (length + article, span)))
        .map(|(length, span)| (length, span, None))
}

/// What a stretch of words means where it is about one moment: "Friday", "14 May", "the 15th", "in November", "Christmas".
pub(super) fn of_a_moment(words: &[String], today: NaiveDate, weekdays: Weekdays) -> Option<Found<'static>> {
    const NAMES: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    if weekdays == Weekdays::AreHabits {
        return None;
    }
    if let Some((length, day)) = near_a_feast(words, today).or_else(|| day_of_the_calendar(words, today, weekdays)) {
        return Some((length, Span::Day(day), None));
    }
    if let Some(month) = month(words.first()?).filter(|_| words.len() == 1) {
        return Some((1, Span::Month(weekdays.on(today.with_day(1)?, month, 1)?), None));
    }
    let day = weekday(words.first()?)?;
    let name = NAMES[usize::try_from(day.num_days_from_monday()).ok()?];
    let turn = if weekdays == Weekdays::WereDates && day != today.weekday() { -1 } else { 0 };
    Some((1, Span::Day(weekday_of(today, day, turn)?), Some(name)))
}

fn fixed(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    let (phrase, days) = DAYS.iter().find(|(phrase, _)| starts_with(words, phrase))?;
    Some((phrase.split(' ').count(), Span::Day(shift(today, *days)?)))
}

/// "a week from Friday", "two weeks from tomorrow", "Friday week".
fn from_a_day(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let anchor = |at: usize| {
        let rest = words.get(at..)?;
        let day = weekday(word(at)).and_then(|day| weekday_of(today, day, 0)).map(|day| (1, day));
        day.or_else(|| fixed(rest, today).and_then(|(length, span)| Some((length, span.day()?))))
    };
    if let Some(day) = weekday(word(0)).filter(|_| word(1) == "week") {
        return Some((2, Span::Day(shift(weekday_of(today, day, 0)?, 7)?)));
    }
    let (length, count) = amount(words)?;
    let unit = unit(word(length))?;
    if !matches!(word(length + 1), "from" | "on" | "after") || matches!(word(length + 2), "now" | "today") {
        return None;
    }
    let (more, day) = anchor(length + 2)?;
    Some((length + 2 + more, Span::Day(unit.shift(day, count)?)))
}

/// "in two weeks", "3 days ago", "a month from now", and the same in other languages.
fn counted(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let (lead, back) = match (word(0)?, word(1)?) {
        ("il", "y") if word(2) == Some("a") => (3, true),
        ("daqui", "a") | ("dentro", "de") | ("d'ici", _) => (if word(0) == Some("d'ici") { 1 } else { 2 }, false),
        ("vor" | "hace" | "ha" | "قبل" | "منذ", _) => (1, true),
        ("in" | "dans" | "en" | "em" | "tra" | "fra" | "через" | "za" | "بعد" | "over" | "dalam", _) => {
            (1, false)
        }
        _ => (0, false),
    };
    let alone = matches!(word(0)?, "через" | "za" | "بعد" | "قبل" | "منذ") || lead == 0;
    let (length, count) = amount(&words[lead..])
        .or_else(|| unit(word(lead)?).filter(|_| alone).map(|_| (0, if is_two(&words[lead]) { 2 } else { 1 })))?;
    let at = lead + length;
    let unit = unit(word(at)?)
        .filter(|_| word(0) != Some("over") || word(1) == Some("een") || word(at).is_some_and(is_dutch_unit))?;
    let (end, back) = match (word(at + 1), word(at + 2)) {
        (Some("time"), _) if lead > 0 => (at + 2, back),
        _ if lead > 0 => (at + 1, back),
        (Some("ago" | "назад" | "fa" | "geleden" | "temu" | "atras" | "once" | "पहले" | "siden" | "sedan"), _) => {
            (at + 2, true)
        }
        (Some("from"), Some("now" | "today")) => (at + 3, false),
        (Some("sonra" | "बाद"), _) => (at + 2, false),
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

/// "Friday next week", "volgende week vrijdag", "haftaya cuma".
fn week_and_weekday(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    let week = |at: usize| {
        let rest = words.get(at..)?;
        if rest.first()? == "haftaya" {
            return Some((1, Unit::Week.shift(monday(today)?, 1)?));
        }
        match next_or_last(rest, today)? {
            (length, Span::Week(monday)) => Some((length, monday)),
            _ => None,
        }
    };
    if let Some(day) = weekday(words.first()?)
        && let Some((length, monday)) = week(1)
    {
        return Some((1 + length, Span::Day(shift(monday, i64::from(day.num_days_from_monday()))?)));
    }
    let (length, monday) = week(0)?;
    Some(match words.get(length).and_then(|word| weekday(word)) {
        Some(day) => (length + 1, Span::Day(shift(monday, i64::from(day.num_days_from_monday()))?)),
        None => (length, Span::Week(monday)),
    })
}

/// Which one is meant, by how many it lies ahead.
#[rustfmt::skip]
const WHICH: &[(i64, &[&str])] = &[
    (2, &["ubernachste", "ubernachsten", "ubernachster", "ubernachstes"]),
    (1, &[
        "next", "nachste", "nachsten", "nachster", "nachstes", "prochain", "prochaine", "proximo", "proxima", "prossimo", "prossima", "volgende", "следующии",
        "следующую", "следующеи", "следующем", "будущем", "przyszly", "przyszla", "przyszlym", "nastepny", "nastepna", "gelecek", "onumuzdeki", "القادم", "القادمة",
        "المقبل", "المقبلة", "अगले",
    ]),
    (0, &[
        "this", "coming", "kommenden", "kommende", "kommender", "diesen", "diese", "ce", "cette", "este", "esta", "questo", "questa", "deze", "эту", "этот", "этои", "ten", "ta", "bu",
        "इस",
    ]),
    (-1, &[
        "last", "past", "letzten", "letzte", "letztes", "letzter", "dernier", "derniere", "pasado", "pasada", "passado", "passada", "scorso", "scorsa", "vorige",
        "прошлыи", "прошлую", "прошлои", "прошлом", "zeszly", "zeszlym", "zeszla", "ostatni", "gecen", "الماضي", "الماضية", "पिछले",
    ]),
];

fn which(word: &str) -> Option<i64> {
    WHICH.iter().find(|(_, names)| names.contains(&word)).map(|(turn, _)| *turn)
}

/// "next Friday", "last month", "this weekend", "semana que viene".
pub(super) fn next_or_last(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    let (first, second) = (words.first()?.as_str(), words.get(1)?.as_str());
    let third = words.get(2).map_or("", String::as_str);
    let is_what = |word: &str| weekday(word).is_some() || unit(word).is_some();
    // "vendredi prochain", "semana que viene": which one it is stands behind.
    let (length, turn, what) = match (second, third) {
        ("que", "viene" | "vem" | "entra") if is_what(first) => (3, 1, first),
        _ => match which(first) {
            Some(turn) => (2, turn, second),
            // English puts it in front.
            None if matches!(second, "next" | "this" | "coming" | "last" | "past") => return None,
            None => (2, which(second).filter(|_| is_what(first))?, first),
        },
    };
    if let Some(day) = weekday(what) {
        return Some((length, Span::Day(weekday_of(today, day, turn)?)));
    }
    let span = match (what, unit(what), turn) {
        ("weekend" | "wochenende" | "week-end" | "finde", ..) => Span::Day(shift(monday(today)?, 5 + 7 * turn)?),
        (_, _, 0) => return None,
        (_, Some(Unit::Week), _) => Span::Week(shift(monday(today)?, 7 * turn)?),
        (_, Some(Unit::Month), _) => Span::Month(Unit::Month.shift(today.with_day(1)?, turn)?),
        (_, Some(Unit::Year), _) => Span::Year(today.year() + i32::try_from(turn).ok()?),
        _ => return None,
    };
    Some((length, span))
}

fn monday(today: NaiveDate) -> Option<NaiveDate> {
    shift(today, -i64::from(today.weekday().num_days_from_monday()))
}

/// "the end of the month", "end of March", "Ende des Monats": the last day of it.
fn end_of(words: &[String], today: NaiveDate) -> Option<(usize, Span)> {
    const ENDS: &[&str] = &["end", "ende", "fin", "fine", "fim", "eind", "koniec", "конец", "конце"];
    const FILL: &[&str] = &["of", "the", "this", "des", "diesen", "du", "de", "del", "do", "von", "van", "la"];
    let last_of_month = |first: NaiveDate| shift(Unit::Month.shift(first, 1)?, -1);
    if words.first()? == "monatsende" {
        return Some((1, Span::Day(last_of_month(today.with_day(1)?)?)));
    }
    let skip = usize::from(words.first()? == "the");
    if !ENDS.contains(&words.get(skip)?.as_str()) {
        return None;
    }
    let filled = words[skip + 1..].iter().take_while(|word| FILL.contains(&word.as_str())).count();
    let at = skip + 1 + filled;
    let turn = i64::from(words.get(at).and_then(|word| which(word)) == Some(1));
    let at = at + usize::try_from(turn).ok()?;
    if let Some(month) = month(words.get(at)?) {
        let first = words::next_on(today.with_day(1)?, month, 1)?;
        return Some((at + 1, Span::Day(last_of_month(first)?)));
    }
    let day = match unit(words.get(at)?)? {
        Unit::Week => shift(monday(today)?, 6 + 7 * turn)?,
        Unit::Month => last_of_month(Unit::Month.shift(today.with_day(1)?, turn)?)?,
        Unit::Year => NaiveDate::from_ymd_opt(today.year() + i32::try_from(turn).ok()?, 12, 31)?,
        Unit::Day | Unit::Fortnight => return None,
    };
    Some((at + 1, Span::Day(day)))
}

/// "Christmas", "two weeks before Christmas", "the day after Easter".
fn near_a_feast(words: &[String], today: NaiveDate) -> Option<(usize, NaiveDate)> {
    if let Some(found) = feast(words, today) {
        return Some(found);
    }
    let (length, count) = match words.first()?.as_str() {
        "the" => (1, 1),
        _ => amount(words)?,
    };
    let unit = unit(words.get(length)?)?;
    let turn = match words.get(length + 1)?.as_str() {
        "before" | "vor" | "avant" | "antes" | "prima" => -1,
        "after" | "nach" | "apres" | "despues" | "depois" | "dopo" => 1,
        _ => return None,
    };
    let fill = usize::from(words.get(length + 2).is_some_and(|word| matches!(word.as_str(), "de" | "do" | "di")));
    let (more, day) = feast(words.get(length + 2 + fill..)?, today)?;
    Some((length + 2 + fill + more, unit.shift(day, turn * count)?))
}

/// "14 May", "May 14th", "5 de abril", "le 14 mai", "the 15th": the next one, or the one of the year that is said.
fn day_of_the_calendar(words: &[String], today: NaiveDate, weekdays: Weekdays) -> Option<(usize, NaiveDate)> {
    let skip = usize::from(matches!(words.first()?.as_str(), "the" | "le" | "el" | "il" | "den" | "am" | "dem"));
    let rest = words.get(skip..)?;
    let number = |word: &str| ordinal(word).or_else(|| word.parse().ok().filter(|day| (1..=31).contains(day)));
    let fill = rest.iter().skip(1).take_while(|word| matches!(word.as_str(), "of" | "de")).count();
    let (first, second) = (rest.first()?.as_str(), rest.get(1 + fill).map_or("", String::as_str));
    let (length, day, month) = match (number(first), month(second), month(first), number(second)) {
        (Some(day), Some(month), ..) => (2 + fill, day, month),
        (_, _, Some(month), Some(day)) if fill == 0 => (2, day, month),
        _ => return Some((skip + 1, of_this_month(&rest[1..], ordinal(first)?, today, weekdays)?)),
    };
    let year = rest.get(length).and_then(|word| word.parse::<i32>().ok()).filter(|year| (1900..2200).contains(year));
    match year {
        Some(year) => Some((skip + length + 1, NaiveDate::from_ymd_opt(year, month, day)?)),
        None => Some((skip + length, weekdays.on(today, month, day)?)),
    }
}

/// "the 15th", and not "the 3rd floor": the next month that has such a day, or the last one.
fn of_this_month(after: &[String], day: u32, today: NaiveDate, weekdays: Weekdays) -> Option<NaiveDate> {
    let is_thing =
        after.first().is_some_and(|next| !matches!(next.as_str(), "at" | "around" | "from" | "um" | "a" | "in"));
    let months = (0..4).filter_map(|months| {
        let turn = if weekdays == Weekdays::WereDates { -1 } else { 1 };
        Unit::Month.shift(today.with_day(1)?, turn * months)?.with_day(day)
    });
    let mut fitting = months.filter(|day| if weekdays == Weekdays::WereDates { *day <= today } else { *day >= today });
    fitting.next().filter(|_| !is_thing)
}

/// The weekday meant. "Next Friday" said before Friday is the one of next week; said later it is the coming one.
fn weekday_of(today: NaiveDate, day: Weekday, turn: i64) -> Option<NaiveDate> {
    let ahead = i64::from((7 + day.num_days_from_monday() - today.weekday().num_days_from_monday()) % 7);
    let in_this_week = day.num_days_from_monday() >= today.weekday().num_days_from_monday();
    match turn {
        -1 if ahead == 0 => shift(today, -7),
        -1 => shift(today, ahead - 7),
        1 if in_this_week => shift(today, ahead + 7),
        2 => shift(today, ahead + 14),
        _ => shift(today, ahead),
    }
}
