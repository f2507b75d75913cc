//! The database: how it is, its backups, and putting one back. What heals it works without an assistant too.

use atlas_core::assistant::backups::{BackupView, RestoreReport, StoreHealthView};
use atlas_core::assistant::view::ErrorView;
use tauri::{AppHandle, Runtime, State};

use crate::events;
use crate::session::Session;

/// How the database is.
#[tauri::command]
pub async fn store_health(session: State<'_, Session>) -> Result<StoreHealthView, ErrorView> {
    Ok(session.assistant().await?.store_health())
}

/// Looks at all of the database now, and makes anew what can be.
#[tauri::command]
pub async fn check_store(session: State<'_, Session>) -> Result<StoreHealthView, ErrorView> {
    session.assistant().await?.check_store().await.map_err(|error| error.view())
}

/// The backups, the newest first; also where Atlas could not open its database.
#[tauri::command]
pub async fn backups(session: State<'_, Session>) -> Result<Vec<BackupView>, ErrorView> {
    session.backups().await
}

/// Makes a backup now.
#[tauri::command]
pub async fn back_up_now(session: State<'_, Session>) -> Result<BackupView, ErrorView> {
    session.assistant().await?.back_up_now().await.map_err(|error| error.view())
}

/// Puts a backup in the place of the database; without a name, what can be read of a damaged one. Running answers are
/// stopped and kept first; every window is told to load anew.
#[tauri::command]
pub async fn restore_backup<R: Runtime>(
    name: Option<String>,
    app: AppHandle<R>,
    session: State<'_, Session>,
) -> Result<RestoreReport, ErrorView> {
    let restored = session.restore(name.as_deref()).await;
    events::tell_of_another_assistant(&app, session.opened().await.as_deref());
    restored
}
