//! Pinning a fact: it is always recalled. A change like others, which can be undone.

use chrono::{DateTime, Utc};
use rusqlite::Transaction;

use crate::memory::fact;
use crate::memory::history::change::{self, Before, ChangeKind, MemoryChange, MemoryRef, NewEvent};
use crate::store::StoreError;
use crate::store::id::FactId;

/// Pins a fact, or takes its pin away. `None` where it was so already.
///
/// Errors: [`StoreError::Missing`] where there is no such fact, or it is history.
pub fn fact(
    tx: &Transaction<'_>,
    id: FactId,
    pinned: bool,
    now: DateTime<Utc>,
) -> Result<Option<MemoryChange>, StoreError> {
    let fact = fact::get(tx, id)?;
    if fact.retired_at.is_some() || !fact::is_visible(tx, id)? {
        return Err(StoreError::Missing("fact"));
    }
    if fact.pinned == pinned {
        return Ok(None);
    }
    fact::pin(tx, id, pinned)?;
    let event = NewEvent {
        kind: if pinned { ChangeKind::Pinned } else { ChangeKind::Unpinned },
        target: MemoryRef::Fact(id),
        other: None,
        before: Before { target_stays: true, ..Before::default() },
        sentence: &fact.quote,
        why: if pinned { "pinned by hand" } else { "unpinned by hand" },
        message: None,
    };
    change::record(tx, &event, now).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::history::undo;
    use crate::memory::testing::Memory;

    #[test]
    fn a_pin_is_a_change_that_can_be_undone_and_undone_again() {
        let mut memory = Memory::new();
        memory.say("I drink tea", &[["user", "drinks", "tea"]]);
        let (id, now) = (memory.facts()[0].id, memory.utc());
        let pinned = memory.write(|tx| fact(tx, id, true, now).unwrap()).unwrap();
        assert_eq!((pinned.kind, pinned.sentence.as_str()), (ChangeKind::Pinned, "I drink tea"));
        assert_eq!(memory.write(|tx| fact(tx, id, true, now).unwrap()), None);
        let unpinned = memory.write(|tx| fact(tx, id, false, now).unwrap()).unwrap();
        assert_eq!(unpinned.kind, ChangeKind::Unpinned);
        memory.write(|tx| undo::undo(tx, &[unpinned.event], now).unwrap());
        assert!(memory.facts()[0].pinned);
        memory.write(|tx| undo::undo(tx, &[pinned.event, unpinned.event], now).unwrap());
        assert!(!memory.facts()[0].pinned);
    }

    #[test]
    fn what_is_history_or_gone_cannot_be_pinned() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        let (old, now) = (memory.facts()[0].id, memory.utc());
        memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
        for id in [old, FactId(99)] {
            assert!(matches!(memory.write(|tx| fact(tx, id, true, now)), Err(StoreError::Missing("fact"))), "{id}");
        }
    }
}
