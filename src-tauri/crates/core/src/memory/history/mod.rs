//! What happened to memory: each [`change`] is an event, and [`undo`] takes one back.

pub mod change;
pub mod undo;
