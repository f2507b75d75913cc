//! Models that are downloaded: from the catalogue, or from an address that the person gives. What came is kept when a
//! download stops, also over a restart of Atlas, and goes on from there; nothing has a model's name before it is whole
//! and was checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use ts_rs::TS;

use super::catalogue::{self, CatalogueModel};
use super::models;
use super::service::lock;
use crate::clock::Clock;
use crate::home::Home;
use crate::providers::http::Http;

mod error;
mod part;
mod transfer;

pub use error::DownloadError;
use part::{Note, Part, Place};
use transfer::{Stopped, Transfer, allowed};

/// How often in a row a download is tried without a byte coming.
const TRIES: u32 = 5;
/// How often it is tried in all.
const ALL_TRIES: u32 = 100;
/// The rest after the first try that broke; each further one doubles it.
const FIRST_REST: Duration = Duration::from_secs(1);
/// How often progress is told at most.
const TOLD_EVERY: TimeDelta = TimeDelta::milliseconds(250);
/// Over how long the speed is measured.
const MEASURED: TimeDelta = TimeDelta::seconds(5);
/// How many news a slow listener may lag behind before it misses some.
const NEWS: usize = 256;
/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 120;

/// How much room the disk of a folder has, in bytes; none where nobody knows.
type Space = dyn Fn(&Path) -> Option<u64> + Send + Sync;

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The catalogue, by the model's id.
    Catalogue(String),
    /// An address: https, or this computer's own. Whether it is a model is told by what comes.
    Address(String),
}

/// How far a download is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DownloadState {
    /// The file that it becomes: what it is called by.
    pub file: String,
    /// The model's name, for people.
    pub name: String,
    /// How many bytes came.
    #[ts(type = "number")]
    pub bytes: u64,
    /// How many there are, where that is known.
    #[ts(type = "number | null")]
    pub total: Option<u64>,
    /// How fast they come.
    #[ts(type = "number | null")]
    pub bytes_per_second: Option<u64>,
    /// What is done now.
    pub step: DownloadStep,
    /// What went wrong, where it failed or waits.
    pub problem: Option<DownloadProblem>,
}

/// What a download does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum DownloadStep {
    /// Bytes come.
    Loading,
    /// The connection broke; it is tried again in a moment.
    Waiting,
    /// What came is checked.
    Checking,
    /// It was cancelled, or Atlas was closed: it can go on.
    Paused,
    /// It did not work.
    Failed,
    /// The model is there.
    Done,
}

/// What went wrong with a download.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DownloadProblem {
    /// A stable code.
    pub code: String,
    /// What happened and what to try. Plain text.
    pub message: String,
    /// Whether it can go on.
    pub retryable: bool,
}

impl From<&DownloadError> for DownloadProblem {
    fn from(error: &DownloadError) -> Self {
        Self { code: error.code().to_owned(), message: error.message(), retryable: error.is_retryable() }
    }
}

/// All downloads. Clones share them; they go on until [`Downloads::stop`] or the end of the runtime.
#[derive(Clone)]
pub struct Downloads {
    inner: Arc<Inner>,
}

struct Inner {
    home: Home,
    http: Http,
    clock: Arc<dyn Clock>,
    space: Arc<Space>,
    active: Mutex<BTreeMap<String, Active>>,
    told: broadcast::Sender<DownloadState>,
}

/// A download that runs or ran.
struct Active {
    state: DownloadState,
    cancel: CancellationToken,
    ended: watch::Receiver<bool>,
}

/// What is to be done.
#[derive(Clone)]
struct Job {
    file: String,
    name: String,
    note: Note,
    model: Option<&'static CatalogueModel>,
}

impl Downloads {
    /// Downloads into a home's own folder of models.
    pub fn new(home: Home, http: Http, clock: Arc<dyn Clock>) -> Self {
        Self::with_space(home, http, clock, Arc::new(free_space))
    }

    fn with_space(home: Home, http: Http, clock: Arc<dyn Clock>, space: Arc<Space>) -> Self {
        let (active, told) = (Mutex::default(), broadcast::Sender::new(NEWS));
        Self { inner: Arc::new(Inner { home, http, clock, space, active, told }) }
    }

