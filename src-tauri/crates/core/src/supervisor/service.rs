//! A child process that is started at need, watched until it is healthy, and ended.
//!
//! One task owns the process and takes requests one after another: so two requests at once start one process, and a
//! stop during a start is heard. When the last [`Service`] is dropped, the task ends, and the process with it.

use std::collections::VecDeque;
use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use ts_rs::TS;

use super::process::Process;
use crate::providers::error::EngineError;
use crate::providers::secret::Secret;

/// How often health is asked for while a service starts.
const HEALTH_EVERY: Duration = Duration::from_millis(100);
/// How long a process has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(3);
/// How often a start is tried where another program took the port in between.
const PORTS: usize = 3;
/// How many requests may wait; more wait to be taken.
const QUEUE: usize = 16;

/// The built-in engine's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum EngineState {
    /// It does not run.
    Stopped,
    /// It loads its model.
    Starting,
    /// It answers.
    Ready,
}

/// What a service runs.
#[async_trait]
pub trait Program: Send + Sync + 'static {
    /// What it shall be running for; a process that runs for something else is replaced.
    type Purpose: Clone + PartialEq + Send + Sync + 'static;
    /// How to reach a running process.
    type Address: Clone + Send + Sync + 'static;

    /// What to start.
    fn launch(&self, purpose: &Self::Purpose) -> Result<Launch<Self::Address>, EngineError>;

    /// Whether a process answers as it should.
    async fn is_healthy(&self, address: &Self::Address) -> bool;

    /// Whether the address was taken by somebody else, so that a start with another one may work.
    fn is_taken(&self, address: &Self::Address) -> bool;

    /// How long a start may take.
    fn patience(&self) -> Duration;
}

/// A process to be.
pub struct Launch<A> {
    /// What to start.
    pub command: Command,
    /// How to reach it.
    pub address: A,
    /// What must not stand in its log.
    pub secret: Secret,
}

/// A handle on a long-lived child process. Clones share the process.
pub struct Service<P: Program> {
    inner: Arc<Inner<P>>,
}

struct Inner<P: Program> {
    program: Arc<P>,
    state: watch::Sender<EngineState>,
    /// The task's ear; none before the first request, closed when its runtime is gone.
    requests: Mutex<Option<mpsc::Sender<Request<P>>>>,
}

enum Request<P: Program> {
    Start { purpose: P::Purpose, reply: Reply<P> },
    Stop { done: oneshot::Sender<()> },
}

type Reply<P> = oneshot::Sender<Result<<P as Program>::Address, EngineError>>;

impl<P: Program> Clone for Service<P> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<P: Program> Service<P> {
    /// A service that does not run yet.
    pub fn new(program: P) -> Self {
        let (state, _) = watch::channel(EngineState::Stopped);
        Self { inner: Arc::new(Inner { program: Arc::new(program), state, requests: Mutex::default() }) }
    }

    /// What it runs.
    pub fn program(&self) -> &P {
        &self.inner.program
    }

    /// Its state, now and later.
    pub fn state(&self) -> watch::Receiver<EngineState> {
        self.inner.state.subscribe()
    }

    /// Makes sure that it runs for a purpose and is healthy, and says how to reach it.
    ///
    /// Dropping the future gives up waiting; a start that is under way goes on.
    pub async fn start(&self, purpose: P::Purpose) -> Result<P::Address, EngineError> {
        let (reply, answer) = oneshot::channel();
        // The task ends only with this handle or with its runtime; then nothing runs.
        let _ = self.task().send(Request::Start { purpose, reply }).await;
        answer.await.unwrap_or(Err(EngineError::NotReady))
    }

    /// Ends it, where it runs; it has ended when this returns. The next start starts it again.
    pub async fn stop(&self) {
        // Not by the state: a start may be on its way to the task.
        let Some(task) = self.running_task() else { return };
        let (done, stopped) = oneshot::channel();
        let _ = task.send(Request::Stop { done }).await;
        let _ = stopped.await;
    }

    /// The task that owns the process; begun at the first request, and again where its runtime has ended.
    fn task(&self) -> mpsc::Sender<Request<P>> {
        let mut requests = self.requests();
        if let Some(task) = requests.as_ref().filter(|task| !task.is_closed()) {
            return task.clone();
        }
        let (task, heard) = mpsc::channel(QUEUE);
        let keeper = Keeper {
            program: self.inner.program.clone(),
            state: StateTold(self.inner.state.clone()),
            requests: heard,
            postponed: VecDeque::new(),
            running: None,
        };
        tokio::spawn(keeper.run());
        *requests = Some(task.clone());
        task
    }

    fn running_task(&self) -> Option<mpsc::Sender<Request<P>>> {
        self.requests().clone().filter(|task| !task.is_closed())
    }

    fn requests(&self) -> MutexGuard<'_, Option<mpsc::Sender<Request<P>>>> {
        self.inner.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The task that owns the process.
struct Keeper<P: Program> {
    program: Arc<P>,
    state: StateTold,
    requests: mpsc::Receiver<Request<P>>,
    /// What came during a start and waits for its end.
    postponed: VecDeque<Request<P>>,
    running: Option<Running<P>>,
}

struct Running<P: Program> {
    purpose: P::Purpose,
    address: P::Address,
    process: Process,
}

/// How waiting for health ended.
enum Startup {
    Healthy,
    Ended,
    Late,
    Unwanted,
}

impl<P: Program> Keeper<P> {
    async fn run(mut self) {
        while let Some(request) = self.next().await {
            match request {
                Request::Start { purpose, reply } => self.start(purpose, reply).await,
                Request::Stop { done } => {
                    self.stop().await;
                    let _ = done.send(());
                }
            }
        }
        self.stop().await;
    }

