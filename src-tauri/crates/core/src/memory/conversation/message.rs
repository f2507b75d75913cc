//! The messages of conversations, whole: how they are written while they come, and read again.

use std::collections::HashSet;

use chrono::{DateTime, FixedOffset, Utc};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::index::{self, Added, Owner, OwnerKind};
use crate::store::StoreError;
use crate::store::id::{ConversationId, MessageId, TurnId};
use crate::store::text::stored_as_word;
use crate::store::time::Millis;

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Role {
    /// The person.
    User,
    /// The model, as Atlas.
    Assistant,
}

/// How whole a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum MessageState {
    /// All of it.
    Complete,
    /// Still arriving. After a start none is left in this state.
    Streaming,
    /// The person stopped it, the stream broke, or Atlas was ended: what came is kept.
    Partial,
    /// The model's token limit cut it; it can be continued.
    CutByLimit,
    /// The person had it forgotten: that there was something stands here, what it was does not.
    Forgotten,
}

/// What an answer cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Usage {
    /// Tokens of the prompt, where the provider says.
    #[ts(type = "number | null")]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer, where the provider says.
    #[ts(type = "number | null")]
    pub completion_tokens: Option<u64>,
    /// US dollars, where the provider says. Unknown is unknown, never 0.
    pub cost: Option<f64>,
}

/// One message, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Message {
    /// Which one.
    pub id: MessageId,
    /// Where it stands.
    pub conversation: ConversationId,
    /// The turn that wrote it; for a person's message the turn that it began, if any.
    pub turn: Option<TurnId>,
    /// Who wrote it.
    pub role: Role,
    /// The text, byte for byte.
    pub text: String,
    /// When it was written.
    pub at: DateTime<Utc>,
    /// How whole it is.
    pub state: MessageState,
    /// The model that answered; none for a person's message and for answers that code gave.
    pub model: Option<String>,
    /// What it cost.
    pub usage: Usage,
}

stored_as_word!(Role, MessageState);

impl Role {
    /// The speaker as the index calls them.
    fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// The columns of a message. One that is to be purged is as empty as it will be then.
const MESSAGE: &str = "SELECT id, conversation_id, turn_id, role, iif(forgotten_at IS NULL, text, '') AS text, at,
    iif(forgotten_at IS NULL, state, 'forgotten') AS state, model, prompt_tokens, completion_tokens, cost
    FROM messages";

/// A message that has not been forgotten, nor replaced by another one.
pub(super) const IS_THERE: &str = "replaced_by IS NULL AND state <> 'forgotten' AND forgotten_at IS NULL";

fn message_row(row: &Row<'_>) -> rusqlite::Result<Message> {
    Ok(Message {
        id: row.get("id")?,
        conversation: row.get("conversation_id")?,
        turn: row.get("turn_id")?,
        role: row.get("role")?,
        text: row.get("text")?,
        at: row.get::<_, Millis>("at")?.0,
        state: row.get("state")?,
        model: row.get("model")?,
        usage: Usage {
            prompt_tokens: row.get::<_, Option<u32>>("prompt_tokens")?.map(u64::from),
            completion_tokens: row.get::<_, Option<u32>>("completion_tokens")?.map(u64::from),
            cost: row.get("cost")?,
        },
    })
}

/// When a message was written, where the person was; `here` stands for messages of which that is not known.
///
/// Errors: [`StoreError::Missing`].
pub fn said_at(conn: &Connection, id: MessageId, here: FixedOffset) -> Result<DateTime<FixedOffset>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT at, zone FROM messages WHERE id = ?1")?;
    let found =
        statement.query_row([id], |row| Ok((row.get::<_, Millis>("at")?.0, row.get::<_, Option<i32>>("zone")?)));
    let (at, zone) = found.optional()?.ok_or(StoreError::Missing("message"))?;
    let zone = zone.and_then(|minutes| FixedOffset::east_opt(minutes * 60)).unwrap_or(here);
    Ok(at.with_timezone(&zone))
}

