//! Notices outside the window: the desktop shows them where the person allows that and does not look at Atlas.
//!
//! The page cannot ask for one; it hears each as an event.

use std::sync::{Arc, Mutex, PoisonError};

use tauri::{AppHandle, Manager, Runtime};
use tauri_plugin_notification::NotificationExt;

/// Who shows notices.
#[derive(Debug, Clone, Default)]
pub enum Notices {
    /// The desktop's own service.
    #[default]
    Desktop,
    /// Nobody: they are kept here, by title and body. For tests, which see no desktop.
    Kept(Arc<Mutex<Vec<(String, String)>>>),
}

impl Notices {
    /// Shows a notice, unless a window of Atlas has the focus.
    pub fn show<R: Runtime>(&self, app: &AppHandle<R>, title: &str, body: &str) {
        if is_looked_at(app) {
            return;
        }
        match self {
            Self::Desktop => {
                // A desktop without such a service is no fault: the window has the notice.
                let _ = app.notification().builder().title(title).body(body).show();
            }
            Self::Kept(kept) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push((title.to_owned(), body.to_owned()));
            }
        }
    }
}

/// Whether a window of Atlas has the focus; one that does not tell has none.
fn is_looked_at<R: Runtime>(app: &AppHandle<R>) -> bool {
    app.webview_windows().values().any(|window| window.is_focused().unwrap_or(false))
}
