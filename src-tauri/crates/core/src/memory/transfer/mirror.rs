//! MEMORY.md and USER.md in the agent's folder: mirrors of what is known. What somebody changes in them is told from what
//! Atlas changed meanwhile, and nothing of it is lost before they decide.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction};
use serde::{Deserialize, Serialize};

use super::archive::Archive;
use super::import::{Line, notes};
use super::{MemoryFileEdits, candidates, pages};
use crate::memory::fact::{self, Origin};
use crate::memory::forgetting::forget;
use crate::memory::history::change::MemoryChange;
use crate::memory::writing::candidate::{Candidate, Decision, Rules, Source};
use crate::memory::writing::gate;
use crate::store::StoreError;
use crate::store::id::FactId;
use crate::text;

/// The mirrors, by their names in the agent's folder.
pub const FILES: [&str; 2] = ["MEMORY.md", "USER.md"];

/// Where the settings keep what was written.
const SETTING: &str = "mirrors";

/// What Atlas wrote last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Written {
    /// The hash of each file.
    pub hashes: HashMap<String, String>,
    /// When: what was learned later does not stand in them.
    pub at: Option<DateTime<Utc>>,
    /// What they hold, where both are as it was then.
    pub of: Option<Known>,
}

/// What a memory file is made of, without reading it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Known {
    /// Counts the changes of facts.
    pub version: i64,
    /// What the agent is called.
    pub agent: String,
}

impl Known {
    /// What is known now.
    pub fn now(conn: &Connection, agent: &str) -> Result<Self, StoreError> {
        let version = conn.query_row("SELECT version FROM facts_version", [], |row| row.get("version"))?;
        Ok(Self { version, agent: agent.to_owned() })
    }
}

impl Written {
    /// What Atlas wrote last; nothing before the first time.
    pub fn load(conn: &Connection) -> Result<Self, StoreError> {
        let json: Option<String> = conn
            .query_row("SELECT value FROM settings WHERE name = ?1", [SETTING], |row| row.get("value"))
            .optional()?;
        json.map_or(Ok(Self::default()), |json| serde_json::from_str(&json).map_err(|_| StoreError::Corrupt))
    }

    /// Keeps it.
    pub fn save(&self, tx: &Transaction<'_>) -> Result<(), StoreError> {
        let json = serde_json::to_string(self).expect("plain data has a JSON form");
        tx.execute(
            "INSERT INTO settings (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [SETTING, &json],
        )?;
        Ok(())
    }

    /// Whether a file is as Atlas left it.
    pub fn is(&self, file: &str, text: &str) -> bool {
        self.hashes.get(file).is_some_and(|hash| *hash == hash_of(text))
    }

    /// Notes what was written to a file.
    pub fn set(&mut self, file: &str, text: &str, at: DateTime<Utc>) {
        self.hashes.insert(file.to_owned(), hash_of(text));
        self.at = Some(at);
    }
}

fn hash_of(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The text of a mirror.
pub fn render(file: &str, archive: &Archive) -> String {
    if file == "USER.md" { pages::user_page(archive) } else { pages::memory_page(archive) }
}

/// What was changed in a file, as somebody left it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edits {
    files: Vec<String>,
    added: Vec<Line>,
    /// The lines that are gone.
    removed: Vec<String>,
}

impl Edits {
    /// Adds what was changed in one file. `archive` is what is known now.
    pub fn add(&mut self, file: &str, text: &str, archive: &Archive, written: &Written) {
        let read = |text: &str| notes::read(text, file);
        let (now, rendered) = (read(text), read(&render(file, archive)));
        let known: HashSet<&str> = rendered.iter().map(|line| line.text.as_str()).collect();
        let kept: HashSet<&str> = now.iter().map(|line| line.text.as_str()).collect();
        // The sentence above the list is Atlas's own, in whatever words it was then.
        let is_own = |line: &&Line| line.text.starts_with("What ") && line.text.contains(" knows ");
        let added = now.iter().filter(|line| !known.contains(line.text.as_str())).filter(|line| !is_own(line)).cloned();
        // What was learned since stands in no file.
        let since = |line: &&Line| {
            let facts = archive.facts.iter().filter(|fact| fact.retired_at.is_none());
            let of_line = |quote: &str| line.text.starts_with(&text::clean(quote));
            facts.filter(|fact| of_line(&fact.quote)).all(|fact| written.at.is_some_and(|at| fact.recorded_at > at))
        };
        let removed =
            rendered.iter().filter(|line| !kept.contains(line.text.as_str()) && !is_own(line) && !since(line));
        let removed: Vec<String> = removed.map(|line| line.text.clone()).collect();
        self.added.extend(added.map(|line| Line { about_person: file == "USER.md", ..line }));
        self.removed.extend(removed);
        self.files.push(file.to_owned());
    }

    /// As people see them; `None` where nothing was changed.
    pub fn view(&self) -> Option<MemoryFileEdits> {
        let lines = |lines: &[Line]| lines.iter().map(|line| line.text.clone()).collect();
        (!self.files.is_empty()).then(|| MemoryFileEdits {
            files: self.files.clone(),
            added: lines(&self.added),
            removed: self.removed.clone(),
        })
    }

    /// Does what the person did in the files: new lines are said by hand, lines that are gone are forgotten.
    pub fn accept(&self, tx: &Transaction<'_>, rules: &Rules<'_>) -> Result<Vec<MemoryChange>, StoreError> {
        let mut changes = Vec::new();
        for line in &self.added {
            let why = "written into a memory file by hand";
            let asked = Candidate { origin: Origin::Said, confidence: 1.0, why, ..candidates::of_line(line) };
            let decisions = gate::consider(tx, &[asked], &Source::of_text(&line.text, rules.now), rules)?;
            changes.extend(decisions.iter().filter_map(Decision::change).cloned());
        }
        // What a new line took the place of is history already, and stays that.
        let mut gone: Vec<FactId> = Vec::new();
        for removed in &self.removed {
            gone.extend(meant_by(tx, removed)?);
        }
        changes.extend(forget::facts(tx, &gone, None, rules.now.to_utc())?);
        Ok(changes)
    }
}

/// The current facts whose line it is.
fn meant_by(conn: &Connection, line: &str) -> Result<Vec<FactId>, StoreError> {
    let bare = [" (inferred)", " (imported)", " (from a document)"].iter().find_map(|mark| line.strip_suffix(mark));
    let mut found = Vec::new();
    for words in [Some(line), bare].into_iter().flatten() {
        found.extend(fact::with_quote(conn, words)?);
    }
    Ok(found)
}

/// A file without the lines that hold what was forgotten: it waits for the person, and must not keep that until then.
pub fn without(text: &str, forgotten: &[String]) -> String {
    let holds = |line: &str| forgotten.iter().any(|sentence| !sentence.is_empty() && line.contains(sentence.as_str()));
    text.split_inclusive('\n').filter(|line| !holds(line)).collect()
}
