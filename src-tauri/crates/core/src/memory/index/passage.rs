//! Passages: the unit of recall. A message in parts, a fact, an episode, a procedure, each with the terms it is found by.
//!
//! Invariant: neighbours in a conversation are one apart, and a session is what stands left of the place in the number.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use crate::memory::index::terms;
use crate::memory::language::text;
use crate::store::StoreError;
use crate::store::id::ConversationId;
use crate::store::time::Millis;

/// The longest passage, in characters; longer messages are several.
pub const LONGEST: usize = 600;
/// Bits of a passage's number that are its place in its session.
const PLACE_BITS: u32 = 10;
/// As many passages as a session has at most.
const MOST_PLACES: i64 = 1 << PLACE_BITS;
/// A pause of this many hours begins a new session.
const PAUSE_HOURS: i64 = 6;

/// The number of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PassageId(pub i64);

impl PassageId {
    /// The session that it belongs to.
    pub fn session(self) -> i64 {
        self.0 >> PLACE_BITS
    }

    /// Its place in the session.
    pub fn place(self) -> i64 {
        self.0 & (MOST_PLACES - 1)
    }

    /// The passage that stands so many places further in its session; there need not be one.
    pub fn neighbour(self, by: i64) -> Option<Self> {
        let there = Self(self.0 + by);
        (there.session() == self.session()).then_some(there)
    }

    fn at(session: i64, place: i64) -> Self {
        Self(session << PLACE_BITS | place)
    }
}

impl ToSql for PassageId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for PassageId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self)
    }
}

/// What a passage is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OwnerKind {
    /// A message, or a part of one.
    Message,
    /// A fact.
    Fact,
    /// An episode.
    Episode,
    /// A procedure.
    Procedure,
}

impl ToSql for OwnerKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok((*self as i64).into())
    }
}

impl FromSql for OwnerKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match i64::column_result(value)? {
            0 => Ok(Self::Message),
            1 => Ok(Self::Fact),
            2 => Ok(Self::Episode),
            3 => Ok(Self::Procedure),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

/// Which memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Of which kind.
    pub kind: OwnerKind,
    /// Its row.
    pub id: i64,
}

/// How much a passage asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asks {
    /// Nothing.
    Nothing,
    /// It holds a question.
    Somewhere,
    /// It ends with a question.
    AtTheEnd,
}

impl Asks {
    fn of(text: &str) -> Self {
        let ends = text.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？' | '؟'));
        if ends.ends_with(['?', '？', '؟']) {
            Self::AtTheEnd
        } else if text.contains(['?', '？', '؟']) {
            Self::Somewhere
        } else {
            Self::Nothing
        }
    }
}

impl ToSql for Asks {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok((*self as i64).into())
    }
}

impl FromSql for Asks {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match i64::column_result(value)? {
            0 => Ok(Self::Nothing),
            1 => Ok(Self::Somewhere),
            2 => Ok(Self::AtTheEnd),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

/// A passage, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Which.
    pub id: PassageId,
    /// The memory that it is of.
    pub owner: Owner,
    /// Which part of it.
    pub part: u32,
    /// The conversation of a message or an episode.
    pub conversation: Option<ConversationId>,
    /// When it was said, learned or happened.
    pub at: DateTime<Utc>,
    /// Who said it: `user`, `assistant` or a name; none for what is no message.
    pub speaker: Option<String>,
    /// Whether it asks.
    pub asks: Asks,
    /// How many words it has, stop words too.
    pub words: u32,
    /// The terms that it is found by, separated by spaces, in order.
    pub terms: String,
}

/// The columns of a passage.
const COLUMNS: &str = "id, kind, owner_id, part, conversation_id, at, speaker, is_question, words, terms";

fn passage(row: &Row<'_>) -> rusqlite::Result<Passage> {
    Ok(Passage {
        id: row.get("id")?,
        owner: Owner { kind: row.get("kind")?, id: row.get("owner_id")? },
        part: row.get("part")?,
        conversation: row.get("conversation_id")?,
        at: row.get::<_, Millis>("at")?.0,
        speaker: row.get("speaker")?,
        asks: row.get("is_question")?,
        words: row.get("words")?,
        terms: row.get("terms")?,
    })
}

/// Passages by number, in the order asked for; what does not exist is left out.
pub fn by_ids(conn: &Connection, ids: &[PassageId]) -> Result<Vec<Passage>, StoreError> {
    let mut statement = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM passages WHERE id = :id"))?;
    let mut passages = Vec::with_capacity(ids.len());
    for id in ids {
        passages.extend(statement.query_row(named_params! { ":id": id }, passage).optional()?);
    }
    Ok(passages)
}

/// The passages of one memory, in order.
pub fn of(conn: &Connection, owner: Owner) -> Result<Vec<Passage>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM passages WHERE kind = :kind AND owner_id = :id ORDER BY part"
    ))?;
    let passages = statement
        .query_map(named_params! { ":kind": owner.kind, ":id": owner.id }, passage)?
        .collect::<Result<_, _>>()?;
    Ok(passages)
}

