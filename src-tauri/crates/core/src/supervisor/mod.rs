//! Child processes: started, watched and ended; none is left behind.
//!
//! A [`service`] is a child that is started at need and kept; the [`engine`] is one: `llama-server`, which answers for
//! the built-in model. A service that crashed is started again by the next request, and by nothing else.

pub mod built_in;
pub mod engine;
pub mod models;
mod process;
pub mod service;

pub use built_in::BuiltIn;
pub use engine::{Engine, EngineConfig};
pub use models::LocalModel;
pub use service::EngineState;
