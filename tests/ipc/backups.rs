//! Backups through the window: made, listed, and put back, also where the database is damaged when Atlas starts.

use std::fs;

use atlas_core::assistant::Assistant;
use atlas_core::home::{AGENT, Home};
use atlas_tests::Gate;
use atlas_tests::script::{greeter, in_two_parts};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::desk::{Desk, parts};

fn remember(desk: &Desk, fact: &str) {
    desk.call("run_command", json!({"text": format!("/remember {fact}")})).unwrap();
}

fn facts(desk: &Desk) -> Vec<String> {
    let query = json!({"search": "", "order": "oldest", "offset": 0, "limit": 10});
    let page = desk.call("facts", json!({"query": query})).unwrap();
    page["rows"].as_array().unwrap().iter().map(|fact| fact["quote"].as_str().unwrap().to_owned()).collect()
}

fn backups(desk: &Desk) -> Vec<Value> {
    desk.call("backups", json!({})).unwrap().as_array().unwrap().clone()
}

/// A home that was left with one fact and a backup of it, and the backup's name.
fn home_with_a_backup() -> (TempDir, String) {
    let home = tempfile::tempdir().unwrap();
    let name = tauri::async_runtime::block_on(async {
        let assistant = Assistant::open(Home::at(home.path()), AGENT, parts()).await.unwrap();
        assistant.run_command("/remember I live in Porto").await.unwrap();
        let name = assistant.back_up_now().await.unwrap().name;
        assert!(assistant.let_go().await, "nothing holds a closed assistant");
        name
    });
    (home, name)
}

/// Leaves nothing of the database that could be read.
fn destroy(home: &TempDir) {
    let folder = Home::at(home.path()).agent(AGENT);
    fs::write(folder.join("atlas.db"), "this is no database, and nothing can be salvaged from it").unwrap();
}

#[test]
fn a_backup_is_made_listed_and_restored_and_the_next_call_sees_what_it_holds() {
    let desk = Desk::new();
    remember(&desk, "I live in Porto");
    let made = desk.call("back_up_now", json!({})).unwrap();
    assert_eq!((&made["verified"], &made["reason"]), (&json!(true), &json!("Made by you")));
    assert_eq!(backups(&desk), std::slice::from_ref(&made));
    remember(&desk, "my boat is called Albatross");
    assert_eq!(facts(&desk).len(), 2);

    let report = desk.call("restore_backup", json!({"name": made["name"]})).unwrap();
    assert_eq!((&report["salvaged"], &report["kept"]), (&json!(0), &Value::Null));
    assert_eq!(facts(&desk), ["I live in Porto"]);
    desk.hears(|event| event["type"] == "healthChanged");
    let mut reasons: Vec<String> = backups(&desk).iter().map(|backup| backup["reason"].to_string()).collect();
    reasons.sort();
    assert_eq!(reasons, ["\"Made before another backup was restored\"", "\"Made by you\""]);
    remember(&desk, "I play the viola");
    desk.hears(|event| event["type"] == "memoryChanged");
    assert_eq!(facts(&desk).len(), 2, "it can be written to");
}

#[test]
fn a_name_that_is_no_backup_closes_nothing() {
    let desk = Desk::new();
    remember(&desk, "I live in Porto");
    for name in ["nobody's.db", "../atlas.db"] {
        assert_eq!(desk.call("restore_backup", json!({"name": name})).unwrap_err()["code"], "not_found");
    }
    assert_eq!(facts(&desk), ["I live in Porto"]);
}

#[test]
fn a_running_answer_ends_before_a_backup_is_restored() {
    let server = greeter();
    let desk = Desk::new();
    desk.use_server(&server.base_url());
    let made = desk.call("back_up_now", json!({})).unwrap();
    let gate = Gate::new();
    server.says(in_two_parts("The first half. ", &gate, "The second half."));
    let sent = json!({"conversation": null, "text": "Tell me a story", "events": "__CHANNEL__:1"});
    desk.call("send", sent).unwrap();
    desk.until(1, |event| event["type"] == "delta");

    desk.call("restore_backup", json!({"name": made["name"]})).unwrap();
    let events = desk.until(1, |event| event["type"] == "cancelled");
    assert_eq!(events.last().unwrap()["message"]["text"], "The first half.");
    assert_eq!(desk.call("conversations", json!({"search": ""})).unwrap(), json!([]), "the backup has none yet");
    gate.open();
}

#[test]
fn a_database_that_was_damaged_when_atlas_starts_is_read_on_its_backup_and_healed_by_it() {
    let (home, name) = home_with_a_backup();
    destroy(&home);
    let desk = Desk::in_home(home);
    assert_eq!(desk.call("startup", json!({})).unwrap(), json!({"type": "ready"}));
    let health = desk.call("store_health", json!({})).unwrap();
    assert_eq!((&health["mode"], &health["backup"]), (&json!("onBackup"), &json!(name)));
    assert_eq!(facts(&desk), ["I live in Porto"]);

    let report = desk.call("restore_backup", json!({"name": name})).unwrap();
    assert!(report["kept"].as_str().unwrap().starts_with("damaged/"), "{report}");
    desk.hears(|event| event["type"] == "storeHealth" && event["health"]["mode"] == "normal");
    let health = desk.call("check_store", json!({})).unwrap();
    assert_eq!(health["mode"], "normal");
    desk.hears(|event| *event == json!({"type": "storeHealth", "health": health}));
    assert_eq!(facts(&desk), ["I live in Porto"]);
    remember(&desk, "my boat is called Albatross");
}

#[test]
fn a_database_that_cannot_be_opened_is_healed_from_the_window_all_the_same() {
    let (home, name) = home_with_a_backup();
    destroy(&home);
    let folder = Home::at(home.path()).agent(AGENT).join("backups");
    let (backup, hidden) = (folder.join(&name), home.path().join("elsewhere.db"));
    fs::rename(&backup, &hidden).unwrap();
    let desk = Desk::in_home(home);
    assert_eq!(desk.call("startup", json!({})).unwrap()["type"], "failed");
    assert_eq!(backups(&desk), Vec::<Value>::new());

    fs::rename(&hidden, &backup).unwrap();
    fs::remove_file(Home::at(desk.home()).agent(AGENT).join("atlas.db")).unwrap();
    assert_eq!(backups(&desk)[0]["name"], name);
    desk.call("restore_backup", json!({"name": name})).unwrap();
    assert_eq!(desk.call("startup", json!({})).unwrap(), json!({"type": "ready"}));
    assert_eq!(facts(&desk), ["I live in Porto"]);
}
