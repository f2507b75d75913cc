//! Procedural memory: what was tried when something failed, and how often it helped.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::store::id::ProcedureId;

/// A learned procedure, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Procedure {
    /// Which one.
    pub id: ProcedureId,
    /// What it answers to, in words for people: "OpenRouter is busy (rate limit)".
    pub trigger: String,
    /// What is done then, in words for people: "Wait as long as it asks, then ask again".
    pub strategy: String,
    /// The kind of failure, as a stable code.
    pub category: String,
    /// What was learned, where something was.
    pub lesson: Option<String>,
    /// How often it helped.
    #[ts(type = "number")]
    pub successes: i64,
    /// How often it did not.
    #[ts(type = "number")]
    pub failures: i64,
    /// (successes + 1) / (successes + failures + 2): Laplace's rule of succession, 0 to 1.
    pub reliability: f64,
    /// When it was first stored.
    pub created_at: DateTime<Utc>,
    /// When it was last tried.
    pub last_used_at: DateTime<Utc>,
}
