//! Days in Chinese, Japanese, Korean and Thai, where no spaces tell the words apart.

use chrono::{Datelike, NaiveDate};

use super::words::{Unit, next_on};
use super::{Span, Weekdays, shift};

const DAYS: &[(&str, i64)] = &[
    ("明々後日", 3),
    ("しあさって", 3),
    ("明後日", 2),
    ("大后天", 3),
    ("大前天", -3),
    ("后天", 2),
    ("後天", 2),
    ("前天", -2),
    ("今天", 0),
    ("今晚", 0),
    ("明天", 1),
    ("昨天", -1),
    ("一昨日", -2),
    ("今日", 0),
    ("明日", 1),
    ("昨日", -1),
    ("あさって", 2),
    ("あした", 1),
    ("きのう", -1),
    ("おととい", -2),
    ("글피", 3),
    ("모레", 2),
    ("내일", 1),
    ("오늘", 0),
    ("그저께", -2),
    ("어제", -1),
    ("하루 뒤", 1),
    ("이틀 뒤", 2),
    ("이틀 후", 2),
    ("사흘 뒤", 3),
    ("사흘 후", 3),
    ("나흘 뒤", 4),
    ("열흘 뒤", 10),
    ("열흘 후", 10),
    ("일주일 뒤", 7),
    ("일주일 후", 7),
    ("일주일 전", -7),
    ("มะรืนนี้", 2),
    ("พรุ่งนี้", 1),
    ("เมื่อวานนี้", -1),
    ("เมื่อวาน", -1),
    ("วันนี้", 0),
];

/// Weeks, months and years, by how many they lie ahead. The longer stand first.
#[rustfmt::skip]
const SPANS: &[(&str, Unit, i64)] = &[
    ("下下星期", Unit::Week, 2), ("下下周", Unit::Week, 2), ("下下週", Unit::Week, 2), ("再来週", Unit::Week, 2), ("다다음 주", Unit::Week, 2), ("다다음주", Unit::Week, 2),
    ("下个星期", Unit::Week, 1), ("下星期", Unit::Week, 1), ("下个周", Unit::Week, 1), ("下周", Unit::Week, 1), ("下週", Unit::Week, 1), ("下礼拜", Unit::Week, 1),
    ("来週", Unit::Week, 1), ("다음주", Unit::Week, 1), ("다음 주", Unit::Week, 1), ("สัปดาห์หน้า", Unit::Week, 1), ("อาทิตย์หน้า", Unit::Week, 1),
    ("这个星期", Unit::Week, 0), ("这星期", Unit::Week, 0), ("这个周", Unit::Week, 0), ("这周", Unit::Week, 0), ("本周", Unit::Week, 0), ("這週", Unit::Week, 0),
    ("今週", Unit::Week, 0), ("이번주", Unit::Week, 0), ("이번 주", Unit::Week, 0),
    ("上上周", Unit::Week, -2), ("先々週", Unit::Week, -2), ("上个星期", Unit::Week, -1), ("上星期", Unit::Week, -1), ("上周", Unit::Week, -1), ("上週", Unit::Week, -1),
    ("先週", Unit::Week, -1), ("지난주", Unit::Week, -1), ("지난 주", Unit::Week, -1), ("สัปดาห์ที่แล้ว", Unit::Week, -1), ("อาทิตย์ที่แล้ว", Unit::Week, -1),
    ("下下个月", Unit::Month, 2), ("再来月", Unit::Month, 2), ("下个月", Unit::Month, 1), ("下個月", Unit::Month, 1), ("来月", Unit::Month, 1), ("다음달", Unit::Month, 1),
    ("다음 달", Unit::Month, 1), ("เดือนหน้า", Unit::Month, 1), ("上个月", Unit::Month, -1), ("上個月", Unit::Month, -1), ("先月", Unit::Month, -1),
    ("지난달", Unit::Month, -1), ("지난 달", Unit::Month, -1), ("เดือนที่แล้ว", Unit::Month, -1),
    ("后年", Unit::Year, 2), ("再来年", Unit::Year, 2), ("明年", Unit::Year, 1), ("来年", Unit::Year, 1), ("내년", Unit::Year, 1), ("ปีหน้า", Unit::Year, 1),
    ("去年", Unit::Year, -1), ("昨年", Unit::Year, -1), ("작년", Unit::Year, -1), ("ปีที่แล้ว", Unit::Year, -1),
];

