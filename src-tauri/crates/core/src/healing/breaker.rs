//! A circuit breaker for each provider, so that a dead one is not asked every time. Pure: the time is handed in, and what is
//! to be kept over a restart is given and taken as rows.
//!
//! Invariant: a breaker never stands in the way of recovery. It opens for ten minutes at most, one call tries the provider
//! then, and a person with nobody else to ask gets through at any time.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::failure::FailureKind;
use crate::providers::{NetworkKind, TimeoutPhase};

/// So many failures in a row open it.
const FAILURES_IN_A_ROW: u32 = 3;
/// How long it is open at first; twice as long after each failed trial.
const FIRST_PAUSE: TimeDelta = TimeDelta::seconds(30);
const LONGEST_PAUSE: TimeDelta = TimeDelta::minutes(10);
/// A trial that nothing was heard of for so long has come to nothing: another one may be made.
const TRIAL_PATIENCE: TimeDelta = TimeDelta::minutes(2);

/// Whether a provider may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MayAsk {
    /// It may.
    Yes,
    /// It may, as the one call that finds out whether it is back.
    Trial,
    /// Not before this moment.
    NotBefore(DateTime<Utc>),
}

/// Who wants to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// Atlas, or a person for whom there is another provider.
    Routine,
    /// A person by hand, with nobody else to ask: gets a trial at any time.
    PersonWithoutOther,
}

/// What a breaker is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum BreakerState {
    /// Calls go through.
    Closed,
    /// Calls are held back until then.
    Open {
        /// Until when.
        until: DateTime<Utc>,
    },
    /// One call is finding out whether the provider is back.
    HalfOpen {
        /// Since when.
        since: DateTime<Utc>,
    },
}

/// The last failure of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastFailure {
    /// Its stable code, with the sub-kind.
    pub code: String,
    /// When.
    pub at: DateTime<Utc>,
}

/// The breaker of one provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaker {
    state: BreakerState,
    /// Failures of its own since it last answered.
    failures_in_a_row: u32,
    /// How often it opened since then.
    openings: u32,
    busy_until: Option<DateTime<Utc>>,
    last_failure: Option<LastFailure>,
    last_success: Option<DateTime<Utc>>,
}

impl Default for Breaker {
    fn default() -> Self {
        Self {
            state: BreakerState::Closed,
            failures_in_a_row: 0,
            openings: 0,
            busy_until: None,
            last_failure: None,
            last_success: None,
        }
    }
}

/// What a failure says about the provider as a whole.
enum Says {
    ItIsDown,
    ItAnswers,
    Nothing,
}

impl Breaker {
    /// Whether the provider may be asked now. A trial that is given is under way from then on.
    pub fn may_ask(&mut self, caller: Caller, now: DateTime<Utc>) -> MayAsk {
        let not_before = match self.state {
            BreakerState::Closed => return MayAsk::Yes,
            BreakerState::Open { until } => until,
            BreakerState::HalfOpen { since } => since + TRIAL_PATIENCE,
        };
        if now < not_before && caller == Caller::Routine {
            return MayAsk::NotBefore(not_before);
        }
        self.state = BreakerState::HalfOpen { since: now };
        MayAsk::Trial
    }

