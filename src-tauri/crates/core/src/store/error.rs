//! What can go wrong with the database, told apart by what a caller can do about it.

use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_SHORT_READ};

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
    /// The file is damaged, and a backup is read in its place.
    #[error("the database is damaged; a backup is read in its place")]
    OnBackup,
    /// A backup is no good.
    #[error("the backup is damaged")]
    BadBackup,
    /// The disk gave an error.
    #[error("the disk failed")]
    Disk,
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
            Self::OnBackup => "store_on_backup",
            Self::BadBackup => "store_bad_backup",
            Self::Disk => "store_disk",
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
            Self::Busy | Self::Full | Self::Disk | Self::Held => true,
            Self::ReadOnly
            | Self::Corrupt
            | Self::OnBackup
            | Self::BadBackup
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
                "Atlas's database is damaged, so nothing is written to it any more. Restore a backup of it: what can still be \
                 read in the damaged file is put into it, and the damaged file is kept."
                    .into()
            }
            Self::OnBackup => {
                "Atlas shows a backup, because its database is damaged. Nothing can be saved until you restore a backup: open \
                 Health and do that now."
                    .into()
            }
            Self::BadBackup => "That backup is damaged. It was not used; choose another one.".into(),
            Self::Disk => {
                "The disk gave an error when Atlas used it, so this was not saved. Check that the disk is connected and has room, \
                 then try again."
                    .into()
            }
            Self::Newer { found, known } => format!(
                "This data was written by a newer version of Atlas: it is of version {found}, and this Atlas knows up to {known}. \
                 Install the newer Atlas to open it; nothing was changed."
            ),
            Self::Held => "Atlas is already open on this computer. Use that window, or close it and try again.".into(),
            Self::Missing(what) => format!("That {what} does not exist any more."),
            Self::Folder(_) => "Atlas cannot create or open its data folder. Check its permissions and the disk.".into(),
            Self::Sqlite(_) => "Atlas's database could not do that. Try again; if it happens again, restart Atlas.".into(),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error().map(|error| (error.code, error.extended_code)) {
            // An interrupted piece of upkeep may be tried again like one that met a lock.
            Some((ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::OperationInterrupted, _)) => {
                Self::Busy
            }
            Some((ErrorCode::DiskFull, _)) => Self::Full,
            Some((ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied, _)) => Self::ReadOnly,
            Some((ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, _)) => Self::Corrupt,
            // The file is shorter than it says, or its file system knows that it is damaged.
            Some((ErrorCode::SystemIoFailure, SQLITE_IOERR_SHORT_READ | SQLITE_IOERR_CORRUPTFS)) => Self::Corrupt,
            Some((ErrorCode::SystemIoFailure, _)) => Self::Disk,
            _ => Self::Sqlite(error),
        }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Self::Full,
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Self::ReadOnly,
            kind => Self::Folder(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: i32) -> &'static str {
        StoreError::from(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None)).code()
    }

    #[test]
    fn each_fault_of_sqlite_is_one_that_people_can_act_on() {
        use rusqlite::ffi;
        let faults = [
            (ffi::SQLITE_BUSY, "store_busy"),
            (ffi::SQLITE_LOCKED, "store_busy"),
            (ffi::SQLITE_FULL, "store_full"),
            (ffi::SQLITE_READONLY, "store_read_only"),
            (ffi::SQLITE_READONLY_DIRECTORY, "store_read_only"),
            (ffi::SQLITE_CANTOPEN, "store_read_only"),
            (ffi::SQLITE_PERM, "store_read_only"),
            (ffi::SQLITE_CORRUPT, "store_corrupt"),
            (ffi::SQLITE_CORRUPT_VTAB, "store_corrupt"),
            (ffi::SQLITE_NOTADB, "store_corrupt"),
            (ffi::SQLITE_IOERR_SHORT_READ, "store_corrupt"),
            (ffi::SQLITE_IOERR_WRITE, "store_disk"),
            (ffi::SQLITE_IOERR_FSYNC, "store_disk"),
            (ffi::SQLITE_CONSTRAINT, "store_failed"),
        ];
        for (code, expected) in faults {
            assert_eq!(told(code), expected, "{code}");
        }
    }

    #[test]
    fn each_fault_of_a_file_is_told_apart_by_what_helps() {
        use std::io::{Error, ErrorKind};
        let told = |kind: ErrorKind| StoreError::from(Error::from(kind)).code();
        assert_eq!(told(ErrorKind::StorageFull), "store_full");
        assert_eq!(told(ErrorKind::ReadOnlyFilesystem), "store_read_only");
        assert_eq!(told(ErrorKind::PermissionDenied), "store_read_only");
        assert_eq!(told(ErrorKind::NotADirectory), "store_folder");
    }
}
