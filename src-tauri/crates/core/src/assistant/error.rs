//! Why the assistant could not do what a shell asked. An error means that nothing was started.

use super::view::ErrorView;
use crate::keychain::KeychainError;
use crate::memory::transfer::import::ImportError;
use crate::settings::InvalidSettings;
use crate::store::StoreError;
use crate::supervisor::download::DownloadError;
use crate::supervisor::models::ModelFileError;

/// What a caller can do differently.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The keychain.
    #[error(transparent)]
    Keychain(#[from] KeychainError),
    /// A setting out of range.
    #[error(transparent)]
    Settings(#[from] InvalidSettings),
    /// There is nothing in it.
    #[error("There is nothing to send.")]
    NothingToSend,
    /// It is longer than Atlas takes.
    #[error(
        "This is longer than Atlas can take at once ({MAX_MESSAGE_CHARS} characters). Split it and send the parts."
    )]
    TooLong,
    /// An answer is still arriving in this conversation.
    #[error("Atlas is still answering in this conversation. Stop it, or wait until it is done.")]
    TurnRunning,
    /// The person named no other model and no other service.
    #[error("No other model is chosen. Choose one in the settings, under Fallback.")]
    NoAlternative,
    /// A temporary message cannot be said in a conversation that is stored.
    #[error("What is said in this conversation is stored. Begin a temporary one for what should not be.")]
    NotTemporary,
    /// The spec cannot be saved as it is.
    #[error("{0}")]
    Spec(String),
    /// What was entered for a memory cannot be kept.
    #[error("{0}")]
    Memory(String),
    /// Not an http(s) address.
    #[error("That is not an address of a server. It begins with http:// or https://.")]
    Address,
    /// A provider refused.
    #[error("{}", .0.message)]
    Provider(crate::healing::FailureView),
    /// A file cannot be imported.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A model cannot be downloaded.
    #[error("{}", .0.message())]
    Download(#[from] DownloadError),
    /// A file cannot be a model, or cannot be removed.
    #[error("{}", .0.message())]
    ModelFile(#[from] ModelFileError),
    /// An export could not be written.
    #[error(
        "Atlas could not write to {0}. Check that there is room and that you may write there, or choose another place."
    )]
    NotWritten(String),
    /// Files could not be removed.
    #[error("Atlas could not remove {0}. Close programs that use it and try again.")]
    Files(String),
}

/// The longest message, in characters.
pub const MAX_MESSAGE_CHARS: usize = 400_000;

impl Error {
    /// The error as a shell gets it.
    pub fn view(&self) -> ErrorView {
        let (code, message, retryable) = match self {
            Self::Store(error) => (error.code(), error.message(), error.is_retryable()),
            Self::Keychain(error) => (error.code(), error.message(), error.is_retryable()),
            Self::Settings(_) => ("settings", self.to_string(), false),
            Self::NothingToSend => ("nothing_to_send", self.to_string(), false),
            Self::TooLong => ("too_long", self.to_string(), false),
            Self::TurnRunning => ("turn_running", self.to_string(), true),
            Self::NoAlternative => ("no_alternative", self.to_string(), false),
            Self::NotTemporary => ("not_temporary", self.to_string(), false),
            Self::Spec(_) => ("spec", self.to_string(), false),
            Self::Memory(_) => ("memory", self.to_string(), false),
            Self::Address => ("address", self.to_string(), false),
            Self::Provider(view) => {
                return ErrorView { code: view.code.clone(), message: view.message.clone(), retryable: true };
            }
            Self::Import(error) => (error.code(), error.to_string(), matches!(error, ImportError::Unreadable(_))),
            Self::Download(error) => (error.code(), error.message(), error.is_retryable()),
            Self::ModelFile(error) => (error.code(), error.message(), error.is_retryable()),
            Self::NotWritten(_) => ("not_written", self.to_string(), true),
            Self::Files(_) => ("files", self.to_string(), true),
        };
        ErrorView { code: code.to_owned(), message, retryable }
    }
}
