//! Claude's export: a conversation is a list of messages, each a text or a list of blocks.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Brought, Said, Transcript};

pub(super) fn is_one(entry: &Value) -> bool {
    entry.get("chat_messages").is_some_and(Value::is_array)
}

pub(super) fn read(entry: &Value, brought: &mut Brought) -> Option<Transcript> {
    let began = moment(entry.get("created_at"));
    let mut messages: Vec<Said> = Vec::new();
    for message in entry.get("chat_messages")?.as_array()? {
        for list in ["attachments", "files"] {
            brought.attachments += message.get(list).and_then(Value::as_array).map_or(0, |files| files.len() as u32);
        }
        let by_person = match message.get("sender").and_then(Value::as_str) {
            Some("human" | "user") => true,
            Some("assistant") => false,
            _ => continue,
        };
        let at = moment(message.get("created_at")).or_else(|| messages.last().map(|said| said.at)).or(began);
        if let Some(text) = text(message)
            && let Some(at) = at
        {
            messages.push(Said { by_person, text, at, model: None });
        }
    }
    let key = entry.get("uuid").and_then(Value::as_str);
    let key = key.map_or_else(|| format!("{began:?} {:?}", messages.first()), str::to_owned);
    let title = entry.get("name").and_then(Value::as_str).map(str::trim).filter(|title| !title.is_empty());
    Some(Transcript { key: format!("claude {key}"), title: title.map(str::to_owned), messages })
}

/// The blocks of text; without blocks, the text. Thoughts and tools are no part of what was said.
fn text(message: &Value) -> Option<String> {
    let blocks = message.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let said: Vec<&str> = blocks
        .iter()
        .filter(|block| block.get("type").and_then(Value::as_str).is_none_or(|kind| kind == "text"))
        .filter_map(|block| block.get("text").and_then(Value::as_str))
        .collect();
    let said = said.join("\n");
    let whole = message.get("text").and_then(Value::as_str).unwrap_or_default();
    let text = if said.trim().is_empty() && blocks.is_empty() { whole } else { &said };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn moment(value: Option<&Value>) -> Option<DateTime<Utc>> {
    Some(DateTime::parse_from_rfc3339(value?.as_str()?).ok()?.to_utc())
}
