//! A service with a stand-in program, by a clock that is turned by hand.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::process::tests::eventually;
use super::*;
use crate::clock::hand::HandClock;
use crate::store::Kept;

/// A program whose first launches end at once, and whose later ones run.
struct Unlucky {
    failures: usize,
    /// As if somebody else had its port.
    is_taken: bool,
    launched: Mutex<Vec<DateTime<Utc>>>,
    /// So many answers about health do not come, from the first healthy one on.
    deaf: AtomicUsize,
    unload_after: Option<Duration>,
    clock: Arc<HandClock>,
}

#[async_trait]
impl Program for Unlucky {
    type Purpose = &'static str;
    type Address = usize;

    fn name(&self) -> &'static str {
        "stand-in"
    }

    fn key(&self, purpose: &&'static str) -> String {
        (*purpose).to_owned()
    }

    fn launch(&self, _: &&'static str) -> Result<Launch<usize>, EngineError> {
        let mut launched = lock(&self.launched);
        launched.push(self.clock.now());
        let mut command = Command::new("sh");
        let script = if launched.len() <= self.failures { "echo bad magic; exit 1" } else { "exec sleep 600" };
        command.args(["-c", script]);
        Ok(Launch { command, address: launched.len(), secret: Secret::new("secret").unwrap() })
    }

    async fn is_healthy(&self, number: &usize) -> bool {
        let is_deaf = self.deaf.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        *number > self.failures && !is_deaf
    }

    fn is_taken(&self, _: &usize) -> bool {
        self.is_taken
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(60)
    }

    fn unload_after(&self) -> Option<Duration> {
        self.unload_after
    }
}

struct Fixture {
    clock: Arc<HandClock>,
    operational: Operational,
    began: DateTime<Utc>,
}

impl Fixture {
    fn new() -> Self {
        let clock = Arc::new(HandClock::new());
        Self { began: clock.now(), clock, operational: Operational::in_memory() }
    }

    /// A program whose first launches end at once.
    fn program(&self, failures: usize) -> Unlucky {
        Unlucky {
            failures,
            is_taken: false,
            launched: Mutex::default(),
            deaf: AtomicUsize::new(0),
            unload_after: None,
            clock: self.clock.clone(),
        }
    }

    fn service(&self, program: Unlucky) -> Service<Unlucky> {
        Service::new(program, Ground { clock: self.clock.clone(), operational: self.operational.clone() })
    }

    fn at(&self, seconds: i64) -> DateTime<Utc> {
        self.began + TimeDelta::seconds(seconds)
    }

    /// When it was launched, in seconds from the beginning.
    fn launches(&self, service: &Service<Unlucky>) -> Vec<i64> {
        lock(&service.program().launched).iter().map(|at| (*at - self.began).num_seconds()).collect()
    }

    /// What is kept of it.
    async fn saved(&self) -> String {
        self.operational.load(Kept::Services).await.unwrap().pop().map(|(_, json)| json).unwrap_or_default()
    }
}

/// When a service that rests is started again.
async fn rest(service: &Service<Unlucky>) -> DateTime<Utc> {
    let mut state = service.state();
    let is_resting = |state: &EngineState| matches!(state, EngineState::Resting { .. } | EngineState::Flapping { .. });
    match *state.wait_for(is_resting).await.unwrap() {
        EngineState::Resting { until } | EngineState::Flapping { until } => until,
        other => panic!("{other:?} is no rest"),
    }
}

/// Lets the rest pass, and waits for what comes of the next start.
async fn pass_rest(fixture: &Fixture, service: &Service<Unlucky>) {
    let (until, launched) = (rest(service).await, lock(&service.program().launched).len());
    fixture.clock.set(until);
    eventually("it is launched again", || lock(&service.program().launched).len() > launched).await;
    let mut state = service.state();
    let is_over = |state: &EngineState| match state {
        EngineState::Resting { until: next } | EngineState::Flapping { until: next } => *next > until,
        EngineState::Ready => true,
        _ => false,
    };
    state.wait_for(is_over).await.unwrap();
}

fn will_not_start() -> EngineError {
    EngineError::WillNotStart { log: vec!["bad magic".into()], diagnosis: Some(Diagnosis::ModelDamaged) }
}

