//! What holds whatever the page shows: one window, locked in, that ends cleanly.

use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::sync::Arc;

use atlas_core::assistant::{Assistant, Parts};
use atlas_core::clock::SystemClock;
use atlas_core::embedding::Models;
use atlas_core::home::Home;
use atlas_core::keychain::FakeKeychain;
use atlas_core::providers::Reach;
use atlas_core::supervisor::EngineConfig;
use atlas_tests::process;
use atlas_tests::window::{Computer, eventually};
use serde_json::{Value, json};

use crate::APP;

/// Calls a command from the page and gives back `{ok}` or `{error}`.
/// Calls a command as the page does.
pub const CALL: &str = r#"
    const [command, payload] = arguments;
    return window.__TAURI_INTERNALS__.invoke(command, payload).then((ok) => ({ ok }), (error) => ({ error }));
"#;

#[tokio::test(flavor = "multi_thread")]
async fn the_page_gets_its_own_commands_and_nothing_of_tauris() {
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    let call = async |command: &str, payload: Value| app.run(CALL, vec![json!(command), payload]).await;

    assert_eq!(call("startup", json!({})).await, json!({"ok": {"type": "ready"}}));
    let preferences = call("preferences", json!({})).await;
    assert_eq!(preferences, json!({"ok": {"theme": "system", "zoom": 1}}));

    for forbidden in [
        "plugin:store|load",
        "plugin:window|create",
        "plugin:webview|create_webview_window",
        "plugin:event|emit",
        "plugin:window-state|save_window_state",
        "plugin:notification|notify",
        "plugin:app|version",
        "no_such_command",
    ] {
        let answer = call(forbidden, json!({})).await;
        assert!(answer.get("error").is_some(), "{forbidden} answered {answer}");
    }
    assert_eq!(app.run("return typeof window.__TAURI__", vec![]).await, json!("undefined"));
    let notification = app.run("return String(window.Notification)", vec![]).await;
    assert!(!notification.to_string().contains("plugin:"), "notices are Atlas's own to show: {notification}");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_can_go_nowhere_and_load_nothing_from_elsewhere() {
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    let here = app.run("return location.href", vec![]).await;

    app.run("location.href = 'https://example.org/'; return null", vec![]).await;
    app.run("location.href = 'file:///etc/passwd'; return null", vec![]).await;
    let opened = app.run("return window.open('https://example.org/') === null", vec![]).await;
    assert_eq!(opened, json!(true), "no second window");

    let blocked = app
        .run(
            r#"
            const seen = new Set();
            document.addEventListener("securitypolicyviolation", (event) => seen.add(event.effectiveDirective));
            const image = new Image();
            image.src = "https://example.org/a.png";
            const script = document.createElement("script");
            script.textContent = "window.injected = true";
            document.body.append(image, script);
            const fetched = await fetch("https://example.org/").then(() => true, () => false);
            await new Promise((resolve) => setTimeout(resolve, 200));
            return { seen: [...seen].sort(), injected: window.injected === true, fetched };
            "#,
            vec![],
        )
        .await;
    assert_eq!(
        blocked,
        json!({"seen": ["connect-src", "img-src", "script-src-elem"], "injected": false, "fetched": false})
    );
    assert_eq!(app.run("return location.href", vec![]).await, here);
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_start_brings_the_first_window_forward_and_ends() {
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    let mut second = computer.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let pid = second.id();
    eventually("the second start has ended", async || (!process::is_alive(pid)).then_some(())).await;
    assert!(second.wait().unwrap().success());
    assert!(process::is_alive(app.pid()));
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_appearance_is_kept() {
    let computer = Computer::new(APP).await;
    for (theme, dark) in [("dark", true), ("light", false)] {
        // 1180 pixels wide at zoom 1.25: 944 of the page's own.
        let looks = format!(
            "return matchMedia('(prefers-color-scheme: dark)').matches === {dark} && Math.abs(innerWidth - 944) < 4"
        );
        let app = computer.start().await;
        let wanted = json!({"preferences": {"theme": theme, "zoom": 1.25}});
        let saved = app.run(CALL, vec![json!("save_preferences"), wanted]).await;
        assert_eq!(saved, json!({"ok": {"theme": theme, "zoom": 1.25}}));
        app.until("the page looks as wanted", &looks).await;
        app.quit().await;

        let app = computer.start().await;
        app.until("the page looks as wanted after a restart", &looks).await;
        app.picture(&format!("appearance-{theme}")).await;
        app.quit().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_opens_in_the_systems_browser() {
    let mut computer = Computer::new(APP).await;
    // A browser that only writes down what it was asked to open.
    let programs = computer.folder().join("programs");
    let opened = computer.folder().join("opened");
    std::fs::create_dir(&programs).unwrap();
    let browser = programs.join("xdg-open");
    std::fs::write(&browser, format!("#!/bin/sh\necho \"$1\" >> '{}'\n", opened.display())).unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    computer.set("PATH", &format!("{}:{}", programs.display(), std::env::var("PATH").unwrap()));

    let app = computer.start().await;
    let open = async |url: &str| app.run(CALL, vec![json!("open_link"), json!({"url": url})]).await;
    assert_eq!(open("file:///etc/passwd").await["error"]["code"], "link_refused");
    assert!(open("https://example.org/a?b=c").await.get("error").is_none());
    let seen = eventually("the link is opened", async || std::fs::read_to_string(&opened).ok()).await;
    assert_eq!(seen, "https://example.org/a?b=c\n");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_another_atlas_holds_the_memory_the_window_says_so_and_can_try_again() {
    let computer = Computer::new(APP).await;
    let parts = Parts {
        clock: Arc::new(SystemClock),
        keychain: Arc::new(FakeKeychain::new()),
        engine: EngineConfig::default(),
        embedding: Models::none(),
        reach: Reach::default(),
    };
    let other = Assistant::open(Home::at(computer.home()), "atlas", parts).await.unwrap();

    let app = computer.start().await;
    app.see("failed-start").await;
    app.picture("failed-start").await;
    other.close().await;
    drop(other);
    eventually("the window opens the memory", async || {
        let answer = app.run(CALL, vec![json!("startup"), json!({})]).await;
        (answer == json!({"ok": {"type": "ready"}})).then_some(())
    })
    .await;
    app.quit().await;
}
