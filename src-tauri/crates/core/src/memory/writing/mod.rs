//! How a fact gets into memory: [`directive`] reads what the person asks for, [`ops`] what a model proposes, and everything
//! passes the one [`gate`], which compares by [`relation`](super::language::relation), [`ground`] and [`topic`]. [`edit`] is the way by hand.

pub mod candidate;
pub mod directive;
pub mod edit;
pub mod gate;
pub mod ground;
pub mod ops;
pub mod topic;
