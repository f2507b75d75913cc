//! Failures as data, remedies as data, and which remedy works.

pub mod breaker;
pub mod breakers;
mod classify;
mod dialect;
pub mod failure;
pub mod outcome;
pub mod playbook;
pub mod reflection;
pub mod remedy;
pub mod timeline;
pub mod view;

pub use classify::{classify, classify_end};
pub use failure::{EngineFault, Failure, FailureKind, Phase, StoreFault};
pub use remedy::{Remedy, Step};
pub use view::{FailureView, HealingNote, NextStep};
