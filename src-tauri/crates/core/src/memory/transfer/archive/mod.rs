//! The complete form of memory as JSON, versioned: what one Atlas hands out and another takes in without loss.
//!
//! Numbers in it are its own, counted from 1 in each list, and name entries of the same file. What was forgotten is not in
//! it; neither are keys, settings, or the prompts of turns.

use std::collections::HashMap;
use std::io::Read;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::import::ImportError;
use crate::memory::conversation::{MessageState, Role};
use crate::memory::episode::EpisodeKind;
use crate::memory::fact::{Because, Origin};
use crate::memory::history::change::ChangeKind;
use crate::memory::procedure::LessonBy;
use crate::memory::relation::Polarity;

mod collect;
mod restore;

pub use collect::{collect, facts_only};
pub use restore::{Restored, restore};
pub(super) use restore::{is_here, same_fact};

/// What an archive says that it is.
pub const FORMAT: &str = "atlas-memory";
/// The version that this Atlas writes; it reads this one and all before it.
pub const VERSION: u32 = 1;

/// All that an Atlas remembers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Archive {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`] of the Atlas that wrote it.
    pub version: u32,
    /// When it was written.
    pub exported_at: DateTime<Utc>,
    /// What the agent is called.
    pub agent: String,
    /// Conversations with their messages.
    #[serde(default)]
    pub conversations: Vec<ArchivedConversation>,
    /// Facts, those that are history too.
    #[serde(default)]
    pub facts: Vec<ArchivedFact>,
    /// Episodes.
    #[serde(default)]
    pub episodes: Vec<ArchivedEpisode>,
    /// Procedures.
    #[serde(default)]
    pub procedures: Vec<ArchivedProcedure>,
    /// What happened to memory, oldest first.
    #[serde(default)]
    pub events: Vec<ArchivedEvent>,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedConversation {
    /// Its number here.
    pub id: i64,
    /// What the person called it.
    pub title: Option<String>,
    /// When it began.
    pub created_at: DateTime<Utc>,
    /// When its last message came.
    pub updated_at: DateTime<Utc>,
    /// Oldest first; replaced answers too.
    pub messages: Vec<ArchivedMessage>,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedMessage {
    /// Its number here.
    pub id: i64,
    /// Who wrote it.
    pub role: Role,
    /// Who spoke, where it was neither the person nor Atlas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The text.
    pub text: String,
    /// When.
    pub at: DateTime<Utc>,
    /// How whole it is.
    pub state: MessageState,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider that it answered through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Tokens and US dollars, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u32>,
    /// See above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u32>,
    /// See above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The message that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<i64>,
    /// Whether recall may find it.
    pub recall: bool,
}

/// A fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedFact {
    /// Its number here.
    pub id: i64,
    /// Whom or what it is about.
    pub subject: String,
    /// The relation in words.
    pub relation: String,
    /// The value in words.
    pub value: String,
    /// The words that say it.
    #[serde(alias = "sentence")]
    pub quote: String,
    /// When they were said; older exports do not tell.
    #[serde(default)]
    pub said_at: Option<DateTime<Utc>>,
    /// Whether it is so.
    #[serde(default)]
    pub polarity: Polarity,
    /// The words for when it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_words: Option<String>,
    /// What they mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// Where it came from.
    pub origin: Origin,
    /// The message that it came from.
    pub source_message: Option<i64>,
    /// Every message that supports it.
    #[serde(default)]
    pub sources: Vec<ArchivedSource>,
    /// When it began to be true.
    pub valid_from: Option<DateTime<Utc>>,
    /// When it ceased to be true.
    pub valid_to: Option<DateTime<Utc>>,
    /// When Atlas learned it.
    pub recorded_at: DateTime<Utc>,
    /// When Atlas ceased to believe it.
    pub retired_at: Option<DateTime<Utc>>,
    /// Why.
    pub retired_because: Option<Because>,
    /// What took its place.
    pub superseded_by: Option<i64>,
    /// The level of the tower.
    pub level: i64,
    /// Whether it is always recalled.
    pub pinned: bool,
    /// In how many answers it was used.
    pub use_count: i64,
    /// When it was last used.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// A message that supports a fact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedSource {
    /// Which message.
    pub message: i64,
    /// Since when.
    pub at: DateTime<Utc>,
}

