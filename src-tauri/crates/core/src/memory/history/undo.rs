//! Taking changes of memory back. Undoing twice is harmless.

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Transaction, named_params};

use crate::memory::fact::{self, Because, Known};
use crate::memory::forgetting::{erase, forget};
use crate::memory::history::change::{self, Before, ChangeKind, Event, MemoryRef, Target};
use crate::memory::index;
use crate::memory::relation::{self, Holds, Polarity};
use crate::memory::writing::{lost, review};
use crate::store::StoreError;
use crate::store::id::{FactId, MemoryEventId};
use crate::store::time::Millis;

/// How many memories are written back into the index before an undo is done.
const BACK_AT_ONCE: u32 = 200;

/// What came of undoing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Undone {
    /// Taken back by this call.
    pub undone: Vec<MemoryEventId>,
    /// What was forgotten and is purged already, so that nothing can bring it back.
    pub too_late: Vec<MemoryEventId>,
}

/// Takes changes back, the newest first. What was undone before and what does not exist is passed by.
pub fn undo(tx: &Transaction<'_>, events: &[MemoryEventId], now: DateTime<Utc>) -> Result<Undone, StoreError> {
    let mut newest_first = events.to_vec();
    newest_first.sort_unstable_by(|a, b| b.cmp(a));
    newest_first.dedup();
    let mut result = Undone::default();
    for id in newest_first {
        let Some(event) = change::event(tx, id)?.filter(|event| event.undone_at.is_none()) else { continue };
        // A purge takes the log's text and what an undo needs: there is nothing left to bring back.
        let Some(before) = &event.before else {
            result.too_late.push(id);
            continue;
        };
        take_back(tx, &event, before, now)?;
        tx.prepare_cached("UPDATE memory_events SET undone_at = :now WHERE id = :id")?
            .execute(named_params! { ":now": Millis(now), ":id": event.id })?;
        result.undone.push(id);
    }
    // What came back is found at once; more than a person undoes by hand is found when the background work has come to it.
    index::catch_up(tx, BACK_AT_ONCE)?;
    Ok(result)
}

fn take_back(tx: &Transaction<'_>, event: &Event, before: &Before, now: DateTime<Utc>) -> Result<(), StoreError> {
    if event.kind == ChangeKind::Forgotten {
        forget::bring_back(tx, event.target, before)?;
        return if let Target::Memory(MemoryRef::Fact(id)) = event.target { give_way(tx, id, now) } else { Ok(()) };
    }
    let target = match event.target {
        Target::Memory(memory) => memory,
        Target::Review(id) => return review::take_back(tx, id, event.kind),
        Target::Beside => return Ok(()),
    };
    if let Some(id) = before.review {
        review::wait_again(tx, id)?;
    }
    match (event.kind, target) {
        (ChangeKind::Confirmed, MemoryRef::Fact(id)) => unconfirm(tx, id, before),
        (
            ChangeKind::Added
            | ChangeKind::Superseded
            | ChangeKind::Edited
            | ChangeKind::Imported
            | ChangeKind::Accepted,
            MemoryRef::Fact(id),
        ) => unwrite(tx, id, before.target_stays),
        (ChangeKind::Pinned | ChangeKind::Unpinned, MemoryRef::Fact(id)) => {
            fact::pin(tx, id, event.kind == ChangeKind::Unpinned)
        }
        (ChangeKind::Retired, MemoryRef::Fact(id)) => {
            lost::stand_again(tx, &before.stood)?;
            give_way(tx, id, now)
        }
        (ChangeKind::Dismissed | ChangeKind::Forgotten, MemoryRef::Fact(_)) => Ok(()),
        // Episodes, procedures and messages are only ever forgotten by an event.
        (_, MemoryRef::Episode(_) | MemoryRef::Procedure(_) | MemoryRef::Message(_)) => Ok(()),
    }
}

/// A fact that comes back finds its place taken, where the person said something else in the meantime: that is newer.
fn give_way(tx: &Transaction<'_>, id: FactId, now: DateTime<Utc>) -> Result<(), StoreError> {
    let fact = fact::get(tx, id)?;
    if fact.retired_at.is_some() {
        return Ok(());
    }
    let draft = fact::FactDraft { subject: fact.subject, relation: fact.relation, value: fact.value };
    let key = relation::key(&draft, fact::person(tx)?.as_deref());
    let others = fact::known(tx, &key)?;
    let excludes = |other: &Known| {
        let holds_one =
            key.holds == Holds::One && other.polarity == Polarity::Holds && fact.polarity == Polarity::Holds;
        holds_one || relation::same_value(&key.relation, &other.value_key, &key.value)
    };
    let rival = others.iter().rfind(|other| other.id != id && excludes(other));
    rival.map_or(Ok(()), |rival| fact::retire(tx, id, rival.id, Because::Change, now))
}

fn unconfirm(tx: &Transaction<'_>, id: FactId, before: &Before) -> Result<(), StoreError> {
    if let Some(message) = before.source {
        tx.prepare_cached("DELETE FROM fact_sources WHERE fact_id = :fact AND message_id = :message")?
            .execute(named_params! { ":fact": id, ":message": message })?;
    }
    tx.prepare_cached("UPDATE facts SET confidence = coalesce(:confidence, confidence), origin = coalesce(:origin, origin) WHERE id = :id")?
        .execute(named_params! { ":confidence": before.confidence, ":origin": before.origin, ":id": id })?;
    Ok(())
}

