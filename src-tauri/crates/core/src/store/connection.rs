//! Connections: how each is set up, and the readers on loan.

use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::StoreError;
use super::functions::Functions;
use super::lock;

/// As much of a database is read where the system has it in memory already.
const MAPPED: i64 = 1 << 32;

pub(super) fn connect(file: &Path, flags: OpenFlags, functions: &Functions) -> Result<Connection, StoreError> {
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
pub(super) fn prepare(conn: &Connection, functions: &Functions) -> Result<(), StoreError> {
    functions.register(conn)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // Invariant: deleted means overwritten.
    conn.pragma_update(None, "secure_delete", true)?;
    // A kept statement is not planned anew for each question.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(128);
    Ok(())
}

/// The read connections that are free at the moment.
pub(super) struct Pool {
    free: Mutex<Vec<Connection>>,
    returned: Condvar,
}

impl Pool {
    pub(super) fn new(connections: Vec<Connection>) -> Self {
        Self { free: Mutex::new(connections), returned: Condvar::new() }
    }

    pub(super) fn take(&self) -> Reader<'_> {
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
pub(super) struct Reader<'a> {
    pool: &'a Pool,
    connection: Option<Connection>,
}

impl Reader<'_> {
    pub(super) fn connection(&mut self) -> &mut Connection {
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
