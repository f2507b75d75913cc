//! When the work beside the turns may go on, and how it is broken off.
//!
//! Invariant: who wipes or forgets breaks off all work first and waits for its end. What was begun before writes nothing
//! afterwards: neither what it read still, nor what a model answers to it.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};
use tokio_util::sync::CancellationToken;

/// The switchboard between turns and the work after them.
pub(super) struct Mind {
    pub(super) work: Arc<Notify>,
    pub(super) interrupted: Arc<Notify>,
    /// A model was chosen that is still to be tried.
    pub(super) owes_trial: AtomicBool,
    stopped: CancellationToken,
    /// Cancelled when the work that is taken up now is broken off.
    broken_off: Mutex<CancellationToken>,
    /// Held together by all pieces of work, and alone by whoever broke them off.
    working: Arc<RwLock<()>>,
}

/// A piece of work that was taken up.
#[derive(Clone)]
pub(super) struct Task {
    broken_off: CancellationToken,
    working: Arc<RwLock<()>>,
}

/// That a piece of work is done: who broke it off waits until this is dropped.
pub(super) type Working = OwnedRwLockReadGuard<()>;
/// That no work is done, for as long as this is held.
pub(super) type Stillness = OwnedRwLockWriteGuard<()>;

impl Default for Mind {
    fn default() -> Self {
        let stopped = CancellationToken::new();
        let broken_off = Mutex::new(stopped.child_token());
        Self {
            work: Arc::default(),
            interrupted: Arc::default(),
            owes_trial: AtomicBool::new(false),
            stopped,
            broken_off,
            working: Arc::default(),
        }
    }
}

impl Mind {
    /// There may be work.
    pub(super) fn wake(&self) {
        self.work.notify_one();
    }

    /// The person wants the model now.
    pub(super) fn interrupt(&self) {
        self.interrupted.notify_waiters();
    }

    /// Cancelled when there will be no more work.
    pub(super) fn stopped(&self) -> CancellationToken {
        self.stopped.clone()
    }

    /// No more work.
    pub(super) fn stop(&self) {
        self.stopped.cancel();
    }

    /// Takes up a piece of work, as things stand now.
    pub(super) fn take_up(&self) -> Task {
        let broken_off = self.broken_off.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Task { broken_off, working: self.working.clone() }
    }

    /// Breaks off all work that was taken up. It does not wait for its end.
    pub(super) fn break_off(&self) {
        let next = self.stopped.child_token();
        let before = std::mem::replace(&mut *self.broken_off.lock().unwrap_or_else(PoisonError::into_inner), next);
        before.cancel();
    }

    /// Breaks off all work and waits for its end.
    pub(super) async fn be_still(&self) -> Stillness {
        self.break_off();
        let stillness = self.working.clone().write_owned().await;
        // What was taken up while it was waited for was begun before, too.
        self.break_off();
        stillness
    }
}

impl Task {
    /// Begins with it; `None` where it was broken off meanwhile.
    pub(super) async fn begin(&self) -> Option<Working> {
        let working = self.working.clone().read_owned().await;
        (!self.is_broken_off()).then_some(working)
    }

    pub(super) fn is_broken_off(&self) -> bool {
        self.broken_off.is_cancelled()
    }

    /// What somebody answers; `None` where it is broken off before. Nothing is written inside: that is never cut.
    pub(super) async fn unless_broken_off<T>(&self, answer: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.broken_off.cancelled() => None,
            answer = answer => Some(answer),
        }
    }

    /// Waits until it is broken off.
    pub(super) async fn broken_off(&self) {
        self.broken_off.cancelled().await;
    }
}
