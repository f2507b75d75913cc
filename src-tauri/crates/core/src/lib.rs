//! The whole Atlas assistant, without any user interface.
//!
//! A shell (the window, the terminal, a script) opens an [`assistant::Assistant`] and talks to nothing else.
//! Modules depend downwards only, in this order; a test reads the `use` lines and fails when one points up:
//!
//! `assistant` → `turn` → `mind` → `healing` → `behavior`, `settings` → `memory` → `supervisor`, `keychain` →
//! `providers`, `embedding` → `store` → `text`, `clock`, `home`, `logs`.

pub mod assistant;
pub mod behavior;
pub mod clock;
pub mod embedding;
pub mod healing;
pub mod home;
pub mod keychain;
pub mod logs;
pub mod memory;
pub mod mind;
pub mod providers;
pub mod settings;
pub mod store;
pub mod supervisor;
pub mod text;
pub mod turn;
