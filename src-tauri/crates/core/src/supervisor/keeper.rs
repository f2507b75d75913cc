//! The task that owns a service's process: it starts it, asks for its health, starts it again when it crashed, and ends
//! it. When a start is allowed is for [`super::restart`] to say.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::{mpsc, oneshot, watch};

use super::diagnosis::diagnose;
use super::history::History;
use super::process::{End, Process};
use super::restart::{Restarts, Verdict};
use super::service::{EngineState, Notice, Program, Reply, Request, Shared, lock};
use crate::providers::error::{Diagnosis, EngineError};

mod startup;

use startup::{Failed, look};

/// How often health is asked for while a service runs.
const WHILE_RUNNING: Duration = Duration::from_secs(5);
/// So many answers that did not come, one after another, and the process is replaced.
const MISSES: u32 = 3;
/// How long a process has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(3);
/// The longest rest that a request waits for; it is told of a longer one.
const SHORT_REST: chrono::TimeDelta = chrono::TimeDelta::seconds(5);

/// The task that owns the process.
pub(super) struct Keeper<P: Program> {
    shared: Arc<Shared<P>>,
    state: StateTold,
    requests: mpsc::Receiver<Request<P>>,
    /// What came during a start and waits for its end.
    postponed: VecDeque<Request<P>>,
    running: Option<Running<P>>,
    /// What is started when its rest is over, and who waits for that.
    wanted: Option<P::Purpose>,
    waiting: Vec<Reply<P>>,
    /// What it was asked for last.
    last: Option<P::Purpose>,
    /// What happened with each purpose.
    history: History,
}

struct Running<P: Program> {
    purpose: P::Purpose,
    address: P::Address,
    process: Process,
    /// When its health is asked for next.
    look_at: DateTime<Utc>,
    misses: u32,
}

/// What the task does next.
enum Event<P: Program> {
    Asked(Request<P>),
    /// The process ended, unasked.
    Ended(End),
    /// Its health was asked for.
    Looked(bool),
    /// The rest of what is wanted is over.
    Rested,
    /// Nobody can ask any more.
    Over,
}

impl<P: Program> Keeper<P> {
    pub(super) fn new(shared: Arc<Shared<P>>, requests: mpsc::Receiver<Request<P>>) -> Self {
        Self {
            state: StateTold(shared.state.clone()),
            history: History::new(shared.program.name(), shared.ground.operational.clone()),
            shared,
            requests,
            postponed: VecDeque::new(),
            running: None,
            wanted: None,
            waiting: Vec::new(),
            last: None,
        }
    }

    pub(super) async fn run(mut self) {
        self.recall().await;
        loop {
            match self.next().await {
                Event::Asked(request) => self.serve(request).await,
                Event::Ended(end) => self.ended(end).await,
                Event::Looked(is_healthy) => self.looked(is_healthy).await,
                Event::Rested => self.rested().await,
                Event::Over => break,
            }
        }
        self.stop().await;
    }

    async fn next(&mut self) -> Event<P> {
        if let Some(request) = self.postponed.pop_front() {
            return Event::Asked(request);
        }
        let now = self.shared.ground.clock.now();
        let rest = self.wanted.as_ref().map(|wanted| match self.verdict(wanted) {
            Verdict::Now => Duration::ZERO,
            Verdict::Rest { until } | Verdict::Pause { until } => (until - now).to_std().unwrap_or_default(),
        });
        let shared = self.shared.clone();
        let rested = async {
            match rest {
                Some(rest) => shared.ground.clock.sleep(rest).await,
                None => std::future::pending().await,
            }
        };
        let (ended, looked) = match &mut self.running {
            None => (None, None),
            Some(Running { process, address, look_at, .. }) => {
                // A clock that was set back must not put it off.
                let wait = (*look_at - now).to_std().unwrap_or_default().min(WHILE_RUNNING);
                (Some(process.ended()), Some(look(&shared, address, wait)))
            }
        };
        tokio::select! {
            biased;
            Some(end) = maybe(ended) => Event::Ended(end),
            request = self.requests.recv() => request.map_or(Event::Over, Event::Asked),
            Some(is_healthy) = maybe(looked) => Event::Looked(is_healthy),
            () = rested => Event::Rested,
        }
    }

    async fn serve(&mut self, request: Request<P>) {
        match request {
            Request::Recall { done } => drop(done.send(())),
            Request::Start { purpose, reply } => self.start(purpose, reply).await,
            Request::Restart { reply } => self.restart(reply).await,
            Request::Stop { done } => {
                self.stop().await;
                let _ = done.send(());
            }
            Request::Forget { done } => {
                self.forget().await;
                let _ = done.send(());
            }
        }
    }

