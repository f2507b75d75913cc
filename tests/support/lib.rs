//! What the black-box tests share: a server that speaks the real protocol as scripted, a clock that is turned by hand, and
//! the hard cases.

pub mod cases;
pub mod clock;
pub mod server;

pub use clock::TestClock;
pub use server::{Gate, Request, Response, ScriptedServer};
