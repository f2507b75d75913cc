//! A clock that is turned by hand.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use atlas_core::clock::Clock;
use chrono::{DateTime, FixedOffset, Utc};
use tokio::sync::watch;

/// A clock that stands still until it is turned. Sleeping takes no time, unless the clock is told to [`hold`](Self::hold);
/// how long it would have been is kept.
#[derive(Debug)]
pub struct TestClock {
    now: watch::Sender<DateTime<FixedOffset>>,
    slept: Mutex<Vec<Duration>>,
    holds: AtomicBool,
    sleepers: watch::Sender<usize>,
}

impl TestClock {
    /// A clock that shows a moment, in the time zone that it is written in: `2026-03-02T09:00:00+09:00`.
    ///
    /// # Panics
    /// Where the text is no such moment.
    pub fn at(moment: &str) -> Self {
        Self {
            now: watch::Sender::new(parse(moment)),
            slept: Mutex::default(),
            holds: AtomicBool::new(false),
            sleepers: watch::Sender::new(0),
        }
    }

    /// Turns it to a moment, in the time zone that it is written in.
    ///
    /// # Panics
    /// Where the text is no such moment.
    pub fn set(&self, moment: &str) {
        self.now.send_replace(parse(moment));
    }

    /// Turns it forward.
    pub fn advance(&self, by: Duration) {
        self.now.send_modify(|now| *now += by);
    }

    /// From now on who sleeps, sleeps until the clock was turned so far.
    pub fn hold(&self) {
        self.holds.store(true, Ordering::Release);
    }

    /// Waits until so many sleep.
    pub async fn wait_for_sleepers(&self, count: usize) {
        let mut sleepers = self.sleepers.subscribe();
        sleepers.wait_for(|sleeping| *sleeping >= count).await.expect("the clock lives as long as its test");
    }

    /// How long each sleep would have been, in order.
    pub fn slept(&self) -> Vec<Duration> {
        self.slept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn shown(&self) -> DateTime<FixedOffset> {
        *self.now.borrow()
    }
}

fn parse(moment: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(moment).unwrap_or_else(|error| panic!("{moment}: {error}"))
}

/// One more sleeps, until it is dropped.
struct Sleeper<'a>(&'a watch::Sender<usize>);

impl<'a> Sleeper<'a> {
    fn of(sleepers: &'a watch::Sender<usize>) -> Self {
        sleepers.send_modify(|count| *count += 1);
        Self(sleepers)
    }
}

impl Drop for Sleeper<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
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
        let until = self.shown() + duration;
        self.slept.lock().unwrap_or_else(PoisonError::into_inner).push(duration);
        if self.holds.load(Ordering::Acquire) {
            let mut now = self.now.subscribe();
            let _sleeper = Sleeper::of(&self.sleepers);
            now.wait_for(|now| *now >= until).await.expect("the clock lives as long as whoever sleeps by it");
        }
        // What loops over a sleep gives way all the same.
        tokio::task::yield_now().await;
    }
}
