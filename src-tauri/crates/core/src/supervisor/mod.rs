//! Child processes: started, watched and ended; none is left behind.
//!
//! A [`service`] is a child that is started at need and kept: its health is asked for, and when it crashes it is started
//! again by itself, less and less often ([`restart`] is the policy). The [`engine`] is one: `llama-server`, which answers
//! for the built-in model. Its model files are found by [`models`] and fetched by [`download`].

mod address;
pub mod built_in;
pub mod catalogue;
pub mod diagnosis;
pub mod download;
pub mod engine;
mod history;
mod keeper;
pub mod models;
mod process;
pub mod restart;
pub mod service;
pub mod webhook;

pub use built_in::BuiltIn;
pub use catalogue::{CATALOGUE, CatalogueModel};
pub use download::{DownloadState, Downloads};
pub use engine::{Engine, EngineConfig, Tuning};
pub use models::{LocalModel, MemoryFit, MemoryNeed};
pub use service::{EngineState, Notice};
