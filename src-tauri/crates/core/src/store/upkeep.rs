//! The upkeep of an open database: backups and checks of the whole, one at a time, beside reads and writes.
//!
//! Invariant: a purge goes first. It interrupts what reads the whole file, so that no copy of what was forgotten is finished
//! after the backups were made anew.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use rusqlite::{Connection, InterruptHandle, OpenFlags};

use super::backup::{self, Backup, BackupReason};
use super::check::{self, Broken, Depth};
use super::connection::connect;
use super::error::StoreError;
use super::health::{ReadOnlyReason, StoreHealth, StoreMode};
use super::{BACKUPS, DATABASE, Inner, SUSPECT, Store, blocking, lock, repair};

/// A file of no more bytes than this is looked at in a moment.
pub(super) const QUICKLY_READ: u64 = 32 << 20;

/// How long after a backup failed the next one is tried.
const TRIED_AGAIN_AFTER: TimeDelta = TimeDelta::hours(1);

/// What goes on beside reads and writes.
#[derive(Default)]
pub(super) struct Upkeep {
    /// Held by the one piece of upkeep that runs.
    pub(super) alone: Mutex<()>,
    /// Ends it early.
    running: Mutex<Option<InterruptHandle>>,
    /// The count of changed rows when the last backup of this run was begun.
    saved: Mutex<Option<u64>>,
    /// When a backup last failed.
    failed_at: Mutex<Option<DateTime<Utc>>>,
    /// The file was too large to be looked at when it was opened, and was not closed cleanly.
    pub(super) check_is_owed: AtomicBool,
}

impl Upkeep {
    pub(super) fn new(check_is_owed: bool) -> Self {
        Self { check_is_owed: AtomicBool::new(check_is_owed), ..Self::default() }
    }

    /// Ends the upkeep that runs: it fails with [`StoreError::Busy`] and is done later.
    pub(super) fn interrupt(&self) {
        if let Some(running) = lock(&self.running).as_ref() {
            running.interrupt();
        }
    }
}

impl Store {
    /// The backups, the newest first. Errors: [`StoreError::Folder`].
    pub async fn backups(&self) -> Result<Vec<Backup>, StoreError> {
        backup::backups(self.folder()).await
    }

    /// Makes a backup of the database as it is now, and lets go of those that are not kept any more. Reads and writes go on
    /// meanwhile.
    ///
    /// Errors: [`StoreError::Full`] where there is no room; [`StoreError::Busy`] where a purge went first;
    /// [`StoreError::Corrupt`] where the database turns out to be damaged; [`StoreError::BadBackup`] where the copy does. None
    /// leaves a file.
    pub async fn back_up(&self, reason: BackupReason, now: DateTime<FixedOffset>) -> Result<Backup, StoreError> {
        let inner = self.inner.clone();
        let made = blocking(move || inner.alone(|conn| inner.back_up(conn, reason, now)));
        made.await.inspect_err(|error| self.notice(error))
    }

    /// Makes the day's backup where it is still to be made: something changed since the last one, which is of another day, or
    /// of before an update. `begun` is when the agent began: on its first day there is none. Errors as of [`Store::back_up`].
    pub async fn back_up_if_due(
        &self,
        now: DateTime<FixedOffset>,
        begun: DateTime<Utc>,
    ) -> Result<Option<Backup>, StoreError> {
        let inner = self.inner.clone();
        let made = blocking(move || {
            if !inner.may_be_due(now.to_utc()) {
                return Ok(None);
            }
            inner.alone(|conn| match inner.is_due(now, begun)? {
                true => inner.back_up(conn, BackupReason::Daily, now).map(Some),
                false => Ok(None),
            })
        });
        made.await.inspect_err(|error| self.notice(error))
    }

    /// Looks at all of the database. Damaged indexes are made anew; where more is damaged, nothing is written any more until
    /// a backup is restored. [`Store::health`] tells what came of it.
    ///
    /// Errors: [`StoreError::Busy`] where a purge went first; what else kept it from being looked at.
    pub async fn check(&self, now: DateTime<Utc>) -> Result<StoreHealth, StoreError> {
        let inner = self.inner.clone();
        blocking(move || {
            if inner.readers.is_none() || matches!(inner.health.borrow().mode, StoreMode::OnBackup { .. }) {
                return Ok(inner.health.borrow().clone());
            }
            let broken = inner.alone(|conn| check::look(conn, Depth::Whole))?;
            inner.settle(broken)?;
            inner.upkeep.check_is_owed.store(false, Ordering::Relaxed);
            inner.health.send_modify(|health| health.checked_at = Some(now));
            Ok(inner.health.borrow().clone())
        })
        .await
    }

    /// Whether the last end was not clean and the file too large to be looked at since.
    pub fn is_check_owed(&self) -> bool {
        self.inner.upkeep.check_is_owed.load(Ordering::Relaxed)
    }

    /// Makes all indexes anew, and what else follows from the memories and messages alone where it is damaged.
    ///
    /// Errors: [`StoreError::Corrupt`] where more than indexes is damaged.
    pub async fn rebuild_indexes(&self) -> Result<(), StoreError> {
        let inner = self.inner.clone();
        let rebuilt = blocking(move || {
            inner.upkeep.interrupt();
            let _alone = lock(&inner.upkeep.alone);
            repair::rebuild_all(&mut *inner.writer()?)
        });
        rebuilt.await.inspect_err(|error| self.notice(error))
    }

