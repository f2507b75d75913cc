//! How long Atlas waits for a service.

use std::time::Duration;

use super::preset::Preset;

/// How long an answer may keep us waiting. Making a connection has [a time of its own](super::http::Reach).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// From the request to the first piece of the answer.
    pub first_token: Duration,
    /// From one piece of the answer to the next. Keep-alive comments are no pieces.
    pub stalled: Duration,
    /// From the request to the end of the answer.
    pub whole: Duration,
}

impl Timeouts {
    /// What is usual for a service.
    ///
    /// A server on somebody's own computer may first have to load a model from disk and then read the prompt slowly.
    pub fn for_preset(preset: Preset) -> Self {
        let first_token = match preset {
            Preset::BuiltIn | Preset::Ollama | Preset::LmStudio | Preset::LlamaCpp => Duration::from_secs(300),
            Preset::OpenRouter | Preset::OpenAi | Preset::Custom => Duration::from_secs(120),
        };
        // An answer of many pages comes in minutes; one that takes longer does not end.
        let whole = first_token + Duration::from_secs(1_200);
        Self { first_token, stalled: Duration::from_secs(60), whole }
    }
}
