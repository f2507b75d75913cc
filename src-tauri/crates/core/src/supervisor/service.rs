//! A child process that is started at need, kept healthy, started again when it crashes, and ended.
//!
//! This is the handle on it. One task (see [`super::keeper`]) owns the process and takes requests one after another: so
//! two requests at once start one process, and a stop during a start is heard. When the last [`Service`] is dropped, the
//! task ends, and the process with it.

use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use ts_rs::TS;

use super::keeper::Keeper;
use super::process::Output;
use crate::clock::{Clock, SystemClock};
use crate::providers::error::{Diagnosis, EngineError};
use crate::providers::secret::Secret;
use crate::store::Operational;

/// How many requests may wait; more wait to be taken.
const QUEUE: usize = 16;
/// How many notices a slow listener may lag behind before it misses some.
const NOTICES: usize = 16;
/// How long a connection that broke may be ahead of the news that its process ended.
const NEWS: Duration = Duration::from_secs(2);

/// The built-in engine's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "type")]
#[ts(export)]
pub enum EngineState {
    /// It does not run.
    Stopped,
    /// It loads its model.
    Starting,
    /// It answers.
    Ready,
    /// It crashed, and rests before its next start.
    Resting {
        /// When it is started again.
        until: DateTime<Utc>,
    },
    /// It crashes again and again, and is left alone for a while.
    Flapping {
        /// When it is started again.
        until: DateTime<Utc>,
    },
    /// It was ended because nobody used it; the next request starts it.
    Unloaded,
}

/// That a service flaps: told once for each episode, which lasts until it is healthy again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Which service.
    pub service: &'static str,
    /// When it was noticed.
    pub at: DateTime<Utc>,
    /// When it is started again.
    pub until: DateTime<Utc>,
    /// What its last lines tell.
    pub diagnosis: Option<Diagnosis>,
    /// Its last lines, at most 20, without secrets.
    pub log: Vec<String>,
}

/// What a service runs.
#[async_trait]
pub trait Program: Send + Sync + 'static {
    /// What it shall be running for; a process that runs for something else is replaced.
    type Purpose: Clone + PartialEq + Send + Sync + 'static;
    /// How to reach a running process.
    type Address: Clone + PartialEq + Send + Sync + 'static;

    /// The name that its state is kept under, and that people read.
    fn name(&self) -> &'static str;

    /// What the crashes of one purpose are remembered under. It is written down, so it tells nothing of the person.
    fn key(&self, purpose: &Self::Purpose) -> String;

    /// What to start.
    fn launch(&self, purpose: &Self::Purpose) -> Result<Launch<Self::Address>, EngineError>;

    /// Whether a process answers as it should.
    async fn is_healthy(&self, address: &Self::Address) -> bool;

    /// Whether the address was taken by somebody else, so that a start with another one may work.
    fn is_taken(&self, address: &Self::Address) -> bool;

    /// How long a start may take.
    fn patience(&self) -> Duration;

    /// How long it is kept without a request; none keeps it.
    fn unload_after(&self) -> Option<Duration>;
}

/// A process to be.
pub struct Launch<A> {
    /// What to start.
    pub command: Command,
    /// How to reach it.
    pub address: A,
    /// What must not stand in its log.
    pub secret: Secret,
}

/// What a service stands on.
#[derive(Clone)]
pub struct Ground {
    /// The time, and all waiting.
    pub clock: Arc<dyn Clock>,
    /// Where its state survives a restart of Atlas.
    pub operational: Operational,
}

impl Default for Ground {
    /// The computer's own clock, and a state that is gone with the process.
    fn default() -> Self {
        Self { clock: Arc::new(SystemClock), operational: Operational::in_memory() }
    }
}

/// A handle on a long-lived child process. Clones share the process.
pub struct Service<P: Program> {
    shared: Arc<Shared<P>>,
    /// The task's ear; none before the first request, closed when its runtime is gone.
    requests: Arc<Mutex<Option<mpsc::Sender<Request<P>>>>>,
}

/// What the handles and the task share.
pub(super) struct Shared<P: Program> {
    pub(super) program: P,
    pub(super) ground: Ground,
    pub(super) state: watch::Sender<EngineState>,
    pub(super) notices: broadcast::Sender<Notice>,
    /// The latest end that nobody asked for, with the address that is gone.
    pub(super) crash: watch::Sender<Option<(P::Address, EngineError)>>,
    /// What the latest process printed.
    pub(super) output: Mutex<Option<Output>>,
    /// What is wrong, as the latest crash tells; nothing once it is healthy again.
    pub(super) diagnosis: Mutex<Option<Diagnosis>>,
    pub(super) usage: Arc<Usage>,
}

pub(super) enum Request<P: Program> {
    /// Reads what an earlier run left.
    Recall { done: oneshot::Sender<()> },
    /// Runs for a purpose.
    Start { purpose: P::Purpose, reply: Reply<P> },
    /// Begins afresh, whatever happened.
    Restart { reply: oneshot::Sender<Result<(), EngineError>> },
    /// Ends it.
    Stop { done: oneshot::Sender<()> },
    /// Ends it, and forgets what happened.
    Forget { done: oneshot::Sender<()> },
}

pub(super) type Reply<P> = oneshot::Sender<Result<<P as Program>::Address, EngineError>>;

impl<P: Program> Clone for Service<P> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone(), requests: self.requests.clone() }
    }
}

