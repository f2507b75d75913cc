//! Putting a backup in the database's place.
//!
//! The new file is made beside the old one and looked at before anything is moved. A damaged file gives what can still be read
//! in it and is then kept in `damaged`; of a sound one a backup is made. A crash leaves the old file or the new one in place, and
//! what was begun is finished at the next start.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OpenFlags, params};

use super::backup::{self, BackupReason};
use super::check::{self, Depth};
use super::connection::connect;
use super::error::StoreError;
use super::functions::Functions;
use super::opening::{VIEWING, hold};
use super::salvage::{self, IsForgotten, Salvaged};
use super::{DAMAGED, DATABASE, SUSPECT, blocking, key, migrate, repair};

/// The new file while it is made.
const UNFINISHED: &str = "restoring.db";
/// The new file when it is good: from here on the restore is finished, whatever happens.
const READY: &str = "restored.db";
/// What stands beside a database's file.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// How often a closed agent is tried, whose last reads may still hold it, and the pause between.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// What came of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The backup that was put in place; none where the database was made of what could be read alone.
    pub backup: Option<String>,
    /// What was saved from a damaged file; none where the file was sound, and was to be left behind.
    pub salvaged: Option<Salvaged>,
    /// Where the damaged file is kept, in the agent's folder.
    pub kept: Option<String>,
}

/// Puts a backup in the place of the database of an agent that is not open; without a name, an empty one. Where the
/// database is damaged, every row that can be read in it is put into that; `is_forgotten` keeps out what was forgotten since.
///
/// Errors: [`StoreError::Held`] where the agent is open, [`StoreError::Missing`] where there is no such backup,
/// [`StoreError::BadBackup`] where it is damaged, [`StoreError::Full`], [`StoreError::ReadOnly`]. Nothing is changed then.
pub async fn restore(
    folder: &Path,
    name: Option<&str>,
    is_forgotten: IsForgotten,
    now: DateTime<Utc>,
) -> Result<Restored, StoreError> {
    let (folder, name) = (folder.to_owned(), name.map(str::to_owned));
    blocking(move || {
        let _lock = held(&folder)?.ok_or(StoreError::ReadOnly)?;
        finish(&folder)?;
        let restored = put_back(&folder, name, is_forgotten, now);
        if restored.is_err() {
            // What is left is removed before the next restore, where it cannot be now.
            let _ = remove_with_log(&folder.join(UNFINISHED));
        }
        restored
    })
    .await
}

fn held(folder: &Path) -> Result<Option<File>, StoreError> {
    for tried in 1.. {
        match hold(folder) {
            Err(StoreError::Held) if tried < TRIES => std::thread::sleep(PAUSE),
            result => return result,
        }
    }
    Err(StoreError::Held)
}

fn put_back(
    folder: &Path,
    name: Option<String>,
    is_forgotten: IsForgotten,
    now: DateTime<Utc>,
) -> Result<Restored, StoreError> {
    let functions = Functions::of_an_agent(key::of(folder)?);
    let new = folder.join(UNFINISHED);
    remove_with_log(&new)?;
    if let Some(name) = &name {
        let backup = backup::path_of(folder, name)?;
        fs::copy(backup, &new)?;
        backup::verify(&new)?;
    }
    let mut conn = connect(&new, OpenFlags::default(), &functions)?;
    migrate::bring_up_to_date(&mut conn)?;
    let file = folder.join(DATABASE);
    let sound = sound(&file, &functions)?;
    let salvaged = match &sound {
        Some(sound) => {
            backup::make(sound, folder, BackupReason::BeforeRestore, now)?;
            keep_forgotten(&mut conn, sound, is_forgotten, now)?;
            None
        }
        None => Some(salvage::salvage(&mut conn, &file, &functions, is_forgotten, now)?),
    };
    finish_copy(conn)?;
    File::options().write(true).open(&new)?.sync_all()?;
    fs::rename(&new, folder.join(READY))?;
    backup::sync_folder(&new)?;
    if sound.is_some() {
        drop(sound);
        remove_with_log(&file)?;
    }
    Ok(Restored { backup: name, salvaged, kept: finish(folder)? })
}

