//! SQLite: the only place that blocks.

pub mod id;
