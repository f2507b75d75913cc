//! The database as people see it: how it is, its backups, and putting one back.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use ts_rs::TS;

use super::view::AppEvent;
use super::{Assistant, Error};
use crate::clock::Clock;
use crate::healing::timeline::{Event, Outcome, Source};
use crate::healing::{Failure, FailureKind, Phase, Remedy, StoreFault};
use crate::home::Home;
use crate::memory::forgetting::tombstone;
use crate::store::{self, Backup, BackupReason, ReadOnlyReason, Restored, Salvaged, StoreHealth, StoreMode};

/// How often a look at a database in which damage showed itself is tried, and the pause between.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_secs(2);

/// After how many hours all of the database is looked at again.
const CHECKED_EVERY_HOURS: i64 = 24;

/// How the database is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct StoreHealthView {
    /// What can be done with it.
    pub mode: StoreModeName,
    /// For people: what is wrong or was put right, and what to do now.
    pub problem: Option<String>,
    /// The backup that is read in the database's place.
    pub backup: Option<String>,
    /// When that one was made.
    pub backup_at: Option<DateTime<Utc>>,
    /// When all of it was last looked at, since Atlas was started.
    pub checked_at: Option<DateTime<Utc>>,
    /// When the newest backup was made.
    pub last_backup_at: Option<DateTime<Utc>>,
}

/// What can be done with the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum StoreModeName {
    /// Everything.
    Normal,
    /// Everything: damaged indexes were made anew.
    Repaired,
    /// Damage showed itself, and all of it is looked at; nothing is saved meanwhile.
    Checking,
    /// Its folder cannot be written: it can be read.
    Unwritable,
    /// It is damaged: what can be read of it is.
    Damaged,
    /// It is damaged: a backup is read in its place.
    OnBackup,
}

/// A copy of the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct BackupView {
    /// The name that it is restored by.
    pub name: String,
    /// When it was made.
    pub at: DateTime<Utc>,
    /// Its size, in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Whether Atlas made it, and found it good then.
    pub verified: bool,
    /// For people: why it was made.
    pub reason: String,
}

/// What came of putting a backup in the database's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RestoreReport {
    /// For people: what happened, what it means.
    pub message: String,
    /// How many rows were saved from the damaged file.
    #[ts(type = "number")]
    pub salvaged: i64,
    /// How many rows could not be read there any more, and are as the backup has them.
    #[ts(type = "number")]
    pub from_backup: i64,
    /// Where the damaged file is kept, in the agent's folder.
    pub kept: Option<String>,
}

impl From<&StoreHealth> for StoreHealthView {
    fn from(health: &StoreHealth) -> Self {
        let backup_at = match &health.mode {
            StoreMode::OnBackup { at, .. } => Some(*at),
            _ => None,
        };
        let (mode, backup) = match &health.mode {
            StoreMode::Normal => (StoreModeName::Normal, None),
            StoreMode::Repaired { .. } => (StoreModeName::Repaired, None),
            StoreMode::Suspect => (StoreModeName::Checking, None),
            StoreMode::ReadOnly { reason: ReadOnlyReason::Unwritable } => (StoreModeName::Unwritable, None),
            StoreMode::ReadOnly { reason: ReadOnlyReason::Damaged } => (StoreModeName::Damaged, None),
            StoreMode::OnBackup { name, .. } => (StoreModeName::OnBackup, Some(name.clone())),
        };
        let StoreHealth { checked_at, last_backup_at, problem, backup_problem, .. } = health.clone();
        Self { mode, problem: problem.or(backup_problem), backup, backup_at, checked_at, last_backup_at }
    }
}

impl From<Backup> for BackupView {
    fn from(backup: Backup) -> Self {
        let reason = match backup.reason {
            BackupReason::Daily => "Made by itself",
            BackupReason::ByHand => "Made by you",
            BackupReason::BeforeUpdate => "Made before an update",
            BackupReason::BeforeRestore => "Made before another backup was restored",
            BackupReason::AfterForgetting => "Made after something was forgotten",
            BackupReason::Unknown => "Not made by Atlas",
        };
        let Backup { name, at, bytes, verified, .. } = backup;
        Self { name, at, bytes, verified, reason: reason.to_owned() }
    }
}

impl From<Restored> for RestoreReport {
    fn from(restored: Restored) -> Self {
        let Restored { salvaged, kept, .. } = restored;
        let message = match salvaged {
            None => "The backup is in place. The state before it was kept as a backup of its own.".to_owned(),
            Some(Salvaged { from_damaged: 0, .. }) => {
                "The database is whole again. Nothing newer could be read in the damaged \
                file, so everything is as the backup has it."
                    .to_owned()
            }
            Some(salvaged) => format!(
                "The database is whole again. {} newer or changed entries were saved from the damaged file; {} that lay on \
                 its damaged parts are as the backup has them.",
                salvaged.from_damaged, salvaged.from_backup
            ),
        };
        let salvaged = salvaged.unwrap_or_default();
        Self { message, salvaged: salvaged.from_damaged, from_backup: salvaged.from_backup, kept }
    }
}

/// The backups of an agent, the newest first; also of one that cannot be opened.
pub async fn backups_of(home: &Home, agent: &str) -> Result<Vec<BackupView>, Error> {
    let backups = store::backups(&home.agent(agent)).await?;
    Ok(backups.into_iter().map(BackupView::from).collect())
}

