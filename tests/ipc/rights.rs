//! Who may call what, and in which form errors come back.

use atlas_desktop::commands::COMMANDS;
use serde_json::{Value, json};

use crate::desk::Desk;

/// The arguments of every command, by the names that the page uses.
fn arguments(command: &str) -> Value {
    let endpoint = json!({"preset": "custom", "baseUrl": "http://127.0.0.1:9/v1"});
    let query = json!({"search": "", "order": "newest", "offset": 0, "limit": 10});
    match command {
        "save_preferences" => json!({"preferences": {"theme": "dark", "zoom": 1.0}}),
        "open_link" => json!({"url": "file:///etc/passwd"}),
        "conversations" => json!({"search": ""}),
        "conversation" => json!({"id": 404}),
        "rename_conversation" => json!({"id": 404, "title": "Plans"}),
        "delete_conversation" => json!({"id": 404, "learned": "keep"}),
        "draft" => json!({"conversation": null}),
        "save_draft" => json!({"conversation": null, "text": "half a thought"}),
        "send" => json!({"conversation": null, "text": "", "temporary": true, "events": "__CHANNEL__:1"}),
        "retry" => json!({"message": 404, "events": "__CHANNEL__:2"}),
        "edit_message" => json!({"message": 404, "text": "Hello", "events": "__CHANNEL__:3"}),
        "message_versions" => json!({"message": 404}),
        "stop" => json!({"turn": 404}),
        "run_command" => json!({"text": "/help"}),
        "answer_sources" => json!({"message": 404}),
        "facts" | "episodes" | "procedures" | "review" => json!({"query": query}),
        "fact_history" => json!({"id": 404}),
        "edit_fact" => json!({"id": 404, "draft": {"subject": "user", "relation": "lives in", "value": "Porto"}}),
        "export_memory" => json!({"format": "json"}),
        "import_memory" => json!({"token": "nobody's"}),
        "undo_import" => json!({"import": 99}),
        "pin_fact" => json!({"id": 404, "pinned": true}),
        "memory_events" => json!({"query": {"search": "", "kinds": [], "fact": null, "offset": 0, "limit": 10}}),
        "subjects" => json!({"search": ""}),
        "memory_source" => json!({"memory": {"type": "fact", "id": 404}}),
        "forget_facts" | "forget_episodes" | "forget_procedures" => json!({"ids": []}),
        "accept_review" | "dismiss_review" => json!({"ids": []}),
        "edit_review" => json!({"id": 404, "draft": {"subject": "user", "relation": "lives in", "value": "Porto"}}),
        "forget_preview" => json!({"target": {"type": "subject", "name": "Mara"}}),
        "forget" => json!({"target": {"type": "facts", "ids": [404]}, "messages": "keep"}),
        "test_recall" => json!({"question": "Where do I live?"}),
        "undo" => json!({"events": []}),
        "preview_behavior" | "save_behavior" => json!({"spec": spec()}),
        "save_settings" => json!({"settings": {
            "endpoint": endpoint, "model": "m", "memoryWriting": null, "maxRetries": 3, "workingMemoryLimit": 10,
        }}),
        "models" | "key_status" | "keep_environment_key" | "delete_key" => json!({"endpoint": endpoint}),
        "test_connection" => json!({"endpoint": endpoint, "model": "m"}),
        "save_key" => json!({"endpoint": endpoint, "key": "sk-test-0123456789", "keep": "thisSession"}),
        "health_events" => json!({"query": {"limit": 10}}),
        "drift" => json!({"days": 30}),
        "edit_lesson" => json!({"id": 404, "lesson": "Wait a minute."}),
        "retire_procedure" => json!({"id": 404, "retired": true}),
        "skip_wait" => json!({"turn": 404}),
        "retry_with_alternative" => json!({"message": 404, "events": "__CHANNEL__:4"}),
        "cancel_queued" => json!({"message": 404}),
        "network_changed" => json!({"online": true}),
        "restore_backup" => json!({"name": "nobody's.db"}),
        "start_download" => json!({"id": "nobody's"}),
        "download_from" => json!({"url": "http://example.org/model.gguf"}),
        "resume_download" | "cancel_download" | "discard_download" => json!({"file": "nobody's.gguf"}),
        "remove_local_model" => json!({"id": "nobody's.gguf"}),
        "memory_need" => json!({"model": "nobody's.gguf", "contextTokens": 8192}),
        "wipe_plan" | "wipe" => json!({"scope": "memory"}),
        _ => json!({}),
    }
}

