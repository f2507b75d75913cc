//! Work after the answer: taking facts from a conversation, summing it up.
