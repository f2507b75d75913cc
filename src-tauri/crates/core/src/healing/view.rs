//! Failures and remedies in words for people.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A failure as a person sees it: what happened, what it means, and the one thing to do now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FailureView {
    /// A stable code to switch on: "credentials", "rate_limit", …
    pub code: String,
    /// What happened and what it means, in one or two sentences. Plain text.
    pub message: String,
    /// The button under it.
    pub next: NextStep,
}

/// What a person can do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum NextStep {
    /// Ask again.
    Retry,
    /// Enter a key.
    EnterKey,
    /// Choose another model.
    ChooseModel,
    /// Look at provider and address.
    OpenSettings,
    /// Add credit, or choose another provider.
    AddCredit,
    /// Begin a new conversation: this one is too long.
    NewConversation,
    /// Say it in other words.
    Rephrase,
}

/// One quiet line in the chat about something that healed or is being healed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct HealingNote {
    /// The failure's stable code.
    pub code: String,
    /// What is being done: "OpenRouter is busy. Waiting 2 s, then asking again."
    pub line: String,
    /// How long it waits, in seconds; 0 for at once.
    pub wait_seconds: f64,
}
