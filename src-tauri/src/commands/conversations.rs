//! Conversations: the list, one of them, its title, its draft.

use atlas_core::assistant::view::{ConversationView, ErrorView, Learned};
use atlas_core::memory::conversation::Conversation;
use atlas_core::store::id::ConversationId;
use tauri::State;

use crate::session::Session;

/// The conversations that match, newest first.
#[tauri::command]
pub async fn conversations(search: String, session: State<'_, Session>) -> Result<Vec<Conversation>, ErrorView> {
    session.assistant().await?.conversations(&search).await.map_err(|error| error.view())
}

/// One conversation with its messages.
#[tauri::command]
pub async fn conversation(id: ConversationId, session: State<'_, Session>) -> Result<ConversationView, ErrorView> {
    session.assistant().await?.conversation(id).await.map_err(|error| error.view())
}

/// Gives a conversation another title.
#[tauri::command]
pub async fn rename_conversation(
    id: ConversationId,
    title: String,
    session: State<'_, Session>,
) -> Result<(), ErrorView> {
    session.assistant().await?.rename_conversation(id, &title).await.map_err(|error| error.view())
}

/// Deletes a conversation, and what it taught where the person wants that.
#[tauri::command]
pub async fn delete_conversation(
    id: ConversationId,
    learned: Learned,
    session: State<'_, Session>,
) -> Result<(), ErrorView> {
    session.assistant().await?.delete_conversation(id, learned).await.map_err(|error| error.view())
}

/// What was typed and not sent in a conversation, or in none yet.
#[tauri::command]
pub async fn draft(conversation: Option<ConversationId>, session: State<'_, Session>) -> Result<String, ErrorView> {
    session.assistant().await?.draft(conversation).await.map_err(|error| error.view())
}

/// Keeps what was typed and not sent.
#[tauri::command]
pub async fn save_draft(
    conversation: Option<ConversationId>,
    text: String,
    session: State<'_, Session>,
) -> Result<(), ErrorView> {
    session.assistant().await?.save_draft(conversation, &text).await.map_err(|error| error.view())
}
