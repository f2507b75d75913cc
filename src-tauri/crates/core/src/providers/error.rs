//! What can go wrong on the wire, as facts: never a string to search in.

use std::time::Duration;

pub use super::engine_error::{Diagnosis, EngineError};

/// Why a provider gave no (whole) answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProviderError {
    /// No connection.
    #[error("no connection ({kind:?})")]
    Network {
        /// At which step.
        kind: NetworkKind,
    },
    /// It took too long.
    #[error("timed out ({phase:?})")]
    Timeout {
        /// Waiting for what.
        phase: TimeoutPhase,
    },
    /// It answered with a status other than 2xx.
    #[error("HTTP status {status}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// How long it asks us to wait: from `Retry-After` (seconds, or a date relative to the `Date` header).
        retry_after: Option<Duration>,
        /// What it said.
        body: ErrorBody,
    },
    /// It answered 2xx and then sent an error instead of, or in the middle of, the answer.
    #[error("an error inside a successful response")]
    InStream {
        /// What it said.
        body: ErrorBody,
    },
    /// The stream ended before the answer did.
    #[error("the answer was cut off")]
    Truncated,
    /// It answered 2xx with nothing in it.
    #[error("an empty response")]
    Empty,
    /// What it sent is not of the protocol.
    #[error("not an answer that can be read")]
    Malformed,
    /// It answered 2xx with a web page: the address of something else, or a network that wants a login first.
    #[error("a web page instead of an answer")]
    WebPage,
    /// There is no key for it.
    #[error("no key")]
    NoKey,
    /// The key cannot be put into a header (line breaks, control characters).
    #[error("the key has characters that no key has")]
    UnusableKey,
    /// The address is not one.
    #[error("not an http(s) address")]
    BadAddress,
    /// The built-in engine does not run.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// The step at which a connection failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkKind {
    /// The name could not be resolved.
    Dns,
    /// Nothing listens there.
    Refused,
    /// The encrypted connection failed: a certificate that is not trusted, for one.
    Tls,
    /// The proxy failed.
    Proxy,
    /// The connection broke.
    Reset,
    /// Another cause.
    Other,
}

/// What was waited for when the time was up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// The connection.
    Connect,
    /// The first piece of the answer.
    FirstToken,
    /// The next piece of the answer.
    Stalled,
    /// The whole answer.
    Whole,
}

/// What a provider said about an error, from whatever shape it came in (`{"error": {…}}`, `{"error": "…"}`,
/// `{"message": …}`, plain text, HTML), capped and without markup.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorBody {
    /// In words, at most 500 characters.
    pub message: Option<String>,
    /// Its code: a word, or a number as text.
    pub code: Option<String>,
    /// Its type.
    pub kind: Option<String>,
    /// The whole, where it was JSON and not over 16 KiB.
    pub json: Option<Box<serde_json::Value>>,
}
