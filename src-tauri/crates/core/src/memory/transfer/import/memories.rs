//! Lists of memories as JSON: strings, or objects whose text goes by one of the usual names.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Line, notes};

/// The lines of one entry; `None` where it is no memory.
pub(super) fn read(entry: &Value, file: &str) -> Option<Vec<Line>> {
    let named = |names: &[&str]| names.iter().find_map(|name| entry.get(name)?.as_str());
    let mut texts: Vec<&str> = entry.as_str().into_iter().collect();
    texts.extend(named(&["conversations_memory"]));
    texts.extend(
        entry
            .get("project_memories")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter_map(|(_, text)| text.as_str()),
    );
    if texts.is_empty() {
        texts.extend(named(&["memory", "content", "text", "value"]));
    }
    let at =
        named(&["updated_at", "created_at", "created", "date"]).and_then(|at| DateTime::parse_from_rfc3339(at).ok());
    let at = at.map(|at| at.with_timezone(&Utc));
    let lines = |text: &&str| {
        notes::read(text, file).into_iter().map(move |line| Line { at: line.at.or(at), about_person: true, ..line })
    };
    (!texts.is_empty()).then(|| texts.iter().flat_map(lines).collect())
}
