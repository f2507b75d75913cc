//! What is wrong with a file that somebody wants to import.

use std::io::ErrorKind;

/// Why a file cannot be taken in. Nothing of it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It has no bytes.
    #[error("This file is empty. Export it again from where it comes from.")]
    Empty,
    /// It is whole, and says nothing.
    #[error("There is nothing in this file that Atlas could remember.")]
    NothingInIt,
    /// It is a folder, a device or a link to nowhere.
    #[error("This is not a file. If it is a folder, choose the file inside it, or the ZIP archive that it came in.")]
    NotAFile,
    /// Atlas does not know its form.
    #[error(
        "Atlas does not recognise this file. It takes its own exports, MEMORY.md and USER.md files, and the data exports of ChatGPT and Claude (the ZIP archive, or conversations.json from it)."
    )]
    NotRecognised,
    /// It is broken or cut short.
    #[error("This file is damaged or incomplete. Download or export it again; nothing was imported.")]
    Damaged,
    /// It is larger than Atlas takes, perhaps only once it is unpacked.
    #[error(
        "This file holds more than 1 GB of text, which is more than Atlas takes at once. Import its parts one by one."
    )]
    TooLarge,
    /// It asks for a password.
    #[error("This archive is protected by a password. Unpack it, and choose the conversations.json inside.")]
    Locked,
    /// A newer Atlas wrote it.
    #[error("A newer Atlas wrote this file. Update Atlas, and import it again.")]
    Newer,
    /// Nobody looked at it before.
    #[error("Choose the file once more: Atlas no longer knows which one was meant.")]
    NotOffered,
    /// The system does not let Atlas read it.
    #[error("Atlas could not read this file. Check that it is still there and that you may open it.")]
    Unreadable(ErrorKind),
}

impl ImportError {
    /// A stable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Empty => "import_empty",
            Self::NothingInIt => "import_nothing",
            Self::NotAFile => "import_not_a_file",
            Self::NotRecognised => "import_not_recognised",
            Self::Damaged => "import_damaged",
            Self::TooLarge => "import_too_large",
            Self::Locked => "import_locked",
            Self::Newer => "import_newer",
            Self::NotOffered => "import_not_offered",
            Self::Unreadable(_) => "import_unreadable",
        }
    }

    /// What a fault while reading means.
    pub(super) fn of(error: &std::io::Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidData | ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::Other => {
                Self::Damaged
            }
            kind => Self::Unreadable(kind),
        }
    }
}

impl From<serde_json::Error> for ImportError {
    fn from(error: serde_json::Error) -> Self {
        match error.io_error_kind() {
            Some(kind) => Self::of(&kind.into()),
            None => Self::Damaged,
        }
    }
}
