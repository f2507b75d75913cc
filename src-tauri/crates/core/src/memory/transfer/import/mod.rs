//! Taking in what other programs, or another Atlas, hand out. A file is read as it is and never unpacked to the disk; what
//! is in it is recognised by its content, not by its name.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use chrono::{DateTime, Utc};

use super::archive::Archive;

mod chatgpt;
mod chats;
mod claude;
mod error;
mod limit;
mod memories;
pub(super) mod notes;

pub use error::ImportError;

use limit::Budget;

/// What a file brought, as far as it was understood.
#[derive(Debug, Default, PartialEq)]
pub struct Brought {
    /// Where it comes from, for people; the most telling part of it decides.
    pub format: Format,
    /// Conversations, in the order of the file.
    pub transcripts: Vec<Transcript>,
    /// Single things to remember, as somebody wrote them down.
    pub lines: Vec<Line>,
    /// What another Atlas remembered.
    pub archive: Option<Box<Archive>>,
    /// Entries that could not be read.
    pub unreadable: u32,
    /// Pictures and attachments that are not taken along.
    pub attachments: u32,
}

/// Where something comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// A list of things to remember.
    #[default]
    Notes,
    /// ChatGPT's data export.
    ChatGpt,
    /// Claude's data export.
    Claude,
    /// An export of Atlas.
    Atlas,
}

impl Format {
    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Notes => "Notes",
            Self::ChatGpt => "ChatGPT export",
            Self::Claude => "Claude export",
            Self::Atlas => "Atlas export",
        }
    }

    /// As it is stored.
    pub(in crate::memory::transfer) fn word(self) -> &'static str {
        match self {
            Self::Notes => "notes",
            Self::ChatGpt => "chatgpt",
            Self::Claude => "claude",
            Self::Atlas => "atlas",
        }
    }

    /// What a stored word names; what a newer Atlas wrote is a file like any other.
    pub(in crate::memory::transfer) fn of_word(word: &str) -> Self {
        [Self::ChatGpt, Self::Claude, Self::Atlas].into_iter().find(|format| format.word() == word).unwrap_or_default()
    }
}

/// A conversation of another program: the branch that was open last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// What it is called there, to know it again.
    pub key: String,
    /// Its title.
    pub title: Option<String>,
    /// What was said, oldest first; never empty.
    pub messages: Vec<Said>,
}

/// A message of another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Whether the person wrote it, and not the model.
    pub by_person: bool,
    /// The text.
    pub text: String,
    /// When.
    pub at: DateTime<Utc>,
    /// The model that answered, where it is told.
    pub model: Option<String>,
}

/// A thing to remember, as somebody wrote it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The text, without its bullet.
    pub text: String,
    /// When it was written down, where that is told.
    pub at: Option<DateTime<Utc>>,
    /// The file that it stands in: "MEMORY.md".
    pub file: String,
    /// Whether the file or the heading says that it is about the person.
    pub about_person: bool,
}

impl Brought {
    fn is_empty(&self) -> bool {
        self.transcripts.is_empty() && self.lines.is_empty() && self.archive.is_none()
    }

    fn told_by(&mut self, format: Format) {
        if self.format == Format::Notes {
            self.format = format;
        }
    }
}