    /// Whether calls are held back now, seen without asking.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        match self.state {
            BreakerState::Closed => false,
            BreakerState::Open { until } => now < until,
            BreakerState::HalfOpen { since } => now < since + TRIAL_PATIENCE,
        }
    }

    /// Whether it answered the last time and is known to be well.
    pub fn is_well(&self) -> bool {
        self.state == BreakerState::Closed && self.failures_in_a_row == 0 && self.last_success.is_some()
    }

    /// A call came to its end.
    pub fn worked(&mut self, now: DateTime<Utc>) {
        self.answered();
        self.busy_until = None;
        self.last_success = Some(now);
    }

    /// A call failed. Where there is no network at all, do not tell it: that is not the provider's fault.
    pub fn failed(&mut self, kind: &FailureKind, now: DateTime<Utc>) {
        self.last_failure = Some(LastFailure { code: kind.signature_code().to_owned(), at: now });
        if let FailureKind::RateLimit { retry_after: Some(wait) } = kind {
            self.busy_until = TimeDelta::from_std(*wait).ok().and_then(|wait| now.checked_add_signed(wait));
        }
        match says(kind) {
            Says::ItAnswers => self.answered(),
            Says::ItIsDown => {
                self.failures_in_a_row += 1;
                let is_trial = matches!(self.state, BreakerState::HalfOpen { .. });
                if is_trial || (self.state == BreakerState::Closed && self.failures_in_a_row >= FAILURES_IN_A_ROW) {
                    self.open(now);
                }
            }
            Says::Nothing => self.call_off_trial(now),
        }
    }

    /// A call was given up before anything was known: the person stopped it.
    pub fn given_up(&mut self, now: DateTime<Utc>) {
        self.call_off_trial(now);
    }

    /// Until when the provider asked to be left alone, where that is still to come. The breaker stays closed meanwhile.
    pub fn busy_until(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.busy_until.filter(|until| now < *until)
    }

    fn answered(&mut self) {
        self.state = BreakerState::Closed;
        self.failures_in_a_row = 0;
        self.openings = 0;
    }

    fn open(&mut self, now: DateTime<Utc>) {
        let pause = FIRST_PAUSE * 2_i32.pow(self.openings.min(10));
        self.openings += 1;
        self.state = BreakerState::Open { until: now + pause.min(LONGEST_PAUSE) };
    }

    /// A trial that told nothing does not count: the next call is one.
    fn call_off_trial(&mut self, now: DateTime<Utc>) {
        if matches!(self.state, BreakerState::HalfOpen { .. }) {
            self.state = BreakerState::Open { until: now };
        }
    }
}

fn says(kind: &FailureKind) -> Says {
    match kind {
        FailureKind::Server { .. } => Says::ItIsDown,
        FailureKind::Network { kind } => match kind {
            NetworkKind::Dns | NetworkKind::Refused | NetworkKind::Reset | NetworkKind::Other => Says::ItIsDown,
            // The person has to change something here, and a pause would only hide that they did.
            NetworkKind::Tls | NetworkKind::Proxy => Says::Nothing,
        },
        FailureKind::Timeout { phase } => match phase {
            TimeoutPhase::Connect | TimeoutPhase::FirstToken => Says::ItIsDown,
            TimeoutPhase::Stalled | TimeoutPhase::Whole => Says::ItAnswers,
        },
        FailureKind::Credentials
        | FailureKind::Credit
        | FailureKind::RateLimit { .. }
        | FailureKind::UnknownModel
        | FailureKind::ContextTooLong { .. }
        | FailureKind::ContentRefused
        | FailureKind::Rejected { .. }
        | FailureKind::EngineLoading
        | FailureKind::TruncatedStream
        | FailureKind::MalformedAnswer
        | FailureKind::EmptyAnswer
        | FailureKind::MemoryOpsInvalid { .. }
        | FailureKind::PromptCut { .. }
        | FailureKind::RuleBroken { .. }
        | FailureKind::OffRole
        | FailureKind::NotAnApi => Says::ItAnswers,
        // The engine has a supervisor of its own.
        FailureKind::Engine(_)
        | FailureKind::NotSetUp
        | FailureKind::NoKey
        | FailureKind::BadAddress
        | FailureKind::Store(_)
        | FailureKind::Interrupted
        | FailureKind::LeftAlone { .. }
        | FailureKind::Keychain(_) => Says::Nothing,
    }
}

/// The breakers of all providers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BreakerBoard {
    breakers: BTreeMap<String, Breaker>,
}

/// How a provider does, for the Health page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderHealth {
    /// Its name.
    pub provider: String,
    /// What its breaker is doing.
    pub state: BreakerState,
    /// Failures of its own since it last answered.
    pub failures_in_a_row: u32,
    /// Its last failure of any kind.
    pub last_failure: Option<LastFailure>,
    /// When it last answered.
    pub last_success: Option<DateTime<Utc>>,
    /// When it is asked again, where it is left alone now.
    pub asked_again_at: Option<DateTime<Utc>>,
    /// Until when it asked to be left alone.
    pub busy_until: Option<DateTime<Utc>>,
}