impl<P: Program> Service<P> {
    /// A service that does not run yet.
    pub fn new(program: P, ground: Ground) -> Self {
        let usage = Arc::new(Usage::new(ground.clock.clone()));
        let shared = Shared {
            program,
            ground,
            state: watch::Sender::new(EngineState::Stopped),
            notices: broadcast::Sender::new(NOTICES),
            crash: watch::Sender::new(None),
            output: Mutex::default(),
            diagnosis: Mutex::default(),
            usage,
        };
        Self { shared: Arc::new(shared), requests: Arc::default() }
    }

    /// What it runs.
    pub fn program(&self) -> &P {
        &self.shared.program
    }

    /// Its state, now and later.
    pub fn state(&self) -> watch::Receiver<EngineState> {
        self.shared.state.subscribe()
    }

    /// From now on, that it flaps: once for each episode, also where Atlas is started again in between.
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        self.shared.notices.subscribe()
    }

    /// The last lines of the process that runs or ran last, at most 20, without secrets.
    pub fn log(&self) -> Vec<String> {
        lock(&self.shared.output).as_ref().map(Output::lines).unwrap_or_default()
    }

    /// What is wrong with it, where it crashed, was not healthy since, and its last lines or its end tell.
    pub fn diagnosis(&self) -> Option<Diagnosis> {
        *lock(&self.shared.diagnosis)
    }

    /// Reads what an earlier run left: the state is right when this returns. Any request does it too.
    pub async fn recall(&self) {
        let (done, recalled) = oneshot::channel();
        let _ = self.task().send(Request::Recall { done }).await;
        let _ = recalled.await;
    }

    /// Makes sure that it runs for a purpose and is healthy, and says how to reach it.
    ///
    /// After a crash it waits for a short rest; a longer one is refused with [`EngineError::Resting`] or
    /// [`EngineError::Flapping`]. The service is then started by itself afterwards. Dropping the future gives up waiting;
    /// a start that is under way goes on.
    pub async fn start(&self, purpose: P::Purpose) -> Result<P::Address, EngineError> {
        let (reply, answer) = oneshot::channel();
        // The task ends only with this handle or with its runtime; then nothing runs.
        let _ = self.task().send(Request::Start { purpose, reply }).await;
        answer.await.unwrap_or(Err(EngineError::NotReady))
    }

    /// Starts it afresh for what it was asked for last, as a person wants it: at once, whatever happened before. Nothing
    /// is started where nothing was ever asked for.
    pub async fn restart(&self) -> Result<(), EngineError> {
        let (reply, answer) = oneshot::channel();
        let _ = self.task().send(Request::Restart { reply }).await;
        answer.await.unwrap_or(Err(EngineError::NotReady))
    }

    /// Ends it, where it runs; it has ended when this returns. The next start starts it again.
    pub async fn stop(&self) {
        // Not by the state: a start may be on its way to the task.
        let Some(task) = self.running_task() else { return };
        let (done, stopped) = oneshot::channel();
        let _ = task.send(Request::Stop { done }).await;
        let _ = stopped.await;
    }

    /// Ends it, and forgets what it ran, what it printed and how it crashed: nothing of that is saved any more.
    pub async fn forget(&self) {
        // Also where the task does not run: what an earlier run left goes too.
        let (done, forgotten) = oneshot::channel();
        let _ = self.task().send(Request::Forget { done }).await;
        let _ = forgotten.await;
    }

    /// Why the process at an address is gone, where it ended unasked; waits a moment for that to be known. None where
    /// it still runs.
    pub async fn why_gone(&self, address: &P::Address) -> Option<EngineError> {
        let mut crash = self.shared.crash.subscribe();
        let is_it = |crash: &Option<(P::Address, EngineError)>| crash.as_ref().is_some_and(|(at, _)| at == address);
        tokio::select! {
            told = crash.wait_for(is_it) => told.ok()?.as_ref().map(|(_, error)| error.clone()),
            () = self.shared.ground.clock.sleep(NEWS) => None,
        }
    }

    /// Says that it is used, so that it is not ended meanwhile. Held while an answer is read.
    pub fn in_use(&self) -> InUse {
        self.shared.usage.begin();
        InUse(self.shared.usage.clone())
    }

    /// The task that owns the process; begun at the first request, and again where its runtime has ended.
    fn task(&self) -> mpsc::Sender<Request<P>> {
        let mut requests = lock(&self.requests);
        if let Some(task) = requests.as_ref().filter(|task| !task.is_closed()) {
            return task.clone();
        }
        let (task, heard) = mpsc::channel(QUEUE);
        tokio::spawn(Keeper::new(self.shared.clone(), heard).run());
        *requests = Some(task.clone());
        task
    }

    fn running_task(&self) -> Option<mpsc::Sender<Request<P>>> {
        lock(&self.requests).clone().filter(|task| !task.is_closed())
    }
}

/// Who uses a service, and when somebody did last.
pub(super) struct Usage {
    clock: Arc<dyn Clock>,
    now: Mutex<(usize, DateTime<Utc>)>,
}

impl Usage {
    fn new(clock: Arc<dyn Clock>) -> Self {
        let now = Mutex::new((0, clock.now()));
        Self { clock, now }
    }

    fn begin(&self) {
        lock(&self.now).0 += 1;
    }

    fn end(&self) {
        let mut now = lock(&self.now);
        *now = (now.0.saturating_sub(1), self.clock.now());
    }

    /// Somebody asked for it.
    pub(super) fn touch(&self) {
        lock(&self.now).1 = self.clock.now();
    }

    /// How long nobody has used it.
    pub(super) fn idle(&self) -> TimeDelta {
        match *lock(&self.now) {
            (0, last) => self.clock.now() - last,
            _ => TimeDelta::zero(),
        }
    }
}

/// That a service is used, for as long as this is held.
pub struct InUse(Arc<Usage>);

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.end();
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
