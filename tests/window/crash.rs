//! What a crash leaves: the person's message, the part of the answer that came, and no process.

use atlas_tests::model_server::ModelServer;
use atlas_tests::window::Computer;

use crate::APP;
use crate::steps::{connect, hear, say};

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_in_the_middle_of_an_answer_keeps_the_message_and_what_came() {
    let server = ModelServer::start().await;
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    let held = server.says_in_two_parts("The first half. ", "The second half.");
    say(&app, "Tell me a story that survives").await;
    app.see_text("message-assistant", |text| text.contains("The first half.")).await;
    // At most the last second of an answer may be lost.
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    app.kill().await;
    drop(held);

    let app = computer.start().await;
    app.click("conversation-row").await;
    app.see_text("message-user", |text| text.contains("Tell me a story that survives")).await;
    app.see_text("message-assistant", |text| text.contains("The first half.")).await;
    server.says("The whole story.");
    app.click("failure-next").await;
    assert!(hear(&app).await.contains("The whole story."));
    app.quit().await;
}
