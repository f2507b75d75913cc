//! Reading memory for its meaning, in the background: whatever is written is read by the small models soon after.
//!
//! It follows the database and not those who write, so that nothing is forgotten to be read, and what is deleted leaves the
//! memory of this process at once. It gives way to turns; what waits is taken up after them, and after a restart.

use std::sync::Arc;

use super::view::{AppEvent, EmbeddingStatus};
use super::work::Task;
use super::{Assistant, Error};
use crate::memory::index::Index;
use crate::memory::index::vectors::{Space, queue};
use crate::store::{Connection, StoreError};

/// How many passages are read before what came of it is written down; the quick model reads as many in a tenth of a second
/// as the other one in a second.
const STEP_STATIC: u32 = 500;
const STEP_DENSE: u32 = 16;
/// After how many passages the person hears how far it is.
const TOLD_AFTER: u64 = 200;

impl Assistant {
    /// How far memory can be searched by meaning.
    pub async fn embedding_status(&self) -> Result<EmbeddingStatus, Error> {
        let index = self.index.clone();
        Ok(self.store.read(move |conn| status(conn, &index)).await?)
    }

    /// Loads the models and what they have read, and reads what waits, now and after each change.
    pub(super) fn begin_reading_for_meaning(self: &Arc<Self>) {
        let (mut written, stopped) = (self.store.written(), self.mind.stopped());
        let assistant = Arc::downgrade(self);
        tokio::spawn(async move {
            if let Some(here) = assistant.upgrade() {
                here.warm_up_meaning().await;
            }
            while let Some(here) = assistant.upgrade() {
                // What cannot be read or written now is done after the next change.
                let task = here.mind.take_up();
                if let Some(_working) = task.begin().await {
                    let _ = here.read_for_meaning(&task).await;
                }
                drop(here);
                tokio::select! {
                    () = stopped.cancelled() => return,
                    changed = written.changed() => if changed.is_err() { return },
                }
            }
        });
    }

    /// So that the first question need not wait for the models, nor for what they have read.
    async fn warm_up_meaning(&self) {
        let index = self.index.clone();
        let warm = self.store.read(move |conn| if has_models(&index) { index.warm_up(conn) } else { Ok(()) });
        // What is not there now is read at the first question.
        let _ = warm.await;
    }

    async fn read_for_meaning(&self, task: &Task) -> Result<(), StoreError> {
        let index = self.index.clone();
        self.store.read(move |conn| index.follow(conn)).await?;
        if !self.store.is_writable() {
            return Ok(());
        }
        let mut untold = 0;
        for (space, step) in [(Space::Static, STEP_STATIC), (Space::Dense, STEP_DENSE)] {
            loop {
                let (running, task) = (self.running.clone(), task.clone());
                let give_way = move || running.is_any() || task.is_broken_off();
                let read = self.index.embed_some(&self.store, space, step, give_way).await?;
                untold += read;
                if read == 0 {
                    break;
                }
                if untold >= TOLD_AFTER {
                    untold = 0;
                    self.tell_embedding_status().await?;
                }
            }
        }
        if untold > 0 { self.tell_embedding_status().await } else { Ok(()) }
    }

    async fn tell_embedding_status(&self) -> Result<(), StoreError> {
        let index = self.index.clone();
        let status = self.store.read(move |conn| status(conn, &index)).await?;
        self.tell(AppEvent::Embedding { status });
        Ok(())
    }
}

fn has_models(index: &Index) -> bool {
    Space::ALL.iter().any(|space| space.model(index.models()).is_ok())
}

fn status(conn: &Connection, index: &Index) -> Result<EmbeddingStatus, StoreError> {
    let models = index.models();
    let (by_meaning, model, waiting) = match (models.transformer(), models.static_model()) {
        (Ok(_), _) => (true, "MiniLM".to_owned(), queue::waiting(conn, Space::Dense)?),
        (Err(_), Ok(_)) => (true, "WordLlama".to_owned(), queue::waiting(conn, Space::Static)?),
        // Nobody will read them.
        (Err(error), Err(_)) => (false, error.message(), 0),
    };
    Ok(EmbeddingStatus { by_meaning, model, waiting, total: queue::total(conn)? })
}
