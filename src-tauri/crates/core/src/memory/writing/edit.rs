//! Editing a fact by hand: what it was stays as history, and the edit can be undone.

use chrono::{DateTime, Utc};
use rusqlite::Transaction;

use crate::memory::fact::{self, Because, Fact, FactDraft, Known, NewFact, Origin};
use crate::memory::forgetting::tombstone;
use crate::memory::history::change::{self, Before, ChangeKind, MemoryChange, MemoryRef, NewEvent};
use crate::memory::relation::{self, Holds, Key, Polarity};
use crate::memory::writing::candidate::{Candidate, Refusal};
use crate::memory::writing::verify::Sound;
use crate::memory::writing::when::When;
use crate::memory::writing::{gate, names, refusal};
use crate::store::StoreError;
use crate::store::id::FactId;

/// Puts other words, or another structure over them, in a fact's place. The person's hand is above all origins, and sealed topics
/// do not bind it: they wrote it themself. Without `quote` the words stay, where they hold the value.
///
/// Errors: [`StoreError::Missing`] where there is no such current fact. A [`Refusal`] changes nothing.
pub fn fact(
    tx: &Transaction<'_>,
    id: FactId,
    draft: &FactDraft,
    quote: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Result<MemoryChange, Refusal>, StoreError> {
    let old = fact::get(tx, id)?;
    if old.retired_at.is_some() || !fact::is_visible(tx, id)? {
        return Err(StoreError::Missing("fact"));
    }
    let words = match quote.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => words.to_owned(),
        None => gate::words_of_edited(&old.quote, draft),
    };
    let why = "edited by hand";
    let sound =
        gate::vouched_for(&Candidate { quote: Some(words), ..Candidate::bare(draft.clone(), Origin::Said, 1.0, why) });
    if let Some(unfit) = refusal::unfit(&sound.draft) {
        return Ok(Err(unfit));
    }
    let person = fact::person(tx)?;
    let key = gate::key_of(tx, &sound, person.as_deref())?;
    let known: Vec<Known> = names::known(tx, &key)?.into_iter().filter(|other| other.id != id).collect();
    let says_it = |other: &&Known| {
        other.polarity == sound.polarity && relation::same_value(&key.relation, &other.value_key, &key.value)
    };
    let same = known.iter().find(says_it);
    let new = match same {
        Some(same) => same.id,
        None => write(tx, &old, &sound, &key, now)?,
    };
    fact::retire(tx, id, new, Because::Edit, now)?;
    if key.holds == Holds::One && sound.polarity == Polarity::Holds {
        for other in known.iter().filter(|other| other.id != new && other.polarity == Polarity::Holds) {
            fact::retire(tx, other.id, new, Because::Change, now)?;
        }
    }
    let sentence = fact::quote_of(tx, new)?;
    let event = NewEvent {
        kind: ChangeKind::Edited,
        target: MemoryRef::Fact(new),
        other: Some(id),
        before: Before { target_stays: same.is_some(), ..Before::default() },
        sentence: &sentence,
        why,
        message: None,
    };
    Ok(Ok(change::record(tx, &event, now)?))
}

fn write(tx: &Transaction<'_>, old: &Fact, sound: &Sound, key: &Key, now: DateTime<Utc>) -> Result<FactId, StoreError> {
    let keeps_words = sound.quote == old.quote;
    let when = match keeps_words {
        true => When { words: old.time_words.clone(), date: old.date.clone() },
        false => When::default(),
    };
    let new = NewFact {
        draft: &sound.draft,
        key,
        quote: &sound.quote,
        polarity: sound.polarity,
        when: &when,
        topic: old.topic.as_deref(),
        confidence: 1.0,
        origin: Origin::Said,
        message: old.source_message.filter(|_| keeps_words),
        said_at: if keeps_words { old.said_at } else { now },
        valid_from: Some(old.valid_from.unwrap_or(old.recorded_at)),
        pinned: old.pinned,
    };
    let id = fact::insert(tx, &new, now)?;
    tombstone::lift(tx, key)?;
    fact::take_over_use(tx, old.id, id)?;
    Ok(id)
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
        let change =
            memory.write(|tx| fact(tx, id, &draft(["user", "lives in", "Lisbon"]), None, now).unwrap().unwrap());
        assert_eq!((change.kind, change.sentence.as_str()), (ChangeKind::Edited, "lives in Lisbon"));
        assert_eq!(memory.facts()[0].replaced, ["Porto"]);
        memory.write(|tx| undo::undo(tx, &[change.event], now).unwrap());
        assert_eq!(memory.known(), ["I live in Porto."]);
    }

    #[test]
    fn words_without_a_structure_have_the_words_they_replaced_as_their_history_and_no_others() {
        let mut memory = Memory::new();
        for words in ["I live by the sea.", "My knees hurt."] {
            memory.say(words, &[["user", "said", words]]);
        }
        let now = memory.utc();
        for (before, after) in [("I live by the sea.", "I live by a lake."), ("I live by a lake.", "I live on a hill.")]
        {
            let id = memory.facts().into_iter().find(|one| one.quote == before).unwrap().id;
            memory.write(|tx| fact(tx, id, &draft(["user", "said", after]), Some(after), now).unwrap().unwrap());
        }
        let now_known = memory.facts().into_iter().find(|one| one.quote == "I live on a hill.").unwrap();
        assert_eq!(now_known.replaced, ["I live by a lake.", "I live by the sea."]);
        let history = memory.write(|tx| fact::history(tx, now_known.id).unwrap());
        let history: Vec<_> = history.into_iter().map(|one| one.quote).collect();
        assert_eq!(history, ["I live on a hill.", "I live by a lake.", "I live by the sea."]);
    }

    #[test]
    fn an_edit_into_what_is_known_already_makes_one_of_two() {
        let mut memory = Memory::new();
        memory.say("I like tea and tee", &[["user", "drinks", "tea"], ["user", "drinks", "tee"]]);
        let (id, now) = (memory.facts()[1].id, memory.utc());
        let change = memory.write(|tx| fact(tx, id, &draft(["user", "drinks", "tea"]), None, now).unwrap().unwrap());
        assert_eq!(memory.structure(), ["user | drinks | tea"]);
        memory.write(|tx| undo::undo(tx, &[change.event], now).unwrap());
        assert_eq!(memory.structure(), ["user | drinks | tea", "user | drinks | tee"]);
    }

    #[test]
    fn an_edit_that_leaves_nothing_changes_nothing() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let (id, now) = (memory.facts()[0].id, memory.utc());
        let refused = memory.write(|tx| fact(tx, id, &draft(["user", "lives in", " "]), None, now).unwrap());
        assert_eq!(refused, Err(Refusal::Empty));
        assert_eq!(memory.known(), ["I live in Porto."]);
    }
}
