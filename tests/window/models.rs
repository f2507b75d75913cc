//! Model files in the settings: downloaded over a connection that breaks, refused, chosen on the disk.

use atlas_tests::script::greeter;
use atlas_tests::window::{Computer, eventually};
use atlas_tests::{Gate, Response};

use crate::APP;
use crate::steps::connect;

/// A model file that is a header and nothing else, padded to this many bytes. All its bytes are ASCII.
fn model(bytes: usize) -> String {
    let entry = |key: &str, value: &str| {
        let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
        [text(key), 8_u32.to_le_bytes().to_vec(), text(value)].concat()
    };
    let head = [&b"GGUF"[..], &3_u32.to_le_bytes(), &0_u64.to_le_bytes(), &2_u64.to_le_bytes()].concat();
    let entries = [entry("general.architecture", "llama"), entry("general.name", "Tiny Talker")].concat();
    let mut whole = [head, entries].concat();
    whole.resize(bytes, 0);
    String::from_utf8(whole).unwrap()
}

/// A file as a server sends it that can go on where it broke off.
fn file(status: u16, text: &str) -> Response {
    Response::whole(status, "application/octet-stream", text.to_owned()).header("etag", "\"tiny-1\"")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_downloaded_over_a_broken_connection_and_what_is_no_model_is_refused() {
    const BYTES: usize = 3_000_000;
    let server = greeter();
    let computer = Computer::new(APP).await;
    let app = computer.start().await;
    connect(&app, &server.base_url(), "scripted").await;
    app.click("nav-settings").await;

    // The first third comes, then a little more in drops; then the connection breaks.
    let whole = model(BYTES);
    let (first, rest) = whole.split_at(BYTES / 3);
    let (more, last) = rest.split_at(1000);
    let (slow, broken) = (Gate::new(), Gate::new());
    let drops = more.as_bytes().chunks(10).map(|drop| std::str::from_utf8(drop).unwrap());
    let come = file(200, first).then(Response::stream(drops).behind(&slow)).then_wait(&broken).then_reset();
    server.offer_models(come.then(file(200, last)));
    app.fill("download-url", &format!("{}/tiny.gguf", server.base_url())).await;
    app.click("download-from-url").await;
    // Progress is told at intervals: one of the drops comes when it is time.
    eventually("progress is told", async || {
        slow.let_one_pass();
        app.texts("download-words").await.iter().any(|words| words.contains("1 MB of 3 MB")).then_some(())
    })
    .await;
    slow.open();
    app.picture("models-loading").await;

    let gone_on = Gate::new();
    let from = first.len() + more.len();
    server.offer_models(
        file(206, "")
            .header("content-range", &format!("bytes {from}-{}/{BYTES}", BYTES - 1))
            .then_wait(&gone_on)
            .then(file(206, last)),
    );
    broken.open();
    app.see_text("download-words", |words| words.contains("Interrupted; it goes on in a moment")).await;
    app.picture("models-interrupted").await;
    gone_on.open();
    app.see_text("local-models", |list| list.contains("Tiny Talker") && list.contains("3 MB")).await;
    let asked = server.all_requests();
    let asked_for: Vec<_> = asked.iter().filter(|request| request.path.ends_with("tiny.gguf")).collect();
    assert_eq!(asked_for.len(), 2, "it was not begun again");
    assert_eq!(asked_for[1].header("range"), Some(format!("bytes={from}-").as_str()));
    assert_eq!(std::fs::read(computer.home().join("models/tiny.gguf")).unwrap(), whole.as_bytes());

    server.offer_models(Response::html(200, "<!doctype html><title>Please log in</title>"));
    app.fill("download-url", &format!("{}/other.gguf", server.base_url())).await;
    app.click("download-from-url").await;
    app.see_text("download-row", |row| row.contains("This is not a model file")).await;
    app.picture("models-refused").await;
    app.click("download-cancel").await;
    app.see_no("download-row").await;

    let mine = computer.folder().join("mine.gguf");
    std::fs::write(&mine, model(4096)).unwrap();
    app.click("choose-model").await;
    app.answer_dialog("Choose a model file", &mine).await;
    app.see_text("local-models", |list| list.contains("mine.gguf") && list.contains("your own file")).await;
    app.picture("models-chosen").await;
    app.quit().await;
}
