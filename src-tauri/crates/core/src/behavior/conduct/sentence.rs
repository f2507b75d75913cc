//! An answer as sentences: what is prose, what is code or a quotation, and the words that are compared.

use std::ops::Range;

use super::rule::tokens;
use crate::text;

/// The longest text that is taken as one sentence, in bytes; a longer one is cut at white space.
pub(super) const LONGEST: usize = 2_000;

/// A sentence of an answer.
#[derive(Debug, Clone)]
pub(super) struct Sentence {
    /// Where it stands in the answer, in bytes.
    pub at: Range<usize>,
    /// As it was written.
    pub written: String,
    /// Without what stands in quotation marks and inline code: what the answer says itself.
    pub own: String,
    /// The words of `own`.
    pub tokens: Vec<String>,
    /// Whether it is a line of a code block or of a quotation.
    pub is_foreign: bool,
    /// Whether it asks.
    pub is_question: bool,
}

/// Cuts an answer that grows into sentences. It keeps only what has not come to its end.
#[derive(Debug, Clone, Default)]
pub(super) struct Cutter {
    /// What no sentence holds yet.
    pending: String,
    /// Where `pending` begins in the answer.
    start: usize,
    /// The code fence that is open, by its sign.
    code: Option<char>,
    /// Whether the last thing cut ended a line.
    in_line: bool,
    /// Whether the line that is being read is quoted.
    quoted_line: bool,
    /// The quotation mark that an earlier sentence opened and that is not closed yet.
    open_quote: Option<char>,
}

impl Cutter {
    /// Takes the next piece of the answer and returns the sentences that are whole now.
    pub fn push(&mut self, delta: &str) -> Vec<Sentence> {
        // A full stop is one only when white space follows: the sign before this piece counts too.
        let may_end = delta.contains(|c: char| c.is_whitespace() || matches!(c, '。' | '！' | '？'));
        self.pending.push_str(delta);
        if !may_end && self.pending.len() < LONGEST {
            return Vec::new();
        }
        let mut ends = text::sentence_ends(&self.pending);
        // What stands last may go on.
        while ends.last().is_some_and(|end| *end == self.pending.len() && !self.is_over()) {
            ends.pop();
        }
        self.cut(&ends)
    }

    /// The rest, as sentences.
    pub fn finish(&mut self) -> Vec<Sentence> {
        let mut ends = text::sentence_ends(&self.pending);
        if ends.last() != Some(&self.pending.len()) && !self.pending.is_empty() {
            ends.push(self.pending.len());
        }
        self.cut(&ends)
    }

    fn is_over(&self) -> bool {
        self.pending.ends_with(['\n', '。', '！', '？'])
    }

    fn cut(&mut self, ends: &[usize]) -> Vec<Sentence> {
        let pending = std::mem::take(&mut self.pending);
        let mut sentences = Vec::new();
        let mut from = 0;
        for &end in ends {
            sentences.extend(self.sentence(&pending[from..end], from));
            from = end;
        }
        while pending.len() - from > LONGEST {
            let end = break_before(&pending, from + LONGEST);
            sentences.extend(self.sentence(&pending[from..end], from));
            from = end;
        }
        self.start += from;
        self.pending = pending[from..].to_owned();
        sentences
    }

    fn sentence(&mut self, written: &str, from: usize) -> Option<Sentence> {
        let begins_line = !std::mem::replace(&mut self.in_line, !written.ends_with('\n'));
        let trimmed = written.trim();
        let offset = written.len() - written.trim_start().len();
        let begin = self.start + from + offset;
        let is_foreign = if begins_line { self.begin_line(trimmed) } else { self.code.is_some() || self.quoted_line };
        if trimmed.is_empty() {
            // A quotation does not reach over an empty line.
            self.open_quote = None;
            return None;
        }
        let own = if is_foreign { String::new() } else { self.own_words(trimmed) };
        Some(Sentence {
            at: begin..begin + trimmed.len(),
            tokens: tokens(&own),
            own,
            written: trimmed.to_owned(),
            is_foreign,
            is_question: asks(trimmed),
        })
    }

