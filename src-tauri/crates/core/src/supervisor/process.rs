//! One child process that cannot outlive Atlas.
//!
//! Invariant: on Linux the kernel kills the child as soon as the thread that started it ends, however Atlas ends, a
//! SIGKILL included. So each child has a thread of its own that starts it and then waits for its end. On other systems
//! the child is ended when its [`Process`] is dropped, which a crash of Atlas skips.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, PipeReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use tokio::sync::{oneshot, watch};

use crate::providers::secret::Secret;

/// How many lines of its output are kept.
const KEPT_LINES: usize = 20;
/// The longest line that is kept, in characters.
const KEPT_CHARS: usize = 300;
/// The longest piece that is read as one line, in bytes: output without line breaks must not fill the memory.
const LONGEST_LINE: u64 = 4096;
/// How long the last lines may take to arrive after the end: a grandchild may hold the pipe open.
const LAST_LINES: Duration = Duration::from_millis(500);

/// A running (or ended) child process with its process group. Dropping it kills the group.
pub(super) struct Process {
    shared: Arc<Shared>,
    ended: watch::Receiver<Option<End>>,
}

#[derive(Default)]
struct Shared {
    log: Mutex<VecDeque<String>>,
    group: group::Slot,
}

/// How a process ended that was not asked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// By itself.
    Itself,
    /// By an instruction that the processor does not have.
    IllegalInstruction,
    /// The system killed it because the memory was full.
    ForMemory,
    /// Another program killed it.
    Killed,
}

/// What a process printed; it can still be read when the process is gone.
#[derive(Clone)]
pub(super) struct Output(Arc<Shared>);

impl Output {
    /// The last lines.
    pub(super) fn lines(&self) -> Vec<String> {
        lock(&self.0.log).iter().cloned().collect()
    }
}

impl Process {
    /// Starts a command without input, as the leader of a group of its own. What it prints is kept for diagnosis,
    /// without the secret.
    pub(super) async fn spawn(command: Command, secret: Secret) -> io::Result<Self> {
        let (started, start) = oneshot::channel();
        thread::Builder::new().name("child".into()).spawn(move || keep(command, &secret, started))?;
        start.await.unwrap_or_else(|_| Err(io::ErrorKind::Other.into()))
    }

    /// Whether it has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }

    /// Waits for its end.
    pub(super) async fn ended(&mut self) -> End {
        // The sender is the child's own thread, which says so before it goes.
        let ended = self.ended.wait_for(Option::is_some).await;
        ended.ok().and_then(|end| *end).unwrap_or(End::Itself)
    }

    /// Asks it to end, and kills it when it has not after the grace.
    pub(super) async fn stop(mut self, grace: impl Future<Output = ()>) {
        self.shared.group.ask_to_end();
        tokio::select! {
            _ = self.ended() => return,
            () = grace => {}
        }
        self.kill().await;
    }

    /// Kills it, and waits for its end: for one that would not hear, since it is stopped or hangs.
    pub(super) async fn kill(mut self) {
        self.shared.group.kill();
        self.ended().await;
    }

    /// What it prints.
    pub(super) fn output(&self) -> Output {
        Output(self.shared.clone())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.shared.group.kill();
    }
}

/// The life of a child, on the thread that it is tied to.
fn keep(command: Command, secret: &Secret, started: oneshot::Sender<io::Result<Process>>) {
    let (child, output) = match start(command) {
        Ok(started) => started,
        Err(error) => {
            let _ = started.send(Err(error));
            return;
        }
    };
    let shared = Arc::new(Shared::default());
    shared.group.fill(&child);
    let killed_for_memory = memory_kills();
    let (end, ended) = watch::channel(None);
    let lines_are_read = read_lines(output, shared.clone(), secret.clone());
    // Where nobody waits for it any more, the process is dropped here, and so killed.
    let _ = started.send(Ok(Process { shared: shared.clone(), ended }));
    let status = shared.group.wait(child);
    let _ = lines_are_read.recv_timeout(LAST_LINES);
    end.send_replace(Some(how_it_ended(group::signal_of(status), killed_for_memory, memory_kills())));
}

/// What a signal means, with the number of kills for memory at the start and at the end, where the system tells it.
fn how_it_ended(signal: Option<i32>, before: Option<u64>, after: Option<u64>) -> End {
    const ILLEGAL: i32 = 4;
    const KILL: i32 = 9;
    match signal {
        Some(ILLEGAL) => End::IllegalInstruction,
        Some(KILL) => match (before, after) {
            (Some(before), Some(after)) if before == after => End::Killed,
            // Where the system does not tell, nobody else kills like that as a rule.
            _ => End::ForMemory,
        },
        _ => End::Itself,
    }
}

