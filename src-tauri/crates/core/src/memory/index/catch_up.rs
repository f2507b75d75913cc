//! Passages that are owed: after an update, after a change that code did not follow up at once.

use rusqlite::{Connection, Transaction, named_params};

use crate::memory::index::passage::{Owner, OwnerKind};
use crate::memory::index::write::write;
use crate::store::StoreError;

/// Writes the passages of up to `limit` owners that wait. How many wait still.
pub fn catch_up(tx: &Transaction<'_>, limit: u32) -> Result<u64, StoreError> {
    let owners: Vec<(OwnerKind, i64)> = tx
        .prepare_cached("SELECT kind, owner_id FROM passages_waiting ORDER BY kind, owner_id LIMIT :limit")?
        .query_map(named_params! { ":limit": limit }, |row| Ok((row.get("kind")?, row.get("owner_id")?)))?
        .collect::<Result<_, _>>()?;
    for (kind, id) in owners {
        write(tx, Owner { kind, id })?;
    }
    waiting(tx)
}

/// Whether anything waits.
pub fn is_behind(conn: &Connection) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM passages_waiting) AS is_behind")?;
    Ok(statement.query_row([], |row| row.get("is_behind"))?)
}

/// How many owners wait for their passages; beyond this many nobody counts.
const MOST_COUNTED: u32 = 10_000;

/// How many owners wait for their passages, counted up to 10,000.
pub fn waiting(conn: &Connection) -> Result<u64, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT count(*) AS waiting FROM (SELECT 1 FROM passages_waiting LIMIT {MOST_COUNTED})"
    ))?;
    let waiting: i64 = statement.query_row([], |row| row.get("waiting"))?;
    Ok(waiting.unsigned_abs())
}
