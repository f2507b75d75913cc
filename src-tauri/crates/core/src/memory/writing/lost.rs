//! What becomes of memory when the text that taught it is lost: its message was edited, or its answer asked for again. What
//! only the lost text supported is retired, and what it had replaced is current again; an undo has it back.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Transaction, named_params};

use crate::memory::fact::{self, Because};
use crate::memory::history::change::{self, Before, ChangeKind, MemoryChange, MemoryRef, NewEvent, Standing};
use crate::memory::history::undo;
use crate::memory::index;
use crate::store::StoreError;
use crate::store::id::{FactId, MessageId, TurnId};
use crate::store::time::Millis;

/// How many memories that are current again are found again at once; the rest is by the work after the answer.
const BACK_AT_ONCE: u32 = 64;

/// Retires what only messages support that another one replaced. What the person entered or pinned by hand stays.
///
/// `message` is the one that stands in their place. Notes of the lost messages go, and so does what waits because of them.
pub fn retire_unsupported(
    tx: &Transaction<'_>,
    message: MessageId,
    now: DateTime<Utc>,
) -> Result<Vec<MemoryChange>, StoreError> {
    let unsupported: Vec<FactId> = tx
        .prepare_cached(
            "SELECT DISTINCT s.fact_id FROM messages lost JOIN fact_sources s ON s.message_id = lost.id JOIN facts f ON f.id = s.fact_id
             WHERE lost.replaced_by = :message AND lost.role = 'user' AND f.forgotten_at IS NULL AND f.pinned = 0
                 AND f.retired_because IS NOT 'lost'
                 AND NOT EXISTS (SELECT 1 FROM fact_sources other JOIN messages m ON m.id = other.message_id
                                 WHERE other.fact_id = f.id AND m.replaced_by IS NULL)
             ORDER BY s.fact_id DESC",
        )?
        .query_map(named_params! { ":message": message }, |row| row.get("fact_id"))?
        .collect::<Result<_, _>>()?;
    tx.prepare_cached(
        "DELETE FROM review WHERE source_message_id IN (SELECT id FROM messages WHERE replaced_by = ?1) AND state = 'waiting'",
    )?
    .execute([message])?;
    tx.prepare_cached(
        "DELETE FROM episodes WHERE kind = 'note' AND source_message_id IN (SELECT id FROM messages WHERE replaced_by = ?1)",
    )?
    .execute([message])?;
    tx.prepare_cached(
        "UPDATE conversations SET summed_up_at = NULL WHERE id = (SELECT conversation_id FROM messages WHERE id = ?1)",
    )?
    .execute([message])?;
    retire_all(tx, &unsupported, message, "its message was edited", now)
}

/// The facts that only the ops of earlier answers to a message support.
pub fn only_from_earlier_answers(
    conn: &Connection,
    message: MessageId,
    turn: TurnId,
) -> Result<Vec<FactId>, StoreError> {
    let facts = conn
        .prepare_cached(
            "SELECT s.fact_id FROM fact_sources s JOIN facts f ON f.id = s.fact_id
             WHERE s.message_id = :message AND s.turn_id < :turn AND f.forgotten_at IS NULL AND f.pinned = 0
                 AND f.retired_because IS NOT 'lost'
                 AND NOT EXISTS (SELECT 1 FROM fact_sources other JOIN messages m ON m.id = other.message_id
                                 WHERE other.fact_id = f.id AND other.message_id <> :message AND m.replaced_by IS NULL)
             ORDER BY s.fact_id DESC",
        )?
        .query_map(named_params! { ":message": message, ":turn": turn }, |row| row.get("fact_id"))?
        .collect::<Result<_, _>>()?;
    Ok(facts)
}

/// Retires what only the ops of earlier answers to a message support, once a new answer stands in their place.
pub fn retire_of_earlier_answers(
    tx: &Transaction<'_>,
    message: MessageId,
    turn: TurnId,
    now: DateTime<Utc>,
) -> Result<Vec<MemoryChange>, StoreError> {
    // The note told of the answer that is lost.
    tx.prepare_cached(
        "DELETE FROM episodes WHERE kind = 'note' AND source_message_id = ?1
         AND EXISTS (SELECT 1 FROM turns WHERE message_id = ?1 AND id < ?2)",
    )?
    .execute((message, turn))?;
    let facts = only_from_earlier_answers(tx, message, turn)?;
    retire_all(tx, &facts, message, "its answer was asked for again", now)
}

/// Notes which turn made a message support facts.
pub fn mark_turn(tx: &Transaction<'_>, message: MessageId, facts: &[FactId], turn: TurnId) -> Result<(), StoreError> {
    let mut statement =
        tx.prepare_cached("UPDATE fact_sources SET turn_id = ?3 WHERE message_id = ?1 AND fact_id = ?2")?;
    for fact in facts {
        statement.execute((message, fact, turn))?;
    }
    Ok(())
}

