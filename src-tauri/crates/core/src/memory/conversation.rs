//! Episodic memory, the raw part: conversations and their messages, whole.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::store::id::{ConversationId, MessageId, TurnId};

/// A conversation as the list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Conversation {
    /// Which one.
    pub id: ConversationId,
    /// What the person called it, else the beginning of their first message. Never empty.
    pub title: String,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When its last message came.
    pub updated_at: DateTime<Utc>,
    /// For a search: the text around the first hit, else nothing.
    pub snippet: Option<String>,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Role {
    /// The person.
    User,
    /// The model, as Atlas.
    Assistant,
}

/// How whole a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum MessageState {
    /// All of it.
    Complete,
    /// Still arriving. After a start none is left in this state.
    Streaming,
    /// The person stopped it, the stream broke, or Atlas was ended: what came is kept.
    Partial,
    /// The model's token limit cut it; it can be continued.
    CutByLimit,
}

/// What an answer cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Usage {
    /// Tokens of the prompt, where the provider says.
    #[ts(type = "number | null")]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer, where the provider says.
    #[ts(type = "number | null")]
    pub completion_tokens: Option<u64>,
    /// US dollars, where the provider says. Unknown is unknown, never 0.
    pub cost: Option<f64>,
}

/// One message, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Message {
    /// Which one.
    pub id: MessageId,
    /// Where it stands.
    pub conversation: ConversationId,
    /// The turn that wrote it; for a person's message the turn that it began, if any.
    pub turn: Option<TurnId>,
    /// Who wrote it.
    pub role: Role,
    /// The text, byte for byte.
    pub text: String,
    /// When it was written.
    pub at: DateTime<Utc>,
    /// How whole it is.
    pub state: MessageState,
    /// The model that answered; none for a person's message and for answers that code gave.
    pub model: Option<String>,
    /// What it cost.
    pub usage: Usage,
}

crate::store::text::stored_as_word!(Role, MessageState);
