//! Turns: sending, asking again, stopping, and why an answer was what it was.

use atlas_core::assistant::view::{AnswerSources, CommandReply, ErrorView, TurnHandle};
use atlas_core::memory::conversation::Message;
use atlas_core::store::id::{ConversationId, MessageId, TurnId};
use atlas_core::turn::event::TurnEvent;
use tauri::State;
use tauri::ipc::Channel;

use crate::session::Session;
use crate::turn_channel::into_channel;

/// Sends a person's message, in a temporary conversation where that is wanted; what comes of it arrives at `events`.
#[tauri::command]
pub async fn send(
    conversation: Option<ConversationId>,
    text: String,
    temporary: Option<bool>,
    events: Channel<TurnEvent>,
    session: State<'_, Session>,
) -> Result<TurnHandle, ErrorView> {
    let (assistant, events) = (session.assistant().await?, into_channel(events));
    let sent = match temporary {
        Some(true) => assistant.send_temporary(conversation, &text, events).await,
        Some(false) | None => assistant.send(conversation, &text, events).await,
    };
    sent.map_err(|error| error.view())
}

/// Ends the temporary conversation; what was said in it is gone.
#[tauri::command]
pub async fn end_temporary(session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.end_temporary().await;
    Ok(())
}

/// Asks again for an answer to a person's message.
#[tauri::command]
pub async fn retry(
    message: MessageId,
    events: Channel<TurnEvent>,
    session: State<'_, Session>,
) -> Result<TurnHandle, ErrorView> {
    session.assistant().await?.retry(message, into_channel(events)).await.map_err(|error| error.view())
}

/// Puts another text in the place of one of the person's messages, and asks again from there.
#[tauri::command]
pub async fn edit_message(
    message: MessageId,
    text: String,
    events: Channel<TurnEvent>,
    session: State<'_, Session>,
) -> Result<TurnHandle, ErrorView> {
    session.assistant().await?.edit_message(message, &text, into_channel(events)).await.map_err(|error| error.view())
}

/// What the person said in a message's place before, oldest first, and what it says now.
#[tauri::command]
pub async fn message_versions(message: MessageId, session: State<'_, Session>) -> Result<Vec<Message>, ErrorView> {
    session.assistant().await?.message_versions(message).await.map_err(|error| error.view())
}

/// Stops a turn; what came of the answer is kept.
#[tauri::command]
pub async fn stop(turn: TurnId, session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.stop(turn);
    Ok(())
}

/// Runs a slash command; none where the text is not one.
#[tauri::command]
pub async fn run_command(text: String, session: State<'_, Session>) -> Result<Option<CommandReply>, ErrorView> {
    session.assistant().await?.run_command(&text).await.map_err(|error| error.view())
}

/// Why an answer was what it was.
#[tauri::command]
pub async fn answer_sources(message: MessageId, session: State<'_, Session>) -> Result<AnswerSources, ErrorView> {
    session.assistant().await?.answer_sources(message).await.map_err(|error| error.view())
}