    /// How far each is, from now on.
    pub fn watch(&self) -> broadcast::Receiver<DownloadState> {
        self.inner.told.subscribe()
    }

    /// All that run or ran since Atlas was opened, and what earlier ones left, by file.
    pub async fn list(&self) -> Vec<DownloadState> {
        let folder = self.inner.folder();
        let left = move || {
            let paused = |file: String| paused(&folder, file);
            Place::all(&folder).into_iter().map(paused).collect::<Vec<_>>()
        };
        let left = tokio::task::spawn_blocking(left).await.unwrap_or_default();
        let active = lock(&self.inner.active);
        let mut all: BTreeMap<_, _> = left.into_iter().map(|state| (state.file.clone(), state)).collect();
        all.extend(active.iter().map(|(file, active)| (file.clone(), active.state.clone())));
        all.into_values().collect()
    }

    /// Begins a download, or goes on with what came of it, and says which file it becomes. The rest is told by
    /// [`Downloads::watch`].
    ///
    /// Errors: the address or the id is none; the model is here; it is being downloaded.
    pub async fn start(&self, source: Source) -> Result<String, DownloadError> {
        self.begin(job(&source)?).await
    }

    async fn begin(&self, job: Job) -> Result<String, DownloadError> {
        if models::file(&self.inner.home, &job.file).await.is_ok() {
            return Err(DownloadError::AlreadyHere);
        }
        let (folder, file, url) = (self.inner.folder(), job.file.clone(), job.note.url.clone());
        let prepared = tokio::task::spawn_blocking(move || prepare(&folder, &file, &url)).await;
        let kept = prepared.map_err(|_| DownloadError::Folder(std::io::ErrorKind::Other))??;
        let job = Job { note: kept.unwrap_or(job.note), ..job };
        let file = job.file.clone();
        self.run(job)?;
        Ok(file)
    }

    /// Goes on with what an earlier download left.
    pub async fn resume(&self, file: &str) -> Result<(), DownloadError> {
        let place = self.place(file)?;
        let note = place.note().ok_or(DownloadError::NoDownload)?;
        let source = note.catalogue.map_or(Source::Address(note.url), Source::Catalogue);
        self.start(source).await.map(drop)
    }

    /// Stops a download; what came is kept. It has stopped when this returns.
    pub async fn cancel(&self, file: &str) {
        let Some((cancel, mut ended)) = self.active(file) else { return };
        cancel.cancel();
        // An error means that the task is gone.
        let _ = ended.wait_for(|ended| *ended).await;
    }

    /// Stops a download, and removes what came.
    pub async fn discard(&self, file: &str) -> Result<(), DownloadError> {
        self.cancel(file).await;
        self.place(file)?.remove()?;
        lock(&self.inner.active).remove(file);
        Ok(())
    }

    /// Stops all of them; what came is kept. For the end of Atlas.
    pub async fn stop(&self) {
        let files: Vec<String> = lock(&self.inner.active).keys().cloned().collect();
        for file in files {
            self.cancel(&file).await;
        }
    }

    fn active(&self, file: &str) -> Option<(CancellationToken, watch::Receiver<bool>)> {
        lock(&self.inner.active).get(file).map(|active| (active.cancel.clone(), active.ended.clone()))
    }

    /// Where the part of a file stands; only what can be the name of a download has a place.
    fn place(&self, file: &str) -> Result<Place, DownloadError> {
        if clean(file) != file {
            return Err(DownloadError::NoDownload);
        }
        Ok(Place::of(&self.inner.folder(), file))
    }

    fn run(&self, job: Job) -> Result<(), DownloadError> {
        let cancel = CancellationToken::new();
        let (end, ended) = watch::channel(false);
        let state = self.inner.state(&job, DownloadStep::Loading);
        let mut active = lock(&self.inner.active);
        if active.get(&job.file).is_some_and(|active| !*active.ended.borrow()) {
            return Err(DownloadError::Running);
        }
        active.insert(job.file.clone(), Active { state, cancel: cancel.clone(), ended });
        drop(active);
        let inner = self.inner.clone();
        tokio::spawn(async move {
            inner.download(job, &cancel).await;
            end.send_replace(true);
        });
        Ok(())
    }
}

