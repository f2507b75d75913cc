//! From the first run to a conversation that Atlas remembers.

use atlas_tests::Gate;
use atlas_tests::script::{greeter, in_two_parts, refusal, words};
use atlas_tests::window::Computer;

use crate::APP;
use crate::steps::{back_to_conversation, connect, find_fact, hear, say};

#[tokio::test(flavor = "multi_thread")]
async fn a_first_run_ends_in_a_conversation_that_streams_and_remembers() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    app.see("welcome").await;
    connect(&app, &server.base_url(), "scripted").await;

    let gate = Gate::new();
    server.says(in_two_parts("Tokyo is ", &gate, "**lovely** in spring."));
    say(&app, "Remember that I live in Tokyo 東京").await;
    app.see_text("message-assistant", |text| text.contains("Tokyo is")).await;
    app.see("stop").await;
    gate.open();
    let answer = hear(&app).await;
    assert!(answer.contains("lovely in spring."), "{answer}");
    app.see_text("chip-remembered", |chip| chip.contains('1')).await;

    server.says(words("You live in Tokyo."));
    say(&app, "Where do I live?").await;
    hear(&app).await;
    app.see_text("chip-used", |chip| chip.contains("Used")).await;
    app.click("chip-used").await;
    app.see_text("used-memories", |list| list.contains("Tokyo")).await;
    app.see_no("toast").await;
    app.picture("used-memories").await;
    assert!(server.last_prompt().contains("Tokyo"), "the fact was in the request");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_stopped_keeps_what_came() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    let gate = Gate::new();
    server.says(in_two_parts("The first half. ", &gate, "The second half."));
    say(&app, "Tell me a story").await;
    app.see_text("message-assistant", |text| text.contains("The first half.")).await;
    app.click("stop").await;
    app.see("send").await;
    let kept = app.see_text("message-assistant", |text| text.contains("incomplete")).await;
    assert!(kept.contains("The first half.") && !kept.contains("The second half."), "{kept}");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_remembered_stands_on_the_facts_page_until_it_is_forgotten() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    server.says(words("Noted."));
    say(&app, "Remember that my cat is called Miso").await;
    hear(&app).await;
    find_fact(&app, "Miso").await;
    app.quit().await;

    let app = computer.start().await;
    find_fact(&app, "Miso").await;
    app.fill("memory-search", "nothing like it").await;
    app.see_no("fact-row").await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_does_not_exist_is_said_and_the_next_message_works_once_it_is_put_right() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "no-such-model").await;
    server.says(refusal(404, "model_not_found", "The model `no-such-model` does not exist"));
    say(&app, "Hello").await;
    app.see("failure").await;
    app.see_no("toast").await;
    app.picture("failure").await;
    app.click("nav-settings").await;
    app.fill("settings-model", "scripted").await;
    app.click("settings-save").await;
    back_to_conversation(&app).await;
    server.says(words("Hello again."));
    say(&app, "Hello?").await;
    assert!(hear(&app).await.contains("Hello again."));
    app.quit().await;
}
