//! A key, held so that it cannot be printed by accident.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use zeroize::Zeroizing;

/// What stands where a key was.
const REDACTED: &str = "[key]";

/// The shortest text that is taken for a key when it is met in a server's words: anything shorter would blank out
/// ordinary words.
const SHORTEST_REDACTED: usize = 6;

/// A key or token. Its `Debug` shows nothing of it, it has no `Display` and is never serialised, and its bytes are
/// overwritten when the last copy goes.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<Zeroizing<String>>);

impl Secret {
    /// Takes a key as somebody typed or pasted it: the white space around it is not part of it. None where nothing is
    /// left.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = Zeroizing::new(text.into());
        let key = text.trim();
        (!key.is_empty()).then(|| Self(Arc::new(Zeroizing::new(key.to_owned()))))
    }

    /// The key itself, for the one header that it goes into.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The text without the key: some servers repeat a refused key in their error.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.0.len() < SHORTEST_REDACTED {
            return text.to_owned();
        }
        text.replace(self.expose(), REDACTED)
    }

    /// The value without the key, in every text of it.
    pub(crate) fn redact_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.redact(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_value(item)),
            Value::Object(fields) => {
                let clean = std::mem::take(fields)
                    .into_iter()
                    .map(|(name, mut field)| {
                        self.redact_value(&mut field);
                        (self.redact(&name), field)
                    })
                    .collect();
                *fields = clean;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_shows_nothing_of_itself() {
        let key = Secret::new("sk-sentinel-0123456789").expect("not empty");
        assert_eq!(format!("{key:?} {:?}", Some(key.clone())), "Secret(…) Some(Secret(…))");
    }

    #[test]
    fn white_space_around_a_pasted_key_is_not_part_of_it() {
        let key = Secret::new("  sk-abc\r\n").expect("not empty");
        assert_eq!(key.expose(), "sk-abc");
        assert_eq!(Secret::new(" \n\t"), None);
    }

    #[test]
    fn a_key_that_a_server_repeats_is_blanked_out_wherever_it_stands() {
        let key = Secret::new("sk-sentinel").expect("not empty");
        let mut said =
            json!({"error": {"message": "bad key sk-sentinel!", "seen": ["sk-sentinel", 1]}, "sk-sentinel": null});
        key.redact_value(&mut said);
        assert_eq!(said, json!({"error": {"message": "bad key [key]!", "seen": ["[key]", 1]}, "[key]": null}));
    }

    #[test]
    fn a_key_of_a_few_letters_does_not_blank_out_words() {
        let key = Secret::new("none").expect("not empty");
        assert_eq!(key.redact("none of these"), "none of these");
    }
}
