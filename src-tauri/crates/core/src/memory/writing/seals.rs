//! How often each sealed topic kept something out: numbers alone, so that the person can see what a seal does.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Transaction, params};

use crate::store::StoreError;
use crate::store::time::Millis;

/// Counts that a topic kept something out.
pub(super) fn count(tx: &Transaction<'_>, topic: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.prepare_cached(
        "INSERT INTO kept_out (topic, times, last_at) VALUES (?1, 1, ?2)
         ON CONFLICT (topic) DO UPDATE SET times = times + 1, last_at = excluded.last_at",
    )?
    .execute(params![topic, Millis(now)])?;
    Ok(())
}

/// How often a topic kept something out.
pub fn kept_out(conn: &Connection, topic: &str) -> Result<u32, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT coalesce(max(times), 0) AS times FROM kept_out WHERE topic = ?1")?;
    Ok(statement.query_row([topic], |row| row.get("times"))?)
}
