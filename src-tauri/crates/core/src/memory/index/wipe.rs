//! Deleting much at once.

use rusqlite::Transaction;

use crate::store::StoreError;

/// Does something that deletes most of what these indexes hold. Entry by entry, each would be found and overwritten in its
/// place, which takes minutes for a long life; here the whole index is thrown away and built anew from what is left.
///
/// Invariant: what was in the index is overwritten all the same, because SQLite overwrites what it frees.
pub(in crate::memory) fn wiping(
    tx: &Transaction<'_>,
    indexes: &[&str],
    work: impl FnOnce() -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    for index in indexes {
        tx.execute_batch(&format!("INSERT INTO {index} ({index}, rank) VALUES ('secure-delete', 0)"))?;
    }
    work()?;
    for index in indexes {
        tx.execute_batch(&format!(
            "INSERT INTO {index} ({index}) VALUES ('rebuild');
             INSERT INTO {index} ({index}, rank) VALUES ('secure-delete', 1);"
        ))?;
    }
    Ok(())
}
