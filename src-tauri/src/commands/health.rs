//! Health: how Atlas is, what failed and was done about it, and what the person can do themself.

use atlas_core::assistant::view::ErrorView;
use atlas_core::assistant::view::health::{DriftView, HealthEventView, HealthQuery, HealthView, LogLine};
use atlas_core::assistant::view::{Page, TurnHandle};
use atlas_core::store::id::{MessageId, ProcedureId, TurnId};
use atlas_core::turn::event::TurnEvent;
use tauri::State;
use tauri::ipc::Channel;

use crate::session::Session;
use crate::turn_channel::into_channel;

/// How Atlas is, now.
#[tauri::command]
pub async fn health(session: State<'_, Session>) -> Result<HealthView, ErrorView> {
    session.assistant().await?.health().await.map_err(|error| error.view())
}

/// What failed and what was done about it, the latest first.
#[tauri::command]
pub async fn health_events(
    query: HealthQuery,
    session: State<'_, Session>,
) -> Result<Page<HealthEventView>, ErrorView> {
    session.assistant().await?.health_events(query).await.map_err(|error| error.view())
}

/// How the answers of the last days kept to the spec.
#[tauri::command]
pub async fn drift(days: u32, session: State<'_, Session>) -> Result<DriftView, ErrorView> {
    session.assistant().await?.drift(days).await.map_err(|error| error.view())
}

/// Writes the lesson of a learned procedure; none takes it away.
#[tauri::command]
pub async fn edit_lesson(
    id: ProcedureId,
    lesson: Option<String>,
    session: State<'_, Session>,
) -> Result<(), ErrorView> {
    let lesson = lesson.unwrap_or_default();
    session.assistant().await?.edit_lesson(id, &lesson).await.map_err(|error| error.view())
}

/// Says that a learned procedure is not to be tried any more, or is again.
#[tauri::command]
pub async fn retire_procedure(id: ProcedureId, retired: bool, session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.retire_procedure(id, retired).await.map_err(|error| error.view())
}

/// The last lines of the log.
#[tauri::command]
pub async fn logs(session: State<'_, Session>) -> Result<Vec<LogLine>, ErrorView> {
    Ok(session.assistant().await?.logs().await)
}

/// A text for whoever helps; nothing secret stands in it.
#[tauri::command]
pub async fn diagnostics(session: State<'_, Session>) -> Result<String, ErrorView> {
    session.assistant().await?.diagnostics().await.map_err(|error| error.view())
}

/// Cuts short the wait of a turn.
#[tauri::command]
pub async fn skip_wait(turn: TurnId, session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.skip_wait(turn);
    Ok(())
}

/// Puts a message to the person's other model or service.
#[tauri::command]
pub async fn retry_with_alternative(
    message: MessageId,
    events: Channel<TurnEvent>,
    session: State<'_, Session>,
) -> Result<TurnHandle, ErrorView> {
    let (assistant, events) = (session.assistant().await?, into_channel(events));
    assistant.retry_with_alternative(message, events).await.map_err(|error| error.view())
}

/// Sends the messages that wait for the network, now.
#[tauri::command]
pub async fn send_queued_now(session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.send_queued().await.map(drop).map_err(|error| error.view())
}

/// A message shall not be sent by itself any more.
#[tauri::command]
pub async fn cancel_queued(message: MessageId, session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.cancel_queued(message).await.map_err(|error| error.view())
}

/// The system says that the network went away or came back.
#[tauri::command]
pub async fn network_changed(online: bool, session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.network_changed(online);
    Ok(())
}

/// Starts the built-in engine afresh.
#[tauri::command]
pub async fn restart_engine(session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.restart_engine().await.map_err(|error| error.view())
}

/// Ends the built-in engine; the next question starts it again.
#[tauri::command]
pub async fn stop_engine(session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.stop_engine().await;
    Ok(())
}
