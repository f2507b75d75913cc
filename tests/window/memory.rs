//! The Memory page: what is there is found, put right, tested, taken in and forgotten.

use std::path::{Path, PathBuf};

use atlas_tests::script::{greeter, in_two_parts, words};
use atlas_tests::window::{App, Computer, Key};
use atlas_tests::{Gate, ScriptedServer};

use crate::APP;
use crate::steps::{back_to_conversation, connect, find_fact, hear, learns, paste, press_on_fact, say};

/// A file of another program.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/imports").join(name).canonicalize().unwrap()
}

/// The app at its first run, connected, with these sentences said and answered.
async fn told(computer: &Computer, server: &ScriptedServer, sentences: &[&str]) -> App {
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    for sentence in sentences {
        say(&app, sentence).await;
        hear(&app).await;
    }
    app
}

#[tokio::test(flavor = "multi_thread")]
async fn the_timeline_shows_one_kind_of_change_and_all_of_them_again() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = told(&computer, &server, &["Remember that I live in Porto"]).await;
    find_fact(&app, "Porto").await;
    press_on_fact(&app, "Porto", 'p').await;
    app.see_words("toast", "Pinned").await;
    app.click("tab-timeline").await;
    app.see_text("event-row", |row| row.contains("learned")).await;

    app.choose("timeline-kind", "pinned").await;
    app.until("one change is listed", ONE_EVENT).await;
    app.see_text("event-row", |row| row.contains("I live in Porto") && row.contains("pinned")).await;
    app.choose("timeline-kind", "dismissed").await;
    app.see_no("event-row").await;
    app.click("clear-filters").await;
    app.see_text("event-row", |row| row.contains("you asked Atlas to remember it")).await;
    app.quit().await;
}

const ONE_EVENT: &str = r#"return document.querySelectorAll('[data-testid="event-row"]').length === 1"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_begins_to_wait_in_review_is_counted_while_the_window_is_open() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = told(&computer, &server, &[]).await;
    app.click("nav-settings").await;
    app.choose("settings-memory-writing", "secondCall").await;
    back_to_conversation(&app).await;

    let gate = Gate::new();
    let after = gate.clone();
    server.answer_with(move |request| match request.body.get("response_format") {
        Some(_) => in_two_parts(
            r#"{"facts":[{"subject":"Tobias Berg","#,
            &after,
            r#""relation":"works as","value":"architect"}]}"#,
        ),
        None => words("It is about a roof."),
    });
    paste(&app, FORWARDED).await;
    hear(&app).await;
    let before = app.see_text("nav-memory", |nav| nav.contains("Memory")).await;
    assert!(!before.contains('1'), "{before}");

    gate.open();
    app.see_text("nav-memory", |nav| nav.contains('1')).await;
    app.click("nav-memory").await;
    app.click("tab-review").await;
    app.see_text("review-row", |row| row.contains("Tobias Berg") && row.contains("architect")).await;
    app.quit().await;
}