    async fn forget(&mut self) {
        self.stop().await;
        self.last = None;
        self.history.erase().await;
        lock(&self.shared.output).take();
        lock(&self.shared.diagnosis).take();
        self.shared.crash.send_replace(None);
    }

    async fn start(&mut self, purpose: P::Purpose, reply: Reply<P>) {
        if reply.is_closed() {
            // Whoever asked has gone before it began; nobody wants it.
            return;
        }
        self.shared.usage.touch();
        self.last = Some(purpose.clone());
        self.notice_end().await;
        if let Some(running) = &self.running
            && running.purpose == purpose
        {
            let _ = reply.send(Ok(running.address.clone()));
            return;
        }
        let now = self.shared.ground.clock.now();
        match self.verdict(&purpose) {
            Verdict::Now => self.begin(purpose, vec![reply]).await,
            Verdict::Rest { until } if until - now <= SHORT_REST => {
                self.want(purpose);
                self.waiting.push(reply);
            }
            Verdict::Rest { until } => self.refuse(purpose, reply, EngineError::Resting { until }),
            Verdict::Pause { until } => {
                let (log, diagnosis) = (self.log(), *lock(&self.shared.diagnosis));
                self.refuse(purpose, reply, EngineError::Flapping { until, log, diagnosis });
            }
        }
    }

    /// Tells that it cannot be now. Where nothing else runs, it is started when its rest is over.
    fn refuse(&mut self, purpose: P::Purpose, reply: Reply<P>, why: EngineError) {
        let _ = reply.send(Err(why));
        if self.running.is_none() {
            self.want(purpose);
        }
    }

    /// From now on this is what is started when its rest is over.
    fn want(&mut self, purpose: P::Purpose) {
        if self.wanted.as_ref() != Some(&purpose) {
            self.give_up_waiting();
            self.wanted = Some(purpose);
        }
        self.tell_rest();
    }

    fn give_up_waiting(&mut self) {
        self.wanted = None;
        for reply in self.waiting.drain(..) {
            let _ = reply.send(Err(EngineError::NotReady));
        }
    }

    async fn restart(&mut self, reply: oneshot::Sender<Result<(), EngineError>>) {
        let Some(purpose) = self.last.clone() else {
            self.history.forget_all();
            self.save().await;
            self.state.tell(EngineState::Stopped);
            let _ = reply.send(Ok(()));
            return;
        };
        self.history.forget(&self.shared.program.key(&purpose));
        self.save().await;
        self.shared.usage.touch();
        let (started, answer) = oneshot::channel();
        self.begin(purpose, vec![started]).await;
        let _ = reply.send(answer.await.unwrap_or(Err(EngineError::NotReady)).map(drop));
    }

    async fn rested(&mut self) {
        let Some(purpose) = self.wanted.clone() else { return };
        if self.verdict(&purpose) == Verdict::Now {
            self.begin(purpose, Vec::new()).await;
        }
    }

    /// Starts it for a purpose, in the place of what runs.
    async fn begin(&mut self, purpose: P::Purpose, mut waiting: Vec<Reply<P>>) {
        if self.wanted.as_ref() == Some(&purpose) {
            waiting.append(&mut self.waiting);
        }
        self.give_up_waiting();
        self.end_process().await;
        self.state.tell(EngineState::Starting);
        let result = match self.bring_up(&purpose, &mut waiting).await {
            Ok(running) => {
                let (address, now) = (running.address.clone(), self.shared.ground.clock.now());
                self.running = Some(running);
                self.of(&purpose).became_healthy(now);
                *lock(&self.shared.diagnosis) = None;
                self.state.tell(EngineState::Ready);
                Ok(address)
            }
            Err(Failed::Crash(error)) => {
                self.crashed(purpose, error.clone()).await;
                Err(error)
            }
            Err(Failed::Other(error)) => {
                self.state.tell(EngineState::Stopped);
                Err(error)
            }
        };
        for reply in waiting {
            let _ = reply.send(result.clone());
        }
    }

    /// An end that was not heard of yet counts before anything else is done.
    async fn notice_end(&mut self) {
        if let Some(running) = &mut self.running
            && running.process.has_ended()
        {
            let end = running.process.ended().await;
            self.ended(end).await;
        }
    }

    /// The process ended while it was in use.
    async fn ended(&mut self, end: End) {
        let Some(running) = self.running.take() else { return };
        let log = running.process.output().lines();
        let error = match end {
            End::ForMemory => EngineError::KilledForMemory { log },
            End::Killed => EngineError::Exited { log, diagnosis: Some(Diagnosis::EndedFromOutside) },
            End::IllegalInstruction => EngineError::Exited { log, diagnosis: Some(Diagnosis::IllegalInstruction) },
            End::Itself => EngineError::Exited { diagnosis: diagnose(&log), log },
        };
        self.shared.crash.send_replace(Some((running.address, error.clone())));
        self.crashed(running.purpose, error).await;
    }

