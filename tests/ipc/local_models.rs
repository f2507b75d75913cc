//! Model files through the window: downloaded from a server, chosen on the disk, removed.

use std::fs;

use atlas_desktop::Dialogs;
use atlas_tests::{Gate, Response, ScriptedServer};
use serde_json::{Value, json};

use crate::desk::Desk;

/// A small model file: a header alone. All its bytes are ASCII.
fn model() -> String {
    let entry = |key: &str, value: &str| {
        let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
        [text(key), 8_u32.to_le_bytes().to_vec(), text(value)].concat()
    };
    let head = [&b"GGUF"[..], &3_u32.to_le_bytes(), &0_u64.to_le_bytes(), &2_u64.to_le_bytes()].concat();
    let entries = [entry("general.architecture", "llama"), entry("general.name", "Tiny Talker")].concat();
    let mut bytes = [head, entries].concat();
    bytes.resize(bytes.len().next_multiple_of(32), 0);
    String::from_utf8(bytes).unwrap()
}

fn serve(text: &str) -> Response {
    Response::whole(200, "application/octet-stream", text.to_owned())
}

fn local_models(desk: &Desk) -> Vec<String> {
    let settings = desk.call("settings", json!({})).unwrap();
    let models = settings["localModels"].as_array().unwrap();
    models.iter().map(|model| model["id"].as_str().unwrap().to_owned()).collect()
}

fn is_at(step: &'static str) -> impl Fn(&Value) -> bool {
    move |event| event["type"] == "download" && event["state"]["step"] == step
}

#[test]
fn a_model_is_downloaded_stopped_gone_on_with_and_removed() {
    let (whole, gate, server) = (model(), Gate::new(), ScriptedServer::always(Response::empty(404)));
    let (first, second) = whole.split_at(40);
    server.offer_models(serve(first).then_wait(&gate).then(serve(second)));
    let desk = Desk::new();
    let url = format!("{}/tiny.gguf", server.base_url());
    assert_eq!(desk.call("download_from", json!({"url": url})).unwrap(), "tiny.gguf");
    assert_eq!(desk.call("download_from", json!({"url": url})).unwrap_err()["code"], "download_running");
    desk.hears(is_at("checking"));
    desk.call("cancel_download", json!({"file": "tiny.gguf"})).unwrap();
    desk.hears(is_at("paused"));
    assert_eq!(desk.call("downloads", json!({})).unwrap()[0]["step"], "paused");
    assert_eq!(local_models(&desk), Vec::<String>::new(), "what is not whole is no model");

    gate.open();
    desk.call("resume_download", json!({"file": "tiny.gguf"})).unwrap();
    let done = desk.hears(is_at("done"));
    let expected = json!({
        "file": "tiny.gguf", "name": "tiny", "bytes": whole.len(), "total": whole.len(),
        "bytesPerSecond": null, "step": "done", "problem": null,
    });
    assert_eq!(done["state"], expected);
    desk.hears(|event| event["type"] == "modelsChanged");
    assert_eq!(local_models(&desk), ["tiny.gguf"]);
    let need = desk.call("memory_need", json!({"model": "tiny.gguf", "contextTokens": 8192})).unwrap();
    assert_eq!((&need["model"], &need["fit"]), (&json!(whole.len()), &json!("fits")));

    desk.call("remove_local_model", json!({"id": "tiny.gguf"})).unwrap();
    assert_eq!(local_models(&desk), Vec::<String>::new());
    assert!(!desk.home().join("models/tiny.gguf").exists());
}

#[test]
fn a_wipe_of_everything_ends_downloads_and_leaves_nothing_of_them() {
    let (whole, gate, server) = (model(), Gate::new(), ScriptedServer::always(Response::empty(404)));
    let (first, second) = whole.split_at(40);
    server.offer_models(serve(first).then_wait(&gate).then(serve(second)));
    let desk = Desk::new();
    desk.call("download_from", json!({"url": format!("{}/tiny.gguf", server.base_url())})).unwrap();
    desk.hears(is_at("checking"));
    desk.call("wipe", json!({"scope": "everything"})).unwrap();
    assert_eq!(desk.call("downloads", json!({})).unwrap(), json!([]));
    assert!(!desk.home().join("models").exists());
    gate.open();
}

#[test]
fn a_model_file_is_chosen_where_it_is_and_taken_off_the_list_again() {
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("mine.gguf");
    fs::write(&file, model()).unwrap();
    let desk = Desk::choosing(Dialogs::Answer(Some(file.clone())));
    let chosen = desk.call("choose_model_file", json!({})).unwrap();
    assert_eq!(
        (&chosen["id"], &chosen["name"], &chosen["external"]),
        (&json!("mine.gguf"), &json!("Tiny Talker"), &json!(true))
    );
    assert_eq!(local_models(&desk), ["mine.gguf"]);
    desk.call("remove_local_model", json!({"id": "mine.gguf"})).unwrap();
    assert_eq!(local_models(&desk), Vec::<String>::new());
    assert!(file.exists(), "it is not Atlas's to delete");

    fs::write(&file, "no model").unwrap();
    assert_eq!(desk.call("choose_model_file", json!({})).unwrap_err()["code"], "model_not_gguf");
    assert_eq!(Desk::new().call("choose_model_file", json!({})).unwrap(), Value::Null, "the dialog was closed");
}

#[test]
fn the_catalogue_names_what_a_person_decides_by() {
    let catalogue = Desk::new().call("catalogue", json!({})).unwrap();
    let first = &catalogue[0];
    assert_eq!((&first["name"], &first["licence"]), (&json!("Qwen2.5 1.5B Instruct"), &json!("Apache-2.0")));
    assert!(first["bytes"].is_u64() && first["memory"].is_u64() && first["goodFor"].is_string(), "{first}");
}
