//! Backups: whole copies of the database, each looked at and found good before it gets its name; and which of them are kept.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, Datelike, FixedOffset, NaiveDateTime, SubsecRound as _, Utc};
use rusqlite::{Connection, OpenFlags};

use super::error::StoreError;
use super::{BACKUPS, blocking, check};

/// Kept is the last backup of each of as many days, and of as many weeks, that have one.
const DAYS: usize = 7;
const WEEKS: usize = 4;

/// What a copy is called until it was found good.
const UNFINISHED: &str = "new.db";

/// What SQLite puts beside a copy.
const COPY_BESIDE: [&str; 3] = [".db-journal", ".db-wal", ".db-shm"];

/// How the time is written in a backup's name, UTC.
const STAMP: &str = "%Y-%m-%dT%H%M%SZ";
const STAMP_CHARS: usize = 18;

/// As many bytes of the disk are left free beside a backup.
const LEFT_FREE: u64 = 16 << 20;

/// The tables whose rows are counted in a database and its copy.
const COUNTED: [&str; 6] = ["conversations", "messages", "facts", "episodes", "procedures", "spec_versions"];

/// A copy of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backup {
    /// The name of its file.
    pub name: String,
    /// When it was made.
    pub at: DateTime<Utc>,
    /// Its size.
    pub bytes: u64,
    /// Whether Atlas made it, and found it good then.
    pub verified: bool,
    /// Why it was made.
    pub reason: BackupReason,
}

/// Why a backup was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupReason {
    /// A day had passed.
    Daily,
    /// The person asked for it.
    ByHand,
    /// A newer Atlas was about to change the schema.
    BeforeUpdate,
    /// Another backup was about to be put in the database's place.
    BeforeRestore,
    /// What was forgotten had to leave the backups.
    AfterForgetting,
    /// It is not from Atlas.
    Unknown,
}

impl BackupReason {
    const NAMED: [(Self, &'static str); 5] = [
        (Self::Daily, "daily"),
        (Self::ByHand, "by-hand"),
        (Self::BeforeUpdate, "before-update"),
        (Self::BeforeRestore, "before-restore"),
        (Self::AfterForgetting, "after-forgetting"),
    ];

    fn word(self) -> &'static str {
        Self::NAMED.iter().find(|(reason, _)| *reason == self).map_or("backup", |(_, word)| word)
    }

    fn of(word: &str) -> Self {
        Self::NAMED.iter().find(|(_, named)| *named == word).map_or(Self::Unknown, |(reason, _)| *reason)
    }
}

/// The backups in an agent's folder, the newest first; also of an agent that cannot be opened.
///
/// Errors: [`StoreError::Folder`].
pub async fn backups(folder: &Path) -> Result<Vec<Backup>, StoreError> {
    let folder = folder.to_owned();
    blocking(move || list(&folder)).await
}

pub(super) fn list(folder: &Path) -> Result<Vec<Backup>, StoreError> {
    let mut found = Vec::new();
    for path in entries(&folder.join(BACKUPS))? {
        // One that went meanwhile, and what only leads elsewhere, is none.
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if !metadata.is_file() || name == UNFINISHED || !name.ends_with(".db") {
            continue;
        }
        let (at, reason) = match named(name) {
            Some((at, reason)) => (at, reason),
            None => (metadata.modified()?.into(), old_reason(name)),
        };
        let verified = reason != BackupReason::Unknown;
        found.push(Backup { name: name.to_owned(), at, bytes: metadata.len(), verified, reason });
    }
    found.sort_by(|a, b| (b.at, &b.name).cmp(&(a.at, &a.name)));
    Ok(found)
}

/// The files in the folder of backups that hold a copy of the database, or a part of one. Whatever else a person put there
/// (a folder, a link, a file of another kind) is theirs.
pub(super) fn copies(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let is_copy = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_named = name.ends_with(".db") || COPY_BESIDE.iter().any(|end| name.ends_with(end));
        is_named && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
    };
    Ok(entries(&folder.join(BACKUPS))?.into_iter().filter(is_copy).collect())
}

/// Removes files, each whether or not another one stays. The names of those that stay, and why the first of them does.
pub(super) fn remove_all(
    paths: &[PathBuf],
    remove: impl Fn(&Path) -> Result<(), StoreError>,
) -> Result<(), (Vec<String>, StoreError)> {
    let mut stay: Option<(Vec<String>, StoreError)> = None;
    for path in paths {
        if let Err(error) = remove(path) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            stay.get_or_insert_with(|| (Vec::new(), error)).0.push(name);
        }
    }
    stay.map_or(Ok(()), Err)
}

