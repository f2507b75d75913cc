//! Reading and wording sentences: verbs, and what a sentence does (states, changes, denies). It knows nothing of what is stored.

pub(in crate::memory) mod known_relations;
pub mod relation;
pub mod sentence;
pub(crate) mod signal;
pub(crate) mod small_talk;
pub(in crate::memory) mod stance;
pub(in crate::memory) mod statement;
pub mod verb;
