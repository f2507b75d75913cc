//! Atlas's log: a few lines about what happened and when, for a person who looks for a fault.
//!
//! Invariant: a line is made of a time and of words that Atlas itself chose, with names of services and models. Nothing that
//! a person or a model wrote goes into it, and no key: whoever writes a line hands over facts, never a text of theirs.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The file, and those before it, in the folder of logs.
const FILES: [&str; 3] = ["atlas.log", "atlas.1.log", "atlas.2.log"];
/// A file of more bytes than this makes way for a new one.
const LONGEST: u64 = 256 * 1024;
/// How many lines may wait to be written; more are let go, because nothing waits for a log.
const WAITING: usize = 256;
/// The longest line, in characters.
const LONGEST_LINE: usize = 300;

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export, rename = "LogLevel")]
pub enum Level {
    /// As it should be.
    Info,
    /// It healed, or the person was told what to do.
    Warning,
    /// It should not have happened.
    Error,
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export, rename = "LogLine")]
pub struct Line {
    /// When.
    pub at: DateTime<Utc>,
    /// How much it matters.
    pub level: Level,
    /// What happened.
    pub text: String,
}

impl Line {
    /// "2026-03-02T08:00:00Z warning OpenRouter is busy (rate limit): waited, then it worked".
    fn written(&self) -> String {
        let at = self.at.to_rfc3339_opts(SecondsFormat::Secs, true);
        let plain = self.text.chars().map(|c| if c.is_control() { ' ' } else { c });
        let text: String = plain.take(LONGEST_LINE).collect();
        format!("{at} {} {text}", self.level.word())
    }

    /// A written line; `None` where it is none, as after a crash in the middle of one.
    fn read(written: &str) -> Option<Self> {
        let (at, rest) = written.split_once(' ')?;
        let (level, text) = rest.split_once(' ')?;
        let level = [Level::Info, Level::Warning, Level::Error].into_iter().find(|known| known.word() == level)?;
        let at = DateTime::parse_from_rfc3339(at).ok()?.with_timezone(&Utc);
        Some(Self { at, level, text: text.to_owned() })
    }
}

/// The log, open for writing. It never holds up whoever writes, and a log that cannot be written breaks nothing.
#[derive(Clone)]
pub struct Log {
    lines: SyncSender<Line>,
    folder: PathBuf,
}

impl Log {
    /// The log in a folder, which is made at the first line.
    pub fn in_folder(folder: PathBuf) -> Self {
        let (lines, waiting) = sync_channel(WAITING);
        let into = folder.clone();
        // Without the thread nothing is written.
        let _ = thread::Builder::new().name("log".into()).spawn(move || write_along(&into, &waiting));
        Self { lines, folder }
    }

    /// Writes a line.
    pub fn write(&self, at: DateTime<Utc>, level: Level, text: impl Into<String>) {
        let _ = self.lines.try_send(Line { at, level, text: text.into() });
    }

    /// The last lines, the oldest first. It reads files: call it where blocking is allowed.
    pub fn last(&self, count: usize) -> Vec<Line> {
        let read = |name: &&str| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        let mut lines = Vec::new();
        for text in FILES.iter().map(read) {
            lines.extend(text.lines().rev().filter_map(Line::read).take(count - lines.len()));
            if lines.len() == count {
                break;
            }
        }
        lines.reverse();
        lines
    }
}

fn write_along(folder: &Path, lines: &Receiver<Line>) {
    while let Ok(line) = lines.recv() {
        let _ = append(folder, &line);
    }
}

fn append(folder: &Path, line: &Line) -> io::Result<()> {
    let path = folder.join(FILES[0]);
    if fs::metadata(&path).is_ok_and(|file| file.len() > LONGEST) {
        make_way(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut file: File = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{}", line.written())
}

/// Each file takes the name of the one before it; the oldest goes.
fn make_way(folder: &Path) -> io::Result<()> {
    for pair in FILES.windows(2).rev() {
        match fs::rename(folder.join(pair[0]), folder.join(pair[1])) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone as _;

    use super::*;

    fn line(second: u32, text: &str) -> Line {
        let at = Utc.with_ymd_and_hms(2026, 3, 2, 9, 0, second).unwrap();
        Line { at, level: Level::Warning, text: text.to_owned() }
    }

    fn log(folder: &Path) -> Log {
        Log { lines: sync_channel(0).0, folder: folder.to_owned() }
    }

    #[test]
    fn what_was_written_is_read_again_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let lines = [line(1, "The network is gone"), line(2, "OpenRouter answered")];
        lines.iter().for_each(|line| append(folder.path(), line).unwrap());
        fs::OpenOptions::new()
            .append(true)
            .open(folder.path().join(FILES[0]))
            .unwrap()
            .write_all(b"2026-03-02T09:00:03Z warn")
            .unwrap();
        assert_eq!(log(folder.path()).last(9), lines);
        assert_eq!(log(folder.path()).last(1), lines[1..]);
        assert_eq!(log(&folder.path().join("nowhere")).last(9), []);
    }

    #[test]
    fn a_line_cannot_become_two() {
        let written = line(1, "name\nwith 2026-03-02T09:00:00Z error breaks").written();
        assert_eq!(written.lines().count(), 1);
        assert!(line(1, &"long ".repeat(200)).written().len() < LONGEST_LINE + 40);
    }

    #[test]
    fn a_log_that_grew_too_long_makes_way_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        for second in 0..4 {
            append(folder.path(), &line(second, "before")).unwrap();
            let file = OpenOptions::new().append(true).open(folder.path().join(FILES[0])).unwrap();
            file.set_len(LONGEST + 1).unwrap();
        }
        append(folder.path(), &line(9, "now")).unwrap();
        let seconds: Vec<_> = log(folder.path()).last(9).iter().map(|line| line.at.timestamp() % 60).collect();
        assert_eq!(seconds, [2, 3, 9]);
    }
}