    /// Its health was asked for.
    async fn looked(&mut self, is_healthy: bool) {
        let now = self.shared.ground.clock.now();
        let Some(running) = &mut self.running else { return };
        running.look_at = now + WHILE_RUNNING;
        if is_healthy {
            running.misses = 0;
            let purpose = running.purpose.clone();
            if self.of(&purpose).stays_healthy(now) {
                self.save().await;
            }
            self.unload_where_idle().await;
            return;
        }
        running.misses += 1;
        if running.misses >= MISSES
            && let Some(Running { purpose, address, process, .. }) = self.running.take()
        {
            // Not asked to end: one that does not answer may not hear either.
            process.kill().await;
            self.shared.crash.send_replace(Some((address, EngineError::Unhealthy)));
            self.crashed(purpose, EngineError::Unhealthy).await;
        }
    }

    async fn unload_where_idle(&mut self) {
        let after = self.shared.program.unload_after();
        if after.is_some_and(|after| self.shared.usage.idle().to_std().unwrap_or_default() >= after) {
            self.end_process().await;
            self.state.tell(EngineState::Unloaded);
        }
    }

    /// Counts a crash, and lets it rest. It is told where that is one too many.
    async fn crashed(&mut self, purpose: P::Purpose, error: EngineError) {
        *lock(&self.shared.diagnosis) = error.diagnosis();
        let now = self.shared.ground.clock.now();
        let restarts = self.of(&purpose);
        let verdict = restarts.crashed(now);
        restarts.diagnosis = error.diagnosis();
        let is_to_be_told = restarts.is_to_be_told();
        self.save().await;
        if is_to_be_told && let Verdict::Pause { until } = verdict {
            let (service, diagnosis, log) = (self.shared.program.name(), error.diagnosis(), self.log());
            // Nobody listening is no fault.
            let _ = self.shared.notices.send(Notice { service, at: now, until, diagnosis, log });
        }
        self.wanted = Some(purpose);
        self.tell_rest();
    }

    /// Tells the rest of what is wanted, where nothing runs.
    fn tell_rest(&self) {
        if let (None, Some(wanted)) = (&self.running, &self.wanted)
            && let Some(state) = resting(self.verdict(wanted))
        {
            self.state.tell(state);
        }
    }

    async fn stop(&mut self) {
        self.give_up_waiting();
        self.end_process().await;
        self.state.tell(EngineState::Stopped);
    }

    async fn end_process(&mut self) {
        if let Some(running) = self.running.take() {
            self.of(&running.purpose).was_ended();
            running.process.stop(self.shared.ground.clock.sleep(GRACE)).await;
        }
    }

    fn log(&self) -> Vec<String> {
        lock(&self.shared.output).as_ref().map(|output| output.lines()).unwrap_or_default()
    }

    fn of(&mut self, purpose: &P::Purpose) -> &mut Restarts {
        self.history.of(self.shared.program.key(purpose))
    }

    fn verdict(&self, purpose: &P::Purpose) -> Verdict {
        self.history.verdict(&self.shared.program.key(purpose), self.shared.ground.clock.now())
    }

    /// Takes up what an earlier run left.
    async fn recall(&mut self) {
        self.history.recall().await;
        if let Some((verdict, diagnosis)) = self.history.latest(self.shared.ground.clock.now())
            && let Some(state) = resting(verdict)
        {
            *lock(&self.shared.diagnosis) = diagnosis;
            self.state.tell(state);
        }
    }

    async fn save(&mut self) {
        self.history.save(self.shared.ground.clock.now()).await;
    }
}

/// The result of a future that there may not be.
async fn maybe<T>(future: Option<impl Future<Output = T>>) -> Option<T> {
    Some(future?.await)
}

fn resting(verdict: Verdict) -> Option<EngineState> {
    match verdict {
        Verdict::Now => None,
        Verdict::Rest { until } => Some(EngineState::Resting { until }),
        Verdict::Pause { until } => Some(EngineState::Flapping { until }),
    }
}

/// Tells the state, each change once; and that nothing runs when the task is dropped with its runtime.
struct StateTold(watch::Sender<EngineState>);

impl StateTold {
    fn tell(&self, state: EngineState) {
        self.0.send_if_modified(|told| std::mem::replace(told, state) != state);
    }
}

impl Drop for StateTold {
    fn drop(&mut self) {
        self.tell(EngineState::Stopped);
    }
}
