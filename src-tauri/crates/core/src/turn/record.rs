//! What is kept of a turn besides its two messages: how it ended, what healed, and what stood in its prompt, so that
//! "why did you say that?" can be answered later.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use serde::{Deserialize, Serialize};

use crate::healing::{FailureView, HealingNote};
use crate::memory::history::change::{MemoryRef, UsedMemory};
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, FactId, MessageId, ProcedureId, SpecVersion, TurnId};
use crate::store::text::stored_as_word;
use crate::store::time::Millis;

/// How often a second call is tried before it is given up.
const EXTRACTION_TRIES: u32 = 3;

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It has not.
    Running,
    /// With a whole answer.
    Completed,
    /// The person stopped it.
    Cancelled,
    /// It failed.
    Failed,
}

stored_as_word!(Outcome);

/// How a turn went, for the message that began it.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    /// Which.
    pub id: TurnId,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, if it did.
    pub failure: Option<FailureView>,
    /// What healed.
    pub healing: Vec<HealingNote>,
}

/// What stood in a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Sources {
    /// The memories.
    pub used: Vec<UsedMemory>,
    /// The volatile block as sent; empty once something in it was forgotten.
    pub prompt_block: String,
    /// The spec.
    pub spec_version: SpecVersion,
}

/// Begins a turn.
pub fn begin(
    tx: &Transaction<'_>,
    conversation: ConversationId,
    message: MessageId,
    spec: SpecVersion,
    now: DateTime<Utc>,
) -> Result<TurnId, StoreError> {
    tx.prepare_cached(
        "INSERT INTO turns (id, conversation_id, message_id, started_at, outcome, spec_version)
         VALUES (new_id(), ?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![conversation, message, Millis(now), Outcome::Running, spec])?;
    let turn = TurnId(tx.last_insert_rowid());
    tx.prepare_cached("UPDATE messages SET turn_id = ?2 WHERE id = ?1")?.execute(params![message, turn])?;
    Ok(turn)
}

/// How a turn ended, to be stored.
#[derive(Debug, Clone)]
pub struct Ending {
    /// The answer, where there is one.
    pub answer: Option<MessageId>,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, if it did.
    pub failure: Option<FailureView>,
    /// What healed.
    pub healing: Vec<HealingNote>,
    /// The volatile block of the prompt.
    pub prompt_block: String,
    /// The memories in it.
    pub used: Vec<UsedMemory>,
    /// Whether facts are still to be taken from it, by a second call.
    pub extraction_owed: bool,
    /// Whether the message waits for the network.
    pub queued: bool,
}

/// Ends a turn. Earlier answers to the same message give way to a new whole one; to a part only other parts do.
pub fn end(tx: &Transaction<'_>, turn: TurnId, ending: &Ending, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE turns SET answer_id = ?2, ended_at = ?3, outcome = ?4, failure = ?5, healing = ?6, prompt_block = ?7,
         extraction_owed = ?8, queued_at = CASE WHEN ?9 THEN ?3 END WHERE id = ?1",
    )?
    .execute(params![
        turn,
        ending.answer,
        Millis(now),
        ending.outcome,
        ending.failure.as_ref().map(json),
        json(&ending.healing),
        ending.prompt_block,
        ending.extraction_owed,
        ending.queued,
    ])?;
    if ending.outcome == Outcome::Completed {
        // An answer is one to all that was said before it, also to what waited for the network.
        tx.prepare_cached(
            "UPDATE turns SET queued_at = NULL, failure = NULL WHERE queued_at IS NOT NULL
             AND conversation_id = (SELECT conversation_id FROM turns WHERE id = ?1)",
        )?
        .execute([turn])?;
    }
    for (used, position) in ending.used.iter().zip(0_u32..) {
        if !is_there(tx, used.memory)? {
            // Forgotten while the answer came: what stood in the prompt is not kept either, and the answer may tell it.
            tx.prepare_cached("UPDATE turns SET prompt_block = NULL WHERE id = ?1")?.execute([turn])?;
            tx.prepare_cached("UPDATE messages SET recall = 0 WHERE id = ?1")?.execute([ending.answer])?;
            continue;
        }
        let (kind, id) = key(used.memory);
        tx.prepare_cached(
            "INSERT INTO turn_memories (turn_id, position, kind, memory_id, sentence) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![turn, position, kind, id, used.sentence])?;
    }
    if let Some(answer) = ending.answer {
        tx.prepare_cached(
            "UPDATE messages SET replaced_by = ?2 WHERE id <> ?2 AND (?3 = 'completed' OR state <> 'complete') AND id IN
             (SELECT answer_id FROM turns WHERE message_id = (SELECT message_id FROM turns WHERE id = ?1))",
        )?
        .execute(params![turn, answer, ending.outcome])?;
    }
    Ok(())
}

/// Whether a memory is there, is not about to be purged, and may be recalled.
fn is_there(conn: &Connection, memory: MemoryRef) -> Result<bool, StoreError> {
    let (table, id) = match memory {
        MemoryRef::Fact(id) => ("facts", id.0),
        MemoryRef::Episode(id) => ("episodes", id.0),
        MemoryRef::Procedure(id) => ("procedures", id.0),
        MemoryRef::Message(id) => ("messages", id.0),
    };
    let recalled = if table == "messages" { "AND recall = 1" } else { "" };
    let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE id = ?1 AND forgotten_at IS NULL {recalled})");
    Ok(conn.prepare_cached(&sql)?.query_row([id], |row| row.get(0))?)
}

