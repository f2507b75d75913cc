//! Where an answer goes while it grows: on screen and on disk, as far as it keeps the rules.
//!
//! Invariant: nothing that looks like a key is shown or written, not even for a moment: a long word is held back until it
//! is whole and was looked at. So is the rest of a sentence from the word on that makes it break a rule, until its end tells
//! whether it does.

use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinHandle};

use super::attempt::Answer;
use super::checkpoint::Checkpoint;
use super::event::TurnEvent;
use super::splice::{Joined, Splice};
use crate::behavior::conduct::{Violation, Watch};

/// A word of so many characters is held back until it has ended: no key is shorter, and few words are longer.
const LONG_WORD: usize = 14;
/// A word is held back no longer than this: nobody's key has so many characters, and a stream must go on.
const LONGEST_WORD: usize = 600;

/// Where one call's text goes.
pub(super) struct Outlet<'a> {
    /// To the shell.
    pub events: &'a mpsc::Sender<TurnEvent>,
    /// To the disk.
    pub checkpoint: &'a Checkpoint,
    /// Where the answer goes on with what came before: the seam.
    pub joint: Option<Splice>,
    /// Who looks at it, as soon as there is something to look at.
    watch: Watcher,
    /// The beginning of a long word.
    held: String,
    /// What of the last word is shown already.
    shown: String,
    /// What waits for the end of its sentence, which may turn out to break a rule.
    doubtful: String,
}

/// Who looks at an answer.
enum Watcher {
    /// It is being got ready.
    Coming(JoinHandle<Watch>),
    Here(Box<Watch>),
}

impl Watcher {
    async fn get(&mut self) -> &mut Watch {
        if let Self::Coming(watch) = self {
            *self = Self::Here(Box::new(joined(watch.await)));
        }
        match self {
            Self::Here(watch) => watch,
            Self::Coming(_) => unreachable!("it has come"),
        }
    }

    async fn ready(self) -> Watch {
        match self {
            Self::Coming(watch) => joined(watch.await),
            Self::Here(watch) => *watch,
        }
    }
}

/// A panic goes on where the watch is wanted: nothing is shown that was not looked at.
fn joined(watch: Result<Watch, JoinError>) -> Watch {
    match watch {
        Ok(watch) => watch,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => panic!("the runtime ended while an answer came"),
        },
    }
}

impl<'a> Outlet<'a> {
    pub(super) fn new(
        events: &'a mpsc::Sender<TurnEvent>,
        checkpoint: &'a Checkpoint,
        joint: Option<Splice>,
        watch: JoinHandle<Watch>,
    ) -> Self {
        let watch = Watcher::Coming(watch);
        Self { events, checkpoint, joint, watch, held: String::new(), shown: String::new(), doubtful: String::new() }
    }

    /// Passes a piece on. The rule that it breaks, where it breaks one: then none of it was passed on.
    pub(super) async fn pass_on(&mut self, delta: &str, answer: &mut Answer) -> Result<(), Violation> {
        match &mut self.joint {
            None => self.show(delta, answer).await,
            Some(joint) => {
                let joined = joint.push(delta);
                self.join(joined, answer).await
            }
        }
    }

    /// Passes on what is still held. `is_whole`: the answer has come to its own end, so that what it leaves out is told too.
    pub(super) async fn finish(mut self, answer: &mut Answer, is_whole: bool) -> Result<(), Violation> {
        if let Some(joint) = &mut self.joint {
            let joined = joint.finish();
            self.join(joined, answer).await?;
        }
        let last = std::mem::take(&mut self.held);
        self.release(&last, answer).await?;
        // What is missing is told of a whole answer only; what is forbidden, of every part.
        let counts = |violation: &Violation| is_whole || !violation.at.is_empty();
        match self.watch.ready().await.finish().into_iter().find(counts) {
            Some(violation) => Err(violation),
            None => {
                append(&self.doubtful, answer, self.events, self.checkpoint).await;
                Ok(())
            }
        }
    }

    async fn join(&mut self, joined: Joined, answer: &mut Answer) -> Result<(), Violation> {
        match joined {
            Joined::More(more) => self.show(&more, answer).await,
            Joined::Instead(other) => {
                answer.withdraw();
                self.checkpoint.replace(&answer.text);
                let _ = self.events.send(TurnEvent::Withdrawn).await;
                self.show(&other, answer).await
            }
        }
    }

    async fn show(&mut self, text: &str, answer: &mut Answer) -> Result<(), Violation> {
        self.held.push_str(text);
        let ready: String = self.held.drain(..self.held.len() - waiting(&self.shown, &self.held)).collect();
        self.release(&ready, answer).await
    }

    /// Shows what was looked at and breaks no rule.
    async fn release(&mut self, text: &str, answer: &mut Answer) -> Result<(), Violation> {
        self.check(text).await?;
        self.shown.push_str(text);
        self.shown.drain(..self.shown.len() - last_word(&self.shown));
        self.doubtful.push_str(text);
        if !self.watch.get().await.is_suspicious() {
            let ready = std::mem::take(&mut self.doubtful);
            append(&ready, answer, self.events, self.checkpoint).await;
        }
        Ok(())
    }

    async fn check(&mut self, text: &str) -> Result<(), Violation> {
        let watch = self.watch.get().await;
        let words = format!("{}{text}", self.shown);
        let long = words.split_ascii_whitespace().filter(|word| word.len() >= LONG_WORD);
        let key = long.into_iter().find_map(|word| watch.key_in(word));
        match key.or_else(|| watch.push(text)) {
            Some(violation) => Err(violation),
            None => Ok(()),
        }
    }
}

/// How many bytes at the end of a text wait: those of a long word, which may be a part of a key. `shown` is the beginning of
/// its first word, as far as that was shown.
fn waiting(shown: &str, text: &str) -> usize {
    let word = last_word(text);
    let length = if word == text.len() { shown.len() + word } else { word };
    if (LONG_WORD..LONGEST_WORD).contains(&length) { word } else { 0 }
}

/// How many bytes the word at the end of a text has: Latin letters, digits and signs.
fn last_word(text: &str) -> usize {
    text.bytes().rev().take_while(u8::is_ascii_graphic).count()
}

/// Appends to an answer: on screen at once, and on disk.
pub(super) async fn append(
    delta: &str,
    answer: &mut Answer,
    events: &mpsc::Sender<TurnEvent>,
    checkpoint: &Checkpoint,
) {
    if delta.is_empty() {
        return;
    }
    answer.text.push_str(delta);
    checkpoint.append(delta);
    // A shell that has gone away misses the text on its screen only: the disk has it.
    let _ = events.send(TurnEvent::Delta { text: delta.to_owned() }).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_word_waits_for_its_end_and_short_ones_do_not() {
        let cases = [
            ("", "Hello wor", 0),
            ("", "The key is sk-or-v1-0123456", 16),
            ("", "The key is sk-or-v1-0123456 and", 0),
            ("sk-or-v1", "-0123", 0),
            ("sk-or-v1", "-01234", 6),
            ("sk-or-v1", "-01 2345", 0),
            ("", "東京は日本の首都でありとても大きい都市", 0),
            ("", "", 0),
        ];
        for (shown, text, waits) in cases {
            assert_eq!(waiting(shown, text), waits, "{shown}{text}");
        }
        assert_eq!(waiting("", &"x".repeat(LONGEST_WORD)), 0);
    }
}
