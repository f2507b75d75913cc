//! Conversations with labelled questions, as `data/README.md` describes them, and filler memories.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Days, NaiveDateTime, Utc};
use serde_json::Value;

/// A conversation of two people, and what can be asked of it.
pub struct Dialogue {
    pub turns: Vec<Turn>,
    pub questions: Vec<Question>,
}

/// What somebody said.
#[derive(Clone)]
pub struct Turn {
    pub id: String,
    /// Turns of one number belong together.
    pub session: i64,
    pub at: DateTime<Utc>,
    pub speaker: String,
    pub text: String,
}

/// A question, and the turns that answer it.
pub struct Question {
    pub text: String,
    pub category: String,
    pub evidence: Vec<String>,
}

impl Question {
    /// Whether its evidence is the wrong speaker's turn; such questions stand apart.
    pub fn is_adversarial(&self) -> bool {
        self.category == "adversarial"
    }
}

impl Dialogue {
    /// The day after the last turn.
    pub fn now(&self) -> DateTime<Utc> {
        after(&self.turns)
    }
}

/// The day after the last of these turns.
pub fn after(turns: &[Turn]) -> DateTime<Utc> {
    let last = turns.iter().map(|turn| turn.at).max().unwrap_or_default();
    last.checked_add_days(Days::new(1)).unwrap_or(last)
}

/// All conversations of a folder, in the order of their files' names.
pub fn dialogues(folder: &Path) -> Vec<Dialogue> {
    files(folder).iter().map(|file| dialogue(file)).collect()
}

/// The files of a folder's conversations, in the order of their names.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display()))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files
}

fn dialogue(file: &Path) -> Dialogue {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
    let question = |question: &Value| Question {
        text: string(&question["text"]),
        category: string(&question["category"]),
        evidence: question["evidence"].as_array().into_iter().flatten().map(string).collect(),
    };
    Dialogue {
        turns: list("turns").iter().map(turn).collect(),
        questions: list("questions").iter().map(question).collect(),
    }
}

/// The filler memories of a file, one a line.
pub fn filler(file: &Path) -> Vec<Turn> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let read = |line: &str| turn(&serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")));
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

fn turn(value: &Value) -> Turn {
    let at = string(&value["at"]);
    let forms = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"];
    let at = forms.iter().find_map(|form| NaiveDateTime::parse_from_str(&at, form).ok());
    Turn {
        id: string(&value["id"]),
        session: value["session"].as_i64().unwrap_or_default(),
        at: at.expect("a turn has a moment").and_utc(),
        speaker: string(&value["speaker"]),
        text: string(&value["text"]),
    }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
