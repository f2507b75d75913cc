//! The hard cases about providers, as far as they are decided below the turn: what is read, what it means, what is shown.

use std::path::{Path, PathBuf};
use std::time::Duration;

use atlas_core::healing::{Failure, FailureKind, NextStep, Phase};
use atlas_core::providers::{Chunk, FinishReason};
use atlas_tests::cases::{self, Case};
use atlas_tests::{Response, ScriptedServer};
use serde_json::{Value, json};

use crate::answer::{Answer, ask, read, seen};
use crate::{provider, request};

#[tokio::test(flavor = "multi_thread")]
async fn every_case_is_read_as_it_should() {
    let mut wrong = Vec::new();
    let mut ran = 0;
    for folder in folders() {
        for case in cases::read(&folder, "providers") {
            let differences = run(&case).await;
            wrong.extend(differences.into_iter().map(|difference| format!("{}: {difference}", case.name)));
            ran += 1;
        }
    }
    println!("{ran} provider cases");
    assert!(ran > 0, "there are no cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An answer longer than this is split into characters only, not at each of its places.
const SPLIT_EVERYWHERE: usize = 4096;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_seen_does_not_depend_on_how_an_answer_is_split() {
    for case in folders().iter().flat_map(|folder| cases::read(folder, "providers")) {
        let server = ScriptedServer::always(Response::from_case(&case.content["response"]));
        let (chunks, _) = read(&provider(&server.base_url()), &request("Hello")).await;
        let answer: String = chunks
            .iter()
            .filter_map(|chunk| if let Chunk::Text(text) = chunk { Some(text.as_str()) } else { None })
            .collect();
        let whole = seen([answer.as_str()]);
        let characters = answer.char_indices().map(|(at, c)| &answer[at..at + c.len_utf8()]);
        assert_eq!(seen(characters), whole, "{}: character by character", case.name);
        for (at, _) in answer.char_indices().filter(|_| answer.len() <= SPLIT_EVERYWHERE) {
            assert_eq!(seen([&answer[..at], &answer[at..]]), whole, "{}: split at {at}", case.name);
        }
    }
}

/// The repository's own cases, and those that are given.
fn folders() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases");
    let given = cases::folder();
    if given == own { vec![own] } else { vec![own, given] }
}

/// What differs from the case's expectations.
async fn run(case: &Case) -> Vec<String> {
    let server = ScriptedServer::always(Response::from_case(&case.content["response"]));
    let said = case.content["said"].as_str().unwrap_or("Hello");
    let answer = ask(&provider(&server.base_url()), &request(said)).await;
    let expected = case.content["expect"].as_object().expect("a case expects something");
    expected.iter().filter_map(|(name, expected)| difference(name, expected, &answer)).collect()
}

fn difference(name: &str, expected: &Value, answer: &Answer) -> Option<String> {
    let actual = match name {
        "text" => json!(compared(&answer.text)),
        "terminal" => json!(if answer.failure.is_some() { "failed" } else { "completed" }),
        "failure" => json!(answer.failure.as_ref().map(FailureKind::code)),
        "retry" => json!(answer.failure.as_ref().is_some_and(FailureKind::is_retryable)),
        "ask" => json!(asked_for(answer)),
        "retry_after_s" => json!(retry_after(answer)),
        "limit_tokens" => json!(limit(answer)),
        "usage" => usage(answer),
        "cut_by_limit" => json!(answer.finish == Some(FinishReason::Length)),
        "facts_are" => facts(answer),
        "refused" => json!(answer.ops.refused),
        "failure_recorded" => json!(answer.ops.invalid.then(|| FailureKind::MemoryOpsInvalid { refused: 0 }.code())),
        // The gate may refuse some of them; it adds none.
        "facts" => return unless(answer.ops.facts.len() as u64 >= expected.as_u64()?, name, answer),
        "facts_at_most" => return unless(answer.ops.facts.len() as u64 <= expected.as_u64()?, name, answer),
        "message_for_people_contains_no" => return unless(!message(answer).contains(expected.as_str()?), name, answer),
        // The turn decides these.
        "partial_kept" | "requests" => return None,
        unknown => return Some(format!("unknown expectation: {unknown}")),
    };
    (actual != *expected).then(|| format!("{name}: expected {expected}, got {actual}"))
}

fn unless(right: bool, name: &str, answer: &Answer) -> Option<String> {
    (!right).then(|| format!("{name}: {answer:?}"))
}

/// After trimming, and after three or more line breaks became two.
fn compared(text: &str) -> String {
    let mut text = text.trim().to_owned();
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

fn failure(answer: &Answer) -> Option<Failure> {
    Some(Failure {
        kind: answer.failure.clone()?,
        provider: "Test server".into(),
        model: "m".into(),
        phase: Phase::Asking,
    })
}

fn message(answer: &Answer) -> String {
    failure(answer).map(|failure| failure.view().message).unwrap_or_default()
}

fn asked_for(answer: &Answer) -> Option<&'static str> {
    match failure(answer)?.view().next {
        NextStep::EnterKey => Some("key"),
        NextStep::ChooseModel => Some("model"),
        _ => None,
    }
}

fn retry_after(answer: &Answer) -> Option<u64> {
    match &answer.failure {
        Some(FailureKind::RateLimit { retry_after } | FailureKind::Server { retry_after, .. }) => {
            retry_after.as_ref().map(Duration::as_secs)
        }
        _ => None,
    }
}

fn limit(answer: &Answer) -> Option<u64> {
    match answer.failure {
        Some(FailureKind::ContextTooLong { limit_tokens }) => limit_tokens,
        _ => None,
    }
}

fn usage(answer: &Answer) -> Value {
    let usage = answer.usage.unwrap_or_default();
    json!({"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens, "cost": usage.cost})
}

fn facts(answer: &Answer) -> Value {
    answer.ops.facts.iter().map(|fact| json!([fact.about, fact.relation, fact.value])).collect()
}
