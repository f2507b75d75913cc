//! What a crash leaves: the person's message, the part of the answer that came, and no process.

use atlas_tests::script::{greeter, in_two_parts, words};
use atlas_tests::window::Computer;
use atlas_tests::{Gate, Response, ScriptedServer};
use serde_json::json;

use crate::APP;
use crate::shell::CALL;
use crate::steps::{connect, hear, say};

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_in_the_middle_of_an_answer_keeps_the_message_and_what_came() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    let gate = Gate::new();
    server.says(in_two_parts("The first half. ", &gate, "The second half."));
    say(&app, "Tell me a story that survives").await;
    app.see_text("message-assistant", |text| text.contains("The first half.")).await;
    // At most the last second of an answer may be lost.
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    app.kill().await;
    gate.open();

    let app = computer.start().await;
    app.click("conversation-row").await;
    app.see_text("message-user", |text| text.contains("Tell me a story that survives")).await;
    app.see_text("message-assistant", |text| text.contains("The first half.")).await;
    server.says(words("The whole story."));
    app.click("failure-next").await;
    assert!(hear(&app).await.contains("The whole story."));
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_system_ends_atlas_in_an_answer_and_a_download_and_what_came_of_both_is_kept() {
    let (server, gate) = (greeter(), Gate::new());
    let files = ScriptedServer::always(Response::empty(404));
    let begin = Response::whole(200, "application/octet-stream", "GGUF".to_owned());
    files.offer_models(begin.clone().then_wait(&gate).then(begin));
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    let address = json!({"url": format!("{}/tiny.gguf", files.base_url())});
    assert_eq!(app.run(CALL, vec![json!("download_from"), address]).await, json!({"ok": "tiny.gguf"}));
    server.says(in_two_parts("The first half. ", &gate, "The second half."));
    say(&app, "Tell me a story that survives").await;
    app.see_text("message-assistant", |text| text.contains("The first half.")).await;
    app.quit().await;
    gate.open();

    let app = computer.start().await;
    let downloads = app.run(CALL, vec![json!("downloads"), json!({})]).await;
    assert_eq!((&downloads["ok"][0]["file"], &downloads["ok"][0]["step"]), (&json!("tiny.gguf"), &json!("paused")));
    app.click("conversation-row").await;
    app.see_text("message-user", |text| text.contains("Tell me a story that survives")).await;
    app.see_text("message-assistant", |text| text.contains("The first half.")).await;
    app.quit().await;
}
