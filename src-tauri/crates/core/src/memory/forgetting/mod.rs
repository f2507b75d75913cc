//! How something leaves memory, for good: [`scope`] says what a forget takes and [`preview`] tells it to people,
//! [`forget`](mod@forget) hides it at once, with what goes along; when the time for an undo is over [`purge`] has it erased
//! ([`erase`]), lays a [`tombstone`] and leaves a [`receipt`].

mod along;
pub mod erase;
pub mod forget;
mod phrase;
pub mod preview;
pub mod purge;
pub mod receipt;
mod scope;
mod target;
pub mod tombstone;

pub use target::{ForgetMessages, ForgetTarget};
