//! What recall stands on: passages with the terms they are found by, and the side of the index that lives in memory.
//!
//! A passage is written in the transaction of its owner ([`write`]); what lacks one waits in a queue that [`catch_up`] works
//! off. Passages of what is hidden or gone are deleted by triggers.

use std::sync::Arc;

mod catch_up;
pub mod passage;
pub mod terms;

pub use catch_up::{catch_up, waiting};
pub use passage::{Owner, OwnerKind, Passage, PassageId, should_hold, write};
pub use terms::terms;

/// The side of the index that lives in memory, cheap to clone: all clones are one. It holds nothing that the database does
/// not have; without it recall is slower, never different.
#[derive(Clone, Default)]
pub struct Index {
    _inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {}

impl Index {
    /// An index that finds by words alone.
    pub fn without_models() -> Self {
        Self::default()
    }
}
