//! What a model says of one thing that a message tells: whom it is about, and how it is meant.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How something is meant that a message tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stance {
    /// It is so.
    States,
    /// It is not so.
    Denies,
    /// Somebody wants it to be so.
    Wishes,
    /// Somebody asks about it, or asks for it.
    Asks,
    /// It is only supposed: "if I were a pilot".
    Supposes,
    /// It belongs to a role or a story.
    Plays,
    /// Somebody else says it: a quotation, a song, a pasted text.
    Quotes,
}

impl Stance {
    /// Whether it can be a memory. Neither a wish nor a question is one, nor what somebody else says.
    pub fn is_told(self) -> bool {
        matches!(self, Self::States | Self::Denies)
    }
}

/// What something does to what was known before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// It comes beside it.
    None,
    /// It took its place.
    New,
    /// It is over.
    Ended,
    /// What was known never was so.
    Corrected,
}

/// One thing that a message tells, as a model says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Annotation {
    /// Whom or what it is about; `user` is the person.
    pub about: String,
    /// The relation in words.
    pub relation: String,
    /// The value, in the message's words.
    pub value: String,
    /// The exact words of the message that say it, where the model gives them.
    pub quote: Option<String>,
    /// How it is meant, where the model says.
    pub stance: Option<Stance>,
    /// What it does to what was known, where the model says.
    pub change: Option<Change>,
    /// The message's words for when.
    pub when: Option<String>,
    /// What it is about: "health".
    pub topic: Option<String>,
    /// 0 to 1, where the model says.
    pub confidence: Option<f64>,
}

/// The longest subject, relation, topic and time, in characters.
const LONGEST_NAME: usize = 120;
/// The longest value and quote, in characters.
const LONGEST_VALUE: usize = 500;

impl Annotation {
    /// Reads the JSON of one annotation, with one of its values. `None` where a part is missing, of the wrong type or too long.
    pub(super) fn read(fields: &Value, value: &Value) -> Option<Self> {
        let field = |names: &[&str], longest| names.iter().find_map(|name| text(fields.get(name)?, longest));
        let word = |names: &[&str]| field(names, LONGEST_NAME).map(|word| word.to_ascii_lowercase());
        let quote = field(&["quote"], LONGEST_VALUE);
        let stance = word(&["stance"]).as_deref().and_then(stance);
        Some(Self {
            about: field(&["about", "subject"], LONGEST_NAME)?,
            relation: field(&["relation"], LONGEST_NAME)?,
            value: text(value, LONGEST_VALUE)?,
            // Who points at the words and says no more of them means that they are so.
            stance: stance.or(quote.is_some().then_some(Stance::States)),
            quote,
            change: word(&["change", "kind"]).as_deref().and_then(change),
            when: field(&["when"], LONGEST_NAME),
            topic: field(&["topic"], LONGEST_NAME),
            confidence: fields.get("confidence").and_then(confidence),
        })
    }
}

/// A text, a number or a truth value, as text; nothing where it is empty or too long.
pub(super) fn text(value: &Value, longest: usize) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    (!text.is_empty() && text.chars().count() <= longest).then_some(text)
}

fn confidence(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    (0.0..=1.0).contains(&number).then_some(number)
}

fn stance(word: &str) -> Option<Stance> {
    Some(match word {
        "states" => Stance::States,
        "denies" => Stance::Denies,
        "wishes" => Stance::Wishes,
        "asks" => Stance::Asks,
        "supposes" => Stance::Supposes,
        "plays" => Stance::Plays,
        "quotes" => Stance::Quotes,
        _ => return None,
    })
}

fn change(word: &str) -> Option<Change> {
    Some(match word {
        "none" | "add" => Change::None,
        "new" | "change" => Change::New,
        "ended" => Change::Ended,
        "corrected" | "correct" => Change::Corrected,
        _ => return None,
    })
}
