//! How something leaves memory, for good: [`scope`] says what a forget takes and [`preview`] tells it to people,
//! [`forget`](mod@forget) hides it at once, and when the time for an undo is over [`purge`] erases it, lays a [`tombstone`] and
//! leaves a [`receipt`].

pub mod forget;
mod phrase;
pub mod preview;
pub mod purge;
pub mod receipt;
mod scope;
mod target;
pub mod tombstone;

pub use target::{ForgetMessages, ForgetTarget};
