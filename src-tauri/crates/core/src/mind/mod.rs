//! Work after the answer: taking facts from a conversation, summing it up. The person never waits for it.

pub mod extraction;
pub mod labels;
pub mod summary;
pub mod trial;
