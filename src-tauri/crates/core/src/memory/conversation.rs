//! Episodic memory, the raw part: conversations here, their messages whole, in `message`, what was typed and not sent in `draft`.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::index::{self, OwnerKind};
use crate::memory::recall::query::{Filter, Table};
use crate::store::StoreError;
use crate::store::id::ConversationId;
use crate::store::time::Millis;
use crate::text;
use message::IS_THERE;

mod draft;
mod message;

pub use draft::{draft, save_draft};
pub(in crate::memory) use message::told;
pub use message::{
    Message, MessageState, NewMessage, Role, Usage, add_message, add_messages, count_before, edited, finish_message,
    may_teach, message, messages, messages_before, recover_streaming, remove_answer, replace_from, said_at,
    said_before, set_model, set_streaming_text, set_zone, streaming, versions,
};

/// A conversation as the list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Conversation {
    /// Which one.
    pub id: ConversationId,
    /// What the person called it, else the beginning of their first message. Never empty.
    pub title: String,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When its last message came.
    pub updated_at: DateTime<Utc>,
    /// For a search: the text around the first hit, else nothing.
    pub snippet: Option<String>,
}

/// How long a title gets that Atlas takes from a message, in characters.
const TITLE_CHARS: usize = 60;

/// How many messages a search looks at, the newest ones.
const HITS: u32 = 2_000;
/// How much of a message a search shows, in characters.
const SNIPPET_CHARS: usize = 90;

/// The columns of a conversation; `first_text` is what its title is taken from while it has none.
const CONVERSATION: &str = "SELECT id, created_at, updated_at,
    (SELECT title FROM given_titles WHERE id = conversations.id) AS title,
    (SELECT text FROM messages WHERE conversation_id = conversations.id AND role = 'user' AND replaced_by IS NULL AND state <> 'forgotten' AND forgotten_at IS NULL
     ORDER BY id LIMIT 1) AS first_text
    FROM conversations";

fn conversation_row(row: &Row<'_>) -> rusqlite::Result<Conversation> {
    let (title, first_text): (Option<String>, Option<String>) = (row.get("title")?, row.get("first_text")?);
    Ok(Conversation {
        id: row.get("id")?,
        title: title.unwrap_or_else(|| title_of(first_text.as_deref().unwrap_or_default())),
        created_at: row.get::<_, Millis>("created_at")?.0,
        updated_at: row.get::<_, Millis>("updated_at")?.0,
        snippet: None,
    })
}

