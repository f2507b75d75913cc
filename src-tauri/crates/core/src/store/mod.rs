//! SQLite: the only place that blocks. It owns the file, its lock, its schema and its retries; the SQL itself stands
//! beside the types that it fills.
//!
//! One writer, a few readers. Every write is one `BEGIN IMMEDIATE` transaction. Reads do not write.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rand::RngExt;
use rusqlite::config::DbConfig;
use rusqlite::{OpenFlags, TransactionBehavior};
use tokio::sync::watch;

use functions::Functions;

mod error;
mod file;
mod functions;
pub mod id;
mod key;
mod migrate;
mod operational;
pub(crate) mod text;
pub mod time;

pub use error::StoreError;
pub use operational::{Kept, Operational};
pub use rusqlite::{Connection, Row, Transaction};

/// The database's file in an agent's folder.
const DATABASE: &str = "atlas.db";
/// The folder of its backups.
const BACKUPS: &str = "backups";
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
    writer: Mutex<Connection>,
    /// None for a store in memory and for the operational one, which have one connection for all.
    readers: Option<Pool>,
    /// Counts the transactions that were committed.
    written: watch::Sender<u64>,
    /// Held while the store lives: the OS gives it back when the process ends, however it ends.
    _lock: Option<File>,
}

impl Store {
    /// Opens (or makes) the database in an agent's folder.
    ///
    /// Errors: [`StoreError::Held`] where another process has it, [`StoreError::Newer`] where a newer Atlas wrote it,
    /// [`StoreError::Folder`], [`StoreError::ReadOnly`], [`StoreError::Full`], [`StoreError::Corrupt`] as they say.
    pub async fn open(folder: &Path) -> Result<Self, StoreError> {
        let folder = folder.to_owned();
        blocking(move || {
            make_private_folder(&folder)?;
            let lock = hold(&folder.join("atlas.lock"))?;
            let functions = Functions::of_an_agent(key::of(&folder)?);
            let file = folder.join(DATABASE);
            let mut writer = connect(&file, OpenFlags::default(), &functions)?;
            migrate::migrate(&mut writer, &folder.join(BACKUPS))?;
            let readers = (0..READERS)
                .map(|_| connect(&file, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX, &functions))
                .collect::<Result<Vec<_>, _>>()?;
            let readers = Some(Pool::new(readers));
            let written = watch::Sender::new(0);
            let inner = Inner { folder, writer: Mutex::new(writer), readers, written, _lock: Some(lock) };
            Ok(Self { inner: Arc::new(inner) })
        })
        .await
    }

    /// A store that never touches the disk and is gone when it is dropped. What is numbered in it has numbers below zero,
    /// other ones than in every other such store, so that none is taken for a row of an agent's.
    pub async fn in_memory() -> Result<Self, StoreError> {
        blocking(|| {
            let mut writer = Connection::open_in_memory()?;
            prepare(&writer, &Functions::of_memory())?;
            // Sorting and the like must not spill into a file either.
            writer.pragma_update(None, "temp_store", "MEMORY")?;
            migrate::migrate(&mut writer, Path::new(""))?;
            Ok(Self::of_one(writer))
        })
        .await
    }

    /// A store that one connection reads and writes.
    fn of_one(writer: Connection) -> Self {
        let written = watch::Sender::new(0);
        let inner = Inner { folder: PathBuf::new(), writer: Mutex::new(writer), readers: None, written, _lock: None };
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
        blocking(move || {
            let Some(readers) = &inner.readers else {
                let mut only = lock(&inner.writer);
                return work(&*only.transaction()?);
            };
            let mut reader = readers.take();
            let tx = reader.connection().transaction()?;
            work(&tx)
        })
        .await
    }

    /// Writes, in one transaction, on a thread where blocking is allowed. `work` runs again when the database was busy,
    /// so it does nothing but SQL.
    ///
    /// Errors: what `work` says, or [`StoreError::Busy`] after five tries; nothing is written then.
    pub async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let inner = self.inner.clone();
        blocking(move || {
            let mut writer = lock(&inner.writer);
            let mut tried = 0;
            loop {
                tried += 1;
                match write_once(&mut writer, &work) {
                    Err(StoreError::Busy) if tried < TRIES => {
                        std::thread::sleep(Duration::from_millis(rand::rng().random_range(PAUSE_MS)));
                    }
                    result => {
                        if result.is_ok() {
                            inner.written.send_modify(|count| *count += 1);
                        }
                        return result;
                    }
                }
            }
        })
        .await
    }

    /// Changes with each transaction that was committed: for work that follows what was written, whoever wrote it.
    pub fn written(&self) -> watch::Receiver<u64> {
        self.inner.written.subscribe()
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

/// As much of a database is read where the system has it in memory already.
const MAPPED: i64 = 1 << 32;

fn connect(file: &Path, flags: OpenFlags, functions: &Functions) -> Result<Connection, StoreError> {
    let conn = Connection::open_with_flags(file, flags)?;
    // Short: longer waits are made between tries, where they are jittered.
    conn.busy_timeout(Duration::from_millis(100))?;
    prepare(&conn, functions)?;
    if !conn.is_readonly("main")? {
        conn.pragma_update(None, "journal_mode", "WAL")?;
        // Invariant: what was acknowledged survives a crash of the computer too.
        conn.pragma_update(None, "synchronous", "FULL")?;
    } else if cfg!(unix) {
        // Recall reads a thousand scattered pages for a question: they need not be copied. (Windows could not shrink the file.)
        conn.pragma_update(None, "mmap_size", MAPPED)?;
    }
    Ok(conn)
}

/// What every connection has, to a file or in memory.
fn prepare(conn: &Connection, functions: &Functions) -> Result<(), StoreError> {
    functions.register(conn)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // Invariant: deleted means overwritten.
    conn.pragma_update(None, "secure_delete", true)?;
    // A kept statement is not planned anew for each question.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(128);
    Ok(())
}

fn make_private_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| StoreError::Folder(error.kind()))
}

fn hold(path: &Path) -> Result<File, StoreError> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(|error| StoreError::Folder(error.kind()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Held),
        Err(TryLockError::Error(error)) => Err(StoreError::Folder(error.kind())),
    }
}

/// A panic inside a transaction rolled it back, so the connection behind a poisoned lock is good.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The read connections that are free at the moment.
struct Pool {
    free: Mutex<Vec<Connection>>,
    returned: Condvar,
}

impl Pool {
    fn new(connections: Vec<Connection>) -> Self {
        Self { free: Mutex::new(connections), returned: Condvar::new() }
    }

    fn take(&self) -> Reader<'_> {
        let mut free = lock(&self.free);
        loop {
            if let Some(connection) = free.pop() {
                return Reader { pool: self, connection: Some(connection) };
            }
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A read connection on loan.
struct Reader<'a> {
    pool: &'a Pool,
    connection: Option<Connection>,
}

impl Reader<'_> {
    fn connection(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("a reader holds its connection until it is dropped")
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            lock(&self.pool.free).push(connection);
            self.pool.returned.notify_one();
        }
    }
}

/// A database with the whole schema, in memory, for the tests of what stands on it.
#[cfg(test)]
pub(crate) fn scratch() -> Connection {
    let mut conn = Connection::open_in_memory().expect("SQLite opens in memory");
    prepare(&conn, &Functions::of_an_agent(key::FIXED)).expect("SQLite can be set up");
    migrate::migrate(&mut conn, Path::new("")).expect("the schema is sound");
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
