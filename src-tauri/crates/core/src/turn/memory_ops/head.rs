//! Whether the beginning of a line is the beginning of a block.

use crate::turn::markdown::Fence;

/// What stands before a block.
const MARKER: &str = "MEMORY_OPS";

/// How much of the marker tells it from other words when the answer ends in it.
const TELLING: usize = "MEMORY_".len();

/// What models put around the marker: list dashes, headings, bold.
const DECORATION: [char; 6] = ['*', '_', '#', '-', ' ', '\t'];

/// The most of that, in bytes.
const MOST_DECORATION: usize = 8;

/// The longest beginning, in bytes.
const LONGEST: usize = 400;

/// What the beginning of a line is.
#[derive(Debug, PartialEq)]
pub(super) enum Reading {
    /// It can still become either; whether a good part of the marker is there.
    Open(bool),
    /// Text.
    Text,
    /// A block that begins with this character, and the code fence before it.
    Block { fence: Option<Fence>, first: char },
    /// The marker with the word for nothing, and the code fence before it. The line is whole.
    Nothing { fence: Option<Fence> },
}

/// Reads the beginning of a line; where it is a fence, of the next line too.
pub(super) fn read(head: &str) -> Reading {
    if head.len() > LONGEST {
        return Reading::Text;
    }
    let rest = head.trim_start_matches([' ', '\t', '\r']);
    match rest.chars().next() {
        None => Reading::Open(false),
        Some('`' | '~') => match read_fence(rest) {
            Ok((fence, rest)) => read_marker(rest.trim_start(), Some(fence)),
            Err(reading) => reading,
        },
        Some(_) => read_marker(rest, None),
    }
}

/// The fence in the first line, and what follows that line.
fn read_fence(text: &str) -> Result<(Fence, &str), Reading> {
    let Some((line, rest)) = text.split_once('\n') else {
        // A single line: it may become a fence while it has fence marks alone, and after three of them.
        let mark = &text[..1];
        let marks = text.len() - text.trim_start_matches(mark).len();
        let inline = mark == "`" && text[marks..].contains('`');
        let may_be = marks == text.len() || (marks >= 3 && !inline);
        return Err(if may_be { Reading::Open(false) } else { Reading::Text });
    };
    Fence::opened_by(line).map(|fence| (fence, rest)).ok_or(Reading::Text)
}

fn read_marker(text: &str, fence: Option<Fence>) -> Reading {
    let rest = text.trim_start_matches(DECORATION);
    if text.len() - rest.len() > MOST_DECORATION {
        return Reading::Text;
    }
    let known = rest.len().min(MARKER.len());
    if !rest.is_char_boundary(known) || !rest[..known].eq_ignore_ascii_case(&MARKER[..known]) {
        return Reading::Text;
    }
    if known < MARKER.len() {
        return Reading::Open(known >= TELLING);
    }
    let rest = rest[known..].trim_start_matches(DECORATION);
    match rest.chars().next() {
        None => Reading::Open(true),
        Some(':') => read_beginning(rest[1..].trim_start_matches(DECORATION).trim_start(), fence),
        Some(_) => Reading::Text,
    }
}

/// What follows the colon: JSON, with or without a fence or inline code around it, or the word for nothing.
fn read_beginning(text: &str, fence: Option<Fence>) -> Reading {
    match text.chars().next() {
        None => Reading::Open(true),
        Some(first @ ('{' | '[')) => Reading::Block { fence, first },
        Some('`' | '~') if fence.is_none() => read_quoted(text),
        Some(_) => read_nothing(text, fence),
    }
}

fn read_quoted(text: &str) -> Reading {
    let inside = text.trim_start_matches('`');
    if let (1 | 2, Some(first @ ('{' | '['))) = (text.len() - inside.len(), inside.chars().next()) {
        return Reading::Block { fence: None, first };
    }
    match read_fence(text) {
        Ok((fence, rest)) => match rest.trim_start().chars().next() {
            None => Reading::Open(true),
            Some(first @ ('{' | '[')) => Reading::Block { fence: Some(fence), first },
            Some(_) => Reading::Text,
        },
        Err(Reading::Open(_)) => Reading::Open(true),
        Err(reading) => reading,
    }
}

fn read_nothing(text: &str, fence: Option<Fence>) -> Reading {
    let word = text.trim_end().trim_end_matches('.');
    let whole = ["null", "none"].iter().any(|nothing| word.eq_ignore_ascii_case(nothing));
    let begun = ["null", "none"]
        .iter()
        .any(|nothing| nothing.get(..word.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(word)));
    match (whole, text.ends_with('\n')) {
        (true, true) => Reading::Nothing { fence },
        (true, false) => Reading::Open(true),
        (false, false) if begun && !text.ends_with(char::is_whitespace) => Reading::Open(true),
        (false, _) => Reading::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_counts_with_what_models_put_around_it() {
        for head in [
            "MEMORY_OPS: {",
            "MEMORY_OPS:{",
            "  memory_ops :\n{",
            "**MEMORY_OPS:** {",
            "### MEMORY_OPS: {",
            "- MEMORY_OPS: {",
            "MEMORY_OPS: `{",
        ] {
            assert_eq!(read(head), Reading::Block { fence: None, first: '{' }, "{head:?}");
        }
        assert_eq!(read("MEMORY_OPS: ["), Reading::Block { fence: None, first: '[' });
        for head in
            ["```json\nMEMORY_OPS: {", "```\n\n  MEMORY_OPS:\n{", "MEMORY_OPS:\n```json\n{", "~~~\nMEMORY_OPS: {"]
        {
            assert!(matches!(read(head), Reading::Block { fence: Some(_), first: '{' }), "{head:?}");
        }
    }

    #[test]
    fn every_beginning_of_a_block_is_open() {
        for block in ["MEMORY_OPS: {", "```json\nMEMORY_OPS: {", "**MEMORY_OPS**:\n```json\n{", "MEMORY_OPS: none\n"] {
            for (at, _) in block.char_indices() {
                assert!(matches!(read(&block[..at]), Reading::Open(_)), "{:?}", &block[..at]);
            }
        }
        assert_eq!(read("MEMORY_"), Reading::Open(true));
        assert_eq!(read("MEMORY"), Reading::Open(false));
    }

    #[test]
    fn other_words_are_text_at_their_first_letter() {
        for head in
            ["H", "Me ", "MEMORY_OPX", "`M", "> M", "# H", "- i", "MEMORY_OPS is", "MEMORY_OPS: m", "```rust\nl", "\n"]
        {
            assert_eq!(read(head), Reading::Text, "{head:?}");
        }
        assert_eq!(read("MEMORY_OPS: no, it"), Reading::Text);
        assert_eq!(read("``` `x"), Reading::Text);
        assert_eq!(read(&"-".repeat(9)), Reading::Text);
        assert_eq!(read(&"-".repeat(3)), Reading::Open(false));
    }

    #[test]
    fn a_word_for_nothing_counts_alone_on_its_line() {
        assert_eq!(read("MEMORY_OPS: none.\n"), Reading::Nothing { fence: None });
        assert_eq!(read("MEMORY_OPS: NULL \n"), Reading::Nothing { fence: None });
        assert_eq!(read("MEMORY_OPS: none of"), Reading::Text);
    }
}
