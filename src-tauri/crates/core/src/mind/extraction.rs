//! The second call: what one message of the person's tells, annotated by a model with a JSON schema.
//!
//! Asked for nothing but JSON, with a schema, a few examples and temperature 0, models keep to the form that many of them lose
//! inside an answer. The form is the one of a `MEMORY_OPS:` block, so that one reader reads both.

use serde_json::{Value, json};

use crate::memory::writing::ops::{self, MemoryOps};
use crate::providers::{ChatMessage, ChatRequest, ChatRole, JsonSchema, Provider, ProviderError, reply};

/// The longest message that facts are taken from, in characters; of a longer one the beginning.
const LONGEST: usize = 4_000;
/// An answer of more than this has run away.
const MAX_TOKENS: u32 = 900;

const SYSTEM: &str = "\
You annotate one message that a person wrote to an assistant. Reply with JSON only: one entry for each thing that the message tells \
of the person, of people, animals or things of theirs.
about: \"user\" for the person, else the name or word for whom or what it is. relation: a few words. value: copied from the message, as \
short as can be. quote: the words of the message that say it, copied exactly.
stance: states, denies, wishes, asks, supposes, plays (a role, a story) or quotes (somebody else's words). change: none, new (it \
replaces what was), ended, or corrected. when: the message's words for when, else empty. topic: what it is about.
Annotate in the language of the message; copy, never translate. Questions, requests and greetings tell nothing: then the list is empty.";

/// What an example of an annotation tells, in the order of the schema.
type Example = [&'static str; 8];

/// Examples: what people say, and what is to be noted of it.
const EXAMPLES: [(&str, &[Example]); 4] = [
    (
        "We moved to Leeds in May, and my sister Ada doesn't eat fish. What can I cook for her?",
        &[
            ["user", "lives in", "Leeds", "We moved to Leeds in May", "states", "new", "in May", "location"],
            ["user", "sister", "Ada", "my sister Ada", "states", "none", "", "family"],
            ["Ada", "eats", "fish", "my sister Ada doesn't eat fish", "denies", "none", "", "other"],
        ],
    ),
    ("Thanks! Could you make the second paragraph shorter?", &[]),
    (
        "Ich hab bei der Bahn gekündigt. Wenn ich reich wäre, hätte ich ein Boot.",
        &[
            ["user", "works at", "der Bahn", "Ich hab bei der Bahn gekündigt", "states", "ended", "", "work"],
            ["user", "has", "ein Boot", "hätte ich ein Boot", "supposes", "none", "", "other"],
        ],
    ),
    (
        "我明天九点看牙医",
        &[["user", "appointment", "牙医", "我明天九点看牙医", "states", "none", "明天九点", "health"]],
    ),
];

fn example_json(facts: &[Example]) -> String {
    const KEYS: [&str; 8] = ["about", "relation", "value", "quote", "stance", "change", "when", "topic"];
    let fact =
        |fact: &Example| KEYS.iter().zip(fact).map(|(key, said)| ((*key).to_owned(), Value::from(*said))).collect();
    json!({ "facts": facts.iter().map(fact).collect::<Vec<Value>>() }).to_string()
}

/// The request for one message.
pub fn request(model: &str, text: &str) -> ChatRequest {
    let mut messages = vec![message(ChatRole::System, SYSTEM)];
    for (said, facts) in EXAMPLES {
        messages.push(message(ChatRole::User, said));
        messages.push(message(ChatRole::Assistant, &example_json(facts)));
    }
    let text: String = text.chars().take(LONGEST).collect();
    messages.push(message(ChatRole::User, &text));
    ChatRequest {
        model: model.to_owned(),
        messages,
        temperature: Some(0.0),
        max_tokens: Some(MAX_TOKENS),
        schema: Some(JsonSchema { name: "facts", schema: schema() }),
        logprobs: None,
    }
}

/// Makes the call. What the model says and cannot be read is no facts.
pub async fn ask(provider: &dyn Provider, request: &ChatRequest) -> Result<MemoryOps, ProviderError> {
    Ok(ops::parse(&reply::whole(provider, request).await?.text))
}

fn message(role: ChatRole, content: &str) -> ChatMessage {
    ChatMessage { role, content: content.to_owned() }
}

/// The schema of the reply: the `facts` of a MEMORY_OPS block.
fn schema() -> Value {
    let text = json!({ "type": "string", "maxLength": 300 });
    let one_of = |words: &[&str]| json!({ "type": "string", "enum": words });
    json!({
        "type": "object",
        "properties": {
            "facts": {
                "type": "array",
                "maxItems": 12,
                "items": {
                    "type": "object",
                    "properties": {
                        "about": text,
                        "relation": text,
                        "value": text,
                        "quote": text,
                        "stance": one_of(&["states", "denies", "wishes", "asks", "supposes", "plays", "quotes"]),
                        "change": one_of(&["none", "new", "ended", "corrected"]),
                        "when": text,
                        "topic": one_of(&TOPICS),
                    },
                    "required": ["about", "relation", "value", "quote", "stance", "change", "when", "topic"],
                    "additionalProperties": false
                }
            }
        },
        "required": ["facts"],
        "additionalProperties": false
    })
}

/// What something can be about.
const TOPICS: [&str; 9] =
    ["health", "family", "work", "finance", "location", "religion", "politics", "sexuality", "other"];

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
        assert_eq!((request.temperature, request.max_tokens), (Some(0.0), Some(900)));
        assert_eq!(request.schema.map(|schema| schema.name), Some("facts"));
    }
}
