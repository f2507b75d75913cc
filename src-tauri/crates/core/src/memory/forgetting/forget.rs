//! Forgetting: hidden at once, with what tells it too; an undo brings all of it back until the purge.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, Transaction, named_params};

use super::scope::Scope;
use super::target::{ForgetMessages, ForgetTarget};
use super::{along, purge};
use crate::memory::fact;
use crate::memory::history::change::{self, Before, ChangeKind, MemoryChange, MemoryRef, NewEvent, Target};
use crate::memory::index;
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, FactId, MessageId, ProcedureId};
use crate::store::time::Millis;

/// How long a forget can be undone.
pub(super) const UNDO_SECONDS: u32 = 10;

/// How long a forget can be undone.
pub fn undo_window() -> Duration {
    Duration::from_secs(u64::from(UNDO_SECONDS))
}

/// Hides what the person wants forgotten. What does not exist (any more) is passed by.
///
/// `asked_in` is the person's message that asked for it, where one did: recall passes it by as well, for it says what.
pub fn forget(
    tx: &Transaction<'_>,
    target: &ForgetTarget,
    messages: ForgetMessages,
    asked_in: Option<MessageId>,
    now: DateTime<Utc>,
) -> Result<Vec<MemoryChange>, StoreError> {
    let scope = Scope::of(tx, target)?;
    index::deleting(tx, &["passages_fts"], scope.size(), || hide_all(tx, &scope, messages, asked_in, now))
}

fn hide_all(
    tx: &Transaction<'_>,
    scope: &Scope,
    messages: ForgetMessages,
    asked_in: Option<MessageId>,
    now: DateTime<Utc>,
) -> Result<Vec<MemoryChange>, StoreError> {
    let mut along = hide_along(tx, scope, messages, now)?;
    if let Some(message) = asked_in.filter(|_| !scope.facts.is_empty()) {
        along.marked.extend(pass_by(tx, message)?.then_some(message));
    }
    let mut changes = Vec::new();
    for id in &scope.facts {
        let older = replaced_by(tx, *id)?.into_iter().filter(|old| scope.older.contains(old));
        let before = Before { with: older.collect(), ..std::mem::take(&mut along) };
        if !hide(tx, "facts", id.0, now)? {
            along = before;
            continue;
        }
        for old in &before.with {
            hide(tx, "facts", old.0, now)?;
        }
        let quote = fact::quote_of(tx, *id)?;
        changes.push(record(tx, MemoryRef::Fact(*id), before, &quote, asked_in, now)?);
    }
    for id in &scope.episodes {
        if hide(tx, "episodes", id.0, now)? {
            let text: String = tx.query_row("SELECT text FROM episodes WHERE id = ?1", [id], |row| row.get("text"))?;
            changes.push(record(tx, MemoryRef::Episode(*id), std::mem::take(&mut along), &text, asked_in, now)?);
        }
    }
    for id in &scope.procedures {
        if hide(tx, "procedures", id.0, now)? {
            let text: String =
                tx.query_row("SELECT strategy FROM procedures WHERE id = ?1", [id], |row| row.get("strategy"))?;
            changes.push(record(tx, MemoryRef::Procedure(*id), std::mem::take(&mut along), &text, asked_in, now)?);
        }
    }
    if changes.is_empty() && along != Before::default() {
        changes.extend(record_without_memory(tx, scope, along, asked_in, now)?);
    }
    Ok(changes)
}

/// Where nothing was learned, the messages themselves are what is forgotten; without any, the titles and what waits.
fn record_without_memory(
    tx: &Transaction<'_>,
    scope: &Scope,
    along: Before,
    asked_in: Option<MessageId>,
    now: DateTime<Utc>,
) -> Result<Option<MemoryChange>, StoreError> {
    let counted = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    if let Some(first) = scope.messages.first() {
        let sentence = counted(scope.messages.len(), "message", "messages");
        return record(tx, MemoryRef::Message(*first), along, &sentence, asked_in, now).map(Some);
    }
    if let Some(first) = scope.derived.first() {
        let sentence = counted(scope.derived.len(), "note", "notes");
        return record(tx, MemoryRef::Episode(*first), along, &sentence, asked_in, now).map(Some);
    }
    let sentence = counted(along.along.len(), "text that tells it", "texts that tell it");
    let target = scope.along.review.first().map_or(Target::Beside, |first| Target::Review(*first));
    record(tx, target, along, &sentence, asked_in, now).map(Some)
}

/// Forgets facts, with what they had replaced; the messages that they came from stay, and recall passes them by.
pub fn facts(
    tx: &Transaction<'_>,
    ids: &[FactId],
    asked_in: Option<MessageId>,
    now: DateTime<Utc>,
) -> Result<Vec<MemoryChange>, StoreError> {
    forget(tx, &ForgetTarget::Facts { ids: ids.to_vec() }, ForgetMessages::Keep, asked_in, now)
}