/// The text of a passage, from its owner; none where the owner is gone.
pub fn text_of(conn: &Connection, passage: &Passage) -> Result<Option<String>, StoreError> {
    let Some(said) = source(conn, passage.owner)? else { return Ok(None) };
    let part = parts(&said.text).nth(passage.part as usize).map(str::to_owned);
    Ok(part)
}

/// What an owner says, as far as its passages need it.
struct Said {
    text: String,
    /// What else it is found by.
    also: String,
    conversation: Option<ConversationId>,
    at: DateTime<Utc>,
    speaker: Option<String>,
    is_current: bool,
}

fn source(conn: &Connection, owner: Owner) -> Result<Option<Said>, StoreError> {
    let sql = match owner.kind {
        OwnerKind::Message => {
            "SELECT text, '' AS also, conversation_id, at, coalesce(speaker, role) AS speaker,
                 replaced_by IS NULL AND recall = 1 AND state <> 'streaming' AS is_current
             FROM messages WHERE id = :id"
        }
        OwnerKind::Fact => {
            "SELECT sentence AS text, terms AS also, NULL AS conversation_id, recorded_at AS at, NULL AS speaker,
                 retired_at IS NULL AND forgotten_at IS NULL AS is_current
             FROM facts WHERE id = :id"
        }
        OwnerKind::Episode => {
            "SELECT text, '' AS also, conversation_id, at, NULL AS speaker, forgotten_at IS NULL AS is_current
             FROM episodes WHERE id = :id"
        }
        OwnerKind::Procedure => {
            "SELECT trigger || ' ' || strategy || ' ' || coalesce(lesson, '') AS text, category AS also,
                 NULL AS conversation_id, last_used_at AS at, NULL AS speaker, forgotten_at IS NULL AS is_current
             FROM procedures WHERE id = :id"
        }
    };
    let said = conn.prepare_cached(sql)?.query_row(named_params! { ":id": owner.id }, |row| {
        Ok(Said {
            text: row.get("text")?,
            also: row.get("also")?,
            conversation: row.get("conversation_id")?,
            at: row.get::<_, Millis>("at")?.0,
            speaker: row.get("speaker")?,
            is_current: row.get("is_current")?,
        })
    });
    Ok(said.optional()?)
}

/// Whether a memory is to be found by recall.
pub fn should_hold(conn: &Connection, owner: Owner) -> Result<bool, StoreError> {
    Ok(source(conn, owner)?.is_some_and(|said| holds(owner, &said)))
}

fn holds(_owner: Owner, said: &Said) -> bool {
    said.is_current
}

