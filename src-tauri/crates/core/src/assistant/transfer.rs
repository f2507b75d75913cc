//! Memory between Atlas and files: exports, and imports that are looked at before they are taken in.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use super::view::{AppEvent, ExportFormat, ExportReport, ImportPlan, ImportReport, ImportUndone, ImportView};
use super::{Assistant, Error};
use crate::memory::transfer::archive::{self, Archive};
use crate::memory::transfer::import::{self, Brought, ImportError};
use crate::memory::transfer::imports;
use crate::memory::transfer::pages;
use crate::memory::transfer::take_in::{self, Tally};
use crate::memory::writing::candidate::Rules;
use crate::store::StoreError;
use crate::store::id::ImportId;

/// How many files that somebody looked at can be imported; the oldest is passed over first.
const OFFERED: usize = 8;

/// The files that were looked at, by what names them to a window.
#[derive(Default)]
pub(super) struct Offered(std::sync::Mutex<Vec<(String, PathBuf)>>);

impl Offered {
    fn add(&self, path: &Path) -> String {
        let token = format!("{:032x}", rand::random::<u128>());
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.push((token.clone(), path.to_owned()));
        let surplus = files.len().saturating_sub(OFFERED);
        files.drain(..surplus);
        token
    }

    fn path(&self, token: &str) -> Option<PathBuf> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.iter().find(|(known, _)| known == token).map(|(_, path)| path.clone())
    }

    fn remove(&self, token: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != token);
    }
}

impl Assistant {
    /// What a file would bring. Nothing is taken in; the plan's token names the file to [`Self::import`].
    pub async fn import_preview(&self, path: &Path) -> Result<ImportPlan, Error> {
        let brought = read(path).await?;
        let (notes, format) = (notes(&brought), brought.format.title().to_owned());
        let rules = self.owned_rules();
        let tally = self.store.read(move |conn| rules.with(|rules| take_in::plan(conn, &brought, rules))).await?;
        Ok(ImportPlan {
            token: self.offered.add(path),
            format,
            title: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            conversations: tally.conversations,
            messages: tally.messages,
            facts: tally.added + tally.review,
            already_known: tally.known,
            notes: notes.into_iter().chain(barred(tally)).collect(),
        })
    }

    /// Takes in a file that was looked at, whole or not at all. What it says waits in Review, unless it is an export of Atlas.
    pub async fn import(&self, token: &str) -> Result<ImportReport, Error> {
        let path = self.offered.path(token).ok_or(ImportError::NotOffered)?;
        let brought = read(&path).await?;
        let notes = notes(&brought);
        let rules = self.owned_rules();
        let (tally, import) =
            self.store.write(move |tx| rules.with(|rules| take_in::take_in(tx, &brought, rules))).await?;
        self.offered.remove(token);
        self.tell(AppEvent::ConversationsChanged);
        self.tell_memory_changed(Vec::new());
        self.mind.wake();
        Ok(ImportReport { import, ..report(tally, notes) })
    }

    /// The imports that were made, the newest first.
    pub async fn imports(&self) -> Result<Vec<ImportView>, Error> {
        Ok(self.store.read(imports::list).await?)
    }

    /// Takes an import back whole: its conversations, its memories, and what waits because of it. What the person confirmed,
    /// changed or went on with since stays. Taking it back twice is no error.
    pub async fn undo_import(self: &Arc<Self>, import: ImportId) -> Result<ImportUndone, Error> {
        let stillness = self.mind.be_still().await;
        let now = self.clock.now();
        let undone = self.store.write(move |tx| imports::take_back(tx, import, now)).await?;
        drop(stillness);
        self.mind.wake();
        // A fault of the file shows itself at the next read or write too.
        let _ = self.sweep_files(Vec::new(), true).await;
        self.write_mirrors_soon();
        self.tell(AppEvent::ConversationsChanged);
        self.tell_memory_changed(Vec::new());
        Ok(undone)
    }

