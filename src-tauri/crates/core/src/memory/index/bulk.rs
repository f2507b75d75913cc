//! Adding or deleting much of what is indexed at once.

use rusqlite::{Connection, Transaction, named_params};

use crate::store::StoreError;

/// Fewer rows than this are taken out one by one.
const FEW: i64 = 10;
/// As many rows are merged anew in the time that one takes to be found and overwritten in its place.
const MERGED_MEANWHILE: i64 = 1_000;

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

/// As much is collected before it is written, in bytes: by FTS5 itself, and while much is added.
const COLLECTED: [u32; 2] = [1 << 20, 16 << 20];
/// Of how many pieces FTS5 makes one while it writes: by itself, and while much is added. With 0 it waits for sixteen.
const MERGED: [u32; 2] = [4, 0];

/// Fewer messages than this are indexed one by one.
const FEW_TOGETHER: usize = 4;
/// More messages than this are written in large pieces.
const MUCH: usize = 500;

/// Does something that adds about so many messages, all of them whole, and their passages, and changes none of them. They are
/// indexed at its end, together, and in large pieces.
pub(in crate::memory) fn together<T>(
    tx: &Transaction<'_>,
    messages: usize,
    work: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let later = |later: bool| -> Result<bool, StoreError> {
        Ok(tx.prepare_cached("UPDATE indexing SET later = ?1 WHERE later <> ?1")?.execute([later])? > 0)
    };
    // Who does more in the same go indexes this too.
    if messages < FEW_TOGETHER || !later(true)? {
        return work();
    }
    let before = last_message(tx)?;
    let done = work()?;
    later(false)?;
    let is_much = messages > MUCH;
    if is_much {
        write_in_pieces(tx, 1)?;
    }
    index_messages(tx, before + 1, last_message(tx)?)?;
    if is_much {
        write_in_pieces(tx, 0)?;
    }
    Ok(done)
}

fn last_message(conn: &Connection) -> Result<i64, StoreError> {
    let mut statement = conn.prepare_cached("SELECT coalesce(max(id), -1 << 62) AS last FROM messages")?;
    Ok(statement.query_row([], |row| row.get("last"))?)
}

fn write_in_pieces(tx: &Transaction<'_>, much: usize) -> Result<(), StoreError> {
    OF_MESSAGES.iter().try_for_each(|index| {
        Ok(tx.execute_batch(&format!(
            "INSERT INTO {index} ({index}, rank) VALUES ('hashsize', {}), ('automerge', {})",
            COLLECTED[much], MERGED[much]
        ))?)
    })
}

/// What the triggers do for each message and passage by itself.
fn index_messages(tx: &Transaction<'_>, first: i64, last: i64) -> Result<(), StoreError> {
    for sql in [
        "INSERT INTO messages_trigram (rowid, text) SELECT id, text FROM messages
             WHERE id BETWEEN :first AND :last AND state <> 'streaming'",
        "INSERT INTO passages_fts (rowid, terms)
             SELECT id, terms FROM passages WHERE kind = 0 AND owner_id BETWEEN :first AND :last",
        "INSERT INTO static_waiting SELECT id FROM passages WHERE kind = 0 AND owner_id BETWEEN :first AND :last",
        "INSERT INTO dense_waiting SELECT id FROM passages WHERE kind = 0 AND owner_id BETWEEN :first AND :last",
        "UPDATE passage_totals SET (passages, words) = (SELECT passages + count(*), passage_totals.words + coalesce(sum(p.words), 0)
             FROM passages p WHERE p.kind = 0 AND p.owner_id BETWEEN :first AND :last)",
    ] {
        tx.prepare_cached(sql)?.execute(named_params! { ":first": first, ":last": last })?;
    }
    Ok(())
}

/// About how many rows the indexes hold.
fn indexed(conn: &Connection) -> Result<i64, StoreError> {
    Ok(conn.query_row("SELECT passages FROM passage_totals", [], |row| row.get("passages"))?)
}
