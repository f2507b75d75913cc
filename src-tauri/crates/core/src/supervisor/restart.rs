//! When a service that crashed is started again: the policy, as a state machine that is told what happened and decides.
//! It knows no process and no clock of its own.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::providers::error::Diagnosis;

/// The rest after the first crash; each further crash doubles it.
const FIRST_REST: TimeDelta = TimeDelta::seconds(1);
/// The longest rest.
const LONGEST_REST: TimeDelta = TimeDelta::hours(1);
/// How long a service has to be healthy for its crashes to be over.
const HEALTHY: TimeDelta = TimeDelta::minutes(2);
/// So many crashes …
const FLAPPING: usize = 5;
/// … within this time are flapping.
const FLAPPING_WITHIN: TimeDelta = TimeDelta::minutes(5);
/// How long a service that flaps is left alone.
const PAUSE: TimeDelta = TimeDelta::minutes(10);

/// What one service did, as far as it matters for its next start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Restarts {
    /// The latest crashes, at most as many as make flapping.
    crashes: Vec<DateTime<Utc>>,
    /// How many crashes the next rest is counted from: it doubles with each.
    step: u32,
    /// Not before this.
    until: Option<DateTime<Utc>>,
    /// Whether it is left alone because it flapped, until then.
    paused: bool,
    /// Whether this episode of flapping was told.
    told: bool,
    /// What the latest crash tells. Nothing is decided by it: it is for people, after a restart of Atlas too.
    pub diagnosis: Option<Diagnosis>,
    /// Since when it is healthy.
    #[serde(skip)]
    healthy_since: Option<DateTime<Utc>>,
}

/// Whether a service may be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// At once.
    Now,
    /// After a rest.
    Rest {
        /// Its end.
        until: DateTime<Utc>,
    },
    /// It flaps: after a longer pause.
    Pause {
        /// Its end.
        until: DateTime<Utc>,
    },
}

impl Restarts {
    /// Whether it may be started now.
    pub fn verdict(&self, now: DateTime<Utc>) -> Verdict {
        match self.until {
            // What is further away than any rest comes from a clock that was set back.
            Some(until) if now < until && until - now <= LONGEST_REST => {
                if self.paused {
                    Verdict::Pause { until }
                } else {
                    Verdict::Rest { until }
                }
            }
            _ => Verdict::Now,
        }
    }

    /// It is healthy, after a start.
    pub fn became_healthy(&mut self, now: DateTime<Utc>) {
        self.healthy_since = Some(now);
    }

    /// It was ended because somebody asked for it: that is no crash, and what comes next is another start.
    pub fn was_ended(&mut self) {
        self.healthy_since = None;
    }

    /// It is still healthy. Says whether that ended its crashes, so that the state is another one.
    pub fn stays_healthy(&mut self, now: DateTime<Utc>) -> bool {
        let Some(since) = self.healthy_since else { return false };
        let is_over = now - since >= HEALTHY && !self.is_at_ease();
        if is_over {
            *self = Self { healthy_since: Some(since), ..Self::default() };
        }
        is_over
    }

    /// It crashed, or did not get healthy: when is it started again?
    pub fn crashed(&mut self, now: DateTime<Utc>) -> Verdict {
        self.stays_healthy(now);
        self.healthy_since = None;
        self.crashes.retain(|at| *at <= now && now - *at < FLAPPING_WITHIN);
        self.crashes.push(now);
        let rest = FIRST_REST
            .checked_mul(1_i32.checked_shl(self.step).unwrap_or(i32::MAX))
            .map_or(LONGEST_REST, |rest| rest.min(LONGEST_REST));
        // Further doubling would change nothing, and must not overflow.
        self.step = (self.step + 1).min(16);
        self.paused = self.crashes.len() >= FLAPPING;
        if self.paused {
            self.crashes.clear();
        }
        self.until = Some(now + if self.paused { PAUSE } else { rest });
        self.verdict(now)
    }

