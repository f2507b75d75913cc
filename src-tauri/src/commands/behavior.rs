//! Behaviour: the spec in force, its drafts and its history.

use atlas_core::assistant::view::{BehaviorPreview, BehaviorView, ErrorView};
use atlas_core::behavior::spec::BehaviorSpec;
use tauri::State;

use crate::session::Session;

/// The behaviour in force.
#[tauri::command]
pub async fn behavior(session: State<'_, Session>) -> Result<BehaviorView, ErrorView> {
    session.assistant().await?.behavior().await.map_err(|error| error.view())
}

/// The behaviour that Atlas came with.
#[tauri::command]
pub async fn default_behavior(session: State<'_, Session>) -> Result<BehaviorSpec, ErrorView> {
    Ok(session.assistant().await?.default_behavior())
}

/// What a spec comes to, before it is saved.
#[tauri::command]
pub async fn preview_behavior(spec: BehaviorSpec, session: State<'_, Session>) -> Result<BehaviorPreview, ErrorView> {
    Ok(session.assistant().await?.preview_behavior(&spec))
}

/// Puts a spec in force, from the next turn on.
#[tauri::command]
pub async fn save_behavior(spec: BehaviorSpec, session: State<'_, Session>) -> Result<BehaviorView, ErrorView> {
    session.assistant().await?.save_behavior(spec).await.map_err(|error| error.view())
}

/// The versions saved so far, newest first.
#[tauri::command]
pub async fn behavior_versions(session: State<'_, Session>) -> Result<Vec<BehaviorView>, ErrorView> {
    session.assistant().await?.behavior_versions().await.map_err(|error| error.view())
}