const UNITS: &[(&str, Unit)] = &[
    ("个星期", Unit::Week),
    ("個星期", Unit::Week),
    ("个礼拜", Unit::Week),
    ("个月", Unit::Month),
    ("個月", Unit::Month),
    ("週間", Unit::Week),
    ("か月", Unit::Month),
    ("ヶ月", Unit::Month),
    ("カ月", Unit::Month),
    ("天", Unit::Day),
    ("日", Unit::Day),
    ("周", Unit::Week),
    ("週", Unit::Week),
    ("年", Unit::Year),
    ("일", Unit::Day),
    ("주", Unit::Week),
    ("개월", Unit::Month),
    ("달", Unit::Month),
    ("년", Unit::Year),
];

/// What such a text says of days: where it stands, how long its words are, and what it is.
type Place = (usize, usize, Span);

/// A text with its days as dates.
pub(super) fn absolute(said: &str, today: NaiveDate, weekdays: Weekdays) -> String {
    let (mut out, mut rest) = (String::new(), said);
    while let Some((at, length, span)) = first(rest, today, weekdays) {
        out.push_str(&rest[..at]);
        out.push_str(&span.written());
        rest = &rest[at + length..];
    }
    out + rest
}

/// All that such a text says of days.
pub(super) fn spans(said: &str, today: NaiveDate) -> Vec<Span> {
    let (mut found, mut rest) = (Vec::new(), said);
    while let Some((at, length, span)) = first(rest, today, Weekdays::AreDates) {
        found.push(span);
        rest = &rest[at + length..];
    }
    found
}

fn first(said: &str, today: NaiveDate, weekdays: Weekdays) -> Option<Place> {
    let is_moment = weekdays != Weekdays::AreHabits;
    [
        counted(said, today),
        day(said, today),
        week_or_month(said, today),
        calendar_day(said, today).filter(|_| is_moment),
        end(said, today),
        weekday_alone(said, today).filter(|_| is_moment),
    ]
    .into_iter()
    .flatten()
    // Of what begins at one place the longest is meant.
    .min_by_key(|(at, length, _)| (*at, usize::MAX - length))
}

fn day(said: &str, today: NaiveDate) -> Option<Place> {
    let found = DAYS.iter().filter_map(|(name, days)| Some((said.find(name)?, name.len(), *days)));
    let (at, length, days) = found.min_by_key(|(at, length, _)| (*at, usize::MAX - length))?;
    Some((at, length, Span::Day(shift(today, days)?)))
}

/// "下周", "来週の金曜日", "다음 달".
fn week_or_month(said: &str, today: NaiveDate) -> Option<Place> {
    let (name, unit, turn) = SPANS.iter().find(|(name, _, _)| said.contains(name))?;
    let at = said.find(name)?;
    let monday = shift(today, -i64::from(today.weekday().num_days_from_monday()))?;
    let span = match unit {
        Unit::Week => {
            let after = &said[at + name.len()..];
            return Some(match weekday(after) {
                Some((length, day)) => (at, name.len() + length, Span::Day(shift(monday, 7 * turn + day)?)),
                // "This week" alone says nothing that is worth a date.
                None if *turn == 0 => return None,
                None => (at, name.len(), Span::Week(shift(monday, 7 * turn)?)),
            });
        }
        Unit::Month => Span::Month(Unit::Month.shift(today.with_day(1)?, *turn)?),
        Unit::Year => Span::Year(today.year() + i32::try_from(*turn).ok()?),
        Unit::Day | Unit::Fortnight => Span::Day(unit.shift(today, *turn)?),
    };
    Some((at, name.len(), span))
}

