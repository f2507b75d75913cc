//! The JSON of a block, taken character by character until it comes to its end.

use crate::memory::writing::ops::OpsBlock;
use crate::turn::markdown::Fence;

/// The longest block that is kept, in bytes; a longer one is passed by and counts as cut.
const LONGEST: usize = 512 * 1024;

/// How much of a line is looked at, in bytes.
const LONGEST_LINE: usize = 32;

/// The next block, where the one before it did not come to its end.
const NEXT_BLOCK: &str = "MEMORY_OPS:";

/// A block that is under way.
#[derive(Debug)]
pub(super) struct JsonBlock {
    raw: String,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The line breaks since the last character that is no white space.
    breaks: usize,
    /// The beginning of the line that is under way, after the first.
    line: Option<String>,
    fence: Option<Fence>,
}

/// What a character does to a block.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// It goes on.
    More,
    /// It is whole.
    Done,
    /// It was cut before this line, which is not of it.
    Broken { line: String },
}

impl JsonBlock {
    /// A block that begins with this brace or bracket.
    pub fn new(first: char, fence: Option<Fence>) -> Self {
        Self { raw: first.into(), depth: 1, in_string: false, escaped: false, breaks: 0, line: None, fence }
    }

    /// Takes the next character.
    pub fn take(&mut self, c: char) -> Step {
        self.follow_line(c);
        if let Some(line) = self.foreign_line(c) {
            return Step::Broken { line };
        }
        if self.raw.len() < LONGEST {
            self.raw.push(c);
        }
        if self.in_string {
            match c {
                _ if self.escaped => self.escaped = false,
                '\\' => self.escaped = true,
                '"' => self.in_string = false,
                _ => {}
            }
            return Step::More;
        }
        match c {
            '"' => self.in_string = true,
            '{' | '[' => self.depth += 1,
            '}' | ']' => self.depth -= 1,
            _ => {}
        }
        if self.depth == 0 { Step::Done } else { Step::More }
    }

    /// It, at its end.
    pub fn whole(self) -> OpsBlock {
        let whole = self.raw.len() < LONGEST;
        OpsBlock { json: self.raw, whole }
    }

    /// It, cut before its end.
    pub fn cut(self) -> OpsBlock {
        OpsBlock { json: self.raw, whole: false }
    }

    fn follow_line(&mut self, c: char) {
        if c == '\n' {
            self.line = Some(String::new());
            return;
        }
        if let Some(line) = self.line.as_mut().filter(|line| line.len() < LONGEST_LINE) {
            line.push(c);
        }
    }

    /// The line under way, where it shows that the block was cut before it: its closing fence, the next block, or text
    /// after a blank line. JSON that is whole has none of these.
    fn foreign_line(&mut self, c: char) -> Option<String> {
        let after_blank_line = self.breaks >= 2;
        match c {
            '\n' => self.breaks += 1,
            _ if c.is_whitespace() => {}
            _ => self.breaks = 0,
        }
        let line = self.line.as_ref()?;
        let is_fence = self.fence.is_some_and(|fence| !line.trim().is_empty() && fence.is_closed_by(line));
        let is_next = line.trim_start().eq_ignore_ascii_case(NEXT_BLOCK);
        let is_text = !self.in_string && after_blank_line && c.is_alphabetic();
        (is_fence || is_next || is_text).then(|| line.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds a text until the block ends: the last step, and how many bytes it took.
    fn feed(text: &str, fence: Option<Fence>) -> (Step, usize) {
        let mut block = JsonBlock::new('{', fence);
        for (at, c) in text.char_indices().skip(1) {
            match block.take(c) {
                Step::More => {}
                step => return (step, at + c.len_utf8()),
            }
        }
        (Step::More, text.len())
    }

    #[test]
    fn it_ends_at_its_own_brace() {
        for json in ["{}", r#"{"a": "}"}"#, r#"{"a": "\"}"}"#, r#"{"a": [{"b": "\\"}]}"#, "{\n\n\"a\":\n1\n}"] {
            let text = format!("{json} and more }}");
            assert_eq!(feed(&text, None), (Step::Done, json.len()), "{json}");
        }
    }

    #[test]
    fn what_cannot_be_of_it_breaks_it() {
        let broken = |line: &str| Step::Broken { line: line.into() };
        assert_eq!(feed("{\"a\": [1,\n\n  Anything else?", None).0, broken("  A"));
        assert_eq!(feed("{\"a\": \"x\nMEMORY_OPS: {}", None).0, broken("MEMORY_OPS:"));
        assert_eq!(feed("{\"a\": \"x\n```\n", Fence::opened_by("```json")).0, broken("```"));
    }

    #[test]
    fn odd_json_does_not_break_it() {
        for json in ["{\n\n\"a\": true}", "{a: 1}", "{\n a: 1}", "{\"a\": \"x\n\ny\"}"] {
            assert_eq!(feed(json, None), (Step::Done, json.len()), "{json}");
        }
    }
}
