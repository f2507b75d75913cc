//! The closed taxonomy of what can fail.

use std::time::Duration;

use crate::providers::{NetworkKind, TimeoutPhase};

/// Something that failed, with the facts that matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// What.
    pub kind: FailureKind,
    /// The provider's name for people; empty where none was involved.
    pub provider: String,
    /// The model's id; empty where none was involved.
    pub model: String,
}

/// The kinds of failure.
#[derive(Debug, Clone, PartialEq)]
pub enum FailureKind {
    /// No model has been chosen yet.
    NotSetUp,
    /// There is no key, or none that can be used.
    NoKey,
    /// The key is refused.
    Credentials,
    /// The account has no credit.
    Credit,
    /// Too many requests.
    RateLimit {
        /// How long the provider asks us to wait.
        retry_after: Option<Duration>,
    },
    /// There is no such model.
    UnknownModel,
    /// The prompt does not fit.
    ContextTooLong {
        /// The limit, where the provider says.
        limit_tokens: Option<u64>,
    },
    /// The provider refuses the content.
    ContentRefused,
    /// The provider is at fault.
    Server {
        /// The HTTP status; 200 for an error inside a stream.
        status: u16,
        /// How long the provider asks us to wait.
        retry_after: Option<Duration>,
    },
    /// The provider understood and refused for a reason that Atlas does not know.
    Rejected {
        /// The HTTP status.
        status: u16,
    },
    /// The local server is up and still loading its model.
    EngineLoading,
    /// No connection.
    Network {
        /// At which step.
        kind: NetworkKind,
    },
    /// It took too long.
    Timeout {
        /// Waiting for what.
        phase: TimeoutPhase,
    },
    /// The answer was cut off.
    TruncatedStream,
    /// The answer cannot be read.
    MalformedAnswer,
    /// There is no text in the answer.
    EmptyAnswer,
    /// The answer stands, and its memory block cannot be read (in part).
    MemoryOpsInvalid,
    /// The built-in engine is not installed, or has no model file.
    EngineMissing,
    /// The built-in engine does not start.
    EngineStart,
    /// The address is not one.
    BadAddress,
    /// The database could not be written or read.
    Store,
}
