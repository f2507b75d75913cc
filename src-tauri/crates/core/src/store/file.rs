//! What a purge does to the files: the write-ahead log, free pages, and the backups must not keep what the database has not.

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

    /// Whether one of these texts stands anywhere in the database's file, byte for byte: SQLite overwrites what it deletes,
    /// but a page that it once took apart may keep an older copy.
    pub async fn file_holds(&self, texts: Vec<String>) -> Result<bool, StoreError> {
        let file = self.inner.folder.join(DATABASE);
        blocking(move || holds(&file, &texts).map_err(|error| StoreError::Folder(error.kind()))).await
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

/// Whether a file holds one of the texts. A text over the border of two pieces of the file is found too.
fn holds(file: &Path, texts: &[String]) -> std::io::Result<bool> {
    let longest = texts.iter().map(String::len).max().unwrap_or_default();
    if longest == 0 {
        return Ok(false);
    }
    let mut file = File::open(file)?;
    let mut window = Vec::with_capacity(WINDOW + longest);
    loop {
        let kept = window.len();
        let read = file.by_ref().take(WINDOW as u64).read_to_end(&mut window)?;
        if read == 0 {
            return Ok(false);
        }
        if texts.iter().any(|text| contains(&window, text.as_bytes())) {
            return Ok(true);
        }
        let from = (kept + read).saturating_sub(longest - 1);
        window.drain(..from);
    }
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    let Some((first, rest)) = text.split_first() else { return false };
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| byte == first) {
        from += at + 1;
        if bytes[from..].starts_with(rest) {
            return true;
        }
    }
    false
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
        assert!(holds(&file, &["other".into(), "zebrafink".into()]).unwrap());
        assert!(!holds(&file, &["zebrafinks".into(), String::new()]).unwrap());
        assert!(!holds(&file, &[]).unwrap());
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
