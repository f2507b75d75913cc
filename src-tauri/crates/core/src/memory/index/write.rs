//! Writing passages, each where its neighbours are.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{OptionalExtension, Transaction, named_params};

use crate::memory::index::parts::parts;
use crate::memory::index::passage::{Asks, MOST_PLACES, Owner, OwnerKind, PassageId};
use crate::memory::index::source::{Said, holds, source};
use crate::memory::index::{sealed, terms};
use crate::store::StoreError;
use crate::store::id::{ConversationId, MessageId};
use crate::store::time::Millis;

/// A pause of this many hours begins a new session.
const PAUSE_HOURS: i64 = 6;

/// Brings the passages of a memory up to date where it waits for that: writes those that it should have, deletes those that it
/// should not. What does not wait is up to date.
pub fn write(tx: &Transaction<'_>, owner: Owner) -> Result<(), StoreError> {
    let key = named_params! { ":kind": owner.kind, ":id": owner.id };
    if tx.prepare_cached("DELETE FROM passages_waiting WHERE kind = :kind AND owner_id = :id")?.execute(key)? == 0 {
        return Ok(());
    }
    let sealed = sealed::topics(tx)?;
    let said = source(tx, owner)?.filter(|said| said.is_current && holds(owner.kind, &said.text, &sealed));
    let Some(said) = said else {
        tx.prepare_cached("DELETE FROM passages WHERE kind = :kind AND owner_id = :id")?.execute(key)?;
        return Ok(());
    };
    // What its owner no longer says, the triggers deleted: a passage that is there is right.
    let is_there: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM passages WHERE kind = :kind AND owner_id = :id) AS is_there")?
        .query_row(key, |row| row.get("is_there"))?;
    if is_there {
        return Ok(());
    }
    let texts = texts(&said);
    let first = place(tx, owner, &said, texts.len() as i64)?;
    insert(tx, owner, first, &said, &texts)
}

/// The texts of the passages; more than a session has places for is not found.
fn texts(said: &Said) -> Vec<&str> {
    parts(&said.text).take(MOST_PLACES as usize).collect()
}

fn insert(tx: &Transaction<'_>, owner: Owner, first: PassageId, said: &Said, texts: &[&str]) -> Result<(), StoreError> {
    let mut insert = tx.prepare_cached(
        "INSERT INTO passages (id, kind, owner_id, part, conversation_id, at, speaker, is_question, words, names,
             terms)
         VALUES (:id, :kind, :owner, :part, :conversation, :at, :speaker, :asks, :words, :names, :terms)",
    )?;
    for (part, text) in texts.iter().enumerate() {
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
            ":words": terms::count(text) as i64, ":names": terms::names(text) as i64, ":terms": found_by.join(" "),
        })?;
    }
    Ok(())
}

/// Writes the passages of messages that were just added to the end of one conversation, in their order: what
/// [`write`] would do for each, at a fraction of the cost.
pub(in crate::memory) fn write_added(
    tx: &Transaction<'_>,
    conversation: ConversationId,
    added: impl IntoIterator<Item = (MessageId, Added)>,
) -> Result<(), StoreError> {
    let sealed = sealed::topics(tx)?;
    let mut running: Option<Running> = None;
    let mut between: Option<(MessageId, MessageId)> = None;
    for (id, message) in added {
        between = Some((between.map_or(id, |(first, _)| first), id));
        if !holds(OwnerKind::Message, &message.text, &sealed) {
            continue;
        }
        let owner = Owner { kind: OwnerKind::Message, id: id.0 };
        let said = Said {
            text: message.text,
            also: String::new(),
            is_yours: false,
            conversation: Some(conversation),
            at: message.at,
            speaker: Some(message.speaker),
            is_current: true,
        };
        let texts = texts(&said);
        let count = texts.len() as i64;
        let here = match running.take() {
            Some(running) if running.has_room(said.at, count) => running,
            over => {
                over.map_or(Ok(()), |over| over.save(tx, conversation))?;
                Running::of(tx, conversation, said.at, count)?
            }
        };
        insert(tx, owner, PassageId::at(here.session, here.places), &said, &texts)?;
        running = Some(Running { places: here.places + count, last_at: here.last_at.max(said.at), ..here });
    }
    running.map_or(Ok(()), |running| running.save(tx, conversation))?;
    if let Some((first, last)) = between {
        tx.prepare_cached("DELETE FROM passages_waiting WHERE kind = 0 AND owner_id BETWEEN :first AND :last")?
            .execute(named_params! { ":first": first, ":last": last })?;
    }
    Ok(())
}

/// A message that was just added.
pub(in crate::memory) struct Added {
    pub text: String,
    pub at: DateTime<Utc>,
    pub speaker: String,
}

/// A session that goes on.
struct Running {
    session: i64,
    places: i64,
    last_at: DateTime<Utc>,
}

