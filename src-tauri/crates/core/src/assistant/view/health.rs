//! What the Health page shows: what runs, what fails, what was done about it, and how the answers keep to the spec.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use crate::behavior::drift::{ConductSample, DriftDay, DriftView};
pub use crate::healing::timeline::{Outcome as HealthOutcome, Source as HealthSource};
pub use crate::logs::Line as LogLine;
use crate::store::id::ConversationId;
use crate::supervisor::EngineState;

/// How Atlas is, at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct HealthView {
    /// Whether the network is there, as far as Atlas knows.
    pub online: bool,
    /// How many messages wait for the network.
    #[ts(type = "number")]
    pub queued: u64,
    /// The child processes.
    pub services: Vec<ServiceView>,
    /// The model services that were asked.
    pub providers: Vec<ProviderHealthView>,
}

/// A child process that Atlas looks after.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ServiceView {
    /// A stable name: "engine".
    pub name: String,
    /// What it does now.
    pub state: EngineState,
    /// What it runs for: the model's file name; empty where it does not run.
    pub runs: String,
    /// What its last lines tell, for people.
    pub diagnosis: Option<String>,
    /// Its last lines, the oldest first, at most 20, without secrets.
    pub log: Vec<String>,
}

/// How a model service did lately.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ProviderHealthView {
    /// Its name for people.
    pub provider: String,
    /// Whether it is asked.
    pub breaker: BreakerState,
    /// How often it failed in a row.
    pub failures_in_a_row: u32,
    /// The code of its latest failure.
    pub last_failure: Option<String>,
    /// When that was.
    pub last_failure_at: Option<DateTime<Utc>>,
    /// When it last answered.
    pub last_success_at: Option<DateTime<Utc>>,
    /// When it is asked again, where it is not asked now.
    pub not_before: Option<DateTime<Utc>>,
}

/// Whether a model service is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum BreakerState {
    /// It is.
    Closed,
    /// It failed again and again, and is left alone for a while where somebody else can be asked.
    Open,
    /// The next question is a trial.
    HalfOpen,
}

/// Which part of the timeline is wanted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct HealthQuery {
    /// Only what comes from there.
    pub source: Option<HealthSource>,
    /// Only what no remedy helped.
    pub only_unhealed: bool,
    /// How many rows to pass over.
    pub offset: u32,
    /// How many rows, 1 to 500.
    pub limit: u32,
}

/// One line of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct HealthEventView {
    /// Its number.
    #[ts(type = "number")]
    pub id: i64,
    /// When.
    pub at: DateTime<Utc>,
    /// Where.
    pub source: HealthSource,
    /// The failure's stable code.
    pub code: String,
    /// What happened, in words for people.
    pub trigger: String,
    /// What was done, in words for people; none where nothing was.
    pub remedy: Option<String>,
    /// What came of it.
    pub outcome: HealthOutcome,
    /// How long was waited for it, in seconds.
    pub waited_seconds: f64,
    /// The service, by name; empty where none was involved.
    pub provider: String,
    /// The model; empty where none was involved.
    pub model: String,
    /// The conversation that it happened in, where there is one still.
    pub conversation: Option<ConversationId>,
}
