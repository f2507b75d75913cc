//! The built-in order: which remedies there are for a kind of failure, the first to try first. Pure; what a remedy needs is
//! told in [`AtHand`].
//!
//! The person's own choice of model is asked as often as they allow before another one is. What only the person can change
//! has no remedy here: it goes straight to them.

use std::iter::repeat_n;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::super::failure::{EngineFault, FailureKind, StoreFault};
use super::super::remedy::Remedy;
use crate::providers::{NetworkKind, TimeoutPhase};

/// What could be done at all, at this moment of this turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AtHand {
    /// There is older conversation that can be summed up or left out.
    pub can_shrink: bool,
    /// The person has read a part of the answer.
    pub has_partial: bool,
    /// The person named another model of the same service, and it was not asked yet.
    pub other_model: bool,
    /// The person named another service that can be asked now, and it was not asked yet.
    pub other_provider: bool,
    /// It is the built-in engine that failed.
    pub is_built_in: bool,
    /// The service runs on this computer, and needs no network.
    pub runs_here: bool,
    /// Something relevant is remembered.
    pub remembers: bool,
    /// The message can be kept and sent later: not so in a temporary conversation.
    pub can_queue: bool,
    /// Whether there is a network, where that is known.
    pub online: Option<bool>,
    /// The provider failed so often that it is left alone for a while.
    pub breaker_open: bool,
}

/// The longest wait that Atlas takes upon itself; past it the person decides.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(90);
/// A local model can take a minute to load; being asked every two seconds does it no harm.
const LOADING_TRIES: u32 = 30;
const LOADING_PAUSE: Duration = Duration::from_secs(2);
/// Halving a conversation a dozen times leaves nothing of the longest.
const MOST_SHRINKS: usize = 12;

/// The remedies for a failure in the built-in order; one that may be tried again stands there again. The person is asked
/// when all are through. `tries` is how often the person allows that the same is asked again: with none, nothing is.
pub(super) fn built_in(kind: &FailureKind, at_hand: &AtHand, tries: u32, now: DateTime<Utc>) -> Vec<Remedy> {
    let elsewhere = [Remedy::SwitchModel, Remedy::SwitchProvider];
    let service = [Remedy::SwitchProvider];
    let memory = [Remedy::AnswerFromMemory];
    let wait = |times: u32| repeat_n(Remedy::Wait, times as usize);
    let again = |times: u32| once(Remedy::Retry, times).chain(wait(times.saturating_sub(1)));
    let wanted: Vec<Remedy> = match kind {
        FailureKind::RateLimit { .. } => {
            let (first, rest) = (wait(tries.min(1)), wait(tries.saturating_sub(1)));
            first.chain(elsewhere).chain(rest).chain(memory).collect()
        }
        FailureKind::Server { .. } if at_hand.has_partial => once(Remedy::Resume, tries).chain(elsewhere).collect(),
        FailureKind::Server { .. } => wait(tries).chain(elsewhere).chain(memory).collect(),
        FailureKind::EngineLoading => {
            let polls = if tries == 0 { 0 } else { LOADING_TRIES };
            wait(polls).chain(service).chain(memory).collect()
        }
        FailureKind::Network { kind } => return network(*kind, at_hand, tries),
        FailureKind::Timeout { phase } => match phase {
            _ if at_hand.has_partial => once(Remedy::Resume, tries).chain(elsewhere).collect(),
            // Another model at the same address connects no better.
            TimeoutPhase::Connect => wait(tries).chain(service).chain(memory).collect(),
            TimeoutPhase::FirstToken | TimeoutPhase::Stalled | TimeoutPhase::Whole => {
                wait(tries).chain(elsewhere).chain(memory).collect()
            }
        },
        FailureKind::TruncatedStream if at_hand.has_partial => once(Remedy::Resume, tries).chain(elsewhere).collect(),
        FailureKind::TruncatedStream => again(tries).chain(elsewhere).collect(),
        // An answer that arrives whole and is no good is likely to be so again.
        FailureKind::MalformedAnswer | FailureKind::EmptyAnswer => {
            once(Remedy::Retry, tries).chain(elsewhere).collect()
        }
        FailureKind::ContextTooLong { .. } | FailureKind::PromptCut { .. } if !at_hand.has_partial => {
            vec![Remedy::ShrinkContext; MOST_SHRINKS]
        }
        FailureKind::MemoryOpsInvalid { refused: 0 } => {
            once(Remedy::AskPartAgain, tries).chain([Remedy::Repair]).collect()
        }
        FailureKind::MemoryOpsInvalid { .. } => vec![Remedy::Repair],
        FailureKind::Engine(fault) => match fault {
            EngineFault::Start { .. }
            | EngineFault::Exited { .. }
            | EngineFault::OutOfMemory
            | EngineFault::Unhealthy => once(Remedy::RestartEngine, tries).chain(service).chain(memory).collect(),
            EngineFault::Resting { .. } => wait(tries.min(1)).chain(service).chain(memory).collect(),
            EngineFault::Flapping { .. } => service.into_iter().chain(memory).collect(),
            EngineFault::Missing => Vec::new(),
        },
        FailureKind::Store(fault) => match fault {
            StoreFault::Busy => again(tries).collect(),
            StoreFault::Other => once(Remedy::Retry, tries).collect(),
            StoreFault::Full | StoreFault::ReadOnly | StoreFault::Corrupt => Vec::new(),
        },
        FailureKind::RuleBroken { .. } => once(Remedy::Regenerate, tries).collect(),
        // It is noticed after the answer, and mended before the next one.
        FailureKind::OffRole => vec![Remedy::StartAfresh],
        FailureKind::Rejected { .. } => elsewhere.into_iter().collect(),
        // It is asked all the same where the other one cannot be: nothing else could help.
        FailureKind::LeftAlone { .. } => service.into_iter().chain(once(Remedy::Retry, tries)).chain(memory).collect(),
        FailureKind::NotSetUp
        | FailureKind::NoKey
        | FailureKind::Credentials
        | FailureKind::Credit
        | FailureKind::UnknownModel
        | FailureKind::ContextTooLong { .. }
        | FailureKind::ContentRefused
        | FailureKind::PromptCut { .. }
        | FailureKind::BadAddress
        | FailureKind::NotAnApi
        | FailureKind::Interrupted
        | FailureKind::Keychain(_) => Vec::new(),
    };
    let waits_too_long = asked_wait(kind, now).is_some_and(|wait| wait > LONGEST_WAIT);
    possible(wanted, at_hand, tries).filter(|remedy| *remedy != Remedy::Wait || !waits_too_long).collect()
}