/// Ends every turn that was under way when Atlas ended.
pub fn recover(tx: &Transaction<'_>, failure: &FailureView, now: DateTime<Utc>) -> Result<(), StoreError> {
    let running: Vec<TurnId> = tx
        .prepare_cached("SELECT id FROM turns WHERE outcome = 'running' ORDER BY id")?
        .query_map([], |row| row.get("id"))?
        .collect::<Result<_, _>>()?;
    running.into_iter().try_for_each(|turn| abandon(tx, turn, failure, now))
}

/// Ends a turn that cannot end as it should: what came of its answer is kept as a part.
pub fn abandon(
    tx: &Transaction<'_>,
    turn: TurnId,
    failure: &FailureView,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let answer: Option<MessageId> = tx
        .prepare_cached("SELECT max(id) AS id FROM messages WHERE turn_id = ?1 AND role = 'assistant'")?
        .query_row([turn], |row| row.get("id"))?;
    tx.execute("UPDATE messages SET state = 'partial' WHERE id = ?1 AND state = 'streaming'", [answer])?;
    let ending = Ending {
        answer,
        outcome: Outcome::Failed,
        failure: Some(failure.clone()),
        healing: Vec::new(),
        prompt_block: String::new(),
        used: Vec::new(),
        extraction_owed: false,
        queued: false,
    };
    end(tx, turn, &ending, now)
}

/// The latest turn of each message of a conversation.
pub fn latest(conn: &Connection, conversation: ConversationId) -> Result<HashMap<MessageId, TurnRecord>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT message_id, id, outcome, failure, healing, queued_at IS NOT NULL AS queued FROM turns WHERE conversation_id = ?1 ORDER BY id",
    )?;
    let rows = statement.query_map([conversation], |row| Ok((row.get("message_id")?, record_row(row)?)))?;
    // In order of id: a later turn takes an earlier one's place.
    Ok(rows.collect::<Result<_, _>>()?)
}

fn record_row(row: &Row<'_>) -> rusqlite::Result<TurnRecord> {
    let (failure, healing): (Option<String>, Option<String>) = (row.get("failure")?, row.get("healing")?);
    // What waits now, not what waited when the failure was told.
    let queued: bool = row.get("queued")?;
    Ok(TurnRecord {
        id: row.get("id")?,
        outcome: row.get("outcome")?,
        failure: failure
            .map(|text| parse::<FailureView>(&text).map(|failure| FailureView { queued, ..failure }))
            .transpose()?,
        healing: healing.map(|text| parse(&text)).transpose()?.unwrap_or_default(),
    })
}

/// The memories behind each answer of a conversation.
pub fn used_in(
    conn: &Connection,
    conversation: ConversationId,
) -> Result<HashMap<MessageId, Vec<UsedMemory>>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT turns.answer_id, kind, memory_id, sentence FROM turns JOIN turn_memories ON turn_id = turns.id
         WHERE conversation_id = ?1 AND answer_id IS NOT NULL ORDER BY turns.id, position",
    )?;
    let mut used: HashMap<MessageId, Vec<UsedMemory>> = HashMap::new();
    for row in statement.query_map([conversation], |row| Ok((row.get("answer_id")?, used_row(row)?)))? {
        let (answer, memory) = row?;
        used.entry(answer).or_default().push(memory);
    }
    Ok(used)
}

/// What stood in the prompt of an answer. Errors: [`StoreError::Missing`].
pub fn sources(conn: &Connection, answer: MessageId) -> Result<Sources, StoreError> {
    let (turn, prompt_block, spec_version): (TurnId, Option<String>, SpecVersion) = conn
        .query_row(
            "SELECT id, prompt_block, spec_version FROM turns WHERE answer_id = ?1 ORDER BY id DESC LIMIT 1",
            [answer],
            |row| Ok((row.get("id")?, row.get("prompt_block")?, row.get("spec_version")?)),
        )
        .optional()?
        .ok_or(StoreError::Missing("answer"))?;
    let mut statement = conn
        .prepare_cached("SELECT kind, memory_id, sentence FROM turn_memories WHERE turn_id = ?1 ORDER BY position")?;
    let used = statement.query_map([turn], used_row)?.collect::<Result<_, _>>()?;
    Ok(Sources { used, prompt_block: prompt_block.unwrap_or_default(), spec_version })
}

