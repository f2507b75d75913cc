//! One chat turn, from the person's text to a stored answer and stored memories.

pub mod event;
