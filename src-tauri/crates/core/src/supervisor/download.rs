//! Models that are downloaded: from the catalogue, or from an address that the person gives. What came is kept when a
//! download stops, also over a restart of Atlas, and goes on from there; nothing has a model's name before it is whole
//! and was checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Url;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use super::models;
use super::service::lock;
use crate::clock::Clock;
use crate::home::Home;
use crate::providers::http::Http;

mod error;
mod job;
mod part;
mod state;
mod transfer;

pub use error::DownloadError;
pub use job::Source;
use job::{Job, clean, job};
use part::{Note, Part, Place};
pub use state::{DownloadProblem, DownloadState, DownloadStep};
use state::{Meter, paused};
use transfer::{Stopped, Transfer};

/// How often in a row a download is tried without a byte coming.
const TRIES: u32 = 5;
/// How often it is tried in all.
const ALL_TRIES: u32 = 100;
/// The rest after the first try that broke; each further one doubles it.
const FIRST_REST: Duration = Duration::from_secs(1);
/// How many news a slow listener may lag behind before it misses some.
const NEWS: usize = 256;
/// How much room the disk of a folder has, in bytes; none where nobody knows.
type Space = dyn Fn(&Path) -> Option<u64> + Send + Sync;

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
    /// The whole addresses of this run, by file. They are never written down.
    addresses: Mutex<BTreeMap<String, Url>>,
    told: broadcast::Sender<DownloadState>,
}

/// A download that runs or ran.
struct Active {
    state: DownloadState,
    cancel: CancellationToken,
    ended: watch::Receiver<bool>,
}

impl Downloads {
    /// Downloads into a home's own folder of models.
    pub fn new(home: Home, http: Http, clock: Arc<dyn Clock>) -> Self {
        Self::with_space(home, http, clock, Arc::new(free_space))
    }

    fn with_space(home: Home, http: Http, clock: Arc<dyn Clock>, space: Arc<Space>) -> Self {
        let (active, addresses, told) = (Mutex::default(), Mutex::default(), broadcast::Sender::new(NEWS));
        Self { inner: Arc::new(Inner { home, http, clock, space, active, addresses, told }) }
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
        let (folder, file, note) = (self.inner.folder(), job.file.clone(), job.note.clone());
        let prepared = tokio::task::spawn_blocking(move || prepare(&folder, &file, note)).await;
        let note = prepared.map_err(|_| DownloadError::Folder(std::io::ErrorKind::Other))??;
        let job = Job { note, ..job };
        let file = job.file.clone();
        self.run(job)?;
        Ok(file)
    }

    /// Goes on with what an earlier download left.
    ///
    /// Errors: [`DownloadError::AddressNeeded`] where only the person knows the whole address.
    pub async fn resume(&self, file: &str) -> Result<(), DownloadError> {
        let place = self.place(file)?;
        let note = place.note().ok_or(DownloadError::NoDownload)?;
        let known = lock(&self.inner.addresses).get(file).map(Url::to_string);
        let source = match (note.catalogue, known) {
            (Some(id), _) => Source::Catalogue(id),
            (None, Some(address)) => Source::Address(address),
            (None, None) if note.is_cut => return Err(DownloadError::AddressNeeded),
            (None, None) => Source::Address(note.url),
        };
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
        lock(&self.inner.addresses).remove(file);
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
        lock(&self.inner.addresses).insert(job.file.clone(), job.address.clone());
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
        let mut part = Part::open(place.part.clone(), cancel.clone()).await?;
        let mut transfer = Transfer {
            http: &self.http,
            clock: self.clock.as_ref(),
            space: self.space.as_ref(),
            folder: &folder,
            place: &place,
            cancel,
            expected: job.model.map(|model| model.bytes),
            address: job.address.clone(),
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
        if cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        place.finish(&folder.join(&job.file))?;
        lock(&self.addresses).remove(&job.file);
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

/// Makes the folder, and keeps the part of an earlier download only where it came from the same address. The note, which is
/// there from now on: a download that is stopped before the server answers can go on too.
fn prepare(folder: &Path, file: &str, new: Note) -> Result<Note, DownloadError> {
    std::fs::create_dir_all(folder)?;
    let place = Place::of(folder, file);
    if let Some(kept) = place.note().filter(|kept| kept.url == new.url) {
        let note = Note { is_cut: new.is_cut, ..kept.clone() };
        if note != kept {
            place.save(&note)?;
        }
        return Ok(note);
    }
    if place.bytes() > 0 {
        place.remove()?;
    }
    place.save(&new)?;
    Ok(new)
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
#[cfg(target_os = "linux")]
mod tests;
