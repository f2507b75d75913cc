//! Episodes: the dated notes and summaries of conversations.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::store::id::{ConversationId, EpisodeId, MessageId};

/// What an episode covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum EpisodeKind {
    /// One turn.
    Note,
    /// A whole conversation, written when it ended.
    Summary,
}

/// An episode, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Episode {
    /// Which one.
    pub id: EpisodeId,
    /// What it covers.
    pub kind: EpisodeKind,
    /// The text.
    pub text: String,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The conversation that it is about, while that exists.
    pub conversation: Option<ConversationId>,
    /// That conversation's title.
    pub conversation_title: Option<String>,
    /// The person's message that it came from, while that exists.
    pub source_message: Option<MessageId>,
    /// In how many answers it was used.
    #[ts(type = "number")]
    pub use_count: i64,
}

crate::store::text::stored_as_word!(EpisodeKind);
