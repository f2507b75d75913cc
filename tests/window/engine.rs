//! The built-in engine with a real model: nothing here is scripted.

use std::path::PathBuf;

use atlas_tests::process;
use atlas_tests::window::{App, Computer, eventually};

use crate::APP;
use crate::steps::{back_to_conversation, find_fact, hear_some, say};

/// A computer with the engine and the smallest real model, as the set-up leaves them.
async fn computer_with_engine() -> Computer {
    let found = |variable: &str| {
        std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file()).unwrap_or_else(|| {
            panic!("{variable} names no file. Run the tests inside the headless desktop: bash .ci/headless cargo test --workspace")
        })
    };
    let (engine, model) = (found("ATLAS_ENGINE"), found("ATLAS_SMALL_MODEL"));
    let mut computer = Computer::new(APP).await;
    let models = computer.folder().join("models");
    std::fs::create_dir(&models).unwrap();
    std::os::unix::fs::symlink(&model, models.join(model.file_name().unwrap())).unwrap();
    computer.set("ATLAS_MODELS", &models.display().to_string());
    computer.set("ATLAS_ENGINE", &engine.display().to_string());
    // Spinning threads on a busy machine cost more than they give.
    computer.set("ATLAS_ENGINE_THREADS", "1");
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
    let computer = computer_with_engine().await;
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
    let computer = computer_with_engine().await;
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
