//! The start of a service's process, until it is healthy.

use std::io;
use std::time::Duration;

use super::super::diagnosis::diagnose;
use super::super::process::{End, Process};
use super::super::service::{Launch, Program, Reply, Request, Shared, lock};
use super::{GRACE, Keeper, Running, WHILE_RUNNING};
use crate::providers::error::{Diagnosis, EngineError};

/// How often health is asked for while a service starts.
const WHILE_STARTING: Duration = Duration::from_millis(100);
/// How long an answer about health may take.
const ANSWER: Duration = Duration::from_secs(5);
/// How often a start is tried where another program took the port in between.
const PORTS: usize = 3;

/// How waiting for health ended.
enum Startup {
    Healthy,
    Ended(End),
    Late,
    Unwanted,
}

/// Why a start did not work.
pub(super) enum Failed {
    /// It counts as a crash: the process ran.
    Crash(EngineError),
    /// Nothing ran, or it was not wanted any more.
    Other(EngineError),
}

impl<P: Program> Keeper<P> {
    /// Starts a process and waits until it is healthy.
    pub(super) async fn bring_up(
        &mut self,
        purpose: &P::Purpose,
        waiting: &mut Vec<Reply<P>>,
    ) -> Result<Running<P>, Failed> {
        let shared = self.shared.clone();
        let mut tried = 0;
        loop {
            tried += 1;
            let Launch { command, address, secret } = shared.program.launch(purpose).map_err(Failed::Other)?;
            let mut process = Process::spawn(command, secret).await.map_err(cannot_start)?;
            let output = process.output();
            *lock(&shared.output) = Some(output.clone());
            match self.until_healthy(&mut process, purpose, &address, waiting).await {
                Startup::Healthy => {
                    let look_at = shared.ground.clock.now() + WHILE_RUNNING;
                    return Ok(Running { purpose: purpose.clone(), address, process, look_at, misses: 0 });
                }
                Startup::Ended(_) if tried < PORTS && shared.program.is_taken(&address) => {}
                Startup::Ended(end) => return Err(Failed::Crash(why_not_started(end, output.lines()))),
                Startup::Late => {
                    process.kill().await;
                    return Err(Failed::Crash(EngineError::NotReady));
                }
                Startup::Unwanted => {
                    process.stop(shared.ground.clock.sleep(GRACE)).await;
                    return Err(Failed::Other(EngineError::NotReady));
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
        let shared = self.shared.clone();
        let late = shared.ground.clock.sleep(shared.program.patience());
        let healthy = async {
            let mut wait = Duration::ZERO;
            while !look(&shared, address, wait).await {
                wait = WHILE_STARTING;
            }
        };
        tokio::pin!(late, healthy);
        loop {
            tokio::select! {
                // First the end: what answers on the port of a dead process is somebody else.
                biased;
                end = process.ended() => return Startup::Ended(end),
                request = self.requests.recv() => match request {
                    None => return Startup::Unwanted,
                    Some(Request::Recall { done }) => drop(done.send(())),
                    Some(Request::Start { purpose: same, reply }) if same == *purpose => waiting.push(reply),
                    Some(other @ Request::Start { .. }) => self.postponed.push_back(other),
                    Some(first @ (Request::Stop { .. } | Request::Restart { .. } | Request::Forget { .. })) => {
                        self.postponed.push_back(first);
                        return Startup::Unwanted;
                    }
                },
                () = &mut healthy => return Startup::Healthy,
                () = &mut late => return Startup::Late,
            }
        }
    }
}

/// Asks for health after a wait. No answer in time is a no.
pub(super) async fn look<P: Program>(shared: &Shared<P>, address: &P::Address, wait: Duration) -> bool {
    if !wait.is_zero() {
        shared.ground.clock.sleep(wait).await;
    }
    tokio::select! {
        is_healthy = shared.program.is_healthy(address) => is_healthy,
        () = shared.ground.clock.sleep(ANSWER) => false,
    }
}

fn why_not_started(end: End, log: Vec<String>) -> EngineError {
    let diagnosis = match end {
        End::ForMemory => return EngineError::KilledForMemory { log },
        End::IllegalInstruction => Some(Diagnosis::IllegalInstruction),
        End::Killed => Some(Diagnosis::EndedFromOutside),
        End::Itself => diagnose(&log),
    };
    EngineError::WillNotStart { log, diagnosis }
}

fn cannot_start(error: io::Error) -> Failed {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Failed::Other(EngineError::NotInstalled),
        _ => Failed::Crash(EngineError::WillNotStart { log: vec![error.to_string()], diagnosis: None }),
    }
}
