//! How something that was said gets into memory.
//!
//! [`directive`] reads what the person asks of memory, [`ops`] what a model says of a message ([`annotation`]), and everything passes
//! the one [`gate`]. It verifies that the message says it ([`verify`]: [`quote`], [`when`], [`paste`], and for models that say little,
//! [`reading`]), asks whether it is fit ([`refusal`], [`topic`]) and what it stands for among what is known ([`names`], [`replace`]),
//! and then keeps it ([`keep`]) or lets it wait for the person ([`review`]). [`edit`] is the way by hand.

pub mod annotation;
pub mod candidate;
pub mod directive;
pub mod edit;
pub mod gate;
mod keep;
pub mod lost;
mod names;
pub mod ops;
pub mod paste;
pub(in crate::memory) mod quote;
mod reading;
pub mod refusal;
mod replace;
pub mod review;
pub mod seals;
pub mod topic;
mod verify;
pub(in crate::memory) mod when;
