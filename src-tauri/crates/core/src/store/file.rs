//! What a purge does to the files: the write-ahead log, free pages, and the backups must not keep what the database has not.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::error::StoreError;
use super::{BACKUPS, DATABASE, Store, blocking, lock};

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

/// The backup that takes the place of the others.
const FRESH: &str = "after-forgetting.db";

impl Store {
    /// Empties the write-ahead log into the database and shortens it to nothing, so that deleted text is not left in it.
    /// It waits for readers, for about a second. Errors: [`StoreError::Busy`].
    pub async fn truncate_log(&self) -> Result<(), StoreError> {
        let inner = self.inner.clone();
        blocking(move || {
            for sweep in 1.. {
                let busy: bool =
                    lock(&inner.writer).query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
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
        blocking(move || Ok(lock(&inner.writer).execute_batch("VACUUM")?)).await?;
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

    /// Puts one fresh backup, looked at and found whole, in the place of all that there are. Where there is none, none is
    /// made; where it cannot be made, the old ones go all the same.
    pub async fn renew_backups(&self) -> Result<(), StoreError> {
        let inner = self.inner.clone();
        blocking(move || {
            let folder = inner.folder.join(BACKUPS);
            let old = entries(&folder).map_err(|error| StoreError::Folder(error.kind()))?;
            if old.is_empty() {
                return Ok(());
            }
            let new = folder.join("new.db");
            let written = remove(&new).and_then(|()| copy(&lock(&inner.writer), &new));
            for path in old.into_iter().filter(|path| *path != new) {
                remove(&path)?;
            }
            written.inspect_err(|_| drop(remove(&new)))?;
            fs::rename(&new, folder.join(FRESH)).map_err(|error| StoreError::Folder(error.kind()))
        })
        .await
    }
}

fn copy(conn: &Connection, to: &Path) -> Result<(), StoreError> {
    conn.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
    let copy = Connection::open_with_flags(to, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let found: String = copy.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(StoreError::Corrupt) }
}

fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(StoreError::Folder(error.kind())),
        _ => Ok(()),
    }
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
    async fn one_fresh_backup_takes_the_place_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        store.renew_backups().await.unwrap();
        assert!(!folder.path().join(BACKUPS).exists(), "where there was none, none is made");
        fs::create_dir(folder.path().join(BACKUPS)).unwrap();
        for name in ["before-version-2.db", "before-version-3.db"] {
            fs::write(folder.path().join(BACKUPS).join(name), "zebrafink").unwrap();
        }
        store.write(|tx| Ok(tx.execute("INSERT INTO drafts VALUES (0, 'kept')", [])?)).await.unwrap();
        store.renew_backups().await.unwrap();
        store.renew_backups().await.unwrap();
        let left = entries(&folder.path().join(BACKUPS)).unwrap();
        assert_eq!(left, [folder.path().join(BACKUPS).join(FRESH)]);
        let text: String =
            Connection::open(&left[0]).unwrap().query_row("SELECT text FROM drafts", [], |row| row.get(0)).unwrap();
        assert_eq!(text, "kept");
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
