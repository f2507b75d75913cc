//! How far a remedy can be relied on, from what came of it before.
//!
//! Whether a remedy works is taken as a Bernoulli trial whose chance has a Beta distribution (the conjugate prior, so that
//! counting is all the learning there is): with `s` successes and `f` failures on a prior of mean `m` that weighs `w`
//! tries, the posterior mean is
//!
//! ```text
//! (w·m + s) / (w + s + f)
//! ```
//!
//! The world changes, so `s` and `f` are discounted counts ([`Tally`]): they halve with age, and the newest tries push out the
//! oldest. The mean `m` comes from the place in the built-in order, and is shrunk a little towards what the same remedy
//! did for the same failure elsewhere: a new model need not learn from nothing.

use chrono::{DateTime, Utc};

use super::super::remedy::Remedy;
use super::signature::Signature;
use crate::memory::procedure::Tally;

/// How many tries the prior weighs.
const PRIOR_WEIGHT: f64 = 2.0;
/// What is expected of the first remedy of the built-in order, how much less of each later one, and of the last.
const FIRST_MEAN: f64 = 0.6;
const MEAN_STEP: f64 = 0.05;
const LAST_MEAN: f64 = 0.4;
/// What a try elsewhere counts beside one here, and how many of those count at most.
const ELSEWHERE: f64 = 0.25;
const MOST_ELSEWHERE: f64 = 2.0;

/// What is known of one remedy for one signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// For what.
    pub signature: Signature,
    /// Which remedy.
    pub remedy: Remedy,
    /// What came of it.
    pub tally: Tally,
    /// Whether it is not tried any more.
    pub is_retired: bool,
}

/// What the records say about a remedy for a signature, as of a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Evidence {
    /// Successes and failures here.
    pub here: (f64, f64),
    /// The same elsewhere, as far as it counts.
    pub elsewhere: (f64, f64),
}

impl Evidence {
    pub(super) fn of(records: &[Record], signature: &Signature, remedy: Remedy, now: DateTime<Utc>) -> Self {
        let (mut here, mut elsewhere) = ((0.0, 0.0), (0.0, 0.0));
        for record in records.iter().filter(|record| record.remedy == remedy && record.signature.code == signature.code)
        {
            let tally = record.tally.faded(now);
            let sum = if record.signature == *signature { &mut here } else { &mut elsewhere };
            *sum = (sum.0 + tally.successes, sum.1 + tally.failures);
        }
        let weight = ELSEWHERE * (elsewhere.0 + elsewhere.1);
        let share = if weight > MOST_ELSEWHERE { ELSEWHERE * MOST_ELSEWHERE / weight } else { ELSEWHERE };
        Self { here, elsewhere: (elsewhere.0 * share, elsewhere.1 * share) }
    }

    /// How many tries it amounts to.
    pub(super) fn weight(&self) -> f64 {
        self.here.0 + self.here.1 + self.elsewhere.0 + self.elsewhere.1
    }

    /// The posterior mean, 0 to 1, for the remedy at this place of the built-in order.
    pub(super) fn reliability(&self, place: usize) -> f64 {
        let mean = (FIRST_MEAN - MEAN_STEP * place as f64).max(LAST_MEAN);
        let successes = PRIOR_WEIGHT * mean + self.here.0 + self.elsewhere.0;
        successes / (PRIOR_WEIGHT + self.weight())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::healing::Phase;

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_772_409_600, 0).unwrap()
    }

    fn record(provider: &str, remedy: Remedy, successes: f64, failures: f64) -> Record {
        Record {
            signature: signature(provider),
            remedy,
            tally: Tally { successes, failures, as_of: now() },
            is_retired: false,
        }
    }

    fn signature(provider: &str) -> Signature {
        Signature { code: "server".into(), provider: provider.into(), model: "m".into(), phase: Phase::Asking }
    }

    #[test]
    fn what_was_never_tried_is_as_reliable_as_its_place_says() {
        let nothing = Evidence::of(&[], &signature("A"), Remedy::Wait, now());
        let by_place: Vec<_> = [0, 1, 9].map(|place| (nothing.reliability(place) * 100.0).round()).into();
        assert_eq!(by_place, [60.0, 55.0, 40.0]);
    }

    #[test]
    fn tries_here_count_whole_and_tries_elsewhere_a_little_and_never_much() {
        let records = [
            record("A", Remedy::Wait, 2.0, 1.0),
            record("B", Remedy::Wait, 4.0, 0.0),
            record("C", Remedy::Wait, 0.0, 12.0),
            record("B", Remedy::Retry, 9.0, 0.0),
        ];
        let evidence = Evidence::of(&records, &signature("A"), Remedy::Wait, now());
        assert_eq!(evidence, Evidence { here: (2.0, 1.0), elsewhere: (0.5, 1.5) });
        assert_eq!(evidence.reliability(0), (1.2 + 2.5) / (2.0 + 5.0));
    }
}
