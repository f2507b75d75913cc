//! Forgetting: hidden at once, and really deleted when the time for an undo is over.
//!
//! Invariant: after the purge the text is in no row, no index and no log entry of memory. (What SQLite deletes here is
//! overwritten; the caller truncates the write-ahead log afterwards.)

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, Transaction, named_params};

use super::change::{self, Before, ChangeKind, MemoryChange, MemoryRef, NewEvent};
use super::fact;
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, FactId, MessageId, ProcedureId};
use crate::store::time::Millis;

/// How long a forget can be undone.
const UNDO_SECONDS: u32 = 10;

/// How long a forget can be undone.
pub fn undo_window() -> Duration {
    Duration::from_secs(u64::from(UNDO_SECONDS))
}

/// Forgets facts, with what they had replaced: the person sees one row and means all of it. What does not exist (any
/// more) is passed by.
///
/// `message` is the person's message that asked for it, where one did.
pub fn facts(
    tx: &Transaction<'_>,
    ids: &[FactId],
    message: Option<MessageId>,
    now: DateTime<Utc>,
) -> Result<Vec<MemoryChange>, StoreError> {
    let mut changes = Vec::new();
    for id in ids {
        let with = replaced_by(tx, *id)?;
        if !hide(tx, "facts", id.0, now)? {
            continue;
        }
        for old in &with {
            hide(tx, "facts", old.0, now)?;
        }
        let sentence = fact::sentence_of(tx, *id)?;
        changes.push(record(tx, MemoryRef::Fact(*id), with, &sentence, message, now)?);
    }
    Ok(changes)
}

/// Forgets episodes.
pub fn episodes(tx: &Transaction<'_>, ids: &[EpisodeId], now: DateTime<Utc>) -> Result<Vec<MemoryChange>, StoreError> {
    let mut changes = Vec::new();
    for id in ids {
        if hide(tx, "episodes", id.0, now)? {
            let text: String = tx.query_row("SELECT text FROM episodes WHERE id = ?1", [id], |row| row.get("text"))?;
            changes.push(record(tx, MemoryRef::Episode(*id), Vec::new(), &text, None, now)?);
        }
    }
    Ok(changes)
}

/// Forgets procedures.
pub fn procedures(
    tx: &Transaction<'_>,
    ids: &[ProcedureId],
    now: DateTime<Utc>,
) -> Result<Vec<MemoryChange>, StoreError> {
    let mut changes = Vec::new();
    for id in ids {
        if hide(tx, "procedures", id.0, now)? {
            let text: String =
                tx.query_row("SELECT strategy FROM procedures WHERE id = ?1", [id], |row| row.get("strategy"))?;
            changes.push(record(tx, MemoryRef::Procedure(*id), Vec::new(), &text, None, now)?);
        }
    }
    Ok(changes)
}

fn record(
    tx: &Transaction<'_>,
    target: MemoryRef,
    with: Vec<FactId>,
    sentence: &str,
    message: Option<MessageId>,
    now: DateTime<Utc>,
) -> Result<MemoryChange, StoreError> {
    let before = Before { with, ..Before::default() };
    let event = NewEvent {
        kind: ChangeKind::Forgotten,
        target,
        other: None,
        before,
        sentence,
        why: "the person asked",
        message,
    };
    change::record(tx, &event, now)
}

/// Hides a row; false where it is hidden or gone already.
fn hide(tx: &Transaction<'_>, table: &str, id: i64, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let sql = format!("UPDATE {table} SET forgotten_at = :now WHERE id = :id AND forgotten_at IS NULL");
    Ok(tx.prepare_cached(&sql)?.execute(named_params! { ":now": Millis(now), ":id": id })? > 0)
}

/// All that a fact replaced, directly or not.
fn replaced_by(conn: &Connection, id: FactId) -> Result<Vec<FactId>, StoreError> {
    let mut statement = conn.prepare_cached(
        "WITH RECURSIVE older (id) AS (
             SELECT id FROM facts WHERE superseded_by = :id
             UNION
             SELECT f.id FROM facts f JOIN older ON f.superseded_by = older.id
         )
         SELECT older.id FROM older JOIN facts f ON f.id = older.id WHERE f.forgotten_at IS NULL ORDER BY older.id",
    )?;
    let ids = statement.query_map(named_params! { ":id": id }, |row| row.get("id"))?.collect::<Result<_, _>>()?;
    Ok(ids)
}