impl Inner {
    fn folder(&self) -> PathBuf {
        self.home.own_models()
    }

    fn state(&self, job: &Job, step: DownloadStep) -> DownloadState {
        let place = Place::of(&self.folder(), &job.file);
        DownloadState {
            file: job.file.clone(),
            name: job.name.clone(),
            bytes: place.bytes(),
            total: job.model.map(|model| model.bytes).or(job.note.total),
            bytes_per_second: None,
            step,
            problem: None,
        }
    }

    async fn download(&self, job: Job, cancel: &CancellationToken) {
        let mut state = self.state(&job, DownloadStep::Checking);
        let result = self.load(&job, cancel).await;
        state.bytes = Place::of(&self.folder(), &job.file).bytes();
        match result {
            Ok(bytes) => (state.step, state.bytes, state.total) = (DownloadStep::Done, bytes, Some(bytes)),
            Err(Stopped::Cancelled) => state.step = DownloadStep::Paused,
            Err(Stopped::Again(error) | Stopped::Failed(error)) => {
                (state.step, state.problem) = (DownloadStep::Failed, Some((&error).into()));
            }
        }
        self.tell(state);
    }

    /// Loads a file to its end, checks it and gives it its name. Says how long it is.
    async fn load(&self, job: &Job, cancel: &CancellationToken) -> Result<u64, Stopped> {
        let folder = self.folder();
        let place = Place::of(&folder, &job.file);
        self.tell(self.state(job, DownloadStep::Checking));
        let mut part = Part::open(place.part.clone()).await.map_err(Stopped::Failed)?;
        let mut transfer = Transfer {
            http: &self.http,
            clock: self.clock.as_ref(),
            space: self.space.as_ref(),
            folder: &folder,
            place: &place,
            cancel,
            expected: job.model.map(|model| model.bytes),
            note: job.note.clone(),
        };
        if let Err(stopped) = self.try_again_and_again(job, &mut transfer, &mut part).await {
            let is_useless = matches!(stopped, Stopped::Failed(DownloadError::OtherFile | DownloadError::NotAModel(_)));
            drop(part);
            if is_useless {
                place.remove()?;
            }
            return Err(stopped);
        }
        let bytes = part.bytes();
        self.tell(DownloadState { bytes, ..self.state(job, DownloadStep::Checking) });
        let sum = part.close().await?;
        if let Err(error) = check(job, &place.part, &sum).await {
            place.remove()?;
            return Err(Stopped::Failed(error));
        }
        place.finish(&folder.join(&job.file))?;
        Ok(bytes)
    }

    async fn try_again_and_again(
        &self,
        job: &Job,
        transfer: &mut Transfer<'_>,
        part: &mut Part,
    ) -> Result<(), Stopped> {
        let mut in_a_row = 0;
        for _ in 0..ALL_TRIES {
            let before = part.bytes();
            let meter = Mutex::new(Meter::new(self.clock.now(), before));
            let told = |bytes, total| {
                let now = self.clock.now();
                if let Some(bytes_per_second) = lock(&meter).measure(now, bytes) {
                    let state = self.state(job, DownloadStep::Loading);
                    self.tell(DownloadState { bytes, total, bytes_per_second: Some(bytes_per_second), ..state });
                }
            };
            let error = match transfer.attempt(part, &told).await {
                Err(Stopped::Again(error)) => error,
                Err(Stopped::Failed(DownloadError::DiskFull { missing: 0 })) => {
                    let missing = transfer.total().unwrap_or(0).saturating_sub(part.bytes());
                    return Err(Stopped::Failed(DownloadError::DiskFull { missing }));
                }
                ended => return ended,
            };
            in_a_row = if part.bytes() > before { 1 } else { in_a_row + 1 };
            if in_a_row >= TRIES {
                return Err(Stopped::Failed(error));
            }
            let state = self.state(job, DownloadStep::Waiting);
            self.tell(DownloadState { bytes: part.bytes(), problem: Some((&error).into()), ..state });
            tokio::select! {
                () = transfer.cancel.cancelled() => return Err(Stopped::Cancelled),
                () = self.clock.sleep(FIRST_REST * 2_u32.pow(in_a_row - 1)) => {}
            }
        }
        Err(Stopped::Failed(DownloadError::Silent))
    }

