//! Forgetting: hidden at once, and really deleted when the time for an undo is over.
//!
//! Invariant: after the purge the text is in no row, no index and no log entry of memory. (What SQLite deletes here is
//! overwritten; the caller truncates the write-ahead log afterwards.)

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, Transaction, named_params};

use crate::memory::fact;
use crate::memory::history::{
    change::{self, Before, ChangeKind, MemoryChange, MemoryRef, NewEvent},
    undo,
};
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

/// Erases what only one conversation taught: facts that no message elsewhere supports, and its episodes. Call it before the
/// conversation is deleted, with which it cannot be undone. What the person entered by hand stays.
pub fn erase_learned_from(
    tx: &Transaction<'_>,
    conversation: ConversationId,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let long_ago = now - TimeDelta::seconds(i64::from(UNDO_SECONDS));
    for change in learned_from(tx, conversation, long_ago)? {
        if let Some(fact) = change.fact {
            undo::restore_what_it_replaced(tx, fact)?;
        }
    }
    purge_due(tx, now).map(drop)
}

/// Forgets what only one conversation taught.
fn learned_from(
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

/// Whether anything was forgotten that is not purged yet.
pub fn is_owed(conn: &Connection) -> Result<bool, StoreError> {
    let owed = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM facts WHERE forgotten_at IS NOT NULL)
         OR EXISTS (SELECT 1 FROM episodes WHERE forgotten_at IS NOT NULL)
         OR EXISTS (SELECT 1 FROM procedures WHERE forgotten_at IS NOT NULL) AS owed",
        [],
        |row| row.get("owed"),
    )?;
    Ok(owed)
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
            if kind == "fact" {
                erase_notes_of(tx, id)?;
            }
            erase(tx, table, kind, id)?;
            gone += 1;
        }
    }
    Ok(gone)
}

/// Deletes one fact now, with every trace of it.
pub(in crate::memory) fn erase_fact(tx: &Transaction<'_>, id: FactId) -> Result<(), StoreError> {
    erase(tx, "facts", "fact", id.0)
}

/// Deletes one procedure now, with every trace of it.
pub(in crate::memory) fn erase_procedure(tx: &Transaction<'_>, id: ProcedureId) -> Result<(), StoreError> {
    erase(tx, "procedures", "procedure", id.0)
}