    /// Damage that a read or a write met stops all writes until the whole was looked at.
    pub(super) fn notice(&self, error: &StoreError) {
        if matches!(error, StoreError::Corrupt) {
            let is_new = self.inner.health.send_if_modified(|health| {
                let is_new = health.mode.is_writable();
                if is_new {
                    health.enter(StoreMode::Suspect);
                }
                is_new
            });
            if is_new {
                self.inner.mark(true);
            }
        }
    }
}

impl Inner {
    /// Does a piece of upkeep on a connection of its own; no other runs meanwhile, and a purge can interrupt it.
    pub(super) fn alone<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let _alone = lock(&self.upkeep.alone);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = connect(&self.folder.join(DATABASE), flags, &self.functions)?;
        *lock(&self.upkeep.running) = Some(conn.get_interrupt_handle());
        let result = work(&conn);
        *lock(&self.upkeep.running) = None;
        result
    }

    fn back_up(
        &self,
        conn: &Connection,
        reason: BackupReason,
        now: DateTime<FixedOffset>,
    ) -> Result<Backup, StoreError> {
        if let Some(refusal) = self.health.borrow().mode.refusal() {
            return Err(refusal);
        }
        let changes = self.changes.load(Ordering::Relaxed);
        let made = backup::make(conn, &self.folder, reason, now.to_utc());
        *lock(&self.upkeep.failed_at) = made.as_ref().err().map(|_| now.to_utc());
        let made = made.inspect_err(|error| {
            let told = format!("A backup could not be made. {}", error.message());
            self.health.send_modify(|health| health.backup_problem = Some(told));
        })?;
        *lock(&self.upkeep.saved) = Some(changes);
        self.health.send_modify(|health| {
            health.last_backup_at = Some(made.at);
            health.backup_problem = None;
        });
        backup::rotate(&self.folder, *now.offset())?;
        Ok(made)
    }

    /// Whether this run has changed something since it made a backup, or has made none, and it did not just fail.
    fn may_be_due(&self, now: DateTime<Utc>) -> bool {
        let failed_at = *lock(&self.upkeep.failed_at);
        if failed_at.is_some_and(|at| at <= now && now - at < TRIED_AGAIN_AFTER) {
            return false;
        }
        let is_saved = *lock(&self.upkeep.saved) == Some(self.changes.load(Ordering::Relaxed));
        self.readers.is_some() && self.health.borrow().mode.is_writable() && !is_saved
    }

    fn is_due(&self, now: DateTime<FixedOffset>, begun: DateTime<Utc>) -> Result<bool, StoreError> {
        let day = |at: DateTime<Utc>| at.with_timezone(now.offset()).date_naive();
        let Some(last) = backup::list(&self.folder)?.into_iter().find(|backup| backup.verified) else {
            return Ok(day(begun) != now.date_naive());
        };
        if last.reason == BackupReason::BeforeUpdate {
            return Ok(true);
        }
        if day(last.at) == now.date_naive() {
            return Ok(false);
        }
        // What this run has not changed may have been changed by the one before.
        Ok(lock(&self.upkeep.saved).is_some() || self.was_written_since(&last.name)?)
    }

    /// Whether the database's file, or its log, was written after a backup was begun.
    fn was_written_since(&self, backup: &str) -> Result<bool, StoreError> {
        let saved = fs::metadata(self.folder.join(BACKUPS).join(backup))?.modified()?;
        for file in [DATABASE.to_owned(), format!("{DATABASE}-wal")] {
            match fs::metadata(self.folder.join(file)) {
                Ok(file) if file.len() > 0 && file.modified()? > saved => return Ok(true),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Acts on what a look at the whole has found.
    fn settle(&self, broken: Broken) -> Result<(), StoreError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let mut writer = lock(writer);
        let mode = self.health.borrow().mode.clone();
        if matches!(mode, StoreMode::ReadOnly { .. }) {
            return Ok(());
        }
        let broken = check::with_texts(&writer, broken)?;
        let next = if broken.is_nothing() {
            // What was repaired before stays told.
            if mode == StoreMode::Suspect { StoreMode::Normal } else { mode }
        } else {
            match repair::repair(&mut writer, &broken) {
                Ok(what) => StoreMode::Repaired { what },
                Err(StoreError::Corrupt) => StoreMode::ReadOnly { reason: ReadOnlyReason::Damaged },
                Err(error) => return Err(error),
            }
        };
        self.mark(!next.is_writable());
        self.health.send_modify(|health| health.enter(next));
        Ok(())
    }

    /// Says in the agent's folder that damage showed itself, or that it is gone. A disk that refuses that is no reason to stop.
    fn mark(&self, is_suspect: bool) {
        let mark = self.folder.join(SUSPECT);
        let _ = match is_suspect {
            // A store in memory has no folder.
            true if self.readers.is_some() => fs::write(mark, "").map_err(StoreError::from),
            true => Ok(()),
            false => backup::remove(&mark),
        };
    }
}