fn name_of(at: DateTime<Utc>, reason: BackupReason) -> String {
    format!("{}-{}.db", at.format(STAMP), reason.word())
}

fn named(name: &str) -> Option<(DateTime<Utc>, BackupReason)> {
    let (stamp, rest) = name.strip_suffix(".db")?.split_at_checked(STAMP_CHARS)?;
    let at = NaiveDateTime::parse_from_str(stamp, STAMP).ok()?;
    Some((at.and_utc(), BackupReason::of(rest.strip_prefix('-')?)))
}

/// How backups were named before their time stood in their name.
fn old_reason(name: &str) -> BackupReason {
    match name {
        "after-forgetting.db" => BackupReason::AfterForgetting,
        _ if name.starts_with("before-version-") => BackupReason::BeforeUpdate,
        _ => BackupReason::Unknown,
    }
}

/// Where a backup of this name is.
///
/// Errors: [`StoreError::Missing`] where there is none; a name is never a path.
pub(super) fn path_of(folder: &Path, name: &str) -> Result<PathBuf, StoreError> {
    match list(folder)?.iter().any(|backup| backup.name == name) {
        true => Ok(folder.join(BACKUPS).join(name)),
        false => Err(StoreError::Missing("backup")),
    }
}

/// Makes a backup of what a connection reads, which has no transaction open. A copy that is not good is not kept, and the
/// database is not touched.
pub(super) fn make(
    from: &Connection,
    folder: &Path,
    reason: BackupReason,
    now: DateTime<Utc>,
) -> Result<Backup, StoreError> {
    let backups = folder.join(BACKUPS);
    make_folder(&backups)?;
    let (new, name) = (backups.join(UNFINISHED), name_of(now, reason));
    remove_unfinished(&new)?;
    let begun = SystemTime::now();
    let made = copy(from, &new).and_then(|()| keep(&new, &backups.join(&name), begun));
    if made.is_err() {
        // What is left of it is removed before the next one, where it cannot be now.
        let _ = remove_unfinished(&new);
    }
    made?;
    let bytes = fs::metadata(backups.join(&name))?.len();
    // As the name has it, so that it is told the same when it is listed.
    Ok(Backup { name, at: now.trunc_subsecs(0), bytes, verified: true, reason })
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(folder)?)
}

fn copy(from: &Connection, to: &Path) -> Result<(), StoreError> {
    let bytes = check::bytes(from)?;
    if room(to).is_some_and(|room| room < bytes + LEFT_FREE) {
        return Err(StoreError::Full);
    }
    let before = count(from)?;
    from.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
    let after = count(from)?;
    let copied = verify(to)?;
    let fits = |(at, rows): (usize, &i64)| (before[at].min(after[at])..=before[at].max(after[at])).contains(rows);
    if copied.iter().enumerate().all(fits) { Ok(()) } else { Err(StoreError::BadBackup) }
}

/// Looks at all of a copy, and counts its rows.
///
/// Errors: [`StoreError::BadBackup`].
pub(super) fn verify(copy: &Path) -> Result<[i64; COUNTED.len()], StoreError> {
    let look = || {
        let copy =
            Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        let found: String = copy.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if found == "ok" { count(&copy) } else { Err(StoreError::Corrupt) }
    };
    look().map_err(|error| if matches!(error, StoreError::Corrupt) { StoreError::BadBackup } else { error })
}

fn count(conn: &Connection) -> Result<[i64; COUNTED.len()], StoreError> {
    let mut counts = [0; COUNTED.len()];
    for (table, count) in COUNTED.iter().zip(&mut counts) {
        *count = conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
    }
    Ok(counts)
}

/// Gives a good copy its name, so that a crash leaves the whole of it or nothing. Its file's time is when it was begun: what
/// is written later is not in it.
fn keep(new: &Path, to: &Path, begun: SystemTime) -> Result<(), StoreError> {
    let file = File::options().write(true).open(new)?;
    file.set_modified(begun)?;
    file.sync_all()?;
    drop(file);
    fs::rename(new, to)?;
    sync_folder(to)
}

/// Makes sure that a new name in a folder survives a crash of the computer.
pub(super) fn sync_folder(of: &Path) -> Result<(), StoreError> {
    if let (true, Some(folder)) = (cfg!(unix), of.parent()) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(unix)]
