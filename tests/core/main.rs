//! Black-box tests of the core, without any window.

#![allow(clippy::unwrap_used)]

mod answer;
mod discovery;
mod edits;
mod forgetting;
mod healing;
mod healing_week;
mod meaning;
mod memory;
mod models;
mod provider_cases;
#[cfg(unix)]
mod store_faults;
mod temporary;
mod transfer;
mod turns;
mod upkeep;
mod wire;

use std::time::Duration;

use atlas_core::providers::preset::Preset;
use atlas_core::providers::{
    ChatMessage, ChatRequest, ChatRole, Connection, Http, OpenAiCompatible, ProviderError, Secret, Timeouts,
};

/// Long enough for a busy machine.
const PATIENT: Timeouts =
    Timeouts { first_token: Duration::from_secs(30), stalled: Duration::from_secs(30), whole: Duration::from_secs(60) };

/// A key that must be found nowhere but in one header.
const SENTINEL: &str = "sk-sentinel-0123456789";

fn connection(base_url: &str) -> Connection {
    Connection {
        name: "Test server".into(),
        preset: Preset::Custom,
        base_url: base_url.into(),
        key: None,
        timeouts: PATIENT,
    }
}

fn provider(base_url: &str) -> OpenAiCompatible {
    provider_at(connection(base_url)).expect("an address")
}

fn provider_at(connection: Connection) -> Result<OpenAiCompatible, ProviderError> {
    OpenAiCompatible::new(&Http::new(), connection)
}

fn sentinel() -> Option<Secret> {
    Secret::new(SENTINEL)
}

fn request(said: &str) -> ChatRequest {
    ChatRequest {
        model: "m".into(),
        messages: vec![ChatMessage { role: ChatRole::User, content: said.into() }],
        temperature: None,
        max_tokens: None,
        schema: None,
        logprobs: None,
    }
}
