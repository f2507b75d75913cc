//! The breakers as all turns share them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use super::FailureKind;
use super::breaker::{BreakerBoard, Caller, MayAsk, ProviderHealth};

/// The breakers of all providers. Clones are the same ones.
#[derive(Clone, Default)]
pub struct Breakers {
    board: Arc<Mutex<BreakerBoard>>,
    /// Whose state is not kept yet.
    changed: Arc<Mutex<BTreeSet<String>>>,
}

impl Breakers {
    /// The breakers as they were kept: each provider's name and its state.
    pub fn from_rows(rows: Vec<(String, String)>) -> Self {
        Self { board: Arc::new(Mutex::new(BreakerBoard::from_rows(rows))), changed: Arc::default() }
    }

    /// What is to be kept and was not yet. That a provider that is well answered once more is nothing new.
    pub fn changed_rows(&self) -> Vec<(String, String)> {
        let (board, mut changed) = (self.board(), self.changed());
        let changed = std::mem::take(&mut *changed);
        board.to_rows().into_iter().filter(|(provider, _)| changed.contains(provider)).collect()
    }

    /// Until when a provider is left alone. Where nobody else can be asked, it is asked at any time.
    pub fn not_before(&self, provider: &str, has_other: bool, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let caller = if has_other { Caller::Routine } else { Caller::PersonWithoutOther };
        match self.board().of(provider).may_ask(caller, now) {
            MayAsk::NotBefore(until) => Some(until),
            MayAsk::Yes | MayAsk::Trial => None,
        }
    }

    /// Whether a provider is left alone at the moment.
    pub fn is_open(&self, provider: &str, now: DateTime<Utc>) -> bool {
        self.board().of(provider).is_open(now)
    }

    /// A provider answered.
    pub fn answered(&self, provider: &str, now: DateTime<Utc>) {
        let was_well = self.board().of(provider).is_well();
        self.board().of(provider).worked(now);
        if !was_well {
            self.changed().insert(provider.to_owned());
        }
    }

    /// A provider failed.
    pub fn failed(&self, provider: &str, kind: &FailureKind, now: DateTime<Utc>) {
        self.board().of(provider).failed(kind, now);
        self.changed().insert(provider.to_owned());
    }

    /// A question to a provider was stopped.
    pub fn given_up(&self, provider: &str, now: DateTime<Utc>) {
        self.board().of(provider).given_up(now);
    }

    /// The network is back: who could not be reached is asked again at once.
    pub fn network_is_back(&self) {
        self.board().network_is_back();
    }

    /// Forgets all of them.
    pub fn clear(&self) {
        *self.board() = BreakerBoard::default();
        self.changed().clear();
    }

    /// How every provider did, by name.
    pub fn providers(&self, now: DateTime<Utc>) -> Vec<ProviderHealth> {
        self.board().providers(now)
    }

    fn changed(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// No code panics while it holds this lock, so a poisoned one is good.
    fn board(&self) -> MutexGuard<'_, BreakerBoard> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