    /// Whether it flaps and that was not told yet; from now on it was. An episode lasts until it is healthy again.
    pub fn is_to_be_told(&mut self) -> bool {
        self.paused && !std::mem::replace(&mut self.told, true)
    }

    /// Nothing that happened matters any more.
    pub fn is_at_ease(&self) -> bool {
        self.crashes.is_empty() && self.step == 0 && self.until.is_none()
    }

    /// Whether it is healthy, as far as is known.
    pub fn is_healthy_now(&self) -> bool {
        self.healthy_since.is_some()
    }

    /// Whether what happened is so long ago that it tells nothing of the next start.
    pub fn is_outdated(&self, now: DateTime<Utc>) -> bool {
        self.until.is_none_or(|until| now - until > TimeDelta::days(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    /// When a service is started that crashes at each start, in seconds.
    fn starts(crashes: usize) -> Vec<i64> {
        let (mut restarts, mut now) = (Restarts::default(), at(0));
        (0..crashes)
            .map(|_| {
                let start = (now - at(0)).num_seconds();
                let (Verdict::Rest { until } | Verdict::Pause { until }) = restarts.crashed(now) else {
                    panic!("a crash is followed by a rest")
                };
                now = until;
                start
            })
            .collect()
    }

    #[test]
    fn rests_double_from_a_second_to_an_hour_with_one_pause_after_five_crashes() {
        let expected = [0, 1, 3, 7, 15, 615, 647, 711, 839, 1095, 1607, 2631, 4679, 8279, 11_879];
        assert_eq!(starts(15), expected);
        assert_eq!(starts(30).iter().filter(|start| **start < 3600).count(), 12);
    }

    #[test]
    fn five_crashes_within_five_minutes_are_flapping_and_four_are_not() {
        let mut restarts = Restarts::default();
        for second in [0, 100, 200, 299] {
            assert!(matches!(restarts.crashed(at(second)), Verdict::Rest { .. }));
            assert!(!restarts.is_to_be_told());
        }
        assert!(matches!(restarts.clone().crashed(at(301)), Verdict::Rest { .. }), "the first is too long ago");
        assert_eq!(restarts.crashed(at(299)), Verdict::Pause { until: at(899) });
    }

    #[test]
    fn an_episode_of_flapping_is_told_once() {
        let mut restarts = Restarts::default();
        let mut told = 0;
        for second in 0..10 {
            restarts.crashed(at(second));
            told += usize::from(restarts.is_to_be_told());
        }
        assert_eq!(told, 1);
        restarts.became_healthy(at(1000));
        assert!(restarts.stays_healthy(at(1120)));
        for second in 2000..2005 {
            restarts.crashed(at(second));
            told += usize::from(restarts.is_to_be_told());
        }
        assert_eq!(told, 2);
    }

    #[test]
    fn two_healthy_minutes_end_the_doubling_and_a_second_less_does_not() {
        let mut restarts = Restarts::default();
        restarts.crashed(at(0));
        restarts.crashed(at(1));
        restarts.became_healthy(at(3));
        let mut reset = restarts.clone();
        assert!(!restarts.stays_healthy(at(122)));
        assert_eq!(restarts.crashed(at(122)), Verdict::Rest { until: at(126) });
        assert_eq!(reset.crashed(at(123)), Verdict::Rest { until: at(124) });
    }

    #[test]
    fn a_rest_beyond_an_hour_comes_from_a_clock_that_was_set_back_and_does_not_hold() {
        let mut restarts = Restarts::default();
        restarts.crashed(at(100_000));
        assert_eq!(restarts.verdict(at(100_000)), Verdict::Rest { until: at(100_001) });
        assert_eq!(restarts.verdict(at(0)), Verdict::Now);
    }

    #[test]
    fn what_is_saved_is_what_was() {
        let mut restarts = Restarts::default();
        for second in 0..5 {
            restarts.crashed(at(second));
        }
        restarts.is_to_be_told();
        let json = serde_json::to_string(&restarts).unwrap();
        assert_eq!(serde_json::from_str::<Restarts>(&json).unwrap(), restarts);
    }
}
