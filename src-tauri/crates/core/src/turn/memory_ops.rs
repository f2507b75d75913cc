//! Takes the `MEMORY_OPS:` blocks out of an answer while it streams.
//!
//! A block is the marker at the beginning of a line, followed by JSON; a code fence around either goes with it. The
//! same word in a sentence, in inline code or in a code block is text. Only what is ambiguous is held back: white space
//! until something follows it, and the beginning of a line for as long as it could become a block.

use super::markdown::Fence;
pub use crate::memory::writing::ops::MemoryOps;
use crate::memory::writing::ops::{OpsBlock, read_blocks};

mod head;
mod json;

use head::Reading;
use json::{JsonBlock, Step};

/// Splits a stream of text into what people see and what is to be remembered.
///
/// What [`push`](Self::push) and [`finish`](Self::finish) return, put together, is the visible text: without the blocks,
/// without white space at its end, and with one blank line where a block stood between two texts.
#[derive(Debug, Default)]
pub struct OpsSplitter {
    state: State,
    /// The code block of the text that is under way.
    fence: Option<Fence>,
    /// The closing fence of a block that was taken out: it goes too.
    owed: Option<Fence>,
    /// White space that nothing has followed yet.
    held: String,
    /// Whether anything has been shown.
    shown: bool,
    /// Whether a block was taken out since.
    seam: bool,
    blocks: Vec<OpsBlock>,
}

#[derive(Debug)]
enum State {
    /// The beginning of a line (and of the next, where it is a fence) that may become a block.
    Head(String),
    /// The rest of a line of text.
    Line,
    /// Inside a block.
    Block(JsonBlock),
    /// After a block, on its last line.
    After,
}

impl Default for State {
    fn default() -> Self {
        Self::Head(String::new())
    }
}

impl OpsSplitter {
    /// Takes the next piece of the answer and returns what may be shown of it.
    pub fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        text.chars().for_each(|c| self.take(c, &mut out));
        out
    }

    /// The white space at the end of what was shown, where nothing tells yet that a block follows: of a text that was cut it is
    /// the space between its last word and the next.
    pub fn space_at_the_end(&self) -> &str {
        if self.seam || !self.shown { "" } else { &self.held }
    }

    /// The rest of the visible text, and what is to be remembered. A block that did not come to its end is invalid.
    pub fn finish(mut self) -> (String, MemoryOps) {
        let mut out = String::new();
        match std::mem::take(&mut self.state) {
            State::Head(head) => self.end_head(&head, &mut out),
            State::Block(block) => self.blocks.push(block.cut()),
            State::Line | State::After => {}
        }
        (out, read_blocks(&self.blocks))
    }

    fn take(&mut self, c: char, out: &mut String) {
        match std::mem::take(&mut self.state) {
            State::Line => self.show_in_line(c, out),
            State::Head(mut head) => {
                head.push(c);
                self.read_head(head, out);
            }
            State::Block(block) => self.take_in_block(block, c, out),
            State::After => match c {
                // What models leave behind a block: a brace too many, the end of inline code.
                ' ' | '\t' | '\r' | '}' | ']' | '`' | ';' => self.state = State::After,
                '\n' => self.held.push(c),
                _ => self.read_head(c.to_string(), out),
            },
        }
    }

    /// Decides what the beginning of a line is, as soon as it can be told.
    fn read_head(&mut self, head: String, out: &mut String) {
        if let Some(fence) = self.fence {
            return self.read_head_in_code(fence, head, out);
        }
        if self.owed.is_some_and(|fence| is_closing_line(fence, &head)) {
            self.owed = None;
            self.held.push('\n');
            return;
        }
        match head::read(&head) {
            Reading::Open(_) => self.state = State::Head(head),
            Reading::Text => self.show_head(&head, out),
            Reading::Nothing { fence } => {
                self.begin_block(fence);
                self.held.push('\n');
            }
            Reading::Block { fence, first } => {
                self.begin_block(fence);
                self.state = State::Block(JsonBlock::new(first, fence));
            }
        }
    }

    fn begin_block(&mut self, fence: Option<Fence>) {
        self.seam = true;
        self.owed = fence.or(self.owed);
    }

    /// In a code block of the text only its closing fence matters.
    fn read_head_in_code(&mut self, fence: Fence, head: String, out: &mut String) {
        if is_closing_line(fence, &head) {
            self.fence = None;
            head.chars().for_each(|c| self.show(c, out));
        } else if !head.ends_with('\n') && fence.may_be_closed_by(&head) {
            self.state = State::Head(head);
        } else {
            head.chars().for_each(|c| self.show_in_line(c, out));
        }
    }

    /// Shows the first line of what turned out to be text, and looks at the rest anew.
    fn show_head(&mut self, head: &str, out: &mut String) {
        let Some((line, rest)) = head.split_once('\n') else {
            return head.chars().for_each(|c| self.show_in_line(c, out));
        };
        self.fence = Fence::opened_by(line);
        line.chars().chain(['\n']).for_each(|c| self.show_in_line(c, out));
        rest.chars().for_each(|c| self.take(c, out));
    }

    fn show_in_line(&mut self, c: char, out: &mut String) {
        self.show(c, out);
        self.state = if c == '\n' { State::default() } else { State::Line };
    }

    fn take_in_block(&mut self, mut block: JsonBlock, c: char, out: &mut String) {
        match block.take(c) {
            Step::More => self.state = State::Block(block),
            Step::Done => {
                self.blocks.push(block.whole());
                self.state = State::After;
            }
            Step::Broken { line } => {
                // The answer goes on after a block that was cut: its text is not lost.
                self.blocks.push(block.cut());
                self.held.push('\n');
                line.chars().for_each(|c| self.take(c, out));
            }
        }
    }

    /// At the end of the answer, the beginning of a block is a block that was cut.
    fn end_head(&mut self, head: &str, out: &mut String) {
        if self.fence.is_some() || self.owed.is_some_and(|fence| fence.is_closed_by(head)) {
            if self.fence.is_some() {
                head.chars().for_each(|c| self.show(c, out));
            }
            return;
        }
        match head::read(head) {
            Reading::Open(_) if matches!(head::read(&format!("{head}\n")), Reading::Nothing { .. }) => {}
            Reading::Open(true) => self.blocks.push(OpsBlock { json: String::new(), whole: false }),
            _ => head.chars().for_each(|c| self.show(c, out)),
        }
    }

    /// Shows a character, after the white space that was held back before it.
    fn show(&mut self, c: char, out: &mut String) {
        if c.is_whitespace() {
            self.held.push(c);
            return;
        }
        let held = std::mem::take(&mut self.held);
        match (std::mem::take(&mut self.seam), self.shown) {
            (false, _) => out.push_str(&held),
            (true, true) => out.push_str(&seam(&held)),
            (true, false) => {}
        }
        self.shown = true;
        out.push(c);
    }
}

/// Whether a whole line, with its line break, closes a fence.
fn is_closing_line(fence: Fence, head: &str) -> bool {
    head.strip_suffix('\n').is_some_and(|line| fence.is_closed_by(line))
}

/// The white space where a block stood: at most one blank line, then the indentation of what follows.
fn seam(held: &str) -> String {
    let breaks = held.matches('\n').count().min(2);
    let indentation = held.rsplit('\n').next().unwrap_or_default();
    format!("{}{indentation}", "\n".repeat(breaks))
}

#[cfg(test)]
mod tests;