fn used_row(row: &Row<'_>) -> rusqlite::Result<UsedMemory> {
    let (kind, id): (String, i64) = (row.get("kind")?, row.get("memory_id")?);
    let memory = match kind.as_str() {
        "fact" => MemoryRef::Fact(FactId(id)),
        "episode" => MemoryRef::Episode(EpisodeId(id)),
        "procedure" => MemoryRef::Procedure(ProcedureId(id)),
        "message" => MemoryRef::Message(MessageId(id)),
        _ => {
            let unknown = format!("unknown kind of memory: {kind}");
            return Err(rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, unknown.into()));
        }
    };
    Ok(UsedMemory { memory, sentence: row.get("sentence")? })
}

fn key(memory: MemoryRef) -> (&'static str, i64) {
    match memory {
        MemoryRef::Fact(id) => ("fact", id.0),
        MemoryRef::Episode(id) => ("episode", id.0),
        MemoryRef::Procedure(id) => ("procedure", id.0),
        MemoryRef::Message(id) => ("message", id.0),
    }
}

/// A turn whose facts are still to be taken from the person's message by a second call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwedExtraction {
    /// The turn.
    pub turn: TurnId,
    /// The person's message.
    pub message: MessageId,
}

/// The oldest turn that a second call is owed to.
pub fn next_owed(conn: &Connection) -> Result<Option<OwedExtraction>, StoreError> {
    let owed = conn
        .query_row("SELECT id, message_id FROM turns WHERE extraction_owed > 0 ORDER BY id LIMIT 1", [], |row| {
            Ok(OwedExtraction { turn: row.get("id")?, message: row.get("message_id")? })
        })
        .optional()?;
    Ok(owed)
}

/// Notes that the second call of a turn was made, or given up. Whether it was still owed.
pub fn settle_owed(tx: &Transaction<'_>, turn: TurnId) -> Result<bool, StoreError> {
    Ok(tx.execute("UPDATE turns SET extraction_owed = 0 WHERE id = ?1 AND extraction_owed > 0", [turn])? > 0)
}

/// Notes that the second call of a turn failed; after a few tries it is given up.
pub fn count_failed_extraction(tx: &Transaction<'_>, turn: TurnId) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE turns SET extraction_owed = CASE WHEN extraction_owed >= ?2 THEN 0 ELSE extraction_owed + 1 END
         WHERE id = ?1 AND extraction_owed > 0",
        params![turn, EXTRACTION_TRIES],
    )?;
    Ok(())
}

/// Gives up the second calls that are owed to messages which another one replaced.
pub fn settle_replaced(tx: &Transaction<'_>, by: MessageId) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE turns SET extraction_owed = 0 WHERE extraction_owed > 0
         AND message_id IN (SELECT id FROM messages WHERE replaced_by = ?1)",
        [by],
    )?;
    Ok(())
}

/// Gives up every second call that is owed: what it would find is not wanted any more.
pub fn settle_all(tx: &Transaction<'_>) -> Result<(), StoreError> {
    tx.execute("UPDATE turns SET extraction_owed = 0 WHERE extraction_owed > 0", [])?;
    Ok(())
}

/// The person's message that a turn answers; none where that is gone.
pub fn message_of(conn: &Connection, turn: TurnId) -> Result<Option<MessageId>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT message_id FROM turns WHERE id = ?1")?;
    Ok(statement.query_row([turn], |row| row.get("message_id")).optional()?)
}

/// The messages that wait for the network, the oldest first: of each conversation only its last one, which is answered
/// with those before it.
pub fn queued(conn: &Connection) -> Result<Vec<MessageId>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT message_id FROM turns AS t WHERE queued_at IS NOT NULL
         AND id = (SELECT max(id) FROM turns WHERE conversation_id = t.conversation_id) ORDER BY queued_at, id",
    )?;
    let waiting = statement.query_map([], |row| row.get("message_id"))?.collect::<Result<_, _>>()?;
    Ok(waiting)
}

/// How many messages wait for the network, also those that are answered together with a later one.
pub fn count_queued(conn: &Connection) -> Result<u64, StoreError> {
    let mut statement = conn.prepare_cached("SELECT count(*) AS n FROM turns WHERE queued_at IS NOT NULL")?;
    Ok(statement.query_row([], |row| row.get::<_, u32>("n"))?.into())
}

/// Whether a message waits for the network.
pub fn is_queued(conn: &Connection, message: MessageId) -> Result<bool, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM turns WHERE message_id = ?1 AND queued_at IS NOT NULL)")?;
    Ok(statement.query_row([message], |row| row.get(0))?)
}

/// A message waits no more: it is sent again, or the person does not want it to be. Whether it waited.
pub fn unqueue(tx: &Transaction<'_>, message: MessageId) -> Result<bool, StoreError> {
    let waited =
        tx.execute("UPDATE turns SET queued_at = NULL WHERE message_id = ?1 AND queued_at IS NOT NULL", [message])?;
    Ok(waited > 0)
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("views are plain data")
}

fn parse<T: serde::de::DeserializeOwned>(text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, error.into()))
}
