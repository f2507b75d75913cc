//! Server-sent events, taken apart as they arrive.
//!
//! Bytes in, events out; no I/O. It is our own because the usual crate gives up on a broken character, drops a last
//! event that no blank line follows, and has no limit on a line; each of these was seen in the field.

use super::ProviderError;

/// The longest line, and the most data of one event, in bytes.
const LONGEST: usize = 4 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// Its data lines, joined by line feeds.
    pub data: String,
}

/// The parser. It may be fed in pieces of any size, split anywhere.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    data: Option<String>,
    after_cr: bool,
    begun: bool,
}

impl SseParser {
    /// Takes the next bytes and appends the events that they complete.
    ///
    /// # Errors
    /// [`ProviderError::Malformed`] where a line or an event is longer than 4 MiB.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), ProviderError> {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let (head, tail) = rest.split_at(end);
            // A line feed right after a carriage return belongs to the same line break.
            let second_half = self.after_cr && head.is_empty() && tail[0] == b'\n';
            self.after_cr = tail[0] == b'\r';
            if !second_half {
                self.extend_line(head)?;
                events.extend(self.end_line()?);
            }
            rest = &tail[1..];
        }
        if !rest.is_empty() {
            self.after_cr = false;
            self.extend_line(rest)?;
        }
        Ok(())
    }

    /// What was under way when the stream ended: some servers send no blank line after their last event.
    pub fn finish(mut self) -> Option<SseEvent> {
        if !self.line.is_empty() {
            self.end_line().ok()?;
        }
        self.data.map(|data| SseEvent { data })
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), ProviderError> {
        if self.line.len() + bytes.len() > LONGEST {
            return Err(ProviderError::Malformed);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// A blank line completes an event; any other line adds to it.
    fn end_line(&mut self) -> Result<Option<SseEvent>, ProviderError> {
        let bytes = std::mem::take(&mut self.line);
        let mut line = bytes.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            return Ok(self.data.take().map(|data| SseEvent { data }));
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        // Older llama.cpp servers send their errors in a field of that name instead of in `data`.
        if matches!(field, "data" | "error") {
            self.add_data(value.strip_prefix(' ').unwrap_or(value))?;
        }
        Ok(None)
    }

    fn add_data(&mut self, value: &str) -> Result<(), ProviderError> {
        let Some(data) = &mut self.data else {
            self.data = Some(value.to_owned());
            return Ok(());
        };
        if data.len() + value.len() > LONGEST {
            return Err(ProviderError::Malformed);
        }
        data.push('\n');
        data.push_str(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pieces: &[&[u8]]) -> Vec<String> {
        let mut parser = SseParser::default();
        let mut events = Vec::new();
        for piece in pieces {
            parser.push(piece, &mut events).expect("short lines");
        }
        events.extend(parser.finish());
        events.into_iter().map(|event| event.data).collect()
    }

    /// The same events, however the bytes are split: at every place once, at every two, and byte by byte.
    fn assert_parses(input: &str, expected: &[&str]) {
        let bytes = input.as_bytes();
        assert_eq!(parse(&[bytes]), expected, "whole: {input:?}");
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(parse(&single), expected, "byte by byte: {input:?}");
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(parse(&pieces), expected, "split at {first} and {second}: {input:?}");
            }
        }
    }

    #[test]
    fn all_three_line_breaks_end_a_line() {
        for line_break in ["\n", "\r\n", "\r"] {
            let input = "data: a|data: b||data: c||".replace('|', line_break);
            assert_parses(&input, &["a\nb", "c"]);
        }
    }

    #[test]
    fn mixed_line_breaks_neither_lose_nor_invent_an_event() {
        assert_parses("data: a\r\n\ndata: b\r\rdata: c\n\r\n", &["a", "b", "c"]);
        assert_parses("data: a\r\n\r\n\r\n\n\ndata: b\n\n", &["a", "b"]);
    }

    #[test]
    fn comments_names_ids_and_unknown_fields_are_passed_by() {
        assert_parses(
            ": OPENROUTER PROCESSING\n\nevent: message\nid: 7\nretry: 10\nfoo\ndata: a\n\n: ping\n\n",
            &["a"],
        );
    }

    #[test]
    fn a_byte_order_mark_is_dropped_at_the_beginning_and_kept_elsewhere() {
        assert_parses("\u{feff}data: a\n\ndata: \u{feff}b\n\n", &["a", "\u{feff}b"]);
        assert_parses("\u{feff}\n\ndata: a\n\n", &["a"]);
    }

    #[test]
    fn characters_of_several_bytes_survive_every_split() {
        assert_parses("data: 你好🦀 é\n\n", &["你好🦀 é"]);
    }

    #[test]
    fn one_space_after_the_colon_is_dropped_and_no_more() {
        assert_parses("data:a\n\ndata:  b \n\ndata\n\ndata:\n\n", &["a", " b ", "", ""]);
    }

    #[test]
    fn the_last_event_counts_without_a_blank_line() {
        assert_parses("data: a\n\ndata: b\n", &["a", "b"]);
        assert_parses("data: a\n\ndata: b", &["a", "b"]);
        assert_parses("data: a\n\n: bye", &["a"]);
        assert_parses("", &[]);
    }

    #[test]
    fn an_error_field_is_data() {
        assert_parses("error: {\"code\":500}\n\n", &["{\"code\":500}"]);
    }

    #[test]
    fn bytes_that_are_no_text_become_the_replacement_character() {
        assert_eq!(parse(&[b"data: a\xFFb\n\n"]), ["a\u{fffd}b"]);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut parser = SseParser::default();
        let mut events = Vec::new();
        let piece = vec![b'x'; LONGEST / 2];
        assert_eq!(parser.push(&piece, &mut events), Ok(()));
        assert_eq!(parser.push(&piece, &mut events), Ok(()));
        assert_eq!(parser.push(b"x", &mut events), Err(ProviderError::Malformed));
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let mut parser = SseParser::default();
        let mut events = Vec::new();
        let mut line = b"data: ".to_vec();
        line.resize(LONGEST / 2, b'x');
        line.push(b'\n');
        assert_eq!(parser.push(&line, &mut events), Ok(()));
        assert_eq!(parser.push(&line, &mut events), Ok(()));
        assert_eq!(parser.push(&line, &mut events), Err(ProviderError::Malformed));
    }
}
