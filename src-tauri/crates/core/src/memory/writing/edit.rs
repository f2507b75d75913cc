//! Editing a fact by hand: what it was stays as history, and the edit can be undone.

use chrono::{DateTime, Utc};
use rusqlite::Transaction;

use crate::memory::fact::{self, Because, FactDraft, Known, NewFact, Origin};
use crate::memory::forgetting::tombstone;
use crate::memory::history::change::{self, Before, ChangeKind, MemoryChange, MemoryRef, NewEvent};
use crate::memory::language::relation::{self, Holds};
use crate::memory::writing::{candidate::Refusal, names, refusal};
use crate::store::StoreError;
use crate::store::id::FactId;
use crate::text;

/// Puts another wording or value in a fact's place. The person's hand is above all origins, and sealed topics do not bind
/// it: they wrote it themself.
///
/// Errors: [`StoreError::Missing`] where there is no such current fact. A [`Refusal`] changes nothing.
pub fn fact(
    tx: &Transaction<'_>,
    id: FactId,
    draft: &FactDraft,
    now: DateTime<Utc>,
) -> Result<Result<MemoryChange, Refusal>, StoreError> {
    let old = fact::get(tx, id)?;
    if old.retired_at.is_some() || !fact::is_visible(tx, id)? {
        return Err(StoreError::Missing("fact"));
    }
    let draft = FactDraft {
        subject: text::clean(&draft.subject),
        relation: relation::relation_words_for_people(&draft.relation),
        value: text::clean(&draft.value),
    };
    if let Some(unfit) = refusal::unfit(&draft) {
        return Ok(Err(unfit));
    }
    let person = fact::person(tx)?;
    let key = names::key(tx, &draft, person.as_deref())?;
    let known: Vec<Known> = names::known(tx, &key)?.into_iter().filter(|other| other.id != id).collect();
    let same = known.iter().find(|other| relation::same_value(&key.relation, &other.value_key, &key.value));
    let new = match same {
        Some(same) => same.id,
        None => {
            let new = NewFact {
                draft: &draft,
                key: &key,
                confidence: 1.0,
                origin: Origin::Said,
                message: None,
                valid_from: Some(old.valid_from.unwrap_or(old.recorded_at)),
                pinned: old.pinned,
            };
            let new = fact::insert(tx, &new, person.as_deref(), now)?;
            tombstone::lift(tx, &key)?;
            fact::take_over_use(tx, id, new)?;
            new
        }
    };
    fact::retire(tx, id, new, Because::Edit, now)?;
    if key.holds == Holds::One {
        for other in known.iter().filter(|other| other.id != new) {
            fact::retire(tx, other.id, new, Because::Change, now)?;
        }
    }
    let sentence = fact::sentence_of(tx, new)?;
    let event = NewEvent {
        kind: ChangeKind::Edited,
        target: MemoryRef::Fact(new),
        other: Some(id),
        before: Before { target_stays: same.is_some(), ..Before::default() },
        sentence: &sentence,
        why: "edited by hand",
        message: None,
    };
    Ok(Ok(change::record(tx, &event, now)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::history::undo;
    use crate::memory::testing::{Memory, draft};

    #[test]
    fn an_edit_keeps_the_old_value_as_history_and_can_be_undone() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let (id, now) = (memory.facts()[0].id, memory.utc());
        let change = memory.write(|tx| fact(tx, id, &draft(["user", "lives in", "Lisbon"]), now).unwrap().unwrap());
        assert_eq!((change.kind, change.sentence.as_str()), (ChangeKind::Edited, "You live in Lisbon"));
        assert_eq!(memory.facts()[0].replaced, ["Porto"]);
        memory.write(|tx| undo::undo(tx, &[change.event], now).unwrap());
        assert_eq!(memory.known(), ["You live in Porto"]);
    }

    #[test]
    fn an_edit_into_what_is_known_already_makes_one_of_two() {
        let mut memory = Memory::new();
        memory.say("I like tea and tee", &[["user", "drinks", "tea"], ["user", "drinks", "tee"]]);
        let (id, now) = (memory.facts()[1].id, memory.utc());
        let change = memory.write(|tx| fact(tx, id, &draft(["user", "drinks", "tea"]), now).unwrap().unwrap());
        assert_eq!(memory.known(), ["You drink tea"]);
        memory.write(|tx| undo::undo(tx, &[change.event], now).unwrap());
        assert_eq!(memory.known(), ["You drink tea", "You drink tee"]);
    }

    #[test]
    fn an_edit_that_leaves_nothing_changes_nothing() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let (id, now) = (memory.facts()[0].id, memory.utc());
        let refused = memory.write(|tx| fact(tx, id, &draft(["user", "lives in", " "]), now).unwrap());
        assert_eq!(refused, Err(Refusal::Empty));
        assert_eq!(memory.known(), ["You live in Porto"]);
    }
}