/// How many processes the kernel has killed because the memory was full, since it started.
fn memory_kills() -> Option<u64> {
    let counters = std::fs::read_to_string("/proc/vmstat").ok()?;
    counters.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

/// The child, and what it prints on both its outputs.
fn start(mut command: Command) -> io::Result<(Child, PipeReader)> {
    let (output, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    group::prepare(&mut command);
    // The command is dropped here, and with it this process's ends of the pipe: else its end would never be seen.
    Ok((command.spawn()?, output))
}

/// Keeps the last lines, on another thread. The receiver hears (an error) when all is read.
fn read_lines(output: PipeReader, shared: Arc<Shared>, secret: Secret) -> mpsc::Receiver<()> {
    let (done, lines_are_read) = mpsc::channel();
    let read = move || {
        let _done = done;
        let (mut output, mut line) = (BufReader::new(output), Vec::new());
        while let Ok(1..) = output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            let text = secret.redact(String::from_utf8_lossy(&line).trim_end());
            line.clear();
            if !text.is_empty() {
                let mut log = lock(&shared.log);
                if log.len() == KEPT_LINES {
                    log.pop_front();
                }
                log.push_back(text.chars().take(KEPT_CHARS).collect());
            }
        }
    };
    // Without the thread nothing is read: the child gets a closed pipe, and its log stays empty.
    let _ = thread::Builder::new().name("child-output".into()).spawn(read);
    lines_are_read
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod group {
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::process::{Child, Command, ExitStatus};
    use std::sync::Mutex;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    use super::lock;

    /// A child's process group, while its number is its own.
    ///
    /// Invariant: signals are sent, and the child is reaped, under the lock only: a number that was given back may
    /// belong to a stranger.
    #[derive(Default)]
    pub(super) struct Slot(Mutex<Option<Pid>>);

    impl Slot {
        pub(super) fn fill(&self, child: &Child) {
            *lock(&self.0) = Some(Pid::from_child(child));
        }

        pub(super) fn ask_to_end(&self) {
            self.signal(Signal::TERM);
        }

        pub(super) fn kill(&self) {
            self.signal(Signal::KILL);
        }

        fn signal(&self, signal: Signal) {
            if let Some(group) = *lock(&self.0) {
                // It fails only where nobody of the group is left.
                let _ = kill_process_group(group, signal);
            }
        }

        /// Waits for the child's end, then ends what is left of its group.
        pub(super) fn wait(&self, mut child: Child) -> Option<ExitStatus> {
            let pid = Pid::from_child(&child);
            // Not reaped yet: its number stays its own until the lock is held. An interrupted wait begins again.
            while waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
                .is_err_and(|error| error == rustix::io::Errno::INTR)
            {}
            let mut group = lock(&self.0);
            let _ = kill_process_group(pid, Signal::KILL);
            let status = child.wait().ok();
            *group = None;
            status
        }
    }

    pub(super) fn signal_of(status: Option<ExitStatus>) -> Option<i32> {
        status?.signal()
    }

    /// A group of its own, so that signals of a terminal do not reach it before Atlas has ended it properly.
    pub(super) fn prepare(command: &mut Command) {
        command.process_group(0);
        #[cfg(target_os = "linux")]
        tie_to_this_thread(command);
    }

    #[cfg(target_os = "linux")]
    fn tie_to_this_thread(command: &mut Command) {
        let parent = rustix::process::getpid();
        let tie = move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // Atlas may have died before the line above; then nobody would ever send the signal.
            match rustix::process::getppid() {
                Some(now) if now == parent => Ok(()),
                _ => Err(std::io::ErrorKind::BrokenPipe.into()),
            }
        };
        // SAFETY: between fork and exec only async-signal-safe calls may be made; `tie` makes two system calls and
        // neither allocates nor takes a lock.
        #[allow(unsafe_code)]
        unsafe {
            command.pre_exec(tie);
        }
    }
}

#[cfg(not(unix))]
mod group {
    use std::process::{Child, Command, ExitStatus};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    /// A child, and whether it shall end. Here is no way to ask for it: it is killed at once.
    #[derive(Default)]
    pub(super) struct Slot(AtomicBool);

    impl Slot {
        pub(super) fn fill(&self, _: &Child) {}

        pub(super) fn ask_to_end(&self) {
            self.kill();
        }

        pub(super) fn kill(&self) {
            self.0.store(true, Ordering::Release);
        }

        pub(super) fn wait(&self, mut child: Child) -> Option<ExitStatus> {
            while let Ok(None) = child.try_wait() {
                if self.0.load(Ordering::Acquire) {
                    let _ = child.kill();
                    break;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            child.wait().ok()
        }
    }

    pub(super) fn signal_of(_: Option<ExitStatus>) -> Option<i32> {
        None
    }

    pub(super) fn prepare(_: &mut Command) {}
}

#[cfg(test)]
#[cfg(target_os = "linux")]
pub(super) mod tests {
    use super::*;

    /// Whether a process lives. One that has ended and waits to be reaped does not.
    pub(in super::super) fn is_alive(pid: u32) -> bool {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
        !stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
    }

    /// Waits until something is so; at most ten seconds.
    pub(in super::super) async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
        let waited = async {
            while !is_so() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), waited).await.unwrap_or_else(|_| panic!("never: {what}"));
    }

    async fn shell(script: &str) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Process::spawn(command, Secret::new("s3cr3t-token").unwrap()).await.unwrap()
    }

    /// The number that a script printed as its first line.
    async fn printed_pid(process: &Process) -> u32 {
        eventually("it prints a number", || !process.output().lines().is_empty()).await;
        process.output().lines()[0].parse().unwrap()
    }

    #[tokio::test]
    async fn the_last_lines_are_kept_without_the_secret() {
        let mut process = shell("for n in $(seq 30); do echo line $n; done; echo key s3cr3t-token >&2").await;
        process.ended().await;
        let mut expected: Vec<_> = (12..=30).map(|n| format!("line {n}")).collect();
        expected.push("key [key]".into());
        assert_eq!(process.output().lines(), expected);
    }

    #[tokio::test]
    async fn output_without_line_breaks_does_not_fill_the_memory() {
        let mut process = shell("head -c 1000000 /dev/zero | tr '\\0' x").await;
        process.ended().await;
        assert_eq!(process.output().lines(), vec!["x".repeat(KEPT_CHARS); KEPT_LINES]);
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_an_error() {
        let started = Process::spawn(Command::new("/nowhere/program"), Secret::new("x").unwrap()).await;
        assert_eq!(started.err().map(|error| error.kind()), Some(io::ErrorKind::NotFound));
    }

    #[tokio::test]
    async fn a_process_that_will_not_end_is_killed_after_the_grace() {
        let process = shell("trap '' TERM; echo $$; while :; do sleep 600; done").await;
        let pid = printed_pid(&process).await;
        process.stop(tokio::time::sleep(Duration::from_millis(50))).await;
        assert!(!is_alive(pid));
    }

    #[tokio::test]
    async fn what_a_process_started_ends_with_it() {
        let process = shell("sleep 600 & echo $!; wait").await;
        let grandchild = printed_pid(&process).await;
        assert!(is_alive(grandchild));
        drop(process);
        eventually("the grandchild has ended", || !is_alive(grandchild)).await;
    }

    #[tokio::test]
    async fn what_is_left_of_a_group_ends_when_its_leader_does() {
        let mut process = shell("sleep 600 & echo $!").await;
        let grandchild = printed_pid(&process).await;
        process.ended().await;
        eventually("the grandchild has ended", || !is_alive(grandchild)).await;
    }

    #[tokio::test]
    async fn how_a_process_ended_is_told() {
        assert_eq!(shell("exit 3").await.ended().await, End::Itself);
        assert_eq!(shell("kill -ILL $$").await.ended().await, End::IllegalInstruction);
        let told = if memory_kills().is_some() { End::Killed } else { End::ForMemory };
        assert_eq!(shell("kill -KILL $$").await.ended().await, told);
    }

    #[test]
    fn a_kill_is_for_memory_where_the_kernel_counted_one_or_does_not_count() {
        assert_eq!(how_it_ended(Some(9), Some(1), Some(2)), End::ForMemory);
        assert_eq!(how_it_ended(Some(9), None, None), End::ForMemory);
        assert_eq!(how_it_ended(Some(9), Some(1), Some(1)), End::Killed);
        assert_eq!(how_it_ended(None, Some(1), Some(2)), End::Itself);
    }

    #[tokio::test]
    async fn what_a_process_printed_can_be_read_when_it_is_gone() {
        let mut process = shell("echo last words").await;
        let output = process.output();
        process.ended().await;
        drop(process);
        assert_eq!(output.lines(), ["last words"]);
    }

    #[tokio::test]
    async fn a_process_that_was_stopped_by_a_signal_can_be_killed() {
        let process = shell("echo $$; kill -STOP $$").await;
        let pid = printed_pid(&process).await;
        process.kill().await;
        assert!(!is_alive(pid));
    }
}
