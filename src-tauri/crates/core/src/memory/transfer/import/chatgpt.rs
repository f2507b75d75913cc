//! ChatGPT's export: a conversation is a tree of messages, of which one branch was open last.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::{Brought, Line, Said, Transcript, notes};

/// What its memories are called here.
const MEMORIES: &str = "ChatGPT memories";

pub(super) fn is_one(entry: &Value) -> bool {
    entry.get("mapping").is_some_and(Value::is_object)
}

/// The branch of a conversation that was open last; what the model noted about the person on the way goes to the lines.
pub(super) fn read(entry: &Value, brought: &mut Brought) -> Option<Transcript> {
    let nodes = entry.get("mapping")?.as_object()?;
    let began = moment(entry.get("create_time"));
    let mut messages: Vec<Said> = Vec::new();
    for node in branch(nodes, entry.get("current_node").and_then(Value::as_str)) {
        let Some(message) = node.get("message").filter(|message| message.is_object()) else { continue };
        let at = moment(message.get("create_time")).or_else(|| messages.last().map(|said| said.at)).or(began);
        note(message, at, brought);
        if let Some(by_person) = speaker(message)
            && let Some(text) = text(message, brought)
            && let Some(at) = at
        {
            let model = message.pointer("/metadata/model_slug").and_then(Value::as_str).map(str::to_owned);
            messages.push(Said { by_person, text, at, model: model.filter(|_| !by_person) });
        }
    }
    let key = ["conversation_id", "id"].iter().find_map(|name| entry.get(name)?.as_str());
    let key = key.map_or_else(|| format!("{began:?} {:?}", messages.first()), str::to_owned);
    let title = entry.get("title").and_then(Value::as_str).map(str::trim).filter(|title| !title.is_empty());
    Some(Transcript { key: format!("chatgpt {key}"), title: title.map(str::to_owned), messages })
}

/// From the first message to the last one of the open branch. Where none is named, the branch with the latest message is.
fn branch<'a>(nodes: &'a Map<String, Value>, current: Option<&str>) -> Vec<&'a Value> {
    let time = |node: &Value| node.pointer("/message/create_time").and_then(Value::as_f64).unwrap_or_default();
    let latest = || nodes.iter().max_by(|(_, a), (_, b)| time(a).total_cmp(&time(b))).map(|(id, _)| id.as_str());
    let mut at = current.filter(|id| nodes.contains_key(*id)).or_else(latest);
    let (mut branch, mut seen) = (Vec::new(), HashSet::new());
    // A broken tree may go round in a circle.
    while let Some(id) = at.filter(|id| seen.insert(id.to_string())) {
        let Some(node) = nodes.get(id) else { break };
        branch.push(node);
        at = node.get("parent").and_then(Value::as_str);
    }
    branch.reverse();
    branch
}

/// Whether the person or the model says it to the other; `None` for what neither of them sees.
fn speaker(message: &Value) -> Option<bool> {
    let is_hidden = message.pointer("/metadata/is_visually_hidden_from_conversation") == Some(&Value::Bool(true))
        || message.get("weight").and_then(Value::as_f64) == Some(0.0);
    let to_all = message.get("recipient").and_then(Value::as_str).is_none_or(|recipient| recipient == "all");
    match message.pointer("/author/role")?.as_str()? {
        "user" if !is_hidden => Some(true),
        "assistant" if !is_hidden && to_all => Some(false),
        _ => None,
    }
}

fn text(message: &Value, brought: &mut Brought) -> Option<String> {
    let content = message.get("content")?;
    let kind = content.get("content_type").and_then(Value::as_str).unwrap_or("text");
    if !matches!(kind, "text" | "multimodal_text") {
        return None;
    }
    let parts = content.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let mut said: Vec<&str> = Vec::new();
    for part in parts {
        // Spoken words come as an object with a text, pictures as one without.
        match part.as_str().or_else(|| part.get("text").and_then(Value::as_str)) {
            Some(text) => said.push(text),
            None => brought.attachments += u32::from(part.is_object()),
        }
    }
    said.extend(content.get("text").and_then(Value::as_str).filter(|_| parts.is_empty()));
    let text = said.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// What the model noted about the person, and what the person told it about themself once for all.
fn note(message: &Value, at: Option<DateTime<Utc>>, brought: &mut Brought) {
    let told = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
    let mut texts: Vec<&str> = Vec::new();
    if told("/recipient") == Some("bio") {
        let parts = message.pointer("/content/parts").and_then(Value::as_array);
        texts.extend(parts.into_iter().flatten().filter_map(Value::as_str));
    }
    match told("/content/content_type") {
        Some("user_editable_context") => {
            let about = told("/metadata/user_context_message_data/about_user_message");
            texts.extend(about.or_else(|| told("/content/user_profile")));
        }
        Some("model_editable_context") => texts.extend(told("/content/model_set_context")),
        _ => {}
    }
    for text in texts {
        for line in notes::read(text, MEMORIES) {
            let line = Line { at: line.at.or(at), about_person: true, ..line };
            // The same notes stand in front of every conversation.
            if brought.lines.iter().all(|known| known.text != line.text) {
                brought.lines.push(line);
            }
        }
    }
}

/// Seconds since 1970, with a fraction.
fn moment(value: Option<&Value>) -> Option<DateTime<Utc>> {
    let seconds = value?.as_f64()?;
    let millis = (seconds * 1_000.0).round();
    // Before 1990 and after 2100 nobody chatted.
    (631_152_000_000.0..4_102_444_800_000.0)
        .contains(&millis)
        .then(|| DateTime::from_timestamp_millis(millis as i64))?
}
