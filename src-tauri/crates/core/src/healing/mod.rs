//! Failures as data, remedies as data, and which remedy works.

pub mod classify;
mod dialect;
pub mod failure;
pub mod view;

pub use failure::{Failure, FailureKind};
pub use view::{FailureView, HealingNote, NextStep};
