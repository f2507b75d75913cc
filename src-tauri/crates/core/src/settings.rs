//! What belongs to the agent besides its behaviour: its model and its limits.

use rusqlite::{Connection, OptionalExtension, Transaction};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::providers::preset::Endpoint;
use crate::store::StoreError;

/// How facts get from a conversation into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum MemoryWriting {
    /// The model appends a `MEMORY_OPS:` block to its answer. For strong models.
    InBand,
    /// A second call with a JSON schema, after the answer. For small and local models.
    SecondCall,
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
}

impl Default for Settings {
    fn default() -> Self {
        Self { endpoint: None, model: String::new(), memory_writing: None, max_retries: 3, working_memory_limit: 10 }
    }
}

impl Settings {
    /// How facts get into memory: what the person chose, else by the model. Models that run on this computer are small
    /// ones as a rule, and small ones do not keep to a format inside their answer.
    pub fn effective_memory_writing(&self) -> MemoryWriting {
        self.memory_writing.unwrap_or_else(|| self.automatic_memory_writing())
    }

    /// What Atlas chooses where the person did not.
    pub fn automatic_memory_writing(&self) -> MemoryWriting {
        match &self.endpoint {
            Some(endpoint) if endpoint.preset.runs_here() => MemoryWriting::SecondCall,
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
        Ok(())
    }
}

/// The most retries that can be set.
pub const MAX_RETRIES: u32 = 10;
/// The most messages of working memory that can be set.
pub const MAX_WORKING_MEMORY: u32 = 200;

/// Which setting is out of its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSettings {
    /// Retries.
    #[error("Retries can be 0 to {MAX_RETRIES}.")]
    MaxRetries,
    /// Working memory.
    #[error("Working memory can be 0 to {MAX_WORKING_MEMORY} messages.")]
    WorkingMemory,
}

/// The settings in force; the default ones before any were saved.
///
/// Fields that an older Atlas did not know take their default; a value that cannot be read is an error.
pub fn load(conn: &Connection) -> Result<Settings, StoreError> {
    let json: Option<String> =
        conn.query_row("SELECT value FROM settings WHERE name = 'agent'", [], |row| row.get("value")).optional()?;
    match json {
        None => Ok(Settings::default()),
        Some(json) => serde_json::from_str(&json).map_err(|_| StoreError::Corrupt),
    }
}

/// Saves the settings.
pub fn save(tx: &Transaction<'_>, settings: &Settings) -> Result<(), StoreError> {
    let json = serde_json::to_string(settings).expect("settings are plain data");
    tx.execute(
        "INSERT INTO settings (name, value) VALUES ('agent', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        [json],
    )?;
    Ok(())
}
