//! Values as keys, and which of them are one.

use super::known::{has, known};
use crate::text::date;
use crate::text::{self, clean};

/// A value as a key: its words in order, numbers as digits, without a leading article; a day of the calendar in one form.
/// Commas stay, because "Berlin, Germany" says where Berlin is.
pub fn value_key(value: &str) -> String {
    let parts = clean(value);
    if let Some(day) = date::day_key(&parts) {
        return day;
    }
    let keys: Vec<String> = parts.split([',', '，', '、', ';']).map(part_key).filter(|part| !part.is_empty()).collect();
    if keys.is_empty() { text::fold(parts.trim()) } else { keys.join(", ") }
}

fn part_key(part: &str) -> String {
    // Signs that make a difference ("C++", "-5", "50%") are part of the word.
    let words: Vec<String> = part
        .split_whitespace()
        .map(|word| {
            word.trim_matches(|c: char| {
                matches!(c, '.' | '!' | '?' | '"' | '\'' | '“' | '”' | '。' | '！' | '(' | ')' | ':')
            })
        })
        .filter(|word| !word.is_empty())
        .map(|word| text::digits(&text::fold(word)))
        .collect();
    let lead = words.iter().take_while(|word| has(&known().articles, word)).count();
    // "A" alone, or as the last word, is a name.
    let lead = if lead == words.len() { 0 } else { lead };
    words[lead..].join(" ")
}

/// Whether two values of one relation are one value: equal; a place said once with and once without what it lies in; a
/// birthday with and without its year; things as one and as many. Names are never taken for plurals.
pub fn same_value(relation: &str, a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    match relation {
        "lives in" | "born in" | "from" => {
            let (a, b): (Vec<&str>, Vec<&str>) = (a.split(", ").collect(), b.split(", ").collect());
            let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
            long.starts_with(short) || long.ends_with(short)
        }
        "birthday" => {
            a.strip_prefix("--").is_some_and(|day| b.ends_with(day))
                || b.strip_prefix("--").is_some_and(|day| a.ends_with(day))
        }
        "age" => bare_age(a) == bare_age(b),
        "job" => bare_job(a) == bare_job(b),
        "allergic to" | "hobby" | "interested in" | "pet" | "has" | "eats" | "drinks" => singular(a) == singular(b),
        _ => false,
    }
}

/// "nurse" is meant by "working nurse", "nurse by profession" and "un infirmier" too.
fn bare_job(key: &str) -> &str {
    let data = known();
    let key = data.job_beginnings.iter().find_map(|lead| key.strip_prefix(lead.as_str())).unwrap_or(key);
    data.job_endings.iter().find_map(|end| key.strip_suffix(end.as_str())).unwrap_or(key).trim()
}

fn bare_age(key: &str) -> &str {
    known().ages.iter().find_map(|end| key.strip_suffix(end.as_str())).unwrap_or(key).trim()
}

/// "41 years old", and not the number alone.
pub(super) fn is_age(key: &str) -> bool {
    let bare = bare_age(key);
    bare.len() < key.len() && !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_digit())
}

pub(super) fn singular(key: &str) -> String {
    let one = |word: &str| match word.strip_suffix('s') {
        Some(rest) if word.len() > 3 && !rest.ends_with(['s', 'u', 'i']) => rest.to_owned(),
        _ => word.to_owned(),
    };
    key.split(' ').map(one).collect::<Vec<_>>().join(" ")
}
