//! Atlas in a terminal, as a script meets it: lines in, answers out, and an exit code.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

use atlas_core::assistant::{Assistant, Parts};
use atlas_core::clock::SystemClock;
use atlas_core::embedding::Models;
use atlas_core::home::{AGENT, Home};
use atlas_core::keychain::FakeKeychain;
use atlas_core::memory::conversation::MessageState;
use atlas_core::providers::Reach;
use atlas_core::providers::preset::Preset;
use atlas_core::settings::Settings;
use atlas_core::supervisor::EngineConfig;
use atlas_tests::script::{greeter, in_two_parts, refusal, words};
use atlas_tests::{Gate, ScriptedServer, process};
use tempfile::TempDir;

/// The program, as Cargo built it for these tests.
const TERMINAL: &str = env!("CARGO_BIN_EXE_atlas-terminal");

fn terminal(home: &TempDir, arguments: &[&str]) -> Child {
    command(home, arguments).spawn().unwrap()
}

fn command(home: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(TERMINAL);
    command
        .args(arguments)
        .env("ATLAS_HOME", home.path())
        .env_remove("OPENROUTER_API_KEY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a session with these lines; nothing else comes in.
fn session(home: &TempDir, arguments: &[&str], lines: &str) -> Output {
    let mut child = terminal(home, arguments);
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn answers(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn notes(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn new_home() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Reads until this has come, and fails when something else has.
fn wait_for(expected: &str, output: &mut impl Read) {
    let mut bytes = vec![0; expected.len()];
    output.read_exact(&mut bytes).unwrap();
    assert_eq!(String::from_utf8_lossy(&bytes), expected);
}

#[test]
fn it_says_how_it_is_used() {
    let output = session(&new_home(), &["--help"], "");
    assert!(output.status.success());
    assert!(answers(&output).contains("--base-url"));

    let output = session(&new_home(), &["--colour"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(notes(&output).contains("does not know the argument --colour"));
}

#[test]
fn a_script_gets_answers_and_no_prompts() {
    let output = session(&new_home(), &[], "/help\n");
    assert!(output.status.success());
    let answers = answers(&output);
    assert!(answers.contains("/facts") && answers.contains("/quit"), "{answers}");
    assert!(!answers.contains('›'), "{answers}");
}

#[test]
fn without_a_model_it_says_how_to_set_one() {
    let output = session(&new_home(), &[], "Hello\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(answers(&output), "");
    assert!(notes(&output).contains("--base-url"), "{}", notes(&output));
}

#[test]
fn what_one_session_was_told_the_next_one_knows() {
    let home = new_home();
    let told = session(&home, &[], "/remember I live in Tokyo\n/quit\nnever read\n");
    assert!(told.status.success(), "{}", notes(&told));
    let asked = session(&home, &[], "/facts\n");
    assert!(answers(&asked).contains("Tokyo"), "{}", answers(&asked));
}

#[test]
fn a_second_copy_says_that_the_first_holds_the_agent() {
    let home = new_home();
    let mut first = terminal(&home, &[]);
    let mut input = first.stdin.take().unwrap();
    input.write_all(b"/help\n").unwrap();
    // The first answer shows that it holds the agent.
    BufReader::new(first.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();

    let second = session(&home, &[], "/facts\n");
    assert_eq!(second.status.code(), Some(3));
    assert_eq!(answers(&second), "");
    assert!(!notes(&second).trim().is_empty());

    drop(input);
    assert!(first.wait().unwrap().success());
    assert!(session(&home, &[], "/facts\n").status.success());
}

#[test]
fn a_server_and_a_model_can_be_given_for_one_session() {
    let server = ScriptedServer::in_order([words("Porto, as you said."), words("You are welcome.")]);
    let home = new_home();
    let arguments = ["--base-url", &server.base_url(), "--model", "scripted"];
    let output = session(&home, &arguments, "/remember I live in Porto\nWhere do I live?\nThanks\n");
    assert!(output.status.success(), "{}", notes(&output));
    let answers = answers(&output);
    assert!(answers.ends_with("Porto, as you said.\nYou are welcome.\n"), "{answers}");
    assert!(notes(&output).contains("Used: "), "{}", notes(&output));
    let requests = server.requests();
    assert_eq!(requests[0].body["model"], "scripted");
    assert!(requests[1].body.to_string().contains("Porto, as you said."), "it is one conversation");

    let later = session(&home, &[], "Hello\n");
    assert_eq!(later.status.code(), Some(1), "the server was for one session only");
}

#[test]
fn a_failure_is_a_sentence_beside_the_answers_and_an_exit_code() {
    let refused = refusal(401, "invalid_api_key", "Incorrect API key provided");
    let server = ScriptedServer::in_order([refused, words("Here I am.")]);
    let arguments = ["--base-url", &server.base_url(), "--model", "scripted"];
    let output = session(&new_home(), &arguments, "Hello\nHello?\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(answers(&output), "Here I am.\n");
    assert!(notes(&output).contains("key"), "{}", notes(&output));
}

#[test]
fn ctrl_c_stops_the_answer_and_the_session_goes_on() {
    let server = greeter();
    let home = new_home();
    let gate = Gate::new();
    server.says(in_two_parts("The first half, and ", &gate, "the second."));
    let mut child = terminal(&home, &["--base-url", &server.base_url(), "--model", "scripted"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    input.write_all(b"Tell me a story\n").unwrap();
    wait_for("The first half", &mut output);

    process::signal(child.id(), "INT");
    server.says(words("Still here."));
    input.write_all(b"Are you there?\n").unwrap();
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(rest.ends_with("\nStill here.\n") && !rest.contains("the second"), "{rest}\nNotes: {said}");
    assert!(child.wait().unwrap().success());
    gate.open();
    let request = server.last_prompt();
    assert!(request.contains("The first half, and"), "what came was kept: {request}");
}

#[test]
fn the_system_can_end_it_in_the_middle_of_an_answer() {
    let server = greeter();
    let home = new_home();
    let gate = Gate::new();
    server.says(in_two_parts("The first half, and ", &gate, "the second."));
    let mut child = terminal(&home, &["--base-url", &server.base_url(), "--model", "scripted"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    input.write_all(b"Tell me a story\n").unwrap();
    wait_for("The first half", &mut output);
    process::signal(child.id(), "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    gate.open();
}

/// The agent of a home, without its terminal.
async fn assistant(home: &TempDir) -> Arc<Assistant> {
    let parts = Parts {
        clock: Arc::new(SystemClock),
        keychain: Arc::new(FakeKeychain::new()),
        engine: EngineConfig { binary: Some("/nowhere".into()), ..EngineConfig::default() },
        embedding: Models::none(),
        reach: Reach::default(),
    };
    Assistant::open(Home::at(home.path()), AGENT, parts).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_system_can_end_it_while_the_engine_answers_and_what_came_is_kept() {
    let home = new_home();
    let models = home.path().join("models");
    std::fs::create_dir(&models).unwrap();
    std::fs::write(models.join("slow.gguf"), r#"{"stalls": true}"#).unwrap();
    let before = assistant(&home).await;
    let settings =
        Settings { endpoint: Some(Preset::BuiltIn.endpoint()), model: "slow.gguf".into(), ..Settings::default() };
    before.save_settings(settings).await.unwrap();
    assert!(before.let_go().await);

    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/llama-server");
    let mut child = command(&home, &[]).env("ATLAS_ENGINE", engine).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    child.stdin.as_mut().unwrap().write_all(b"Tell me a story\n").unwrap();
    wait_for("Hello", &mut output);
    let engines = process::children(child.id());
    assert_eq!(engines.len(), 1, "the engine runs");
    process::signal(child.id(), "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(!process::is_alive(engines[0].pid), "the engine has ended with it");

    let after = assistant(&home).await;
    let conversation = after.conversations("").await.unwrap().remove(0).id;
    let view = after.conversation(conversation).await.unwrap();
    let said: Vec<_> = view.messages.iter().map(|view| (view.message.text.as_str(), view.message.state)).collect();
    assert_eq!(said, [("Tell me a story", MessageState::Complete), ("Hello", MessageState::Partial)]);
    after.close().await;
}
