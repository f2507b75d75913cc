//! What happened with each purpose of a service, kept in the operational database.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::restart::{Restarts, Verdict};
use crate::providers::error::Diagnosis;
use crate::store::{Kept, Operational};

/// The crashes of one service.
pub(super) struct History {
    service: &'static str,
    operational: Operational,
    restarts: BTreeMap<String, Restarts>,
}

impl History {
    pub(super) fn new(service: &'static str, operational: Operational) -> Self {
        Self { service, operational, restarts: BTreeMap::new() }
    }

    /// What happened with a purpose.
    pub(super) fn of(&mut self, purpose: String) -> &mut Restarts {
        self.restarts.entry(purpose).or_default()
    }

    /// Whether it may be started for a purpose.
    pub(super) fn verdict(&self, purpose: &str, now: DateTime<Utc>) -> Verdict {
        self.restarts.get(purpose).map_or(Verdict::Now, |restarts| restarts.verdict(now))
    }

    /// The verdict whose rest ends last, for whatever purpose, and what its crash tells.
    pub(super) fn latest(&self, now: DateTime<Utc>) -> Option<(Verdict, Option<Diagnosis>)> {
        let all = self.restarts.values().map(|restarts| (restarts.verdict(now), restarts.diagnosis));
        all.max_by_key(|(verdict, _)| match *verdict {
            Verdict::Now => None,
            Verdict::Rest { until } | Verdict::Pause { until } => Some(until),
        })
    }

    pub(super) fn forget(&mut self, purpose: &str) {
        self.restarts.remove(purpose);
    }

    pub(super) fn forget_all(&mut self) {
        self.restarts.clear();
    }

    /// Forgets all of it, also what is saved.
    pub(super) async fn erase(&mut self) {
        self.restarts.clear();
        let _ = self.operational.delete(Kept::Services, self.service).await;
    }

    /// Takes up what an earlier run left. What cannot be read is forgotten: the worst is a start too early.
    pub(super) async fn recall(&mut self) {
        let rows = self.operational.load(Kept::Services).await.unwrap_or_default();
        let saved = rows.into_iter().find(|(name, _)| name == self.service);
        self.restarts = saved.and_then(|(_, json)| serde_json::from_str(&json).ok()).unwrap_or_default();
    }

    /// Saves it. Where it cannot be saved, the next run of Atlas does not know it; nothing else hangs on it.
    pub(super) async fn save(&mut self, now: DateTime<Utc>) {
        self.restarts.retain(|_, restarts| restarts.is_healthy_now() || !restarts.is_outdated(now));
        let eventful: BTreeMap<_, _> = self.restarts.iter().filter(|(_, restarts)| !restarts.is_at_ease()).collect();
        let json = serde_json::to_string(&eventful).expect("restarts are plain data");
        let _ = self.operational.save(Kept::Services, self.service, &json).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_happened_is_known_to_the_next_run_for_a_day() {
        let (operational, now) = (Operational::in_memory(), "2026-03-02T09:00:00Z".parse().unwrap());
        let mut history = History::new("engine", operational.clone());
        let verdict = history.of("model".into()).crashed(now);
        history.of("model".into()).diagnosis = Some(Diagnosis::Graphics);
        history.save(now).await;
        let mut next = History::new("engine", operational.clone());
        next.recall().await;
        assert_eq!(next.verdict("model", now), verdict);
        assert_eq!(next.verdict("another", now), Verdict::Now);
        assert_eq!(next.latest(now), Some((verdict, Some(Diagnosis::Graphics))));
        next.save(now + chrono::TimeDelta::days(2)).await;
        let saved = operational.load(Kept::Services).await.unwrap();
        assert_eq!(saved, [("engine".to_owned(), "{}".to_owned())]);
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_forgotten() {
        let operational = Operational::in_memory();
        operational.save(Kept::Services, "engine", "nonsense").await.unwrap();
        let mut history = History::new("engine", operational);
        history.recall().await;
        assert_eq!(history.latest(Utc::now()), None);
    }
}