/// Notes where the person was when they wrote a message.
pub fn set_zone(tx: &Transaction<'_>, id: MessageId, zone: FixedOffset) -> Result<(), StoreError> {
    tx.prepare_cached("UPDATE messages SET zone = ?2 WHERE id = ?1")?.execute((id, zone.local_minus_utc() / 60))?;
    Ok(())
}

/// A message that is about to be stored.
#[derive(Debug, Clone)]
pub struct NewMessage {
    /// Where.
    pub conversation: ConversationId,
    /// The turn that writes it.
    pub turn: Option<TurnId>,
    /// Who wrote it.
    pub role: Role,
    /// The text.
    pub text: String,
    /// How whole it is.
    pub state: MessageState,
    /// The model and the provider that answered.
    pub model: Option<(String, String)>,
    /// Who spoke, where it was neither the person nor Atlas: the name in an imported transcript.
    pub speaker: Option<String>,
}

/// Stores a message and moves its conversation to the front.
pub fn add_message(tx: &Transaction<'_>, new: &NewMessage, now: DateTime<Utc>) -> Result<MessageId, StoreError> {
    let id = insert(tx, new, now)?;
    move_to_front(tx, new.conversation, now)?;
    index::write(tx, passages_of(id))?;
    Ok(id)
}

/// Stores many messages at the end of one conversation, in their order, with the moments at which they were said.
pub fn add_messages(
    tx: &Transaction<'_>,
    conversation: ConversationId,
    messages: Vec<(NewMessage, DateTime<Utc>)>,
) -> Result<Vec<MessageId>, StoreError> {
    index::together(tx, messages.len(), || {
        let mut added = Vec::with_capacity(messages.len());
        let mut last = None;
        for (new, at) in messages {
            let new = NewMessage { conversation, ..new };
            let id = insert(tx, &new, at)?;
            let speaker = new.speaker.unwrap_or_else(|| new.role.word().to_owned());
            added.push((id, Added { text: new.text, at, speaker }));
            last = last.max(Some(at));
        }
        if let Some(last) = last {
            move_to_front(tx, conversation, last)?;
        }
        let ids = added.iter().map(|(id, _)| *id).collect();
        index::write_added(tx, conversation, added)?;
        Ok(ids)
    })
}

fn insert(tx: &Transaction<'_>, new: &NewMessage, at: DateTime<Utc>) -> Result<MessageId, StoreError> {
    let (model, provider) = new.model.as_ref().map(|(model, provider)| (model, provider)).unzip();
    tx.prepare_cached(
        "INSERT INTO messages (id, conversation_id, turn_id, role, text, at, state, model, provider, speaker)
         VALUES (new_id(), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        new.conversation,
        new.turn,
        new.role,
        new.text,
        Millis(at),
        new.state,
        model,
        provider,
        new.speaker
    ])?;
    Ok(MessageId(tx.last_insert_rowid()))
}

fn move_to_front(tx: &Transaction<'_>, id: ConversationId, at: DateTime<Utc>) -> Result<(), StoreError> {
    let moved = tx
        .prepare_cached("UPDATE conversations SET updated_at = ?2 WHERE id = ?1")?
        .execute(params![id, Millis(at)])?;
    if moved == 0 { Err(StoreError::Missing("conversation")) } else { Ok(()) }
}

/// What the index calls a message.
fn passages_of(id: MessageId) -> Owner {
    Owner { kind: OwnerKind::Message, id: id.0 }
}

/// A message as recall tells it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::memory) struct ToldMessage {
    pub conversation: ConversationId,
    pub role: Role,
    pub speaker: Option<String>,
    pub text: String,
    pub at: DateTime<Utc>,
}

