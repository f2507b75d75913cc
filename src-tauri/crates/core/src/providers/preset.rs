//! The services that Atlas knows by name, and any other by its address.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A service that Atlas knows by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Preset {
    /// The built-in engine: `llama-server` as a child of Atlas. No account.
    BuiltIn,
    /// openrouter.ai.
    OpenRouter,
    /// OpenAI itself.
    OpenAi,
    /// Ollama on this computer.
    Ollama,
    /// LM Studio on this computer.
    LmStudio,
    /// A llama.cpp server on this computer that somebody else started.
    LlamaCpp,
    /// Any other OpenAI-compatible server.
    Custom,
}

/// Where to send requests: a service and its base address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Endpoint {
    /// Which service.
    pub preset: Preset,
    /// The base address, up to and with `/v1`; empty for the built-in engine.
    pub base_url: String,
}

/// A preset as the settings page shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct PresetView {
    /// Which one.
    pub preset: Preset,
    /// What people call it.
    pub name: String,
    /// Its usual base address; empty where there is none.
    pub base_url: String,
    /// Whether it wants a key.
    pub key: KeyNeed,
    /// The model to begin with; empty where the list must tell.
    pub default_model: String,
    /// Where a person gets a key, where there is such a page.
    pub key_page: Option<String>,
}

/// Whether a service wants a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum KeyNeed {
    /// Nothing works without.
    Required,
    /// Some of them do.
    Optional,
    /// Never.
    None,
}
