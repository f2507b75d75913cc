//! Row identities as types, so that a message can never be taken for a fact.

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
        #[serde(transparent)]
        #[ts(export, type = "number")]
        pub struct $name(pub i64);

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                i64::column_result(value).map(Self)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

id! {
    /// A conversation.
    ConversationId,
    /// One message of a conversation.
    MessageId,
    /// One turn: a person's message and what came of it.
    TurnId,
    /// A fact of semantic memory.
    FactId,
    /// An episode: a dated note or summary of a conversation.
    EpisodeId,
    /// A learned procedure.
    ProcedureId,
    /// One entry of the log of memory changes.
    MemoryEventId,
    /// A candidate that waits in Review.
    ReviewId,
    /// An import that was made.
    ImportId,
    /// One saved version of the behavioural spec.
    SpecVersion,
}

impl ConversationId {
    /// Whether it is a temporary one: it is in no file, and neither reads memory nor writes it.
    pub fn is_temporary(self) -> bool {
        self.0 < 0
    }
}

impl MessageId {
    /// Whether it is of a temporary conversation.
    pub fn is_temporary(self) -> bool {
        self.0 < 0
    }
}