#[tokio::test]
async fn after_thirty_crashes_and_a_recovery_there_were_at_most_twelve_starts_in_the_first_hour() {
    let fixture = Fixture::new();
    let service = fixture.service(fixture.program(30));
    let mut notices = service.notices();

    assert_eq!(service.start("a").await, Err(will_not_start()));
    for _ in 1..5 {
        pass_rest(&fixture, &service).await;
    }
    let until = fixture.at(615);
    assert_eq!(*service.state().borrow(), EngineState::Flapping { until });
    assert_eq!(service.diagnosis(), Some(Diagnosis::ModelDamaged));
    let notice = Notice {
        service: "stand-in",
        at: fixture.at(15),
        until,
        diagnosis: Some(Diagnosis::ModelDamaged),
        log: vec!["bad magic".into()],
    };
    assert_eq!(notices.try_recv().unwrap(), notice);
    // The chat can use another provider at once.
    let flapping =
        EngineError::Flapping { until, log: vec!["bad magic".into()], diagnosis: Some(Diagnosis::ModelDamaged) };
    assert_eq!(service.start("a").await, Err(flapping));

    // Atlas is started again: it knows, and tells nobody twice.
    let again = fixture.service(fixture.program(0));
    let mut told_again = again.notices();
    again.recall().await;
    assert_eq!(*again.state().borrow(), EngineState::Flapping { until });
    let known = EngineError::Flapping { until, log: Vec::new(), diagnosis: Some(Diagnosis::ModelDamaged) };
    assert_eq!(again.start("a").await, Err(known));
    drop(again);
    assert!(told_again.try_recv().is_err());

    for _ in 5..30 {
        pass_rest(&fixture, &service).await;
    }
    let launches = fixture.launches(&service);
    assert_eq!(launches[..13], [0, 1, 3, 7, 15, 615, 647, 711, 839, 1095, 1607, 2631, 4679]);
    assert_eq!(launches.iter().filter(|at| **at < 3600).count(), 12);
    assert_eq!(launches.len(), 30);

    // It recovers, by itself; after two healthy minutes nothing is left of it.
    pass_rest(&fixture, &service).await;
    assert_eq!(*service.state().borrow(), EngineState::Ready);
    assert_eq!(service.start("a").await, Ok(31));
    assert_eq!(service.diagnosis(), None);
    assert_ne!(fixture.saved().await, "{}");
    let healthy = fixture.clock.now();
    fixture
        .clock
        .turn_until("two minutes are over", Duration::from_secs(1), || {
            fixture.clock.now() - healthy > TimeDelta::seconds(130)
        })
        .await;
    let mut saved = fixture.saved().await;
    while saved != "{}" {
        tokio::task::yield_now().await;
        saved = fixture.saved().await;
    }
    assert!(notices.try_recv().is_err(), "it was told once");
    let next = fixture.service(fixture.program(0));
    next.recall().await;
    assert_eq!(*next.state().borrow(), EngineState::Stopped);
}

#[tokio::test]
async fn a_request_waits_for_a_short_rest_and_is_told_of_a_longer_one() {
    let fixture = Fixture::new();
    let service = fixture.service(fixture.program(4));
    assert_eq!(service.start("a").await, Err(will_not_start()));
    let waiting = tokio::spawn({
        let service = service.clone();
        async move { service.start("a").await }
    });
    tokio::task::yield_now().await;
    fixture.clock.set(rest(&service).await);
    assert_eq!(waiting.await.unwrap(), Err(will_not_start()));
    pass_rest(&fixture, &service).await;
    pass_rest(&fixture, &service).await;
    let until = fixture.at(7 + 8);
    assert_eq!(service.start("a").await, Err(EngineError::Resting { until }));
    pass_rest(&fixture, &service).await;
    assert_eq!(service.start("a").await, Ok(5));
}

#[tokio::test]
async fn a_person_who_wants_it_started_does_not_wait() {
    let fixture = Fixture::new();
    let service = fixture.service(fixture.program(5));
    assert_eq!(service.restart().await, Ok(()), "nothing was ever asked for");
    assert_eq!(service.start("a").await, Err(will_not_start()));
    for _ in 1..5 {
        pass_rest(&fixture, &service).await;
    }
    assert_eq!(*service.state().borrow(), EngineState::Flapping { until: fixture.at(615) });
    assert_eq!(service.restart().await, Ok(()));
    assert_eq!(*service.state().borrow(), EngineState::Ready);
    assert_eq!(fixture.launches(&service), [0, 1, 3, 7, 15, 15]);
    assert_eq!(fixture.saved().await, "{}");
}

#[tokio::test]
async fn what_was_stopped_is_not_started_by_itself() {
    let fixture = Fixture::new();
    let service = fixture.service(fixture.program(1));
    assert_eq!(service.start("a").await, Err(will_not_start()));
    service.stop().await;
    assert_eq!(*service.state().borrow(), EngineState::Stopped);
    fixture.clock.turn(Duration::from_secs(7200));
    // The task has heard of the time before it hears of this.
    service.recall().await;
    assert_eq!(fixture.launches(&service), [0]);
    assert_eq!(service.start("a").await, Ok(2));
}

