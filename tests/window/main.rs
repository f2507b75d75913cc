//! The real app, in a real window, as a person meets it.

#![allow(clippy::unwrap_used)]

mod crash;
mod engine;
mod health;
mod memory;
mod models;
mod pictures;
mod secrets;
mod shell;
mod steps;
mod talk;

/// The app, as Cargo built it for these tests.
const APP: &str = env!("CARGO_BIN_EXE_atlas-desktop");