/// Brings the passages of a memory up to date: writes those that it should have, deletes those that it should not.
pub fn write(tx: &Transaction<'_>, owner: Owner) -> Result<(), StoreError> {
    let key = named_params! { ":kind": owner.kind, ":id": owner.id };
    tx.prepare_cached("DELETE FROM passages_waiting WHERE kind = :kind AND owner_id = :id")?.execute(key)?;
    tx.prepare_cached("DELETE FROM passages WHERE kind = :kind AND owner_id = :id")?.execute(key)?;
    let Some(said) = source(tx, owner)?.filter(|said| holds(owner, said)) else { return Ok(()) };
    let texts: Vec<&str> = parts(&said.text).collect();
    let first = place(tx, owner, &said, texts.len() as i64)?;
    let mut insert = tx.prepare_cached(
        "INSERT INTO passages (id, kind, owner_id, part, conversation_id, at, speaker, is_question, words, terms)
         VALUES (:id, :kind, :owner, :part, :conversation, :at, :speaker, :asks, :words, :terms)",
    )?;
    for (part, text) in texts.into_iter().enumerate() {
        let found_by = terms::terms(&format!("{text} {}", said.also)).join(" ");
        insert.execute(named_params! {
            ":id": PassageId(first.0 + part as i64), ":kind": owner.kind, ":owner": owner.id, ":part": part as i64,
            ":conversation": said.conversation, ":at": Millis(said.at), ":speaker": said.speaker, ":asks": Asks::of(text),
            ":words": text::split(text).len() as i64, ":terms": found_by,
        })?;
    }
    Ok(())
}

/// A place for so many passages in a row: in the running session of the conversation, else in a new session.
fn place(tx: &Transaction<'_>, owner: Owner, said: &Said, count: i64) -> Result<PassageId, StoreError> {
    let conversation = said.conversation.filter(|_| owner.kind == OwnerKind::Message);
    let Some(conversation) = conversation else { return Ok(PassageId::at(new_session(tx)?, 0)) };
    let running: Option<(i64, i64)> = tx
        .prepare_cached(
            "SELECT id, places FROM sessions
             WHERE conversation_id = :conversation AND last_at >= :since AND places + :count <= :most
             ORDER BY id DESC LIMIT 1",
        )?
        .query_row(
            named_params! {
                ":conversation": conversation, ":since": Millis(said.at - TimeDelta::hours(PAUSE_HOURS)),
                ":count": count, ":most": MOST_PLACES,
            },
            |row| Ok((row.get("id")?, row.get("places")?)),
        )
        .optional()?;
    let (session, place) = match running {
        Some(running) => running,
        None => (new_session(tx)?, 0),
    };
    tx.prepare_cached(
        "INSERT INTO sessions (id, conversation_id, last_at, places) VALUES (:id, :conversation, :at, :count)
         ON CONFLICT (id) DO UPDATE SET last_at = max(last_at, excluded.last_at), places = places + excluded.places",
    )?
    .execute(named_params! {
        ":id": session, ":conversation": conversation, ":at": Millis(said.at), ":count": count,
    })?;
    Ok(PassageId::at(session, place))
}

fn new_session(tx: &Transaction<'_>) -> Result<i64, StoreError> {
    let mut statement = tx.prepare_cached("UPDATE next_session SET id = id + 1 RETURNING id - 1 AS id")?;
    Ok(statement.query_row([], |row| row.get("id"))?)
}

/// A text in parts that are short enough, cut after a sentence or a word where there is one.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text.trim());
    std::iter::from_fn(move || {
        let now = rest?;
        let Some((end, _)) = now.char_indices().nth(LONGEST) else {
            rest = None;
            return Some(now);
        };
        let (part, after) = now.split_at(cut(&now[..end]));
        rest = Some(after.trim_start()).filter(|after| !after.is_empty());
        Some(part.trim_end())
    })
}

/// Where to cut a text that is as long as a part may be: not before its half.
fn cut(text: &str) -> usize {
    let half = text.len() / 2;
    let after_sentence = text
        .char_indices()
        .rev()
        .take_while(|(at, _)| *at > half)
        .find(|(at, c)| {
            let end = at + c.len_utf8();
            matches!(c, '\n' | '。' | '！' | '？')
                || (matches!(c, '.' | '!' | '?') && text[end..].starts_with(char::is_whitespace))
        })
        .map(|(at, c)| at + c.len_utf8());
    after_sentence.or_else(|| text.rfind(char::is_whitespace).filter(|at| *at > half)).unwrap_or(text.len())
}
