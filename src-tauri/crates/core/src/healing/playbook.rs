//! Which remedy comes next: the built-in order, by the kind of failure. The decision is pure; doing it is the caller's.

use std::time::Duration;

use super::failure::FailureKind;
use super::remedy::{Remedy, Step};
use crate::providers::NetworkKind;

/// What was tried already in this turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// How many calls failed before this one.
    pub retries: u32,
    /// Whether there is older conversation that can be left out.
    pub can_shrink: bool,
}

/// The longest wait that Atlas takes upon itself; past it the person decides.
const LONGEST_WAIT: Duration = Duration::from_secs(90);
/// A local model can take a minute to load; being asked every two seconds does it no harm.
const LOADING_TRIES: u32 = 30;
const LOADING_PAUSE: Duration = Duration::from_secs(2);

/// The remedy for a failure, given what was tried and how many retries the person allows.
///
/// `jitter` (0 to 1) spreads the waits, so that many copies of Atlas do not come back in step.
pub fn next_remedy(kind: &FailureKind, tried: Tried, max_retries: u32, jitter: f64) -> Step {
    if matches!(kind, FailureKind::ContextTooLong { .. }) && tried.can_shrink {
        return Step::now(Remedy::ShrinkContext);
    }
    if tried.retries >= retries_for(kind, max_retries) {
        return Step::now(Remedy::AskPerson);
    }
    let wait = asked_wait(kind).unwrap_or_else(|| backoff(kind, tried.retries, jitter));
    if wait > LONGEST_WAIT { Step::now(Remedy::AskPerson) } else { Step::wait(wait) }
}

/// How often a kind of failure may be tried again. Permanent failures never are.
fn retries_for(kind: &FailureKind, max_retries: u32) -> u32 {
    match kind {
        FailureKind::EngineLoading if max_retries > 0 => LOADING_TRIES,
        // A name does not come to exist in seconds, but a resolver can be late after the computer woke up.
        FailureKind::Network { kind: NetworkKind::Dns } => max_retries.min(1),
        // An answer that arrives whole and is no good is likely to be so again.
        FailureKind::EmptyAnswer | FailureKind::MalformedAnswer => max_retries.min(1),
        kind if kind.is_retryable() => max_retries,
        _ => 0,
    }
}

/// How long the provider asks us to wait.
fn asked_wait(kind: &FailureKind) -> Option<Duration> {
    match kind {
        FailureKind::RateLimit { retry_after } | FailureKind::Server { retry_after, .. } => *retry_after,
        _ => None,
    }
}

/// 1 s, 2 s, 4 s, … up to 30 s, each up to a quarter longer.
fn backoff(kind: &FailureKind, retries: u32, jitter: f64) -> Duration {
    if matches!(kind, FailureKind::EngineLoading) {
        return LOADING_PAUSE;
    }
    let base = Duration::from_secs(1 << retries.min(5)).min(Duration::from_secs(30));
    base.mul_f64(1.0 + 0.25 * jitter.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::TimeoutPhase;

    fn fresh() -> Tried {
        Tried { retries: 0, can_shrink: false }
    }

    fn seconds(seconds: u64) -> Step {
        Step::wait(Duration::from_secs(seconds))
    }

    #[test]
    fn a_permanent_failure_goes_straight_to_the_person() {
        for kind in [
            FailureKind::Credentials,
            FailureKind::Credit,
            FailureKind::UnknownModel,
            FailureKind::ContentRefused,
            FailureKind::NoKey,
            FailureKind::ContextTooLong { limit_tokens: None },
        ] {
            assert_eq!(next_remedy(&kind, fresh(), 3, 0.0), Step::now(Remedy::AskPerson), "{kind:?}");
        }
    }

    #[test]
    fn the_providers_own_wait_is_kept_to_the_second() {
        let kind = FailureKind::RateLimit { retry_after: Some(Duration::from_secs(7)) };
        assert_eq!(next_remedy(&kind, fresh(), 3, 1.0), seconds(7));
    }

    #[test]
    fn a_wait_of_many_minutes_is_for_the_person_to_decide() {
        let kind = FailureKind::RateLimit { retry_after: Some(Duration::from_secs(600)) };
        assert_eq!(next_remedy(&kind, fresh(), 3, 0.0), Step::now(Remedy::AskPerson));
    }

    #[test]
    fn waits_double_and_end_with_the_retries_that_the_person_allows() {
        let kind = FailureKind::Server { status: 503, retry_after: None };
        let steps: Vec<_> = (0..4).map(|retries| next_remedy(&kind, Tried { retries, ..fresh() }, 3, 0.0)).collect();
        assert_eq!(steps, [seconds(1), seconds(2), seconds(4), Step::now(Remedy::AskPerson)]);
    }

    #[test]
    fn an_empty_answer_is_asked_for_once_more() {
        let tried = |retries| Tried { retries, ..fresh() };
        assert_eq!(next_remedy(&FailureKind::EmptyAnswer, tried(0), 3, 0.0), seconds(1));
        assert_eq!(next_remedy(&FailureKind::EmptyAnswer, tried(1), 3, 0.0), Step::now(Remedy::AskPerson));
    }

    #[test]
    fn a_loading_model_is_waited_for_longer_than_other_faults() {
        let step = next_remedy(&FailureKind::EngineLoading, Tried { retries: 20, ..fresh() }, 3, 1.0);
        assert_eq!(step, seconds(2));
    }

    #[test]
    fn a_conversation_that_is_too_long_is_shortened_while_there_is_something_to_leave_out() {
        let kind = FailureKind::ContextTooLong { limit_tokens: Some(4096) };
        assert_eq!(
            next_remedy(&kind, Tried { retries: 9, can_shrink: true }, 0, 0.0),
            Step::now(Remedy::ShrinkContext)
        );
    }

    #[test]
    fn nobody_who_allows_no_retries_gets_one() {
        let kind = FailureKind::Timeout { phase: TimeoutPhase::Connect };
        assert_eq!(next_remedy(&kind, fresh(), 0, 0.0), Step::now(Remedy::AskPerson));
        assert_eq!(next_remedy(&FailureKind::EngineLoading, fresh(), 0, 0.0), Step::now(Remedy::AskPerson));
    }
}
