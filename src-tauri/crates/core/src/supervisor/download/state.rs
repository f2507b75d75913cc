//! How far a download is, as a shell hears it.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::error::DownloadError;
use super::part::Place;
use crate::supervisor::catalogue;

/// How often progress is told at most.
const TOLD_EVERY: TimeDelta = TimeDelta::milliseconds(250);
/// Over how long the speed is measured.
const MEASURED: TimeDelta = TimeDelta::seconds(5);

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

/// What an earlier download left.
pub(super) fn paused(folder: &Path, file: String) -> DownloadState {
    let place = Place::of(folder, &file);
    let note = place.note().unwrap_or_default();
    let model = note.catalogue.as_deref().and_then(catalogue::find);
    DownloadState {
        name: model.map_or(file.trim_end_matches(".gguf"), |model| model.name).to_owned(),
        bytes: place.bytes(),
        total: model.map(|model| model.bytes).or(note.total),
        bytes_per_second: None,
        step: DownloadStep::Paused,
        problem: note.is_cut.then(|| (&DownloadError::AddressNeeded).into()),
        file,
    }
}

/// Measures the speed, over the last seconds.
pub(super) struct Meter {
    from: (DateTime<Utc>, u64),
    told_at: DateTime<Utc>,
}

impl Meter {
    pub(super) fn new(now: DateTime<Utc>, bytes: u64) -> Self {
        Self { from: (now, bytes), told_at: now }
    }

    /// The bytes of a second, where it is time to tell.
    pub(super) fn measure(&mut self, now: DateTime<Utc>, bytes: u64) -> Option<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_is_that_of_the_last_seconds() {
        let start: DateTime<Utc> = "2026-03-02T09:00:00Z".parse().unwrap();
        let at = |millis| start + TimeDelta::milliseconds(millis);
        let mut meter = Meter::new(start, 1000);
        assert_eq!(meter.measure(at(100), 2000), None, "too soon");
        assert_eq!(meter.measure(at(500), 2000), Some(2000));
        assert_eq!(meter.measure(at(5000), 6000), Some(1000));
        assert_eq!(meter.measure(at(6000), 6000), Some(0), "what came before does not count any more");
    }
}
