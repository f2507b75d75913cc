//! Labelled messages and predictions, in the forms that the README beside the messages describes.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

/// A message, and what a memory should keep of it.
#[derive(Debug, Clone, Deserialize)]
pub struct Message {
    pub id: String,
    pub lang: String,
    /// `not_stated/wish`: a group and what it is of it.
    pub category: String,
    /// The clock, with the person's zone.
    pub at: String,
    /// What was said before.
    #[serde(default)]
    pub earlier: Vec<Said>,
    pub text: String,
    pub expect: Vec<Expected>,
    pub must_not: Vec<String>,
    pub instruction: Option<String>,
    pub orders: Vec<Order>,
    pub annotation: Vec<Annotated>,
}

impl Message {
    /// The group that its category belongs to.
    pub fn group(&self) -> &str {
        self.category.split('/').next().unwrap_or_default()
    }

    /// Whether the person asks not to keep it.
    pub fn is_sensitive(&self) -> bool {
        self.category == "sensitive"
    }
}

/// An earlier message of the conversation.
#[derive(Debug, Clone, Deserialize)]
pub struct Said {
    pub role: Speaker,
    pub text: String,
}

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    User,
    Assistant,
}

/// A fact that must be in memory afterwards.
#[derive(Debug, Clone, Deserialize)]
pub struct Expected {
    pub about: String,
    /// Subjects that are as good; none is `about` alone.
    #[serde(default)]
    pub about_any: Vec<String>,
    pub relation_hint: String,
    /// The value must contain one of these.
    pub value_any: Vec<String>,
    pub negated: bool,
    pub time: Time,
    pub date: Option<String>,
    /// Other ways to store the same.
    #[serde(default)]
    pub or: Vec<Alternative>,
}

impl Expected {
    /// The subjects under which it may be stored.
    pub fn subjects(&self) -> &[String] {
        if self.about_any.is_empty() { std::slice::from_ref(&self.about) } else { &self.about_any }
    }
}

/// When an expected fact holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Time {
    Current,
    Past,
    Future,
    /// It is an event, or timeless.
    None,
}

/// Another way to store an expected fact.
#[derive(Debug, Clone, Deserialize)]
pub struct Alternative {
    pub about_any: Vec<String>,
    /// They may stand in the relation or in the value.
    pub value_any: Vec<String>,
    /// Left out, it is as the fact says; null is any.
    #[serde(default, deserialize_with = "given")]
    pub negated: Option<Option<bool>>,
}

/// An order to the memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Order {
    pub kind: OrderKind,
}

/// What is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderKind {
    Remember,
    Forget,
    DontStore,
}

/// What an ideal annotator says of the message.
#[derive(Debug, Clone, Deserialize)]
pub struct Annotated {
    pub about: String,
    #[serde(rename = "predicate")]
    pub relation: String,
    pub value: String,
    pub stance: String,
    pub change: String,
    /// An ISO date.
    pub when: Option<String>,
    pub topic: String,
    pub quote: String,
}

/// What is in memory after a message.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
pub struct Prediction {
    pub id: String,
    #[serde(default)]
    pub facts: Vec<Stored>,
    /// Left out, orders are not scored.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub orders: Option<Option<Vec<Order>>>,
    /// Left out, instructions are not scored; null is none.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub instruction: Option<Option<String>>,
    /// What waits in Review, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub review: Vec<String>,
}

/// A stored fact.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
pub struct Stored {
    pub subject: String,
    pub relation: String,
    pub value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negated: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<bool>,
    /// `past`, `current` or `future`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
}

/// Reads a file with one JSON object a line.
///
/// # Panics
/// The file cannot be read, or a line is of another form.
pub fn read_lines<T: DeserializeOwned>(file: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

/// Writes one JSON object a line.
///
/// # Panics
/// The file cannot be written.
pub fn write_lines<T: Serialize>(file: &Path, rows: &[T]) {
    let line = |row: &T| serde_json::to_string(row).expect("rows are plain data") + "\n";
    let text: String = rows.iter().map(line).collect();
    std::fs::write(file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

/// What is given, also where it is null.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
