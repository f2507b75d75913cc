//! The conversation: a line in, an answer out, until the person leaves.

use std::io::Write;
use std::sync::Arc;

use atlas_core::assistant::Assistant;
use atlas_core::assistant::view::{AppEvent, EngineState};
use atlas_core::healing::{FailureView, NextStep};
use atlas_core::memory::conversation::MessageState;
use atlas_core::memory::history::change::{ChangeKind, MemoryChange, UsedMemory};
use atlas_core::store::id::ConversationId;
use atlas_core::turn::event::TurnEvent;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};

use crate::input::Signal;
use crate::screen::Screen;

/// How many events of a turn may wait to be written.
const WAITING: usize = 256;

/// How a session went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every message was answered.
    Answered,
    /// At least one was not.
    NotAnswered,
    /// The system ended it.
    Terminated,
}

/// What comes after a line.
enum Next {
    GoOn,
    Leave,
    Terminate,
}

/// One session in a terminal.
pub struct Chat<Out, Notes> {
    assistant: Arc<Assistant>,
    events: broadcast::Receiver<AppEvent>,
    conversation: Option<ConversationId>,
    screen: Screen<Out, Notes>,
    lines: mpsc::Receiver<String>,
    signals: mpsc::Receiver<Signal>,
    all_answered: bool,
}

impl<Out: Write, Notes: Write> Chat<Out, Notes> {
    /// A session in a new conversation.
    pub fn new(
        assistant: Arc<Assistant>,
        screen: Screen<Out, Notes>,
        lines: mpsc::Receiver<String>,
        signals: mpsc::Receiver<Signal>,
    ) -> Self {
        Self { events: assistant.events(), assistant, conversation: None, screen, lines, signals, all_answered: true }
    }

    /// Talks until the input ends or the person leaves.
    pub async fn run(mut self) -> Outcome {
        if self.screen.is_interactive() {
            self.screen.note("Atlas. /help lists the commands, /quit leaves.");
        }
        loop {
            self.screen.prompt();
            let next = match self.next_line().await {
                Ok(line) => self.heard(line.trim()).await,
                Err(next) => next,
            };
            match next {
                Next::GoOn => {}
                Next::Leave if self.all_answered => return Outcome::Answered,
                Next::Leave => return Outcome::NotAnswered,
                Next::Terminate => return Outcome::Terminated,
            }
        }
    }

    /// The next line; meanwhile tells what happens beside the conversation.
    async fn next_line(&mut self) -> Result<String, Next> {
        loop {
            tokio::select! {
                line = self.lines.recv() => return line.ok_or(Next::Leave),
                signal = self.signals.recv() => {
                    return Err(match signal {
                        Some(Signal::Interrupt) | None => Next::Leave,
                        Some(Signal::Terminate) => Next::Terminate,
                    });
                }
                event = self.events.recv() => self.tell(event),
            }
        }
    }

    fn tell(&mut self, event: Result<AppEvent, RecvError>) {
        match event {
            Ok(AppEvent::MemoryChanged { changes, .. }) => self.tell_changes(&changes),
            Ok(AppEvent::Engine { state: EngineState::Starting }) => {
                self.screen.note("The local engine is loading its model.")
            }
            Ok(AppEvent::Network { online }) => self.screen.note(match online {
                true => "The network is back.",
                false => "There is no network. Memory and a model on this computer still work.",
            }),
            Ok(AppEvent::Notice { title, body }) => self.screen.note(&format!("{title}. {body}")),
            Ok(
                AppEvent::Engine { .. }
                | AppEvent::HealthChanged
                | AppEvent::Download { .. }
                | AppEvent::ModelsChanged
                | AppEvent::StoreHealth { .. }
                | AppEvent::Embedding { .. }
                | AppEvent::Erased { .. }
                | AppEvent::ConversationsChanged
                | AppEvent::BehaviorChanged,
            )
            | Err(_) => {}
        }
    }

    async fn heard(&mut self, line: &str) -> Next {
        match line {
            "" => Next::GoOn,
            "/quit" | "/exit" => Next::Leave,
            _ => match self.assistant.run_command(line).await {
                Ok(Some(reply)) => {
                    self.screen.answer(&reply.text);
                    self.screen.end_line();
                    if !reply.changed.is_empty() {
                        // The reply has told what the event would tell again.
                        self.events = self.assistant.events();
                    }
                    if line == "/help" {
                        self.screen.answer("/quit  save and leave\n");
                    }
                    Next::GoOn
                }
                Ok(None) => self.ask(line).await,
                Err(error) => self.could_not(&error.view().message),
            },
        }
    }