    /// The next request. An end of the process meanwhile is noticed.
    async fn next(&mut self) -> Option<Request<P>> {
        loop {
            if let Some(request) = self.postponed.pop_front() {
                return Some(request);
            }
            let Some(running) = &mut self.running else { return self.requests.recv().await };
            tokio::select! {
                request = self.requests.recv() => return request,
                () = running.process.ended() => {
                    self.running = None;
                    self.state.tell(EngineState::Stopped);
                }
            }
        }
    }

    async fn start(&mut self, purpose: P::Purpose, reply: Reply<P>) {
        if reply.is_closed() {
            // Whoever asked has gone before it began; nobody wants it.
            return;
        }
        if let Some(running) = &self.running
            && running.purpose == purpose
            && !running.process.has_ended()
        {
            let _ = reply.send(Ok(running.address.clone()));
            return;
        }
        self.stop().await;
        self.state.tell(EngineState::Starting);
        let mut waiting = vec![reply];
        let result = self.bring_up(&purpose, &mut waiting).await;
        self.state.tell(if result.is_ok() { EngineState::Ready } else { EngineState::Stopped });
        for reply in waiting {
            let _ = reply.send(result.clone());
        }
    }

    async fn bring_up(&mut self, purpose: &P::Purpose, waiting: &mut Vec<Reply<P>>) -> Result<P::Address, EngineError> {
        let mut tried = 0;
        loop {
            tried += 1;
            let Launch { command, address, secret } = self.program.launch(purpose)?;
            let mut process = Process::spawn(command, secret).await.map_err(cannot_start)?;
            match self.until_healthy(&mut process, purpose, &address, waiting).await {
                Startup::Healthy => {
                    self.running = Some(Running { purpose: purpose.clone(), address: address.clone(), process });
                    return Ok(address);
                }
                Startup::Ended if tried < PORTS && self.program.is_taken(&address) => {}
                Startup::Ended => return Err(EngineError::Exited { log: process.log() }),
                Startup::Late | Startup::Unwanted => {
                    process.stop(GRACE).await;
                    return Err(EngineError::NotReady);
                }
            }
        }
    }

    /// Waits until a process is healthy. Whoever asks for the same meanwhile waits with the others.
    async fn until_healthy(
        &mut self,
        process: &mut Process,
        purpose: &P::Purpose,
        address: &P::Address,
        waiting: &mut Vec<Reply<P>>,
    ) -> Startup {
        let late = tokio::time::sleep_until(Instant::now() + self.program.patience());
        let program = self.program.clone();
        let healthy = async {
            while !program.is_healthy(address).await {
                tokio::time::sleep(HEALTH_EVERY).await;
            }
        };
        tokio::pin!(late, healthy);
        loop {
            tokio::select! {
                // First the end: what answers on the port of a dead process is somebody else.
                biased;
                () = process.ended() => return Startup::Ended,
                request = self.requests.recv() => match request {
                    None => return Startup::Unwanted,
                    Some(Request::Start { purpose: same, reply }) if same == *purpose => waiting.push(reply),
                    Some(stop @ Request::Stop { .. }) => {
                        self.postponed.push_back(stop);
                        return Startup::Unwanted;
                    }
                    Some(other) => self.postponed.push_back(other),
                },
                () = &mut healthy => return Startup::Healthy,
                () = &mut late => return Startup::Late,
            }
        }
    }

    async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.process.stop(GRACE).await;
        }
        self.state.tell(EngineState::Stopped);
    }
}

fn cannot_start(error: io::Error) -> EngineError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => EngineError::NotInstalled,
        _ => EngineError::Exited { log: vec![error.to_string()] },
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A program whose first starts fail as if somebody else had its port.
    struct Unlucky {
        failures: usize,
        launched: AtomicUsize,
    }

    #[async_trait]
    impl Program for Unlucky {
        type Purpose = ();
        type Address = usize;

        fn launch(&self, (): &()) -> Result<Launch<usize>, EngineError> {
            let number = self.launched.fetch_add(1, Ordering::Relaxed) + 1;
            let mut command = Command::new("sh");
            command.args(["-c", if number <= self.failures { "echo taken; exit 1" } else { "exec sleep 600" }]);
            Ok(Launch { command, address: number, secret: Secret::new("secret").unwrap() })
        }

        async fn is_healthy(&self, number: &usize) -> bool {
            *number > self.failures
        }

        fn is_taken(&self, _: &usize) -> bool {
            true
        }

        fn patience(&self) -> Duration {
            Duration::from_secs(60)
        }
    }

    fn unlucky(failures: usize) -> Service<Unlucky> {
        Service::new(Unlucky { failures, launched: AtomicUsize::new(0) })
    }

    #[tokio::test]
    async fn a_port_that_somebody_else_took_is_no_failure() {
        assert_eq!(unlucky(2).start(()).await, Ok(3));
    }

    #[tokio::test]
    async fn a_service_that_never_gets_a_port_is_given_up() {
        let service = unlucky(PORTS);
        assert_eq!(service.start(()).await, Err(EngineError::Exited { log: vec!["taken".into()] }));
        assert_eq!(*service.state().borrow(), EngineState::Stopped);
    }

    #[tokio::test]
    async fn a_service_that_never_ran_can_be_stopped() {
        unlucky(0).stop().await;
    }

    #[test]
    fn a_service_outlives_the_runtime_that_it_was_started_in() {
        let service = unlucky(0);
        for number in [1, 2] {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            assert_eq!(runtime.block_on(service.start(())), Ok(number));
            drop(runtime);
            assert_eq!(*service.state().borrow(), EngineState::Stopped);
        }
    }
}