/// A message that may be recalled. None where it was replaced, is gone, or recall passes it by.
pub(in crate::memory) fn told(conn: &Connection, id: MessageId) -> Result<Option<ToldMessage>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT conversation_id, role, speaker, text, at FROM messages
         WHERE id = ?1 AND replaced_by IS NULL AND recall = 1",
    )?;
    let told = statement.query_row(params![id], |row| {
        Ok(ToldMessage {
            conversation: row.get("conversation_id")?,
            role: row.get("role")?,
            speaker: row.get("speaker")?,
            text: row.get("text")?,
            at: row.get::<_, Millis>("at")?.0,
        })
    });
    Ok(told.optional()?)
}

/// Writes what has come of an answer so far.
pub fn set_streaming_text(tx: &Transaction<'_>, id: MessageId, text: &str) -> Result<(), StoreError> {
    tx.prepare_cached("UPDATE messages SET text = ?2 WHERE id = ?1 AND state = 'streaming'")?
        .execute(params![id, text])?;
    Ok(())
}

/// Writes the whole of an answer.
pub fn finish_message(
    tx: &Transaction<'_>,
    id: MessageId,
    text: &str,
    state: MessageState,
    usage: Usage,
) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE messages SET text = ?2, state = ?3, prompt_tokens = ?4, completion_tokens = ?5, cost = ?6 WHERE id = ?1",
    )?
    .execute(params![id, text, state, count(usage.prompt_tokens), count(usage.completion_tokens), usage.cost])?;
    index::write(tx, passages_of(id))
}

/// Says who gave an answer; nobody, where it was put together from memory.
pub fn set_model(tx: &Transaction<'_>, id: MessageId, model: Option<&(String, String)>) -> Result<(), StoreError> {
    let (model, provider) = model.map(|(model, provider)| (model.as_str(), provider.as_str())).unzip();
    tx.prepare_cached("UPDATE messages SET model = ?2, provider = ?3 WHERE id = ?1")?
        .execute(params![id, model, provider])?;
    Ok(())
}

/// Removes an answer that was withheld: nothing of it stays.
pub fn remove_answer(tx: &Transaction<'_>, id: MessageId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM messages WHERE id = ?1 AND role = 'assistant'", [id])?;
    Ok(())
}

/// A count of tokens as the database keeps it; one beyond reason is unknown.
fn count(tokens: Option<u64>) -> Option<u32> {
    u32::try_from(tokens?).ok()
}

/// One message. Errors: [`StoreError::Missing`].
pub fn message(conn: &Connection, id: MessageId) -> Result<Message, StoreError> {
    conn.prepare_cached(&format!("{MESSAGE} WHERE id = ?1"))?
        .query_row([id], message_row)
        .optional()?
        .ok_or(StoreError::Missing("message"))
}

/// The messages of a conversation, oldest first, without answers that another one replaced.
pub fn messages(conn: &Connection, id: ConversationId) -> Result<Vec<Message>, StoreError> {
    let mut statement =
        conn.prepare_cached(&format!("{MESSAGE} WHERE conversation_id = ?1 AND replaced_by IS NULL ORDER BY id"))?;
    let rows = statement.query_map([id], message_row)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// The last `limit` messages of a conversation before `until`, oldest first, without what was replaced or forgotten.
pub fn messages_before(
    conn: &Connection,
    id: ConversationId,
    until: MessageId,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "{MESSAGE} WHERE conversation_id = ?1 AND id < ?2 AND {IS_THERE} ORDER BY id DESC LIMIT ?3"
    ))?;
    let mut rows: Vec<_> = statement.query_map(params![id, until, limit], message_row)?.collect::<Result<_, _>>()?;
    rows.reverse();
    Ok(rows)
}

/// What the person said in a message's place before, oldest first, and what it says now. Errors: [`StoreError::Missing`].
pub fn versions(conn: &Connection, id: MessageId) -> Result<Vec<Message>, StoreError> {
    let mut versions = vec![message(conn, id)?];
    let mut statement = conn.prepare_cached(&format!(
        "{MESSAGE} WHERE id = (SELECT min(id) FROM messages WHERE replaced_by = ?1 AND role = 'user')"
    ))?;
    // What was edited is the first of all that gave way to the new message.
    while let Some(older) = statement.query_row([versions[0].id], message_row).optional()? {
        versions.insert(0, older);
    }
    Ok(versions)
}