/// Forgets what only one conversation taught: facts that no message elsewhere supports, and its episodes. Call it before the
/// conversation is deleted. What the person entered by hand stays.
pub fn learned_from(
    tx: &Transaction<'_>,
    conversation: ConversationId,
    now: DateTime<Utc>,
) -> Result<Vec<MemoryChange>, StoreError> {
    let only_here: Vec<FactId> = tx
        .prepare_cached(
            "SELECT s.fact_id FROM fact_sources s JOIN messages m ON m.id = s.message_id JOIN facts f ON f.id = s.fact_id
             WHERE f.forgotten_at IS NULL
             GROUP BY s.fact_id HAVING min(m.conversation_id) = :conversation AND max(m.conversation_id) = :conversation
             ORDER BY s.fact_id",
        )?
        .query_map(named_params! { ":conversation": conversation }, |row| row.get("fact_id"))?
        .collect::<Result<_, _>>()?;
    let mut changes = Vec::new();
    for id in only_here {
        // Here the older values are another conversation's affair.
        if hide(tx, "facts", id.0, now)? {
            let sentence = fact::sentence_of(tx, id)?;
            changes.push(record(tx, MemoryRef::Fact(id), Vec::new(), &sentence, None, now)?);
        }
    }
    let its_episodes: Vec<EpisodeId> = tx
        .prepare_cached(
            "SELECT id FROM episodes WHERE conversation_id = :conversation AND forgotten_at IS NULL ORDER BY id",
        )?
        .query_map(named_params! { ":conversation": conversation }, |row| row.get("id"))?
        .collect::<Result<_, _>>()?;
    changes.extend(episodes(tx, &its_episodes, now)?);
    Ok(changes)
}

/// Really deletes what was forgotten and whose time for an undo is over. How many memories went.
pub fn purge_due(tx: &Transaction<'_>, now: DateTime<Utc>) -> Result<usize, StoreError> {
    let due = Millis(now - TimeDelta::seconds(i64::from(UNDO_SECONDS)));
    let mut gone = 0;
    for (table, kind) in [("facts", "fact"), ("episodes", "episode"), ("procedures", "procedure")] {
        let ids: Vec<i64> = tx
            .prepare_cached(&format!(
                "SELECT id FROM {table} WHERE forgotten_at IS NOT NULL AND forgotten_at <= ?1 ORDER BY id"
            ))?
            .query_map([due], |row| row.get("id"))?
            .collect::<Result<_, _>>()?;
        for id in ids {
            erase(tx, table, kind, id)?;
            gone += 1;
        }
    }
    Ok(gone)
}

/// Deletes one fact now, with every trace of it.
pub(super) fn erase_fact(tx: &Transaction<'_>, id: FactId) -> Result<(), StoreError> {
    erase(tx, "facts", "fact", id.0)
}

/// Deletes one procedure now, with every trace of it.
pub(super) fn erase_procedure(tx: &Transaction<'_>, id: ProcedureId) -> Result<(), StoreError> {
    erase(tx, "procedures", "procedure", id.0)
}

/// The row with its sources and index entries, its place in prompts, and its text in the log.
fn erase(tx: &Transaction<'_>, table: &str, kind: &str, id: i64) -> Result<(), StoreError> {
    let target = named_params! { ":kind": kind, ":id": id };
    tx.prepare_cached(
        "UPDATE turns SET prompt_block = NULL WHERE id IN (SELECT turn_id FROM turn_memories WHERE kind = :kind AND memory_id = :id)",
    )?
    .execute(target)?;
    tx.prepare_cached("DELETE FROM turn_memories WHERE kind = :kind AND memory_id = :id")?.execute(target)?;
    tx.prepare_cached(
        "UPDATE memory_events SET sentence = '', before = NULL WHERE target_kind = :kind AND target_id = :id",
    )?
    .execute(target)?;
    tx.prepare_cached(&format!("DELETE FROM {table} WHERE id = ?1"))?.execute([id])?;
    Ok(())
}

/// Deletes all memory: facts, episodes, procedures and the log of changes. Conversations stay.
pub fn wipe(tx: &Transaction<'_>) -> Result<(), StoreError> {
    tx.execute_batch(
        "DELETE FROM fact_sources;
         DELETE FROM facts;
         DELETE FROM episodes;
         DELETE FROM procedures;
         DELETE FROM memory_events;
         DELETE FROM turn_memories;
         UPDATE turns SET prompt_block = NULL;
         INSERT INTO facts_fts (facts_fts) VALUES ('rebuild');
         INSERT INTO facts_trigram (facts_trigram) VALUES ('rebuild');
         INSERT INTO episodes_fts (episodes_fts) VALUES ('rebuild');
         INSERT INTO episodes_trigram (episodes_trigram) VALUES ('rebuild');",
    )?;
    Ok(())
}
