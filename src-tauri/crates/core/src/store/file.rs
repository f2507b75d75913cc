//! What a purge does to the files: the write-ahead log, free pages, and the backups must not keep what the database has not.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::backup::{self, BackupReason};
use super::error::StoreError;
use super::{BACKUPS, DATABASE, Store, blocking, restore};

/// How often the log is emptied anew while a reader is in the way, and the pause between.
const SWEEPS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(25);

/// How much of a file is looked at in one go, in bytes.
const WINDOW: usize = 1 << 20;

/// A file of no more bytes than this is written anew in about a second.
const SMALL: u64 = 128 << 20;

/// How long the pieces are that a text is looked for by, and how far apart they begin, in bytes: where a file holds a part of
/// it that is not tiny, that has one of them in it.
const PIECE: usize = 16;
const STRIDE: usize = 24;

impl Store {
    /// Empties the write-ahead log into the database and shortens it to nothing, so that deleted text is not left in it.
    /// It waits for readers, for about a second. Errors: [`StoreError::Busy`].
    pub async fn truncate_log(&self) -> Result<(), StoreError> {
        let inner = self.inner.clone();
        blocking(move || {
            // What reads the whole file would be in the way, and is done later.
            inner.upkeep.interrupt();
            for sweep in 1.. {
                let busy: bool = inner.writer()?.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
                match busy {
                    false => return Ok(()),
                    true if sweep >= SWEEPS => return Err(StoreError::Busy),
                    true => std::thread::sleep(PAUSE),
                }
            }
            Ok(())
        })
        .await
    }

    /// Rewrites the file without what was deleted from it, and empties the write-ahead log.
    pub async fn compact(&self) -> Result<(), StoreError> {
        let inner = self.inner.clone();
        blocking(move || Ok(inner.writer()?.execute_batch("VACUUM")?)).await?;
        self.truncate_log().await
    }

    /// Whether the database's file is quickly written anew.
    pub async fn is_small(&self) -> Result<bool, StoreError> {
        let file = self.inner.folder.join(DATABASE);
        let bytes = blocking(move || fs::metadata(&file).map_err(|error| StoreError::Folder(error.kind()))).await?;
        Ok(bytes.len() <= SMALL)
    }

    /// Whether a part of one of these texts stands anywhere in the database's file, byte for byte: SQLite overwrites what it
    /// deletes, but a page that it once took apart may keep an older copy, or half of one.
    pub async fn file_holds(&self, texts: Vec<String>) -> Result<bool, StoreError> {
        let file = self.inner.folder.join(DATABASE);
        blocking(move || holds(&file, &Pieces::of(&texts)).map_err(|error| StoreError::Folder(error.kind()))).await
    }

    /// Puts one fresh backup, looked at and found whole, in the place of all that there are, and removes the damaged files that
    /// restores kept. Where there is no backup, none is made; where it cannot be made, the old ones go all the same. What is no
    /// backup is left alone.
    ///
    /// Errors: what kept the new one from being made, or one of the old ones from being removed; [`Store::health`] tells it.
    pub async fn renew_backups(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let inner = self.inner.clone();
        blocking(move || {
            // One that is being made may hold it.
            inner.upkeep.interrupt();
            inner.alone(|conn| {
                let had_damaged = restore::remove_damaged(&inner.folder)?;
                let old = backup::copies(&inner.folder)?;
                if old.is_empty() {
                    return Ok(());
                }
                let made = backup::make(conn, &inner.folder, BackupReason::AfterForgetting, now);
                let made_at = made.as_ref().ok().map(|made| made.at);
                let new = made.as_ref().ok().map(|made| inner.folder.join(BACKUPS).join(&made.name));
                let old: Vec<_> = old.into_iter().filter(|path| Some(path) != new.as_ref()).collect();
                let removed = backup::remove_all(&old, backup::remove);
                inner.health.send_modify(|health| {
                    health.last_backup_at = made_at;
                    health.backup_problem = problem_of_renewal(&made, &removed);
                    if had_damaged {
                        health.problem = Some(DAMAGED_IS_GONE.to_owned());
                    }
                });
                made.map(drop).and(removed.map_err(|(_, error)| error))
            })
        })
        .await
    }

