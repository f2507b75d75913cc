//! The closed taxonomy of what can fail.

use std::time::Duration;

use crate::keychain::KeychainError;
use crate::providers::{NetworkKind, TimeoutPhase};
use crate::store::StoreError;

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
        /// Its reason in its own words: plain text, without the key, at most 500 characters.
        said: Option<String>,
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
    MemoryOpsInvalid {
        /// How many of its facts were refused; 0 where the block as a whole cannot be read.
        refused: usize,
    },
    /// The built-in engine is not installed, or has no model file.
    EngineMissing,
    /// The built-in engine does not start.
    EngineStart,
    /// The address is not one.
    BadAddress,
    /// Something answers at the address, and it is no model service.
    NotAnApi,
    /// The database could not be written or read.
    Store,
    /// Atlas was ended in the middle of the answer.
    Interrupted,
    /// The key may be in the keychain, which cannot be asked.
    Keychain(KeychainError),
}

impl FailureKind {
    /// A stable code: the category of a procedure, and what a shell switches on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotSetUp => "not_set_up",
            Self::NoKey => "no_key",
            Self::Credentials => "credentials",
            Self::Credit => "credit",
            Self::RateLimit { .. } => "rate_limit",
            Self::UnknownModel => "unknown_model",
            Self::ContextTooLong { .. } => "context_too_long",
            Self::ContentRefused => "content_refused",
            Self::Server { .. } => "server",
            Self::Rejected { .. } => "rejected",
            Self::EngineLoading => "engine_loading",
            Self::Network { .. } => "network",
            Self::Timeout { .. } => "timeout",
            Self::TruncatedStream => "truncated_stream",
            Self::MalformedAnswer => "malformed_answer",
            Self::EmptyAnswer => "empty_answer",
            Self::MemoryOpsInvalid { .. } => "memory_ops_invalid",
            Self::EngineMissing => "engine_missing",
            Self::EngineStart => "engine_start",
            Self::BadAddress => "bad_address",
            Self::NotAnApi => "not_an_api",
            Self::Store => "store",
            Self::Interrupted => "interrupted",
            Self::Keychain(_) => "keychain",
        }
    }

    /// Whether the same call may work when it is made again.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::RateLimit { .. }
            | Self::Server { .. }
            | Self::EngineLoading
            | Self::Timeout { .. }
            | Self::TruncatedStream
            | Self::MalformedAnswer
            | Self::EmptyAnswer
            | Self::EngineStart
            | Self::Store
            | Self::Interrupted => true,
            Self::Network { kind } => match kind {
                NetworkKind::Dns | NetworkKind::Refused | NetworkKind::Reset | NetworkKind::Other => true,
                // A certificate and a proxy's refusal stay as they are until somebody changes them.
                NetworkKind::Tls | NetworkKind::Proxy => false,
            },
            Self::NotSetUp
            | Self::NoKey
            | Self::Credentials
            | Self::Credit
            | Self::UnknownModel
            | Self::ContextTooLong { .. }
            | Self::ContentRefused
            | Self::Rejected { .. }
            | Self::MemoryOpsInvalid { .. }
            | Self::EngineMissing
            | Self::BadAddress
            | Self::NotAnApi
            | Self::Keychain(_) => false,
        }
    }
}

impl From<&StoreError> for FailureKind {
    fn from(_: &StoreError) -> Self {
        Self::Store
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_is_told_from_what_passes() {
        let network = |kind| FailureKind::Network { kind };
        for lasting in [
            FailureKind::Credentials,
            FailureKind::Credit,
            FailureKind::UnknownModel,
            FailureKind::ContentRefused,
            FailureKind::ContextTooLong { limit_tokens: None },
            FailureKind::Rejected { status: 400, said: None },
            network(NetworkKind::Tls),
        ] {
            assert!(!lasting.is_retryable(), "{lasting:?}");
        }
        for passing in [
            FailureKind::RateLimit { retry_after: None },
            FailureKind::Server { status: 500, retry_after: None },
            FailureKind::TruncatedStream,
            network(NetworkKind::Reset),
        ] {
            assert!(passing.is_retryable(), "{passing:?}");
        }
    }
}
