//! A key is in the keychain and nowhere else.

use std::path::Path;

use atlas_tests::script::{greeter, refusal, words};
use atlas_tests::window::Computer;

use crate::APP;
use crate::steps::{back_to_conversation, connect, say};

/// No other text in the world has this in it.
const SENTINEL: &str = "sentinel-9c1f7a52e08b4d36";

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_in_no_file_that_atlas_or_the_webview_writes() {
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    app.click("nav-settings").await;
    app.fill("settings-key", SENTINEL).await;
    app.click("settings-key-save").await;
    app.see_text("key-status", |status| status.contains("4d36")).await;
    let page = app.run("return document.documentElement.outerHTML", vec![]).await.to_string();
    assert!(!page.contains(SENTINEL), "the page still has the key");

    back_to_conversation(&app).await;
    server.says(refusal(401, "invalid_api_key", &format!("Incorrect API key provided: {SENTINEL}")));
    say(&app, "Hello").await;
    app.see("failure").await;
    assert!(server.last_authorization().contains(SENTINEL), "the key was used");
    let page = app.run("return document.documentElement.outerHTML", vec![]).await.to_string();
    assert!(!page.contains(SENTINEL), "the failure has the key");
    app.quit().await;
    assert_eq!(files_with(computer.folder(), SENTINEL), Vec::<String>::new());

    // It is kept all the same: the next start uses it.
    let app = computer.start().await;
    server.says(words("Welcome back."));
    back_to_conversation(&app).await;
    say(&app, "Hello again").await;
    app.see_text("message-assistant", |text| text.contains("Welcome back.")).await;
    assert!(server.last_authorization().contains(SENTINEL), "the key is in the keychain");
    app.click("nav-settings").await;
    app.click("settings-key-remove").await;
    app.see("settings-key").await;
    app.quit().await;
    assert_eq!(files_with(computer.folder(), SENTINEL), Vec::<String>::new());
}

/// The files under a folder that hold these bytes.
pub fn files_with(folder: &Path, secret: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_with(&path, secret));
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}