#[tokio::test]
async fn another_purpose_does_not_rest_for_the_crashes_of_the_first() {
    let fixture = Fixture::new();
    let service = fixture.service(fixture.program(5));
    assert_eq!(service.start("a").await, Err(will_not_start()));
    for _ in 1..5 {
        pass_rest(&fixture, &service).await;
    }
    assert_eq!(service.start("b").await, Ok(6));
    assert!(matches!(service.start("a").await, Err(EngineError::Flapping { .. })));
    assert_eq!(service.start("b").await, Ok(6), "a refused request ends nothing");
}

#[tokio::test]
async fn three_missed_answers_replace_the_process_and_it_is_ready_only_when_it_answers_again() {
    let fixture = Fixture::new();
    let service = fixture.service(fixture.program(0));
    assert_eq!(service.start("a").await, Ok(1));
    service.program().deaf.store(2, Ordering::Relaxed);
    let second = Duration::from_secs(1);
    let (clock, deaf) = (&fixture.clock, &service.program().deaf);
    clock.turn_until("two are missed", second, || deaf.load(Ordering::Relaxed) == 0).await;
    clock.turn_until("it is asked again", second, || clock.now() > fixture.at(60)).await;
    assert_eq!(service.start("a").await, Ok(1), "two are not three");

    // Three in a row, and the new process is deaf for a while too.
    deaf.store(6, Ordering::Relaxed);
    let crash = service.shared.crash.subscribe();
    clock.turn_until("it is replaced", second, || crash.borrow().is_some()).await;
    assert_eq!(service.why_gone(&1).await, Some(EngineError::Unhealthy));
    let (state, launched) = (service.state(), &service.program().launched);
    let is_verified = || *state.borrow() == EngineState::Ready && lock(launched).len() == 2;
    clock.turn_until("it is verified", Duration::from_millis(100), is_verified).await;
    assert_eq!(deaf.load(Ordering::Relaxed), 0);
    assert_eq!(service.start("a").await, Ok(2));
}

#[tokio::test]
async fn what_nobody_uses_is_ended_and_started_by_the_next_request() {
    let fixture = Fixture::new();
    let program = Unlucky { unload_after: Some(Duration::from_secs(60)), ..fixture.program(0) };
    let service = fixture.service(program);
    assert_eq!(service.start("a").await, Ok(1));
    let (clock, state, second) = (&fixture.clock, service.state(), Duration::from_secs(1));
    let in_use = service.in_use();
    clock.turn_until("a long answer is read", second, || clock.now() > fixture.at(200)).await;
    assert_eq!(*state.borrow(), EngineState::Ready);
    drop(in_use);
    let read = clock.now();
    clock.turn_until("it is unloaded", second, || *state.borrow() == EngineState::Unloaded).await;
    assert!(clock.now() - read >= TimeDelta::seconds(60));
    assert_eq!(service.start("a").await, Ok(2));
}

#[tokio::test]
async fn a_port_that_somebody_else_took_is_no_failure() {
    let fixture = Fixture::new();
    let service = fixture.service(Unlucky { is_taken: true, ..fixture.program(2) });
    assert_eq!(service.start("a").await, Ok(3));
}

#[tokio::test]
async fn a_service_that_never_gets_a_port_is_given_up() {
    let fixture = Fixture::new();
    let service = fixture.service(Unlucky { is_taken: true, ..fixture.program(3) });
    assert_eq!(service.start("a").await, Err(will_not_start()));
    assert_eq!(fixture.launches(&service), [0, 0, 0]);
    assert_eq!(*service.state().borrow(), EngineState::Resting { until: fixture.at(1) });
}

#[tokio::test]
async fn a_service_that_never_ran_can_be_stopped() {
    let fixture = Fixture::new();
    fixture.service(fixture.program(0)).stop().await;
}

#[test]
fn a_service_outlives_the_runtime_that_it_was_started_in() {
    let fixture = Fixture::new();
    let service = fixture.service(fixture.program(0));
    for number in [1, 2] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        assert_eq!(runtime.block_on(service.start("a")), Ok(number));
        drop(runtime);
        assert_eq!(*service.state().borrow(), EngineState::Stopped);
    }
}

#[tokio::test]
async fn who_is_told_to_forget_knows_nothing_of_its_crashes_and_saves_nothing_of_them() {
    let fixture = Fixture::new();
    let service = fixture.service(fixture.program(1));
    assert_eq!(service.start("a").await, Err(will_not_start()));
    assert_ne!(fixture.saved().await, "");

    service.forget().await;
    assert_eq!(fixture.operational.load(Kept::Services).await.unwrap(), []);
    assert_eq!((service.log(), service.diagnosis()), (Vec::new(), None));
    assert_eq!(*service.state().borrow(), EngineState::Stopped);
    assert_eq!(service.start("a").await, Ok(2), "no rest of an earlier crash holds it up");
    service.stop().await;
    assert_eq!(fixture.operational.load(Kept::Services).await.unwrap(), []);
}
