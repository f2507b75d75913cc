//! SQLite: the only place that blocks. It owns the file, its lock, its schema and its retries; the SQL itself stands
//! beside the types that it fills.
//!
//! One writer, a few readers. Every write is one `BEGIN IMMEDIATE` transaction. Reads do not write.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::RngExt;
use rusqlite::TransactionBehavior;
use tokio::sync::watch;

use connection::{Pool, prepare};
use functions::Functions;
use upkeep::Upkeep;

mod backup;
mod check;
mod connection;
mod error;
#[cfg(test)]
mod faults;
mod file;
mod functions;
mod health;
pub mod id;
mod key;
mod log;
mod migrate;
mod opening;
mod operational;
mod repair;
mod restore;
mod salvage;
pub(crate) mod text;
pub mod time;
mod upkeep;

pub use backup::{Backup, BackupReason, backups};
pub use error::StoreError;
pub use health::{ReadOnlyReason, StoreHealth, StoreMode};
pub use operational::{Kept, Operational};
pub use restore::{Restored, restore};
pub use rusqlite::{Connection, Row, Transaction};
pub use salvage::{IsForgotten, Salvaged};

/// The database's file in an agent's folder.
const DATABASE: &str = "atlas.db";
/// The folder of its backups.
const BACKUPS: &str = "backups";
/// The folder of damaged files that a restore put aside.
const DAMAGED: &str = "damaged";
/// The file that says that damage showed itself: while it is there, each start looks at all of the database.
const SUSPECT: &str = "atlas.suspect";
/// The file that one process holds.
const LOCK: &str = "atlas.lock";
/// How often a write is tried while another process holds the database.
const TRIES: u32 = 5;
/// The range of pauses between two tries, in milliseconds.
const PAUSE_MS: std::ops::RangeInclusive<u64> = 20..=150;
/// How many reads can run at once.
const READERS: usize = 3;

/// An agent's database, open and locked against other processes.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    /// None where nothing can be written.
    writer: Option<Mutex<Connection>>,
    /// None for a store in memory and for the operational one, which have one connection for all.
    readers: Option<Pool>,
    functions: Functions,
    /// Counts the transactions that were committed.
    written: watch::Sender<u64>,
    /// How many rows this process has changed.
    changes: AtomicU64,
    health: watch::Sender<StoreHealth>,
    upkeep: Upkeep,
    /// Held while the store lives: the OS gives it back when the process ends, however it ends.
    _lock: Option<File>,
}

impl Store {
    /// Opens (or makes) the database in an agent's folder. Damaged indexes are made anew; where more is damaged, the file is
    /// left alone and the newest good backup is opened for reading; where nothing can be written, the file is opened for
    /// reading. [`Store::health`] tells which.
    ///
    /// Errors: [`StoreError::Held`] where another process has it, [`StoreError::Newer`] where a newer Atlas wrote it,
    /// [`StoreError::Corrupt`] where it is damaged and there is no backup to read, [`StoreError::Folder`] and
    /// [`StoreError::Full`] as they say.
    pub async fn open(folder: &Path) -> Result<Self, StoreError> {
        let folder = folder.to_owned();
        blocking(move || {
            let opening::Opened { lock, functions, writer, readers, health, check_is_owed } = opening::open(&folder)?;
            let inner = Inner {
                folder,
                writer: writer.map(Mutex::new),
                readers: Some(Pool::new(readers)),
                functions,
                written: watch::Sender::new(0),
                changes: AtomicU64::default(),
                health: watch::Sender::new(health),
                upkeep: Upkeep::new(check_is_owed),
                _lock: lock,
            };
            Ok(Self { inner: Arc::new(inner) })
        })
        .await
    }

    /// A store that never touches the disk and is gone when it is dropped. What is numbered in it has numbers below zero,
    /// other ones than in every other such store, so that none is taken for a row of an agent's.
    pub async fn in_memory() -> Result<Self, StoreError> {
        blocking(|| {
            let mut writer = Connection::open_in_memory()?;
            let functions = Functions::of_memory();
            prepare(&writer, &functions)?;
            // Sorting and the like must not spill into a file either.
            writer.pragma_update(None, "temp_store", "MEMORY")?;
            migrate::bring_up_to_date(&mut writer)?;
            Ok(Self::of_one(writer, functions))
        })
        .await
    }

    /// A store that one connection reads and writes.
    fn of_one(writer: Connection, functions: Functions) -> Self {
        let inner = Inner {
            folder: PathBuf::new(),
            writer: Some(Mutex::new(writer)),
            readers: None,
            functions,
            written: watch::Sender::new(0),
            changes: AtomicU64::default(),
            health: watch::Sender::new(StoreHealth::new(StoreMode::Normal, None)),
            upkeep: Upkeep::default(),
            _lock: None,
        };
        Self { inner: Arc::new(inner) }
    }

