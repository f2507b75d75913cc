//! Atlas in a terminal, as a script meets it: lines in, answers out, and an exit code.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

/// The program, as Cargo built it for these tests.
const TERMINAL: &str = env!("CARGO_BIN_EXE_atlas-terminal");

fn terminal(home: &TempDir, arguments: &[&str]) -> Child {
    Command::new(TERMINAL)
        .args(arguments)
        .env("ATLAS_HOME", home.path())
        .env_remove("OPENROUTER_API_KEY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
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
