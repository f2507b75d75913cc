//! The closed taxonomy of what can fail.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::behavior::conduct::ViolationKind;
use crate::keychain::KeychainError;
use crate::providers::error::Diagnosis;
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
    /// How far the turn had come.
    pub phase: Phase,
}

/// How far a turn had come when something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing of the answer had come.
    Asking,
    /// A part of the answer had come.
    Answering,
    /// The answer was there: what failed is the work after it.
    After,
}

impl Phase {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Asking, Self::Answering, Self::After];

    /// A stable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Asking => "asking",
            Self::Answering => "answering",
            Self::After => "after",
        }
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
    /// The server read far less of the prompt than was sent: it cut it without a word.
    PromptCut {
        /// About how many tokens were sent.
        sent: u64,
        /// How many it read.
        read: u64,
    },
    /// The built-in engine.
    Engine(EngineFault),
    /// The address is not one.
    BadAddress,
    /// Something answers at the address, and it is no model service.
    NotAnApi,
    /// The database could not be written or read.
    Store(StoreFault),
    /// Atlas was ended in the middle of the answer.
    Interrupted,
    /// The key may be in the keychain, which cannot be asked.
    Keychain(KeychainError),
    /// The finished answer broke a hard rule.
    RuleBroken {
        /// How.
        kind: ViolationKind,
        /// The rule, as the person wrote it; none for what is always forbidden.
        rule: Option<String>,
    },
    /// The answer has left the assistant's role.
    OffRole,
    /// The provider failed again and again, and is not asked for a while.
    LeftAlone {
        /// Until when.
        until: DateTime<Utc>,
    },
}

/// What is wrong with the built-in engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineFault {
    /// It is not installed, or has no model file.
    Missing,
    /// It does not start.
    Start {
        /// What its last lines tell, where they tell something.
        diagnosis: Option<Diagnosis>,
    },
    /// It ended by itself.
    Exited {
        /// The same.
        diagnosis: Option<Diagnosis>,
    },
    /// The system ended it because memory ran out.
    OutOfMemory,
    /// It runs and does not answer.
    Unhealthy,
    /// It rests before the next start.
    Resting {
        /// Until when.
        until: DateTime<Utc>,
    },
    /// It crashed again and again, and is left alone for a while.
    Flapping {
        /// Until when.
        until: DateTime<Utc>,
        /// What its last lines tell, where they tell something.
        diagnosis: Option<Diagnosis>,
    },
}

/// What is wrong with the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    /// Another process writes all the time.
    Busy,
    /// No room on the disk.
    Full,
    /// It cannot be written.
    ReadOnly,
    /// The file is damaged.
    Corrupt,
    /// Another fault.
    Other,
}

impl StoreFault {
    /// A stable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Busy => "store_busy",
            Self::Full => "store_full",
            Self::ReadOnly => "store_read_only",
            Self::Corrupt => "store_corrupt",
            Self::Other => "store",
        }
    }
}

