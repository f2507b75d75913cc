//! Passages: the unit of recall. A message in parts, a fact, an episode, a procedure, each with the terms it is found by.
//!
//! Invariant: in a passage's number stand its kind, its session and its place in that, so that its neighbours in a conversation
//! are one apart, and the passages of one kind stand together, in the order in which they were written.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use crate::memory::index::terms;
use crate::memory::language::small_talk;
use crate::store::StoreError;
use crate::store::id::ConversationId;
use crate::store::time::Millis;

/// The longest passage, in characters; longer messages are several.
pub const LONGEST: usize = 600;
/// Bits of a passage's number that are its place in its session.
const PLACE_BITS: u32 = 10;
/// Bits that are the session and the place; above them stands the kind.
const KIND_SHIFT: u32 = 50;
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

    /// Of which kind of memory it is.
    pub fn kind(self) -> OwnerKind {
        match self.0 >> KIND_SHIFT {
            0 => OwnerKind::Message,
            1 => OwnerKind::Fact,
            2 => OwnerKind::Episode,
            _ => OwnerKind::Procedure,
        }
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

impl OwnerKind {
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
    /// Whether it is about the person.
    is_yours: bool,
    conversation: Option<ConversationId>,
    at: DateTime<Utc>,
    speaker: Option<String>,
    is_current: bool,
}

fn source(conn: &Connection, owner: Owner) -> Result<Option<Said>, StoreError> {
    let sql = match owner.kind {
        OwnerKind::Message => {
            "SELECT text, '' AS also, 0 AS is_yours, conversation_id, at, coalesce(speaker, role) AS speaker,
                 replaced_by IS NULL AND recall = 1 AND state <> 'streaming' AS is_current
             FROM messages WHERE id = :id"
        }
        OwnerKind::Fact => {
            "SELECT sentence AS text, terms AS also, subject_key = 'user' OR subject_key LIKE 'user''s %' AS is_yours, NULL AS conversation_id, recorded_at AS at, NULL AS speaker,
                 retired_at IS NULL AND forgotten_at IS NULL AS is_current
             FROM facts WHERE id = :id"
        }
        OwnerKind::Episode => {
            "SELECT text, '' AS also, 0 AS is_yours, conversation_id, at, NULL AS speaker, forgotten_at IS NULL AS is_current
             FROM episodes WHERE id = :id"
        }
        OwnerKind::Procedure => {
            "SELECT trigger || ' ' || strategy || ' ' || coalesce(lesson, '') AS text, category AS also, 0 AS is_yours,
                 NULL AS conversation_id, last_used_at AS at, NULL AS speaker, forgotten_at IS NULL AS is_current
             FROM procedures WHERE id = :id"
        }
    };
    let said = conn.prepare_cached(sql)?.query_row(named_params! { ":id": owner.id }, |row| {
        Ok(Said {
            text: row.get("text")?,
            also: row.get("also")?,
            is_yours: row.get("is_yours")?,
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

fn holds(owner: Owner, said: &Said) -> bool {
    let is_small_talk = || owner.kind == OwnerKind::Message && small_talk::is_small_talk(&said.text);
    said.is_current && said.text.chars().any(|c| !c.is_whitespace()) && !is_small_talk()
}

/// Brings the passages of a memory up to date where it waits for that: writes those that it should have, deletes those that it
/// should not. What does not wait is up to date.
pub fn write(tx: &Transaction<'_>, owner: Owner) -> Result<(), StoreError> {
    let key = named_params! { ":kind": owner.kind, ":id": owner.id };
    if tx.prepare_cached("DELETE FROM passages_waiting WHERE kind = :kind AND owner_id = :id")?.execute(key)? == 0 {
        return Ok(());
    }
    tx.prepare_cached("DELETE FROM passages WHERE kind = :kind AND owner_id = :id")?.execute(key)?;
    let Some(said) = source(tx, owner)?.filter(|said| holds(owner, said)) else { return Ok(()) };
    let texts: Vec<&str> = parts(&said.text).collect();
    let first = place(tx, owner, &said, texts.len() as i64)?;
    let mut insert = tx.prepare_cached(
        "INSERT INTO passages (id, kind, owner_id, part, conversation_id, at, speaker, is_question, words, terms)
         VALUES (:id, :kind, :owner, :part, :conversation, :at, :speaker, :asks, :words, :terms)",
    )?;
    for (part, text) in texts.into_iter().enumerate() {
        let mut found_by = terms::terms(text);
        for term in terms::terms(&said.also) {
            if !found_by.contains(&term) {
                found_by.push(term);
            }
        }
        found_by.extend(said.is_yours.then(|| terms::ABOUT_YOU.to_owned()));
        insert.execute(named_params! {
            ":id": PassageId(first.0 + part as i64), ":kind": owner.kind, ":owner": owner.id, ":part": part as i64,
            ":conversation": said.conversation, ":at": Millis(said.at), ":speaker": said.speaker, ":asks": Asks::of(text),
            ":words": terms::count(text) as i64, ":terms": found_by.join(" "),
        })?;
    }
    Ok(())
}

/// A place for so many passages in a row: of a message where it stood before, else in the running session of its conversation,
/// else in a new session.
fn place(tx: &Transaction<'_>, owner: Owner, said: &Said, count: i64) -> Result<PassageId, StoreError> {
    let conversation = said.conversation.filter(|_| owner.kind == OwnerKind::Message);
    let Some(conversation) = conversation else { return Ok(PassageId::at(new_session(tx, owner.kind)?, 0)) };
    if let Some(gap) = gap(tx, owner, conversation, said.at, count)? {
        return Ok(gap);
    }
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
        None => (new_session(tx, owner.kind)?, 0),
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

/// Where a message that comes back can stand: right after the message before it, where that place is free. None for the
/// newest message of its conversation.
fn gap(
    tx: &Transaction<'_>,
    owner: Owner,
    conversation: ConversationId,
    at: DateTime<Utc>,
    count: i64,
) -> Result<Option<PassageId>, StoreError> {
    let is_newest: bool = tx
        .prepare_cached(
            "SELECT NOT EXISTS (SELECT 1 FROM messages WHERE conversation_id = :conversation AND id > :id) AS is_newest",
        )?
        .query_row(named_params! { ":conversation": conversation, ":id": owner.id }, |row| row.get("is_newest"))?;
    if is_newest {
        return Ok(None);
    }
    let before: Option<(PassageId, i64)> = tx
        .prepare_cached(
            "SELECT p.id AS id, s.places AS places FROM messages m CROSS JOIN passages p ON p.kind = 0 AND p.owner_id = m.id
             CROSS JOIN sessions s ON s.id = p.id >> 10
             WHERE m.conversation_id = :conversation AND m.id < :id AND m.at >= :since ORDER BY m.id DESC, p.part DESC LIMIT 1",
        )?
        .query_row(
            named_params! {
                ":conversation": conversation, ":id": owner.id, ":since": Millis(at - TimeDelta::hours(PAUSE_HOURS)),
            },
            |row| Ok((row.get("id")?, row.get("places")?)),
        )
        .optional()?;
    let Some((before, places)) = before.filter(|(before, places)| before.place() + count < *places) else {
        return Ok(None);
    };
    let first = PassageId(before.0 + 1);
    let is_free: bool = tx
        .prepare_cached("SELECT NOT EXISTS (SELECT 1 FROM passages WHERE id BETWEEN :first AND :last) AS is_free")?
        .query_row(named_params! { ":first": first, ":last": first.0 + count - 1 }, |row| row.get("is_free"))?;
    debug_assert!(places <= MOST_PLACES, "a session is never longer");
    Ok(is_free.then_some(first))
}

fn new_session(tx: &Transaction<'_>, kind: OwnerKind) -> Result<i64, StoreError> {
    let mut statement = tx.prepare_cached("UPDATE next_session SET id = id + 1 RETURNING id - 1 AS id")?;
    let number: i64 = statement.query_row([], |row| row.get("id"))?;
    Ok((kind.range().0.0 >> PLACE_BITS) + number)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::conversation::{self, MessageState, NewMessage, Role, Usage};
    use crate::memory::episode;
    use crate::memory::fact;
    use crate::memory::forgetting::{forget, purge};
    use crate::memory::history::undo;
    use crate::memory::index::{self, catch_up, waiting};
    use crate::memory::procedure::{self, ProcedureOutcome};
    use crate::memory::testing::Memory;
    use crate::store::Store;
    use crate::store::id::MessageId;

    fn message(id: MessageId) -> Owner {
        Owner { kind: OwnerKind::Message, id: id.0 }
    }

    fn all(conn: &Connection) -> Vec<(OwnerKind, i64, String)> {
        let mut statement = conn.prepare(&format!("SELECT {COLUMNS} FROM passages ORDER BY id")).unwrap();
        let passages = statement.query_map([], passage).unwrap().map(Result::unwrap);
        passages.map(|passage| (passage.owner.kind, passage.owner.id, passage.terms)).collect()
    }

    /// The messages that the index of words holds a term for, in the order of their passages.
    fn holding(conn: &Connection, term: &str) -> Vec<i64> {
        conn.prepare("SELECT p.owner_id FROM passages_fts i JOIN passages p ON p.id = i.rowid WHERE passages_fts MATCH ?1 ORDER BY p.id")
            .unwrap()
            .query_map([format!("\"{term}\"")], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect()
    }

    fn is_sound(conn: &Connection) {
        conn.execute("INSERT INTO passages_fts (passages_fts, rank) VALUES ('integrity-check', 1)", []).unwrap();
    }

    #[test]
    fn every_memory_has_its_passage_from_the_moment_it_is_written() {
        let mut memory = Memory::new();
        memory.say("I moved to Porto with Mara.", &[["user", "lives in", "Porto"]]);
        let (conversation, message, now) = (memory.conversation(), MessageId(1), memory.utc());
        memory.write(|tx| {
            episode::add_note(tx, conversation, message, "Moving to Porto", now).unwrap();
            let outcome = ProcedureOutcome {
                signature: "s".into(),
                trigger: "OpenRouter is busy".into(),
                strategy: "Wait, then ask again".into(),
                category: "rate_limit".into(),
                remedy: "wait".into(),
                worked: true,
            };
            procedure::record_outcome(tx, &outcome, now).unwrap();
            procedure::record_outcome(tx, &outcome, now).unwrap();
        });
        let mut all = all(&memory.conn);
        let fact = &mut all[1].2;
        assert!(fact.starts_with("live porto ") && fact.contains(" wohnort ") && fact.contains(" 居住 "), "{fact}");
        *fact = fact.rsplit(' ').next().unwrap().to_owned();
        assert_eq!(
            all,
            [
                (OwnerKind::Message, 1, "move porto mara".to_owned()),
                (OwnerKind::Fact, 1, "_you".to_owned()),
                (OwnerKind::Episode, 1, "move porto".to_owned()),
                (OwnerKind::Procedure, 1, "openrout busi wait ask rate limit".to_owned()),
            ]
        );
        assert_eq!(waiting(&memory.conn).unwrap(), 0);
        is_sound(&memory.conn);
    }

    #[test]
    fn neighbours_in_a_conversation_are_one_apart_and_a_long_pause_begins_a_session() {
        let mut memory = Memory::new();
        let first = memory.message("Where shall we eat?");
        let second = memory.message("In the harbour");
        memory.later(TimeDelta::hours(7));
        let later = memory.message("The harbour was lovely");
        memory.new_conversation();
        let elsewhere = memory.message("Something else");
        let id = |of: MessageId| super::of(&memory.conn, message(of)).unwrap()[0].id;
        assert_eq!(id(first).neighbour(1), Some(id(second)));
        assert_eq!((id(first).place(), id(first).neighbour(-1), id(first).kind()), (0, None, OwnerKind::Message));
        assert_ne!(id(second).session(), id(later).session());
        assert_ne!(id(later).session(), id(elsewhere).session());
        let asked = super::of(&memory.conn, message(first)).unwrap().remove(0);
        assert_eq!((asked.asks, asked.words, asked.speaker.as_deref()), (Asks::AtTheEnd, 4, Some("user")));
    }

    #[test]
    fn a_long_message_is_several_passages_and_none_of_its_text_is_lost() {
        let mut memory = Memory::new();
        let sentence = "The harbour of Porto is lovely in the evening, says Mara. ";
        let long = sentence.repeat(30);
        let id = memory.message(&long);
        let passages = super::of(&memory.conn, message(id)).unwrap();
        let texts: Vec<String> =
            passages.iter().map(|passage| text_of(&memory.conn, passage).unwrap().unwrap()).collect();
        assert_eq!(texts.join(" "), long.trim());
        assert!(texts.iter().all(|text| text.chars().count() <= LONGEST && text.ends_with("Mara.")));
        assert!(passages.windows(2).all(|pair| pair[0].id.neighbour(1) == Some(pair[1].id)));
        let unbroken = "漢".repeat(1_500);
        assert_eq!(parts(&unbroken).map(|part| part.chars().count()).collect::<Vec<_>>(), [600, 600, 300]);
        assert_eq!(parts("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn an_answer_is_found_when_it_is_whole() {
        let mut memory = Memory::new();
        let (conversation, now) = (memory.conversation(), memory.utc());
        let answer = NewMessage {
            conversation,
            turn: None,
            role: Role::Assistant,
            text: "Por".to_owned(),
            state: MessageState::Streaming,
            model: None,
            speaker: None,
        };
        let id = memory.write(|tx| conversation::add_message(tx, &answer, now).unwrap());
        assert_eq!(all(&memory.conn), []);
        memory.write(|tx| {
            conversation::set_streaming_text(tx, id, "Porto has").unwrap();
            conversation::finish_message(tx, id, "Porto has a harbour", MessageState::Complete, Usage::default())
                .unwrap();
        });
        assert_eq!(all(&memory.conn), [(OwnerKind::Message, id.0, "porto harbour".to_owned())]);
        let speaker = super::of(&memory.conn, message(id)).unwrap().remove(0).speaker;
        assert_eq!(speaker.as_deref(), Some("assistant"));
    }

    #[test]
    fn an_answer_that_was_cut_by_a_crash_is_found_after_the_next_start() {
        let mut memory = Memory::new();
        let conversation = memory.conversation();
        memory.write(|tx| {
            tx.execute(
                "INSERT INTO messages (conversation_id, role, text, at, state) VALUES (?1, 'assistant', 'Porto has', 1, 'streaming')",
                [conversation],
            )
            .unwrap();
            conversation::recover_streaming(tx).unwrap();
        });
        assert_eq!(all(&memory.conn), [(OwnerKind::Message, 1, "porto".to_owned())]);
    }

    #[test]
    fn what_recall_passes_by_has_no_passage_and_gets_its_place_back() {
        let mut memory = Memory::new();
        let ids = ["Mara sails", "Porto sails", "Lyon sails"].map(|text| memory.message(text));
        memory.message("Hello!");
        let places =
            |memory: &Memory| ids.map(|id| super::of(&memory.conn, message(id)).unwrap().first().map(|p| p.id));
        let before = places(&memory);
        assert_eq!(holding(&memory.conn, "sail"), ids.map(|id| id.0));
        let recall = |memory: &mut Memory, recall: bool| {
            memory.write(|tx| {
                tx.execute("UPDATE messages SET recall = ?1 WHERE id = ?2", (recall, ids[1])).unwrap();
                catch_up(tx, 10).unwrap()
            })
        };
        recall(&mut memory, false);
        assert_eq!(holding(&memory.conn, "sail"), [ids[0].0, ids[2].0]);
        assert_eq!(places(&memory), [before[0], None, before[2]]);
        recall(&mut memory, true);
        assert_eq!(places(&memory), before);
        assert!(should_hold(&memory.conn, message(ids[1])).unwrap());
        is_sound(&memory.conn);
    }

    #[test]
    fn a_fact_is_found_while_it_is_current() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
        let facts = |memory: &Memory| {
            let rows = all(&memory.conn).into_iter().filter(|(kind, ..)| *kind == OwnerKind::Fact);
            rows.map(|(_, id, _)| id).collect::<Vec<_>>()
        };
        assert_eq!(facts(&memory), [2]);
        let (now, lyon) = (memory.utc(), memory.facts()[0].id);
        let forgotten = memory.write(|tx| forget::facts(tx, &[lyon], None, now).unwrap());
        assert_eq!(facts(&memory), Vec::<i64>::new());
        memory.write(|tx| undo::undo(tx, &[forgotten[0].event], now).unwrap());
        assert_eq!(facts(&memory), [2]);
        assert_eq!(fact::get(&memory.conn, lyon).unwrap().value, "Lyon");
        memory.write(|tx| purge::wipe(tx, now).unwrap());
        assert_eq!(all(&memory.conn), []);
        is_sound(&memory.conn);
    }

    #[test]
    fn a_deleted_conversation_leaves_no_passage() {
        let mut memory = Memory::new();
        let conversation = memory.conversation();
        memory.message("Porto");
        memory.new_conversation();
        let kept = memory.message("Lyon");
        memory.write(|tx| conversation::delete(tx, conversation).unwrap());
        assert_eq!(all(&memory.conn), [(OwnerKind::Message, kept.0, "lyon".to_owned())]);
        is_sound(&memory.conn);
    }

    #[tokio::test]
    async fn deleted_terms_are_overwritten_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let secret = "zebrafinkpassphrase";
        let words = move |tx: &Transaction<'_>, keep: bool| {
            let conversation = conversation::begin(tx, DateTime::UNIX_EPOCH)?;
            for n in 0..300 {
                let text =
                    if keep { format!("harbour number {n}") } else { format!("{secret} number {n} {secret}{n}") };
                let new = NewMessage {
                    conversation,
                    turn: None,
                    role: Role::User,
                    text,
                    state: MessageState::Complete,
                    model: None,
                    speaker: None,
                };
                conversation::add_message(tx, &new, DateTime::UNIX_EPOCH)?;
            }
            Ok(conversation)
        };
        store.write(move |tx| words(tx, true)).await.unwrap();
        let conversation = store.write(move |tx| words(tx, false)).await.unwrap();
        store.truncate_log().await.unwrap();
        let holds = || {
            let bytes = std::fs::read(folder.path().join("atlas.db")).unwrap();
            let is_there = |part: &str| bytes.windows(part.len()).any(|window| window == part.as_bytes());
            // In the vocabulary only what differs from the word before is written: a part is enough to betray it.
            (is_there("zebraf"), is_there("finkpass"), is_there("harbour"))
        };
        assert_eq!(holds(), (true, true, true));
        store.write(move |tx| conversation::delete(tx, conversation)).await.unwrap();
        store.truncate_log().await.unwrap();
        assert_eq!(holds(), (false, false, true));
        let left = store.read(|conn| {
            let mut statement = conn.prepare("SELECT term FROM passages_vocabulary WHERE term LIKE 'z%'")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?)
        });
        assert_eq!(left.await.unwrap(), Vec::<String>::new());
        let sound = store.write(|tx| {
            is_sound(tx);
            Ok(())
        });
        sound.await.unwrap();
    }

    #[test]
    fn what_was_written_by_other_hands_is_caught_up_in_batches() {
        let mut memory = Memory::new();
        let conversation = memory.conversation();
        memory.write(|tx| {
            for n in 0..5 {
                tx.execute(
                    "INSERT INTO messages (conversation_id, role, text, at, state) VALUES (?1, 'user', ?2, ?3, 'complete')",
                    (conversation, format!("Porto {n}"), n),
                )
                .unwrap();
            }
            assert_eq!(index::catch_up(tx, 2).unwrap(), 3);
            assert_eq!(index::catch_up(tx, 9).unwrap(), 0);
        });
        assert_eq!(holding(&memory.conn, "porto"), [1, 2, 3, 4, 5]);
    }
}
