//! The second call: facts from one message of the person's, taken by a small model with a JSON schema.
//!
//! Small models do not keep to a format inside their answer; asked for nothing but JSON, with a schema, three examples
//! and temperature 0, they do.

use serde_json::{Value, json};

use crate::memory::writing::ops::{self, MemoryOps};
use crate::providers::{ChatMessage, ChatRequest, ChatRole, JsonSchema, Provider, ProviderError, reply};

/// The longest message that facts are taken from, in characters; of a longer one the beginning.
const LONGEST: usize = 4_000;
/// An answer of more than this has run away.
const MAX_TOKENS: u32 = 400;

const SYSTEM: &str = "\
You take lasting facts out of one message that a person wrote. Reply with JSON only.
Each fact is subject, relation, value. The person is \"user\"; anybody else goes by name. Values are the message's own \
words, in its own language.
Only what the message says. No questions, requests, greetings, feelings of the moment, or guesses. If there is nothing, \
the list is empty.";

/// Examples: what people say, and what is to be taken from it.
const EXAMPLES: [(&str, &str); 5] = [
    (
        "I moved to Porto last year and my sister Mara is a nurse.",
        r#"{"facts":[{"subject":"user","relation":"lives in","value":"Porto"},{"subject":"Mara","relation":"is","value":"user's sister"},{"subject":"Mara","relation":"works as","value":"nurse"}]}"#,
    ),
    ("Can you give me three ideas for dinner?", r#"{"facts":[]}"#),
    (
        "I'm allergic to nuts and my favourite composer is Bach.",
        r#"{"facts":[{"subject":"user","relation":"is allergic to","value":"nuts"},{"subject":"user","relation":"favourite composer","value":"Bach"}]}"#,
    ),
    (
        "Ich heiße Jo und mag Tee.",
        r#"{"facts":[{"subject":"user","relation":"name","value":"Jo"},{"subject":"user","relation":"likes","value":"Tee"}]}"#,
    ),
    ("Thanks, that helped a lot!", r#"{"facts":[]}"#),
];

/// The request for one message.
pub fn request(model: &str, text: &str) -> ChatRequest {
    let mut messages = vec![message(ChatRole::System, SYSTEM)];
    for (said, facts) in EXAMPLES {
        messages.push(message(ChatRole::User, said));
        messages.push(message(ChatRole::Assistant, facts));
    }
    let text: String = text.chars().take(LONGEST).collect();
    messages.push(message(ChatRole::User, &text));
    ChatRequest {
        model: model.to_owned(),
        messages,
        temperature: Some(0.0),
        max_tokens: Some(MAX_TOKENS),
        schema: Some(JsonSchema { name: "facts", schema: schema() }),
    }
}

/// Makes the call. What the model says and cannot be read is no facts.
pub async fn ask(provider: &dyn Provider, request: &ChatRequest) -> Result<MemoryOps, ProviderError> {
    Ok(ops::parse(&reply::whole(provider, request).await?.text))
}

fn message(role: ChatRole, content: &str) -> ChatMessage {
    ChatMessage { role, content: content.to_owned() }
}

/// The schema of the reply: the `facts` of a MEMORY_OPS block, so that one reader reads both.
fn schema() -> Value {
    let text = json!({ "type": "string", "maxLength": 200 });
    json!({
        "type": "object",
        "properties": {
            "facts": {
                "type": "array",
                "maxItems": 8,
                "items": {
                    "type": "object",
                    "properties": { "subject": text, "relation": text, "value": text },
                    "required": ["subject", "relation", "value"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["facts"],
        "additionalProperties": false
    })
}

/// Whether a message can hold a fact at all, so that no call is made for "thanks" and "what is the weather?".
pub fn is_worth_asking(text: &str) -> bool {
    let text = text.trim();
    let has_statement = text
        .split_inclusive(['.', '!', '?', '\n', '。', '！', '？', '；', ';'])
        .map(str::trim)
        .any(|sentence| !sentence.ends_with(['?', '？']) && says_something(sentence));
    has_statement && !text.starts_with('/')
}

/// At least three words, or six characters of a script without spaces.
fn says_something(sentence: &str) -> bool {
    let words = sentence.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    let dense = sentence.chars().filter(|c| ('\u{0e00}'..='\u{0e7f}').contains(c) || *c >= '\u{2e80}').count();
    words >= 3 || dense >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_asked_about_and_small_talk_is_not() {
        for text in
            ["I live in Tokyo.", "我住在东京", "Thanks! By the way, my dog is called Biscuit.", "Ich habe zwei Kinder"]
        {
            assert!(is_worth_asking(text), "{text}");
        }
        for text in [
            "Hi!",
            "thanks a",
            "What's the weather in Oslo?",
            "",
            "/facts about me here",
            "好的",
            "Where do I live? And why?",
        ] {
            assert!(!is_worth_asking(text), "{text}");
        }
    }

    #[test]
    fn the_request_holds_the_message_last_and_asks_for_the_schema() {
        let request = request("small", "I live in Tokyo.");
        assert_eq!(request.messages.last(), Some(&message(ChatRole::User, "I live in Tokyo.")));
        assert_eq!((request.temperature, request.max_tokens), (Some(0.0), Some(400)));
        assert_eq!(request.schema.map(|schema| schema.name), Some("facts"));
    }
}
