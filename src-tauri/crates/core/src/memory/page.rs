//! Lists of memories in pages, and how many there are.

use chrono::{DateTime, Utc};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

mod list;
mod search;

pub(in crate::memory) use list::List;
pub(in crate::memory) use search::{Searched, hits};

use crate::memory::episode::EpisodeKind;
use crate::memory::fact::Origin;
use crate::memory::procedure::IS_LEARNED;
use crate::store::StoreError;

/// A page of a longer list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Page<T> {
    /// The rows of this page.
    pub rows: Vec<T>,
    /// How many rows match in all.
    #[ts(type = "number")]
    pub total: i64,
}

/// Which rows of a memory list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MemoryQuery {
    /// Words to look for; empty for all. Text, never query syntax.
    pub search: String,
    /// In which order.
    pub order: MemoryOrder,
    /// How many rows to pass by.
    pub offset: u32,
    /// How many rows at most, up to 500.
    pub limit: u32,
    /// What else must hold of them; nothing more where it is left out.
    #[serde(default)]
    #[ts(optional, as = "Option<MemoryFilters>")]
    pub filters: MemoryFilters,
}

/// What must hold of the rows of a memory list, beyond the words in them. All of it; what a kind of memory does not have is
/// passed by: an episode has no confidence, a procedure no subject.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct MemoryFilters {
    /// Facts of one of these origins; empty for all.
    pub origins: Vec<Origin>,
    /// Facts that Atlas is at least this sure of, 0 to 1.
    pub least_confidence: Option<f64>,
    /// Facts that Atlas is at most this sure of, 0 to 1.
    pub most_confidence: Option<f64>,
    /// Only what no answer used yet.
    pub never_used: bool,
    /// Facts that are history, in place of those that are current.
    pub superseded: bool,
    /// Only pinned facts.
    pub pinned: bool,
    /// Facts about one subject, by its name or its key; the person is `user`.
    pub subject: Option<String>,
    /// What was true, or believed, at a moment in the past, in place of now. Episodes and procedures that were there by then.
    pub as_of: Option<AsOf>,
    /// Episodes of one kind.
    pub episode_kind: Option<EpisodeKind>,
}

/// A moment, and whose truth is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct AsOf {
    /// When.
    pub at: DateTime<Utc>,
    /// Whose truth.
    pub view: AsOfView,
}

/// Two answers to "how was it then".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum AsOfView {
    /// What was true then, as Atlas knows it today.
    True,
    /// What Atlas believed then, right or wrong.
    Believed,
}

/// Somebody or something that facts are about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SubjectCount {
    /// As a filter takes it.
    pub subject: String,
    /// As people read it: "You", "Mara".
    pub label: String,
    /// How many current facts are about it.
    #[ts(type = "number")]
    pub facts: i64,
}

/// The order of a memory list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum MemoryOrder {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    /// Most used first.
    MostUsed,
    /// What Atlas is least sure of first.
    LeastConfident,
    /// By its sentence.
    Alphabetical,
}

/// How much is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MemoryCounts {
    /// Facts that are current.
    #[ts(type = "number")]
    pub facts: i64,
    /// Episodes.
    #[ts(type = "number")]
    pub episodes: i64,
    /// Procedures.
    #[ts(type = "number")]
    pub procedures: i64,
    /// Candidates that wait for the person.
    #[ts(type = "number")]
    pub review: i64,
}

impl MemoryQuery {
    /// The most rows that a page holds.
    pub const MOST_ROWS: u32 = 500;

    pub(in crate::memory) fn rows(&self) -> u32 {
        self.limit.min(Self::MOST_ROWS)
    }
}

/// How much is remembered now: what is history or about to be purged does not count.
pub fn counts(conn: &Connection) -> Result<MemoryCounts, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT (SELECT count(*) FROM facts WHERE retired_at IS NULL AND forgotten_at IS NULL) AS facts,
                (SELECT count(*) FROM episodes WHERE forgotten_at IS NULL) AS episodes,
                (SELECT count(*) FROM procedures WHERE forgotten_at IS NULL AND {IS_LEARNED}) AS procedures,
                (SELECT count(*) FROM review WHERE state = 'waiting'
                    AND NOT EXISTS (SELECT 1 FROM hidden WHERE kind = 'review' AND target_id = review.id)) AS review"
    ))?;
    let counts = statement.query_row([], |row| {
        Ok(MemoryCounts {
            facts: row.get("facts")?,
            episodes: row.get("episodes")?,
            procedures: row.get("procedures")?,
            review: row.get("review")?,
        })
    })?;
    Ok(counts)
}
