//! Takes a model's reasoning out of its answer, where the model writes it between tags: `<think>…</think>`.

use super::markdown::CodeTracker;

/// The tags that models put around their reasoning.
const NAMES: [&str; 4] = ["think", "thinking", "thought", "reasoning"];

/// The shortest beginning of a tag that is taken for one when the answer ends in it.
const CUT_TAG: usize = 3;

/// A filter for a stream of text. What it lets through, put together, is the text without the reasoning.
///
/// - A tag in inline code or in a code block is text.
/// - An opening tag at the beginning of a line hides everything up to its closing tag, or to the end of the answer.
/// - Within a line it hides only where a closing tag follows; else it was a word of the text, and all is shown at the end.
/// - A closing tag without an opening one goes away by itself: what came before it has been shown already.
#[derive(Debug, Default)]
pub struct ReasoningFilter {
    code: CodeTracker,
    hidden: Option<Hidden>,
    /// The beginning of what may be a tag.
    tag: String,
    /// Whether the line has anything but white space so far.
    in_line: bool,
    /// Whether anything but white space has been shown.
    shown: bool,
    /// Reasoning stood first: the white space after it goes with it.
    skips_space: bool,
}

/// Reasoning under way.
#[derive(Debug)]
struct Hidden {
    closing: String,
    /// The last characters, as long as the closing tag.
    tail: String,
    /// The whole, where it may turn out to be text.
    kept: Option<String>,
}

impl ReasoningFilter {
    /// Takes the next piece of the answer and returns what may be shown of it.
    pub fn push(&mut self, text: &str) -> String {
        let mut out = String::new();
        text.chars().for_each(|c| self.take(c, &mut out));
        out
    }

    /// What was held back and turns out to be text, at the end of the answer.
    pub fn finish(&mut self) -> String {
        let held = match self.hidden.take() {
            Some(hidden) => hidden.kept.unwrap_or_default(),
            None => std::mem::take(&mut self.tag),
        };
        let cut_in_a_tag = !self.in_line && held.len() >= CUT_TAG;
        if cut_in_a_tag { String::new() } else { held }
    }

    fn take(&mut self, c: char, out: &mut String) {
        if let Some(hidden) = &mut self.hidden {
            if hidden.ends_with(c) {
                self.hidden = None;
                self.skips_space = !self.shown;
            }
            return;
        }
        if self.tag.is_empty() && (c != '<' || self.code.in_code()) {
            return self.show(c, out);
        }
        self.tag.push(c);
        match read_tag(&self.tag) {
            Tag::Unfinished => {}
            Tag::Opening(name) => {
                let tag = std::mem::take(&mut self.tag);
                let kept = self.in_line.then_some(tag);
                self.hidden = Some(Hidden { closing: format!("</{name}>"), tail: String::new(), kept });
            }
            Tag::Closing => self.tag.clear(),
            Tag::None => {
                let text = std::mem::take(&mut self.tag);
                self.show('<', out);
                text.chars().skip(1).for_each(|c| self.take(c, out));
            }
        }
    }

    fn show(&mut self, c: char, out: &mut String) {
        if self.skips_space && c.is_whitespace() {
            return;
        }
        self.skips_space = false;
        self.shown |= !c.is_whitespace();
        self.in_line = c != '\n' && (self.in_line || !c.is_whitespace());
        self.code.push(c);
        out.push(c);
    }
}

impl Hidden {
    /// Takes a hidden character; whether it completes the closing tag.
    fn ends_with(&mut self, c: char) -> bool {
        if let Some(kept) = &mut self.kept {
            kept.push(c);
        }
        if c == '<' {
            self.tail.clear();
        }
        if self.tail.len() < self.closing.len() {
            self.tail.push(c);
        }
        self.tail.eq_ignore_ascii_case(&self.closing)
    }
}

