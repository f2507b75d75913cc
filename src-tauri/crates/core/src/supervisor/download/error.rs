//! Why a download did not come to its end.

use std::io;

use crate::providers::error::{NetworkKind, ProviderError, TimeoutPhase};
use crate::supervisor::models::ModelFileError;
use crate::supervisor::models::gguf::GgufError;

/// Why a model was not downloaded, told apart by what a person can do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DownloadError {
    /// The address is none, or names no file.
    #[error("not an address of a file")]
    BadAddress,
    /// The address is not encrypted, or leads to one that is not.
    #[error("not an encrypted address")]
    NotEncrypted,
    /// The catalogue has no such model.
    #[error("no such model in the catalogue")]
    NotInCatalogue,
    /// The model comes in several files.
    #[error("a model in several files")]
    SeveralFiles,
    /// A model of this name is here already.
    #[error("a model of this name is here")]
    AlreadyHere,
    /// It is being downloaded already.
    #[error("it is being downloaded")]
    Running,
    /// There is no such download.
    #[error("there is no such download")]
    NoDownload,
    /// The address has to be given again: a part of it was not kept.
    #[error("a part of the address was not kept")]
    AddressNeeded,
    /// The connection broke, again and again.
    #[error("no connection ({0:?})")]
    Network(NetworkKind),
    /// The server was silent for too long, again and again.
    #[error("the server does not answer")]
    Silent,
    /// There is no such file.
    #[error("there is no such file")]
    NotFound,
    /// The server gives it to nobody who has no account there, or to nobody.
    #[error("the server refuses it (HTTP status {0})")]
    Refused(u16),
    /// The server failed.
    #[error("the server failed (HTTP status {0})")]
    Server(u16),
    /// The server has another file than the catalogue means.
    #[error("another file than expected")]
    OtherFile,
    /// What came is not what the catalogue means.
    #[error("the sum of the file is wrong")]
    WrongSum,
    /// What came is no model to talk to.
    #[error(transparent)]
    NotAModel(#[from] ModelFileError),
    /// The disk has too little room.
    #[error("the disk has too little room")]
    DiskFull {
        /// How many bytes are missing; 0 where that is not known.
        missing: u64,
    },
    /// The folder of models cannot be written.
    #[error("the folder of models cannot be written")]
    Folder(io::ErrorKind),
}

impl DownloadError {
    /// A stable code to switch on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadAddress => "download_bad_address",
            Self::NotEncrypted => "download_not_encrypted",
            Self::NotInCatalogue => "download_not_in_catalogue",
            Self::SeveralFiles => "download_several_files",
            Self::AlreadyHere => "download_already_here",
            Self::Running => "download_running",
            Self::NoDownload => "download_none",
            Self::AddressNeeded => "download_address_needed",
            Self::Network(_) => "download_network",
            Self::Silent => "download_silent",
            Self::NotFound => "download_not_found",
            Self::Refused(_) => "download_refused",
            Self::Server(_) => "download_server",
            Self::OtherFile => "download_other_file",
            Self::WrongSum => "download_wrong_sum",
            Self::NotAModel(error) => error.code(),
            Self::DiskFull { .. } => "download_disk_full",
            Self::Folder(_) => "download_folder",
        }
    }

    /// Whether the same download may come to its end when it is begun again.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Network(_)
            | Self::Silent
            | Self::Server(_)
            | Self::WrongSum
            | Self::DiskFull { .. }
            | Self::Folder(_) => true,
            Self::BadAddress
            | Self::NotEncrypted
            | Self::NotInCatalogue
            | Self::SeveralFiles
            | Self::AlreadyHere
            | Self::Running
            | Self::NoDownload
            | Self::AddressNeeded
            | Self::NotFound
            | Self::Refused(_)
            | Self::OtherFile
            | Self::NotAModel(_) => false,
        }
    }

    /// What happened and what to try, for people.
    pub fn message(&self) -> String {
        match self {
            Self::BadAddress => "This is not the address of a model file. It begins with https:// and ends with .gguf.".into(),
            Self::NotEncrypted => "This address is not encrypted. Atlas downloads models from https:// addresses only.".into(),
            Self::NotInCatalogue => "Atlas does not know this model any more. Choose another one.".into(),
            Self::SeveralFiles => {
                "This model comes in several files. Download all of them with your browser, then choose the first one.".into()
            }
            Self::AlreadyHere => "A model of this name is on this computer already.".into(),
            Self::Running => "This model is being downloaded already.".into(),
            Self::NoDownload => "There is no such download any more.".into(),
            Self::AddressNeeded => {
                "A key may stand in the address of this download, so Atlas did not keep it. Enter the address again: what came is kept.".into()
            }
            Self::Network(NetworkKind::Dns | NetworkKind::Refused) => {
                "The server cannot be reached. Check the internet connection, then go on: what came is kept.".into()
            }
            Self::Network(_) => "The connection broke several times. Go on later: what came is kept.".into(),
            Self::Silent => "The server stopped sending. Go on later: what came is kept.".into(),
            Self::NotFound => "There is no file at this address any more. Check the address, or choose another model.".into(),
            Self::Refused(_) => {
                "The server does not give this file to everyone: it may want an account or a licence agreed to. Download it with your browser, then choose the file.".into()
            }
            Self::Server(_) => "The server has a fault. Go on later: what came is kept.".into(),
            Self::OtherFile => "The server has another file at this address than Atlas expects. It was not used.".into(),
            Self::WrongSum => "The file came damaged or was changed on its way. It was not used; download it again.".into(),
            Self::NotAModel(error) => error.message(),
            Self::DiskFull { missing } => format!(
                "The disk has too little room: {:.1} GB more are needed. Free some space, then go on: what came is kept.",
                (*missing as f64 / 1e9).max(0.1)
            ),
            Self::Folder(_) => "Atlas cannot write to its folder of models. Check its permissions and the disk.".into(),
        }
    }
}

impl From<io::Error> for DownloadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::DiskFull { missing: 0 }
            }
            kind => Self::Folder(kind),
        }
    }
}

impl From<GgufError> for DownloadError {
    fn from(error: GgufError) -> Self {
        Self::NotAModel(error.into())
    }
}

impl From<ProviderError> for DownloadError {
    /// From what can happen before there is an answer.
    fn from(error: ProviderError) -> Self {
        match error {
            ProviderError::Timeout { phase: TimeoutPhase::Connect } => Self::Network(NetworkKind::Refused),
            ProviderError::Timeout { .. } => Self::Silent,
            ProviderError::BadAddress => Self::BadAddress,
            ProviderError::Network { kind } => Self::Network(kind),
            _ => Self::Network(NetworkKind::Other),
        }
    }
}
