//! What fails before a person's eyes: what they are told, what heals by itself, and what they do about it.

use std::io::{Seek, SeekFrom, Write};

use atlas_core::home::{AGENT, Home};
use atlas_tests::script::{greeter, refusal, words};
use atlas_tests::window::{App, Computer};
use atlas_tests::{Gate, Response, ScriptedServer};
use serde_json::json;

use crate::APP;
use crate::secrets::files_with;
use crate::steps::{back_to_conversation, connect, hear, say};

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_service_is_waited_for_as_long_as_the_person_likes() {
    let busy = refusal(429, "rate_limit_exceeded", "Slow down").header("retry-after", "60");
    let server = ScriptedServer::in_order([busy, words("Here I am.")]).for_the_person();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    say(&app, "Are you there?").await;
    app.see_text("healing", |line| line.contains("is busy (rate limit)")).await;
    // The countdown counts.
    app.see_text("healing-countdown", |left| left.contains("59 s") || left.contains("1 min")).await;
    app.see_text("healing-countdown", |left| left.contains("57 s")).await;
    app.picture("health-countdown").await;
    app.click("skip-wait").await;
    assert_eq!(hear(&app).await, "Here I am.");
    assert_eq!(server.requests().len(), 2);

    // The line stays with the answer, also when the conversation is read anew.
    app.click("new-conversation").await;
    app.see_no("healing").await;
    app.click("conversation-row").await;
    app.see_text("healing", |line| line.contains("was busy; waited")).await;
    app.see_no("healing-countdown").await;
    app.run(r#"document.querySelector('[data-testid="healing"] summary').click()"#, vec![]).await;
    app.see_text("healing", |story| story.contains("The service was busy; Atlas waited and asked again")).await;
    app.picture("health-healed").await;
    app.quit().await;
}

/// The key that the service takes. No other text in the world has it in it.
const KEY: &str = "sentinel-4b7d90e2c6f1835a";

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_key_is_given_anew_right_where_it_was_missed() {
    let server = ScriptedServer::new(|request| match request.header("authorization") {
        Some(key) if key.contains(KEY) => words("Welcome."),
        _ => refusal(401, "invalid_api_key", "Incorrect API key provided"),
    })
    .for_the_person();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    say(&app, "Hello").await;
    app.see_text("failure", |failure| failure.contains("does not accept the key")).await;
    app.picture("health-key").await;
    app.fill("settings-key", "not-this-one").await;
    app.click("settings-key-save").await;
    app.until(
        "the wrong key was tried",
        r#"return document.querySelector('[data-testid="settings-key"]')?.value === """#,
    )
    .await;
    app.see("failure").await;
    assert_eq!(server.last_authorization(), "Bearer not-this-one");
    app.fill("settings-key", KEY).await;
    app.click("settings-key-save").await;
    assert_eq!(hear(&app).await, "Welcome.");
    app.see_no("failure").await;
    assert_eq!(server.requests().len(), 3, "nothing is tried blindly");
    let page = app.run("return document.documentElement.outerHTML", vec![]).await.to_string();
    assert!(!page.contains(KEY), "the page still has the key");
    let diagnostics = app.run("return window.__TAURI_INTERNALS__.invoke('diagnostics')", vec![]).await.to_string();
    assert!(diagnostics.contains("credentials"), "what failed is told: {diagnostics}");
    for private in [KEY, "Hello", "Welcome"] {
        assert!(!diagnostics.contains(private), "{diagnostics}");
    }
    app.quit().await;

    // It is in the keychain and nowhere else.
    assert_eq!(files_with(computer.folder(), KEY), Vec::<String>::new());
    let app = computer.start().await;
    back_to_conversation(&app).await;
    say(&app, "Hello again").await;
    app.see_text("message-assistant", |text| text.contains("Welcome.")).await;
    app.click("nav-settings").await;
    app.click("settings-key-remove").await;
    app.see("settings-key").await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_down_gives_way_to_the_other_one_and_health_tells_all_of_it() {
    let down = ScriptedServer::always(Response::json(503, json!({"error": {"message": "down", "code": 503}})))
        .for_the_person();
    let spare = ScriptedServer::always(words("From the spare one.")).for_the_person();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &down.base_url(), "scripted").await;
    choose_second_service(&app, &spare.base_url(), "spare").await;
    app.picture("health-second-service").await;
    back_to_conversation(&app).await;
    say(&app, "Are you there?").await;
    assert_eq!(hear(&app).await, "From the spare one.");
    app.see_text("healing", |line| line.contains("had a problem of its own; asked spare")).await;
    let asked = down.requests().len();
    say(&app, "And now?").await;
    app.until(
        "both are answered",
        r#"return document.querySelectorAll('[data-testid="message-assistant"][data-state="complete"]').length === 2"#,
    )
    .await;
    assert_eq!(down.requests().len(), asked, "a dead service is left alone");

    app.click("nav-health").await;
    app.see_text("provider", |row| row.contains("Left alone")).await;
    app.see_text("provider", |row| row.contains("Answers")).await;
    app.see_text("condition", |said| said.contains("Not everything is well")).await;
    look_at(&app, "health-now").await;
    app.click("tab-timeline").await;
    app.see_text("trouble-row", |row| {
        row.contains("has a problem of its own") && row.contains("Ask your other service")
    })
    .await;
    look_at(&app, "health-timeline").await;
    app.click("tab-learned").await;
    let helped = |row: &str| row.contains(LEARNED);
    app.see_text("procedure-row", helped).await;
    look_at(&app, "health-learned").await;
    on_procedure(&app, LEARNED, "Enter").await;
    app.fill("lesson", "It is down at night.").await;
    app.click("lesson-save").await;
    app.see_text("procedure-row", |row| helped(row) && row.contains("It is down at night. · lesson by you")).await;
    on_procedure(&app, LEARNED, "p").await;
    app.until("it is paused", r#"return document.querySelector('[data-testid="procedure-row"][aria-label$=", paused"]')?.innerText.includes("has a problem of its own: Ask your other service") ?? false"#)
        .await;
    on_procedure(&app, LEARNED, "Delete").await;
    app.click("forget-confirm").await;
    app.until("it is gone", r#"return ![...document.querySelectorAll('[data-testid="procedure-row"]')].some((row) => row.innerText.includes("has a problem of its own: Ask your other service"))"#)
        .await;
    app.quit().await;
}

/// What is learned where the other service helped.
const LEARNED: &str = "has a problem of its own: Ask your other service";

/// Names another service in the settings.
async fn choose_second_service(app: &App, base_url: &str, model: &str) {
    app.click("nav-settings").await;
    // What loads above it may still move it.
    app.see("fallback-edit").await;
    app.run(r#"document.querySelector('[data-testid="fallback-edit"]').click()"#, vec![]).await;
    app.see("fallback-form").await;
    let script = r#"
        const [name, value] = arguments;
        const control = document.querySelector(`[data-testid="fallback-form"] [data-testid="${name}"]`);
        control.value = value;
        for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));
        await new Promise(requestAnimationFrame);
    "#;
    for (control, value) in
        [("settings-provider", "custom"), ("settings-base-url", base_url), ("settings-model", model)]
    {
        app.run(script, vec![json!(control), json!(value)]).await;
    }
    app.run(r#"document.querySelector('[data-testid="fallback-form"] [data-testid="settings-save"]').click()"#, vec![])
        .await;
    app.see_text("fallback", |said| said.contains(model)).await;
}

/// Presses a key on the procedure whose words have this in them.
async fn on_procedure(app: &App, part: &str, key: &str) {
    app.see_text("procedure-row", |row| row.contains(part)).await;
    let script = r#"
        const rows = [...document.querySelectorAll('[data-testid="procedure-row"]')];
        const row = rows.find((row) => row.innerText.includes(arguments[0]));
        row.focus();
        row.dispatchEvent(new KeyboardEvent("keydown", { key: arguments[1], bubbles: true, cancelable: true }));
    "#;
    app.run(script, vec![json!(part), json!(key)]).await;
}

/// Keeps pictures of the page, narrow and wide, in both themes.
async fn look_at(app: &App, name: &str) {
    for theme in ["dark", "light"] {
        let prefer = "await window.__TAURI_INTERNALS__.invoke('save_preferences', { preferences: { theme: arguments[0], zoom: 1 } })";
        app.run(prefer, vec![theme.into()]).await;
        for width in [480, 1180] {
            app.resize(width, 780).await;
            app.until("nothing moves", "return document.getAnimations().every((one) => one.playState !== 'running')")
                .await;
            app.picture(&format!("{name}-{theme}-{width}")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_breaks_a_hard_rule_is_taken_from_the_screen() {
    let gate = Gate::new();
    let bad = Response::partial(["Sure, gladly. "]).then_wait(&gate).then(words("I promise you a full refund."));
    let server = ScriptedServer::in_order([bad, words("I can pass your wish on.")]).for_the_person();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    app.click("nav-behaviour").await;
    app.click("spec-add-never").await;
    app.until(
        "the new rule can be typed",
        r#"return /^spec-field-never\.\d+\.text$/.test(document.activeElement?.dataset.testid ?? "")"#,
    )
    .await;
    let rule = app.run("return document.activeElement.dataset.testid", vec![]).await;
    let rule = rule.as_str().unwrap();
    app.fill(rule, "Say 'full refund'").await;
    let kind = rule.replace(".text", ".hard");
    if app.texts(&kind).await[0] != "Hard" {
        app.click(&kind).await;
    }
    app.click("behaviour-save").await;
    app.until("the rule is saved", r#"return document.querySelector('[data-testid="behaviour-save"]').disabled"#).await;

    back_to_conversation(&app).await;
    say(&app, "My parcel is late. What now?").await;
    app.see_text("message-assistant", |text| text.contains("Sure, gladly.")).await;
    gate.open();
    app.see_text("message-assistant", |text| text.contains("I can pass your wish on.")).await;
    assert_eq!(hear(&app).await, "I can pass your wish on.");
    app.see_text("healing", |line| line.contains("broke one of your rules") && line.contains("Say 'full refund'"))
        .await;
    app.picture("health-rule").await;
    app.click("nav-health").await;
    app.click("tab-drift").await;
    app.see_text("drift-latest", |list| list.contains("Broke one of your rules")).await;
    look_at(&app, "health-drift").await;
    app.quit().await;
    assert_eq!(files_with(computer.folder(), "a full refund"), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_restored_in_the_window_and_heals_a_damaged_database() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    say(&app, "Remember that I live in Porto").await;
    hear(&app).await;
    app.click("nav-health").await;
    app.click("back-up").await;
    app.see_text("backups", |list| list.contains("Made by you")).await;
    back_to_conversation(&app).await;
    say(&app, "Something that came later").await;
    hear(&app).await;

    app.click("nav-health").await;
    app.click("restore").await;
    app.click("confirm").await;
    app.see_text("toast", |said| said.contains("is restored")).await;
    app.see_text("backups", |list| list.contains("Made before another backup was restored")).await;
    back_to_conversation(&app).await;
    app.click("conversation-row").await;
    app.see_text("message-user", |text| text.contains("Porto")).await;
    let page = app.texts("message-user").await;
    assert_eq!(page, ["Remember that I live in Porto"], "the conversation is as it was");
    say(&app, "It goes on").await;
    app.until(
        "both are answered",
        r#"return document.querySelectorAll('[data-testid="message-assistant"][data-state="complete"]').length === 2"#,
    )
    .await;
    app.quit().await;

    damage(&computer);
    let app = computer.start().await;
    app.see("store-banner").await;
    app.click("conversation-row").await;
    app.see_text("message-user", |text| text.contains("Porto")).await;
    app.picture("health-on-backup-chat").await;
    app.click("nav-health").await;
    app.see_text("database", |row| row.contains("Open on a backup: nothing new is kept")).await;
    look_at(&app, "health-on-backup").await;
    app.click("restore").await;
    app.click("confirm").await;
    app.see_text("toast", |said| said.contains("The damaged file is kept as damaged/")).await;
    app.see_no("store-banner").await;
    app.see_text("database", |row| row.contains("In order")).await;
    app.picture("health-restored").await;
    back_to_conversation(&app).await;
    app.click("conversation-row").await;
    say(&app, "Whole again").await;
    hear(&app).await;
    app.quit().await;
}

/// Writes over pages of the database, as a bad disk does: all but the first.
fn damage(computer: &Computer) {
    const PAGE: usize = 4096;
    let database = Home::at(computer.home()).agent(AGENT).join("atlas.db");
    let mut file = std::fs::File::options().write(true).open(database).unwrap();
    let pages = usize::try_from(file.metadata().unwrap().len()).unwrap() / PAGE;
    assert!(pages > 8, "there is something to damage");
    file.seek(SeekFrom::Start(PAGE as u64)).unwrap();
    file.write_all(&vec![0xA5; PAGE * (pages / 2)]).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_network_a_message_waits_and_is_sent_when_it_is_back() {
    let server = ScriptedServer::always(Response::cut_off()).for_the_person();
    server.offer_models(Response::cut_off());
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    // An address that counts as elsewhere, on this computer all the same.
    connect(&app, &format!("http://0.0.0.0:{}/v1", server.port()), "scripted").await;
    say(&app, "Are you there?").await;
    app.see_text("queued", |said| said.contains("Waiting for the network")).await;
    app.see_text("offline-banner", |said| said.contains("You are offline.") && said.contains("1 message waits")).await;
    look_at(&app, "health-offline").await;
    app.click("nav-health").await;
    app.see_text("network", |row| row.contains("Not connected") && row.contains("1 message waits for it")).await;
    back_to_conversation(&app).await;

    server.offer_models(Response::json(200, json!({"object": "list", "data": []})));
    server.says(words("I am back."));
    assert_eq!(hear(&app).await, "I am back.");
    app.see_no("queued").await;
    app.see_no("offline-banner").await;
    app.quit().await;
}
