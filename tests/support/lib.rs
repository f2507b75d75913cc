//! What the tests share: a server that speaks the real protocol as scripted, a clock that is turned by hand, the hard
//! cases, the simulated week; a window under a driver, a look at processes.

pub mod agent;
pub mod cases;
pub mod clock;
pub mod process;
pub mod script;
pub mod server;
pub mod week;
pub mod window;

pub use clock::TestClock;
pub use server::{Gate, Request, Response, ScriptedServer};