fn spec() -> Value {
    json!({
        "identity": {"name": "Atlas", "role": "Assistant", "version": "1.0"},
        "personality": {"tone": "warm", "verbosity": "concise", "formality": "casual"},
        "never": [{"text": "pretend to be human", "hard": true}],
        "always": [],
        "decisionRules": [],
        "escalationTriggers": [],
        "memoryDirectives": {"storeFacts": "always", "storeEpisodes": "always", "storeProcedures": "always"},
        "sealedTopics": [],
    })
}

#[test]
fn every_command_answers_and_its_errors_are_for_people() {
    let desk = Desk::new();
    for command in COMMANDS {
        if let Err(error) = desk.call(command, arguments(command)) {
            let is_view = error["code"].is_string() && error["message"].is_string() && error["retryable"].is_boolean();
            assert!(is_view, "{command} failed with {error}");
        }
    }
}

#[test]
fn what_is_not_there_is_an_error_that_says_so() {
    let desk = Desk::new();
    for command in [
        "conversation",
        "rename_conversation",
        "retry",
        "answer_sources",
        "edit_fact",
        "edit_message",
        "message_versions",
        "edit_review",
    ] {
        let error = desk.call(command, arguments(command)).unwrap_err();
        assert_ne!(error["message"], json!(""), "{command}");
    }
    let error = desk.call("send", arguments("send")).unwrap_err();
    assert_eq!(error["code"], "nothing_to_send");
    let error = desk.call("open_link", arguments("open_link")).unwrap_err();
    assert_eq!(error["code"], "link_refused");
}

#[test]
fn another_window_may_call_nothing() {
    let desk = Desk::new();
    for command in COMMANDS {
        let refused = desk.call_from("other", command, arguments(command)).unwrap_err();
        assert!(refused.is_string(), "{command} reached the assistant: {refused}");
    }
}

#[test]
fn the_window_may_call_nothing_of_tauris_but_to_listen() {
    let desk = Desk::new();
    for command in [
        "plugin:store|load",
        "plugin:event|emit",
        "plugin:notification|notify",
        "plugin:notification|is_permission_granted",
        "plugin:window|create",
        "plugin:webview|create_webview_window",
        "plugin:app|version",
        "plugin:path|resolve_directory",
    ] {
        assert!(desk.call(command, json!({})).is_err(), "{command}");
    }
}

#[test]
fn a_key_that_was_saved_is_never_handed_back() {
    let desk = Desk::new();
    let key = "sk-sentinel-5f1c0e7b9a3d4486";
    let endpoint = json!({"preset": "custom", "baseUrl": "http://127.0.0.1:9/v1"});
    desk.call("save_settings", arguments("save_settings")).unwrap();
    let saved = desk.call("save_key", json!({"endpoint": endpoint, "key": key, "keep": "thisSession"})).unwrap();
    assert_eq!(saved, json!({"type": "present", "last4": "4486", "place": "session"}));
    for command in
        COMMANDS.iter().filter(|command| !["save_key", "keep_environment_key", "delete_key", "wipe"].contains(command))
    {
        let answer = match desk.call(command, arguments(command)) {
            Ok(answer) | Err(answer) => answer.to_string(),
        };
        assert!(!answer.contains("5f1c0e7b9a3d"), "{command} answered {answer}");
    }
}
