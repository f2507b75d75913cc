//! One agent, opened and ready: the one API that a shell calls.

pub mod view;
