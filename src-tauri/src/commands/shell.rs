//! What belongs to the window alone: how it starts, how it looks, and links that leave it.

use atlas_core::assistant::view::ErrorView;
use tauri::{AppHandle, Runtime, State};

use crate::links;
use crate::preferences::{self, Preferences};
use crate::session::Session;
use crate::startup::Startup;

/// Whether there is an assistant to talk to. Where opening it failed, asking again tries again.
#[tauri::command]
pub async fn startup(session: State<'_, Session>) -> Result<Startup, ErrorView> {
    Ok(session.state().await)
}

/// How the window looks.
#[tauri::command]
pub async fn preferences<R: Runtime>(app: AppHandle<R>) -> Result<Preferences, ErrorView> {
    Ok(preferences::load(&app))
}

/// Changes how the window looks, and keeps it.
#[tauri::command]
pub async fn save_preferences<R: Runtime>(
    app: AppHandle<R>,
    preferences: Preferences,
) -> Result<Preferences, ErrorView> {
    preferences::save(&app, preferences)
}

/// Opens a link in the system's browser or mail program.
#[tauri::command]
pub async fn open_link(url: String) -> Result<(), ErrorView> {
    links::open(&url)
}
