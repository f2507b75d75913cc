//! The imports that were made, and taking one back whole. What the person confirmed, changed or went on with since is theirs
//! by now, and stays.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params, params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::import::Format;
use super::take_in::Tally;
use crate::memory::conversation;
use crate::memory::forgetting::erase;
use crate::memory::history::undo;
use crate::memory::index;
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, FactId, ImportId, MessageId, ProcedureId};
use crate::store::time::Millis;

/// How many imports are shown, the newest ones.
const SHOWN: u32 = 100;

/// An import that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ImportView {
    /// Which one; to take it back.
    pub id: ImportId,
    /// When.
    pub at: DateTime<Utc>,
    /// What it was, for people: "ChatGPT export".
    pub format: String,
    /// Conversations that it brought, or made longer.
    pub conversations: u32,
    /// Messages in them.
    pub messages: u32,
    /// Memories that it brought.
    pub added: u32,
    /// Candidates for Review that it brought.
    pub review: u32,
    /// It was taken back.
    pub undone: bool,
}

/// What came of taking an import back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ImportUndone {
    /// Conversations that are gone.
    pub conversations: u32,
    /// Messages that are gone, those of these conversations too.
    pub messages: u32,
    /// Facts, episodes and procedures that are gone.
    pub memories: u32,
    /// Candidates that wait no longer.
    pub review: u32,
    /// Conversations and memories that stay: the person went on with them, or confirmed or changed them since.
    pub kept: u32,
}

/// The tables that an import writes to; what it wrote there stands in a row.
const TABLES: &[&str] = &["conversations", "messages", "facts", "episodes", "procedures", "review", "memory_events"];

/// The last rows before an import.
pub(super) struct Before(Vec<i64>);

impl Before {
    pub fn now(conn: &Connection) -> Result<Self, StoreError> {
        TABLES.iter().map(|table| last(conn, table)).collect::<Result<_, _>>().map(Self)
    }
}

fn last(conn: &Connection, table: &str) -> Result<i64, StoreError> {
    Ok(conn.query_row(&format!("SELECT coalesce(max(id), 0) AS last FROM {table}"), [], |row| row.get("last"))?)
}

/// Notes what an import wrote; `None` where that is nothing.
pub(super) fn record(
    tx: &Transaction<'_>,
    before: &Before,
    format: Format,
    tally: &Tally,
    now: DateTime<Utc>,
) -> Result<Option<ImportId>, StoreError> {
    let mut wrote = Vec::new();
    for (table, before) in TABLES.iter().zip(&before.0) {
        let last = last(tx, table)?;
        wrote.extend((last > *before).then_some((table, before + 1, last)));
    }
    if wrote.is_empty() {
        return Ok(None);
    }
    let id = tx
        .prepare_cached(
            "INSERT INTO imports (at, format, conversations, messages, added, review) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .insert(params![Millis(now), format.word(), tally.conversations, tally.messages, tally.added, tally.review])?;
    for (table, first, last) in wrote {
        tx.prepare_cached("INSERT INTO import_rows (import_id, kind, first_id, last_id) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![id, table, first, last])?;
    }
    Ok(Some(ImportId(id)))
}

/// The imports, the newest first.
pub fn list(conn: &Connection) -> Result<Vec<ImportView>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, at, format, conversations, messages, added, review, undone_at FROM imports ORDER BY id DESC LIMIT ?1",
    )?;
    let imports = statement.query_map([SHOWN], view)?.collect::<Result<_, _>>()?;
    Ok(imports)
}

fn view(row: &Row<'_>) -> rusqlite::Result<ImportView> {
    let format: String = row.get("format")?;
    Ok(ImportView {
        id: row.get("id")?,
        at: row.get::<_, Millis>("at")?.0,
        format: Format::of_word(&format).title().to_owned(),
        conversations: row.get("conversations")?,
        messages: row.get("messages")?,
        added: row.get("added")?,
        review: row.get("review")?,
        undone: row.get::<_, Option<Millis>>("undone_at")?.is_some(),
    })
}

