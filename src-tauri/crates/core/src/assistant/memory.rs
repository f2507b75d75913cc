//! Memory, as people see it: browse, search, edit, undo.

use std::sync::Arc;

use super::view::{
    AppEvent, EventQuery, MemoryCounts, MemoryEventView, MemoryQuery, Page, RecallHit, RecallReason, RecallTest,
    SubjectCount,
};
use super::{Assistant, Error};
use crate::memory::episode::{self, Episode};
use crate::memory::fact::{self, Fact, FactDraft};
use crate::memory::history::{
    change::{MemoryChange, MemoryRef},
    pin, timeline, undo,
};
use crate::memory::page;
use crate::memory::procedure::{self, Procedure};
use crate::memory::recall::{self, Ask, RecalledItem, Room};
use crate::memory::source::{self, MemorySource};
use crate::memory::writing::edit;
use crate::store::id::{FactId, MemoryEventId};
use crate::turn;

const TOO_LATE: &str = "This was forgotten for good: it is erased, and cannot be brought back.";

impl Assistant {
    /// Facts that are current.
    pub async fn facts(&self, query: MemoryQuery) -> Result<Page<Fact>, Error> {
        Ok(self.store.read(move |conn| fact::page(conn, &query)).await?)
    }

    /// Episodes.
    pub async fn episodes(&self, query: MemoryQuery) -> Result<Page<Episode>, Error> {
        Ok(self.store.read(move |conn| episode::page(conn, &query)).await?)
    }

    /// Learned procedures.
    pub async fn procedures(&self, query: MemoryQuery) -> Result<Page<Procedure>, Error> {
        let now = self.clock.now();
        Ok(self.store.read(move |conn| procedure::page(conn, &query, now)).await?)
    }

    /// How much is remembered.
    pub async fn memory_counts(&self) -> Result<MemoryCounts, Error> {
        Ok(self.store.read(page::counts).await?)
    }

    /// All that was ever known of a fact's subject and relation, newest first.
    pub async fn fact_history(&self, id: FactId) -> Result<Vec<Fact>, Error> {
        Ok(self.store.read(move |conn| fact::history(conn, id)).await?)
    }

    /// Where a memory came from; `None` where that is gone.
    pub async fn memory_source(&self, memory: MemoryRef) -> Result<Option<MemorySource>, Error> {
        Ok(self.store.read(move |conn| source::of(conn, memory)).await?)
    }

    /// Whom and what facts are about, the most told of first; with words to look for, those that hold them.
    pub async fn subjects(&self, search: &str) -> Result<Vec<SubjectCount>, Error> {
        let search = search.to_owned();
        Ok(self.store.read(move |conn| fact::subjects(conn, &search)).await?)
    }

    /// What happened to memory, the newest first.
    pub async fn memory_events(&self, query: EventQuery) -> Result<Page<MemoryEventView>, Error> {
        Ok(self.store.read(move |conn| timeline::page(conn, &query)).await?)
    }

    /// What memory finds for a question, and what the model would be shown of it: as a turn in a new conversation would ask.
    pub async fn test_recall(&self, question: &str) -> Result<RecallTest, Error> {
        let (question, index, now) = (question.to_owned(), self.index.clone(), self.clock.local_now());
        let begun = std::time::Instant::now();
        let recalled = self.store.read(move |conn| {
            let budget = turn::MEMORY_BUDGET;
            let ask = Ask { question: &question, now, budget, conversation: None, room: Room::Fill };
            recall::recall(conn, &index, &ask)
        });
        let recalled = recalled.await?;
        let took_ms = begun.elapsed().as_secs_f64() * 1_000.0;
        let block = recalled.render();
        let hit = |item: RecalledItem| RecallHit {
            message: match item.memory {
                MemoryRef::Message(id) => Some(id),
                MemoryRef::Fact(_) | MemoryRef::Episode(_) | MemoryRef::Procedure(_) => None,
            },
            memory: item.memory,
            sentence: item.sentence,
            score: item.score,
            at: Some(item.at),
            conversation: item.conversation,
            reasons: item.reasons.into_iter().map(RecallReason::from).collect(),
        };
        Ok(RecallTest {
            hits: recalled.items.into_iter().map(hit).collect(),
            block,
            silent: recalled.is_silent,
            took_ms,
        })
    }

    /// Pins a fact, which is always recalled then, or takes its pin away. `None` where it was so already.
    pub async fn pin_fact(&self, id: FactId, pinned: bool) -> Result<Option<MemoryChange>, Error> {
        let now = self.clock.now();
        let change = self.store.write(move |tx| pin::fact(tx, id, pinned, now)).await?;
        self.tell_memory_changed(change.iter().cloned().collect());
        Ok(change)
    }

    /// Corrects a fact by hand: its structure, and its words where others are given. What it was stays as history.
    pub async fn edit_fact(&self, id: FactId, draft: FactDraft, quote: Option<String>) -> Result<MemoryChange, Error> {
        let now = self.clock.now();
        let edited = self.store.write(move |tx| edit::fact(tx, id, &draft, quote.as_deref(), now)).await?;
        let change = edited.map_err(|refused| Error::Memory(refused.message()))?;
        self.tell_memory_changed(vec![change.clone()]);
        Ok(change)
    }

    /// Takes changes back. A change that was undone already is no error; one that was forgotten and purged is.
    pub async fn undo(self: &Arc<Self>, events: Vec<MemoryEventId>) -> Result<(), Error> {
        let now = self.clock.now();
        let undone = self.store.write(move |tx| undo::undo(tx, &events, now)).await?;
        self.sweep().await;
        self.write_mirrors_soon();
        self.tell_memory_changed(Vec::new());
        if undone.too_late.is_empty() { Ok(()) } else { Err(Error::Memory(TOO_LATE.to_owned())) }
    }

    pub(super) fn tell_memory_changed(&self, changes: Vec<MemoryChange>) {
        self.tell(AppEvent::MemoryChanged { message: None, changes });
    }
}