    /// The agent's folder.
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// Reads, on a thread where blocking is allowed. All reads of one call see one state of the database.
    pub async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let inner = self.inner.clone();
        let read = blocking(move || {
            let Some(readers) = &inner.readers else {
                let mut only = inner.writer()?;
                return work(&*only.transaction()?);
            };
            let mut reader = readers.take();
            let tx = reader.connection().transaction()?;
            work(&tx)
        });
        read.await.inspect_err(|error| self.notice(error))
    }

    /// Writes, in one transaction, on a thread where blocking is allowed. `work` runs again when the database was busy,
    /// so it does nothing but SQL.
    ///
    /// Errors: what `work` says; [`StoreError::Busy`] after five tries; [`StoreError::ReadOnly`], [`StoreError::OnBackup`],
    /// [`StoreError::Corrupt`] where [`Store::health`] says that nothing can be written. Nothing is written then.
    pub async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let inner = self.inner.clone();
        let write = blocking(move || {
            let mut writer = inner.writer()?;
            let mut tried = 0;
            loop {
                tried += 1;
                match write_once(&mut writer, &work) {
                    Err(StoreError::Busy) if tried < TRIES => {
                        std::thread::sleep(Duration::from_millis(rand::rng().random_range(PAUSE_MS)));
                    }
                    result => {
                        if result.is_ok() {
                            inner.changes.store(writer.total_changes(), Ordering::Relaxed);
                            inner.written.send_modify(|count| *count += 1);
                        }
                        return result;
                    }
                }
            }
        });
        write.await.inspect_err(|error| self.notice(error))
    }

    /// Whether something can be written.
    pub fn is_writable(&self) -> bool {
        self.inner.health.borrow().mode.is_writable()
    }

    /// How the database is, and each change of that.
    pub fn health(&self) -> watch::Receiver<StoreHealth> {
        self.inner.health.subscribe()
    }

    /// Changes with each transaction that was committed: for work that follows what was written, whoever wrote it.
    pub fn written(&self) -> watch::Receiver<u64> {
        self.inner.written.subscribe()
    }
}

impl Inner {
    /// The connection that writes, where writing is allowed.
    fn writer(&self) -> Result<MutexGuard<'_, Connection>, StoreError> {
        let writer = self.writer.as_ref().map(lock);
        // Asked after the wait: it may have changed meanwhile.
        let refusal = self.health.borrow().mode.refusal();
        match (refusal, writer) {
            (None, Some(writer)) => Ok(writer),
            (Some(refusal), _) => Err(refusal),
            (None, None) => Err(StoreError::ReadOnly),
        }
    }
}

fn write_once<T>(
    writer: &mut Connection,
    work: &impl Fn(&Transaction<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let result = work(&tx)?;
    tx.commit()?;
    Ok(result)
}

/// Runs blocking work where it is allowed; a panic in it goes on in the caller.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(StoreError::Busy),
        },
    }
}

/// A panic inside a transaction rolled it back, so the connection behind a poisoned lock is good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A database with the whole schema, in memory, for the tests of what stands on it.
#[cfg(test)]
pub(crate) fn scratch() -> Connection {
    let mut conn = Connection::open_in_memory().expect("SQLite opens in memory");
    prepare(&conn, &Functions::of_an_agent(key::FIXED)).expect("SQLite can be set up");
    migrate::bring_up_to_date(&mut conn).expect("the schema is sound");
    conn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(tx: &Connection, text: &str) -> Result<(), StoreError> {
        tx.execute("INSERT INTO drafts (text) VALUES (?1)", [text])?;
        Ok(())
    }

    fn notes(conn: &Connection) -> Result<Vec<String>, StoreError> {
        let mut statement = conn.prepare("SELECT text FROM drafts ORDER BY conversation_id")?;
        let texts = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(texts)
    }

    #[tokio::test]
    async fn what_was_written_is_there_after_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        store.write(|tx| note(tx, "a\0b")).await.unwrap();
        drop(store);
        let store = Store::open(folder.path()).await.unwrap();
        assert_eq!(store.read(notes).await.unwrap(), ["a\0b"]);
    }

    #[tokio::test]
    async fn a_write_that_fails_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let result = store
            .write(|tx| {
                note(tx, "lost")?;
                Err::<(), _>(StoreError::Missing("thing"))
            })
            .await;
        assert!(matches!(result, Err(StoreError::Missing("thing"))));
        assert_eq!(store.read(notes).await.unwrap(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_second_atlas_is_told_that_the_agent_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let first = Store::open(folder.path()).await.unwrap();
        assert!(matches!(Store::open(folder.path()).await, Err(StoreError::Held)));
        drop(first);
        assert!(Store::open(folder.path()).await.is_ok());
    }

    #[tokio::test]
    async fn a_write_waits_for_another_process_and_then_goes_through() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let mut other = Connection::open(folder.path().join("atlas.db")).unwrap();
        let held = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        let (write, ()) = tokio::join!(store.write(|tx| note(tx, "patient")), async {
            tokio::task::yield_now().await;
            drop(held);
        });
        write.unwrap();
        assert_eq!(store.read(notes).await.unwrap(), ["patient"]);
    }

    #[tokio::test]
    async fn a_write_that_never_gets_its_turn_says_busy() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let mut other = Connection::open(folder.path().join("atlas.db")).unwrap();
        let _held = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        assert!(matches!(store.write(|tx| note(tx, "x")).await, Err(StoreError::Busy)));
    }
}
