//! A message as words that can be compared, each with its place: and which of them are somebody else's (quoted, code, pasted).

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::text;

/// What stands between a word and the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Break {
    /// A space, a hyphen or an apostrophe, or nothing.
    None,
    /// A comma.
    Comma,
    /// Any other sign.
    Sign,
    /// The end of a sentence, or the beginning of the message.
    Sentence,
}

/// One word; of scripts that write no spaces, one character.
#[derive(Debug)]
pub(super) struct Token {
    pub word: String,
    pub range: Range<usize>,
    pub before: Break,
    /// Not the person's own words to the assistant.
    pub is_quoted: bool,
    /// How much of a gap it fills: a word fills more than a character.
    pub weight: usize,
}

/// The words of a message.
pub(super) fn tokens(said: &str) -> Vec<Token> {
    let quoted = quoted(said);
    let mut ends = ends(said);
    ends.reverse();
    let mut tokens: Vec<Token> = Vec::new();
    let mut before = Break::Sentence;
    let mut joins = false;
    for (at, c) in said.char_indices() {
        while ends.last().is_some_and(|end| *end <= at) {
            ends.pop();
            before = Break::Sentence;
        }
        let end = at + c.len_utf8();
        if !(c.is_alphanumeric() || is_combining_mark(c)) {
            if !text::is_invisible(c) {
                joins = false;
                before = before.max(sign(c, &said[end..], !said[..at].ends_with(char::is_whitespace)));
            }
            continue;
        }
        let folded = letters(c);
        let is_unspaced = text::is_unspaced(c) && !is_combining_mark(c);
        match tokens.last_mut().filter(|_| joins && !is_unspaced) {
            Some(token) => {
                token.word.push_str(&folded);
                token.range.end = end;
            }
            None if !folded.is_empty() => {
                let is_quoted = quoted.iter().any(|range| range.contains(&at));
                let weight = if is_unspaced { 1 } else { 3 };
                tokens.push(Token { word: folded, range: at..end, before, is_quoted, weight });
                before = Break::None;
            }
            None => {}
        }
        joins = !is_unspaced;
    }
    tokens
}

/// The words of a phrase of the data, as [`tokens`] would write them.
pub(super) fn words(phrase: &str) -> Vec<String> {
    tokens(phrase).into_iter().map(|token| token.word).collect()
}

/// Where the sentences end.
fn ends(said: &str) -> Vec<usize> {
    let others = said.char_indices().filter(|(_, c)| matches!(c, '।' | '؟' | '\n')).map(|(at, c)| at + c.len_utf8());
    let mut ends: Vec<usize> = text::sentence_ends(said).into_iter().chain(others).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

fn sign(c: char, rest: &str, follows_word: bool) -> Break {
    match c {
        c if c.is_whitespace() => Break::None,
        '\'' | '’' | '‘' | 'ʼ' | '´' | '`' => Break::None,
        '-' | '‑' if follows_word && rest.starts_with(char::is_alphanumeric) => Break::None,
        // It ends no sentence here, so it ends an abbreviation or a number.
        '.' => Break::None,
        ',' | '、' | '，' | '،' => Break::Comma,
        _ => Break::Sign,
    }
}

/// A letter as it is compared: folded, and letters as one that people write for one another.
fn letters(c: char) -> String {
    match c {
        '\u{093C}' => String::new(),
        'ँ' => 'ं'.into(),
        'ى' => 'ي'.into(),
        'ة' => 'ه'.into(),
        'ı' => 'i'.into(),
        c if c.is_ascii() => c.to_ascii_lowercase().into(),
        c => text::fold(&c.to_string()),
    }
}

/// The parts of a message that are somebody else's: between quotation marks, code, lines that begin with `>`.
fn quoted(said: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = said[at..].chars().next() {
        let rest = &said[at..];
        let length = match c {
            '`' if rest.starts_with("```") => rest[3..].find("```").map_or(rest.len(), |end| end + 6),
            '>' if at == 0 || said[..at].ends_with('\n') => rest.find('\n').unwrap_or(rest.len()),
            _ => quotation(rest, said[..at].ends_with(char::is_alphanumeric)).unwrap_or(0),
        };
        if length > 0 {
            found.push(at..at + length);
        }
        at += length.max(c.len_utf8());
    }
    found
}

/// How long the quotation is that begins here.
fn quotation(rest: &str, follows_letter: bool) -> Option<usize> {
    let open = rest.chars().next()?;
    let closes: &[char] = match open {
        '"' | '“' => &['"', '”', '“'],
        '„' => &['“', '”', '"'],
        '«' => &['»'],
        '»' => &['«'],
        '「' => &['」'],
        '『' => &['』'],
        '`' => &['`'],
        '‘' | '\'' if !follows_letter => &['’', '\''],
        _ => return None,
    };
    let inner = &rest[open.len_utf8()..];
    let line = inner.find('\n').filter(|_| open != '"' && open != '“').unwrap_or(inner.len());
    let is_apostrophe = matches!(open, '‘' | '\'');
    let (end, close) = inner[..line].char_indices().find(|(end, c)| {
        let after = inner[end + c.len_utf8()..].chars().next();
        closes.contains(c) && !(is_apostrophe && after.is_some_and(char::is_alphanumeric))
    })?;
    Some(open.len_utf8() + end + close.len_utf8())
}
