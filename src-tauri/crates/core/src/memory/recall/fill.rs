//! What a prompt holds of memory: what fits into its budget, and what fills the room that relevant memories leave.

use chrono::{DateTime, Utc};
use rusqlite::Connection;

use super::{Reason, ReasonName, RecalledItem, Setting};
use crate::memory::episode;
use crate::memory::history::change::MemoryRef;
use crate::memory::procedure;
use crate::memory::recall::weights::judged;
use crate::memory::recall::{
    candidates::{self, FactRow},
    fence,
};
use crate::store::StoreError;

const RECENT_EPISODES: u32 = 3;
const TOLD_PROCEDURES: u32 = 5;
/// How many of the newest and of the most used facts are looked at to fill the room: more than a prompt has room for.
const FAMILIAR: u32 = 60;

/// Fills the room: what happened lately, what helped before, then the person's facts, the newest and most used first.
pub(in crate::memory) fn fill(conn: &Connection, setting: &Setting<'_>, basket: &mut Basket) -> Result<(), StoreError> {
    for episode in episode::recent(conn, setting.ask.conversation, RECENT_EPISODES)? {
        let reason = Reason::plain(ReasonName::Recency);
        basket.put(RecalledItem {
            conversation: episode.conversation,
            ..filler(MemoryRef::Episode(episode.id), episode.text, episode.at, reason, setting)
        });
    }
    for procedure in procedure::worth_telling(conn, TOLD_PROCEDURES, setting.ask.now.to_utc())? {
        let reason = Reason::plain(ReasonName::Kind);
        let (memory, at) = (MemoryRef::Procedure(procedure.id), procedure.last_used_at);
        basket.put(filler(memory, procedure.told(), at, reason, setting));
    }
    let familiar = candidates::familiar(conn, FAMILIAR)?;
    let (yours, others): (Vec<FactRow>, Vec<FactRow>) = familiar.into_iter().partition(|row| row.is_about_user);
    for row in yours.iter().chain(&others) {
        if basket.is_full() {
            break;
        }
        if basket.has_room_for(&row.quote) && !basket.holds(MemoryRef::Fact(row.id)) {
            let (sentence, reason) = (setting.told_fact(conn, row)?, Reason::plain(ReasonName::Familiar));
            let item = filler(MemoryRef::Fact(row.id), sentence, row.said_at, reason, setting);
            basket.put(RecalledItem { origin: Some(row.origin), ..item });
        }
    }
    Ok(())
}

/// Puts in what is known of the person, the newest and most used first: what they ask for who ask in common words.
pub(in crate::memory) fn known_of_the_person(
    conn: &Connection,
    setting: &Setting<'_>,
    basket: &mut Basket,
) -> Result<(), StoreError> {
    for row in candidates::familiar(conn, FAMILIAR)?.iter().filter(|row| row.is_about_user) {
        let reason = Reason { contribution: f64::from(judged::OF_THE_PERSON), ..Reason::plain(ReasonName::AboutYou) };
        let item = filler(MemoryRef::Fact(row.id), setting.told_fact(conn, row)?, row.said_at, reason, setting);
        basket.put(RecalledItem { origin: Some(row.origin), score: f64::from(judged::OF_THE_PERSON), ..item });
    }
    Ok(())
}

fn filler(
    memory: MemoryRef,
    sentence: String,
    at: DateTime<Utc>,
    reason: Reason,
    setting: &Setting<'_>,
) -> RecalledItem {
    RecalledItem {
        memory,
        sentence,
        origin: None,
        at,
        day: setting.day(at),
        conversation: None,
        speaker: None,
        score: 0.0,
        reasons: vec![reason],
    }
}

/// What fits into the budget, each memory once.
pub(in crate::memory) struct Basket {
    pub(in crate::memory) items: Vec<RecalledItem>,
    left: u64,
}

impl Basket {
    pub(in crate::memory) fn new(budget: u64) -> Self {
        Self { items: Vec::new(), left: budget }
    }

    fn holds(&self, memory: MemoryRef) -> bool {
        self.items.iter().any(|item| item.memory == memory)
    }

    /// Whether these words are told already, by themselves or within others.
    fn tells(&self, sentence: &str) -> bool {
        self.items.iter().any(|item| item.sentence.contains(sentence))
    }

    /// Whether a line of a few words has no room any more.
    fn is_full(&self) -> bool {
        !self.has_room_for("You live in Porto")
    }

    fn has_room_for(&self, sentence: &str) -> bool {
        fence::tokens(sentence) <= self.left
    }

    pub(in crate::memory) fn put(&mut self, item: RecalledItem) {
        let tokens = fence::tokens(&item.sentence);
        if tokens <= self.left && !self.holds(item.memory) && !self.tells(&item.sentence) {
            self.left -= tokens;
            self.items.push(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_notes;
    use super::super::{Ask, Room, recall};
    use crate::memory::index::Index;
    use crate::memory::procedure::{self, ProcedureOutcome};

    #[test]
    fn the_room_is_filled_with_what_is_familiar_up_to_the_budget() {
        let mut memory = with_notes(&["planning a trip"]);
        let now = memory.utc();
        memory.say("I drink tea", &[["user", "drinks", "tea"]]);
        memory.say("Mara drinks milk", &[["Mara", "drinks", "milk"]]);
        let outcome = ProcedureOutcome {
            signature: "s".into(),
            trigger: "OpenRouter is busy".into(),
            strategy: "Wait".into(),
            category: "rate_limit".into(),
            remedy: "wait".into(),
            worked: true,
        };
        memory.write(|tx| procedure::record_outcome(tx, &outcome, now).unwrap());
        let filled = memory.recall("hello", Room::Fill);
        assert_eq!(filled.items.len(), 4);
        assert!(filled.render().contains("OpenRouter is busy → Wait (helped 1 of 1 times, reliability 67%)"));
        let small = Ask { question: "hello", now: memory.now, budget: 20, conversation: None, room: Room::Fill };
        assert_eq!(recall(&memory.conn, &Index::without_models(), &small).unwrap().items.len(), 1);
    }
}
