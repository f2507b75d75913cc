//! What a shell hears during one turn.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::healing::{FailureView, HealingNote};
use crate::memory::conversation::{Message, Usage};
use crate::memory::history::change::{MemoryChange, UsedMemory};
use crate::store::id::{ConversationId, TurnId};

/// One thing that happened in a turn. Exactly one of `Completed`, `Cancelled` and `Failed` comes, and it comes last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "type")]
#[ts(export)]
pub enum TurnEvent {
    /// The person's message is on disk and the model is being asked.
    Started {
        /// Which turn.
        turn: TurnId,
        /// The conversation, new or old.
        conversation: ConversationId,
        /// The person's message.
        message: Message,
        /// The memories that stand in the prompt.
        used: Vec<UsedMemory>,
    },
    /// More of the answer, to be appended.
    Delta {
        /// The text.
        text: String,
    },
    /// What came of the answer is taken back: the window shows none of it any more. Another answer may follow.
    Withdrawn,
    /// Something failed and a remedy is being tried.
    Healing {
        /// What to show.
        note: HealingNote,
    },
    /// The last wait was cut short.
    Waited {
        /// What takes the place of its note: how long it really waited.
        note: HealingNote,
    },
    /// Memory changed.
    MemoryChanged {
        /// How.
        changes: Vec<MemoryChange>,
    },
    /// What the answer cost.
    Usage {
        /// The figures.
        usage: Usage,
    },
    /// The answer is finished and on disk.
    Completed {
        /// The answer.
        message: Message,
    },
    /// The person stopped it; what came is on disk.
    Cancelled {
        /// What came; none where nothing did.
        message: Option<Message>,
    },
    /// It failed; what came is on disk.
    Failed {
        /// What came; none where nothing did.
        message: Option<Message>,
        /// What happened and what to do now.
        failure: FailureView,
    },
}

impl TurnEvent {
    /// Whether this is the last event of its turn.
    pub fn is_terminal(&self) -> bool {
        match self {
            Self::Completed { .. } | Self::Cancelled { .. } | Self::Failed { .. } => true,
            Self::Started { .. }
            | Self::Delta { .. }
            | Self::Withdrawn
            | Self::Healing { .. }
            | Self::Waited { .. }
            | Self::MemoryChanged { .. }
            | Self::Usage { .. } => false,
        }
    }
}
