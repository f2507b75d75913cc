//! Notes in Markdown, as MEMORY.md and USER.md of other tools are: bullets and plain lines under headings, dated here and
//! there.

use chrono::NaiveDate;

use super::Line;
use crate::text;

/// The longest line that is one thing to remember, in characters.
const LONGEST: usize = 1_000;

/// The things to remember in a text.
pub(in crate::memory::transfer) fn read(markdown: &str, file: &str) -> Vec<Line> {
    let is_about_person = file.to_lowercase().starts_with("user");
    let (mut lines, mut day, mut about_person) = (Vec::new(), None, is_about_person);
    let (mut is_code, mut is_comment) = (false, false);
    for (number, raw) in markdown.lines().enumerate() {
        let line = raw.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        let begins_comment = line.starts_with("<!--");
        let is_passed_by = is_code || is_comment || begins_comment || (number == 0 && line == "---");
        is_comment = (is_comment || begins_comment) && !line.contains("-->");
        if is_passed_by {
            continue;
        }
        if let Some(heading) = heading(line) {
            day = begins_with_day(heading).map(|(day, _)| day).or(day.filter(|_| line.starts_with("###")));
            about_person = is_about_person || is_about(heading);
            continue;
        }
        let plain = without_emphasis(without_bullet(line));
        let (dated, rest) = match begins_with_day(&plain) {
            Some((day, rest)) => (Some(day), rest),
            None => (day, plain.as_str()),
        };
        let text = text::clean(rest);
        let says = text.chars().filter(|c| c.is_alphanumeric()).count() >= 2 && !text.ends_with(':');
        if says && text.chars().count() <= LONGEST {
            let at = dated.and_then(|day| Some(day.and_hms_opt(12, 0, 0)?.and_utc()));
            lines.push(Line { text, at, file: file.to_owned(), about_person });
        }
    }
    lines
}

fn heading(line: &str) -> Option<&str> {
    // A whole line in bold is one too.
    if let Some(bold) = line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**")) {
        return Some(bold.trim_end_matches(':')).filter(|bold| !bold.contains("**"));
    }
    let rest = line.trim_start_matches('#');
    (rest.len() < line.len() && rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

fn is_about(heading: &str) -> bool {
    let words = text::words(heading);
    let all = ["user", "profile", "identity", "biography", "bio", "personal", "preferences", "me", "you"];
    words.iter().any(|word| all.contains(&word.as_str()))
}

/// Without "- ", "* ", "1. ", "- [x] ", "> ".
fn without_bullet(line: &str) -> &str {
    let mut rest = line.trim_start_matches('>').trim_start();
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if (1..=3).contains(&digits) && rest[digits..].starts_with(['.', ')']) {
        rest = rest[digits + 1..].trim_start();
    }
    for bullet in ["- ", "* ", "+ ", "• ", "– ", "— "] {
        if let Some(after) = rest.strip_prefix(bullet) {
            rest = after.trim_start();
            break;
        }
    }
    for mark in ["[ ] ", "[x] ", "[X] "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    rest
}

/// "**Name:** Ana" is "Name: Ana".
fn without_emphasis(line: &str) -> String {
    line.replace("**", "").replace("__", "").replace('`', "")
}

/// "2026-03-02: text", "[2026-03-02] text", "(2026-03-02) text": the day, and the rest.
fn begins_with_day(line: &str) -> Option<(NaiveDate, &str)> {
    let bare = line.trim_start_matches(['[', '(']);
    let day = NaiveDate::parse_from_str(bare.get(..10)?, "%Y-%m-%d").ok()?;
    let rest = &bare[10..];
    // A time of day may follow: "2026-03-02 14:05".
    let clock = rest.strip_prefix([' ', 'T']).filter(|rest| {
        let bytes = rest.as_bytes();
        bytes.len() >= 5 && bytes[2] == b':' && [0, 1, 3, 4].iter().all(|at| bytes[*at].is_ascii_digit())
    });
    let rest = clock.map_or(rest, |clock| &clock[5..]);
    Some((day, rest.trim_start_matches([']', ')', '.', ':', ' ', '-', '–', '—', '|'])))
}