/// Takes an import back. Doing it twice is harmless. Errors: [`StoreError::Missing`].
pub fn take_back(tx: &Transaction<'_>, id: ImportId, now: DateTime<Utc>) -> Result<ImportUndone, StoreError> {
    let (at, undone): (Millis, Option<Millis>) = tx
        .prepare_cached("SELECT at, undone_at FROM imports WHERE id = ?1")?
        .query_row([id], |row| Ok((row.get("at")?, row.get("undone_at")?)))
        .optional()?
        .ok_or(StoreError::Missing("import"))?;
    if undone.is_some() {
        return Ok(ImportUndone::default());
    }
    let import = Import { tx, id, at, undone: ImportUndone::default() };
    let rows = import.span("messages")?.len() + import.span("facts")?.len() + import.span("episodes")?.len();
    let undone = index::deleting(tx, index::OF_ALL, rows, || import.take_back())?;
    tx.prepare_cached("UPDATE imports SET undone_at = ?2 WHERE id = ?1")?.execute(params![id, Millis(now)])?;
    Ok(undone)
}

/// The rows of one table.
#[derive(Debug, Clone, Copy)]
struct Span {
    first: i64,
    last: i64,
}

impl Span {
    fn len(self) -> usize {
        usize::try_from(self.last - self.first + 1).unwrap_or_default()
    }
}

/// An import on its way back.
struct Import<'a> {
    tx: &'a Transaction<'a>,
    id: ImportId,
    at: Millis,
    undone: ImportUndone,
}

