//! Opening a database, whatever state it is in: as it should be, with indexes to make anew, not writable, or damaged.
//!
//! Invariant: a file is looked at by a connection that cannot write before one that can is opened on it, and one in which a
//! table is damaged is never written to.

use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OpenFlags};

use super::backup::{self, Backup, BackupReason};
use super::check::{self, Broken, Depth};
use super::connection::connect;
use super::error::StoreError;
use super::functions::Functions;
use super::health::{ReadOnlyReason, StoreHealth, StoreMode};
use super::log::{self, Mended};
use super::upkeep::QUICKLY_READ;
use super::{BACKUPS, DAMAGED, DATABASE, LOCK, READERS, SUSPECT, key, migrate, repair, restore};

/// A backup of an older schema, brought up to date to be read.
pub(super) const VIEWING: &str = "viewing.db";

const READING: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX).union(OpenFlags::SQLITE_OPEN_URI);

/// A database, open.
pub(super) struct Opened {
    pub lock: Option<File>,
    pub functions: Functions,
    /// None where nothing can be written.
    pub writer: Option<Connection>,
    pub readers: Vec<Connection>,
    pub health: StoreHealth,
    /// The last end was not clean, and the file is too large to be looked at now.
    pub check_is_owed: bool,
}

/// Connections, and what can be done with them.
type Connections = (Option<Connection>, Vec<Connection>, StoreMode);

pub(super) fn open(folder: &Path) -> Result<Opened, StoreError> {
    make_private_folder(folder)?;
    let lock = hold(folder)?;
    let functions = Functions::of_an_agent(key::of(folder)?);
    restore::finish(folder)?;
    let backups = backup::list(folder)?;
    let is_large = length(&folder.join(DATABASE))?.is_some_and(|length| length > QUICKLY_READ);
    let check_is_owed = is_large && length_of_log(folder)? > 0;
    let (writer, readers, mode) = match as_it_should_be(folder, &backups, &functions) {
        Err(StoreError::ReadOnly) => for_reading(&folder.join(DATABASE), &functions)?,
        Err(StoreError::Corrupt) => on_backup(folder, &backups, &functions)?,
        result => result?,
    };
    let last_backup_at = backups.iter().find(|backup| backup.verified).map(|backup| backup.at);
    Ok(Opened { lock, functions, writer, readers, health: StoreHealth::new(mode, last_backup_at), check_is_owed })
}

fn as_it_should_be(folder: &Path, backups: &[Backup], functions: &Functions) -> Result<Connections, StoreError> {
    let file = folder.join(DATABASE);
    let length = length(&file)?;
    let has_log = length_of_log(folder)? > 0;
    let mended = if has_log { mend_log(folder, &file)? } else { None };
    let broken = match length {
        // An agent that begins has no backups yet.
        None | Some(0) if !has_log && backups.is_empty() => Broken::default(),
        None | Some(0) => return Err(StoreError::Corrupt),
        Some(length) => look(&file, has_log, depth(folder, length), functions)?,
    };
    if !broken.is_repairable() {
        return Err(StoreError::Corrupt);
    }
    let mut writer = connect(&file, OpenFlags::default(), functions)?;
    if writer.is_readonly("main")? {
        return Err(StoreError::ReadOnly);
    }
    let mut what = if broken.is_nothing() { Vec::new() } else { repair::repair(&mut writer, &broken)? };
    what.extend(mended.map(|_| "the log of the latest changes".to_owned()));
    backup::remove(&folder.join(SUSPECT))?;
    let mode = if what.is_empty() { StoreMode::Normal } else { StoreMode::Repaired { what } };
    migrate::migrate(&mut writer, folder)?;
    Ok((Some(writer), readers(&file.to_string_lossy(), functions)?, mode))
}

/// Mends the log of the latest changes. What was damaged of it is kept with the damaged files.
fn mend_log(folder: &Path, file: &Path) -> Result<Option<Mended>, StoreError> {
    let Some(page_size) = check::page_size(file)? else { return Ok(None) };
    let log = folder.join(format!("{DATABASE}-wal"));
    let since: DateTime<Utc> = fs::metadata(&log)?.modified()?.into();
    let kept = folder.join(DAMAGED).join(format!("{}-log.db-wal", since.format("%Y-%m-%dT%H%M%S%.3fZ")));
    log::mend(&log, page_size, &kept)
}

/// How closely a file is looked at before it is opened: a large one only at its beginning, and the rest in the background;
/// but all of one in which damage showed itself.
fn depth(folder: &Path, length: u64) -> Option<Depth> {
    match folder.join(SUSPECT).exists() {
        true => Some(Depth::Whole),
        false => (length <= QUICKLY_READ).then_some(Depth::Quick),
    }
}

