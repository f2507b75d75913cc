//! Settings: provider, model, key, limits, and the wipe.

use atlas_core::assistant::view::{
    ConnectionTest, ErrorView, Found, KeepKey, KeyStatus, SettingsView, WipePlan, WipeScope, WritingTrial,
};
use atlas_core::keychain::Secret;
use atlas_core::providers::ModelInfo;
use atlas_core::providers::preset::Endpoint;
use atlas_core::settings::Settings;
use tauri::{AppHandle, Runtime, State};

use crate::preferences;
use crate::session::Session;

/// The settings in force.
#[tauri::command]
pub async fn settings(session: State<'_, Session>) -> Result<SettingsView, ErrorView> {
    session.assistant().await?.settings().await.map_err(|error| error.view())
}

/// Puts settings in force.
#[tauri::command]
pub async fn save_settings(settings: Settings, session: State<'_, Session>) -> Result<SettingsView, ErrorView> {
    session.assistant().await?.save_settings(settings).await.map_err(|error| error.view())
}

/// Tries which form the chosen model can answer in when it is asked for memories.
#[tauri::command]
pub async fn try_memory_writing(session: State<'_, Session>) -> Result<WritingTrial, ErrorView> {
    session.assistant().await?.try_memory_writing().await.map_err(|error| error.view())
}

/// The models that a service offers.
#[tauri::command]
pub async fn models(endpoint: Endpoint, session: State<'_, Session>) -> Result<Vec<ModelInfo>, ErrorView> {
    session.assistant().await?.models(endpoint).await.map_err(|error| error.view())
}

/// Asks a model for a word, and says what came of it.
#[tauri::command]
pub async fn test_connection(
    endpoint: Endpoint,
    model: String,
    session: State<'_, Session>,
) -> Result<ConnectionTest, ErrorView> {
    Ok(session.assistant().await?.test_connection(endpoint, &model).await)
}

/// What there is on this computer to begin with.
#[tauri::command]
pub async fn discover(session: State<'_, Session>) -> Result<Vec<Found>, ErrorView> {
    Ok(session.assistant().await?.discover().await)
}

/// What may be known of a service's key.
#[tauri::command]
pub async fn key_status(endpoint: Endpoint, session: State<'_, Session>) -> Result<KeyStatus, ErrorView> {
    Ok(session.assistant().await?.key_status(&endpoint).await)
}

/// Keeps a key. It is never handed back.
#[tauri::command]
pub async fn save_key(
    endpoint: Endpoint,
    key: String,
    keep: KeepKey,
    session: State<'_, Session>,
) -> Result<KeyStatus, ErrorView> {
    let key = Secret::new(key).ok_or_else(|| ErrorView {
        code: "no_key".to_owned(),
        message: "There is nothing in the field for the key. Paste the key and try again.".to_owned(),
        retryable: false,
    })?;
    session.assistant().await?.save_key(&endpoint, key, keep).await.map_err(|error| error.view())
}

/// Puts the key that the environment brought into the keychain.
#[tauri::command]
pub async fn keep_environment_key(endpoint: Endpoint, session: State<'_, Session>) -> Result<KeyStatus, ErrorView> {
    session.assistant().await?.keep_environment_key(&endpoint).await.map_err(|error| error.view())
}

/// Forgets a key.
#[tauri::command]
pub async fn delete_key(endpoint: Endpoint, session: State<'_, Session>) -> Result<KeyStatus, ErrorView> {
    session.assistant().await?.delete_key(&endpoint).await.map_err(|error| error.view())
}

/// What a wipe would take.
#[tauri::command]
pub async fn wipe_plan(scope: WipeScope, session: State<'_, Session>) -> Result<WipePlan, ErrorView> {
    session.assistant().await?.wipe_plan(scope).await.map_err(|error| error.view())
}

/// Wipes; everything includes how the window looks.
#[tauri::command]
pub async fn wipe<R: Runtime>(
    scope: WipeScope,
    app: AppHandle<R>,
    session: State<'_, Session>,
) -> Result<(), ErrorView> {
    session.assistant().await?.wipe(scope).await.map_err(|error| error.view())?;
    match scope {
        WipeScope::Memory => Ok(()),
        WipeScope::Everything => preferences::forget(&app),
    }
}
