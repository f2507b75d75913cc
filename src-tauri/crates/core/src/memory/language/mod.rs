//! Reading and wording sentences, in the languages that people use: words and scripts, dates, verbs, and what a sentence
//! does (states, changes, denies). It knows nothing of what is stored.

pub mod date;
pub(in crate::memory) mod known_relations;
pub mod period;
pub mod relation;
pub mod sentence;
pub(crate) mod signal;
pub(crate) mod small_talk;
pub(in crate::memory) mod stance;
pub(in crate::memory) mod statement;
pub mod text;
pub mod verb;