/// The weekday that a text begins with, how long its words are, and how many days it lies after Monday: "五", "の金曜日",
/// " 금요일", "末".
fn weekday(said: &str) -> Option<(usize, i64)> {
    let rest = said.trim_start_matches(['の', '的', ' ']);
    let skipped = said.len() - rest.len();
    let first = rest.chars().next()?;
    if first == '末' || rest.starts_with("주말") {
        return Some((skipped + if first == '末' { first.len_utf8() } else { "주말".len() }, 5));
    }
    let second: String = rest.chars().skip(1).take(2).collect();
    let (names, length) = match second.as_str() {
        "요일" => ("월화수목금토일", first.len_utf8() + "요일".len()),
        _ if second.starts_with('曜') => {
            ("月火水木金土日", first.len_utf8() + if second == "曜日" { "曜日".len() } else { "曜".len() })
        }
        _ => ("一二三四五六日", first.len_utf8()),
    };
    let day = if first == '天' { 6 } else { names.chars().position(|name| name == first)? };
    Some((skipped + length, i64::try_from(day).ok()?))
}

/// "周六", "星期五", "金曜日", "금요일": the coming one.
fn weekday_alone(said: &str, today: NaiveDate) -> Option<Place> {
    let coming = |day: i64| {
        let ahead = (7 + day - i64::from(today.weekday().num_days_from_monday())) % 7;
        Some(Span::Day(shift(today, ahead)?))
    };
    if let Some(at) = said.find('曜').or_else(|| said.find("요일")) {
        let name = said[..at].chars().next_back()?;
        let start = at - name.len_utf8();
        let (length, day) = weekday(&said[start..])?;
        return Some((start, length, coming(day)?));
    }
    let (at, lead) = ["星期", "礼拜", "周", "週"].iter().find_map(|lead| Some((said.find(lead)?, *lead)))?;
    let (length, day) = weekday(&said[at + lead.len()..]).filter(|_| !said[at + lead.len()..].starts_with(' '))?;
    Some((at, lead.len() + length, coming(day)?))
}

/// "月底", "年末": its last day.
fn end(said: &str, today: NaiveDate) -> Option<Place> {
    let (name, is_month) = [
        ("月底", true),
        ("月末", true),
        ("월말", true),
        ("สิ้นเดือน", true),
        ("年底", false),
        ("年末", false),
        ("연말", false),
    ]
    .into_iter()
    .find(|(name, _)| said.contains(name))?;
    let at = said.find(name)?;
    let day = if is_month {
        shift(Unit::Month.shift(today.with_day(1)?, 1)?, -1)?
    } else {
        NaiveDate::from_ymd_opt(today.year(), 12, 31)?
    };
    Some((at, name.len(), Span::Day(day)))
}

/// "三天后", "2周前", "3日後", "十五天后".
fn counted(said: &str, today: NaiveDate) -> Option<Place> {
    for at in beginnings(said) {
        let Some((length, count)) = numeral(&said[at..]) else { continue };
        let rest = said[at + length..].trim_start();
        let gap = said[at + length..].len() - rest.len();
        let Some((name, unit)) = UNITS.iter().find(|(name, _)| rest.starts_with(name)) else { continue };
        let after = rest[name.len()..].trim_start();
        let second_gap = rest[name.len()..].len() - after.len();
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
        let length = length + gap + name.len() + second_gap + word.len();
        return Some((at, length, Span::Day(unit.shift(today, count * turn)?)));
    }
    None
}

/// "5月3日", "五月三号", "5월 3일": month and day, with how long it is.
fn month_and_day(said: &str) -> Option<(usize, u32, u32)> {
    let (length, month) = numeral(said)?;
    let rest = &said[length..];
    let after_month = rest.strip_prefix('月').or_else(|| rest.strip_prefix('월'))?;
    let day_part = after_month.trim_start();
    let (day_length, day) = numeral(day_part)?;
    let end = &day_part[day_length..];
    let after = ['日', '号', '號', '일'].iter().find_map(|sign| end.strip_prefix(*sign))?;
    let (month, day) = (u32::try_from(month).ok()?, u32::try_from(day).ok()?);
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((said.len() - after.len(), month, day))
}