    /// Removes all backups, and the damaged files that restores kept: they hold what was wiped. What is no backup is left alone.
    ///
    /// Errors: what kept one of them from being removed; the others are gone all the same.
    pub async fn remove_backups(&self) -> Result<(), StoreError> {
        let inner = self.inner.clone();
        blocking(move || {
            inner.upkeep.interrupt();
            inner.alone(|_| {
                restore::remove_damaged(&inner.folder)?;
                let removed = backup::remove_all(&backup::copies(&inner.folder)?, backup::remove);
                // What a person keeps there keeps the folder.
                let _ = fs::remove_dir(inner.folder.join(BACKUPS));
                inner.health.send_modify(|health| {
                    health.last_backup_at = None;
                    health.backup_problem = removed.as_ref().err().map(|(names, _)| stays(names));
                });
                removed.map_err(|(_, error)| error)
            })
        })
        .await
    }
}

/// For people.
const DAMAGED_IS_GONE: &str = "The damaged database file that was kept aside is removed: it could still hold what was \
    forgotten. Nothing needs to be done.";

fn problem_of_renewal(
    made: &Result<backup::Backup, StoreError>,
    removed: &Result<(), (Vec<String>, StoreError)>,
) -> Option<String> {
    let old = removed.as_ref().err().map(|(names, _)| stays(names));
    old.or_else(|| made.as_ref().err().map(|error| format!("A backup could not be made. {}", error.message())))
}

fn stays(names: &[String]) -> String {
    format!(
        "An old backup could not be removed, and may hold what was forgotten: {}. Delete it yourself in the folder of backups; \
         Atlas tries it again at its next start.",
        names.join(", ")
    )
}

/// Pieces of texts, by the two bytes that they begin with.
struct Pieces<'a> {
    by_start: HashMap<[u8; 2], Vec<&'a [u8]>>,
    /// Whether any begins with two bytes: most of a file is passed over by this alone.
    starts: Vec<bool>,
    longest: usize,
}

impl<'a> Pieces<'a> {
    fn of(texts: &'a [String]) -> Self {
        let mut pieces = Self { by_start: HashMap::new(), starts: vec![false; 1 << 16], longest: 0 };
        for text in texts.iter().map(|text| text.as_bytes()) {
            let last = text.len().saturating_sub(PIECE);
            (0..last).step_by(STRIDE).chain([last]).for_each(|at| pieces.add(&text[at..text.len().min(at + PIECE)]));
        }
        pieces
    }

    fn add(&mut self, piece: &'a [u8]) {
        let Some(start) = piece.first_chunk::<2>() else { return };
        self.starts[usize::from(u16::from_le_bytes(*start))] = true;
        self.by_start.entry(*start).or_default().push(piece);
        self.longest = self.longest.max(piece.len());
    }

    fn are_in(&self, bytes: &[u8]) -> bool {
        bytes.windows(2).enumerate().any(|(at, start)| {
            let start = [start[0], start[1]];
            self.starts[usize::from(u16::from_le_bytes(start))]
                && self.by_start[&start].iter().any(|piece| bytes[at..].starts_with(piece))
        })
    }
}

