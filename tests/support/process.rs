//! Processes, as `/proc` shows them: whose child somebody is, and whether they still run.

use std::path::PathBuf;
use std::process::Command;

/// A process id.
pub type Pid = u32;

/// A process that another one started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: Pid,
    /// Its program, where that may be known.
    pub executable: Option<PathBuf>,
}

/// The running children of a process.
pub fn children(parent: Pid) -> Vec<Process> {
    all().into_iter().filter(|(_, their_parent)| *their_parent == parent).map(|(pid, _)| describe(pid)).collect()
}

/// The running processes whose program has this file name and that come from `ancestor`.
pub fn descendants(ancestor: Pid, program: &str) -> Vec<Process> {
    let mut found = Vec::new();
    let mut waiting = vec![ancestor];
    while let Some(parent) = waiting.pop() {
        for child in children(parent) {
            waiting.push(child.pid);
            if child.executable.as_ref().is_some_and(|path| path.file_name().is_some_and(|name| name == program)) {
                found.push(child);
            }
        }
    }
    found
}

/// Whether a process runs: it exists and is more than a remainder that its parent has not looked at yet.
pub fn is_alive(pid: Pid) -> bool {
    state_and_parent(pid).is_some_and(|(state, _)| state != 'Z')
}

/// Sends a signal by its short name ("TERM"); a process that is gone does not mind.
pub fn signal(pid: Pid, name: &str) {
    let _ = Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status();
}

fn all() -> Vec<(Pid, Pid)> {
    let entries = std::fs::read_dir("/proc").map(|entries| entries.filter_map(Result::ok).collect::<Vec<_>>());
    entries
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|pid| match state_and_parent(pid)? {
            ('Z', _) => None,
            (_, parent) => Some((pid, parent)),
        })
        .collect()
}

fn describe(pid: Pid) -> Process {
    Process { pid, executable: std::fs::read_link(format!("/proc/{pid}/exe")).ok() }
}

/// From `/proc/PID/stat`: `12 (name, which may hold anything) S 1 …`.
fn state_and_parent(pid: Pid) -> Option<(char, Pid)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}
