//! Time, as something that is handed in: tests turn it by hand and never sleep.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, FixedOffset, Local, Utc};

/// Where Atlas takes the time from, and how it waits.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> DateTime<Utc>;

    /// The present moment where the person is: what "today" and "tomorrow" mean to them.
    fn local_now(&self) -> DateTime<FixedOffset>;

    /// Waits. Cancel it by dropping the future.
    async fn sleep(&self, duration: Duration);
}

/// The computer's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn local_now(&self) -> DateTime<FixedOffset> {
        Local::now().fixed_offset()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[cfg(test)]
pub(crate) mod hand;
