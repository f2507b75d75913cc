//! What the tests share: a scripted server, a window under a driver, a look at processes.

pub mod model_server;
pub mod process;
pub mod window;