fn network(kind: NetworkKind, at_hand: &AtHand, tries: u32) -> Vec<Remedy> {
    let is_offline = at_hand.online == Some(false) && !at_hand.runs_here;
    let same = match kind {
        NetworkKind::Tls | NetworkKind::Proxy => return Vec::new(),
        _ if at_hand.has_partial => {
            return possible(once(Remedy::Resume, tries).chain([Remedy::SwitchProvider]), at_hand, tries).collect();
        }
        _ if is_offline => Vec::new(),
        _ if at_hand.is_built_in => once(Remedy::RestartEngine, tries).collect(),
        // A name does not come to exist in seconds, but a resolver can be late after the computer woke up.
        NetworkKind::Dns => once(Remedy::Wait, tries).collect(),
        NetworkKind::Refused | NetworkKind::Reset | NetworkKind::Other => {
            let waits = repeat_n(Remedy::Wait, tries.saturating_sub(1) as usize);
            once(Remedy::Retry, tries).chain(waits).collect::<Vec<_>>()
        }
    };
    let then = [Remedy::SwitchProvider, Remedy::Queue, Remedy::AnswerFromMemory];
    possible(same.into_iter().chain(then), at_hand, tries).collect()
}

/// A remedy that is tried once, where the person allows any.
fn once(remedy: Remedy, tries: u32) -> impl Iterator<Item = Remedy> {
    (tries > 0).then_some(remedy).into_iter()
}

/// Those of the wanted remedies that there is something for.
fn possible(wanted: impl IntoIterator<Item = Remedy>, at_hand: &AtHand, tries: u32) -> impl Iterator<Item = Remedy> {
    let at_hand = *at_hand;
    // A dead service is left alone where there is another. Where there is none, it is asked: nothing else could help.
    let leaves_alone = at_hand.breaker_open && at_hand.other_provider;
    wanted.into_iter().filter(move |remedy| match remedy {
        Remedy::Wait | Remedy::Retry => !leaves_alone,
        Remedy::SwitchModel => at_hand.other_model && tries > 0 && !leaves_alone,
        Remedy::SwitchProvider => at_hand.other_provider && tries > 0,
        Remedy::ShrinkContext => at_hand.can_shrink,
        Remedy::Queue => at_hand.can_queue && !at_hand.runs_here && at_hand.online != Some(true),
        // A part of an answer is worth more than none of it.
        Remedy::AnswerFromMemory => at_hand.remembers && !at_hand.has_partial,
        Remedy::Resume
        | Remedy::Regenerate
        | Remedy::StartAfresh
        | Remedy::Repair
        | Remedy::AskPartAgain
        | Remedy::RestartEngine
        | Remedy::RebuildIndex
        | Remedy::ReopenBackup
        | Remedy::AskPerson => true,
    })
}

/// How long the other side asks us to wait, where it does.
pub(super) fn asked_wait(kind: &FailureKind, now: DateTime<Utc>) -> Option<Duration> {
    match kind {
        FailureKind::RateLimit { retry_after } | FailureKind::Server { retry_after, .. } => *retry_after,
        FailureKind::Engine(EngineFault::Resting { until }) => Some((*until - now).to_std().unwrap_or_default()),
        FailureKind::EngineLoading => Some(LOADING_PAUSE),
        _ => None,
    }
}

/// Whether a wait is a look at something that goes on by itself: it tells nothing about waiting that it is not over yet.
pub(super) fn is_a_poll(kind: &FailureKind) -> bool {
    matches!(kind, FailureKind::EngineLoading)
}

/// 1 s, 2 s, 4 s, … up to 30 s: the wait after so many waits, where the other side asks for none.
pub(super) fn backoff(waits: u32) -> Duration {
    Duration::from_secs(1 << waits.min(5)).min(Duration::from_secs(30))
}

/// Up to a quarter longer: `jitter` (0 to 1) spreads the waits, so that many copies of Atlas do not come back in step.
pub(super) fn spread(wait: Duration, jitter: f64) -> Duration {
    wait.mul_f64(1.0 + 0.25 * jitter.clamp(0.0, 1.0))
}
