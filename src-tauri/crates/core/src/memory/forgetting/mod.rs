//! How something leaves memory, for good.

pub mod forget;
