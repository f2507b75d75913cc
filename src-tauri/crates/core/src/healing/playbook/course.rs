//! The healing of one turn: what it may cost, what was tried, and what comes next.
//!
//! Invariant: which remedies are tried at most, and how often each, is decided by the built-in order and the budget alone.
//! What was learned only decides in which order. So with a budget that is spent, a learned order has tried all that the
//! built-in one would have tried, and never loses a turn that that would have saved.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::super::failure::{Failure, FailureKind};
use super::super::outcome::Outcome;
use super::super::remedy::{Remedy, Step};
use super::order::{self, AtHand};
use super::{Playbook, Signature};
use crate::settings::Settings;

/// What the healing of one turn may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// How often the same is asked again.
    pub tries: u32,
    /// How long it may go on, from the first failure.
    pub time: Duration,
    /// How many tokens its calls may use.
    pub tokens: u64,
}

/// The most tokens of one turn's healing: a few of the longest prompts, and no more than a person would have spent by hand.
const MOST_TOKENS: u64 = 400_000;

impl Budget {
    /// What the person's settings allow.
    pub fn of(settings: &Settings) -> Self {
        let time = Duration::from_secs(settings.healing_seconds.into());
        Self { tries: settings.max_retries, time, tokens: MOST_TOKENS }
    }
}

/// One try of one remedy.
#[derive(Debug, Clone, PartialEq)]
struct Try {
    remedy: Remedy,
    failure: Failure,
    wait: Duration,
}

/// A try that nobody told the end of.
#[derive(Debug, Clone)]
struct Pending {
    tried: Try,
    /// Whether it is one look of several at the same thing, and not the last.
    goes_on: bool,
}

/// The healing of one turn.
#[derive(Debug, Clone)]
pub struct Course {
    budget: Budget,
    began: Option<DateTime<Utc>>,
    tried: Vec<Try>,
    /// What was said to be done last, until it is told what came of it.
    pending: Option<Pending>,
    /// What the person cut from the waits.
    spared: Duration,
    tokens: u64,
}

impl Course {
    /// A turn in which nothing failed yet.
    pub fn new(budget: Budget) -> Self {
        Self { budget, began: None, tried: Vec::new(), pending: None, spared: Duration::ZERO, tokens: 0 }
    }

    /// The next thing to do about a failure. A failure of another kind than the last goes on with the same budget.
    ///
    /// `jitter` (0 to 1) spreads the waits, so that many copies of Atlas do not come back in step.
    pub fn next(
        &mut self,
        failure: &Failure,
        at_hand: &AtHand,
        playbook: &Playbook,
        now: DateTime<Utc>,
        jitter: f64,
    ) -> Step {
        let elapsed = (now - *self.began.get_or_insert(now)).to_std().unwrap_or_default();
        let wait = nominal_wait(&failure.kind, self.waits(), now);
        let mut left = self.left(&failure.kind, at_hand, now);
        left.retain(|remedy| self.can_afford(*remedy, wait, elapsed));
        let signature = Signature::of(failure);
        // What goes on by itself is waited for to its end, unless that was in vain too often.
        let mut ranked = if order::is_a_poll(&failure.kind) && playbook.relies_on(&signature, Remedy::Wait, now) {
            left
        } else {
            let cost = |remedy| if remedy == Remedy::Wait { order::spread(wait, 0.5) } else { nominal_cost(remedy) };
            playbook.rank(&signature, &left, cost, now)
        };
        if elapsed > self.budget.time / 2 {
            // Calls that take long leave no time to ask all again: those that were not asked yet come first.
            ranked.sort_by_key(|remedy| !matches!(remedy, Remedy::SwitchModel | Remedy::SwitchProvider));
        }
        let remedy = ranked.first().copied().unwrap_or(Remedy::AskPerson);
        let wait = match remedy {
            Remedy::Wait if order::asked_wait(&failure.kind, now).is_some() => wait,
            Remedy::Wait => order::spread(wait, jitter),
            _ => Duration::ZERO,
        };
        let next = Try { remedy, failure: failure.clone(), wait };
        self.tried.push(next.clone());
        let goes_on = next.is_a_poll() && self.left(&failure.kind, at_hand, now).contains(&Remedy::Wait);
        self.pending = Some(Pending { tried: next, goes_on });
        Step { remedy, wait }
    }

    /// How long the last wait really was: what the person skipped of it can be spent otherwise.
    pub fn waited(&mut self, really: Duration) {
        if let Some(pending) = &self.pending {
            self.spared += pending.tried.wait.saturating_sub(really);
        }
    }