/// What it says was said by somebody else: only the person can tell whether it is true.
const FORWARDED: &str = "Please summarise this mail.\n\n---------- Forwarded message ----------\nFrom: Tobias Berg\n\
    Subject: The roof\n\nDear Ana, Tobias Berg works as architect. The roof has to be repaired before the winter.";

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_for_meaning_the_page_says_that_words_alone_are_searched() {
    let server = greeter();
    let mut computer = Computer::new(APP).await;
    let nowhere = computer.folder().join("nowhere").display().to_string();
    computer.set("ATLAS_EMBEDDING", &nowhere);
    let app = told(&computer, &server, &["Remember that I live in Porto"]).await;
    find_fact(&app, "Porto").await;
    app.see_text("embedding-missing", |line| line.contains("found by their words alone")).await;
    app.click("embedding-missing").await;
    app.see_text("embedding-missing", |line| line.contains("Install Atlas again")).await;
    app.fill("memory-search", "porto").await;
    app.see_text("fact-row", |row| row.contains("Porto")).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_program_exported_waits_in_review_until_it_is_accepted_or_dismissed() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = told(&computer, &server, &["Remember that I live in Porto"]).await;
    find_fact(&app, "Porto").await;
    app.click("memory-import-button").await;
    app.click("import-choose").await;
    app.answer_dialog("Import memory", &fixture("chatgpt.json")).await;
    app.see_text("import-plan", |plan| plan.contains("2 conversations") && plan.contains("3 new memories")).await;
    app.click("import-run").await;
    app.see_text("import-report", |report| report.contains("3 memories wait in Review")).await;
    app.click("import-review").await;
    app.see_text("tab-review", |tab| tab.contains('3')).await;
    app.see_text("review-row", |row| row.contains("Lives in Braga.") && row.contains("ChatGPT memories")).await;

    let walnuts = r#"
        const row = [...document.querySelectorAll('[data-testid="review-row"]')].find((row) => row.textContent.includes(arguments[0]));
        row.querySelector(`[data-testid="${arguments[1]}"]`).click();
    "#;
    app.run(walnuts, vec!["walnuts".into(), "review-accept".into()]).await;
    app.see_text("tab-review", |tab| tab.contains('2')).await;
    app.run(walnuts, vec!["Braga".into(), "review-dismiss".into()]).await;
    app.see_text("tab-review", |tab| tab.contains('1')).await;
    app.picture("review-light").await;
    app.click("tab-facts").await;
    app.see_text("fact-row", |row| row.contains("walnuts")).await;
    app.see_text("fact-row", |row| row.contains("Porto")).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_goes_out_to_a_file_and_comes_back_on_another_computer() {
    let server = greeter();
    let file = {
        let computer = Computer::new(APP).await;
        let app = told(&computer, &server, &["Remember that I live in Porto"]).await;
        find_fact(&app, "Porto").await;
        app.click("memory-export-button").await;
        app.click("export-run").await;
        let file = computer.folder().join("memory.json");
        app.answer_dialog("Export memory", &file).await;
        app.see_text("export-report", |report| report.contains("memory.json")).await;
        app.quit().await;
        std::fs::read(file).unwrap()
    };
    let computer = Computer::new(APP).await;
    let path = computer.folder().join("brought.json");
    std::fs::write(&path, file).unwrap();
    let app = told(&computer, &server, &[]).await;
    app.click("nav-memory").await;
    app.click("memory-import-button").await;
    app.click("import-choose").await;
    app.answer_dialog("Import memory", &path).await;
    app.click("import-run").await;
    app.click("import-close").await;
    app.see_text("fact-row", |row| row.contains("Porto")).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_can_be_had_back_for_seconds_and_is_erased_after_them() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = told(&computer, &server, &["Remember that I live in Porto", "Remember that I drink maté"]).await;
    find_fact(&app, "Porto").await;
    press_on_fact(&app, "maté", Key::Delete.value()).await;
    app.see_text("forget-dialog", |dialog| dialog.contains("maté")).await;
    app.click("forget-confirm").await;
    app.until("one fact is listed", ONE_FACT).await;
    app.click("undo").await;
    app.see_text("fact-row", |row| row.contains("maté")).await;

    press_on_fact(&app, "maté", Key::Delete.value()).await;
    app.click("messages-forget").await;
    app.click("forget-confirm").await;
    app.see_words("toast", "Erased: 1 fact").await;
    app.click("memory-more").await;
    app.click("memory-receipts").await;
    app.see_text("receipts", |receipts| receipts.contains("1 fact")).await;
    app.press(Key::Escape.value()).await;
    back_to_conversation(&app).await;
    app.see_text("message-user", |text| text.contains("This was forgotten.")).await;
    app.quit().await;
}

const ONE_FACT: &str = r#"return document.querySelectorAll('[data-testid="fact-row"]').length === 1"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_fact_is_put_right_in_its_place_and_its_history_tells_of_it() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = told(&computer, &server, &["Remember that I live in Porto"]).await;
    find_fact(&app, "Porto").await;
    press_on_fact(&app, "Porto", Key::Enter.value()).await;
    app.fill("fact-words", "אני גר בתל אביב").await;
    app.click("fact-save").await;
    app.see_text("fact-row", |row| row.contains("תל אביב") && row.contains("replaced “I live in Porto”")).await;
    app.click("row-replaced").await;
    app.see_text("fact-history", |history| history.contains("תל אביב") && history.contains("I live in Porto")).await;
    app.press(Key::Escape.value()).await;
    app.see_no("fact-history").await;
    press_on_fact(&app, "תל אביב", 'u').await;
    app.see_text("fact-row", |row| row.contains("I live in Porto")).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_tested_with_the_reasons_of_each_hit_and_the_very_block_of_the_prompt() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = told(&computer, &server, &["Remember that I live in Porto", "Where do I live?"]).await;
    app.click("chip-used").await;
    app.see_text("used-memories", |list| list.contains("I live in Porto")).await;
    app.click("used-test").await;
    app.see_words("recall-hit", "I live in Porto").await;
    app.see_text("recall-hit", |hit| hit.contains("Fact") && hit.contains("Same words: live")).await;
    let block = app.see_text("prompt-block", |block| block.contains("I live in Porto")).await;
    assert!(block.contains("<memory-context>"), "{block}");
    app.click("recall-source").await;
    app.see_text("message-user", |text| text.contains("I live")).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_temporary_conversation_nothing_is_on_the_memory_page() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = told(&computer, &server, &[]).await;
    app.click("temporary-toggle").await;
    server.says(learns("Noted.", r#"{"subject":"user","relation":"lives in","value":"Zanzibar"}"#));
    say(&app, "I live in Zanzibar.").await;
    hear(&app).await;
    app.click("nav-memory").await;
    for tab in ["tab-facts", "tab-episodes", "tab-review"] {
        app.see_text(tab, |tab| tab.contains('0')).await;
    }
    app.click("tab-facts").await;
    app.see_no("fact-row").await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_becomes_narrow_at_once_keeps_every_line_in_its_place() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = told(&computer, &server, &["Remember that I live in Porto", "Remember that I drink maté"]).await;
    app.resize(1180, 800).await;
    find_fact(&app, "Porto").await;
    press_on_fact(&app, "Porto", ' ').await;
    app.see("forget-selected").await;
    app.resize(480, 800).await;
    app.until(
        "the header has one line, the chosen rows' buttons are above the list, and no row has buttons without room",
        r#"
        const box = (selector) => document.querySelector(selector).getBoundingClientRect();
        const buttons = [...document.querySelectorAll('[role="toolbar"] button')];
        const rows = box('[data-testid="memory-rows"]');
        return box("main header").height < 64
            && buttons.every((button) => button.getBoundingClientRect().bottom <= rows.top)
            && document.querySelector('[data-testid="row-edit"]') === null;
        "#,
    )
    .await;
    app.picture("memory-narrow-chosen").await;
    app.press(Key::Escape.value()).await;
    app.click("memory-filter").await;
    app.until(
        "the filters are as high as what is in them",
        r#"
        const panel = document.querySelector('[data-testid="filter-panel"]').getBoundingClientRect();
        const close = [...document.querySelectorAll('[data-testid="filter-panel"] button')].pop().getBoundingClientRect();
        return close.height > 0 && close.height < 40 && panel.bottom - close.bottom < 24;
        "#,
    )
    .await;
    app.picture("memory-narrow-filter").await;
    app.quit().await;
}