/// What a fact had replaced is current again, or, where something newer stands, that one's history.
pub(in crate::memory) fn restore_what_it_replaced(tx: &Transaction<'_>, id: FactId) -> Result<(), StoreError> {
    hand_back(tx, id, "")
}

/// Takes a written fact away: what it had replaced is current again, or, where something newer stands, that one's history.
fn unwrite(tx: &Transaction<'_>, id: FactId, stays: bool) -> Result<(), StoreError> {
    // A fact that was there before took over only what the edit handed to it.
    hand_back(tx, id, if stays { "AND retired_because = 'edit'" } else { "" })?;
    if stays { Ok(()) } else { erase::fact(tx, id) }
}

fn hand_back(tx: &Transaction<'_>, id: FactId, because: &str) -> Result<(), StoreError> {
    let successor: Option<FactId> = tx
        .query_row("SELECT superseded_by FROM facts WHERE id = ?1", [id], |row| row.get("superseded_by"))
        .optional()?
        .flatten();
    match successor {
        Some(successor) => {
            tx.prepare_cached(&format!(
                "UPDATE facts SET superseded_by = :successor WHERE superseded_by = :id {because}"
            ))?
            .execute(named_params! { ":successor": successor, ":id": id })?;
        }
        None => {
            tx.prepare_cached(&format!(
                "UPDATE facts SET valid_to = CASE retired_because WHEN 'change' THEN NULL ELSE valid_to END,
                 retired_at = NULL, superseded_by = NULL, retired_because = NULL WHERE superseded_by = :id {because}"
            ))?
            .execute(named_params! { ":id": id })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::memory::forgetting::purge;
    use crate::memory::testing::Memory;
    use crate::memory::writing::gate::Decision;

    fn events(decisions: &[Decision]) -> Vec<MemoryEventId> {
        decisions.iter().filter_map(|decision| decision.change().map(|change| change.event)).collect()
    }

    fn undo_in(memory: &mut Memory, events: &[MemoryEventId]) -> Undone {
        let now = memory.utc();
        memory.write(|tx| undo(tx, events, now).unwrap())
    }

    #[test]
    fn what_was_added_goes_and_undoing_twice_is_harmless() {
        let mut memory = Memory::new();
        let added = events(&memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]));
        assert_eq!(undo_in(&mut memory, &added).undone, added);
        assert_eq!(memory.known(), Vec::<String>::new());
        assert_eq!(undo_in(&mut memory, &added), Undone::default());
    }

    #[test]
    fn what_was_replaced_is_current_again() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let before = memory.facts();
        let moved = events(&memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]));
        undo_in(&mut memory, &moved);
        assert_eq!(memory.facts(), before);
    }

    #[test]
    fn undoing_a_middle_change_joins_the_history_around_it() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let lyon = events(&memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]));
        let rome = events(&memory.say("I moved to Rome.", &[["user", "lives in", "Rome"]]));
        undo_in(&mut memory, &lyon);
        assert_eq!(
            (memory.known(), memory.facts()[0].replaced.clone()),
            (vec!["I moved to Rome.".to_owned()], vec!["Porto".to_owned()])
        );
        undo_in(&mut memory, &rome);
        assert_eq!(memory.known(), ["I live in Porto."]);
    }

    #[test]
    fn a_confirmation_loses_its_source() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let again = events(&memory.say("Porto is my home", &[["user", "home", "Porto"]]));
        undo_in(&mut memory, &again);
        let sources: i64 = memory.conn.query_row("SELECT count(*) FROM fact_sources", [], |row| row.get(0)).unwrap();
        assert_eq!((sources, memory.known().len()), (1, 1));
    }

    #[test]
    fn a_forget_comes_back_until_its_time_is_over() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let (id, now) = (memory.facts()[0].id, memory.utc());
        let first = memory.write(|tx| forget::facts(tx, &[id], None, now).unwrap());
        assert_eq!(memory.known(), Vec::<String>::new());
        undo_in(&mut memory, &[first[0].event]);
        assert_eq!(memory.known(), ["I live in Porto."]);
        let second = memory.write(|tx| forget::facts(tx, &[id], None, now).unwrap());
        memory.later(TimeDelta::seconds(11));
        let later = memory.utc();
        memory.write(|tx| purge::due(tx, later).unwrap());
        assert_eq!(undo_in(&mut memory, &[second[0].event]).too_late, [second[0].event]);
        assert_eq!(memory.known(), Vec::<String>::new());
    }

    #[test]
    fn what_comes_back_gives_way_to_what_was_said_since() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let (id, now) = (memory.facts()[0].id, memory.utc());
        let forgotten = memory.write(|tx| forget::facts(tx, &[id], None, now).unwrap());
        memory.say("I live in Rome.", &[["user", "lives in", "Rome"]]);
        undo_in(&mut memory, &[forgotten[0].event]);
        assert_eq!(
            (memory.known(), memory.facts()[0].replaced.clone()),
            (vec!["I live in Rome.".to_owned()], vec!["Porto".to_owned()])
        );
    }
}
