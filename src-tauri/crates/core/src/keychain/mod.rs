//! Keys: in the system's keychain and in memory, nowhere else.
//!
//! Invariant: no key is ever written to a file, a log, an error or an event. What leaves this module about a key is a
//! [`KeyStatus`]; the key itself goes to the provider that it belongs to.

use async_trait::async_trait;

pub mod account;
pub mod fake;
pub mod keys;
pub mod status;
pub mod system;

pub use crate::providers::secret::Secret;
pub use account::Account;
pub use fake::FakeKeychain;
pub use keys::Keys;
pub use status::{KeepKey, KeyPlace, KeyStatus};
pub use system::SystemKeychain;

/// A place that keeps secrets safe between runs.
///
/// Implemented by the system's own keychain, and by one in memory for tests.
#[async_trait]
pub trait Keychain: Send + Sync {
    /// The key of an account; none where none was saved.
    async fn get(&self, account: &Account) -> Result<Option<Secret>, KeychainError>;

    /// Saves a key, in place of the one that was there.
    async fn set(&self, account: &Account, key: &Secret) -> Result<(), KeychainError>;

    /// Deletes a key; nothing happens where none is.
    async fn delete(&self, account: &Account) -> Result<(), KeychainError>;

    /// The accounts that Atlas has keys of.
    async fn accounts(&self) -> Result<Vec<Account>, KeychainError>;
}

/// Why the keychain did not do as it was asked. None of these says anything of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeychainError {
    /// There is no keychain on this computer, or none that runs.
    #[error("there is no keychain")]
    NoService,
    /// It is locked, or the person dismissed its request.
    #[error("the keychain is locked")]
    Locked,
    /// It did not answer in time; it may be waiting for the person.
    #[error("the keychain did not answer in time")]
    TimedOut,
    /// What it has is no key.
    #[error("the keychain's entry is not a key")]
    Unreadable,
    /// It takes no key as long as this.
    #[error("the key is too long for the keychain")]
    TooLong,
    /// It failed for another reason.
    #[error("the keychain failed")]
    Failed,
}

impl KeychainError {
    /// A stable code to switch on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoService => "keychain_missing",
            Self::Locked => "keychain_locked",
            Self::TimedOut => "keychain_timeout",
            Self::Unreadable => "keychain_unreadable",
            Self::TooLong => "keychain_too_long",
            Self::Failed => "keychain_failed",
        }
    }

    /// Whether the same call may work when it is made again.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::NoService | Self::Locked | Self::TimedOut | Self::Failed => true,
            Self::Unreadable | Self::TooLong => false,
        }
    }

    /// What happened and what to try, for people.
    pub fn message(&self) -> String {
        match self {
            Self::NoService => format!("Atlas found no keychain on this computer. {START_ONE}, {OR_ELSE}"),
            Self::Locked => format!("The keychain is locked. Unlock it and try again, {OR_ELSE}"),
            Self::TimedOut => {
                format!("The keychain did not answer. If it asks for something, answer it and try again, {OR_ELSE}")
            }
            Self::Unreadable => "What the keychain has for this service is not a key. Enter the key again.".into(),
            Self::TooLong => "This key is longer than the keychain can hold. Check that it is only the key.".into(),
            Self::Failed => format!("The keychain failed. Try again, {OR_ELSE}"),
        }
    }
}

const START_ONE: &str = if cfg!(target_os = "linux") {
    "Start one (GNOME Keyring, KWallet or KeePassXC) and try again"
} else {
    "Try again"
};

const OR_ELSE: &str = "keep the key for this session only, or set it as an environment variable \
                       (OPENROUTER_API_KEY, OPENAI_API_KEY) before you start Atlas.";
