//! How a fact gets into memory.
//!
//! [`directive`] reads what the person asks for, [`ops`] what a model proposes, and everything passes the one [`gate`]. It asks
//! whether a candidate is fit ([`refusal`], [`topic`]), whether anything supports it ([`ground`], [`paste`]), whether it is really what was said ([`restate`]), and what it stands
//! for among what is known ([`names`], [`replace`]), and then keeps it ([`keep`]) or lets it wait for the person ([`review`]). [`edit`] is
//! the way by hand.

pub mod candidate;
pub mod directive;
pub mod edit;
pub mod gate;
pub mod ground;
mod keep;
pub mod lost;
mod names;
pub mod ops;
pub mod paste;
pub mod refusal;
mod replace;
mod restate;
pub mod review;
pub mod topic;
