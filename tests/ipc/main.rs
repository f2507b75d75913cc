//! The commands as the window calls them: through Tauri's own machinery, with its capabilities in force, to a real
//! assistant in a folder of its own. Only the window is a stand-in.

#![allow(clippy::unwrap_used)]

mod backups;
mod desk;
mod local_models;
mod notices;
mod rights;
mod transfer;
mod turns;