/// The person's messages that took the place of others which they said before.
pub fn edited(conn: &Connection, id: ConversationId) -> Result<HashSet<MessageId>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT DISTINCT replaced_by FROM messages WHERE conversation_id = ?1 AND role = 'user' AND replaced_by IS NOT NULL",
    )?;
    let newer = statement.query_map([id], |row| row.get("replaced_by"))?.collect::<Result<_, _>>()?;
    Ok(newer)
}

/// Lets a message and all that came after it give way to a newer one. They are kept as versions.
pub fn replace_from(tx: &Transaction<'_>, old: MessageId, by: MessageId) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE messages SET replaced_by = :by WHERE id >= :old AND id < :by AND replaced_by IS NULL
         AND conversation_id = (SELECT conversation_id FROM messages WHERE id = :old)",
    )?
    .execute(rusqlite::named_params! { ":old": old, ":by": by })?;
    Ok(())
}

/// How many messages stand before `until`, without what was replaced or forgotten.
pub fn count_before(conn: &Connection, id: ConversationId, until: MessageId) -> Result<usize, StoreError> {
    let count: i64 = conn
        .prepare_cached(&format!(
            "SELECT count(*) AS n FROM messages WHERE conversation_id = ?1 AND id < ?2 AND {IS_THERE}"
        ))?
        .query_row(params![id, until], |row| row.get("n"))?;
    Ok(usize::try_from(count).unwrap_or_default())
}

/// What the person said in the last `limit` messages before `until`, oldest first: what recall passes by supports nothing.
pub fn said_before(
    conn: &Connection,
    id: ConversationId,
    until: MessageId,
    limit: u32,
) -> Result<Vec<String>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT text FROM (SELECT id, text, role, recall FROM messages WHERE conversation_id = ?1 AND id < ?2 AND {IS_THERE}
                           ORDER BY id DESC LIMIT ?3)
         WHERE role = 'user' AND recall = 1 ORDER BY id"
    ))?;
    let texts = statement.query_map(params![id, until, limit], |row| row.get("text"))?.collect::<Result<_, _>>()?;
    Ok(texts)
}

/// Whether memory may learn from a message: not where the person had something of it forgotten.
pub fn may_teach(conn: &Connection, id: MessageId) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?1 AND recall = 1 AND state <> 'forgotten' AND forgotten_at IS NULL)",
    )?;
    Ok(statement.query_row([id], |row| row.get(0))?)
}

/// The answers that were still arriving when Atlas ended, each with the person's message that it answers.
pub fn streaming(conn: &Connection) -> Result<Vec<(Message, String)>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT messages.id, (SELECT asked.text FROM messages AS asked WHERE asked.conversation_id = messages.conversation_id
             AND asked.role = 'user' AND asked.id < messages.id ORDER BY asked.id DESC LIMIT 1) AS question
         FROM messages WHERE state = 'streaming'",
    )?;
    let found = statement
        .query_map([], |row| Ok((row.get("id")?, row.get::<_, Option<String>>("question")?.unwrap_or_default())))?
        .collect::<Result<Vec<(MessageId, String)>, _>>()?;
    found.into_iter().map(|(id, question)| Ok((message(conn, id)?, question))).collect()
}

/// Calls every answer partial that was still arriving when Atlas ended.
pub fn recover_streaming(tx: &Transaction<'_>) -> Result<usize, StoreError> {
    let cut = tx.execute("UPDATE messages SET state = 'partial' WHERE state = 'streaming'", [])?;
    if cut > 0 {
        index::catch_up(tx, u32::try_from(cut).unwrap_or(u32::MAX))?;
    }
    Ok(cut)
}
