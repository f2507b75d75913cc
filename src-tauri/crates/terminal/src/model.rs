//! Which model answers in this session.

use std::io::Write;
use std::sync::Arc;

use atlas_core::assistant::Assistant;
use atlas_core::assistant::view::{ErrorView, SettingsView};
use atlas_core::providers::preset::{Endpoint, Preset};
use atlas_core::settings::Settings;

use crate::arguments::Arguments;
use crate::screen::Screen;

const HOW_TO_SET_ONE: &str = "\
No model is set yet. Set one in the window's settings, or for this session:
  atlas-terminal --base-url http://localhost:11434/v1 --model MODEL
A key is taken from the keychain, or from the environment variable that belongs to the service
(OPENROUTER_API_KEY for OpenRouter).";

/// Puts the model of the arguments in force. Gives back the settings to put back at the end, where they changed.
///
/// # Errors
///
/// The settings cannot be read or saved.
pub async fn choose<Out: Write, Notes: Write>(
    assistant: &Arc<Assistant>,
    arguments: &Arguments,
    screen: &mut Screen<Out, Notes>,
) -> Result<Option<Settings>, ErrorView> {
    let view = assistant.settings().await.map_err(|error| error.view())?;
    let wanted = wanted(&view, arguments);
    if wanted.endpoint.is_none() || wanted.model.is_empty() {
        screen.note(HOW_TO_SET_ONE);
    }
    if wanted == view.settings {
        return Ok(None);
    }
    assistant.save_settings(wanted).await.map_err(|error| error.view())?;
    Ok(Some(view.settings))
}

/// Puts the settings of before back. The person is leaving: a failure is told by the next start, which shows them.
pub async fn put_back(assistant: &Arc<Assistant>, before: Option<Settings>) {
    if let Some(settings) = before {
        let _ = assistant.save_settings(settings).await;
    }
}

fn wanted(view: &SettingsView, arguments: &Arguments) -> Settings {
    let mut wanted = view.settings.clone();
    if let Some(base_url) = &arguments.base_url {
        let known = |address: &str| address.trim_end_matches('/') == base_url.trim_end_matches('/');
        let preset = view
            .presets
            .iter()
            .find(|preset| !preset.base_url.is_empty() && known(&preset.base_url))
            .map_or(Preset::Custom, |preset| preset.preset);
        wanted.endpoint = Some(Endpoint { preset, base_url: base_url.clone() });
        // Atlas chooses by the model of this session.
        wanted.memory_writing = None;
    }
    if let Some(model) = &arguments.model {
        wanted.model.clone_from(model);
    }
    wanted
}
