//! Language models behind one trait. Providers say what happened on the wire; what it means is for `healing` to say.

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

pub mod address;
pub mod discover;
mod engine_error;
pub mod error;
mod error_body;
pub mod http;
pub mod openai;
pub(crate) mod plain_text;
pub mod preset;
pub mod reply;
pub mod secret;
mod sse;
mod timeouts;
pub mod tokens;

pub use error::{Diagnosis, EngineError, ErrorBody, NetworkKind, ProviderError, TimeoutPhase};
pub use http::{Http, Reach};
pub use openai::{Connection, OpenAiCompatible};
pub use secret::Secret;
pub use timeouts::Timeouts;

/// A language model service.
///
/// Implemented by the OpenAI-compatible HTTP client and by the built-in engine, which starts a process first.
#[async_trait]
pub trait Provider: Send + Sync {
    /// What people call it: "OpenRouter".
    fn name(&self) -> &str;

    /// Asks for one answer. Dropping the stream ends the request.
    ///
    /// A stream that ends with neither a finish reason nor `[DONE]` ends with [`ProviderError::Truncated`].
    async fn stream(&self, request: &ChatRequest) -> Result<ChunkStream, ProviderError>;

    /// The models that it offers, in its own order.
    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError>;

    /// The key that goes with each request, where there is one: no answer may hold it.
    fn secret(&self) -> Option<&Secret> {
        None
    }
}

/// An answer as it arrives.
pub type ChunkStream = BoxStream<'static, Result<Chunk, ProviderError>>;

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// Text of the answer; never a broken character.
    Text(String),
    /// Reasoning in a field of its own; it is neither shown nor stored.
    Reasoning(String),
    /// What it cost so far.
    Usage(TokenUsage),
    /// Which tokens it was chosen from, where a request asks for it.
    Tokens(Vec<TokenChoices>),
    /// Why the answer ended.
    Finish(FinishReason),
}

/// One token of an answer, and what might have stood in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenChoices {
    /// The token.
    pub token: String,
    /// The likeliest tokens, each with the logarithm of its probability.
    pub choices: Vec<(String, f64)>,
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReason {
    /// It was finished.
    Stop,
    /// The token limit cut it.
    Length,
    /// The provider refused to go on.
    ContentFilter,
    /// Another word of the provider's; taken as finished.
    Other(String),
}

/// Tokens and money, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TokenUsage {
    /// Tokens of the prompt.
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer.
    pub completion_tokens: Option<u64>,
    /// US dollars.
    pub cost: Option<f64>,
}

/// What is asked of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatRequest {
    /// The model's id at its provider.
    pub model: String,
    /// The whole prompt, oldest first.
    pub messages: Vec<ChatMessage>,
    /// Sampling temperature; the provider's default where none.
    pub temperature: Option<f32>,
    /// The longest answer, in tokens; the provider's default where none.
    pub max_tokens: Option<u32>,
    /// A JSON schema that the answer must fit (`response_format: json_schema`).
    pub schema: Option<JsonSchema>,
    /// How many of the likeliest tokens are to be told for each place of the answer, up to 20; none asks for nothing.
    pub logprobs: Option<u8>,
}

/// A named JSON schema.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonSchema {
    /// Its name: letters, digits and underscores.
    pub name: &'static str,
    /// The schema itself.
    pub schema: Value,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What they say.
    pub content: String,
}

/// Who speaks in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// Atlas's own instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// A model that a provider offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ModelInfo {
    /// Its id, as requests name it.
    pub id: String,
    /// What people call it, where the provider says.
    pub name: Option<String>,
    /// How many tokens a prompt and its answer may have together, where the provider says.
    #[ts(type = "number | null")]
    pub context_tokens: Option<u64>,
}
