//! Answers that break a hard rule: they are withheld, asked for once more, and nothing of them stays.

use std::path::Path;

use atlas_core::assistant::view::KeepKey;
use atlas_core::assistant::view::health::HealthOutcome::{Failed, Told, Worked};
use atlas_core::behavior::spec::Rule;
use atlas_core::providers::Secret;
use atlas_core::turn::event::TurnEvent;
use atlas_tests::agent::{Agent, endpoint};
use atlas_tests::{Response, ScriptedServer};

use super::timeline;

/// An agent that must not say "full refund".
async fn without_refunds(server: &ScriptedServer) -> Agent {
    let agent = Agent::asking(server).await;
    let mut spec = agent.assistant.behavior().await.unwrap().spec;
    spec.never.push(Rule::hard("Say 'full refund'"));
    agent.assistant.save_behavior(spec).await.unwrap();
    agent
}

/// Whether any file below a folder holds a text.
fn is_on_disk(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => is_on_disk(&path, text),
            false => std::fs::read(&path).unwrap().windows(text.len()).any(|bytes| bytes == text.as_bytes()),
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_breaks_a_rule_is_taken_back_and_asked_for_again_with_the_rule_named() {
    let server = ScriptedServer::in_order([
        Response::answer(["Sure. ", "I promise you a full refund. ", "Anything else?"]),
        Response::answer(["I cannot promise a refund, but I can pass it on."]),
    ]);
    let agent = without_refunds(&server).await;
    let heard = agent.says("My parcel is late. What now?").await;
    assert_eq!(heard.terminal(), "completed");
    assert!(heard.0.contains(&TurnEvent::Withdrawn), "{:?}", heard.0);
    assert_eq!(heard.answer().unwrap().text, "I cannot promise a refund, but I can pass it on.");
    let again = server.requests()[1].body["messages"].to_string();
    assert!(again.contains("Say 'full refund'") && again.contains("withheld"), "{again}");
    let regenerate = Some("Take the answer back and ask for another one".to_owned());
    assert_eq!(timeline(&agent).await, [("rule_broken".to_owned(), regenerate, Worked)]);
    agent.assistant.close().await;
    assert!(!is_on_disk(agent.home.path(), "I promise you a full refund"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_answer_that_breaks_it_is_withheld_and_the_person_is_told_which_rule() {
    let server = ScriptedServer::always(Response::answer(["I promise you a full refund."]));
    let agent = without_refunds(&server).await;
    let heard = agent.says("My parcel is late. What now?").await;
    let failure = heard.failure().unwrap();
    assert_eq!((failure.code.as_str(), heard.answer(), server.requests().len()), ("rule_broken", None, 2));
    assert!(failure.message.contains("Say 'full refund'"), "{}", failure.message);
    let regenerate = Some("Take the answer back and ask for another one".to_owned());
    let code = || "rule_broken".to_owned();
    assert_eq!(timeline(&agent).await, [(code(), regenerate, Failed), (code(), None, Told)]);
    let stored = agent.messages(heard.conversation()).await;
    assert_eq!(stored.len(), 1, "the person's message alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_in_an_answer_is_never_shown_and_never_on_the_disk() {
    const KEY: &str = "sk-sentinel-9f8e7d6c5b4a3f2e";
    let pieces = ["Your key is sk-sent", "inel-9f8e7d6c", "5b4a3f2e, keep it safe."];
    let server = ScriptedServer::in_order([Response::answer(pieces), Response::answer(["I do not show keys."])]);
    let agent = Agent::asking(&server).await;
    let key = Secret::new(KEY).expect("a key");
    agent.assistant.save_key(&endpoint(&server), key, KeepKey::InKeychain).await.unwrap();
    let heard = agent.says("What is your key?").await;
    assert_eq!(heard.answer().unwrap().text, "I do not show keys.");
    assert!(!heard.streamed().contains("sentinel-9f8e"), "{}", heard.streamed());
    agent.assistant.close().await;
    assert!(!is_on_disk(agent.home.path(), KEY));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sentence_is_not_shown_from_the_word_on_that_breaks_a_rule() {
    let words = ["Sure. ", "I ", "promise ", "you ", "a ", "full ", "refund", " today", "."];
    let server = ScriptedServer::in_order([Response::answer(words), Response::answer(["I pass it on."])]);
    let agent = without_refunds(&server).await;
    let heard = agent.says("My parcel is late. What now?").await;
    assert_eq!(heard.answer().unwrap().text, "I pass it on.");
    assert!(heard.streamed().contains("Sure.") && !heard.streamed().contains("refund"), "{}", heard.streamed());
    server.answer_with(|_| Response::answer(["It ", "is ", "a ", "full refund", "able ", "ticket."]));
    let heard = agent.says("Are you sure?").await;
    assert_eq!(heard.streamed(), heard.answer().unwrap().text, "what only looked like it is shown at its end");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forbidden_goes_also_where_the_person_stops_the_answer() {
    let server = ScriptedServer::always(Response::partial(["Sure. I promise you ", "a full refund"]).then_stall());
    let agent = without_refunds(&server).await;
    let (events, mut heard) = tokio::sync::mpsc::channel(64);
    let handle = agent.assistant.send(None, "My parcel is late. What now?", events).await.unwrap();
    let mut streamed = String::new();
    while let Some(event) = heard.recv().await {
        if let TurnEvent::Delta { text } = &event {
            streamed.push_str(text);
            agent.assistant.stop(handle.turn);
        }
    }
    assert!(streamed.contains("Sure.") && !streamed.contains("refund"), "{streamed}");
    agent.assistant.close().await;
    assert!(!is_on_disk(agent.home.path(), "a full refund"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_keeps_the_rules_comes_as_it_is_written() {
    let server = ScriptedServer::always(Response::answer([
        "I cannot promise ",
        "a refund. ",
        "See averyveryverylongword.example/x",
    ]));
    let agent = without_refunds(&server).await;
    let heard = agent.says("My parcel is late. What now?").await;
    assert_eq!(heard.streamed(), "I cannot promise a refund. See averyveryverylongword.example/x");
    assert_eq!(timeline(&agent).await, []);
}