    /// Tokens that a call of this healing used.
    pub fn spent(&mut self, tokens: u64) {
        self.tokens += tokens;
    }

    /// Tells what came of the last step, once; gives what can be learned from it. A look at something that may be over at the
    /// next look teaches nothing.
    pub fn came_of_it(&mut self, worked: bool) -> Option<Outcome> {
        let Pending { tried: Try { remedy, failure, .. }, goes_on } = self.pending.take()?;
        (worked || !goes_on).then(|| Outcome::of(&failure, remedy, worked))
    }

    /// How many remedies were tried, the person's own help apart.
    pub fn tries(&self) -> usize {
        self.tried.iter().filter(|tried| tried.remedy != Remedy::AskPerson).count()
    }

    /// Which remedies there still are, in the built-in order, each once: all that the budget has room for, less those that
    /// were tried.
    fn left(&self, kind: &FailureKind, at_hand: &AtHand, now: DateTime<Utc>) -> Vec<Remedy> {
        let tried = |remedy| self.tried.iter().filter(move |tried| tried.remedy == remedy).count();
        // Seen as at the beginning, so that what was used up since does not make room for something else.
        let at_first = AtHand {
            other_model: at_hand.other_model || tried(Remedy::SwitchModel) > 0,
            other_provider: at_hand.other_provider || tried(Remedy::SwitchProvider) > 0,
            ..*at_hand
        };
        let mut gone: Vec<Remedy> = self.tried.iter().map(|tried| tried.remedy).collect();
        let mut left = Vec::new();
        for remedy in self.within_the_time(order::built_in(kind, &at_first, self.budget.tries, now), kind, now) {
            match gone.iter().position(|tried| *tried == remedy) {
                Some(at) => drop(gone.swap_remove(at)),
                None if !left.contains(&remedy) => left.push(remedy),
                None => {}
            }
        }
        left.retain(|remedy| match remedy {
            Remedy::SwitchModel => at_hand.other_model,
            Remedy::SwitchProvider => at_hand.other_provider,
            Remedy::Wait if order::is_a_poll(kind) => true,
            remedy => !asks_the_same(*remedy) || self.asked_the_same() < self.budget.tries as usize,
        });
        left
    }

    /// Of a whole course of remedies those that its time has room for; what does not fit is left out, and what stands after
    /// it is looked at all the same.
    fn within_the_time(&self, course: Vec<Remedy>, kind: &FailureKind, now: DateTime<Utc>) -> Vec<Remedy> {
        let (mut room, mut waits) = (self.budget.time + self.spared, 0);
        let fits = |remedy: &Remedy| {
            let cost = match remedy {
                Remedy::Wait => longest_wait(kind, waits, now),
                remedy => nominal_cost(*remedy),
            };
            let Some(rest) = room.checked_sub(cost) else { return false };
            room = rest;
            waits += u32::from(*remedy == Remedy::Wait);
            true
        };
        course.into_iter().filter(fits).collect()
    }

    /// Whether the clock and the tokens have room for it now. What asks nobody always has.
    fn can_afford(&self, remedy: Remedy, wait: Duration, elapsed: Duration) -> bool {
        match remedy {
            Remedy::AnswerFromMemory | Remedy::Queue | Remedy::Repair | Remedy::AskPerson => true,
            _ if self.tokens >= self.budget.tokens || elapsed >= self.budget.time => false,
            Remedy::Wait => elapsed + wait <= self.budget.time,
            _ => true,
        }
    }

    /// How many of the waits that grow there were.
    fn waits(&self) -> u32 {
        let waits = self.tried.iter().filter(|tried| tried.remedy == Remedy::Wait && !tried.is_a_poll());
        u32::try_from(waits.count()).unwrap_or(u32::MAX)
    }

    /// How often the same was asked again, out of the tries that the person allows.
    fn asked_the_same(&self) -> usize {
        self.tried.iter().filter(|tried| asks_the_same(tried.remedy) && !tried.is_a_poll()).count()
    }
}

impl Try {
    /// Whether it is a look at something that goes on by itself.
    fn is_a_poll(&self) -> bool {
        self.remedy == Remedy::Wait && order::is_a_poll(&self.failure.kind)
    }
}

/// Whether it is a call to whom was asked before.
fn asks_the_same(remedy: Remedy) -> bool {
    match remedy {
        Remedy::Wait
        | Remedy::Retry
        | Remedy::Resume
        | Remedy::Regenerate
        | Remedy::AskPartAgain
        | Remedy::RestartEngine => true,
        Remedy::SwitchModel
        | Remedy::SwitchProvider
        | Remedy::ShrinkContext
        | Remedy::Repair
        | Remedy::RebuildIndex
        | Remedy::ReopenBackup
        | Remedy::Queue
        | Remedy::AnswerFromMemory
        | Remedy::AskPerson => false,
    }
}