enum Tag {
    Unfinished,
    Opening(&'static str),
    Closing,
    None,
}

fn read_tag(text: &str) -> Tag {
    let opening = NAMES.iter().find(|name| text.eq_ignore_ascii_case(&format!("<{name}>")));
    if let Some(name) = opening {
        return Tag::Opening(name);
    }
    let all = NAMES.iter().flat_map(|name| [format!("<{name}>"), format!("</{name}>")]);
    let mut fitting = all.filter(|tag| tag.get(..text.len()).is_some_and(|head| head.eq_ignore_ascii_case(text)));
    match fitting.next() {
        Some(tag) if tag.len() == text.len() => Tag::Closing,
        Some(_) => Tag::Unfinished,
        None => Tag::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(pieces: &[&str]) -> String {
        let mut filter = ReasoningFilter::default();
        let mut out: String = pieces.iter().map(|piece| filter.push(piece)).collect();
        out.push_str(&filter.finish());
        out
    }

    /// The same text, however the answer is split: at every place once, and character by character.
    fn assert_shows(answer: &str, expected: &str) {
        assert_eq!(filter(&[answer]), expected, "whole: {answer:?}");
        for (at, _) in answer.char_indices() {
            let (head, tail) = answer.split_at(at);
            assert_eq!(filter(&[head, tail]), expected, "split at {at}: {answer:?}");
        }
        let characters: Vec<String> = answer.chars().map(String::from).collect();
        let characters: Vec<&str> = characters.iter().map(String::as_str).collect();
        assert_eq!(filter(&characters), expected, "character by character: {answer:?}");
    }

    #[test]
    fn reasoning_before_the_answer_is_hidden_with_the_space_after_it() {
        assert_shows("<think>hidden</think>Shown", "Shown");
        assert_shows("\n<think>\nhidden < b </thin\n</think>\n\nShown", "\nShown");
        assert_shows("<THINKING>a</thinking> B", "B");
        assert_shows("<reasoning>a</reasoning>B", "B");
    }

    #[test]
    fn reasoning_later_in_the_answer_is_hidden_too() {
        assert_shows("A\n<think>b</think>\nC", "A\n\nC");
        assert_shows("A <think>b\nc</think>D", "A D");
        assert_shows("<think>a</think>B\n<think>c</think>D", "B\nD");
    }

    #[test]
    fn a_tag_in_code_is_text() {
        assert_shows("Shown `<think>` stays", "Shown `<think>` stays");
        assert_shows("``a ` <think>`` b", "``a ` <think>`` b");
        assert_shows("```xml\n<think>a</think>\n```\nB", "```xml\n<think>a</think>\n```\nB");
        assert_shows("`a`<think>b</think>C", "`a`C");
    }

    #[test]
    fn a_tag_within_a_line_that_is_never_closed_was_text() {
        assert_shows("Models write a <think> tag.\nSo they do.", "Models write a <think> tag.\nSo they do.");
    }

    #[test]
    fn reasoning_that_is_cut_off_stays_hidden() {
        assert_shows("<think>half a thou", "");
        assert_shows("A\n<think>half", "A\n");
        assert_shows("<thi", "");
        assert_shows("A\n</think", "A\n");
    }

    #[test]
    fn an_orphan_closing_tag_goes_away_by_itself() {
        assert_shows("</think>\n\nAnswer", "\n\nAnswer");
        assert_shows("A</think>\nB", "A\nB");
    }

    #[test]
    fn what_only_looks_like_a_tag_is_text() {
        for text in
            ["a < b", "<b>bold</b>", "x <thin> y", "<thinker>a", "1 <", "<", "Vec<thing>", "<<think", "< think>"]
        {
            assert_shows(text, text);
        }
        assert_shows("<<think>a</think>b", "<b");
        assert_shows("爱<think>b</think>é", "爱é");
    }

    #[test]
    fn ordinary_text_flows_at_once() {
        let mut filter = ReasoningFilter::default();
        for piece in ["Hello", " world, ", "a <", "b", "> c"] {
            let held = piece.ends_with('<');
            assert_eq!(filter.push(piece).len() < piece.len(), held, "{piece:?}");
        }
    }
}