/// An episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedEpisode {
    /// Its number here.
    pub id: i64,
    /// What it covers.
    pub kind: EpisodeKind,
    /// The text.
    pub text: String,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// Its conversation.
    pub conversation: Option<i64>,
    /// The message that it came from.
    pub source_message: Option<i64>,
    /// In how many answers it was used.
    pub use_count: i64,
    /// When it was last used.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// A procedure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedProcedure {
    /// Its number here.
    pub id: i64,
    /// Failure kind, provider, model and remedy, as one key.
    pub signature: String,
    /// What it answers to.
    pub trigger: String,
    /// What is done then.
    pub strategy: String,
    /// The kind of failure.
    pub category: String,
    /// The remedy.
    pub remedy: String,
    /// What was learned.
    pub lesson: Option<String>,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson_by: Option<LessonBy>,
    /// How often in a row it failed since that was written.
    #[serde(default)]
    pub lesson_failures: i64,
    /// Since when it is not tried any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<DateTime<Utc>>,
    /// The tries as they counted at a moment; an archive of an earlier Atlas has the whole counts alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recent: Option<ArchivedTally>,
    /// How often it helped.
    pub successes: i64,
    /// How often it did not.
    pub failures: i64,
    /// When it was first stored.
    pub created_at: DateTime<Utc>,
    /// When it was last tried.
    pub last_used_at: DateTime<Utc>,
}

/// Tries as they counted at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedTally {
    /// How many of them helped.
    pub successes: f64,
    /// How many did not.
    pub failures: f64,
    /// The moment.
    pub at: DateTime<Utc>,
}

/// A change of memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchivedEvent {
    /// When.
    pub at: DateTime<Utc>,
    /// What happened.
    pub kind: ChangeKind,
    /// To which kind of memory: fact, episode, procedure.
    pub target_kind: String,
    /// To which one.
    pub target: i64,
    /// The fact that was replaced or edited.
    pub other: Option<i64>,
    /// What an undo needs; none where it cannot be undone any more.
    pub before: Option<Value>,
    /// As one sentence.
    pub sentence: String,
    /// Why.
    pub why: String,
    /// The message that caused it.
    pub message: Option<i64>,
    /// When it was taken back.
    pub undone_at: Option<DateTime<Utc>>,
}

impl Archive {
    /// Reads one. Errors: [`ImportError::Newer`] and [`ImportError::Damaged`].
    pub fn from_json(reader: impl Read) -> Result<Self, ImportError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let value: Value = serde_json::from_reader(reader)?;
        let Versioned { version } = Versioned::deserialize(&value).map_err(|_| ImportError::Damaged)?;
        if version > VERSION {
            return Err(ImportError::Newer);
        }
        serde_json::from_value(value).map_err(|_| ImportError::Damaged)
    }

    /// Its JSON form.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data has a JSON form")
    }
}

/// Other numbers for the same rows.
#[derive(Debug, Default)]
struct Numbers(HashMap<i64, i64>);

impl Numbers {
    fn set(&mut self, from: i64, to: i64) {
        self.0.insert(from, to);
    }

    fn get(&self, id: i64) -> Option<i64> {
        self.0.get(&id).copied()
    }

    fn of(&self, id: Option<i64>) -> Option<i64> {
        self.get(id?)
    }
}

/// What an undo needs, in other numbers; `None` where it names something that is not there.
fn renumbered(mut before: Value, messages: &Numbers, facts: &Numbers) -> Option<Value> {
    let change = |value: &mut Value, numbers: &Numbers| -> Option<()> {
        if !value.is_null() {
            *value = numbers.get(value.as_i64()?)?.into();
        }
        Some(())
    };
    let fields = before.as_object_mut()?;
    // What waits in Review stays here, and so does what is hidden.
    fields.remove("review");
    fields.remove("along");
    if let Some(source) = fields.get_mut("source") {
        change(source, messages)?;
    }
    for fact in fields.get_mut("with").and_then(Value::as_array_mut).into_iter().flatten() {
        change(fact, facts)?;
    }
    for stood in fields.get_mut("stood").and_then(Value::as_array_mut).into_iter().flatten() {
        for name in ["id", "superseded_by", "supersededBy"] {
            if let Some(fact) = stood.get_mut(name) {
                change(fact, facts)?;
            }
        }
    }
    Some(before)
}

#[cfg(test)]
mod tests;
