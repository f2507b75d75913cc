//! What was erased: which kinds of things and how many, never which.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, Transaction, named_params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::store::StoreError;
use crate::store::time::Millis;

/// How many receipts are shown, the newest ones.
const SHOWN: u32 = 200;

/// How many of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Erased {
    pub facts: usize,
    pub older_values: usize,
    pub notes: usize,
    pub summaries: usize,
    pub procedures: usize,
    pub messages: usize,
    pub conversations: usize,
    pub titles: usize,
    pub drafts: usize,
    pub review: usize,
    pub prompts: usize,
}

impl Erased {
    /// For people, one a line: "1 fact", "2 notes".
    pub fn lines(&self) -> Vec<String> {
        let counts = [
            (self.facts, "fact", "facts"),
            (self.older_values, "older value", "older values"),
            (self.notes, "note", "notes"),
            (self.summaries, "summary", "summaries"),
            (self.procedures, "procedure", "procedures"),
            (self.messages, "message", "messages"),
            (self.conversations, "conversation", "conversations"),
            (self.titles, "title", "titles"),
            (self.drafts, "draft", "drafts"),
            (self.review, "entry in Review", "entries in Review"),
            (self.prompts, "kept prompt", "kept prompts"),
        ];
        counts
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
            .collect()
    }
}

/// A receipt of what was erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ErasureReceipt {
    /// Which one.
    #[ts(type = "number")]
    pub id: i64,
    /// When the person asked.
    pub forgotten_at: DateTime<Utc>,
    /// When it was erased.
    pub at: DateTime<Utc>,
    /// For people, one a line: "1 fact", "2 notes".
    pub lines: Vec<String>,
}

/// Writes a receipt.
pub(super) fn write(
    tx: &Transaction<'_>,
    erased: &Erased,
    forgotten_at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<ErasureReceipt, StoreError> {
    let counts = serde_json::to_string(erased).expect("plain data has a JSON form");
    tx.prepare_cached("INSERT INTO erasures (forgotten_at, at, counts) VALUES (:forgotten_at, :at, :counts)")?
        .execute(named_params! { ":forgotten_at": Millis(forgotten_at), ":at": Millis(now), ":counts": counts })?;
    Ok(ErasureReceipt { id: tx.last_insert_rowid(), forgotten_at, at: now, lines: erased.lines() })
}

/// The receipts, the newest first.
pub fn list(conn: &Connection) -> Result<Vec<ErasureReceipt>, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT id, forgotten_at, at, counts FROM erasures ORDER BY id DESC LIMIT ?1")?;
    let receipts = statement.query_map([SHOWN], receipt)?.collect::<Result<_, _>>()?;
    Ok(receipts)
}

fn receipt(row: &Row<'_>) -> rusqlite::Result<ErasureReceipt> {
    let counts: Erased = serde_json::from_str(&row.get::<_, String>("counts")?)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, error.into()))?;
    Ok(ErasureReceipt {
        id: row.get("id")?,
        forgotten_at: row.get::<_, Millis>("forgotten_at")?.0,
        at: row.get::<_, Millis>("at")?.0,
        lines: counts.lines(),
    })
}

/// Whether something was erased from the tables whose traces may still be in the log, in free pages or in a backup.
pub fn is_unswept(conn: &Connection) -> Result<bool, StoreError> {
    Ok(conn.query_row("SELECT EXISTS (SELECT 1 FROM erasures WHERE swept = 0)", [], |row| row.get(0))?)
}

/// Notes that there are no traces of what the receipts tell.
pub fn mark_swept(tx: &Transaction<'_>) -> Result<(), StoreError> {
    tx.execute("UPDATE erasures SET swept = 1 WHERE swept = 0", [])?;
    Ok(())
}
