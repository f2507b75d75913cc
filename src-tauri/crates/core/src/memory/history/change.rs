//! What changed in memory, as people and shells see it. Each change can be undone, except a finished forget.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, Transaction, named_params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::fact::{Because, Origin};
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, FactId, MemoryEventId, MessageId, ProcedureId, ReviewId};
use crate::store::time::Millis;

/// What happened to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum ChangeKind {
    /// A new fact.
    Added,
    /// A fact that was known already was said again.
    Confirmed,
    /// A new value took the place of an old one, which stays as history.
    Superseded,
    /// The person edited it.
    Edited,
    /// It was forgotten; it can be undone until the purge.
    Forgotten,
    /// The person pinned it.
    Pinned,
    /// The person took its pin away.
    Unpinned,
    /// It came with an import.
    Imported,
    /// The person accepted it in Review.
    Accepted,
    /// The person dismissed it in Review.
    Dismissed,
    /// What it rested on is gone: a message was edited or deleted.
    Retired,
}

/// One change of memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MemoryChange {
    /// The event to undo.
    pub event: MemoryEventId,
    /// What happened.
    pub kind: ChangeKind,
    /// The fact, where it is one.
    pub fact: Option<FactId>,
    /// The memory as one sentence for people.
    pub sentence: String,
    /// The message that caused it, if one did.
    pub message: Option<MessageId>,
}

/// A memory that stood in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", tag = "type", content = "id")]
#[ts(export)]
pub enum MemoryRef {
    /// A fact.
    Fact(FactId),
    /// An episode.
    Episode(EpisodeId),
    /// A procedure.
    Procedure(ProcedureId),
    /// A message, word for word.
    Message(MessageId),
}

/// A memory that an answer used, as the chip shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct UsedMemory {
    /// Which one.
    pub memory: MemoryRef,
    /// As one sentence for people; as it stood in the prompt when it was used.
    pub sentence: String,
}

/// What an undo needs to know of the time before. Ids and times, never text: what is forgotten must not live on here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(in crate::memory) struct Before {
    /// Whether the target was there before the change, so that an undo leaves it.
    pub target_stays: bool,
    /// Its confidence before.
    pub confidence: Option<f64>,
    /// Its origin before.
    pub origin: Option<Origin>,
    /// The message that the change made a source of it.
    pub source: Option<MessageId>,
    /// What was hidden along with the target.
    pub with: Vec<FactId>,
    /// Notes and summaries that were hidden along with it.
    pub episodes: Vec<EpisodeId>,
    /// Messages that recall passes by since then.
    pub marked: Vec<MessageId>,
    /// Messages that were hidden along with it.
    pub messages: Vec<MessageId>,
    /// Titles, drafts and candidates that were hidden along with it: the rows that hide them.
    pub along: Vec<i64>,
    /// The candidate of Review that the target came from.
    pub review: Option<ReviewId>,
    /// How facts stood whose support was lost, and those that they had replaced.
    pub stood: Vec<Standing>,
}

/// How a fact stood: when Atlas believed it, and what took its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::memory) struct Standing {
    pub id: FactId,
    pub valid_to: Option<i64>,
    pub retired_at: Option<i64>,
    pub superseded_by: Option<FactId>,
    pub because: Option<Because>,
}

/// A change as it goes into the log.
pub(in crate::memory) struct NewEvent<'a, T = MemoryRef> {
    pub kind: ChangeKind,
    pub target: T,
    pub other: Option<FactId>,
    pub before: Before,
    pub sentence: &'a str,
    pub why: &'a str,
    pub message: Option<MessageId>,
}

/// What a change was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::memory) enum Target {
    Memory(MemoryRef),
    /// A candidate that is no memory yet.
    Review(ReviewId),
    /// No memory at all: titles and drafts that went with a forget.
    Beside,
}

impl From<MemoryRef> for Target {
    fn from(memory: MemoryRef) -> Self {
        Self::Memory(memory)
    }
}

impl From<ReviewId> for Target {
    fn from(id: ReviewId) -> Self {
        Self::Review(id)
    }
}

/// A change as it stands in the log.
pub(in crate::memory) struct Event {
    pub id: MemoryEventId,
    pub kind: ChangeKind,
    pub target: Target,
    pub before: Option<Before>,
    pub undone_at: Option<DateTime<Utc>>,
}

/// The word for what is no memory at all.
pub(in crate::memory) const BESIDE: &str = "beside";

/// The word for the kind of memory, and its number.
pub(in crate::memory) fn parts(memory: MemoryRef) -> (&'static str, i64) {
    match memory {
        MemoryRef::Fact(id) => ("fact", id.0),
        MemoryRef::Episode(id) => ("episode", id.0),
        MemoryRef::Procedure(id) => ("procedure", id.0),
        MemoryRef::Message(id) => ("message", id.0),
    }
}

