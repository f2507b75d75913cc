//! What recall stands on: passages with the terms they are found by, and the side of the index that lives in memory.
//!
//! A passage is written in the transaction of its owner ([`write`]); what lacks one waits in a queue that [`catch_up`] works
//! off. Passages of what is hidden or gone are deleted by triggers. [`vectors`] are passages as two small models read them.

use std::sync::Arc;

use crate::embedding::Models;
use crate::memory::index::vectors::{Direction, Resident, Space, Survey, Surveyed, queue};
use crate::store::{Connection, Store, StoreError};

mod bulk;
mod catch_up;
mod parts;
pub mod passage;
mod sealed;
mod source;
pub mod spelling;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod vectors;
mod write;

pub(in crate::memory) use bulk::{OF_ALL, OF_MESSAGES, deleting, together};
pub use catch_up::{catch_up, is_behind, waiting};
pub use passage::{Owner, OwnerKind, Passage, PassageId};
pub use sealed::seal;
pub use source::should_hold;
pub use terms::terms;
pub use write::write;
pub(in crate::memory) use write::{Added, write_added};

/// The side of the index that lives in memory, cheap to clone: all clones are one. It holds nothing that the database does
/// not have; without it recall is slower, never different.
#[derive(Clone)]
pub struct Index {
    inner: Arc<Inner>,
}

struct Inner {
    models: Models,
    codes: Resident,
}

impl Index {
    /// An index that finds by words alone.
    pub fn without_models() -> Self {
        Self::new(Models::none())
    }

    /// An index that finds by meaning too, as far as these models are there.
    pub fn new(models: Models) -> Self {
        Self { inner: Arc::new(Inner { models, codes: Resident::default() }) }
    }

    /// The models that it reads with.
    pub fn models(&self) -> &Models {
        &self.inner.models
    }

    /// A question as a direction in one space. `None` without the model, or for a text without direction.
    pub fn direction(&self, text: &str, space: Space) -> Option<Direction> {
        Direction::of(text, space, &self.inner.models)
    }

    /// What is worth a closer look for a question, in no order: the first look at everything. The first call reads the codes of
    /// all passages.
    pub fn survey(&self, conn: &Connection, asked: &Survey<'_>) -> Result<Vec<Surveyed>, StoreError> {
        self.inner.codes.survey(conn, asked)
    }

    /// Takes over what changed in the database, so that what was deleted there is gone from memory too. Where nothing is in
    /// memory yet, nothing is read.
    pub fn follow(&self, conn: &Connection) -> Result<(), StoreError> {
        self.inner.codes.follow_if_held(conn)
    }

    /// Reads the codes of all passages into memory, so that the first question need not.
    pub fn warm_up(&self, conn: &Connection) -> Result<(), StoreError> {
        self.inner.codes.follow(conn)
    }

    /// Reads up to `limit` passages that wait for a vector, unless `give_way` says to stop. How many were read.
    pub async fn embed_some(
        &self,
        store: &Store,
        space: Space,
        limit: u32,
        give_way: impl Fn() -> bool + Send + 'static,
    ) -> Result<u64, StoreError> {
        let read = queue::read_some(store, &self.inner.models, space, limit, give_way).await?;
        if read > 0 {
            // Who holds nothing will read all, and needs no changes.
            let known = self.inner.codes.change().unwrap_or(i64::MAX);
            store.write(move |tx| queue::forget_changes(tx, known)).await?;
        }
        Ok(read)
    }

    /// Reads all passages that wait, with both models as far as they are there. How many vectors were made.
    pub async fn embed_waiting(&self, store: &Store) -> Result<u64, StoreError> {
        let mut all = 0;
        for space in Space::ALL {
            loop {
                match self.embed_some(store, space, 500, || false).await? {
                    0 => break,
                    read => all += read,
                }
            }
        }
        Ok(all)
    }
}
