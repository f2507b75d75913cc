//! Failures as data, remedies as data, and which remedy works.

mod classify;
mod dialect;
pub mod failure;
pub mod outcome;
pub mod playbook;
pub mod view;

pub use classify::{classify, classify_end};
pub use failure::{Failure, FailureKind};
pub use view::{FailureView, HealingNote, NextStep};
