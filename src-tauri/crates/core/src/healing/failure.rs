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
    /// What the provider said, where that helps a person: plain text, without the key, at most 500 characters.
    pub said: Option<String>,
}

impl Failure {
    /// A failure that no provider said anything about.
    pub fn new(kind: FailureKind, provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self { kind, provider: provider.into(), model: model.into(), said: None }
    }
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
    /// Something answers at the address, and it is no model service.
    NotAnApi,
    /// The database could not be written or read.
    Store,
    /// Atlas itself was ended in the middle of the turn.
    Interrupted,
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
            Self::MemoryOpsInvalid => "memory_ops_invalid",
            Self::EngineMissing => "engine_missing",
            Self::EngineStart => "engine_start",
            Self::BadAddress => "bad_address",
            Self::NotAnApi => "not_an_api",
            Self::Store => "store",
            Self::Interrupted => "interrupted",
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
            | Self::MemoryOpsInvalid
            | Self::EngineMissing
            | Self::BadAddress
            | Self::NotAnApi => false,
        }
    }

    /// How often the same call may be made again, where the person allows `max`.
    ///
    /// An answer that arrives whole and is no good is likely to be so again: it gets one more chance only.
    pub fn retries(&self, max: u32) -> u32 {
        match self {
            Self::EmptyAnswer | Self::MalformedAnswer => max.min(1),
            other if other.is_retryable() => max,
            _ => 0,
        }
    }

    /// How long the provider asks us to wait, where it does.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimit { retry_after } | Self::Server { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_retryable_is_never_retried() {
        let network = |kind| FailureKind::Network { kind };
        for lasting in [
            FailureKind::Credentials,
            FailureKind::Credit,
            FailureKind::UnknownModel,
            FailureKind::ContentRefused,
            FailureKind::ContextTooLong { limit_tokens: None },
            FailureKind::Rejected { status: 400 },
            network(NetworkKind::Tls),
        ] {
            assert_eq!((lasting.is_retryable(), lasting.retries(3)), (false, 0), "{lasting:?}");
        }
    }

    #[test]
    fn what_passes_is_retried_as_often_as_the_person_allows() {
        for passing in [
            FailureKind::RateLimit { retry_after: None },
            FailureKind::Server { status: 500, retry_after: None },
            FailureKind::Network { kind: NetworkKind::Reset },
            FailureKind::TruncatedStream,
        ] {
            assert_eq!((passing.is_retryable(), passing.retries(3), passing.retries(0)), (true, 3, 0), "{passing:?}");
        }
        assert_eq!(FailureKind::EmptyAnswer.retries(3), 1);
        assert_eq!(FailureKind::EmptyAnswer.retries(0), 0);
    }
}
