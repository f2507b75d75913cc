//! A clock that stands still until a test turns it. Who sleeps, sleeps until it was turned so far.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, FixedOffset, Utc};
use tokio::sync::watch;

use super::Clock;

pub(crate) struct HandClock(watch::Sender<DateTime<Utc>>);

impl HandClock {
    /// A clock that shows 2026-03-02, nine in the morning.
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new("2026-03-02T09:00:00Z".parse().unwrap()))
    }

    pub(crate) fn turn(&self, by: Duration) {
        self.0.send_modify(|now| *now += by);
    }

    pub(crate) fn set(&self, moment: DateTime<Utc>) {
        self.0.send_replace(moment);
    }

    /// Turns it in steps until something is so; the rest of the world gets a moment between two steps, at most thirty
    /// seconds in all.
    pub(crate) async fn turn_until(&self, what: &str, step: Duration, mut is_so: impl FnMut() -> bool) {
        let turned = async {
            while !is_so() {
                tokio::time::sleep(Duration::from_millis(4)).await;
                self.turn(step);
            }
        };
        tokio::time::timeout(Duration::from_secs(30), turned).await.unwrap_or_else(|_| panic!("never: {what}"));
    }
}

#[async_trait]
impl Clock for HandClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.borrow()
    }

    fn local_now(&self) -> DateTime<FixedOffset> {
        self.now().fixed_offset()
    }

    async fn sleep(&self, duration: Duration) {
        let mut now = self.0.subscribe();
        let until = *now.borrow() + duration;
        now.wait_for(|now| *now >= until).await.expect("the clock lives as long as whoever sleeps by it");
    }
}
