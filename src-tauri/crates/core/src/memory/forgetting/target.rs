//! What somebody wants forgotten.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::store::id::{ConversationId, EpisodeId, FactId, MessageId, ProcedureId};

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", tag = "type")]
#[ts(export)]
pub enum ForgetTarget {
    /// Facts, with the values that they replaced.
    Facts {
        /// Which.
        ids: Vec<FactId>,
    },
    /// Notes and summaries.
    Episodes {
        /// Which.
        ids: Vec<EpisodeId>,
    },
    /// Learned procedures.
    Procedures {
        /// Which.
        ids: Vec<ProcedureId>,
    },
    /// Everything about somebody or something.
    Subject {
        /// As the person calls it: "Mara".
        name: String,
    },
    /// A conversation, with what only it taught.
    Conversation {
        /// Which.
        id: ConversationId,
    },
    /// Messages with their answers, and what only they taught.
    Messages {
        /// Which.
        ids: Vec<MessageId>,
    },
    /// All memory.
    Everything,
}

/// What becomes of the messages that a memory came from or that repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum ForgetMessages {
    /// They stay in their conversations, and recall passes them by.
    Keep,
    /// They are erased too; that something stood there is still shown.
    Forget,
}
