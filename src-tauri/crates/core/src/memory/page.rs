//! Lists of memories in pages, and how many there are.

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
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
}

/// The order of a memory list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum MemoryOrder {
    /// Newest first.
    Newest,
    /// Oldest first.
    Oldest,
    /// Most used first.
    MostUsed,
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
    let mut statement = conn.prepare_cached(
        "SELECT (SELECT count(*) FROM facts WHERE retired_at IS NULL AND forgotten_at IS NULL) AS facts,
                (SELECT count(*) FROM episodes WHERE forgotten_at IS NULL) AS episodes,
                (SELECT count(*) FROM procedures WHERE forgotten_at IS NULL) AS procedures",
    )?;
    let counts = statement.query_row([], |row| {
        Ok(MemoryCounts {
            facts: row.get("facts")?,
            episodes: row.get("episodes")?,
            procedures: row.get("procedures")?,
        })
    })?;
    Ok(counts)
}