/// Whether a file holds one of the pieces. One over the border of two windows is found too.
fn holds(file: &Path, pieces: &Pieces<'_>) -> std::io::Result<bool> {
    if pieces.longest == 0 {
        return Ok(false);
    }
    let mut file = File::open(file)?;
    let mut window = Vec::with_capacity(WINDOW + pieces.longest);
    loop {
        let kept = window.len();
        let read = file.by_ref().take(WINDOW as u64).read_to_end(&mut window)?;
        if read == 0 {
            return Ok(false);
        }
        if pieces.are_in(&window) {
            return Ok(true);
        }
        let from = (kept + read).saturating_sub(pieces.longest - 1);
        window.drain(..from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_wherever_it_stands_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let mut bytes = vec![b'-'; 3 * WINDOW];
        bytes[WINDOW - 4..WINDOW + 5].copy_from_slice(b"zebrafink");
        fs::write(&file, &bytes).unwrap();
        let holds = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            super::holds(&file, &Pieces::of(&texts)).unwrap()
        };
        assert!(holds(&["other", "zebrafink"]));
        assert!(!holds(&["zebrafinks", ""]));
        assert!(!holds(&[]));
    }

    #[test]
    fn a_part_of_a_text_that_is_left_in_a_file_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let text: String = (0..60).map(|n| format!("word{n} ")).collect();
        for from in 0..text.len() - 40 {
            fs::write(&file, &text[from..from + 40]).unwrap();
            assert!(holds(&file, &Pieces::of(std::slice::from_ref(&text))).unwrap(), "{from}");
        }
    }

    #[tokio::test]
    async fn one_fresh_backup_takes_the_place_of_all_and_damaged_files_go() {
        let folder = tempfile::tempdir().unwrap();
        let now = DateTime::from_timestamp_millis(1_772_438_400_000).unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        store.renew_backups(now).await.unwrap();
        assert!(!folder.path().join(BACKUPS).exists(), "where there was none, none is made");
        for (kept, name) in [(BACKUPS, "before-version-2.db"), (BACKUPS, "mine.db"), ("damaged", "atlas.db")] {
            fs::create_dir_all(folder.path().join(kept)).unwrap();
            fs::write(folder.path().join(kept).join(name), "zebrafink").unwrap();
        }
        store.write(|tx| Ok(tx.execute("INSERT INTO drafts VALUES (0, 'kept')", [])?)).await.unwrap();
        store.renew_backups(now).await.unwrap();
        assert_eq!(store.health().borrow().problem.as_deref(), Some(DAMAGED_IS_GONE));
        store.renew_backups(now).await.unwrap();
        assert!(!folder.path().join("damaged").exists());
        let left = backup::entries(&folder.path().join(BACKUPS)).unwrap();
        assert_eq!(left, [folder.path().join(BACKUPS).join("2026-03-02T080000Z-after-forgetting.db")]);
        let text: String = rusqlite::Connection::open(&left[0])
            .unwrap()
            .query_row("SELECT text FROM drafts", [], |row| row.get(0))
            .unwrap();
        assert_eq!(text, "kept");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn what_a_person_keeps_beside_the_backups_is_left_alone_and_the_rest_goes_on() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let now = DateTime::from_timestamp_millis(1_772_438_400_000).unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let backups = folder.path().join(BACKUPS);
        fs::create_dir_all(backups.join("folder.db")).unwrap();
        fs::write(backups.join("folder.db").join("photo.db"), "mine").unwrap();
        fs::write(backups.join("notes.txt"), "mine").unwrap();
        symlink(folder.path().join("nowhere"), backups.join("dangling.db")).unwrap();
        symlink(folder.path().join("atlas.db"), backups.join("link.db")).unwrap();
        let theirs = ["dangling.db", "folder.db", "link.db", "notes.txt"];
        let names = || {
            let entries = backup::entries(&backups).unwrap();
            let mut names: Vec<_> =
                entries.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
            names.sort();
            names
        };
        store.renew_backups(now).await.unwrap();
        assert_eq!(names(), theirs, "there was no backup, so none is made");

        for name in ["2026-03-01T080000Z-daily.db", "old.db-journal", "unreadable.db"] {
            fs::write(backups.join(name), "zebrafink").unwrap();
        }
        fs::set_permissions(backups.join("unreadable.db"), fs::Permissions::from_mode(0o0)).unwrap();
        store.renew_backups(now).await.unwrap();
        assert_eq!(names(), [&["2026-03-02T080000Z-after-forgetting.db"][..], &theirs].concat());
        assert_eq!(store.backups().await.unwrap().len(), 1);
        assert_eq!(store.health().borrow().backup_problem, None);

        store.remove_backups().await.unwrap();
        assert_eq!(names(), theirs);
        assert!(backups.join("folder.db").join("photo.db").exists());
    }

    #[test]
    fn a_backup_that_cannot_be_removed_keeps_no_other_one_and_is_told() {
        let paths = ["a.db", "b.db", "c.db"].map(|name| Path::new(BACKUPS).join(name));
        let asked = std::cell::RefCell::new(Vec::new());
        let removed = backup::remove_all(&paths, |path| {
            asked.borrow_mut().push(path.to_owned());
            if path == paths[1] { Err(StoreError::ReadOnly) } else { Ok(()) }
        });
        assert_eq!(asked.into_inner(), paths);
        let told = problem_of_renewal(&Err(StoreError::Full), &removed).unwrap();
        assert!(
            told.starts_with("An old backup could not be removed, and may hold what was forgotten: b.db."),
            "{told}"
        );
        assert!(matches!(removed, Err((names, StoreError::ReadOnly)) if names == ["b.db"]));
    }

    #[tokio::test]
    async fn a_store_in_memory_is_no_file_and_reads_what_it_wrote() {
        let store = Store::in_memory().await.unwrap();
        store.write(|tx| Ok(tx.execute("INSERT INTO drafts VALUES (0, 'here')", [])?)).await.unwrap();
        let text: String =
            store.read(|conn| Ok(conn.query_row("SELECT text FROM drafts", [], |row| row.get(0))?)).await.unwrap();
        assert_eq!((text.as_str(), store.folder()), ("here", Path::new("")));
    }
}