/// Puts a backup in the place of the database of an agent that is closed, or cannot be opened; without a name, what can be read
/// of the damaged file alone. It is opened anew afterwards.
///
/// Errors: [`store::StoreError::Held`] where it is open, and the others that [`store::restore`] names; nothing is changed then.
pub async fn restore_backup(
    home: &Home,
    agent: &str,
    name: Option<&str>,
    clock: &dyn Clock,
) -> Result<RestoreReport, Error> {
    Ok(store::restore(&home.agent(agent), name, tombstone::bars_text, clock.now()).await?.into())
}

impl Assistant {
    /// How the database is.
    pub fn store_health(&self) -> StoreHealthView {
        StoreHealthView::from(&*self.store.health().borrow())
    }

    /// How the database is, and each change of that.
    pub fn store_health_changes(&self) -> watch::Receiver<StoreHealth> {
        self.store.health()
    }

    /// The backups, the newest first.
    pub async fn backups(&self) -> Result<Vec<BackupView>, Error> {
        Ok(self.store.backups().await?.into_iter().map(BackupView::from).collect())
    }

    /// Makes a backup now.
    pub async fn back_up_now(&self) -> Result<BackupView, Error> {
        Ok(self.store.back_up(BackupReason::ByHand, self.clock.local_now()).await?.into())
    }

    /// Looks at all of the database now, and makes anew what can be.
    pub async fn check_store(&self) -> Result<StoreHealthView, Error> {
        Ok(StoreHealthView::from(&self.store.check(self.clock.now()).await?))
    }

    /// Makes all indexes of the database anew, and looks at all of it again.
    pub async fn rebuild_indexes(&self) -> Result<StoreHealthView, Error> {
        self.store.rebuild_indexes().await?;
        // Passages that were made anew are written.
        self.mind.wake();
        self.check_store().await
    }

    /// Tells every window how the database is when that changes, for as long as the assistant lives.
    pub(super) fn tell_store_health(self: &Arc<Self>) {
        let (mut health, events, closed) = (self.store.health(), self.events.clone(), self.mind.stopped());
        let mut told = StoreHealthView::from(&*health.borrow_and_update());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = closed.cancelled() => return,
                    changed = health.changed() => if changed.is_err() { return },
                }
                let now = StoreHealthView::from(&*health.borrow_and_update());
                if now != told {
                    told = now.clone();
                    // Nobody listening is no fault.
                    let _ = events.send(AppEvent::StoreHealth { health: now });
                }
            }
        });
    }

    /// Follows the database: a backup and a look at the whole once a day when something is written, and at once where damage
    /// showed itself.
    pub(super) fn begin_looking_after_store(self: &Arc<Self>) {
        let (mut written, mut health) = (self.store.written(), self.store.health());
        let (assistant, stopped) = (Arc::downgrade(self), self.mind.stopped());
        tokio::spawn(async move {
            while let Some(here) = assistant.upgrade() {
                here.look_after_store(&stopped).await;
                drop(here);
                tokio::select! {
                    () = stopped.cancelled() => return,
                    changed = written.changed() => if changed.is_err() { return },
                    changed = health.changed() => if changed.is_err() { return },
                }
            }
        });
    }

    /// What cannot be done now is done after a later write; what it met is told by the health.
    async fn look_after_store(&self, stopped: &CancellationToken) {
        let health = self.store.health().borrow().clone();
        let is_suspect = health.mode == StoreMode::Suspect;
        // A turn is not made to wait for the disk; damage is looked at all the same.
        if !is_suspect && (self.running.is_any() || !health.mode.is_writable()) {
            return;
        }
        for _ in 0..TRIES {
            if self.store.health().borrow().mode != StoreMode::Suspect {
                break;
            }
            // Nothing is saved until it was looked at: where that fails it is tried again.
            if !self.check_and_follow().await {
                // Who closes it does not wait for the next try.
                tokio::select! {
                    () = stopped.cancelled() => return,
                    () = self.clock.sleep(PAUSE) => {}
                }
            }
        }
        let made = match self.store.read(crate::behavior::versions::first_saved_at).await {
            Ok(Some(begun)) => self.store.back_up_if_due(self.clock.local_now(), begun).await,
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        let now = self.clock.now();
        let is_old = |at: DateTime<Utc>| (now - at).num_hours() >= CHECKED_EVERY_HOURS || at > now;
        let is_old = is_old(health.checked_at.unwrap_or(self.opened_at));
        if matches!(made, Ok(Some(_))) || is_old || self.store.is_check_owed() {
            self.check_and_follow().await;
        }
    }

    /// Whether all of the database was looked at.
    async fn check_and_follow(&self) -> bool {
        let was_whole = self.store.health().borrow().mode == StoreMode::Normal;
        let found = self.store.check(self.clock.now()).await;
        if found.as_ref().is_ok_and(|health| matches!(health.mode, StoreMode::Repaired { .. })) {
            // Passages that were made anew are written.
            self.mind.wake();
            if was_whole {
                self.note_repair().await;
            }
        }
        found.is_ok()
    }

    /// Tells the timeline where damaged indexes were made anew; at opening too, before anybody could be told.
    pub(super) async fn note_repair(&self) {
        if !matches!(self.store.health().borrow().mode, StoreMode::Repaired { .. }) {
            return;
        }
        let kind = FailureKind::Store(StoreFault::Corrupt);
        let failure = Failure { kind, provider: String::new(), model: String::new(), phase: Phase::Asking };
        let event = Event::of(&failure, Source::Store, Outcome::Worked, self.clock.now());
        let event = Event { remedy: Some(Remedy::RebuildIndex), ..event };
        // A timeline that cannot be written now lacks a line; the health tells it all the same.
        let _ = self.store.write(move |tx| event.record(tx)).await;
    }
}