/// The database for reading, where nothing is wrong with it but indexes.
fn sound(file: &Path, functions: &Functions) -> Result<Option<Connection>, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let look = || {
        if !file.exists() || !check::is_a_database(file, file.with_file_name(format!("{DATABASE}-wal")).exists())? {
            return Ok(None);
        }
        let conn = connect(file, flags, functions)?;
        let is_sound = check::look(&conn, Depth::Whole)?.is_repairable() && migrate::is_newest(&conn)?;
        Ok(is_sound.then_some(conn))
    };
    match look() {
        Err(StoreError::Corrupt) => Ok(None),
        result => result,
    }
}

/// What was forgotten stays so when the person goes back to an older state.
fn keep_forgotten(
    conn: &mut Connection,
    from: &Connection,
    is_forgotten: IsForgotten,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let tx = conn.transaction()?;
    let mut statement = from.prepare("SELECT kind, hash, at FROM tombstones")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (kind, hash, at): (i64, Vec<u8>, i64) = (row.get("kind")?, row.get("hash")?, row.get("at")?);
        tx.execute("INSERT OR REPLACE INTO tombstones (kind, hash, at) VALUES (?1, ?2, ?3)", params![kind, hash, at])?;
    }
    // What is hidden and waits for its purge.
    for table in ["messages", "facts", "episodes", "procedures"] {
        let mut statement =
            from.prepare(&format!("SELECT id, forgotten_at FROM {table} WHERE forgotten_at IS NOT NULL"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let hidden: (i64, i64) = (row.get("id")?, row.get("forgotten_at")?);
            tx.execute(&format!("UPDATE {table} SET forgotten_at = ?2 WHERE id = ?1"), hidden)?;
        }
    }
    drop(rows);
    // Where the backups could not be made anew after a purge, they may still hold what went.
    let is_unswept: bool =
        from.query_row("SELECT EXISTS (SELECT 1 FROM erasures WHERE swept = 0)", [], |row| row.get(0))?;
    if is_unswept {
        salvage::hide_all_forgotten(&tx, is_forgotten, now)?;
    }
    Ok(tx.commit()?)
}

/// Makes sure that the new file is whole, and one file.
fn finish_copy(mut conn: Connection) -> Result<(), StoreError> {
    let broken = check::with_texts(&conn, check::look(&conn, Depth::Whole)?)?;
    if !broken.is_nothing() {
        repair::repair(&mut conn, &broken).map_err(|error| match error {
            StoreError::Corrupt => StoreError::BadBackup,
            error => error,
        })?;
    }
    conn.pragma_update(None, "journal_mode", "DELETE")?;
    conn.close().map_err(|(_, error)| error.into())
}

/// Finishes a restore whose new file is ready: what is still in its place is moved to `damaged`. Where that is, if it was.
pub(super) fn finish(folder: &Path) -> Result<Option<String>, StoreError> {
    // A view of a backup is of no use any more.
    if folder.join(VIEWING).exists() {
        remove_with_log(&folder.join(VIEWING))?;
    }
    let (ready, file) = (folder.join(READY), folder.join(DATABASE));
    if !ready.exists() {
        return Ok(None);
    }
    let kept = keep_damaged(folder)?;
    fs::rename(&ready, &file)?;
    backup::sync_folder(&file)?;
    backup::remove(&folder.join(SUSPECT))?;
    Ok(kept)
}

/// Moves the database's files to `damaged`, its log first: without it no start takes the file for a whole one.
fn keep_damaged(folder: &Path) -> Result<Option<String>, StoreError> {
    let damaged = folder.join(DAMAGED);
    let file = folder.join(DATABASE);
    let mut kept = None;
    for end in BESIDE.iter().chain(&[""]) {
        let from = with_end(&file, end);
        if !from.exists() {
            continue;
        }
        fs::create_dir_all(&damaged)?;
        let since: DateTime<Utc> = fs::metadata(&from)?.modified()?.into();
        let name = format!("{}-{DATABASE}{end}", since.format("%Y-%m-%dT%H%M%S%.3fZ"));
        fs::rename(&from, damaged.join(&name))?;
        kept = Some(format!("{DAMAGED}/{name}"));
    }
    Ok(kept)
}

fn with_end(file: &Path, end: &str) -> std::path::PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn remove_with_log(file: &Path) -> Result<(), StoreError> {
    BESIDE.iter().chain(&[""]).try_for_each(|end| backup::remove(&with_end(file, end)))
}

/// Removes what restores put aside: it holds what the database may not hold any more. Whether there was any.
pub(super) fn remove_damaged(folder: &Path) -> Result<bool, StoreError> {
    match fs::remove_dir_all(folder.join(DAMAGED)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}
