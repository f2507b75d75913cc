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

/// Puts the model of the arguments in force, for this session.
///
/// # Errors
///
/// The settings cannot be read, or are none.
pub async fn choose<Out: Write, Notes: Write>(
    assistant: &Arc<Assistant>,
    arguments: &Arguments,
    screen: &mut Screen<Out, Notes>,
) -> Result<(), ErrorView> {
    let view = assistant.settings().await.map_err(|error| error.view())?;
    let wanted = wanted(&view, arguments);
    if wanted.endpoint.is_none() || wanted.model.is_empty() {
        screen.note(HOW_TO_SET_ONE);
    }
    assistant.use_settings_for_this_session(wanted).await.map_err(|error| error.view())?;
    Ok(())
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
