//! The built-in engine with a real model: nothing here is scripted.

use std::path::PathBuf;
use std::time::Duration;

use atlas_tests::process;
use atlas_tests::window::{App, Computer, eventually};

use crate::APP;
use crate::steps::{back_to_conversation, find_fact, hear_some, hear_within, say};

/// How long one answer of the starter model may take on a slow and busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A computer with the engine and the model that a variable names, as the set-up leaves them.
async fn computer_with(model: &str) -> Computer {
    let found = |variable: &str| {
        std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file()).unwrap_or_else(|| {
            panic!("{variable} names no file. Run the tests inside the headless desktop: bash .ci/headless cargo test --workspace")
        })
    };
    let (engine, model) = (found("ATLAS_ENGINE"), found(model));
    let mut computer = Computer::new(APP).await;
    let models = computer.folder().join("models");
    std::fs::create_dir(&models).unwrap();
    std::os::unix::fs::symlink(&model, models.join(model.file_name().unwrap())).unwrap();
    computer.set("ATLAS_MODELS", &models.display().to_string());
    computer.set("ATLAS_ENGINE", &engine.display().to_string());
    computer
}

async fn use_built_in(app: &App) {
    app.see("welcome").await;
    app.until(
        "the built-in model is offered",
        "return document.querySelector('[data-preset=\"builtIn\"], [data-testid=\"welcome-built-in\"]') !== null",
    )
    .await;
    app.run("document.querySelector('[data-preset=\"builtIn\"], [data-testid=\"welcome-built-in\"]').click()", vec![])
        .await;
    app.see("composer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_model_is_told_something_and_knows_it_tomorrow() {
    let computer = computer_with("ATLAS_SMALL_MODEL").await;
    let app = computer.start().await;
    use_built_in(&app).await;
    say(&app, "Remember that I live in Tokyo").await;
    hear_some(&app).await;
    app.see("chip-remembered").await;
    find_fact(&app, "Tokyo").await;
    app.quit().await;

    let app = computer.start().await;
    back_to_conversation(&app).await;
    app.click("new-conversation").await;
    say(&app, "Where do I live?").await;
    hear_some(&app).await;
    app.see("message-assistant").await;
    app.click("chip-used").await;
    app.see_text("used-memories", |list| list.contains("Tokyo")).await;
    app.click("prompt-block").await;
    app.see_text("prompt-block", |block| block.contains("Tokyo")).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_engine_is_left_behind_neither_by_an_end_nor_by_a_crash() {
    let computer = computer_with("ATLAS_SMALL_MODEL").await;
    for crash in [false, true] {
        let app = computer.start().await;
        if crash {
            back_to_conversation(&app).await;
        } else {
            use_built_in(&app).await;
        }
        say(&app, "Count from one to one hundred").await;
        let engine =
            eventually("the engine runs", async || process::descendants(app.pid(), "llama-server").into_iter().next())
                .await;
        if crash {
            app.kill().await;
        } else {
            app.quit().await;
        }
        eventually("the engine has ended", async || (!process::is_alive(engine.pid)).then_some(())).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_is_killed_in_the_middle_of_an_answer_is_told_of_and_answers_the_next_question() {
    let computer = computer_with("ATLAS_SMALL_MODEL").await;
    let app = computer.start().await;
    use_built_in(&app).await;
    say(&app, "Count from one to one hundred").await;
    app.until_within(
        PATIENCE,
        "the model answers",
        r#"return /arriving/.test(document.querySelector('[data-testid="chat-status"]').textContent)"#,
    )
    .await;
    let engine = process::descendants(app.pid(), "llama-server").remove(0);
    process::signal(engine.pid, "KILL");
    app.see_text("healing", |line| line.contains("The built-in engine ended by itself")).await;
    app.picture("engine-killed").await;
    hear_some(&app).await;
    say(&app, "Say hello").await;
    hear_some(&app).await;
    app.see_no("failure").await;

    app.click("nav-health").await;
    app.see_text("service", |row| row.contains("Built-in model") && row.contains("Ready")).await;
    app.see_text("provider", |row| row.contains("Built-in model") && row.contains("ended by itself")).await;
    app.picture("engine-health").await;
    app.quit().await;
}

/// Ordinary sentences, and what must be on the Facts page of each that was understood.
const SENTENCES: [(&str, &str); 10] = [
    ("I live in Tokyo with my wife Hana.", "Tokyo"),
    ("My dog is called Biscuit.", "Biscuit"),
    ("I'm a nurse at the city hospital.", "nurse"),
    ("I don't eat meat.", "meat"),
    ("My favourite colour is green.", "green"),
    ("I was born in Kyoto in 1984.", "Kyoto"),
    ("My sister Mara lives in Oslo.", "Oslo"),
    ("I'm learning Portuguese for a trip to Lisbon.", "Portuguese"),
    ("I'm allergic to peanuts.", "peanuts"),
    ("I speak French and a little Hindi.", "French"),
];

/// How many of them a model of this size must understand.
const LEAST_UNDERSTOOD: usize = 6;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes and the starter model: bash .ci/headless cargo test --test window starter -- --ignored --nocapture"]
async fn the_starter_model_takes_facts_from_ordinary_sentences() {
    let computer = computer_with("ATLAS_STARTER_MODEL").await;
    let app = computer.start().await;
    use_built_in(&app).await;
    for (sentence, _) in SENTENCES {
        say(&app, sentence).await;
        let answer = hear_within(&app, PATIENCE).await;
        println!("{sentence}\n    {}", answer.replace('\n', " "));
    }
    app.click("nav-memory").await;
    app.click("tab-facts").await;
    // Each turn is noted when its facts were taken.
    app.see_text("tab-episodes", |tab| tab.contains(&SENTENCES.len().to_string())).await;
    let facts = app.page_texts("fact-row").await;
    app.picture("starter-memory").await;
    println!("understood {} of {}:\n{}", understood(&facts), SENTENCES.len(), facts.join("\n"));
    assert!(understood(&facts) >= LEAST_UNDERSTOOD, "{facts:?}");
    app.quit().await;

    let app = computer.start().await;
    back_to_conversation(&app).await;
    app.click("new-conversation").await;
    say(&app, "Where do I live?").await;
    println!("Where do I live?\n    {}", hear_within(&app, PATIENCE).await);
    app.click("chip-used").await;
    app.see_text("used-memories", |list| list.contains("Tokyo")).await;
    app.picture("starter-chat").await;
    app.quit().await;
}

fn understood(facts: &[String]) -> usize {
    SENTENCES.iter().filter(|(_, value)| facts.iter().any(|fact| fact.contains(value))).count()
}