fn calendar_day(said: &str, today: NaiveDate) -> Option<Place> {
    beginnings(said).find_map(|at| {
        let (length, month, day) = month_and_day(&said[at..])?;
        Some((at, length, Span::Day(next_on(today, month, day)?)))
    })
}

/// All months and days that a text names so, each with the year where one stands before it.
pub(super) fn calendar_days(said: &str) -> Vec<(Option<i32>, u32, u32)> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some((at, length, month, day)) =
        beginnings(&said[from..]).find_map(|at| month_and_day(&said[from + at..]).map(|(l, m, d)| (at, l, m, d)))
    {
        let before = said[..from + at].trim_end();
        let year =
            before.strip_suffix(['年', '년']).and_then(|year| year.get(year.len().checked_sub(4)?..)?.parse().ok());
        found.push((year, month, day));
        from += at + length;
    }
    found
}

/// A text that is one such day, in one form: "1990-05-14", or "--05-14" where no year is said.
pub(super) fn day_key(said: &str) -> Option<String> {
    let (year, rest) = match said.char_indices().find(|(_, c)| matches!(c, '年' | '년')) {
        Some((at, mark)) => (Some(said[..at].parse::<i32>().ok()?), said[at + mark.len_utf8()..].trim_start()),
        None => (None, said),
    };
    let (length, month, day) = month_and_day(rest.trim())?;
    let year = year.map_or_else(|| "-".to_owned(), |year| format!("{year:04}"));
    (length == rest.trim().len()).then(|| format!("{year}-{month:02}-{day:02}"))
}

/// Where a number may begin: not in the middle of another one.
fn beginnings(said: &str) -> impl Iterator<Item = usize> {
    let is_digit = |c: char| c.is_ascii_digit() || ('０'..='９').contains(&c);
    let is_numeral = |c: char| "一二三四五六七八九十百千万萬".contains(c);
    let mut last = ' ';
    let begins = move |(_, c): &(usize, char)| {
        let before = std::mem::replace(&mut last, *c);
        !(is_digit(before) && is_digit(*c) || is_numeral(before) && is_numeral(*c))
    };
    said.char_indices().filter(begins).map(|(at, _)| at)
}

/// A number in digits of any width or in Chinese numerals up to 99, with how long it is.
fn numeral(said: &str) -> Option<(usize, i64)> {
    let value = |c: char| match c {
        '0'..='9' => c.to_digit(10),
        '０'..='９' => Some(c as u32 - '０' as u32),
        _ => None,
    };
    let digits: Vec<char> = said.chars().take_while(|c| value(*c).is_some()).take(4).collect();
    if !digits.is_empty() {
        let number = digits.iter().filter_map(|c| value(*c)).fold(0, |all, digit| all * 10 + i64::from(digit));
        return Some((digits.iter().map(|c| c.len_utf8()).sum(), number));
    }
    if said.starts_with(['两', '兩']) {
        return Some(("两".len(), 2));
    }
    if let Some((word, count)) =
        [("한", 1), ("두", 2), ("세", 3), ("네", 4)].iter().find(|(word, _)| said.starts_with(word))
    {
        return said[word.len()..].starts_with(' ').then_some((word.len(), *count));
    }
    let ones =
        |c: char| "一二三四五六七八九".chars().position(|one| one == c).and_then(|at| i64::try_from(at + 1).ok());
    let mut chars = said.chars();
    let first = chars.next()?;
    let (tens, length, next) = match (ones(first), first) {
        (Some(one), _) => match chars.next() {
            Some('十') => (one * 10, 2, chars.next()),
            _ => return Some((first.len_utf8(), one)),
        },
        (None, '十') => (10, 1, chars.next()),
        _ => return None,
    };
    let last = next.and_then(ones);
    Some(((length + usize::from(last.is_some())) * '十'.len_utf8(), tens + last.unwrap_or(0)))
}
