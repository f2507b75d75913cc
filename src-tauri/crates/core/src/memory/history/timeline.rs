//! The log of changes, as people read it: what happened, why, from which message, and what can still be taken back.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::history::change::{ChangeKind, MemoryRef};
use crate::store::id::{ConversationId, FactId, MemoryEventId, MessageId};

/// Which changes, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct EventQuery {
    /// Words to look for in what changed; empty for all. Text, never query syntax.
    pub search: String,
    /// Of these kinds; empty for all.
    pub kinds: Vec<ChangeKind>,
    /// Of one fact and of what it replaced.
    pub fact: Option<FactId>,
    /// How many rows to pass by.
    pub offset: u32,
    /// How many rows at most, up to 500.
    pub limit: u32,
}

/// One change of memory, as the timeline tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MemoryEventView {
    /// Which one; to undo it, and to do it again.
    pub event: MemoryEventId,
    /// When.
    pub at: DateTime<Utc>,
    /// What happened.
    pub kind: ChangeKind,
    /// To what, while that is there.
    pub memory: Option<MemoryRef>,
    /// As one sentence; empty once it was forgotten for good.
    pub sentence: String,
    /// Why, for people.
    pub why: String,
    /// The message that caused it, while that exists.
    pub message: Option<MessageId>,
    /// The conversation of that message.
    pub conversation: Option<ConversationId>,
    /// It was taken back.
    pub undone: bool,
    /// It can be taken back now.
    pub can_undo: bool,
}