impl Running {
    /// The session of a conversation that goes on at a moment and has room, else a new one.
    fn of(
        tx: &Transaction<'_>,
        conversation: ConversationId,
        at: DateTime<Utc>,
        count: i64,
    ) -> Result<Self, StoreError> {
        let newest = tx
            .prepare_cached(
                "SELECT id, places, last_at FROM sessions
                 WHERE conversation_id = :conversation AND last_at >= :since AND places + :count <= :most
                 ORDER BY id DESC LIMIT 1",
            )?
            .query_row(
                named_params! {
                    ":conversation": conversation, ":since": Millis(at - TimeDelta::hours(PAUSE_HOURS)),
                    ":count": count, ":most": MOST_PLACES,
                },
                |row| {
                    let last_at = row.get::<_, Millis>("last_at")?.0;
                    Ok(Self { session: row.get("id")?, places: row.get("places")?, last_at })
                },
            )
            .optional()?;
        match newest {
            Some(newest) => Ok(newest),
            None => Ok(Self { session: new_session(tx, OwnerKind::Message)?, places: 0, last_at: at }),
        }
    }

    /// Whether all that stands in it was written before this message.
    fn ends_before(&self, tx: &Transaction<'_>, owner: Owner) -> Result<bool, StoreError> {
        let last: Option<i64> = tx
            .prepare_cached("SELECT owner_id FROM passages WHERE id BETWEEN :first AND :last ORDER BY id DESC LIMIT 1")?
            .query_row(
                named_params! {
                    ":first": PassageId::at(self.session, 0), ":last": PassageId::at(self.session, MOST_PLACES - 1),
                },
                |row| row.get("owner_id"),
            )
            .optional()?;
        Ok(last.is_none_or(|last| last < owner.id))
    }

    fn has_room(&self, at: DateTime<Utc>, count: i64) -> bool {
        self.last_at >= at - TimeDelta::hours(PAUSE_HOURS) && self.places + count <= MOST_PLACES
    }

    fn save(&self, tx: &Transaction<'_>, conversation: ConversationId) -> Result<(), StoreError> {
        tx.prepare_cached(
            "INSERT INTO sessions (id, conversation_id, last_at, places) VALUES (:id, :conversation, :at, :places)
             ON CONFLICT (id) DO UPDATE SET last_at = excluded.last_at, places = excluded.places",
        )?
        .execute(named_params! {
            ":id": self.session, ":conversation": conversation, ":at": Millis(self.last_at), ":places": self.places,
        })?;
        Ok(())
    }
}

/// A place for so many passages in a row. For a message: at the end of the running session of its conversation, where it is
/// later than what stands there; else, because it comes back, where it stood before; else in a new session.
fn place(tx: &Transaction<'_>, owner: Owner, said: &Said, count: i64) -> Result<PassageId, StoreError> {
    let conversation = said.conversation.filter(|_| owner.kind == OwnerKind::Message);
    let Some(conversation) = conversation else { return Ok(PassageId::at(new_session(tx, owner.kind)?, 0)) };
    let mut running = Running::of(tx, conversation, said.at, count)?;
    if !running.ends_before(tx, owner)? {
        if let Some(gap) = gap(tx, owner, conversation, said.at, count)? {
            return Ok(gap);
        }
        running = Running { session: new_session(tx, OwnerKind::Message)?, places: 0, last_at: said.at };
    }
    let first = PassageId::at(running.session, running.places);
    let grown = Running { places: running.places + count, last_at: running.last_at.max(said.at), ..running };
    grown.save(tx, conversation)?;
    Ok(first)
}

/// Where a message that comes back can stand: right after the message before it, where that place is free.
fn gap(
    tx: &Transaction<'_>,
    owner: Owner,
    conversation: ConversationId,
    at: DateTime<Utc>,
    count: i64,
) -> Result<Option<PassageId>, StoreError> {
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
    let Some((before, _)) = before.filter(|(before, places)| before.place() + count < *places) else {
        return Ok(None);
    };
    let first = PassageId(before.0 + 1);
    let is_free: bool = tx
        .prepare_cached("SELECT NOT EXISTS (SELECT 1 FROM passages WHERE id BETWEEN :first AND :last) AS is_free")?
        .query_row(named_params! { ":first": first, ":last": first.0 + count - 1 }, |row| row.get("is_free"))?;
    Ok(is_free.then_some(first))
}

fn new_session(tx: &Transaction<'_>, kind: OwnerKind) -> Result<i64, StoreError> {
    let mut statement = tx.prepare_cached("UPDATE next_session SET id = id + 1 RETURNING id - 1 AS id")?;
    let number: i64 = statement.query_row([], |row| row.get("id"))?;
    Ok(kind.first_session() + number)
}
