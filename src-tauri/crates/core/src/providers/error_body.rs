//! What a server says about an error, from whatever shape it comes in.

use serde_json::Value;

use super::error::ErrorBody;
use super::plain_text::plain_text;
use super::secret::Secret;

/// The longest message that is kept, in characters.
const LONGEST_MESSAGE: usize = 500;

/// The longest code or type that is kept, in characters.
const LONGEST_WORD: usize = 80;

/// The longest JSON that is kept whole, in bytes.
const LONGEST_JSON: usize = 16 * 1024;

impl ErrorBody {
    /// Reads the body of an error response: JSON, plain text or HTML. The key is blanked out wherever it stands.
    pub(crate) fn from_bytes(bytes: &[u8], key: Option<&Secret>) -> Self {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(value) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) {
            return Self::from_json(value, key);
        }
        let text = key.map_or_else(|| text.to_string(), |key| key.redact(&text));
        let message = plain_text(&text, LONGEST_MESSAGE);
        Self { message: (!message.is_empty()).then_some(message), ..Self::default() }
    }

    /// Reads an error that is JSON already and holds no key.
    pub fn of(value: Value) -> Self {
        Self::from_json(value, None)
    }

    /// Reads an error that is JSON already.
    pub(crate) fn from_json(mut value: Value, key: Option<&Secret>) -> Self {
        if let Some(key) = key {
            key.redact_value(&mut value);
        }
        let core = core_of(&value);
        let field = |name: &str| core.get(name).and_then(word).or_else(|| value.get(name).and_then(word));
        Self {
            message: words(core).map(|text| plain_text(text, LONGEST_MESSAGE)).filter(|text| !text.is_empty()),
            code: field("code"),
            kind: core.get("type").or_else(|| core.get("status")).and_then(word),
            json: (value.to_string().len() <= LONGEST_JSON).then(|| Box::new(value)),
        }
    }
}

/// Whether a JSON value that came with a success is an error all the same.
pub(crate) fn is_error(value: &Value) -> bool {
    if let Value::Array(items) = value {
        return items.first().is_some_and(is_error);
    }
    let says_error = value.get("error").is_some_and(|error| !error.is_null());
    let is_named_error = ["object", "type"].iter().any(|name| value.get(name).and_then(Value::as_str) == Some("error"));
    let only_words =
        value.get("choices").is_none() && (value.get("detail").is_some() || value.get("message").is_some());
    says_error || is_named_error || only_words
}

/// The innermost value that describes the error: some servers wrap it in a list, or twice in `error`.
fn core_of(value: &Value) -> &Value {
    match value {
        Value::Array(items) => items.first().map_or(value, core_of),
        Value::Object(fields) => match fields.get("error") {
            Some(inner @ (Value::Object(_) | Value::String(_))) => core_of(inner),
            _ => value,
        },
        _ => value,
    }
}

/// The sentence in a value, wherever the server put it.
fn words(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(items) => items.iter().find_map(words),
        Value::Object(fields) => ["message", "detail", "msg", "description", "error_description", "errors", "title"]
            .iter()
            .find_map(|name| fields.get(*name).and_then(words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(plain_text(text, LONGEST_WORD)).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> (Option<String>, Option<String>, Option<String>) {
        let body = ErrorBody::from_json(value, None);
        (body.message, body.code, body.kind)
    }

    fn facts(
        message: &str,
        code: Option<&str>,
        kind: Option<&str>,
    ) -> (Option<String>, Option<String>, Option<String>) {
        (Some(message.into()), code.map(Into::into), kind.map(Into::into))
    }

    #[test]
    fn every_usual_shape_is_read() {
        let shapes = [
            (json!({"error": {"message": "m", "type": "t", "code": "c"}}), facts("m", Some("c"), Some("t"))),
            (json!({"error": {"message": "m", "code": 502}}), facts("m", Some("502"), None)),
            (json!({"error": "m"}), facts("m", None, None)),
            (json!({"error": "m", "code": "c"}), facts("m", Some("c"), None)),
            (json!({"error": {"error": {"message": "m", "code": 402}, "code": 402}}), facts("m", Some("402"), None)),
            (json!({"object": "error", "message": "m", "type": "t", "code": 404}), facts("m", Some("404"), Some("t"))),
            (json!([{"error": {"code": 400, "message": "m", "status": "S"}}]), facts("m", Some("400"), Some("S"))),
            (json!({"detail": "m"}), facts("m", None, None)),
            (json!({"detail": [{"loc": ["body"], "msg": "m", "type": "t"}]}), facts("m", None, None)),
            (json!({"message": {"detail": [{"msg": "m"}]}}), facts("m", None, None)),
            (json!("m"), facts("m", None, None)),
            (json!({"error": {"message": "", "type": "t"}}), (None, None, Some("t".into()))),
            (json!({}), (None, None, None)),
            (json!(7), (None, None, None)),
        ];
        for (shape, expected) in shapes {
            assert_eq!(read(shape.clone()), expected, "{shape}");
        }
    }

    #[test]
    fn a_page_and_plain_words_are_read_too() {
        let message = |text: &str| ErrorBody::from_bytes(text.as_bytes(), None).message;
        assert_eq!(message("<h1>502 Bad Gateway</h1><script>alert(1)</script>"), Some("502 Bad Gateway".into()));
        assert_eq!(message("no healthy upstream\n"), Some("no healthy upstream".into()));
        assert_eq!(message(" "), None);
        assert_eq!(message("\u{feff}{\"error\": \"m\"}"), Some("m".into()));
    }

    #[test]
    fn the_key_is_in_no_error_that_repeats_it() {
        let key = Secret::new("sk-sentinel/9");
        let bodies: [&[u8]; 3] = [
            br#"{"error": {"message": "Bad key sk-sentinel\/9", "code": "sk-sentinel/9"}}"#,
            b"<p>Bad key sk-sentinel/9</p>",
            b"Bad key sk-sentinel/9",
        ];
        for body in bodies {
            let body = ErrorBody::from_bytes(body, key.as_ref());
            assert_eq!(body.message.as_deref(), Some("Bad key [key]"));
            assert!(!format!("{body:?}").contains("sentinel"), "{body:?}");
        }
    }

    #[test]
    fn json_is_kept_whole_up_to_its_limit() {
        let small = json!({"error": {"message": "m", "n_ctx": 4096}});
        assert_eq!(ErrorBody::from_json(small.clone(), None).json, Some(Box::new(small)));
        let large = json!({"error": "x".repeat(LONGEST_JSON)});
        let body = ErrorBody::from_json(large, None);
        assert_eq!(body.json, None);
        assert_eq!(body.message.map(|text| text.chars().count()), Some(LONGEST_MESSAGE + 1));
    }

    #[test]
    fn an_error_is_told_from_an_answer() {
        for error in [
            json!({"error": "x"}),
            json!({"error": {}, "choices": []}),
            json!({"object": "error"}),
            json!({"detail": "x"}),
        ] {
            assert!(is_error(&error), "{error}");
        }
        for answer in
            [json!({"choices": []}), json!({"choices": [], "error": null}), json!({"usage": {}}), json!([]), json!(1)]
        {
            assert!(!is_error(&answer), "{answer}");
        }
    }
}