/// The notes of the messages that taught a fact hold its words: they go with it, and the summaries made of them.
fn erase_notes_of(tx: &Transaction<'_>, fact: i64) -> Result<(), StoreError> {
    let notes: Vec<i64> = tx
        .prepare_cached(
            "SELECT e.id AS id FROM fact_sources s JOIN messages m ON m.id = s.message_id JOIN episodes e
             ON e.source_message_id = m.id OR (e.kind = 'summary' AND e.conversation_id = m.conversation_id)
             WHERE s.fact_id = ?1",
        )?
        .query_map([fact], |row| row.get("id"))?
        .collect::<Result<_, _>>()?;
    tx.prepare_cached(
        "UPDATE conversations SET summed_up_at = NULL WHERE id IN
         (SELECT m.conversation_id FROM fact_sources s JOIN messages m ON m.id = s.message_id WHERE s.fact_id = ?1)",
    )?
    .execute([fact])?;
    notes.into_iter().try_for_each(|note| erase(tx, "episodes", "episode", note))
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

/// Deletes all memory: facts, episodes, procedures and the log of changes. Conversations stay; recall passes them by.
pub fn wipe(tx: &Transaction<'_>) -> Result<(), StoreError> {
    tx.execute_batch(
        "DELETE FROM review;
         DELETE FROM fact_sources;
         DELETE FROM facts;
         DELETE FROM episodes;
         DELETE FROM procedures;
         DELETE FROM memory_events;
         DELETE FROM turn_memories;
         UPDATE turns SET prompt_block = NULL;
         UPDATE messages SET recall = 0;
         INSERT INTO facts_trigram (facts_trigram) VALUES ('rebuild');
         INSERT INTO episodes_trigram (episodes_trigram) VALUES ('rebuild');
         INSERT INTO passages_fts (passages_fts) VALUES ('rebuild');",
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::Memory;

    /// Every text in every table and index of memory, as one. Messages are the person's own affair.
    fn everything(conn: &Connection) -> String {
        let mut all = String::new();
        let tables: Vec<String> = conn
            .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        for table in tables.iter().filter(|table| !table.starts_with("messages")) {
            let mut statement = conn.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
            let columns = statement.column_count();
            let mut rows = statement.query([]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                for column in 0..columns {
                    match row.get_ref(column).unwrap() {
                        rusqlite::types::ValueRef::Text(text) | rusqlite::types::ValueRef::Blob(text) => {
                            all.push_str(&String::from_utf8_lossy(text));
                        }
                        _ => {}
                    }
                }
            }
        }
        all
    }

    #[test]
    fn after_the_purge_nothing_of_memory_holds_the_text() {
        let mut memory = Memory::new();
        memory.say("My passphrase is zebrafink.", &[["user", "passphrase", "zebrafink"]]);
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let (id, now) = (memory.facts()[0].id, memory.utc());
        memory.write(|tx| {
            tx.execute_batch(
                "UPDATE messages SET recall = 0;
                 INSERT INTO turns (id, conversation_id, message_id, started_at, outcome, spec_version, prompt_block)
                 VALUES (1, 1, 1, 1, 'completed', 1, 'You know: zebrafink'), (2, 1, 1, 1, 'completed', 1, 'other');
                 INSERT INTO turn_memories VALUES (1, 0, 'fact', 1, 'Your passphrase is zebrafink');",
            )
            .unwrap();
            facts(tx, &[id], None, now).unwrap()
        });
        assert!(everything(&memory.conn).contains("zebrafink"));
        assert_eq!(memory.write(|tx| purge_due(tx, now).unwrap()), 0);
        let due = now + TimeDelta::seconds(10);
        assert_eq!(memory.write(|tx| purge_due(tx, due).unwrap()), 1);
        let left = everything(&memory.conn);
        assert!(!left.contains("zebrafink") && !left.contains("ebrafi") && left.contains("Porto"));
        let blocks: Vec<Option<String>> = memory
            .conn
            .prepare("SELECT prompt_block FROM turns ORDER BY id")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(blocks, [None, Some("other".to_owned())]);
        for index in ["passages_fts", "facts_trigram"] {
            memory.conn.execute(&format!("INSERT INTO {index} ({index}) VALUES ('integrity-check')"), []).unwrap();
        }
    }

    #[test]
    fn a_forgotten_fact_takes_its_history_along() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
        let (id, now) = (memory.facts()[0].id, memory.utc());
        memory.write(|tx| facts(tx, &[id, id], None, now).unwrap());
        memory.write(|tx| purge_due(tx, now + TimeDelta::minutes(1)).unwrap());
        let left: i64 = memory.conn.query_row("SELECT count(*) FROM facts", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0);
    }

    #[test]
    fn a_deleted_conversation_takes_what_only_it_taught() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let second = memory.new_conversation();
        memory.say("Porto is my home; I drink tea", &[["user", "lives in", "Porto"], ["user", "drinks", "tea"]]);
        let now = memory.utc();
        let changes = memory.write(|tx| {
            let changes = learned_from(tx, second, now).unwrap();
            crate::memory::conversation::delete(tx, second).unwrap();
            changes
        });
        assert_eq!(changes.iter().map(|change| change.sentence.as_str()).collect::<Vec<_>>(), ["You drink tea"]);
        assert_eq!(memory.known(), ["You live in Porto"]);
    }

    #[test]
    fn a_wipe_leaves_no_memory() {
        let mut memory = Memory::new();
        memory.say("My passphrase is zebrafink.", &[["user", "passphrase", "zebrafink"]]);
        memory.write(|tx| wipe(tx).unwrap());
        assert!(!everything(&memory.conn).contains("zebrafink"));
        assert_eq!(memory.known(), Vec::<String>::new());
    }
}
