//! What a forget would take, told before anything is done.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::receipt::Erased;
use super::scope::Scope;
use super::target::ForgetTarget;
use crate::memory::conversation::Role;
use crate::store::StoreError;
use crate::store::id::{ConversationId, MessageId};

/// How many messages a preview shows.
const SHOWN: usize = 50;
/// How much of a message it shows, in characters.
const SNIPPET_CHARS: usize = 120;

/// What would be forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ForgetPreview {
    /// How many facts, without the older values that go with them.
    pub facts: u32,
    /// How many notes and summaries.
    pub episodes: u32,
    /// How many procedures.
    pub procedures: u32,
    /// The messages that it came from, their answers, and others that repeat it; at most 50.
    pub messages: Vec<ForgetMessage>,
    /// How many messages there are in all.
    pub message_count: u32,
    /// How many of them are not in the list.
    pub more_messages: u32,
    /// For people, one a line: what goes, without the messages.
    pub lines: Vec<String>,
    /// For people, one a line: what goes besides where the messages are to be forgotten too.
    pub with_messages: Vec<String>,
}

/// A message that a forget is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ForgetMessage {
    /// Which one.
    pub id: MessageId,
    /// Where it stands.
    pub conversation: ConversationId,
    /// Who wrote it.
    pub role: Role,
    /// Its beginning.
    pub snippet: String,
}

/// What a forget would take.
pub fn preview(conn: &Connection, target: &ForgetTarget) -> Result<ForgetPreview, StoreError> {
    let scope = Scope::of(conn, target)?;
    let mut summaries = 0;
    for id in scope.episodes.iter().chain(&scope.derived) {
        let kind: String =
            conn.prepare_cached("SELECT kind FROM episodes WHERE id = ?1")?.query_row([id], |row| row.get("kind"))?;
        summaries += usize::from(kind == "summary");
    }
    let episodes = scope.episodes.len() + scope.derived.len();
    let erased = Erased {
        facts: scope.facts.len(),
        older_values: scope.older.len(),
        notes: episodes - summaries,
        summaries,
        procedures: scope.procedures.len(),
        titles: scope.along.titles.len(),
        review: scope.along.review.len(),
        ..Erased::default()
    };
    let drafts = Erased { drafts: scope.along.drafts.len(), ..Erased::default() };
    let beside = Erased { conversations: whole_conversations(conn, &scope)?, ..drafts };
    let (lines, with_messages) = match scope.messages.is_empty() {
        true => ([erased.lines(), drafts.lines()].concat(), Vec::new()),
        false => (erased.lines(), beside.lines()),
    };
    let mut messages = Vec::new();
    for id in scope.messages.iter().take(SHOWN) {
        messages.extend(message(conn, *id)?);
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Ok(ForgetPreview {
        facts: count(scope.facts.len()),
        episodes: count(episodes),
        procedures: count(scope.procedures.len()),
        more_messages: count(scope.messages.len() - messages.len()),
        messages,
        message_count: count(scope.messages.len()),
        lines,
        with_messages,
    })
}

/// How many conversations would go whole, with the messages.
fn whole_conversations(conn: &Connection, scope: &Scope) -> Result<usize, StoreError> {
    let mut here: BTreeMap<ConversationId, i64> = BTreeMap::new();
    let mut statement = conn.prepare_cached("SELECT conversation_id FROM messages WHERE id = ?1")?;
    for message in &scope.messages {
        *here.entry(statement.query_row([message], |row| row.get("conversation_id"))?).or_default() += 1;
    }
    let mut there = conn.prepare_cached(
        "SELECT count(*) AS n FROM messages WHERE conversation_id = ?1 AND state <> 'forgotten' AND forgotten_at IS NULL",
    )?;
    let mut whole = 0;
    for (conversation, count) in here {
        whole += usize::from(there.query_row([conversation], |row| row.get::<_, i64>("n"))? == count);
    }
    Ok(whole)
}

fn message(conn: &Connection, id: MessageId) -> Result<Option<ForgetMessage>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT id, conversation_id, role, text FROM messages WHERE id = :id")?;
    let message = statement.query_row(named_params! { ":id": id }, |row| {
        let text: String = row.get("text")?;
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(ForgetMessage {
            id: row.get("id")?,
            conversation: row.get("conversation_id")?,
            role: row.get("role")?,
            snippet: line.chars().take(SNIPPET_CHARS).collect(),
        })
    });
    Ok(message.optional()?)
}
