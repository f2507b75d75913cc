//! What the person sees: answers on one stream, all else on the other.

use std::io::Write;

/// Where things are written.
///
/// A stream that is closed (a pipe whose reader left) swallows what is written; the conversation is stored anyway.
pub struct Screen<Out, Notes> {
    answers: Out,
    notes: Notes,
    interactive: bool,
    /// An answer stands on an unfinished line.
    mid_line: bool,
}

impl<Out: Write, Notes: Write> Screen<Out, Notes> {
    /// A screen; `interactive` where a person types and reads.
    pub fn new(answers: Out, notes: Notes, interactive: bool) -> Self {
        Self { answers, notes, interactive, mid_line: false }
    }

    /// Whether a person types and reads.
    pub fn is_interactive(&self) -> bool {
        self.interactive
    }

    /// Asks for the next line; silent in a script.
    pub fn prompt(&mut self) {
        if self.interactive {
            let _ = write!(self.notes, "\n› ");
            let _ = self.notes.flush();
        }
    }

    /// More of an answer, at once.
    pub fn answer(&mut self, text: &str) {
        let text = harmless(text);
        if let Some(last) = text.chars().last() {
            self.mid_line = last != '\n';
            let _ = self.answers.write_all(text.as_bytes());
            let _ = self.answers.flush();
        }
    }

    /// The answer is over: the next thing begins on a line of its own.
    pub fn end_line(&mut self) {
        if std::mem::take(&mut self.mid_line) {
            let _ = writeln!(self.answers);
            let _ = self.answers.flush();
        }
    }

    /// A line beside the conversation.
    pub fn note(&mut self, text: &str) {
        self.end_line();
        let _ = writeln!(self.notes, "{}", harmless(text));
        let _ = self.notes.flush();
    }
}

/// The text without control characters other than line breaks and tabs: what a model writes must not move the
/// cursor, set the clipboard or change the window's title.
fn harmless(text: &str) -> String {
    text.chars().filter(|character| !character.is_control() || matches!(character, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(act: impl FnOnce(&mut Screen<&mut Vec<u8>, &mut Vec<u8>>)) -> (String, String) {
        let (mut answers, mut notes) = (Vec::new(), Vec::new());
        act(&mut Screen::new(&mut answers, &mut notes, false));
        (String::from_utf8(answers).unwrap(), String::from_utf8(notes).unwrap())
    }

    #[test]
    fn answers_and_notes_go_to_streams_of_their_own() {
        let (answers, notes) = written(|screen| {
            screen.prompt();
            screen.answer("Hello ");
            screen.answer("there");
            screen.note("Remembered: You live in Porto");
            screen.answer("Bye\n");
            screen.end_line();
        });
        assert_eq!(answers, "Hello there\nBye\n");
        assert_eq!(notes, "Remembered: You live in Porto\n");
    }

    #[test]
    fn what_a_model_writes_cannot_command_the_terminal() {
        let (answers, _) = written(|screen| screen.answer("a\u{1b}]52;c;eA==\u{7}b\u{9b}2J\tc\r\n"));
        assert_eq!(answers, "a]52;c;eA==b2J\tc\n");
    }
}
