//! What belongs to the agent besides its behaviour: its model and its limits.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::providers::preset::Endpoint;

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
#[serde(rename_all = "camelCase")]
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
