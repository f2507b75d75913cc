//! How the database is, as the Health page shows it.

use chrono::{DateTime, Utc};

use super::error::StoreError;

/// How the database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreHealth {
    /// What can be done with it.
    pub mode: StoreMode,
    /// When all of it was last looked at, in this run.
    pub checked_at: Option<DateTime<Utc>>,
    /// When the newest backup was made.
    pub last_backup_at: Option<DateTime<Utc>>,
    /// For people: what is wrong or was put right, and what to do now.
    pub problem: Option<String>,
    /// For people: why the latest backup could not be made.
    pub backup_problem: Option<String>,
}

/// What can be done with the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreMode {
    /// Everything.
    Normal,
    /// Everything: these indexes were damaged and were made anew.
    Repaired {
        /// Their names.
        what: Vec<String>,
    },
    /// Damage showed itself: nothing is written until all of it has been looked at.
    Suspect,
    /// It can be read.
    ReadOnly {
        /// Why not more.
        reason: ReadOnlyReason,
    },
    /// The file is damaged; what is read is a backup.
    OnBackup {
        /// The backup's name.
        name: String,
        /// When it was made.
        at: DateTime<Utc>,
    },
}

/// Why a database can only be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// The file or its folder cannot be written.
    Unwritable,
    /// It is damaged.
    Damaged,
}

impl StoreHealth {
    pub(super) fn new(mode: StoreMode, last_backup_at: Option<DateTime<Utc>>) -> Self {
        let problem = mode.problem();
        Self { mode, checked_at: None, last_backup_at, problem, backup_problem: None }
    }

    /// In another mode, with what people are told of that.
    pub(super) fn enter(&mut self, mode: StoreMode) {
        self.problem = mode.problem();
        self.mode = mode;
    }
}

impl StoreMode {
    /// Whether something can be written.
    pub fn is_writable(&self) -> bool {
        self.refusal().is_none()
    }

    /// Why nothing can be written.
    pub(super) fn refusal(&self) -> Option<StoreError> {
        match self {
            Self::Normal | Self::Repaired { .. } => None,
            Self::Suspect | Self::ReadOnly { reason: ReadOnlyReason::Damaged } => Some(StoreError::Corrupt),
            Self::ReadOnly { reason: ReadOnlyReason::Unwritable } => Some(StoreError::ReadOnly),
            Self::OnBackup { .. } => Some(StoreError::OnBackup),
        }
    }

    fn problem(&self) -> Option<String> {
        match self {
            Self::Normal => None,
            Self::Repaired { what } => Some(format!(
                "A part of the database that can be made anew was damaged, and was: {}. Nothing was lost.",
                what.join(", ")
            )),
            Self::Suspect => {
                Some("The database may be damaged. Atlas is looking at all of it and saves nothing meanwhile.".into())
            }
            Self::ReadOnly { .. } => self.refusal().map(|error| error.message()),
            // Of when the backup is, whoever shows it says as the person's clock and language have it.
            Self::OnBackup { .. } => Some(
                "The database is damaged, so Atlas shows a backup of it and saves nothing. The damaged file was not touched. \
                 Restore the backup: what can still be read in the damaged file is put into it."
                    .into(),
            ),
        }
    }
}