/// Reads a file of any form that Atlas knows. It blocks.
///
/// Errors: an [`ImportError`] says what is wrong with the file, for people.
pub fn read(path: &Path) -> Result<Brought, ImportError> {
    let file = File::open(path).map_err(|error| ImportError::Unreadable(error.kind()))?;
    let metadata = file.metadata().map_err(|error| ImportError::Unreadable(error.kind()))?;
    if !metadata.is_file() {
        return Err(ImportError::NotAFile);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    read_from(BufReader::new(file), &name, metadata.len())
}

/// Reads what a reader gives; `name` is the file's, for people.
pub fn read_from(mut reader: impl BufRead + Seek, name: &str, size: u64) -> Result<Brought, ImportError> {
    if size == 0 {
        return Err(ImportError::Empty);
    }
    let budget = Budget::default();
    if size > budget.left() {
        return Err(ImportError::TooLarge);
    }
    let mut brought = Brought::default();
    let start = reader.fill_buf().map_err(|error| ImportError::Unreadable(error.kind()))?;
    if start.starts_with(b"PK\x03\x04") {
        read_zip(reader, &mut brought, &budget)?;
    } else if start.starts_with(b"PK\x05\x06") {
        return Err(ImportError::Empty);
    } else {
        read_entry(budget.limit(reader), name, &mut brought, &budget)?;
    }
    if brought.is_empty() {
        return Err(if brought.unreadable > 0 { ImportError::NotRecognised } else { ImportError::NothingInIt });
    }
    Ok(brought)
}

/// The files of an archive that say something. Only their names are looked at, never their paths: nothing is unpacked.
fn read_zip(reader: impl BufRead + Seek, brought: &mut Brought, budget: &Budget) -> Result<(), ImportError> {
    /// An export has a few files, and as many pictures as somebody sent.
    const MOST_ENTRIES: usize = 100_000;
    let mut archive = zip::ZipArchive::new(reader).map_err(|_| ImportError::Damaged)?;
    if archive.len() > MOST_ENTRIES {
        return Err(ImportError::TooLarge);
    }
    let mut found = false;
    for index in 0..archive.len() {
        let Ok(entry) = archive.by_index_raw(index) else { return Err(ImportError::Damaged) };
        let (is_locked, name) = (entry.encrypted(), entry.name().map(|name| base_name(&name)).unwrap_or_default());
        drop(entry);
        if !says_something(&name) {
            continue;
        }
        if is_locked {
            return Err(ImportError::Locked);
        }
        let entry = archive.by_index(index).map_err(|_| ImportError::Damaged)?;
        if !entry.is_file() || entry.size() == 0 {
            continue;
        }
        found = true;
        read_entry(budget.limit(BufReader::new(entry)), &name, brought, budget)?;
    }
    if found { Ok(()) } else { Err(ImportError::NotRecognised) }
}

fn base_name(path: &str) -> String {
    let is_hidden = path.split(['/', '\\']).any(|part| part == "__MACOSX" || part.starts_with("._"));
    if is_hidden { String::new() } else { path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned() }
}

fn says_something(name: &str) -> bool {
    let name = name.to_lowercase();
    let json = name.strip_suffix(".json").or_else(|| name.strip_suffix(".jsonl"));
    match json {
        Some(stem) => {
            // Newer exports of many conversations come in numbered parts.
            let bare = stem.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_'));
            matches!(bare, "conversations" | "memories" | "memory" | "atlas-memory" | "atlas")
        }
        None => name.ends_with(".md"),
    }
}

fn read_entry(mut reader: impl BufRead, name: &str, brought: &mut Brought, budget: &Budget) -> Result<(), ImportError> {
    let in_time =
        |error: std::io::Error| if budget.is_spent() { ImportError::TooLarge } else { ImportError::of(&error) };
    // A mark of the byte order says nothing here.
    if reader.fill_buf().map_err(in_time)?.starts_with(b"\xEF\xBB\xBF") {
        reader.consume(3);
    }
    let start = reader.fill_buf().map_err(in_time)?;
    let first = start.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    let is_json = first == Some(b'{') || (first == Some(b'[') && begins_json_list(start));
    if is_json {
        let is_archive = String::from_utf8_lossy(&start[..start.len().min(512)]).contains(super::archive::FORMAT);
        let read = if is_archive { read_archive(reader, brought) } else { chats::read(reader, name, brought) };
        return read.map_err(|error| if budget.is_spent() { ImportError::TooLarge } else { error });
    }
    if start.contains(&0) {
        return Err(ImportError::NotRecognised);
    }
    let mut text = String::new();
    budget.limit_notes(reader).read_to_string(&mut text).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => ImportError::NotRecognised,
        _ => in_time(error),
    })?;
    let lines = notes::read(&text, name);
    brought.lines.extend(lines);
    Ok(())
}

/// "[" begins a list of JSON, or a link or a date of Markdown.
fn begins_json_list(start: &[u8]) -> bool {
    let mut rest = start.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).skip(1);
    matches!(rest.next(), Some(b'{' | b'"' | b']' | b'['))
}

fn read_archive(reader: impl Read, brought: &mut Brought) -> Result<(), ImportError> {
    let archive = Archive::from_json(reader)?;
    brought.told_by(Format::Atlas);
    brought.archive = Some(Box::new(archive));
    Ok(())
}

#[cfg(test)]
mod tests;
