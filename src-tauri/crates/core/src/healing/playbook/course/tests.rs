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
fn what_a_model_rejects_is_never_put_to_it_again_and_may_be_to_another() {
    let kind = FailureKind::Rejected { status: 400, said: None };
    let elsewhere = [Remedy::SwitchModel, Remedy::SwitchProvider, Remedy::AskPerson];
    assert_eq!(remedies(kind.clone(), all_at_hand(), &Playbook::default()), elsewhere);
    assert_eq!(remedies(kind, AtHand::default(), &Playbook::default()), [Remedy::AskPerson]);
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
        let asks_nobody = |step: &&Step| matches!(step.remedy, Remedy::AskPerson | Remedy::Repair | Remedy::StartAfresh);
        let calls: Vec<_> = steps.iter().filter(|step| !asks_nobody(step)).collect();
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
