//! What belongs to the agent besides its behaviour: its model and its limits.

use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::providers::http::is_loopback;
use crate::providers::preset::Endpoint;
use crate::store::StoreError;

/// How facts get from a conversation into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum MemoryWriting {
    /// The model appends a `MEMORY_OPS:` block to its answer. For strong models.
    InBand,
    /// A second call with a JSON schema, after the answer. For models that keep to a schema and read well.
    SecondCall,
    /// A second call in which the model only gives a word to each piece of the message, and code decides. For small models, as
    /// run on the person's own computer.
    Labels,
}

/// What came of trying which form a model can answer in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct WritingTrial {
    /// The model that was tried.
    pub model: String,
    /// The form that it gets since.
    pub form: MemoryWriting,
    /// How many of the probe messages it read right in that form.
    pub right: u32,
    /// How many there were.
    pub of: u32,
    /// When it was tried.
    pub at: DateTime<Utc>,
}

/// An agent's model and limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct Settings {
    /// Where requests go; none before the first set-up.
    pub endpoint: Option<Endpoint>,
    /// The model's id; for the built-in engine the file's name.
    pub model: String,
    /// How facts get into memory; none lets Atlas choose by the model.
    pub memory_writing: Option<MemoryWriting>,
    /// How often a failed call may be tried again, 0 to 10.
    pub max_retries: u32,
    /// How many earlier messages of the conversation a prompt holds, 0 to 200.
    pub working_memory_limit: u32,
    /// Another model of the same service, asked where the first one fails and nothing else helps.
    pub fallback_model: Option<String>,
    /// A model of another service, asked where the first service fails and nothing else helps.
    pub fallback: Option<ModelChoice>,
    /// How long healing may go on in one turn, in seconds, 10 to 600.
    pub healing_seconds: u32,
    /// Whether a second call looks at each answer for the rules that only judgement can check. It costs one more call.
    pub second_look: bool,
    /// Where a notice is posted when the built-in engine crashes again and again.
    pub webhook: Option<String>,
    /// Whether the desktop shows such a notice.
    pub notify: bool,
    /// How the built-in engine is run.
    pub engine: EngineSettings,
    /// What came of trying a model's memory writing. It is kept beside the settings, and nobody chooses it.
    #[serde(skip)]
    #[ts(skip)]
    pub trial: Option<WritingTrial>,
}

/// A model of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ModelChoice {
    /// The service.
    pub endpoint: Endpoint,
    /// The model's id.
    pub model: String,
}

/// How the built-in engine is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct EngineSettings {
    /// How many tokens a prompt and its answer may have together, 1,024 to 131,072.
    pub context_tokens: u32,
    /// After how many minutes without a question it gives its memory back, 0 to 1,440; 0 for never.
    pub unload_after_minutes: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            endpoint: None,
            model: String::new(),
            memory_writing: None,
            max_retries: 3,
            working_memory_limit: 10,
            fallback_model: None,
            fallback: None,
            healing_seconds: 120,
            second_look: false,
            webhook: None,
            notify: true,
            engine: EngineSettings::default(),
            trial: None,
        }
    }
}

impl Default for EngineSettings {
    fn default() -> Self {
        Self { context_tokens: 8_192, unload_after_minutes: 30 }
    }
}

impl Settings {
    /// How facts get into memory: what the person chose, else by the model. Models that run on this computer are small
    /// ones as a rule, and small ones write no structure that holds.
    pub fn effective_memory_writing(&self) -> MemoryWriting {
        self.memory_writing_with(self.endpoint.as_ref(), &self.model)
    }

    /// The same where another model answers.
    pub fn memory_writing_with(&self, endpoint: Option<&Endpoint>, model: &str) -> MemoryWriting {
        self.memory_writing.unwrap_or_else(|| self.automatic(endpoint, model))
    }

    /// What Atlas chooses where the person did not.
    pub fn automatic_memory_writing(&self) -> MemoryWriting {
        self.automatic(self.endpoint.as_ref(), &self.model)
    }

    /// What came of trying the chosen model.
    pub fn writing_trial(&self) -> Option<&WritingTrial> {
        self.trial.as_ref().filter(|trial| trial.model == self.model)
    }

    /// By what a trial of the model showed, else by where it runs.
    fn automatic(&self, endpoint: Option<&Endpoint>, model: &str) -> MemoryWriting {
        match (&self.trial, endpoint) {
            (Some(trial), _) if trial.model == model => trial.form,
            (_, Some(endpoint)) if endpoint.is_here() => MemoryWriting::Labels,
            _ => MemoryWriting::InBand,
        }
    }

    /// Whether the limits are in their ranges.
    pub fn check(&self) -> Result<(), InvalidSettings> {
        if self.max_retries > MAX_RETRIES {
            return Err(InvalidSettings::MaxRetries);
        }
        if self.working_memory_limit > MAX_WORKING_MEMORY {
            return Err(InvalidSettings::WorkingMemory);
        }
        if !HEALING_SECONDS.contains(&self.healing_seconds) {
            return Err(InvalidSettings::HealingSeconds);
        }
        if !CONTEXT_TOKENS.contains(&self.engine.context_tokens) {
            return Err(InvalidSettings::ContextTokens);
        }
        if self.engine.unload_after_minutes > MAX_UNLOAD_MINUTES {
            return Err(InvalidSettings::UnloadMinutes);
        }
        if self.webhook.as_deref().is_some_and(|address| !may_be_posted_to(address)) {
            return Err(InvalidSettings::Webhook);
        }
        Ok(())
    }
}