/// Looks at the file without writing to it.
fn look(file: &Path, has_log: bool, depth: Option<Depth>, functions: &Functions) -> Result<Broken, StoreError> {
    if !check::is_a_database(file, has_log)? {
        return Err(StoreError::Corrupt);
    }
    let conn = connect(file, READING, functions)?;
    migrate::is_known(&conn)?;
    depth.map_or(Ok(Broken::default()), |depth| check::look(&conn, depth))
}

fn readers(file: &str, functions: &Functions) -> Result<Vec<Connection>, StoreError> {
    (0..READERS).map(|_| connect(Path::new(file), READING, functions)).collect()
}

/// The database, where nothing can be written beside it.
fn for_reading(file: &Path, functions: &Functions) -> Result<Connections, StoreError> {
    let mode = StoreMode::ReadOnly { reason: ReadOnlyReason::Unwritable };
    if let Ok(readers) = looked_at(&file.to_string_lossy(), functions) {
        return Ok((None, readers, mode));
    }
    // Without a log there is nothing in the way of reading the file as one that does not change.
    let log = file.with_file_name(format!("{DATABASE}-wal"));
    match length(&log)? {
        None | Some(0) => Ok((None, looked_at(&unchanging(file), functions)?, mode)),
        Some(_) => Err(StoreError::ReadOnly),
    }
}

/// Readers of a file of the newest schema.
fn looked_at(file: &str, functions: &Functions) -> Result<Vec<Connection>, StoreError> {
    let readers = readers(file, functions)?;
    match readers.first().map(migrate::is_newest).transpose()? {
        Some(true) => Ok(readers),
        // It would have to be changed.
        _ => Err(StoreError::ReadOnly),
    }
}

/// The newest backup that is good, one of a state that the person has left for another only where there is no other; without
/// any, what can be read of the damaged file.
fn on_backup(folder: &Path, backups: &[Backup], functions: &Functions) -> Result<Connections, StoreError> {
    let was_left = |backup: &&Backup| backup.reason == BackupReason::BeforeRestore;
    let (left, others): (Vec<&Backup>, Vec<&Backup>) = backups.iter().partition(was_left);
    for backup in others.into_iter().chain(left) {
        let path = folder.join(BACKUPS).join(&backup.name);
        if let Some(readers) = backup_readers(folder, &path, functions)? {
            return Ok((None, readers, StoreMode::OnBackup { name: backup.name.clone(), at: backup.at }));
        }
    }
    let mode = StoreMode::ReadOnly { reason: ReadOnlyReason::Damaged };
    let readers = looked_at(&folder.join(DATABASE).to_string_lossy(), functions).map_err(|_| StoreError::Corrupt)?;
    Ok((None, readers, mode))
}

/// Readers of a backup; `None` where it is no good.
fn backup_readers(folder: &Path, path: &Path, functions: &Functions) -> Result<Option<Vec<Connection>>, StoreError> {
    if !check::is_a_database(path, false)? {
        return Ok(None);
    }
    let readers = readers(&unchanging(path), functions)?;
    let Some(first) = readers.first() else { return Ok(None) };
    let small = fs::metadata(path)?.len() <= QUICKLY_READ;
    if small && check::look(first, Depth::Quick)? != Broken::default() {
        return Ok(None);
    }
    match migrate::is_newest(first) {
        Ok(true) => return Ok(Some(readers)),
        Ok(false) => {}
        Err(_) => return Ok(None),
    }
    let viewing = folder.join(VIEWING);
    backup::remove(&viewing)?;
    fs::copy(path, &viewing)?;
    let mut conn = connect(&viewing, OpenFlags::default(), functions)?;
    migrate::bring_up_to_date(&mut conn)?;
    // Without a log it can be read as a file that does not change.
    conn.pragma_update(None, "journal_mode", "DELETE")?;
    drop(conn);
    self::readers(&unchanging(&viewing), functions).map(Some)
}

/// A file as SQLite opens it where nothing changes it: without looking for a log or asking for locks.
fn unchanging(file: &Path) -> String {
    let path = file.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let path = if cfg!(windows) { format!("/{}", path.replace('\\', "/")) } else { path };
    format!("file:{path}?immutable=1")
}

fn length(file: &Path) -> Result<Option<u64>, StoreError> {
    match fs::metadata(file) {
        Ok(metadata) => Ok(Some(metadata.len())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn length_of_log(folder: &Path) -> Result<u64, StoreError> {
    Ok(length(&folder.join(format!("{DATABASE}-wal")))?.unwrap_or(0))
}

pub(super) fn make_private_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| StoreError::Folder(error.kind()))
}

/// Keeps other processes out. None where nothing can be written: then there is nothing that two could spoil.
pub(super) fn hold(folder: &Path) -> Result<Option<File>, StoreError> {
    let path: PathBuf = folder.join(LOCK);
    let file = match File::options().create(true).truncate(false).write(true).open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied) => {
            return Ok(None);
        }
        Err(error) => return Err(StoreError::Folder(error.kind())),
    };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(StoreError::Held),
        Err(TryLockError::Error(error)) => Err(StoreError::Folder(error.kind())),
    }
}