impl EngineFault {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing => "engine_missing",
            Self::Start { .. } => "engine_start",
            Self::Exited { .. } => "engine_exited",
            Self::OutOfMemory => "engine_out_of_memory",
            Self::Unhealthy => "engine_unhealthy",
            Self::Resting { .. } => "engine_resting",
            Self::Flapping { .. } => "engine_flapping",
        }
    }
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
            Self::PromptCut { .. } => "prompt_cut",
            Self::Engine(fault) => fault.code(),
            Self::BadAddress => "bad_address",
            Self::NotAnApi => "not_an_api",
            Self::Store(fault) => fault.code(),
            Self::Interrupted => "interrupted",
            Self::Keychain(_) => "keychain",
            Self::RuleBroken { .. } => "rule_broken",
            Self::OffRole => "off_role",
            Self::LeftAlone { .. } => "left_alone",
        }
    }

    /// One failure of every kind and sub-kind, without passing facts: for tables over all of them.
    pub fn examples() -> Vec<Self> {
        use {EngineFault as Engine, NetworkKind as Net, TimeoutPhase as Late};
        let until = DateTime::UNIX_EPOCH;
        let network = [Net::Dns, Net::Refused, Net::Tls, Net::Proxy, Net::Reset, Net::Other];
        let timeouts = [Late::Connect, Late::FirstToken, Late::Stalled, Late::Whole];
        let engine = [
            Engine::Missing,
            Engine::Start { diagnosis: None },
            Engine::Exited { diagnosis: None },
            Engine::OutOfMemory,
            Engine::Unhealthy,
            Engine::Resting { until },
            Engine::Flapping { until, diagnosis: None },
        ];
        let store = [StoreFault::Busy, StoreFault::Full, StoreFault::ReadOnly, StoreFault::Corrupt, StoreFault::Other];
        let mut all = vec![
            Self::NotSetUp,
            Self::NoKey,
            Self::Credentials,
            Self::Credit,
            Self::RateLimit { retry_after: None },
            Self::UnknownModel,
            Self::ContextTooLong { limit_tokens: None },
            Self::ContentRefused,
            Self::Server { status: 500, retry_after: None },
            Self::Rejected { status: 400, said: None },
            Self::EngineLoading,
            Self::TruncatedStream,
            Self::MalformedAnswer,
            Self::EmptyAnswer,
            Self::MemoryOpsInvalid { refused: 0 },
            Self::PromptCut { sent: 0, read: 0 },
            Self::BadAddress,
            Self::NotAnApi,
            Self::Interrupted,
            Self::Keychain(KeychainError::Locked),
            Self::RuleBroken { kind: ViolationKind::ForbiddenClaim, rule: None },
            Self::LeftAlone { until: DateTime::UNIX_EPOCH },
            Self::OffRole,
        ];
        all.extend(network.map(|kind| Self::Network { kind }));
        all.extend(timeouts.map(|phase| Self::Timeout { phase }));
        all.extend(engine.map(Self::Engine));
        all.extend(store.map(Self::Store));
        all
    }

    /// The code with the sub-kind where another remedy may help for it: what a procedure is learned for.
    pub fn signature_code(&self) -> &'static str {
        match self {
            Self::Network { kind } => match kind {
                NetworkKind::Dns => "network_dns",
                NetworkKind::Refused => "network_refused",
                NetworkKind::Tls => "network_tls",
                NetworkKind::Proxy => "network_proxy",
                NetworkKind::Reset => "network_reset",
                NetworkKind::Other => "network",
            },
            Self::Timeout { phase } => match phase {
                TimeoutPhase::Connect => "timeout_connect",
                TimeoutPhase::FirstToken => "timeout_first_token",
                TimeoutPhase::Stalled => "timeout_stalled",
                TimeoutPhase::Whole => "timeout_whole",
            },
            _ => self.code(),
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
            | Self::RuleBroken { .. }
            | Self::OffRole
            | Self::LeftAlone { .. }
            | Self::Interrupted => true,
            Self::Engine(fault) => match fault {
                EngineFault::Start { .. }
                | EngineFault::Exited { .. }
                | EngineFault::OutOfMemory
                | EngineFault::Unhealthy
                | EngineFault::Resting { .. } => true,
                EngineFault::Missing | EngineFault::Flapping { .. } => false,
            },
            Self::Store(fault) => match fault {
                StoreFault::Busy | StoreFault::Full | StoreFault::Other => true,
                StoreFault::ReadOnly | StoreFault::Corrupt => false,
            },
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
            | Self::PromptCut { .. }
            | Self::BadAddress
            | Self::NotAnApi
            | Self::Keychain(_) => false,
        }
    }
}

impl From<&StoreError> for FailureKind {
    fn from(error: &StoreError) -> Self {
        Self::Store(match error {
            StoreError::Busy | StoreError::Held => StoreFault::Busy,
            StoreError::Full => StoreFault::Full,
            StoreError::ReadOnly | StoreError::Folder(_) => StoreFault::ReadOnly,
            StoreError::Corrupt | StoreError::OnBackup | StoreError::BadBackup | StoreError::Newer { .. } => {
                StoreFault::Corrupt
            }
            StoreError::Disk | StoreError::Missing(_) | StoreError::Sqlite(_) => StoreFault::Other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_example_of_each_kind_and_its_signature_names_it_alone() {
        let examples = FailureKind::examples();
        let codes: std::collections::BTreeSet<_> = examples.iter().map(FailureKind::signature_code).collect();
        assert_eq!(codes.len(), examples.len());
    }

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
