//! A clock that is turned by hand.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use atlas_core::clock::Clock;
use chrono::{DateTime, FixedOffset, Utc};

/// A clock that stands still until it is turned. Sleeping takes no time; how long it would have been is kept.
#[derive(Debug)]
pub struct TestClock {
    now: Mutex<DateTime<FixedOffset>>,
    slept: Mutex<Vec<Duration>>,
}

impl TestClock {
    /// A clock that shows a moment, in the time zone that it is written in: `2026-03-02T09:00:00+09:00`.
    ///
    /// # Panics
    /// Where the text is no such moment.
    pub fn at(moment: &str) -> Self {
        let now = DateTime::parse_from_rfc3339(moment).unwrap_or_else(|error| panic!("{moment}: {error}"));
        Self { now: Mutex::new(now), slept: Mutex::new(Vec::new()) }
    }

    /// Turns it to a moment, in the time zone that it is written in.
    ///
    /// # Panics
    /// Where the text is no such moment.
    pub fn set(&self, moment: &str) {
        let moment = DateTime::parse_from_rfc3339(moment).unwrap_or_else(|error| panic!("{moment}: {error}"));
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = moment;
    }

    /// Turns it forward.
    pub fn advance(&self, by: Duration) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }

    /// How long each sleep would have been, in order.
    pub fn slept(&self) -> Vec<Duration> {
        self.slept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn shown(&self) -> DateTime<FixedOffset> {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Clock for TestClock {
    fn now(&self) -> DateTime<Utc> {
        self.shown().with_timezone(&Utc)
    }

    fn local_now(&self) -> DateTime<FixedOffset> {
        self.shown()
    }

    async fn sleep(&self, duration: Duration) {
        self.slept.lock().unwrap_or_else(PoisonError::into_inner).push(duration);
        // What loops over a sleep gives way all the same.
        tokio::task::yield_now().await;
    }
}
