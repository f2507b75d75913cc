//! A turn, as the page hears it through its channel.

use atlas_tests::Gate;
use atlas_tests::script::{greeter, in_two_parts, refusal, words};
use serde_json::{Value, json};

use crate::desk::Desk;

fn kinds(events: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    kinds.dedup();
    kinds
}

fn is_last(event: &Value) -> bool {
    ["completed", "cancelled", "failed"].iter().any(|kind| event["type"] == *kind)
}

fn text(events: &[Value]) -> String {
    events.iter().filter(|event| event["type"] == "delta").filter_map(|event| event["text"].as_str()).collect()
}

fn send(desk: &Desk, conversation: Value, text: &str, channel: u32) -> Value {
    let events = format!("__CHANNEL__:{channel}");
    desk.call("send", json!({"conversation": conversation, "text": text, "events": events})).unwrap()
}

#[test]
fn an_answer_streams_through_the_channel_and_is_stored() {
    let server = greeter();
    let desk = Desk::new();
    desk.use_server(&server.base_url());
    server.says(words("It is a fine day in Porto."));
    let handle = send(&desk, Value::Null, "How is the day?", 7);
    let events = desk.until(7, is_last);
    assert_eq!(kinds(&events).first(), Some(&"started"));
    assert_eq!(kinds(&events).last(), Some(&"completed"));
    assert_eq!(text(&events), "It is a fine day in Porto.");

    let view = desk.call("conversation", json!({"id": handle["conversation"]})).unwrap();
    let texts: Vec<&Value> = view["messages"].as_array().unwrap().iter().map(|one| &one["message"]["text"]).collect();
    assert_eq!(texts, ["How is the day?", "It is a fine day in Porto."]);
    assert_eq!(view["running"], Value::Null);
}

#[test]
fn a_stopped_turn_ends_with_what_came() {
    let server = greeter();
    let desk = Desk::new();
    desk.use_server(&server.base_url());
    let gate = Gate::new();
    server.says(in_two_parts("The first half. ", &gate, "The second half."));
    let handle = send(&desk, Value::Null, "Tell me a story", 1);
    desk.until(1, |event| event["type"] == "delta");
    desk.call("stop", json!({"turn": handle["turn"]})).unwrap();
    let events = desk.until(1, is_last);
    assert_eq!(events.last().unwrap()["type"], "cancelled");
    assert_eq!(events.last().unwrap()["message"]["text"], "The first half.");
    gate.open();
}

#[test]
fn a_conversation_answers_one_message_at_a_time() {
    let server = greeter();
    let desk = Desk::new();
    desk.use_server(&server.base_url());
    let gate = Gate::new();
    server.says(in_two_parts("One ", &gate, "two."));
    let handle = send(&desk, Value::Null, "Count", 1);
    desk.until(1, |event| event["type"] == "delta");
    let again = json!({"conversation": handle["conversation"], "text": "Faster", "events": "__CHANNEL__:2"});
    assert_eq!(desk.call("send", again).unwrap_err()["code"], "turn_running");
    gate.open();
    assert_eq!(text(&desk.until(1, is_last)), "One two.");
}

#[test]
fn a_failure_is_told_and_asking_again_works() {
    let server = greeter();
    let desk = Desk::new();
    desk.use_server(&server.base_url());
    server.says(refusal(404, "model_not_found", "The model `scripted` does not exist"));
    let handle = send(&desk, Value::Null, "Hello", 1);
    let failed = desk.until(1, is_last).pop().unwrap();
    assert_eq!(failed["type"], "failed");
    assert_ne!(failed["failure"]["message"], "");
    assert_eq!(failed["failure"]["next"], "chooseModel");

    server.says(words("Hello yourself."));
    desk.call("retry", json!({"message": handle["message"], "events": "__CHANNEL__:2"})).unwrap();
    assert_eq!(text(&desk.until(2, is_last)), "Hello yourself.");
}

#[test]
fn what_is_remembered_is_in_the_next_request_and_told_with_it() {
    let server = greeter();
    let desk = Desk::new();
    desk.use_server(&server.base_url());
    let reply = desk.call("run_command", json!({"text": "/remember I live in Tokyo"})).unwrap();
    assert_eq!(reply["changed"].as_array().unwrap().len(), 1);

    server.says(words("In Tokyo."));
    send(&desk, Value::Null, "Where do I live?", 1);
    let events = desk.until(1, is_last);
    let used = events[0]["used"].to_string();
    assert!(used.contains("Tokyo"), "{used}");
    assert!(server.last_prompt().contains("Tokyo"));
    let sources = desk.call("answer_sources", json!({"message": events.last().unwrap()["message"]["id"]})).unwrap();
    assert!(sources["promptBlock"].as_str().unwrap().contains("Tokyo"));
}

#[test]
fn the_key_goes_to_the_server_and_into_no_file() {
    let server = greeter();
    let desk = Desk::new();
    desk.use_server(&server.base_url());
    let key = "sentinel-77aa41d09be5c2f8";
    let endpoint = json!({"preset": "custom", "baseUrl": server.base_url()});
    desk.call("save_key", json!({"endpoint": endpoint, "key": key, "keep": "inKeychain"})).unwrap();
    server.says(refusal(401, "invalid_api_key", &format!("Incorrect API key provided: {key}")));
    send(&desk, Value::Null, "Hello", 1);
    let events = desk.until(1, is_last);
    assert_eq!(server.last_authorization(), format!("Bearer {key}"));
    assert!(!json!(events).to_string().contains(key), "{events:#?}");
    for file in files(desk.home()) {
        let bytes = std::fs::read(&file).unwrap();
        let found = bytes.windows(key.len()).any(|window| window == key.as_bytes());
        assert!(!found, "{} holds the key", file.display());
    }
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .flat_map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { vec![entry.path()] })
        .collect()
}
