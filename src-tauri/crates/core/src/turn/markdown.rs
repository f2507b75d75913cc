//! As much of Markdown as tells code from text while it streams: fences and inline code.

/// The longest beginning of a line that is looked at, in characters; no fence is longer.
const LONGEST_LINE: usize = 200;

/// A code fence that is open: three or more backticks or tildes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// The fence that a line opens, if it opens one.
    pub fn opened_by(line: &str) -> Option<Self> {
        let text = line.trim_start_matches(' ');
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = run(text, mark);
        let indented = line.len() - text.len() > 3;
        // A backtick after the fence makes it inline code.
        let inline = mark == '`' && text[length..].contains('`');
        (length >= 3 && !indented && !inline).then_some(Self { mark, length })
    }

    /// Whether a line closes it.
    pub fn is_closed_by(self, line: &str) -> bool {
        let text = line.trim();
        run(text, self.mark) == text.len() && text.len() >= self.length
    }

    /// Whether the beginning of a line may become one that closes it.
    pub fn may_be_closed_by(self, beginning: &str) -> bool {
        let text = beginning.trim_start_matches([' ', '\t']);
        let marks = run(text, self.mark);
        text[marks..].trim().is_empty() && (marks == text.len() || marks >= self.length)
    }
}

/// How many marks a text begins with. Marks are single bytes, so that it is also the length in bytes.
fn run(text: &str, mark: char) -> usize {
    text.chars().take_while(|c| *c == mark).count()
}

/// Follows a text character by character and knows whether the next one stands in code.
#[derive(Debug, Default)]
pub(super) struct CodeTracker {
    line: String,
    fence: Option<Fence>,
    /// The backticks that just went by.
    run: usize,
    /// The backticks that opened the inline code that is under way; 0 outside.
    span: usize,
}

impl CodeTracker {
    /// Takes the next character.
    pub fn push(&mut self, c: char) {
        if c == '`' {
            self.run += 1;
        } else {
            self.end_run();
        }
        if c != '\n' {
            if self.line.len() < LONGEST_LINE {
                self.line.push(c);
            }
            return;
        }
        let line = std::mem::take(&mut self.line);
        // Inline code does not go on in the next line here: a lone backtick must not turn the rest into code.
        self.span = 0;
        self.fence = match self.fence {
            Some(fence) if fence.is_closed_by(&line) => None,
            Some(fence) => Some(fence),
            None => Fence::opened_by(&line),
        };
    }

    /// Whether a character that is no backtick would stand in code now.
    pub fn in_code(&self) -> bool {
        let span = if self.run == 0 { self.span } else { self.span_after_run() };
        self.fence.is_some() || span > 0
    }

    fn end_run(&mut self) {
        if self.run > 0 {
            self.span = self.span_after_run();
            self.run = 0;
        }
    }

    /// A run of backticks opens inline code, and only a run of the same length closes it.
    fn span_after_run(&self) -> usize {
        match self.span {
            0 => self.run,
            open if open == self.run => 0,
            open => open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The characters of a text that stand in code, as a string of their own.
    fn code_of(text: &str) -> String {
        let mut tracker = CodeTracker::default();
        let mut code = String::new();
        for c in text.chars() {
            if c != '`' && tracker.in_code() {
                code.push(c);
            }
            tracker.push(c);
        }
        code
    }

    #[test]
    fn inline_code_ends_with_as_many_backticks_as_it_began_with() {
        assert_eq!(code_of("a `b` c ``d`e`` f"), "bde");
        assert_eq!(code_of("a lone ` here\nnot code"), " here\n");
    }

    #[test]
    fn a_block_ends_at_its_own_fence() {
        assert_eq!(code_of("a\n```rust\nb\n```\nc"), "rust\nb\n\n");
        assert_eq!(code_of("~~~\n```\nb\n~~~\nc"), "\nb\n~~~\n");
        assert_eq!(code_of("````\n```\n````\nc"), "\n\n\n");
    }

    #[test]
    fn a_line_with_more_backticks_after_the_first_is_no_fence() {
        assert_eq!(Fence::opened_by("```a``` b"), None);
        assert_eq!(Fence::opened_by("    ```"), None);
        assert_eq!(Fence::opened_by("  ```json"), Some(Fence { mark: '`', length: 3 }));
        assert_eq!(Fence::opened_by("``"), None);
    }

    #[test]
    fn a_fence_is_closed_by_its_own_marks_alone() {
        let fence = Fence { mark: '`', length: 3 };
        assert!(fence.is_closed_by(" ```` "));
        assert!(!fence.is_closed_by("```json"));
        assert!(!fence.is_closed_by("~~~"));
        for beginning in ["", "  ", "`", "``", "```", "``` "] {
            assert!(fence.may_be_closed_by(beginning), "{beginning:?}");
        }
        for beginning in ["a", "`a", "`` ", "```j"] {
            assert!(!fence.may_be_closed_by(beginning), "{beginning:?}");
        }
    }
}