    /// Writes memory out: a file of JSON, or a folder of Markdown. What stands at the path before is replaced when all of the
    /// new is written; other files of a folder stay.
    pub async fn export_memory(&self, format: ExportFormat, path: &Path) -> Result<ExportReport, Error> {
        let archive = self.collect().await?;
        let report = ExportReport {
            path: path.display().to_string(),
            facts: archive.facts.len() as u32,
            episodes: archive.episodes.len() as u32,
            procedures: archive.procedures.len() as u32,
            conversations: archive.conversations.len() as u32,
        };
        let path = path.to_owned();
        let written = tokio::task::spawn_blocking(move || match format {
            ExportFormat::Json => write_whole(&path, &archive.to_json()),
            ExportFormat::Markdown => {
                pages::pages(&archive).iter().try_for_each(|page| write_whole(&path.join(&page.path), &page.text))
            }
        });
        match written.await {
            Ok(Ok(())) => Ok(report),
            _ => Err(Error::NotWritten(report.path)),
        }
    }

    /// What an export is called where the person says nothing else.
    pub fn export_name(&self, format: ExportFormat) -> String {
        let day = self.clock.local_now().format("%Y-%m-%d");
        match format {
            ExportFormat::Json => format!("atlas-memory-{day}.json"),
            ExportFormat::Markdown => format!("Atlas memory {day}"),
        }
    }

    async fn collect(&self) -> Result<Archive, StoreError> {
        let (agent, now) = (self.behavior_in_force().spec.identity.name.clone(), self.clock.now());
        self.store.read(move |conn| archive::collect(conn, &agent, now)).await
    }

    pub(super) fn owned_rules(&self) -> OwnedRules {
        let spec = self.behavior_in_force().spec.clone();
        OwnedRules {
            sealed: spec.sealed_topics.clone(),
            agent: spec.identity.name.clone(),
            now: self.clock.local_now(),
        }
    }
}

/// What the gate goes by, as a transaction can take it along.
pub(super) struct OwnedRules {
    sealed: Vec<String>,
    agent: String,
    now: chrono::DateTime<chrono::FixedOffset>,
}

impl OwnedRules {
    pub(super) fn with<T>(&self, work: impl FnOnce(&Rules<'_>) -> T) -> T {
        work(&Rules { sealed: &self.sealed, agent: &self.agent, now: self.now })
    }
}

async fn read(path: &Path) -> Result<Brought, ImportError> {
    let path = path.to_owned();
    // A fault of Atlas itself over a strange file is one of the file to whoever chose it.
    tokio::task::spawn_blocking(move || import::read(&path)).await.unwrap_or(Err(ImportError::Damaged))
}

pub(super) fn report(tally: Tally, notes: Vec<String>) -> ImportReport {
    ImportReport {
        import: None,
        conversations: tally.conversations,
        added: tally.added,
        review: tally.review,
        already_known: tally.known,
        notes: notes.into_iter().chain(barred(tally)).collect(),
    }
}

fn barred(tally: Tally) -> Option<String> {
    let text = "of it stays out: it was forgotten here, or is on a topic that you sealed, or is no memory.";
    (tally.barred > 0).then(|| format!("{} {text}", tally.barred))
}

/// What else there is to know about a file.
fn notes(brought: &Brought) -> Vec<String> {
    let mut notes = Vec::new();
    if brought.archive.is_none() {
        notes.push("What it says about you waits in Review until you accept it.".to_owned());
    }
    if brought.attachments > 0 {
        notes.push("Pictures and attached files are not taken along.".to_owned());
    }
    if brought.unreadable > 0 {
        notes.push(format!("{} entries could not be read and are left out.", brought.unreadable));
    }
    notes
}

/// Where a file is written before it is whole.
pub(super) fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    path.with_file_name(name)
}

/// Writes a file beside its place and moves it there when it is whole. Only its owner may read it.
pub(super) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let beside = beside(path);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    drop(file);
    let moved = written.and_then(|()| std::fs::rename(&beside, path));
    if moved.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    moved
}
