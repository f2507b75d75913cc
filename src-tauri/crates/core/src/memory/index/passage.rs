//! Passages: the unit of recall. A message in parts, a fact, an episode, a procedure, each with the terms it is found by.
//!
//! Invariant: in a passage's number stand its kind, its session and its place in that, so that its neighbours in a conversation
//! are one apart, and the passages of one kind stand together, in the order in which they were written.

use chrono::{DateTime, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, named_params};

pub use crate::memory::index::parts::{LONGEST, parts};
pub use crate::memory::index::source::text_of;
use crate::store::StoreError;
use crate::store::id::ConversationId;
use crate::store::time::Millis;
use crate::text;

/// Bits of a passage's number that are its place in its session.
const PLACE_BITS: u32 = 10;
/// Bits that are the session and the place; above them stands the kind.
const KIND_SHIFT: u32 = 50;
/// As many passages as a session has at most.
pub(super) const MOST_PLACES: i64 = 1 << PLACE_BITS;

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

    /// Of which kind of memory it is.
    pub fn kind(self) -> OwnerKind {
        match self.0 >> KIND_SHIFT {
            0 => OwnerKind::Message,
            1 => OwnerKind::Fact,
            2 => OwnerKind::Episode,
            _ => OwnerKind::Procedure,
        }
    }

    pub(super) fn at(session: i64, place: i64) -> Self {
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

impl OwnerKind {
    /// The session with the number 0 of this kind: sessions count up from it.
    pub(super) fn first_session(self) -> i64 {
        (self as i64) << (KIND_SHIFT - PLACE_BITS)
    }

    /// The first and the last number that passages of this kind can have.
    pub fn range(self) -> (PassageId, PassageId) {
        let first = (self as i64) << KIND_SHIFT;
        (PassageId(first), PassageId(first + (1 << KIND_SHIFT) - 1))
    }
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
    pub(in crate::memory) fn of(text: &str) -> Self {
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
pub(super) const COLUMNS: &str = "id, kind, owner_id, part, conversation_id, at, speaker, is_question, words, terms";

pub(super) fn passage(row: &Row<'_>) -> rusqlite::Result<Passage> {
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

/// Who said a passage.
pub fn speaker_of(conn: &Connection, id: PassageId) -> Result<Option<String>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT speaker FROM passages WHERE id = :id")?;
    Ok(statement.query_row(named_params! { ":id": id }, |row| row.get("speaker")).optional()?.flatten())
}

/// A speaker as one byte that is not 0, by the first word of the name. Some share one: it is for a first look.
pub fn speaker_code(name: &str) -> u8 {
    let first = text::words(name).into_iter().next().unwrap_or_default();
    blake3::hash(first.as_bytes()).as_bytes()[0].max(1)
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
