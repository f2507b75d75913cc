//! What the assistant tells, passed on to the windows; notices to the desktop too.

use std::sync::Weak;

use atlas_core::assistant::Assistant;
use atlas_core::assistant::view::AppEvent;
use tauri::{AppHandle, Emitter, Manager, Runtime};
use tokio::sync::broadcast;

use crate::notices::Notices;

/// The one event that windows hear; its payload is an [`AppEvent`].
const EVENT: &str = "atlas";

/// Passes the assistant's events on, until the assistant is gone.
pub async fn forward<R: Runtime>(
    app: AppHandle<R>,
    mut events: broadcast::Receiver<AppEvent>,
    assistant: Weak<Assistant>,
) {
    loop {
        match events.recv().await {
            Ok(event) => {
                if let AppEvent::Notice { title, body } = &event
                    && assistant.upgrade().is_some_and(|assistant| assistant.shows_notices())
                {
                    app.state::<Notices>().show(&app, title, body);
                }
                tell(&app, event);
            }
            Err(broadcast::error::RecvError::Lagged(_)) => tell_to_load_anew(&app),
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}

/// Stands in for events that were missed: whatever is shown is loaded anew.
fn tell_to_load_anew<R: Runtime>(app: &AppHandle<R>) {
    let anything = AppEvent::MemoryChanged { message: None, changes: Vec::new() };
    for event in [
        anything,
        AppEvent::ConversationsChanged,
        AppEvent::BehaviorChanged,
        AppEvent::ModelsChanged,
        AppEvent::HealthChanged,
    ] {
        tell(app, event);
    }
}

/// Another assistant is open, or none: whatever is shown is loaded anew, and the windows hear how its database is.
pub fn tell_of_another_assistant<R: Runtime>(app: &AppHandle<R>, assistant: Option<&Assistant>) {
    if let Some(assistant) = assistant {
        tell(app, AppEvent::StoreHealth { health: assistant.store_health() });
    }
    tell_to_load_anew(app);
}

/// Tells every window.
fn tell<R: Runtime>(app: &AppHandle<R>, event: AppEvent) {
    // No window is left to hear it: that is no failure.
    let _ = app.emit(EVENT, event);
}
