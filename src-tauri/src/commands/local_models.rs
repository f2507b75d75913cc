//! Models that run on this computer: downloading, choosing and removing their files.

use atlas_core::assistant::view::{CatalogueModel, DownloadState, ErrorView, LocalModel, MemoryNeed};
use tauri::{Runtime, State, WebviewWindow};

use crate::dialogs::Dialogs;
use crate::session::Session;

/// The models that Atlas offers to download.
#[tauri::command]
pub async fn catalogue(session: State<'_, Session>) -> Result<Vec<CatalogueModel>, ErrorView> {
    Ok(session.assistant().await?.catalogue().to_vec())
}

/// The downloads that run, ran or can go on.
#[tauri::command]
pub async fn downloads(session: State<'_, Session>) -> Result<Vec<DownloadState>, ErrorView> {
    Ok(session.assistant().await?.downloads().await)
}

/// Begins to download a model of the catalogue; the name of the file that it becomes.
#[tauri::command]
pub async fn start_download(id: String, session: State<'_, Session>) -> Result<String, ErrorView> {
    session.assistant().await?.start_download(&id).await.map_err(|error| error.view())
}

/// The same from an address.
#[tauri::command]
pub async fn download_from(url: String, session: State<'_, Session>) -> Result<String, ErrorView> {
    session.assistant().await?.download_from(&url).await.map_err(|error| error.view())
}

/// Goes on with a download.
#[tauri::command]
pub async fn resume_download(file: String, session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.resume_download(&file).await.map_err(|error| error.view())
}

/// Stops a download; what came is kept.
#[tauri::command]
pub async fn cancel_download(file: String, session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.cancel_download(&file).await;
    Ok(())
}

/// Stops a download and removes what came.
#[tauri::command]
pub async fn discard_download(file: String, session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.discard_download(&file).await.map_err(|error| error.view())
}

/// Asks which file, and takes it as a model; null where the person closed the dialog.
#[tauri::command]
pub async fn choose_model_file<R: Runtime>(
    window: WebviewWindow<R>,
    dialogs: State<'_, Dialogs>,
    session: State<'_, Session>,
) -> Result<Option<LocalModel>, ErrorView> {
    let Some(path) = dialogs.model_file(&window, "Choose a model file").await else { return Ok(None) };
    session.assistant().await?.choose_model_file(&path).await.map(Some).map_err(|error| error.view())
}

/// Removes a model: a downloaded one from the disk, a chosen one from the list.
#[tauri::command]
pub async fn remove_local_model(id: String, session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.remove_local_model(&id).await.map_err(|error| error.view())
}

/// How much memory a model needs with a context, beside how much there is.
#[tauri::command]
pub async fn memory_need(
    model: String,
    context_tokens: u32,
    session: State<'_, Session>,
) -> Result<MemoryNeed, ErrorView> {
    session.assistant().await?.memory_need(&model, context_tokens).await.map_err(|error| error.view())
}