impl BreakerBoard {
    /// The board of stored rows: provider, and state as JSON. A breaker whose row cannot be read begins closed, which costs a
    /// few failed calls at most. A trial that was under way ended with the process.
    pub fn from_rows(rows: impl IntoIterator<Item = (String, String)>) -> Self {
        let read = |(provider, json): (String, String)| {
            let mut breaker: Breaker = serde_json::from_str(&json).ok()?;
            if let BreakerState::HalfOpen { since } = breaker.state {
                breaker.call_off_trial(since);
            }
            Some((provider, breaker))
        };
        Self { breakers: rows.into_iter().filter_map(read).collect() }
    }

    /// The rows to store: provider, and state as JSON.
    pub fn to_rows(&self) -> Vec<(String, String)> {
        let row = |(provider, breaker): (&String, &Breaker)| {
            let json = serde_json::to_string(breaker).expect("a breaker has only names, numbers and times");
            (provider.clone(), json)
        };
        self.breakers.iter().map(row).collect()
    }

    /// A provider's breaker.
    pub fn of(&mut self, provider: &str) -> &mut Breaker {
        self.breakers.entry(provider.to_owned()).or_default()
    }

    /// Closes the breakers that a missing network opened.
    pub fn network_is_back(&mut self) {
        for breaker in self.breakers.values_mut() {
            if breaker.last_failure.as_ref().is_some_and(|last| last.code.starts_with("network")) {
                breaker.answered();
            }
        }
    }

    /// Whether calls to a provider are held back now.
    pub fn is_open(&self, provider: &str, now: DateTime<Utc>) -> bool {
        self.breakers.get(provider).is_some_and(|breaker| breaker.is_open(now))
    }

