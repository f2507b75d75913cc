//! What Atlas remembers: episodic, semantic and procedural memory, and how it gets in and out.

pub mod change;
pub mod conversation;
pub mod episode;
pub mod fact;
pub mod ops;
pub mod procedure;