fn room(to: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(to.parent()?).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn room(_to: &Path) -> Option<u64> {
    None
}

fn remove_unfinished(new: &Path) -> Result<(), StoreError> {
    remove(&new.with_extension("db-journal"))?;
    remove(new)
}

pub(super) fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Removes the backups that are not kept. `zone` is where the person is: it says what a day is.
pub(super) fn rotate(folder: &Path, zone: FixedOffset) -> Result<(), StoreError> {
    let made: Vec<_> = list(folder)?.into_iter().filter(|backup| backup.verified).collect();
    let times: Vec<_> = made.iter().map(|backup| (backup.name.as_str(), backup.at)).collect();
    outdated(&times, zone).into_iter().try_for_each(|name| remove(&folder.join(BACKUPS).join(name)))
}

/// Which backups go: all but the last of each of the latest days and weeks that have one.
fn outdated<'a>(backups: &[(&'a str, DateTime<Utc>)], zone: FixedOffset) -> Vec<&'a str> {
    let mut latest_first = backups.to_vec();
    latest_first.sort_by_key(|(name, at)| std::cmp::Reverse((*at, *name)));
    let (mut days, mut weeks) = (HashSet::new(), HashSet::new());
    let mut outdated = Vec::new();
    for (name, at) in latest_first {
        let day = at.with_timezone(&zone).date_naive();
        let is_last_of_day = days.len() < DAYS && days.insert(day);
        let is_last_of_week = weeks.len() < WEEKS && weeks.insert(day.iso_week());
        if !is_last_of_day && !is_last_of_week {
            outdated.push(name);
        }
    }
    outdated
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(moment: &str) -> DateTime<Utc> {
        DateTime::parse_from_rfc3339(moment).unwrap().to_utc()
    }

    fn zone(hours: i32) -> FixedOffset {
        FixedOffset::east_opt(hours * 3600).unwrap()
    }

    #[test]
    fn the_last_of_each_of_seven_days_and_four_weeks_are_kept() {
        // Two a day, through sixty days.
        let first = at("2026-01-01T08:00:00Z");
        let times: Vec<(String, DateTime<Utc>)> = (0..120)
            .map(|half| {
                let time = first + chrono::TimeDelta::hours(half * 12);
                (time.format("%m-%d %H").to_string(), time)
            })
            .collect();
        let times: Vec<(&str, DateTime<Utc>)> = times.iter().map(|(name, at)| (name.as_str(), *at)).collect();
        let gone = outdated(&times, zone(0));
        let kept: Vec<&str> = times.iter().map(|(name, _)| *name).filter(|name| !gone.contains(name)).collect();
        // The last is a Sunday: its week is among the seven days.
        assert_eq!(
            kept,
            [
                "02-08 20", "02-15 20", "02-22 20", "02-23 20", "02-24 20", "02-25 20", "02-26 20", "02-27 20",
                "02-28 20", "03-01 20"
            ]
        );
    }

    #[test]
    fn a_day_is_a_day_where_the_person_is() {
        let times = [("evening", at("2026-03-02T22:30:00Z")), ("night", at("2026-03-02T23:30:00Z"))];
        assert_eq!(outdated(&times, zone(0)), ["evening"]);
        assert_eq!(outdated(&times, zone(1)), Vec::<&str>::new());
    }

    #[test]
    fn after_a_long_absence_the_old_ones_are_still_there() {
        let times = [("spring", at("2026-03-02T12:00:00Z")), ("autumn", at("2026-10-02T12:00:00Z"))];
        assert_eq!(outdated(&times, zone(0)), Vec::<&str>::new());
    }

    #[test]
    fn a_name_tells_when_and_why() {
        let moment = at("2026-03-02T08:00:01Z");
        for (reason, _) in BackupReason::NAMED {
            assert_eq!(named(&name_of(moment, reason)), Some((moment, reason)));
        }
        assert_eq!(name_of(moment, BackupReason::Daily), "2026-03-02T080001Z-daily.db");
        assert_eq!(named("2026-03-02T080001Z.db"), None);
        assert_eq!(named("ééééééééé-daily.db"), None);
    }

    #[test]
    fn a_backup_is_found_by_its_name_and_by_no_path() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(BACKUPS)).unwrap();
        fs::write(folder.path().join("atlas.db"), "").unwrap();
        fs::write(folder.path().join(BACKUPS).join("before-version-2.db"), "").unwrap();
        assert!(path_of(folder.path(), "before-version-2.db").is_ok());
        assert!(matches!(path_of(folder.path(), "../atlas.db"), Err(StoreError::Missing("backup"))));
    }
}