    /// Whether the line that begins here is not the answer's own words.
    fn begin_line(&mut self, line: &str) -> bool {
        let fence = ["```", "~~~"].iter().find(|fence| line.starts_with(*fence)).and_then(|fence| fence.chars().next());
        self.quoted_line = line.starts_with('>');
        match (self.code, fence) {
            (None, Some(sign)) => {
                self.code = Some(sign);
                true
            }
            (Some(open), Some(sign)) if open == sign => {
                self.code = None;
                true
            }
            (code, _) => code.is_some() || self.quoted_line,
        }
    }

    /// A sentence without what stands in quotation marks or inline code.
    fn own_words(&mut self, written: &str) -> String {
        let mut own = String::with_capacity(written.len());
        let mut before = ' ';
        let mut chars = written.chars().peekable();
        while let Some(c) = chars.next() {
            let next = chars.peek().copied().unwrap_or(' ');
            match self.open_quote {
                Some(close) if c == close && !(close == '\'' && next.is_alphanumeric()) => {
                    self.open_quote = None;
                    own.push(' ');
                }
                Some(_) => {}
                None => match closing_of(c, before, next) {
                    Some(close) => {
                        self.open_quote = Some(close);
                        // It stands for what was quoted: no sign reaches over it.
                        own.push('\u{FFFC}');
                    }
                    None => own.push(c),
                },
            }
            before = c;
        }
        // Marks that need not come in pairs end with their sentence.
        if matches!(self.open_quote, Some('\'' | '`')) {
            self.open_quote = None;
        }
        own
    }
}

/// Whether a sentence asks: only signs stand behind its question mark.
fn asks(written: &str) -> bool {
    let end = written.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？' | '؟'));
    end.ends_with(['?', '？', '؟'])
}

/// The mark that closes a quotation that `c` opens.
fn closing_of(c: char, before: char, next: char) -> Option<char> {
    let opens = !before.is_alphanumeric() && !next.is_whitespace();
    match c {
        '“' | '„' => Some(if c == '“' { '”' } else { '“' }),
        '«' => Some('»'),
        '「' => Some('」'),
        '『' => Some('』'),
        '`' => Some('`'),
        '"' if opens => Some('"'),
        '‘' if opens => Some('’'),
        '\'' if opens => Some('\''),
        _ => None,
    }
}

/// The last white space before `end`, or the character's beginning there.
fn break_before(text: &str, end: usize) -> usize {
    let end = (0..=end).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    match text[..end].rfind(char::is_whitespace) {
        Some(at) if end - at < LONGEST / 2 => at + text[at..].chars().next().map_or(1, char::len_utf8),
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(pieces: &[&str]) -> Vec<Sentence> {
        let mut cutter = Cutter::default();
        let mut sentences: Vec<Sentence> = pieces.iter().flat_map(|piece| cutter.push(piece)).collect();
        sentences.extend(cutter.finish());
        sentences
    }

    #[test]
    fn an_answer_is_cut_the_same_however_it_arrives() {
        let answer =
            "Hello there. It costs 3.5 euros!\n\n```rust\nlet x = 1;\n```\n> quoted. line\nEnd? 東京です。はい";
        let whole: Vec<_> = cut(&[answer]).into_iter().map(|s| (s.at, s.written, s.is_foreign)).collect();
        let pieces: Vec<String> = answer.chars().map(String::from).collect();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let by_letter: Vec<_> = cut(&pieces).into_iter().map(|s| (s.at, s.written, s.is_foreign)).collect();
        assert_eq!(whole, by_letter);
        assert!(whole.iter().all(|(at, written, _)| answer[at.clone()] == **written));
        let foreign: Vec<&str> = whole.iter().filter(|(_, _, foreign)| *foreign).map(|(_, said, _)| &**said).collect();
        assert_eq!(foreign, ["```rust", "let x = 1;", "```", "> quoted.", "line"]);
    }

    #[test]
    fn what_is_quoted_is_not_said() {
        let said = |written: &str| cut(&[written])[0].tokens.join(" ");
        assert_eq!(said("You asked “are you human”, I think."), "you asked i think");
        assert_eq!(said("The code `I am human` prints it."), "the code prints it");
        assert_eq!(said("He said 'I am human' and don't ask."), "he said and don t ask");
        assert_eq!(said("I don't know."), "i don t know");
    }

    #[test]
    fn a_text_without_any_stop_is_cut_in_the_end() {
        let sentences = cut(&["word ".repeat(1_000).as_str()]);
        assert!(sentences.len() > 1 && sentences.iter().all(|sentence| sentence.written.len() <= LONGEST));
    }
}
