//! That the engine crashes again and again is told once: to the windows, on the desktop, to the person's webhook.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use atlas_core::assistant::Parts;
use atlas_core::supervisor::EngineConfig;
use atlas_desktop::Dialogs;
use atlas_tests::{Response, ScriptedServer, TestClock};
use serde_json::json;

use crate::desk::{Desk, eventually, parts};

/// Atlas with an engine that ends as soon as it is started, on a clock that is turned by hand.
fn desk_with_a_broken_engine() -> (Desk, Arc<TestClock>) {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("models")).unwrap();
    fs::write(home.path().join("models/broken.gguf"), json!({"say": [], "exit": 1}).to_string()).unwrap();
    let clock = Arc::new(TestClock::at("2026-03-02T09:00:00+01:00"));
    clock.hold();
    let (time, binary) = (clock.clone(), Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/llama-server"));
    let desk = Desk::of(home, Dialogs::Answer(None), move || Parts {
        clock: time.clone(),
        engine: EngineConfig { binary: Some(binary.clone()), ..EngineConfig::default() },
        ..parts()
    });
    (desk, clock)
}

/// Starts the engine, and turns the clock on whenever it rests, until the windows hear of it.
fn crash_again_and_again(desk: &Desk, clock: &TestClock, webhook: &str, notify: bool) {
    let settings = json!({
        "endpoint": {"preset": "builtIn", "baseUrl": ""}, "model": "broken.gguf", "memoryWriting": null,
        "webhook": webhook, "notify": notify,
    });
    desk.call("save_settings", json!({"settings": settings})).unwrap();
    desk.hears_while(
        |event| event["type"] == "notice",
        || {
            let health = desk.call("health", json!({})).unwrap();
            if health["services"][0]["state"]["type"] == "resting" {
                clock.advance(Duration::from_secs(1));
            }
        },
    );
}

#[test]
fn an_engine_that_flaps_is_told_to_the_windows_the_desktop_and_the_webhook() {
    let hook = ScriptedServer::always(Response::empty(204));
    let (desk, clock) = desk_with_a_broken_engine();
    crash_again_and_again(&desk, &clock, &format!("{}/hook", hook.base_url()), true);
    let shown = desk.notices.lock().unwrap().clone();
    let notice = desk.hears(|event| event["type"] == "notice");
    assert_eq!(shown, [(notice["title"].as_str().unwrap().to_owned(), notice["body"].as_str().unwrap().to_owned())]);
    assert_eq!(shown[0].0, "The built-in model crashes again and again");
    let posted = hook.wait_for_requests(1);
    assert_eq!((&posted[0].body["service"], &posted[0].body["event"]), (&json!("engine"), &json!("flapping")));
}

#[test]
fn a_webhook_that_refuses_is_a_line_in_the_log_and_no_more() {
    let hook = ScriptedServer::always(Response::empty(404));
    let (desk, clock) = desk_with_a_broken_engine();
    crash_again_and_again(&desk, &clock, &format!("{}/hook", hook.base_url()), true);
    eventually(|| {
        let lines = desk.call("logs", json!({})).unwrap().to_string();
        lines.contains("The webhook did not take the message.").then_some(()).ok_or(lines)
    });
    assert_eq!(hook.requests().len(), 1);
}

#[test]
fn a_person_who_wants_no_notices_on_the_desktop_finds_them_in_the_window_alone() {
    let (desk, clock) = desk_with_a_broken_engine();
    crash_again_and_again(&desk, &clock, "", false);
    assert_eq!(*desk.notices.lock().unwrap(), []);
}