    /// How all providers do, by name.
    pub fn providers(&self, now: DateTime<Utc>) -> Vec<ProviderHealth> {
        let health = |(provider, breaker): (&String, &Breaker)| ProviderHealth {
            provider: provider.clone(),
            state: breaker.state,
            failures_in_a_row: breaker.failures_in_a_row,
            last_failure: breaker.last_failure.clone(),
            last_success: breaker.last_success,
            asked_again_at: match breaker.state {
                BreakerState::Open { until } => Some(until).filter(|until| now < *until),
                BreakerState::Closed | BreakerState::HalfOpen { .. } => None,
            },
            busy_until: breaker.busy_until(now),
        };
        self.breakers.iter().map(health).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_772_409_600 + seconds, 0).unwrap()
    }

    const SERVER: FailureKind = FailureKind::Server { status: 503, retry_after: None };

    /// Down since three failures at second 0.
    fn down() -> Breaker {
        let mut breaker = Breaker::default();
        (0..3).for_each(|_| breaker.failed(&SERVER, at(0)));
        breaker
    }

    #[test]
    fn three_failures_in_a_row_open_it_for_half_a_minute() {
        let mut breaker = Breaker::default();
        breaker.failed(&SERVER, at(0));
        breaker.failed(&FailureKind::Timeout { phase: TimeoutPhase::FirstToken }, at(1));
        assert_eq!(breaker.may_ask(Caller::Routine, at(2)), MayAsk::Yes);
        breaker.failed(&FailureKind::Network { kind: NetworkKind::Refused }, at(2));
        assert_eq!(breaker.may_ask(Caller::Routine, at(31)), MayAsk::NotBefore(at(32)));
        assert!(breaker.is_open(at(31)) && !breaker.is_open(at(32)));
    }

    #[test]
    fn one_trial_at_a_time_finds_out_whether_it_is_back() {
        let mut breaker = down();
        assert_eq!(breaker.may_ask(Caller::Routine, at(30)), MayAsk::Trial);
        assert_eq!(breaker.may_ask(Caller::Routine, at(31)), MayAsk::NotBefore(at(150)));
        breaker.worked(at(32));
        assert_eq!(breaker.may_ask(Caller::Routine, at(32)), MayAsk::Yes);
        breaker.failed(&SERVER, at(33));
        assert_eq!(breaker.may_ask(Caller::Routine, at(33)), MayAsk::Yes, "a success begins the row anew");
    }

    #[test]
    fn each_failed_trial_doubles_the_pause_up_to_ten_minutes() {
        let mut breaker = down();
        let mut now = 0;
        let mut pauses = Vec::new();
        for _ in 0..7 {
            let BreakerState::Open { until } = breaker.state else { panic!("{:?}", breaker.state) };
            pauses.push((until - at(now)).num_seconds());
            now += pauses.last().unwrap();
            assert_eq!(breaker.may_ask(Caller::Routine, at(now)), MayAsk::Trial);
            breaker.failed(&SERVER, at(now));
        }
        assert_eq!(pauses, [30, 60, 120, 240, 480, 600, 600]);
    }

    #[test]
    fn a_person_with_nobody_else_to_ask_gets_through_at_any_time() {
        let mut breaker = down();
        assert_eq!(breaker.may_ask(Caller::PersonWithoutOther, at(1)), MayAsk::Trial);
        assert_eq!(breaker.may_ask(Caller::PersonWithoutOther, at(2)), MayAsk::Trial);
        breaker.worked(at(3));
        assert_eq!(breaker.state, BreakerState::Closed);
    }

    #[test]
    fn a_trial_that_nobody_heard_of_again_does_not_lock_the_door() {
        let mut breaker = down();
        breaker.may_ask(Caller::Routine, at(30));
        assert_eq!(breaker.may_ask(Caller::Routine, at(150)), MayAsk::Trial);
        breaker.given_up(at(151));
        assert_eq!(breaker.may_ask(Caller::Routine, at(151)), MayAsk::Trial);
    }

    #[test]
    fn what_is_not_the_providers_fault_opens_nothing() {
        let mut breaker = Breaker::default();
        for kind in FailureKind::examples().into_iter().filter(|kind| !matches!(says(kind), Says::ItIsDown)) {
            (0..4).for_each(|_| breaker.failed(&kind, at(0)));
            assert_eq!(breaker.may_ask(Caller::Routine, at(0)), MayAsk::Yes, "{kind:?}");
        }
    }

    #[test]
    fn a_busy_provider_is_remembered_as_busy_and_stays_closed() {
        let mut breaker = Breaker::default();
        breaker.failed(&FailureKind::RateLimit { retry_after: Some(Duration::from_secs(20)) }, at(0));
        assert_eq!(breaker.may_ask(Caller::Routine, at(1)), MayAsk::Yes);
        assert_eq!((breaker.busy_until(at(19)), breaker.busy_until(at(20))), (Some(at(20)), None));
    }

    #[test]
    fn the_board_survives_a_restart_and_a_damaged_row_begins_closed() {
        let mut board = BreakerBoard::default();
        *board.of("OpenRouter") = down();
        board.of("Ollama").worked(at(5));
        let mut rows = board.to_rows();
        assert_eq!(BreakerBoard::from_rows(rows.clone()), board);
        rows.push(("LM Studio".into(), "{".into()));
        let mut board = BreakerBoard::from_rows(rows);
        assert_eq!(board.of("LM Studio").may_ask(Caller::Routine, at(6)), MayAsk::Yes);
        assert!(board.is_open("OpenRouter", at(6)));
    }

    #[test]
    fn a_trial_that_was_under_way_at_a_restart_may_be_made_again() {
        let mut board = BreakerBoard::default();
        *board.of("OpenRouter") = down();
        board.of("OpenRouter").may_ask(Caller::Routine, at(30));
        let mut board = BreakerBoard::from_rows(board.to_rows());
        assert_eq!(board.of("OpenRouter").may_ask(Caller::Routine, at(31)), MayAsk::Trial);
    }

    #[test]
    fn health_tells_how_each_provider_does() {
        let mut board = BreakerBoard::default();
        *board.of("OpenRouter") = down();
        let expected = ProviderHealth {
            provider: "OpenRouter".into(),
            state: BreakerState::Open { until: at(30) },
            failures_in_a_row: 3,
            last_failure: Some(LastFailure { code: "server".into(), at: at(0) }),
            last_success: None,
            asked_again_at: Some(at(30)),
            busy_until: None,
        };
        assert_eq!(board.providers(at(1)), [expected]);
    }
}