/// Whether a notice may be posted to an address: encrypted, or to this computer.
fn may_be_posted_to(address: &str) -> bool {
    let address = address.trim();
    address.is_empty()
        || reqwest::Url::parse(address)
            .is_ok_and(|url| url.scheme() == "https" || (url.scheme() == "http" && is_loopback(&url)))
}

/// The most retries that can be set.
pub const MAX_RETRIES: u32 = 10;
/// The most messages of working memory that can be set.
pub const MAX_WORKING_MEMORY: u32 = 200;

/// The seconds that healing may take in one turn.
pub const HEALING_SECONDS: RangeInclusive<u32> = 10..=600;
/// The context sizes of the built-in engine, in tokens.
pub const CONTEXT_TOKENS: RangeInclusive<u32> = 1_024..=131_072;
/// The most minutes before the built-in engine gives its memory back.
pub const MAX_UNLOAD_MINUTES: u32 = 1_440;

/// Which setting is out of its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSettings {
    /// Retries.
    #[error("Retries can be 0 to {MAX_RETRIES}.")]
    MaxRetries,
    /// Working memory.
    #[error("Working memory can be 0 to {MAX_WORKING_MEMORY} messages.")]
    WorkingMemory,
    /// The time for healing.
    #[error("Healing can take {} to {} seconds.", HEALING_SECONDS.start(), HEALING_SECONDS.end())]
    HealingSeconds,
    /// The context size.
    #[error("The context can have {} to {} tokens.", CONTEXT_TOKENS.start(), CONTEXT_TOKENS.end())]
    ContextTokens,
    /// The time before unloading.
    #[error("The built-in model can be unloaded after 0 (never) to {MAX_UNLOAD_MINUTES} minutes.")]
    UnloadMinutes,
    /// The webhook.
    #[error("A webhook is an address that begins with https://, or http:// on this computer.")]
    Webhook,
}

/// The name of the agent's settings among all that is set.
const AGENT: &str = "agent";
/// The name of the last trial of a model's memory writing.
const TRIAL: &str = "writing_trial";

/// The settings in force, with the last trial; the default ones before any were saved.
///
/// Fields that an older Atlas did not know take their default; a value that cannot be read is an error.
pub fn load(conn: &Connection) -> Result<Settings, StoreError> {
    let settings: Option<Settings> = read(conn, AGENT)?;
    Ok(Settings { trial: read(conn, TRIAL)?, ..settings.unwrap_or_default() })
}

/// Saves the settings.
pub fn save(tx: &Transaction<'_>, settings: &Settings) -> Result<(), StoreError> {
    write(tx, AGENT, settings)
}

/// Saves what came of a trial; the one before it goes.
pub fn save_trial(tx: &Transaction<'_>, trial: &WritingTrial) -> Result<(), StoreError> {
    write(tx, TRIAL, trial)
}

fn read<T: DeserializeOwned>(conn: &Connection, name: &str) -> Result<Option<T>, StoreError> {
    let json: Option<String> =
        conn.query_row("SELECT value FROM settings WHERE name = ?1", [name], |row| row.get("value")).optional()?;
    json.map(|json| serde_json::from_str(&json).map_err(|_| StoreError::Corrupt)).transpose()
}

fn write(tx: &Transaction<'_>, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
    let json = serde_json::to_string(value).expect("settings are plain data");
    tx.execute(
        "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        [name, json.as_str()],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::preset::Preset;

    fn at(preset: Preset) -> Settings {
        Settings { endpoint: Some(preset.endpoint()), model: "m".to_owned(), ..Settings::default() }
    }

    #[test]
    fn models_of_this_computer_label_and_services_write_in_their_answer() {
        let here = Endpoint { preset: Preset::Custom, base_url: "http://127.0.0.1:8080/v1".to_owned() };
        let labelled = [
            at(Preset::BuiltIn),
            at(Preset::Ollama),
            at(Preset::LmStudio),
            Settings { endpoint: Some(here), ..at(Preset::Custom) },
        ];
        assert_eq!(labelled.map(|settings| settings.effective_memory_writing()), [MemoryWriting::Labels; 4]);
        assert_eq!(at(Preset::OpenRouter).effective_memory_writing(), MemoryWriting::InBand);
        assert_eq!(Settings::default().effective_memory_writing(), MemoryWriting::InBand);
    }

    #[test]
    fn a_trial_counts_for_its_model_and_the_persons_choice_for_all() {
        let form = MemoryWriting::SecondCall;
        let trial = WritingTrial { model: "m".to_owned(), form, right: 5, of: 6, at: DateTime::UNIX_EPOCH };
        let tried = Settings { trial: Some(trial), ..at(Preset::BuiltIn) };
        assert_eq!(tried.effective_memory_writing(), MemoryWriting::SecondCall);
        let other = Settings { model: "other".to_owned(), ..tried.clone() };
        assert_eq!((other.effective_memory_writing(), other.writing_trial()), (MemoryWriting::Labels, None));
        let chosen = Settings { memory_writing: Some(MemoryWriting::InBand), ..tried };
        assert_eq!(chosen.effective_memory_writing(), MemoryWriting::InBand);
    }
}