    fn could_not(&mut self, message: &str) -> Next {
        self.all_answered = false;
        self.screen.note(message);
        Next::GoOn
    }

    /// Sends a message and writes its answer as it comes; Ctrl+C stops it.
    async fn ask(&mut self, text: &str) -> Next {
        let (sink, mut turn_events) = mpsc::channel(WAITING);
        let handle = match self.assistant.send(self.conversation, text, sink).await {
            Ok(handle) => handle,
            Err(error) => return self.could_not(&error.view().message),
        };
        self.conversation = Some(handle.conversation);
        let mut used = Vec::new();
        let mut next = Next::GoOn;
        let mut ended = false;
        loop {
            tokio::select! {
                event = turn_events.recv() => match event {
                    Some(event) => {
                        ended |= event.is_terminal();
                        self.show(event, &mut used);
                    }
                    // The turn has let go of its conversation: the next message can be sent.
                    None if ended => return next,
                    None => return self.could_not("The answer ended without a word. Ask again."),
                },
                signal = self.signals.recv() => {
                    if signal == Some(Signal::Terminate) {
                        next = Next::Terminate;
                    }
                    self.assistant.stop(handle.turn);
                }
                event = self.events.recv() => self.tell(event),
            }
        }
    }

    fn show(&mut self, event: TurnEvent, used: &mut Vec<UsedMemory>) {
        match event {
            TurnEvent::Started { used: memories, .. } => *used = memories,
            TurnEvent::Delta { text } => self.screen.answer(&text),
            TurnEvent::Withdrawn => {
                self.screen.end_line();
                self.screen.note("What stands above is taken back.");
            }
            TurnEvent::Healing { note } => self.screen.note(&note.line),
            TurnEvent::MemoryChanged { changes } => self.tell_changes(&changes),
            // The terminal cannot skip a wait.
            TurnEvent::Usage { .. } | TurnEvent::Waited { .. } => {}
            TurnEvent::Completed { message } => {
                self.screen.end_line();
                if message.state == MessageState::CutByLimit {
                    self.screen.note("The model's length limit cut this answer. Say \"go on\" for the rest.");
                }
                if !used.is_empty() {
                    let sentences: Vec<&str> = used.iter().map(|memory| memory.sentence.as_str()).collect();
                    self.screen.note(&format!("Used: {}", sentences.join("; ")));
                }
            }
            TurnEvent::Cancelled { .. } => self.screen.note("Stopped; what came of the answer is kept."),
            TurnEvent::Failed { failure, .. } => {
                self.all_answered = false;
                self.screen.note(&in_words(&failure));
            }
        }
    }

    fn tell_changes(&mut self, changes: &[MemoryChange]) {
        for change in changes {
            let what = match change.kind {
                ChangeKind::Added => "Remembered",
                ChangeKind::Confirmed => "Knew already",
                ChangeKind::Superseded => "Updated",
                ChangeKind::Edited => "Corrected",
                ChangeKind::Forgotten => "Forgot",
                ChangeKind::Pinned => "Pinned",
                ChangeKind::Unpinned => "Unpinned",
                ChangeKind::Imported => "Imported",
                ChangeKind::Accepted => "Accepted",
                ChangeKind::Dismissed => "Dismissed",
                ChangeKind::Retired => "No longer believed",
            };
            self.screen.note(&format!("{what}: {}", change.sentence));
        }
    }
}

/// A failure and what to do about it here.
fn in_words(failure: &FailureView) -> String {
    let remedy = match failure.next {
        NextStep::Retry => "Send it again to try again.",
        NextStep::EnterKey => "Enter the key in the window's settings, or set the service's environment variable.",
        NextStep::ChooseModel => "Choose another model with --model, or in the window's settings.",
        NextStep::OpenSettings => "Look at the address with --base-url, or in the window's settings.",
        NextStep::AddCredit => "Add credit, or choose another service.",
        NextStep::NewConversation => "Leave with /quit and start again: that begins a new conversation.",
        NextStep::Rephrase => "Say it in other words.",
        NextStep::RestartEngine => "Send it again: the engine is started when it is asked.",
        NextStep::OpenHealth => "The window's Health page shows what can be done.",
    };
    format!("{} {remedy}", failure.message)
}
