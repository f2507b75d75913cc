//! What code sees of an answer's form: emoji, links, lists; and how much there is of it.

use serde::Deserialize;

use super::super::sentence::Sentence;

/// What an answer may not have; called so in the data files too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum Form {
    Emojis,
    Links,
    Code,
    Markdown,
    Lists,
    Tables,
    Headings,
    ExclamationMarks,
    Questions,
    Dashes,
    Digits,
    PhoneNumbers,
    MailAddresses,
}

/// What can be counted in an answer; called so in the data files too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum Unit {
    Words,
    Sentences,
    Characters,
    Paragraphs,
    Lines,
    Questions,
}

impl Form {
    /// Whether a sentence of prose has it; of a code block only that it is one.
    pub fn is_in(self, sentence: &Sentence) -> bool {
        let line = sentence.written.as_str();
        if sentence.is_foreign {
            return matches!(self, Self::Code | Self::Markdown) && line.starts_with("```");
        }
        match self {
            Self::Emojis => has_emoji(&sentence.own),
            Self::Links => ["http://", "https://", "www."].iter().any(|start| line.contains(start)),
            Self::Code => line.starts_with("```"),
            Self::Markdown => [Self::Headings, Self::Lists].iter().any(|form| form.is_in(sentence)) || is_bold(line),
            Self::Lists => is_list_item(line),
            Self::Tables => line.matches('|').count() >= 3 && line.contains("--"),
            Self::Headings => line.starts_with('#') && line.trim_start_matches('#').starts_with(' '),
            Self::ExclamationMarks => sentence.own.contains(['!', '！']),
            Self::Questions => sentence.is_question,
            Self::Dashes => sentence.own.contains('—'),
            Self::Digits => sentence.own.contains(char::is_numeric),
            Self::PhoneNumbers => has_phone(line),
            Self::MailAddresses => line.split_whitespace().any(is_mail),
        }
    }

    /// Whether all that a sentence has of it was written by the person: it may be repeated.
    pub fn is_repeated(self, sentence: &Sentence, question: &str) -> bool {
        let mut parts = sentence.written.split_whitespace().filter(|part| match self {
            Self::Links => part.contains("://") || part.contains("www."),
            Self::MailAddresses => is_mail(part),
            Self::Emojis => has_emoji(part),
            Self::PhoneNumbers => part.contains(|c: char| c.is_ascii_digit()),
            _ => false,
        });
        let bare = |part: &str| part.trim_matches(|c: char| c.is_ascii_punctuation()).to_owned();
        parts.clone().next().is_some() && parts.all(|part| question.contains(&bare(part)))
    }
}

impl Unit {
    /// How many a sentence adds; `gap` is what stands between it and the one before.
    pub fn count(self, sentence: &Sentence, gap: &str, is_first: bool) -> usize {
        if sentence.is_foreign {
            return 0;
        }
        let line = sentence.written.as_str();
        match self {
            Self::Words => line.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count(),
            // A heading or an item of a list is no sentence, nor is what goes on behind an abbreviation.
            Self::Sentences => {
                let end = line.trim_end_matches(['"', '”', '*', '_', ')', ' ']);
                let ends = end.ends_with(['.', '!', '?', '。', '！', '？', '…']);
                let goes_on = line.starts_with(char::is_lowercase);
                usize::from(ends && !goes_on && !line.starts_with(['#', '-', '*', '•', '|']))
            }
            Self::Characters => line.chars().count() + usize::from(!is_first),
            Self::Paragraphs => usize::from(is_first || gap.matches('\n').count() >= 2),
            Self::Lines => usize::from(is_first || gap.contains('\n')),
            Self::Questions => usize::from(sentence.is_question),
        }
    }
}

fn has_emoji(line: &str) -> bool {
    const OLD: &str = "⌚⌛⏰⏳☔☕♿⚓⚡⚽⚾⛄⛅⛔⛪⛲⛳⛵⛺✅✊✋✨❌❓❗⭐";
    let next = line.chars().skip(1).chain([' ']);
    line.chars().zip(next).any(|(c, next)| {
        let is_emoji = matches!(c, '\u{1F1E6}'..='\u{1F1FF}' | '\u{1F300}'..='\u{1F64F}' | '\u{1F680}'..='\u{1F6FF}' | '\u{1F7E0}'..='\u{1F7EB}' | '\u{1F900}'..='\u{1FAFF}');
        let is_dressed = next == '\u{FE0F}' && matches!(c, '\u{2600}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}');
        is_emoji || is_dressed || OLD.contains(c)
    })
}

fn is_bold(line: &str) -> bool {
    line.match_indices("**").count() >= 2 && line.split("**").nth(1).is_some_and(|inner| !inner.trim().is_empty())
}

/// "- item", "1. item".
fn is_list_item(line: &str) -> bool {
    let bullet = ["- ", "* ", "• ", "+ "].iter().any(|sign| line.starts_with(sign));
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = (1..=2).contains(&digits) && [". ", ") "].iter().any(|sign| line[digits..].starts_with(sign));
    bullet || numbered
}

/// A number with seven to fifteen digits in groups, or behind a plus.
fn has_phone(line: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '(' | ')' | '/' | '+');
    line.split(|c: char| !is_part(c)).any(|run| {
        let run = run.trim();
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        let is_sign = |c: char| !c.is_ascii_digit();
        let groups: Vec<&str> = run.split(is_sign).filter(|group| !group.is_empty()).collect();
        let is_date = digits == 8 && groups[0].len() == 4;
        let has_form = run.starts_with(['+', '(', '0']) && groups.len() >= 2 || groups.len() == 3 && digits == 10;
        (7..=15).contains(&digits) && !is_date && has_form
    })
}

fn is_mail(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty()
            && host.contains('.')
            && !host.starts_with('.')
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
    })
}
