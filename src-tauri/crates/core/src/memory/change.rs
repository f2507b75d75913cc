//! What changed in memory, as people and shells see it. Each change can be undone, except a finished forget.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::store::id::{EpisodeId, FactId, MemoryEventId, MessageId, ProcedureId};

/// What happened to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum ChangeKind {
    /// A new fact.
    Added,
    /// A fact that was known already was said again.
    Confirmed,
    /// A new value took the place of an old one, which stays as history.
    Superseded,
    /// The person edited it.
    Edited,
    /// It was forgotten; it can be undone until the purge.
    Forgotten,
}

/// One change of memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MemoryChange {
    /// The event to undo.
    pub event: MemoryEventId,
    /// What happened.
    pub kind: ChangeKind,
    /// The fact, where it is one.
    pub fact: Option<FactId>,
    /// The memory as one sentence for people.
    pub sentence: String,
    /// The message that caused it, if one did.
    pub message: Option<MessageId>,
}

/// A memory that stood in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", tag = "type", content = "id")]
#[ts(export)]
pub enum MemoryRef {
    /// A fact.
    Fact(FactId),
    /// An episode.
    Episode(EpisodeId),
    /// A procedure.
    Procedure(ProcedureId),
}

/// A memory that an answer used, as the chip shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct UsedMemory {
    /// Which one.
    pub memory: MemoryRef,
    /// As one sentence for people; as it stood in the prompt when it was used.
    pub sentence: String,
}

crate::store::text::stored_as_word!(ChangeKind);