impl Import<'_> {
    fn take_back(mut self) -> Result<ImportUndone, StoreError> {
        // Facts before the messages that show whether they were confirmed elsewhere.
        self.facts()?;
        self.review()?;
        self.conversations()?;
        self.longer_conversations()?;
        self.episodes()?;
        self.procedures()?;
        self.events()?;
        Ok(self.undone)
    }

    /// What it wrote to a table; nothing where `last` is below `first`.
    fn span(&self, table: &str) -> Result<Span, StoreError> {
        let span = self
            .tx
            .prepare_cached("SELECT first_id, last_id FROM import_rows WHERE import_id = ?1 AND kind = ?2")?
            .query_row(params![self.id, table], |row| {
                Ok(Span { first: row.get("first_id")?, last: row.get("last_id")? })
            })
            .optional()?;
        Ok(span.unwrap_or(Span { first: 0, last: -1 }))
    }

    fn ids(&self, sql: &str, span: Span) -> Result<Vec<i64>, StoreError> {
        erase::ids(self.tx, sql, named_params! { ":first": span.first, ":last": span.last })
    }

    /// Facts that nothing happened to since, and that no message from elsewhere supports.
    fn facts(&mut self) -> Result<(), StoreError> {
        let (facts, events, messages) = (self.span("facts")?, self.span("memory_events")?, self.span("messages")?);
        let mut is_theirs = self.tx.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM memory_events WHERE id > :events AND undone_at IS NULL AND kind <> 'forgotten'
                            AND (target_kind = 'fact' AND target_id = :fact OR other_id = :fact))
                 OR EXISTS (SELECT 1 FROM fact_sources WHERE fact_id = :fact AND message_id NOT BETWEEN :first AND :last)",
        )?;
        // The newest first: what one had replaced goes after it.
        for id in self.ids(
            "SELECT id FROM facts WHERE id BETWEEN :first AND :last AND forgotten_at IS NULL ORDER BY id DESC",
            facts,
        )? {
            let last_event = if events.len() > 0 { events.last } else { self.last_event_before()? };
            let params = named_params! {
                ":events": last_event, ":fact": id, ":first": messages.first, ":last": messages.last,
            };
            if is_theirs.query_row(params, |row| row.get(0))? {
                self.undone.kept += 1;
            } else {
                undo::restore_what_it_replaced(self.tx, FactId(id))?;
                erase::fact(self.tx, FactId(id))?;
                self.undone.memories += 1;
            }
        }
        Ok(())
    }

    /// Where it wrote no event: the last one of its time.
    fn last_event_before(&self) -> Result<i64, StoreError> {
        let mut statement =
            self.tx.prepare_cached("SELECT coalesce(max(id), 0) AS last FROM memory_events WHERE at <= ?1")?;
        Ok(statement.query_row([self.at], |row| row.get("last"))?)
    }

    /// Candidates that nobody decided on.
    fn review(&mut self) -> Result<(), StoreError> {
        let span = self.span("review")?;
        let gone = self
            .tx
            .prepare_cached("DELETE FROM review WHERE id BETWEEN ?1 AND ?2 AND state = 'waiting'")?
            .execute(params![span.first, span.last])?;
        self.undone.review = gone as u32;
        Ok(())
    }

    /// Conversations that nobody went on with. That they were imported is forgotten too, so that they can be again.
    fn conversations(&mut self) -> Result<(), StoreError> {
        let messages = self.span("messages")?;
        let conversations = self.ids(
            "SELECT id FROM conversations WHERE id BETWEEN :first AND :last ORDER BY id",
            self.span("conversations")?,
        )?;
        let mut goes_on =
            self.tx.prepare_cached("SELECT EXISTS (SELECT 1 FROM messages WHERE conversation_id = ?1 AND id > ?2)")?;
        let mut count = self.tx.prepare_cached("SELECT count(*) FROM messages WHERE conversation_id = ?1")?;
        for id in conversations {
            if goes_on.query_row([id, messages.last], |row| row.get(0))? {
                self.undone.kept += 1;
                continue;
            }
            self.undone.messages += count.query_row([id], |row| row.get::<_, u32>(0))?;
            self.undone.conversations += 1;
            self.tx.prepare_cached("DELETE FROM imported WHERE conversation_id = ?1")?.execute([id])?;
            for episode in erase::ids(self.tx, "SELECT id FROM episodes WHERE conversation_id = ?1", [id])? {
                erase::episode(self.tx, episode)?;
                self.undone.memories += 1;
            }
            conversation::delete_rows(self.tx, ConversationId(id))?;
        }
        Ok(())
    }

    /// Messages at the end of conversations that an earlier import had brought.
    fn longer_conversations(&mut self) -> Result<(), StoreError> {
        let (messages, conversations) = (self.span("messages")?, self.span("conversations")?);
        let longer: Vec<(MessageId, ConversationId)> = self
            .tx
            .prepare_cached(
                "SELECT m.id, m.conversation_id FROM messages m WHERE m.id BETWEEN :first AND :last
                     AND m.conversation_id NOT BETWEEN :first_conversation AND :last_conversation
                     AND NOT EXISTS (SELECT 1 FROM messages l WHERE l.conversation_id = m.conversation_id AND l.id > :last)
                 ORDER BY m.id DESC",
            )?
            .query_map(
                named_params! {
                    ":first": messages.first, ":last": messages.last, ":first_conversation": conversations.first,
                    ":last_conversation": conversations.last,
                },
                |row| Ok((row.get("id")?, row.get("conversation_id")?)),
            )?
            .collect::<Result<_, _>>()?;
        for (message, conversation) in longer {
            self.tx.prepare_cached("DELETE FROM messages WHERE id = ?1")?.execute([message])?;
            self.tx
                .prepare_cached("UPDATE imported SET messages = max(messages - 1, 0) WHERE conversation_id = ?1")?
                .execute([conversation])?;
            self.undone.messages += 1;
        }
        Ok(())
    }

    /// Episodes of what is gone, and of no conversation.
    fn episodes(&mut self) -> Result<(), StoreError> {
        let all = self.ids(
            "SELECT id FROM episodes WHERE id BETWEEN :first AND :last AND conversation_id IS NULL AND forgotten_at IS NULL",
            self.span("episodes")?,
        )?;
        for id in all.into_iter().map(EpisodeId) {
            erase::episode(self.tx, id.0)?;
            self.undone.memories += 1;
        }
        Ok(())
    }

    /// Procedures that were not tried since.
    fn procedures(&mut self) -> Result<(), StoreError> {
        let span = self.span("procedures")?;
        let mut tried = self.tx.prepare_cached("SELECT last_used_at > ?2 FROM procedures WHERE id = ?1")?;
        for id in self.ids("SELECT id FROM procedures WHERE id BETWEEN :first AND :last", span)? {
            if tried.query_row(params![id, self.at], |row| row.get(0))? {
                self.undone.kept += 1;
            } else {
                erase::procedure(self.tx, ProcedureId(id))?;
                self.undone.memories += 1;
            }
        }
        Ok(())
    }

    /// What the log tells of memories that were never here now.
    fn events(&mut self) -> Result<(), StoreError> {
        let span = self.span("memory_events")?;
        self.tx
            .prepare_cached(
                "DELETE FROM memory_events WHERE id BETWEEN ?1 AND ?2 AND CASE target_kind
                     WHEN 'fact' THEN NOT EXISTS (SELECT 1 FROM facts WHERE id = target_id)
                     WHEN 'episode' THEN NOT EXISTS (SELECT 1 FROM episodes WHERE id = target_id)
                     WHEN 'procedure' THEN NOT EXISTS (SELECT 1 FROM procedures WHERE id = target_id) ELSE 0 END",
            )?
            .execute(params![span.first, span.last])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
