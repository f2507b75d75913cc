//! What Atlas remembers: episodic, semantic and procedural memory, and how it gets in and out.
//!
//! In: [`directive`] reads what the person asks to remember, forget or seal; every fact passes the one [`gate`], which
//! compares by [`relation`], [`ground`], [`topic`] and [`date`]; each change is an event in [`change`].
//! Out: [`recall`] finds, [`fence`] puts what was found into the prompt as data. Away: [`forget`] and [`undo`].

pub mod candidate;
mod candidates;
pub mod change;
pub mod conversation;
pub mod date;
pub mod directive;
pub mod edit;
pub mod episode;
pub mod fact;
pub mod fence;
pub mod find;
pub mod forget;
pub mod gate;
pub mod ground;
mod known_relations;
pub mod ops;
pub mod page;
pub mod procedure;
pub mod query;
pub mod recall;
pub mod relation;
pub mod sentence;
pub(crate) mod signal;
mod small_talk;
mod statement;
#[cfg(test)]
mod testing;
pub mod text;
pub mod topic;
pub mod undo;
pub mod verb;
