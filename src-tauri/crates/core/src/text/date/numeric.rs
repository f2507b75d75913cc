//! Days that are written in digits alone: "2026-03-05", "5.3.2026", "14/05".

use chrono::NaiveDate;

use super::Day;
use super::pattern::Match;
use super::said::Said;
use super::words::Text;

/// The days in digits, in their order. Where day and month cannot be told apart, the day stands first unless the language may
/// have it either way.
pub(super) fn days(text: &Text, is_either_way: bool) -> Vec<Match<Said>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.chars.len() {
        let begins = text.chars[at].is_ascii_digit() && is_free(text, at);
        match begins.then(|| day_at(text, at, is_either_way)).flatten() {
            Some((ends, what)) => {
                found.push(Match { from: at, begins: at, ends, what });
                at = ends;
            }
            None => at += 1,
        }
    }
    found
}

/// Whether no number goes on before this place.
fn is_free(text: &Text, at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map_or(' ', |at| text.chars[at]);
    text.is_bound(at)
        && !before(1).is_alphanumeric()
        && !(matches!(before(1), '.' | '/' | '-' | ':' | ',') && before(2).is_ascii_digit())
}

fn day_at(text: &Text, at: usize, is_either_way: bool) -> Option<(usize, Said)> {
    let number = |at: usize| {
        let digits: String = text.chars.get(at..)?.iter().take_while(|c| c.is_ascii_digit()).take(5).collect();
        Some((at + digits.len(), digits.len(), digits.parse::<u32>().ok()?))
    };
    let (end, length, first) = number(at)?;
    let sign = *text.chars.get(end).filter(|sign| matches!(sign, '.' | '/' | '-'))?;
    let (end, second_length, second) = number(end + 1).filter(|(_, length, _)| *length <= 2)?;
    let third = (text.chars.get(end) == Some(&sign)).then(|| number(end + 1)).flatten();
    let is_over = |end: usize| text.chars.get(end).is_none_or(|c| !c.is_alphanumeric());
    if length == 4 {
        let year = i32::try_from(first).ok().filter(|year| (1900..2200).contains(year))?;
        let Some((end, _, day)) = third else {
            let month = (sign == '-' && second_length == 2 && is_over(end))
                .then(|| NaiveDate::from_ymd_opt(year, second, 1))??;
            return Some((end, Said::Exact(Day::Month(month))));
        };
        return Some((end, Said::Exact(Day::Date(NaiveDate::from_ymd_opt(year, second, day)?))))
            .filter(|_| is_over(end));
    }
    let (day, month) = match (first, second) {
        (13.., _) => (first, second),
        (_, 13..) if sign == '/' => (second, first),
        _ if is_either_way && sign != '.' => return None,
        _ => (first, second),
    };
    let Some((end, year_length, year)) = third else {
        // "3.5" is a number, "1/2" a part, "24/7" always; "5-6" counts.
        let is_day = match sign {
            '.' => text.chars.get(end) == Some(&'.'),
            '/' => !(first < 4 && second < 5) && (first, second) != (24, 7) && is_over(end),
            _ => false,
        };
        let end = end + usize::from(sign == '.');
        NaiveDate::from_ymd_opt(2000, month, day)?;
        return is_day.then_some((end, Said::DayOfYear { month, day }));
    };
    let year = i32::try_from(if year_length == 2 { 2000 + year } else { year }).ok()?;
    let day =
        NaiveDate::from_ymd_opt(year, month, day).filter(|_| year_length == 4 || year_length == 2 && sign != '-')?;
    is_over(end).then_some((end, Said::Exact(Day::Date(day))))
}
