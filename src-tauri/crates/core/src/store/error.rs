//! What can go wrong with the database, told apart by what a caller can do about it.

use rusqlite::ErrorCode;

/// Why the database could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process writes all the time.
    #[error("the database is busy")]
    Busy,
    /// No room on the disk.
    #[error("the disk is full")]
    Full,
    /// The file or its folder cannot be written.
    #[error("the database cannot be written")]
    ReadOnly,
    /// The file is damaged.
    #[error("the database is damaged")]
    Corrupt,
    /// A newer Atlas wrote it.
    #[error("the database is of a newer version ({found}) than this Atlas knows ({known})")]
    Newer {
        /// The version in the file.
        found: u32,
        /// The newest version known here.
        known: u32,
    },
    /// Another Atlas holds this agent.
    #[error("another Atlas has this agent open")]
    Held,
    /// There is no such row (any more).
    #[error("there is no such {0}")]
    Missing(&'static str),
    /// Its folder or lock could not be made.
    #[error("the data folder cannot be used: {0}")]
    Folder(std::io::ErrorKind),
    /// Another fault of SQLite.
    #[error("the database failed")]
    Sqlite(#[source] rusqlite::Error),
}

impl StoreError {
    /// A stable code to switch on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Busy => "store_busy",
            Self::Full => "store_full",
            Self::ReadOnly => "store_read_only",
            Self::Corrupt => "store_corrupt",
            Self::Newer { .. } => "store_newer",
            Self::Held => "store_held",
            Self::Missing(_) => "not_found",
            Self::Folder(_) => "store_folder",
            Self::Sqlite(_) => "store_failed",
        }
    }

    /// Whether the same call may work when it is made again.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Busy | Self::Full | Self::Held => true,
            Self::ReadOnly
            | Self::Corrupt
            | Self::Newer { .. }
            | Self::Missing(_)
            | Self::Folder(_)
            | Self::Sqlite(_) => false,
        }
    }

    /// What happened and what to try, for people.
    pub fn message(&self) -> String {
        match self {
            Self::Busy => "Atlas could not save just now because its database is busy. Try again in a moment.".into(),
            Self::Full => "The disk is full, so Atlas could not save this. Free some space, then try again.".into(),
            Self::ReadOnly => {
                "Atlas may not write to its data folder. Check the folder's permissions, then start Atlas again.".into()
            }
            Self::Corrupt => {
                "Atlas's database is damaged, and was not touched. Where the data folder has a backup of it, put that in its \
                 place; else move the damaged file away and Atlas begins anew."
                    .into()
            }
            Self::Newer { .. } => {
                "This data was written by a newer version of Atlas. Install that version to open it; nothing was changed.".into()
            }
            Self::Held => "Atlas is already open on this computer. Use that window, or close it and try again.".into(),
            Self::Missing(what) => format!("That {what} does not exist any more."),
            Self::Folder(_) => "Atlas cannot create or open its data folder. Check its permissions and the disk.".into(),
            Self::Sqlite(_) => "Atlas's database could not do that. Try again; if it happens again, restart Atlas.".into(),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Self::ReadOnly,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt,
            _ => Self::Sqlite(error),
        }
    }
}
