//! Memory between Atlas and files: exports, imports, and the memory files in the agent's folder.

use atlas_core::assistant::view::{
    ErrorView, ExportFormat, ExportReport, ImportPlan, ImportReport, ImportUndone, ImportView, MemoryFileEdits,
};
use atlas_core::store::id::ImportId;
use tauri::{Runtime, State, WebviewWindow};

use crate::dialogs::Dialogs;
use crate::session::Session;

/// Asks where to, and writes memory there; null where the person closed the dialog.
#[tauri::command]
pub async fn export_memory<R: Runtime>(
    format: ExportFormat,
    window: WebviewWindow<R>,
    dialogs: State<'_, Dialogs>,
    session: State<'_, Session>,
) -> Result<Option<ExportReport>, ErrorView> {
    let assistant = session.assistant().await?;
    let name = assistant.export_name(format);
    let path = match format {
        ExportFormat::Json => dialogs.new_file(&window, "Export memory", &name).await,
        ExportFormat::Markdown => dialogs.new_folder(&window, "Export memory to a folder", &name).await,
    };
    let Some(path) = path else { return Ok(None) };
    assistant.export_memory(format, &path).await.map(Some).map_err(|error| error.view())
}

/// Asks which file, and looks at it; null where the person closed the dialog.
#[tauri::command]
pub async fn choose_import<R: Runtime>(
    window: WebviewWindow<R>,
    dialogs: State<'_, Dialogs>,
    session: State<'_, Session>,
) -> Result<Option<ImportPlan>, ErrorView> {
    let assistant = session.assistant().await?;
    let Some(path) = dialogs.file(&window, "Import memory").await else { return Ok(None) };
    assistant.import_preview(&path).await.map(Some).map_err(|error| error.view())
}

/// Takes in a file that was looked at.
#[tauri::command]
pub async fn import_memory(token: String, session: State<'_, Session>) -> Result<ImportReport, ErrorView> {
    session.assistant().await?.import(&token).await.map_err(|error| error.view())
}

/// The imports that were made, the newest first.
#[tauri::command]
pub async fn imports(session: State<'_, Session>) -> Result<Vec<ImportView>, ErrorView> {
    session.assistant().await?.imports().await.map_err(|error| error.view())
}

/// Takes an import back whole; what the person confirmed, changed or went on with since stays.
#[tauri::command]
pub async fn undo_import(import: ImportId, session: State<'_, Session>) -> Result<ImportUndone, ErrorView> {
    session.assistant().await?.undo_import(import).await.map_err(|error| error.view())
}

/// What was changed in the memory files outside Atlas; null where nothing was.
#[tauri::command]
pub async fn memory_file_edits(session: State<'_, Session>) -> Result<Option<MemoryFileEdits>, ErrorView> {
    session.assistant().await?.memory_file_edits().await.map_err(|error| error.view())
}

/// Takes those edits over.
#[tauri::command]
pub async fn accept_memory_file_edits(session: State<'_, Session>) -> Result<ImportReport, ErrorView> {
    session.assistant().await?.accept_memory_file_edits().await.map_err(|error| error.view())
}

/// Writes the memory files anew, over those edits.
#[tauri::command]
pub async fn dismiss_memory_file_edits(session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.dismiss_memory_file_edits().await.map_err(|error| error.view())
}
