//! Memory on its way out and in: exports that are complete, and imports that change nothing without being asked.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::store::id::ImportId;

pub mod archive;
mod candidates;
pub mod import;
pub mod imports;
pub mod mirror;
pub mod pages;
pub mod take_in;

/// The forms that memory is handed out in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum ExportFormat {
    /// One file, complete: another Atlas takes it in without loss.
    Json,
    /// A folder of pages for people and for other tools: MEMORY.md, USER.md, episodes by month.
    Markdown,
}

/// What was handed out, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ExportReport {
    /// The file or folder.
    pub path: String,
    /// Facts, with those that are history.
    pub facts: u32,
    /// Episodes.
    pub episodes: u32,
    /// Procedures.
    pub procedures: u32,
    /// Conversations.
    pub conversations: u32,
}

/// What an import would bring, before it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ImportPlan {
    /// Names the file to [`Assistant::import`](crate::assistant::Assistant), so that no window names a path.
    pub token: String,
    /// What it is, for people: "ChatGPT export".
    pub format: String,
    /// The file's name.
    pub title: String,
    /// Conversations in it that are new.
    pub conversations: u32,
    /// Messages in those.
    pub messages: u32,
    /// What it says that is new.
    pub facts: u32,
    /// What it says that is known.
    pub already_known: u32,
    /// What else there is to know, one sentence each.
    pub notes: Vec<String>,
}

/// What an import brought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ImportReport {
    /// The import, to take it back whole; none where it brought nothing.
    pub import: Option<ImportId>,
    /// Conversations that are here now.
    pub conversations: u32,
    /// What is in memory now.
    pub added: u32,
    /// What waits in Review.
    pub review: u32,
    /// What was known.
    pub already_known: u32,
    /// What else there is to know, one sentence each.
    pub notes: Vec<String>,
}

/// What somebody changed in MEMORY.md and USER.md outside Atlas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MemoryFileEdits {
    /// The files that were changed: "MEMORY.md".
    pub files: Vec<String>,
    /// Lines that are new: they would be taken in as said by hand.
    pub added: Vec<String>,
    /// Lines that are gone: what they said would be forgotten.
    pub removed: Vec<String>,
}