fn retire_all(
    tx: &Transaction<'_>,
    facts: &[FactId],
    message: MessageId,
    why: &'static str,
    now: DateTime<Utc>,
) -> Result<Vec<MemoryChange>, StoreError> {
    let mut changes = Vec::new();
    for id in facts {
        let stood = standing(tx, *id)?;
        undo::restore_what_it_replaced(tx, *id)?;
        tx.prepare_cached(
            "UPDATE facts SET retired_at = coalesce(retired_at, :now), retired_because = :because, superseded_by = NULL WHERE id = :id",
        )?
        .execute(named_params! { ":now": Millis(now), ":because": Because::Lost, ":id": id })?;
        let sentence = fact::quote_of(tx, *id)?;
        let event = NewEvent {
            kind: ChangeKind::Retired,
            target: MemoryRef::Fact(*id),
            other: None,
            before: Before { target_stays: true, stood, ..Before::default() },
            sentence: &sentence,
            why,
            message: Some(message),
        };
        changes.push(change::record(tx, &event, now)?);
    }
    if !changes.is_empty() {
        index::catch_up(tx, BACK_AT_ONCE)?;
    }
    Ok(changes)
}

/// How a fact stands, and all that it took the place of.
fn standing(conn: &Connection, id: FactId) -> Result<Vec<Standing>, StoreError> {
    let stood = conn
        .prepare_cached(
            "SELECT id, valid_to, retired_at, superseded_by, retired_because FROM facts WHERE id = ?1 OR superseded_by = ?1 ORDER BY id",
        )?
        .query_map([id], |row| {
            Ok(Standing {
                id: row.get("id")?,
                valid_to: row.get("valid_to")?,
                retired_at: row.get("retired_at")?,
                superseded_by: row.get("superseded_by")?,
                because: row.get("retired_because")?,
            })
        })?
        .collect::<Result<_, _>>()?;
    Ok(stood)
}

/// Facts stand again as they stood.
pub(in crate::memory) fn stand_again(tx: &Transaction<'_>, stood: &[Standing]) -> Result<(), StoreError> {
    for one in stood {
        tx.prepare_cached(
            "UPDATE facts SET valid_to = :valid_to, retired_at = :retired_at, superseded_by = :by, retired_because = :because
             WHERE id = :id",
        )?
        .execute(named_params! {
            ":valid_to": one.valid_to, ":retired_at": one.retired_at, ":by": one.superseded_by, ":because": one.because,
            ":id": one.id,
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::Memory;

    fn replace(memory: &mut Memory, lost: MessageId, by: MessageId) -> Vec<MemoryChange> {
        let now = memory.utc();
        memory.write(|tx| {
            tx.execute("UPDATE messages SET replaced_by = ?2 WHERE id = ?1", (lost, by)).unwrap();
            retire_unsupported(tx, by, now).unwrap()
        })
    }

    #[test]
    fn what_only_an_edited_message_said_is_no_longer_believed_and_an_undo_has_it_back() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        memory.say("I moved to Lyon and drink tea.", &[["user", "lives in", "Lyon"], ["user", "drinks", "tea"]]);
        let lost = memory.facts()[0].source_message.unwrap();
        memory.say("I drink tea.", &[["user", "drinks", "tea"]]);
        let by = memory.message("I stayed.");
        let changes = replace(&mut memory, lost, by);
        let told: Vec<_> = changes.iter().map(|change| (change.kind, change.sentence.as_str())).collect();
        assert_eq!(told, [(ChangeKind::Retired, "I moved to Lyon and drink tea.")]);
        assert_eq!(memory.structure(), ["user | lives in | Porto", "user | drinks | tea"]);
        let now = memory.utc();
        memory.write(|tx| undo::undo(tx, &[changes[0].event], now).unwrap());
        assert_eq!(memory.structure(), ["user | lives in | Lyon", "user | drinks | tea"]);
        assert_eq!(memory.facts()[0].replaced, ["Porto"]);
    }

    #[test]
    fn what_was_pinned_or_entered_by_hand_stays() {
        let mut memory = Memory::new();
        memory.say("I live in Porto and drink tea.", &[["user", "lives in", "Porto"], ["user", "drinks", "tea"]]);
        let (id, lost) = (memory.facts()[0].id, memory.facts()[0].source_message.unwrap());
        memory.write(|tx| fact::pin(tx, id, true).unwrap());
        let by = memory.message("Hello");
        replace(&mut memory, lost, by);
        assert_eq!(memory.structure(), ["user | lives in | Porto"]);
    }

    #[test]
    fn an_answer_that_is_asked_for_again_takes_what_only_its_ops_supported() {
        let mut memory = Memory::new();
        let decisions = memory
            .say("I live in Lyon and think of Porto", &[["user", "lives in", "Lyon"], ["user", "thinks of", "Porto"]]);
        let facts: Vec<FactId> = decisions.iter().filter_map(|decision| decision.change()?.fact).collect();
        let (message, now) = (memory.facts()[0].source_message.unwrap(), memory.utc());
        memory.write(|tx| {
            mark_turn(tx, message, &facts, TurnId(1)).unwrap();
            // The second answer proposes one of them again.
            mark_turn(tx, message, &facts[1..], TurnId(2)).unwrap();
            retire_of_earlier_answers(tx, message, TurnId(2), now).unwrap()
        });
        assert_eq!(memory.structure(), ["user | thinks of | Porto"]);
    }
}
