//! What happened to memory: each [`change`] is an event, [`timeline`] tells of them, and [`undo`] takes one back.

pub mod change;
pub mod pin;
pub mod timeline;
pub mod undo;