    fn tell(&self, state: DownloadState) {
        if let Some(active) = lock(&self.active).get_mut(&state.file) {
            active.state = state.clone();
        }
        // Nobody listening is no fault.
        let _ = self.told.send(state);
    }
}

/// Measures the speed, over the last seconds.
struct Meter {
    from: (DateTime<Utc>, u64),
    told_at: DateTime<Utc>,
}

impl Meter {
    fn new(now: DateTime<Utc>, bytes: u64) -> Self {
        Self { from: (now, bytes), told_at: now }
    }

    /// The bytes of a second, where it is time to tell.
    fn measure(&mut self, now: DateTime<Utc>, bytes: u64) -> Option<u64> {
        if now - self.told_at < TOLD_EVERY {
            return None;
        }
        self.told_at = now;
        let (since, from) = self.from;
        let millis = u64::try_from((now - since).num_milliseconds()).ok().filter(|millis| *millis > 0)?;
        if now - since >= MEASURED {
            self.from = (now, bytes);
        }
        Some(bytes.saturating_sub(from).saturating_mul(1000) / millis)
    }
}

/// Checks what came: its sum where that is known, and that it is a model to talk to.
async fn check(job: &Job, part: &Path, sum: &str) -> Result<(), DownloadError> {
    if job.model.is_some_and(|model| model.sha256 != sum) {
        return Err(DownloadError::WrongSum);
    }
    let part = part.to_owned();
    let checked = tokio::task::spawn_blocking(move || models::check(&part)).await;
    checked.map_err(|_| DownloadError::Folder(std::io::ErrorKind::Other))??;
    Ok(())
}

fn job(source: &Source) -> Result<Job, DownloadError> {
    match source {
        Source::Catalogue(id) => {
            let model = catalogue::find(id).ok_or(DownloadError::NotInCatalogue)?;
            let note = Note { catalogue: Some(id.clone()), url: model.url.to_owned(), ..Note::default() };
            Ok(Job { file: model.file.to_owned(), name: model.name.to_owned(), note, model: Some(model) })
        }
        Source::Address(address) => {
            let url = allowed(address)?;
            let last = url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
            let file = clean(&last.replace("%20", "-"));
            if !file.ends_with(".gguf") || file.len() == ".gguf".len() {
                return Err(DownloadError::BadAddress);
            }
            if file.contains("-of-") {
                return Err(DownloadError::SeveralFiles);
            }
            let note = Note { url: url.into(), ..Note::default() };
            Ok(Job { name: file.trim_end_matches(".gguf").to_owned(), file, note, model: None })
        }
    }
}

/// Makes the folder, and keeps the part of an earlier download only where it came from the same address.
fn prepare(folder: &Path, file: &str, url: &str) -> Result<Option<Note>, DownloadError> {
    std::fs::create_dir_all(folder)?;
    let place = Place::of(folder, file);
    let note = place.note().filter(|note| note.url == url);
    if note.is_none() && place.bytes() > 0 {
        place.remove()?;
    }
    Ok(note)
}

/// What an earlier download left.
fn paused(folder: &Path, file: String) -> DownloadState {
    let place = Place::of(folder, &file);
    let note = place.note().unwrap_or_default();
    let model = note.catalogue.as_deref().and_then(catalogue::find);
    DownloadState {
        name: model.map_or(file.trim_end_matches(".gguf"), |model| model.name).to_owned(),
        bytes: place.bytes(),
        total: model.map(|model| model.bytes).or(note.total),
        bytes_per_second: None,
        step: DownloadStep::Paused,
        problem: None,
        file,
    }
}

/// A name for a file: letters, digits and a few signs, and never a hidden one.
fn clean(name: &str) -> String {
    let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    let name: String = name.chars().filter(fits).collect();
    let name = name.trim_start_matches('.');
    name[name.len().saturating_sub(LONGEST_NAME)..].trim_start_matches('.').to_owned()
}

#[cfg(unix)]
fn free_space(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Nobody tells here: a full disk is met when it is full.
#[cfg(not(unix))]
fn free_space(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests;
