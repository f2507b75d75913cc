//! Notices outside the window: the desktop shows them where the person allows that and does not look at Atlas.
//!
//! The page cannot ask for one; it hears each as an event.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use tauri::plugin::{Plugin, TauriPlugin};
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

/// The plugin that reaches the desktop's service, without what it has for pages: neither its script nor its commands.
pub fn plugin<R: Runtime>() -> impl Plugin<R> + 'static {
    NotForPages(tauri_plugin_notification::init())
}

struct NotForPages<R: Runtime>(TauriPlugin<R>);

impl<R: Runtime> Plugin<R> for NotForPages<R> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn initialize(&mut self, app: &AppHandle<R>, config: serde_json::Value) -> Result<(), Box<dyn Error>> {
        self.0.initialize(app, config)
    }
}

/// Whether a window of Atlas has the focus; one that does not tell has none.
fn is_looked_at<R: Runtime>(app: &AppHandle<R>) -> bool {
    app.webview_windows().values().any(|window| window.is_focused().unwrap_or(false))
}
