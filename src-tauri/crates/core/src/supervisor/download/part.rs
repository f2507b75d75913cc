//! What came of a download so far: a hidden file beside the models, and a note of where it came from, so that it can go
//! on after a restart of Atlas too.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use reqwest::Url;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

use super::error::DownloadError;
use super::transfer::Stopped;

/// The ending of what is not whole.
const ENDING: &str = ".part";

/// Where a part came from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Note {
    /// The model's id in the catalogue, where it is from there.
    pub(super) catalogue: Option<String>,
    /// The address that was given, without what follows a question mark: a key may stand there.
    pub(super) url: String,
    /// Whether something of it was left out: it is not whole.
    pub(super) is_cut: bool,
    /// How the server names this very file: its `ETag`, or when it was changed.
    pub(super) validator: Option<String>,
    /// How long the whole file is.
    pub(super) total: Option<u64>,
}

impl Note {
    /// A note of an address, as far as it may stand on the disk.
    pub(super) fn of(address: &Url) -> Self {
        let mut url = address.clone();
        url.set_query(None);
        url.set_fragment(None);
        // An address with a name and a password in it is refused; nothing of it is kept all the same.
        let _ = (url.set_username(""), url.set_password(None));
        Self { is_cut: address.query().is_some(), url: url.into(), ..Self::default() }
    }

    /// The same without what an earlier Atlas wrote down and this one does not.
    fn cut(self) -> Self {
        match Url::parse(&self.url).map(|url| Self::of(&url)) {
            Ok(Self { url, is_cut, .. }) => Self { is_cut: self.is_cut || is_cut, url, ..self },
            Err(_) => Self { url: String::new(), is_cut: true, ..self },
        }
    }
}

/// Where the part of a file stands, and its note.
pub(super) struct Place {
    pub(super) part: PathBuf,
    note: PathBuf,
}

impl Place {
    pub(super) fn of(folder: &Path, file: &str) -> Self {
        let part = folder.join(format!(".{file}{ENDING}"));
        Self { note: part.with_extension("part.json"), part }
    }

    /// The files that have a part in a folder.
    pub(super) fn all(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<_> = entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                Some(name.strip_prefix('.')?.strip_suffix(ENDING)?.to_owned())
            })
            .collect();
        files.sort();
        files
    }

    /// The note. What an earlier Atlas wrote into it and this one keeps to itself is taken out of the file too.
    pub(super) fn note(&self) -> Option<Note> {
        let written: Note = serde_json::from_slice(&std::fs::read(&self.note).ok()?).ok()?;
        let note = written.clone().cut();
        if note != written {
            // Where it cannot be written now it is tried again the next time.
            let _ = self.save(&note);
        }
        Some(note)
    }

    pub(super) fn save(&self, note: &Note) -> io::Result<()> {
        std::fs::write(&self.note, serde_json::to_vec(note).expect("a note is plain data"))
    }

    /// How many bytes came.
    pub(super) fn bytes(&self) -> u64 {
        self.part.metadata().map_or(0, |metadata| metadata.len())
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        for file in [&self.part, &self.note] {
            match std::fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Gives the whole file its name. The note goes after that.
    pub(super) fn finish(&self, file: &Path) -> io::Result<()> {
        std::fs::rename(&self.part, file)?;
        self.remove()
    }
}

/// A part, open to be written on, with the sum of all that is in it.
pub(super) struct Part {
    file: tokio::fs::File,
    sum: Sha256,
    bytes: u64,
    /// The first bytes, which tell what kind of file it is.
    begin: Vec<u8>,
}

/// How many first bytes are kept.
const BEGIN: usize = 4;
/// How much is read at once.
const PIECE: usize = 1 << 20;

impl Part {
    /// Opens a part and adds up what is in it, which takes its time with some gigabytes: a cancel ends it.
    ///
    /// Errors: [`DownloadError::Running`] where another Atlas writes it.
    pub(super) async fn open(path: PathBuf, cancel: CancellationToken) -> Result<Self, Stopped> {
        let opened = tokio::task::spawn_blocking(move || {
            let mut file = File::options().read(true).write(true).create(true).truncate(false).open(&path)?;
            if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
                return Err(Stopped::Failed(DownloadError::Running));
            }
            let added = add_up(&mut file, &cancel)?;
            Ok((file, added))
        });
        let (file, Added { sum, bytes, begin }) =
            opened.await.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::Other).into()))?;
        Ok(Self { file: tokio::fs::File::from_std(file), sum, bytes, begin })
    }

    /// How many bytes there are.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The first four bytes, as far as they came.
    pub(super) fn begin(&self) -> &[u8] {
        &self.begin
    }

    pub(super) async fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        self.file.write_all(piece).await?;
        self.sum.update(piece);
        self.bytes += piece.len() as u64;
        keep_begin(&mut self.begin, piece);
        Ok(())
    }

    /// Throws away what came.
    pub(super) async fn start_over(&mut self) -> io::Result<()> {
        self.file.flush().await?;
        self.file.set_len(0).await?;
        self.file.rewind().await?;
        (self.sum, self.bytes, self.begin) = (Sha256::new(), 0, Vec::new());
        Ok(())
    }

    /// Makes sure that all is with the system.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        self.file.flush().await
    }

    /// Makes sure that all is on the disk, and gives its SHA-256 in hexadecimal digits.
    pub(super) async fn close(mut self) -> io::Result<String> {
        self.file.flush().await?;
        self.file.sync_all().await?;
        Ok(self.sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// What is in a part.
pub(super) struct Added {
    sum: Sha256,
    pub(super) bytes: u64,
    begin: Vec<u8>,
}

/// Adds up all that can be read, piece by piece, until it is cancelled.
pub(super) fn add_up(from: &mut impl io::Read, cancel: &CancellationToken) -> Result<Added, Stopped> {
    let mut added = Added { sum: Sha256::new(), bytes: 0, begin: Vec::new() };
    let mut piece = vec![0; PIECE];
    while !cancel.is_cancelled() {
        let read = from.read(&mut piece)?;
        if read == 0 {
            return Ok(added);
        }
        added.sum.update(&piece[..read]);
        added.bytes += read as u64;
        keep_begin(&mut added.begin, &piece[..read]);
    }
    Err(Stopped::Cancelled)
}

fn keep_begin(begin: &mut Vec<u8>, piece: &[u8]) {
    let missing = BEGIN - begin.len();
    begin.extend(&piece[..piece.len().min(missing)]);
}