/// The beginning of a text as a title: its first line that says something, cut between words where it can be.
pub(in crate::memory) fn title_of(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("…");
    if line.chars().count() <= TITLE_CHARS {
        return line.to_owned();
    }
    let cut: String = line.chars().take(TITLE_CHARS).collect();
    let end = cut.rfind(char::is_whitespace).filter(|at| *at > cut.len() / 2).unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

/// Begins a conversation.
pub fn begin(tx: &Transaction<'_>, now: DateTime<Utc>) -> Result<ConversationId, StoreError> {
    tx.execute("INSERT INTO conversations (id, created_at, updated_at) VALUES (new_id(), ?1, ?1)", [Millis(now)])?;
    Ok(ConversationId(tx.last_insert_rowid()))
}

/// All conversations, the one with the newest message first.
pub fn list(conn: &Connection) -> Result<Vec<Conversation>, StoreError> {
    let mut statement = conn.prepare_cached(&format!("{CONVERSATION} ORDER BY updated_at DESC, id DESC"))?;
    let rows = statement.query_map([], conversation_row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// The conversations that hold all the words somebody looks for, in their title or in one message, newest first, with the
/// text around the words.
pub fn search(conn: &Connection, words: &str) -> Result<Vec<Conversation>, StoreError> {
    let Some(filter) = Filter::new(words, Table { name: "messages", column: "text", kind: OwnerKind::Message }) else {
        return list(conn);
    };
    let sql = format!(
        "SELECT conversation_id, text FROM messages WHERE {} AND {IS_THERE} ORDER BY id DESC LIMIT {HITS}",
        filter.condition
    );
    let mut statement = conn.prepare(&sql)?;
    let params: Vec<(&str, &dyn ToSql)> =
        filter.params.iter().map(|(name, value)| (name.as_str(), value as &dyn ToSql)).collect();
    let mut hits: HashMap<ConversationId, String> = HashMap::new();
    for hit in statement.query_map(params.as_slice(), |row| Ok((row.get("conversation_id")?, row.get("text")?)))? {
        let (id, text): (ConversationId, String) = hit?;
        hits.entry(id).or_insert_with(|| snippet(&text, words));
    }
    let title_has_words = |title: &str| {
        let title = text::fold(title);
        words.split_whitespace().all(|word| title.contains(&text::fold(word)))
    };
    let found = list(conn)?.into_iter().filter_map(|conversation| match hits.remove(&conversation.id) {
        Some(snippet) => Some(Conversation { snippet: Some(snippet), ..conversation }),
        None => title_has_words(&conversation.title).then_some(conversation),
    });
    Ok(found.collect())
}

/// About this many characters around the first of the words, on one line.
fn snippet(said: &str, words: &str) -> String {
    let line: Vec<char> = said.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    let folded: Vec<String> = line.iter().map(|c| text::fold(&c.to_string())).collect();
    let at = words
        .split_whitespace()
        .filter_map(|word| {
            let word = text::fold(word);
            let length = word.chars().count();
            (0..line.len()).find(|at| folded[*at..line.len().min(at + length)].concat() == word)
        })
        .min()
        .unwrap_or(0);
    let start = at.saturating_sub(SNIPPET_CHARS / 3);
    let end = line.len().min(start + SNIPPET_CHARS);
    let around = |cut: bool| if cut { "…" } else { "" };
    format!("{}{}{}", around(start > 0), String::from_iter(&line[start..end]), around(end < line.len()))
}

/// One conversation. Errors: [`StoreError::Missing`].
pub fn get(conn: &Connection, id: ConversationId) -> Result<Conversation, StoreError> {
    conn.prepare_cached(&format!("{CONVERSATION} WHERE id = ?1"))?
        .query_row([id], conversation_row)
        .optional()?
        .ok_or(StoreError::Missing("conversation"))
}

/// Whether memory may repeat the title: not where it is taken from a message that recall passes by.
pub fn title_may_be_told(conn: &Connection, id: ConversationId) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT coalesce((SELECT title FROM given_titles WHERE id = ?1) IS NOT NULL
             OR (SELECT recall FROM messages WHERE conversation_id = ?1 AND role = 'user' AND state <> 'forgotten'
                     AND forgotten_at IS NULL ORDER BY id LIMIT 1), 1) AS may",
    )?;
    Ok(statement.query_row([id], |row| row.get("may"))?)
}

/// Gives a conversation a title; an empty one gives the title back to its first message.
pub fn rename(tx: &Transaction<'_>, id: ConversationId, title: &str) -> Result<(), StoreError> {
    let title = Some(title.trim()).filter(|title| !title.is_empty());
    tx.execute("DELETE FROM hidden WHERE kind = 'title' AND target_id = ?1", [id])?;
    match tx.execute("UPDATE conversations SET title = ?2 WHERE id = ?1", params![id, title])? {
        0 => Err(StoreError::Missing("conversation")),
        _ => Ok(()),
    }
}

/// Deletes a conversation with its messages, turns and draft. What it taught is the caller's to decide, before.
pub fn delete(tx: &Transaction<'_>, id: ConversationId) -> Result<(), StoreError> {
    let messages: u32 =
        tx.query_row("SELECT count(*) AS n FROM messages WHERE conversation_id = ?1", [id], |row| row.get("n"))?;
    let is_gone = index::deleting(tx, index::OF_MESSAGES, messages as usize, || delete_rows(tx, id))?;
    if is_gone { Ok(()) } else { Err(StoreError::Missing("conversation")) }
}

/// The same for who deletes more in the same go; false where there is none.
pub(in crate::memory) fn delete_rows(tx: &Transaction<'_>, id: ConversationId) -> Result<bool, StoreError> {
    tx.prepare_cached("DELETE FROM drafts WHERE conversation_id = ?1")?.execute([id])?;
    Ok(tx.prepare_cached("DELETE FROM conversations WHERE id = ?1")?.execute([id])? > 0)
}

/// Deletes all conversations.
pub fn wipe(tx: &Transaction<'_>) -> Result<(), StoreError> {
    index::deleting(tx, index::OF_MESSAGES, usize::MAX, || {
        tx.execute_batch("DELETE FROM turns; DELETE FROM messages; DELETE FROM conversations; DELETE FROM drafts;")?;
        Ok(())
    })
}