/// Writes a change into the log.
pub(in crate::memory) fn record<T: Into<Target> + Copy>(
    tx: &Transaction<'_>,
    event: &NewEvent<'_, T>,
    now: DateTime<Utc>,
) -> Result<MemoryChange, StoreError> {
    let target = event.target.into();
    let (target_kind, target_id) = match target {
        Target::Memory(memory) => parts(memory),
        Target::Review(id) => ("review", id.0),
        Target::Beside => (BESIDE, 0),
    };
    let before = serde_json::to_string(&event.before).expect("plain data has a JSON form");
    let mut statement = tx.prepare_cached(
        "INSERT INTO memory_events (at, kind, target_kind, target_id, other_id, before, sentence, why, message_id)
         VALUES (:at, :kind, :target_kind, :target_id, :other, :before, :sentence, :why, :message)",
    )?;
    statement.execute(named_params! {
        ":at": Millis(now), ":kind": event.kind, ":target_kind": target_kind, ":target_id": target_id,
        ":other": event.other, ":before": before, ":sentence": event.sentence, ":why": event.why, ":message": event.message,
    })?;
    let fact = match target {
        Target::Memory(MemoryRef::Fact(id)) => Some(id),
        Target::Memory(MemoryRef::Episode(_) | MemoryRef::Procedure(_) | MemoryRef::Message(_))
        | Target::Review(_)
        | Target::Beside => None,
    };
    Ok(MemoryChange {
        event: MemoryEventId(tx.last_insert_rowid()),
        kind: event.kind,
        fact,
        sentence: event.sentence.to_owned(),
        message: event.message,
    })
}

/// Notes that a change took over a candidate of Review, so that an undo lets it wait again.
pub(in crate::memory) fn came_from_review(
    tx: &Transaction<'_>,
    event: MemoryEventId,
    candidate: ReviewId,
) -> Result<(), StoreError> {
    tx.prepare_cached("UPDATE memory_events SET before = json_set(before, '$.review', ?2) WHERE id = ?1")?
        .execute((event, candidate))?;
    Ok(())
}

/// The changes that the messages of a conversation caused and that stand, oldest first.
pub fn of_conversation(conn: &Connection, conversation: ConversationId) -> Result<Vec<MemoryChange>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT e.id, e.kind, e.target_kind, e.target_id, e.sentence, e.message_id
         FROM messages m JOIN memory_events e ON e.message_id = m.id
         WHERE m.conversation_id = :conversation AND e.undone_at IS NULL AND e.sentence <> ''
         ORDER BY e.id",
    )?;
    let changes =
        statement.query_map(named_params! { ":conversation": conversation }, change)?.collect::<Result<_, _>>()?;
    Ok(changes)
}

fn change(row: &Row<'_>) -> rusqlite::Result<MemoryChange> {
    let target_kind: String = row.get("target_kind")?;
    Ok(MemoryChange {
        event: row.get("id")?,
        kind: row.get("kind")?,
        fact: (target_kind == "fact").then(|| row.get("target_id")).transpose()?,
        sentence: row.get("sentence")?,
        message: row.get("message_id")?,
    })
}

/// One entry of the log; `None` where there is none of this number.
pub(in crate::memory) fn event(conn: &Connection, id: MemoryEventId) -> Result<Option<Event>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, kind, target_kind, target_id, before, undone_at FROM memory_events WHERE id = :id",
    )?;
    let mut rows = statement.query(named_params! { ":id": id })?;
    Ok(rows.next()?.map(event_row).transpose()?)
}

fn event_row(row: &Row<'_>) -> rusqlite::Result<Event> {
    let before: Option<String> = row.get("before")?;
    Ok(Event {
        id: row.get("id")?,
        kind: row.get("kind")?,
        target: target_of(&row.get::<_, String>("target_kind")?, row.get("target_id")?)?,
        before: before.map(|json| serde_json::from_str(&json)).transpose().map_err(damaged)?,
        undone_at: row.get::<_, Option<Millis>>("undone_at")?.map(|at| at.0),
    })
}

fn target_of(kind: &str, id: i64) -> rusqlite::Result<Target> {
    match kind {
        "review" => Ok(Target::Review(ReviewId(id))),
        BESIDE => Ok(Target::Beside),
        kind => Ok(Target::Memory(target(kind, id)?)),
    }
}

/// The memory that a word and a number name; see [`parts`].
pub(in crate::memory) fn target(kind: &str, id: i64) -> rusqlite::Result<MemoryRef> {
    match kind {
        "fact" => Ok(MemoryRef::Fact(FactId(id))),
        "episode" => Ok(MemoryRef::Episode(EpisodeId(id))),
        "procedure" => Ok(MemoryRef::Procedure(ProcedureId(id))),
        "message" => Ok(MemoryRef::Message(MessageId(id))),
        other => Err(damaged(format!("no such kind of memory: {other}"))),
    }
}

fn damaged(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, error.into())
}

crate::store::text::stored_as_word!(ChangeKind);