/// Forgets episodes.
pub fn episodes(tx: &Transaction<'_>, ids: &[EpisodeId], now: DateTime<Utc>) -> Result<Vec<MemoryChange>, StoreError> {
    forget(tx, &ForgetTarget::Episodes { ids: ids.to_vec() }, ForgetMessages::Keep, None, now)
}

/// Forgets procedures.
pub fn procedures(
    tx: &Transaction<'_>,
    ids: &[ProcedureId],
    now: DateTime<Utc>,
) -> Result<Vec<MemoryChange>, StoreError> {
    forget(tx, &ForgetTarget::Procedures { ids: ids.to_vec() }, ForgetMessages::Keep, None, now)
}

/// Erases what only one conversation taught: facts that no message elsewhere supports, and its episodes. Call it before the
/// conversation is deleted, with which it cannot be undone. What the person entered by hand stays.
pub fn erase_learned_from(
    tx: &Transaction<'_>,
    conversation: ConversationId,
    now: DateTime<Utc>,
) -> Result<purge::Purged, StoreError> {
    let long_ago = now - TimeDelta::seconds(i64::from(UNDO_SECONDS));
    forget(tx, &ForgetTarget::Conversation { id: conversation }, ForgetMessages::Forget, None, long_ago)?;
    purge::due(tx, now)
}

/// Takes a forget back.
pub(in crate::memory) fn bring_back(tx: &Transaction<'_>, target: Target, before: &Before) -> Result<(), StoreError> {
    for old in &before.with {
        unhide(tx, "facts", old.0)?;
    }
    for note in &before.episodes {
        unhide(tx, "episodes", note.0)?;
    }
    for message in &before.messages {
        unhide(tx, "messages", message.0)?;
    }
    for message in &before.marked {
        tx.prepare_cached("UPDATE messages SET recall = 1 WHERE id = ?1")?.execute([message])?;
    }
    along::bring_back(tx, &before.along)?;
    match target {
        Target::Memory(MemoryRef::Fact(id)) => unhide(tx, "facts", id.0),
        Target::Memory(MemoryRef::Episode(id)) => unhide(tx, "episodes", id.0),
        Target::Memory(MemoryRef::Procedure(id)) => unhide(tx, "procedures", id.0),
        // They are among those above.
        Target::Memory(MemoryRef::Message(_)) | Target::Review(_) | Target::Beside => Ok(()),
    }
}

/// Hides what tells it too, and hides or marks the messages. What an undo needs of it.
fn hide_along(
    tx: &Transaction<'_>,
    scope: &Scope,
    messages: ForgetMessages,
    now: DateTime<Utc>,
) -> Result<Before, StoreError> {
    let with_messages = messages == ForgetMessages::Forget || scope.messages.is_empty();
    // First of all: what waits in Review goes with its message otherwise, and no undo has it back.
    let mut along = Before { along: along::hide(tx, &scope.along, with_messages, now)?, ..Before::default() };
    for id in &scope.derived {
        along.episodes.extend(hide(tx, "episodes", id.0, now)?.then_some(*id));
    }
    for id in &scope.messages {
        along.marked.extend(pass_by(tx, *id)?.then_some(*id));
        if messages == ForgetMessages::Forget {
            along.messages.extend(hide(tx, "messages", id.0, now)?.then_some(*id));
        }
    }
    Ok(along)
}

fn record(
    tx: &Transaction<'_>,
    target: impl Into<Target>,
    before: Before,
    sentence: &str,
    message: Option<MessageId>,
    now: DateTime<Utc>,
) -> Result<MemoryChange, StoreError> {
    let event = NewEvent {
        kind: ChangeKind::Forgotten,
        target: target.into(),
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

fn unhide(tx: &Transaction<'_>, table: &str, id: i64) -> Result<(), StoreError> {
    tx.prepare_cached(&format!("UPDATE {table} SET forgotten_at = NULL WHERE id = ?1"))?.execute([id])?;
    Ok(())
}

/// Lets recall and reflection pass a message by; false where they do already.
pub fn pass_by(tx: &Transaction<'_>, id: MessageId) -> Result<bool, StoreError> {
    Ok(tx.prepare_cached("UPDATE messages SET recall = 0 WHERE id = ?1 AND recall = 1")?.execute([id])? > 0)
}

/// All that a fact replaced, directly or not.
pub(super) fn replaced_by(conn: &Connection, id: FactId) -> Result<Vec<FactId>, StoreError> {
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

/// Whether anything was forgotten that is not purged yet.
pub fn is_owed(conn: &Connection) -> Result<bool, StoreError> {
    let owed = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM facts WHERE forgotten_at IS NOT NULL)
         OR EXISTS (SELECT 1 FROM episodes WHERE forgotten_at IS NOT NULL)
         OR EXISTS (SELECT 1 FROM procedures WHERE forgotten_at IS NOT NULL)
         OR EXISTS (SELECT 1 FROM messages WHERE forgotten_at IS NOT NULL)
         OR EXISTS (SELECT 1 FROM hidden) AS owed",
        [],
        |row| row.get("owed"),
    )?;
    Ok(owed)
}
