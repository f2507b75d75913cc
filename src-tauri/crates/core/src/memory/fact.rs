//! Semantic memory: facts as (subject, relation, value), with who said so, when it was true, and when Atlas believed it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::store::id::{ConversationId, FactId, MessageId};

/// Where a fact came from. The order is one of trust: what the person said outranks all else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Origin {
    /// The person said it, or entered it by hand.
    Said,
    /// A model concluded it.
    Inferred,
    /// It came with an import.
    Imported,
    /// It stood in a document, a web page or a long paste.
    Document,
}

/// A fact, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Fact {
    /// Which one.
    pub id: FactId,
    /// Whom or what it is about; the person is always `user`.
    pub subject: String,
    /// The relation in words: "lives in".
    pub relation: String,
    /// The value in words: "Porto".
    pub value: String,
    /// The whole as one sentence for people: "You live in Porto".
    pub sentence: String,
    /// 0 to 1.
    pub confidence: f64,
    /// Where it came from.
    pub origin: Origin,
    /// The message that it came from, while that exists.
    pub source_message: Option<MessageId>,
    /// The conversation of that message.
    pub source_conversation: Option<ConversationId>,
    /// When it began to be true, as far as known.
    pub valid_from: Option<DateTime<Utc>>,
    /// When it ceased to be true; none while it is.
    pub valid_to: Option<DateTime<Utc>>,
    /// When Atlas learned it.
    pub recorded_at: DateTime<Utc>,
    /// When Atlas ceased to believe it; none while it does.
    pub retired_at: Option<DateTime<Utc>>,
    /// The values that this one replaced, newest first.
    pub replaced: Vec<String>,
    /// In how many answers it was used.
    #[ts(type = "number")]
    pub use_count: i64,
    /// When it was last used.
    pub last_used_at: Option<DateTime<Utc>>,
    /// The person pinned it: it is always recalled.
    pub pinned: bool,
}

/// A fact as somebody proposes it to the gate, or as a person edits it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FactDraft {
    /// Whom or what it is about.
    pub subject: String,
    /// The relation in words.
    pub relation: String,
    /// The value in words.
    pub value: String,
}

crate::store::text::stored_as_word!(Origin);
