//! Lists of conversations as JSON, one conversation at a time: a file may be larger than memory is good for.

use std::fmt;
use std::io::BufRead;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::error::ImportError;
use super::{Brought, Format, chatgpt, claude, memories};

/// Reads a list, an object with a list, or one conversation after the other.
pub(super) fn read(reader: impl BufRead, name: &str, brought: &mut Brought) -> Result<(), ImportError> {
    let mut sink = Sink { brought, name };
    let mut json = serde_json::Deserializer::from_reader(reader);
    loop {
        (&mut json).deserialize_any(Top(&mut sink))?;
        // One object a line is a list too.
        match json.end() {
            Ok(()) => return Ok(()),
            Err(error) if error.is_io() => return Err(error.into()),
            Err(_) => {}
        }
    }
}

struct Sink<'a> {
    brought: &'a mut Brought,
    name: &'a str,
}

impl Sink<'_> {
    fn take(&mut self, entry: Value) {
        let transcript = if chatgpt::is_one(&entry) {
            self.brought.told_by(Format::ChatGpt);
            chatgpt::read(&entry, self.brought)
        } else if claude::is_one(&entry) {
            self.brought.told_by(Format::Claude);
            claude::read(&entry, self.brought)
        } else if let Some(lines) = memories::read(&entry, self.name) {
            if entry.get("conversations_memory").is_some() {
                self.brought.told_by(Format::Claude);
            }
            self.brought.lines.extend(lines);
            return;
        } else {
            self.brought.unreadable += 1;
            return;
        };
        // A conversation that nobody said anything in is none.
        self.brought.transcripts.extend(transcript.filter(|transcript| !transcript.messages.is_empty()));
    }
}

/// What stands at the top of a file.
struct Top<'a, 'b>(&'a mut Sink<'b>);

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of conversations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(entry) = list.next_element::<Value>()? {
            self.0.take(entry);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut rest, mut listed) = (Map::new(), false);
        while let Some(name) = map.next_key::<String>()? {
            if matches!(name.as_str(), "conversations" | "memories") {
                map.next_value_seed(Listed(self.0))?;
                listed = true;
            } else {
                rest.insert(name, map.next_value()?);
            }
        }
        if !listed {
            self.0.take(Value::Object(rest));
        }
        Ok(())
    }
}

/// The list inside an object.
struct Listed<'a, 'b>(&'a mut Sink<'b>);

impl<'de> DeserializeSeed<'de> for Listed<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(Top(self.0))
    }
}
