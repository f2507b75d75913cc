//! Atlas is killed at a random point while it writes, again and again, on one and the same database. What it acknowledged
//! is there every time, nothing is half-written, and the file is sound.
//!
//! A hundred times, or as often as `ATLAS_KILLS` says. `ATLAS_SEED` repeats a run.

#![allow(clippy::unwrap_used)]

mod check;
mod child;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often Atlas is killed.
const KILLS: u64 = 100;
/// As many acknowledgements are waited for at most before the kill.
const MOST_ACKS: u64 = 14;
/// The longest pause between the last acknowledgement and the kill, in microseconds: a write takes less.
const LONGEST_PAUSE: u64 = 12_000;
/// How long an acknowledgement may take. It is never reached where the code is right.
const PATIENCE: Duration = Duration::from_secs(60);

/// What must be true of a word that stood in a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// A fact holds it.
    Fact,
    /// A message holds it.
    Message,
    /// Nothing that is visible holds it.
    Gone,
    /// The kill came while it was written: all of it or nothing.
    Unknown,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--child", folder, seed, first] => child::write(Path::new(folder), number(seed), number(first)),
        // What test runners ask before they run anything.
        arguments if arguments.contains(&"--list") => println!("kills: test"),
        _ => run(),
    }
}

fn run() {
    let kills = std::env::var("ATLAS_KILLS").map_or(KILLS, |kills| number(&kills));
    let seed = std::env::var("ATLAS_SEED").map_or_else(|_| clock_seed(), |seed| number(&seed));
    println!("Atlas is killed {kills} times (ATLAS_SEED={seed})");
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(seed);
    let mut expected = BTreeMap::new();
    let mut acknowledged = 0;
    let started = Instant::now();
    for kill in 0..kills {
        acknowledged += kill_once(folder.path(), &mut random, &mut expected);
        if let Err(found) = check::check(folder.path(), &expected) {
            panic!("after kill {kill} of {kills} (ATLAS_SEED={seed}): {found}");
        }
    }
    println!(
        "{acknowledged} acknowledged writes are there; nothing is half-written ({:.1} s)",
        started.elapsed().as_secs_f64()
    );
}

/// Starts Atlas, kills it, and takes down what it acknowledged. How many writes that were.
fn kill_once(folder: &Path, random: &mut Random, expected: &mut BTreeMap<String, Expected>) -> u64 {
    let first = expected.len() as u64 * 2 + 1;
    let mut child = start(folder, random.draw(), first);
    let (lines, heard) = channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        // The pipe ends with the child.
        for line in output.lines().map_while(Result::ok) {
            let _ = lines.send(line);
        }
    });
    let wanted = random.below(MOST_ACKS + 1);
    let mut acknowledged = wait_for(wanted, &heard, expected);
    std::thread::sleep(Duration::from_micros(random.below(LONGEST_PAUSE)));
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
    acknowledged += heard.try_iter().map(|line| take_down(&line, expected)).sum::<u64>();
    acknowledged
}

fn start(folder: &Path, seed: u64, first: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--child", folder.to_str().unwrap(), &seed.to_string(), &first.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn wait_for(wanted: u64, heard: &Receiver<String>, expected: &mut BTreeMap<String, Expected>) -> u64 {
    let mut acknowledged = 0;
    while acknowledged < wanted {
        match heard.recv_timeout(PATIENCE) {
            Ok(line) => acknowledged += take_down(&line, expected),
            Err(RecvTimeoutError::Timeout) => panic!("Atlas stopped writing"),
            Err(RecvTimeoutError::Disconnected) => panic!("Atlas ended by itself"),
        }
    }
    acknowledged
}

/// "try fact w7" before a write, "did fact w7" after it. 1 for an acknowledgement.
fn take_down(line: &str, expected: &mut BTreeMap<String, Expected>) -> u64 {
    let [step, what, word] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("not understood: {line}") };
    let outcome = match what {
        _ if step == "try" => Expected::Unknown,
        "fact" => Expected::Fact,
        "message" => Expected::Message,
        "gone" => Expected::Gone,
        _ => panic!("not understood: {line}"),
    };
    expected.insert(word.to_owned(), outcome);
    u64::from(step == "did")
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is not a number"))
}

fn clock_seed() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64 | 1
}

/// Numbers that look random and can be had again (xorshift).
pub struct Random(u64);

impl Random {
    /// The next one.
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 | 1
    }

    /// The next one, from 0 and below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        (self.draw() >> 11) % end.max(1)
    }
}
