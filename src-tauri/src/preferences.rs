//! What belongs to the window alone: its colours and its zoom. Everything else belongs to the agent, in the core.

use std::path::PathBuf;

use atlas_core::assistant::view::ErrorView;
use atlas_core::home::Home;
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, Manager, Runtime, WebviewWindow};
use tauri_plugin_store::StoreExt;

/// The smallest and the largest zoom.
const ZOOM: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// The one key in the file.
const KEY: &str = "window";

/// How the window looks.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preferences {
    /// Light, dark, or as the system is.
    pub theme: Theme,
    /// 1 is the usual size.
    pub zoom: f64,
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// As the system is.
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { theme: Theme::System, zoom: 1.0 }
    }
}

impl Preferences {
    /// The same, with a zoom at which everything can still be read and reached.
    fn within_bounds(self) -> Self {
        let zoom = if self.zoom.is_finite() { self.zoom } else { 1.0 };
        Self { zoom: zoom.clamp(*ZOOM.start(), *ZOOM.end()), ..self }
    }

    /// The theme to ask the system for; none leaves it to the system.
    pub fn system_theme(&self) -> Option<tauri::Theme> {
        match self.theme {
            Theme::System => None,
            Theme::Light => Some(tauri::Theme::Light),
            Theme::Dark => Some(tauri::Theme::Dark),
        }
    }
}

/// Where the preferences are kept.
pub struct PreferencesFile(PathBuf);

impl PreferencesFile {
    /// Beside everything else that Atlas keeps.
    pub fn in_home(home: &Home) -> Self {
        Self(home.root().join("preferences.json"))
    }
}

/// The preferences in force. A file that cannot be read counts as none: it holds nothing of worth.
pub fn load<R: Runtime>(app: &AppHandle<R>) -> Preferences {
    app.store(&app.state::<PreferencesFile>().0)
        .ok()
        .and_then(|store| store.get(KEY))
        .and_then(|value| serde_json::from_value::<Preferences>(value).ok())
        .unwrap_or_default()
        .within_bounds()
}

/// Writes the preferences to disk and applies them to every window. Answers with what is in force now.
///
/// # Errors
///
/// `preferences_not_saved`: the file cannot be written. They are in force until Atlas is closed.
pub fn save<R: Runtime>(app: &AppHandle<R>, preferences: Preferences) -> Result<Preferences, ErrorView> {
    let preferences = preferences.within_bounds();
    for window in app.webview_windows().values() {
        apply(window, &preferences);
    }
    let not_saved = || ErrorView {
        code: "preferences_not_saved".to_owned(),
        message:
            "The appearance could not be saved; it stays as it is until Atlas is closed. Look whether the disk is full."
                .to_owned(),
        retryable: true,
    };
    let store = app.store(&app.state::<PreferencesFile>().0).map_err(|_| not_saved())?;
    let value = serde_json::to_value(preferences).map_err(|_| not_saved())?;
    store.set(KEY, value);
    store.save().map_err(|_| not_saved())?;
    Ok(preferences)
}

/// Puts the looks of a new Atlas back.
///
/// # Errors
///
/// `preferences_not_saved`, as [`save`] says.
pub fn forget<R: Runtime>(app: &AppHandle<R>) -> Result<(), ErrorView> {
    save(app, Preferences::default()).map(drop)
}

/// Makes a window look as preferred. Where the system refuses, it keeps its own look.
pub fn apply<R: Runtime>(window: &WebviewWindow<R>, preferences: &Preferences) {
    let _ = window.set_theme(preferences.system_theme());
    let _ = window.set_zoom(preferences.zoom);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zoom_out_of_bounds_is_brought_within() {
        let zoomed = |zoom| Preferences { theme: Theme::Dark, zoom }.within_bounds().zoom;
        assert_eq!(zoomed(0.1), 0.5);
        assert_eq!(zoomed(1.25), 1.25);
        assert_eq!(zoomed(40.0), 2.0);
        assert_eq!(zoomed(f64::NAN), 1.0);
    }

    #[test]
    fn they_are_written_as_the_window_reads_them() {
        let written = serde_json::to_value(Preferences::default()).unwrap();
        assert_eq!(written, serde_json::json!({"theme": "system", "zoom": 1.0}));
    }
}
