//! Forgetting: what it would take, the forget itself, and the receipts.

use atlas_core::assistant::view::{ErasureReceipt, ErrorView, ForgetMessages, ForgetPreview, ForgetTarget};
use atlas_core::memory::history::change::MemoryChange;
use tauri::State;

use crate::session::Session;

/// What a forget would take.
#[tauri::command]
pub async fn forget_preview(target: ForgetTarget, session: State<'_, Session>) -> Result<ForgetPreview, ErrorView> {
    session.assistant().await?.forget_preview(target).await.map_err(|error| error.view())
}

/// Forgets; it can be had back for ten seconds.
#[tauri::command]
pub async fn forget(
    target: ForgetTarget,
    messages: ForgetMessages,
    session: State<'_, Session>,
) -> Result<Vec<MemoryChange>, ErrorView> {
    session.assistant().await?.forget(target, messages).await.map_err(|error| error.view())
}

/// What was erased so far, in kinds and numbers, newest first.
#[tauri::command]
pub async fn receipts(session: State<'_, Session>) -> Result<Vec<ErasureReceipt>, ErrorView> {
    session.assistant().await?.receipts().await.map_err(|error| error.view())
}
