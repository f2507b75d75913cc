//! What a person does again and again.

use std::time::Duration;

use atlas_tests::Response;
use atlas_tests::window::{App, PATIENCE};

/// At the first run: passes by what was found and sets a server of one's own; ends in an empty conversation.
pub async fn connect(app: &App, base_url: &str, model: &str) {
    app.click("welcome-other").await;
    app.choose("settings-provider", "custom").await;
    app.fill("settings-base-url", base_url).await;
    app.fill("settings-model", model).await;
    app.click("settings-save").await;
    app.until(
        "the settings are saved",
        r#"return document.querySelector('[data-testid="settings-save"]')?.disabled ?? true"#,
    )
    .await;
    back_to_conversation(app).await;
}

/// Goes from any page to the conversation that was open.
pub async fn back_to_conversation(app: &App) {
    app.press_control('1').await;
    app.see("composer").await;
}

/// Sends a message and waits until it stands in the conversation.
pub async fn say(app: &App, text: &str) {
    app.type_into("composer", text).await;
    app.click("send").await;
    app.see_text("message-user", |seen| seen.contains(text)).await;
}

/// Sends a message of several lines, as somebody pastes them.
pub async fn paste(app: &App, lines: &str) {
    app.see("composer").await;
    let script = r#"
        const composer = document.querySelector('[data-testid="composer"]');
        composer.value = arguments[0];
        composer.dispatchEvent(new Event("input", { bubbles: true }));
    "#;
    app.run(script, vec![lines.into()]).await;
    app.click("send").await;
}

/// Waits until the answer is finished; answers with the last one's text.
pub async fn hear(app: &App) -> String {
    hear_within(app, PATIENCE).await
}

/// As [`hear`], for a model that takes its time.
pub async fn hear_within(app: &App, patience: Duration) -> String {
    app.until_within(
        patience,
        "the last answer is complete",
        r#"
        const answers = document.querySelectorAll('[data-testid="message-assistant"]');
        const last = answers[answers.length - 1];
        return last !== undefined && last.dataset.state === "complete";
        "#,
    )
    .await;
    app.texts("message-assistant").await.pop().unwrap_or_default()
}

/// Waits until an answer of a real model streams, and stops it: a small model may talk for many minutes.
pub async fn hear_some(app: &App) {
    app.until_within(
        Duration::from_secs(300),
        "the model answers",
        r#"return /arriving|complete/.test(document.querySelector('[data-testid="chat-status"]').textContent)"#,
    )
    .await;
    app.run(r#"document.querySelector('[data-testid="stop"]')?.click()"#, vec![]).await;
    app.see("send").await;
}

/// An answer that hands over facts within itself, as strong models do.
pub fn learns(text: &str, facts: &str) -> Response {
    Response::answer([text, &format!("\nMEMORY_OPS: {{\"facts\":[{facts}],\"episode_note\":\"about them\"}}")])
}

/// Presses a key on the fact whose sentence has this in it.
pub async fn press_on_fact(app: &App, part: &str, key: char) {
    app.see_words("fact-row", part).await;
    let script = r#"
        const rows = [...document.querySelectorAll('[data-testid="fact-row"]')];
        rows.find((row) => row.innerText.includes(arguments[0])).focus();
    "#;
    app.run(script, vec![part.into()]).await;
    app.press(key).await;
}

/// Opens the Memory page and waits for a fact whose sentence has this in it.
pub async fn find_fact(app: &App, part: &str) -> String {
    app.click("nav-memory").await;
    app.click("tab-facts").await;
    app.see_text("fact-row", |row| row.contains(part)).await
}
