//! Deleting much of what is indexed at once.

use rusqlite::{Connection, Transaction};

use crate::store::StoreError;

/// Fewer rows than this are taken out one by one.
const FEW: i64 = 100;
/// As many rows are merged anew in the time that one takes to be found and overwritten in its place.
const MERGED_MEANWHILE: i64 = 200;

/// The indexes of texts that belong to a conversation.
pub(in crate::memory) const OF_MESSAGES: &[&str] = &["messages_trigram", "passages_fts"];
/// The indexes of all texts.
pub(in crate::memory) const OF_ALL: &[&str] =
    &["messages_trigram", "facts_trigram", "episodes_trigram", "passages_fts"];

/// Does something that deletes many rows that these indexes hold. Entry by entry, each would be found and overwritten in its
/// place, which takes seconds for a long conversation and minutes for a long life; where that is dearer, they are only marked
/// here, and the whole index is merged into one piece without them.
///
/// Invariant: what was in the index is overwritten all the same, because SQLite overwrites the pieces that it frees.
pub(in crate::memory) fn deleting<T>(
    tx: &Transaction<'_>,
    indexes: &[&str],
    rows: usize,
    work: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    if rows < FEW || rows.saturating_mul(MERGED_MEANWHILE) < indexed(tx)? {
        return work();
    }
    for index in indexes {
        tx.execute_batch(&format!("INSERT INTO {index} ({index}, rank) VALUES ('secure-delete', 0)"))?;
    }
    let done = work()?;
    for index in indexes {
        tx.execute_batch(&format!(
            "INSERT INTO {index} ({index}) VALUES ('optimize');
             INSERT INTO {index} ({index}, rank) VALUES ('secure-delete', 1);"
        ))?;
    }
    Ok(done)
}

/// About how many rows the indexes hold.
fn indexed(conn: &Connection) -> Result<i64, StoreError> {
    Ok(conn.query_row("SELECT passages FROM passage_totals", [], |row| row.get("passages"))?)
}
