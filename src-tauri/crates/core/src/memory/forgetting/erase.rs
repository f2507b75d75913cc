//! Deleting rows with every trace of them: sources, index entries, places in prompts, texts in the log of changes.

use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Params, Transaction, named_params};

use super::tombstone;
use crate::memory::conversation;
use crate::memory::index;
use crate::memory::relation::{Holds, Key};
use crate::store::StoreError;
use crate::store::id::{ConversationId, FactId, MessageId, ProcedureId};

/// Deletes one fact now, with every trace of it.
pub(in crate::memory) fn fact(tx: &Transaction<'_>, id: FactId) -> Result<(), StoreError> {
    row(tx, "facts", "fact", id.0)
}

/// Deletes one procedure now, with every trace of it.
pub(in crate::memory) fn procedure(tx: &Transaction<'_>, id: ProcedureId) -> Result<(), StoreError> {
    // What the timeline tells of the same failure goes with it.
    tx.prepare_cached("DELETE FROM health_events WHERE trigger = (SELECT trigger FROM procedures WHERE id = ?1)")?
        .execute([id])?;
    row(tx, "procedures", "procedure", id.0)
}

/// The kind of what was deleted; none where it was gone. Where it was a summary, another one is owed.
pub(in crate::memory) fn episode(tx: &Transaction<'_>, id: i64) -> Result<Option<String>, StoreError> {
    let kind = texts(tx, "SELECT id, kind AS text FROM episodes WHERE id = ?1", [id])?.pop().map(|(_, kind)| kind);
    if kind.is_some() {
        tx.prepare_cached(
            "UPDATE conversations SET summed_up_at = NULL WHERE id = (SELECT conversation_id FROM episodes WHERE id = ?1)",
        )?
        .execute([id])?;
        row(tx, "episodes", "episode", id)?;
    }
    Ok(kind)
}

/// The row with its sources and index entries, its place in prompts, and its text in the log.
pub(super) fn row(tx: &Transaction<'_>, table: &str, kind: &str, id: i64) -> Result<(), StoreError> {
    let target = named_params! { ":kind": kind, ":id": id };
    tx.prepare_cached(
        "UPDATE turns SET prompt_block = NULL WHERE id IN (SELECT turn_id FROM turn_memories WHERE kind = :kind AND memory_id = :id)",
    )?
    .execute(target)?;
    tx.prepare_cached("DELETE FROM turn_memories WHERE kind = :kind AND memory_id = :id")?.execute(target)?;
    redact(tx, kind, id)?;
    tx.prepare_cached(&format!("DELETE FROM {table} WHERE id = ?1"))?.execute([id])?;
    Ok(())
}

/// The log keeps that something happened, and not to what.
fn redact(tx: &Transaction<'_>, kind: &str, id: i64) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE memory_events SET sentence = '', before = NULL WHERE target_kind = :kind AND target_id = :id",
    )?
    .execute(named_params! { ":kind": kind, ":id": id })?;
    Ok(())
}

/// Deletes messages, and says how many conversations went with them: those of which nothing else is left. Of the others only
/// the texts go, and what is kept of their turns; that there was a message stays.
pub(super) fn messages(tx: &Transaction<'_>, messages: &[MessageId]) -> Result<usize, StoreError> {
    let meant: HashSet<MessageId> = messages.iter().copied().collect();
    let mut conversations = BTreeSet::new();
    for message in messages {
        conversations.extend(ids(tx, "SELECT conversation_id AS id FROM messages WHERE id = ?1", [message])?);
    }
    let mut gone = 0;
    for id in conversations {
        let there = ids(tx, "SELECT id FROM messages WHERE conversation_id = ?1 AND state <> 'forgotten'", [id])?;
        let (here, others): (Vec<MessageId>, Vec<MessageId>) =
            there.into_iter().map(MessageId).partition(|message| meant.contains(message));
        if others.is_empty() {
            conversation::delete_rows(tx, ConversationId(id))?;
            gone += 1;
        } else {
            here.into_iter().try_for_each(|message| text_of_message(tx, message))?;
        }
    }
    Ok(gone)
}

fn text_of_message(tx: &Transaction<'_>, id: MessageId) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE messages SET text = '', state = 'forgotten', forgotten_at = NULL, recall = 0, speaker = NULL WHERE id = ?1",
    )?
    .execute([id])?;
    tx.prepare_cached(
        "DELETE FROM turn_memories WHERE (kind = 'message' AND memory_id = ?1)
             OR turn_id IN (SELECT id FROM turns WHERE message_id = ?1 OR answer_id = ?1)",
    )?
    .execute([id])?;
    tx.prepare_cached(
        "UPDATE turns SET prompt_block = NULL, failure = NULL, healing = NULL, extraction_owed = 0
         WHERE message_id = ?1 OR answer_id = ?1",
    )?
    .execute([id])?;
    redact(tx, "message", id.0)
}

/// Deletes all memory: facts, episodes, procedures and the log of changes. Conversations stay, and recall passes them by.
pub fn wipe(tx: &Transaction<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
    let mut statement = tx.prepare("SELECT subject_key, relation_key, value_key FROM facts")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let key = Key {
            subject: row.get("subject_key")?,
            relation: row.get("relation_key")?,
            value: row.get("value_key")?,
            holds: Holds::Many,
        };
        tombstone::lay_fact(tx, &key, now)?;
    }
    index::deleting(tx, index::OF_ALL, usize::MAX, || {
        tx.execute_batch(
            "DELETE FROM review;
             DELETE FROM fact_sources;
             DELETE FROM facts;
             DELETE FROM episodes;
             DELETE FROM procedures;
             DELETE FROM health_events;
             DELETE FROM memory_events;
             DELETE FROM turn_memories;
             UPDATE turns SET prompt_block = NULL WHERE prompt_block IS NOT NULL;
             UPDATE messages SET recall = 0 WHERE recall = 1;",
        )?;
        Ok(())
    })
}

/// Deletes what is kept of forgetting and of imports: receipts, what bars the forgotten from coming back, the sealed topics.
pub fn wipe_traces(tx: &Transaction<'_>) -> Result<(), StoreError> {
    tx.execute_batch("DELETE FROM tombstones; DELETE FROM erasures; DELETE FROM hidden; DELETE FROM imports; DELETE FROM sealed_topics;")?;
    Ok(())
}

pub(in crate::memory) fn ids(conn: &Connection, sql: &str, params: impl Params) -> Result<Vec<i64>, StoreError> {
    let ids = conn.prepare_cached(sql)?.query_map(params, |row| row.get("id"))?.collect::<Result<_, _>>()?;
    Ok(ids)
}

pub(super) fn texts(conn: &Connection, sql: &str, params: impl Params) -> Result<Vec<(i64, String)>, StoreError> {
    let texts = conn
        .prepare_cached(sql)?
        .query_map(params, |row| Ok((row.get("id")?, row.get("text")?)))?
        .collect::<Result<_, _>>()?;
    Ok(texts)
}
