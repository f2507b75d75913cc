//! The behavioural spec: who the agent is, and the prompt that is rendered from it.

pub mod spec;