/// About how long a try takes; a wait's own time is not in it.
fn nominal_cost(remedy: Remedy) -> Duration {
    Duration::from_secs(match remedy {
        Remedy::Wait => 0,
        Remedy::Retry => 1,
        Remedy::SwitchModel | Remedy::SwitchProvider => 2,
        Remedy::Resume
        | Remedy::Regenerate
        | Remedy::ShrinkContext
        | Remedy::Repair
        | Remedy::AskPartAgain
        | Remedy::RestartEngine
        | Remedy::RebuildIndex
        | Remedy::ReopenBackup
        | Remedy::Queue
        | Remedy::AnswerFromMemory
        | Remedy::AskPerson => 3,
    })
}

/// The wait after so many waits, before it is spread.
fn nominal_wait(kind: &FailureKind, waits: u32, now: DateTime<Utc>) -> Duration {
    order::asked_wait(kind, now).unwrap_or_else(|| order::backoff(waits))
}

/// The same, however it is spread.
fn longest_wait(kind: &FailureKind, waits: u32, now: DateTime<Utc>) -> Duration {
    order::asked_wait(kind, now).unwrap_or_else(|| order::spread(order::backoff(waits), 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::healing::Phase;
    use crate::providers::{NetworkKind, TimeoutPhase};

    fn at(seconds: u64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_772_409_600, 0).unwrap() + Duration::from_secs(seconds)
    }

    fn failure(kind: FailureKind) -> Failure {
        Failure { kind, provider: "OpenRouter".into(), model: "main".into(), phase: Phase::Asking }
    }

    fn course(tries: u32) -> Course {
        Course::new(Budget { tries, time: Duration::from_secs(120), tokens: 1000 })
    }

    fn seconds(seconds: u64) -> Step {
        Step::wait(Duration::from_secs(seconds))
    }

    const BUSY: FailureKind = FailureKind::RateLimit { retry_after: Some(Duration::from_secs(20)) };
    const SERVER: FailureKind = FailureKind::Server { status: 503, retry_after: None };

    fn all_at_hand() -> AtHand {
        AtHand { other_model: true, other_provider: true, remembers: true, can_queue: true, ..AtHand::default() }
    }

    /// Goes on until the person is asked; nothing helps.
    fn all_steps(course: &mut Course, kind: FailureKind, mut at_hand: AtHand, playbook: &Playbook) -> Vec<Step> {
        let (failure, mut now, mut steps) = (failure(kind), at(0), Vec::new());
        loop {
            let step = course.next(&failure, &at_hand, playbook, now, 0.0);
            course.came_of_it(false);
            now += step.wait;
            at_hand.other_model &= step.remedy != Remedy::SwitchModel;
            at_hand.other_provider &= step.remedy != Remedy::SwitchProvider;
            steps.push(step);
            if step.remedy == Remedy::AskPerson {
                return steps;
            }
        }
    }

    fn alone(kind: FailureKind, tries: u32) -> Vec<Step> {
        all_steps(&mut course(tries), kind, AtHand::default(), &Playbook::default())
    }

    fn remedies(kind: FailureKind, at_hand: AtHand, playbook: &Playbook) -> Vec<Remedy> {
        all_steps(&mut course(3), kind, at_hand, playbook).into_iter().map(|step| step.remedy).collect()
    }

    #[test]
    fn a_permanent_failure_goes_straight_to_the_person_whatever_is_at_hand() {
        for kind in [
            FailureKind::NotSetUp,
            FailureKind::NoKey,
            FailureKind::Credentials,
            FailureKind::Credit,
            FailureKind::UnknownModel,
            FailureKind::ContentRefused,
            FailureKind::Rejected { status: 400, said: None },
            FailureKind::BadAddress,
            FailureKind::NotAnApi,
            FailureKind::ContextTooLong { limit_tokens: None },
            FailureKind::Network { kind: NetworkKind::Tls },
            FailureKind::Network { kind: NetworkKind::Proxy },
        ] {
            assert_eq!(remedies(kind.clone(), all_at_hand(), &Playbook::default()), [Remedy::AskPerson], "{kind:?}");
        }
    }

    #[test]
    fn the_providers_own_wait_is_kept_to_the_second() {
        for wait in [7, 30] {
            let kind = FailureKind::RateLimit { retry_after: Some(Duration::from_secs(wait)) };
            let step = course(3).next(&failure(kind), &AtHand::default(), &Playbook::default(), at(0), 1.0);
            assert_eq!(step, seconds(wait));
        }
    }

    #[test]
    fn a_wait_of_many_minutes_is_for_the_person_to_decide() {
        let kind = FailureKind::RateLimit { retry_after: Some(Duration::from_secs(600)) };
        assert_eq!(alone(kind, 3), [Step::now(Remedy::AskPerson)]);
    }

    #[test]
    fn waits_double_and_end_with_the_retries_that_the_person_allows() {
        assert_eq!(alone(SERVER, 3), [seconds(1), seconds(2), seconds(4), Step::now(Remedy::AskPerson)]);
    }

    #[test]
    fn an_empty_answer_is_asked_for_once_more() {
        assert_eq!(alone(FailureKind::EmptyAnswer, 3), [Remedy::Retry, Remedy::AskPerson].map(Step::now));
    }

    #[test]
    fn a_loading_model_is_waited_for_for_a_minute() {
        let steps = alone(FailureKind::EngineLoading, 3);
        assert_eq!((steps.len(), steps[29], steps[30]), (31, seconds(2), Step::now(Remedy::AskPerson)));
    }

    #[test]
    fn that_a_model_still_loads_teaches_nothing_and_that_it_came_does() {
        let (failure, mut course) = (failure(FailureKind::EngineLoading), course(3));
        course.next(&failure, &AtHand::default(), &Playbook::default(), at(0), 0.0);
        assert_eq!(course.came_of_it(false), None);
        course.next(&failure, &AtHand::default(), &Playbook::default(), at(2), 0.0);
        assert_eq!(course.came_of_it(true), Some(Outcome::of(&failure, Remedy::Wait, true)));
        assert_eq!(course.came_of_it(true), None, "it is told once");
    }

    #[test]
    fn a_model_that_never_finished_loading_is_waited_for_after_others_were_asked() {
        let loading = failure(FailureKind::EngineLoading);
        let mut playbook = Playbook::default();
        let first = |playbook: &Playbook| course(3).next(&loading, &all_at_hand(), playbook, at(0), 0.0).remedy;
        for _ in 0..3 {
            let mut course = course(3);
            let mut learned = Vec::new();
            for _ in 0..30 {
                course.next(&loading, &all_at_hand(), &playbook, at(0), 0.0);
                learned.extend(course.came_of_it(false));
            }
            assert_eq!(learned, [Outcome::of(&loading, Remedy::Wait, false)], "a whole wait is one try");
            assert_eq!(first(&playbook), Remedy::Wait);
            playbook.learn(&learned[0], at(0));
        }
        playbook.learn(&Outcome::of(&loading, Remedy::SwitchProvider, true), at(0));
        assert_eq!(first(&playbook), Remedy::SwitchProvider);
    }

    #[test]
    fn a_conversation_that_is_too_long_is_shortened_while_there_is_something_to_leave_out() {
        let too_long = failure(FailureKind::ContextTooLong { limit_tokens: Some(4096) });
        let mut course = course(0);
        for can_shrink in [true, true, true, false] {
            let at_hand = AtHand { can_shrink, ..AtHand::default() };
            let expected = if can_shrink { Remedy::ShrinkContext } else { Remedy::AskPerson };
            assert_eq!(course.next(&too_long, &at_hand, &Playbook::default(), at(0), 0.0), Step::now(expected));
        }
    }

    #[test]
    fn who_allows_no_retries_gets_none() {
        for kind in FailureKind::examples() {
            let at_hand = AtHand { other_model: true, other_provider: true, ..AtHand::default() };
            let steps = all_steps(&mut course(0), kind.clone(), at_hand, &Playbook::default());
            let calls: Vec<_> =
                steps.iter().filter(|step| !matches!(step.remedy, Remedy::AskPerson | Remedy::Repair)).collect();
            assert_eq!(calls, Vec::<&Step>::new(), "{kind:?}");
        }
    }

    #[test]
    fn a_busy_provider_is_waited_for_once_before_others_are_asked() {
        use Remedy::{AnswerFromMemory, AskPerson, SwitchModel, SwitchProvider, Wait};
        let expected = [Wait, SwitchModel, SwitchProvider, Wait, Wait, AnswerFromMemory, AskPerson];
        assert_eq!(remedies(BUSY, all_at_hand(), &Playbook::default()), expected);
    }

    /// What a playbook knows after another model helped when the provider was busy, and waiting did not.
    fn experienced() -> Playbook {
        let mut playbook = Playbook::default();
        for _ in 0..4 {
            playbook.learn(&Outcome::of(&failure(BUSY), Remedy::Wait, false), at(0));
            playbook.learn(&Outcome::of(&failure(BUSY), Remedy::SwitchModel, true), at(0));
        }
        playbook
    }

    #[test]
    fn what_helped_before_is_tried_first_and_all_the_rest_after_it() {
        let (learned, mut fixed) =
            (remedies(BUSY, all_at_hand(), &experienced()), remedies(BUSY, all_at_hand(), &Playbook::default()));
        assert_eq!(learned[..2], [Remedy::SwitchModel, Remedy::SwitchProvider]);
        let mut learned = learned;
        learned.sort();
        fixed.sort();
        assert_eq!(learned, fixed, "the same set, so no turn is lost by it");
    }

    #[test]
    fn whatever_was_learned_the_same_remedies_are_tried_as_often() {
        for kind in FailureKind::examples() {
            let mut playbook = Playbook::default();
            for (number, remedy) in Remedy::ALL.into_iter().enumerate() {
                for n in 0..5 {
                    playbook.learn(&Outcome::of(&failure(kind.clone()), remedy, (n * 7 + number * 3) % 5 < 2), at(0));
                }
            }
            let at_hand = AtHand { can_shrink: true, ..all_at_hand() };
            let (mut learned, mut fixed) =
                (remedies(kind.clone(), at_hand, &playbook), remedies(kind.clone(), at_hand, &Playbook::default()));
            learned.sort();
            fixed.sort();
            assert_eq!(learned, fixed, "{kind:?}");
        }
    }

    #[test]
    fn a_wait_that_the_time_has_no_room_for_is_left_out_in_both_orders() {
        let kind = FailureKind::RateLimit { retry_after: Some(Duration::from_secs(80)) };
        for playbook in [Playbook::default(), experienced()] {
            let tried = remedies(kind.clone(), all_at_hand(), &playbook);
            assert_eq!(tried.iter().filter(|remedy| **remedy == Remedy::Wait).count(), 1);
        }
    }

    #[test]
    fn a_wait_that_was_skipped_leaves_its_time_for_another() {
        let minute = failure(FailureKind::RateLimit { retry_after: Some(Duration::from_secs(70)) });
        let mut course = course(3);
        assert_eq!(course.next(&minute, &AtHand::default(), &Playbook::default(), at(0), 0.0), seconds(70));
        course.waited(Duration::from_secs(2));
        course.came_of_it(false);
        assert_eq!(course.next(&minute, &AtHand::default(), &Playbook::default(), at(2), 0.0), seconds(70));
    }

    #[test]
    fn a_failure_of_another_kind_goes_on_with_the_same_budget() {
        let mut course = course(2);
        let reset = failure(FailureKind::Network { kind: NetworkKind::Reset });
        let next = |course: &mut Course, failure: &Failure| {
            let step = course.next(failure, &AtHand::default(), &Playbook::default(), at(0), 0.0);
            course.came_of_it(false);
            step
        };
        assert_eq!(next(&mut course, &failure(SERVER)), seconds(1));
        assert_eq!(next(&mut course, &reset), Step::now(Remedy::Retry));
        assert_eq!(next(&mut course, &failure(SERVER)), Step::now(Remedy::AskPerson));
    }

    #[test]
    fn slow_calls_leave_time_for_somebody_else() {
        let late = failure(FailureKind::Timeout { phase: TimeoutPhase::FirstToken });
        let mut course = course(3);
        let next = |course: &mut Course, now: u64| {
            let step = course.next(&late, &all_at_hand(), &Playbook::default(), at(now), 0.0);
            course.came_of_it(false);
            step
        };
        assert_eq!(next(&mut course, 0), seconds(1));
        assert_eq!(next(&mut course, 61), Step::now(Remedy::SwitchModel));
        assert_eq!(next(&mut course, 130), Step::now(Remedy::AnswerFromMemory), "the time is over");
    }

    #[test]
    fn tokens_that_are_spent_end_the_calls() {
        let mut course = course(3);
        course.spent(1000);
        let step = course.next(&failure(SERVER), &AtHand::default(), &Playbook::default(), at(0), 0.0);
        assert_eq!(step, Step::now(Remedy::AskPerson));
    }

    #[test]
    fn a_dead_provider_is_left_alone_only_where_there_is_another() {
        let dead = AtHand { breaker_open: true, ..AtHand::default() };
        assert_eq!(remedies(SERVER, dead, &Playbook::default())[0], Remedy::Wait);
        let with_other = AtHand { other_model: true, other_provider: true, ..dead };
        assert_eq!(remedies(SERVER, with_other, &Playbook::default())[0], Remedy::SwitchProvider);
    }
}
