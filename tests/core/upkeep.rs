//! What is kept between runs, what a crash leaves, and what a wipe takes.

use std::fs;
use std::path::Path;

use atlas_core::assistant::view::health::HealthQuery;
use atlas_core::assistant::view::{KeepKey, Learned, WipeScope};
use atlas_core::assistant::{Assistant, Parts};
use atlas_core::behavior::spec::Rule;
use atlas_core::embedding::Models;
use atlas_core::home::Home;
use atlas_core::memory::conversation::MessageState;
use atlas_core::providers::{Reach, Secret};
use atlas_core::store::{Kept, Operational};
use atlas_core::supervisor::EngineConfig;
use atlas_tests::agent::{Agent, Heard, endpoint};
use atlas_tests::{Response, ScriptedServer};
use serde_json::json;
use tokio::sync::mpsc;

/// All files below a folder that hold the text, as plain bytes.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if fs::read(&path).unwrap().windows(text.len()).any(|bytes| bytes == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_atlas_is_told_that_the_first_has_the_agent() {
    let agent = Agent::new().await;
    let parts = Parts {
        clock: agent.clock.clone(),
        keychain: agent.keychain.clone(),
        engine: EngineConfig::default(),
        embedding: Models::none(),
        reach: Reach::default(),
    };
    let error = Assistant::open(Home::at(agent.home.path()), "atlas", parts).await.err().expect("it is held");
    assert_eq!(error.view().code, "store_held");
    assert!(error.view().retryable);
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_in_the_middle_of_an_answer_keeps_what_came() {
    let server = ScriptedServer::always(Response::partial(["Once upon"]).then_stall());
    let agent = Agent::asking(&server).await;
    let (events, mut heard) = mpsc::channel(64);
    let handle = agent.assistant.send(None, "Tell me a story", events).await.unwrap();
    while heard.recv().await.is_some_and(|event| !matches!(event, atlas_core::turn::event::TurnEvent::Delta { .. })) {}
    let agent = agent.reopened().await;
    let stored = agent.messages(handle.conversation).await;
    let states: Vec<_> = stored.iter().map(|message| (message.text.as_str(), message.state)).collect();
    assert_eq!(states, [("Tell me a story", MessageState::Complete), ("Once upon", MessageState::Partial)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_behaviour_is_what_the_next_turn_follows_and_earlier_versions_stay() {
    let server = ScriptedServer::always(Response::answer(["Hello"]));
    let agent = Agent::asking(&server).await;
    let mut spec = agent.assistant.behavior().await.unwrap().spec;
    spec.always.push(Rule::hard("Answer in rhyme"));
    let saved = agent.assistant.save_behavior(spec.clone()).await.unwrap();
    agent.says("Hello").await;
    assert!(server.requests()[0].body["messages"][0]["content"].as_str().unwrap().contains("Answer in rhyme"));
    let agent = agent.reopened().await;
    assert_eq!(agent.assistant.behavior().await.unwrap(), saved);
    assert_eq!(agent.assistant.behavior_versions().await.unwrap().len(), 2);
    spec.identity.name = String::new();
    assert_eq!(agent.assistant.save_behavior(spec).await.unwrap_err().view().code, "spec");
    assert_eq!(agent.assistant.behavior().await.unwrap(), saved);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_goes_into_the_header_and_is_found_nowhere_else() {
    const SENTINEL: &str = "sk-sentinel-9f8e7d6c5b4a";
    let refusal = json!({ "error": { "message": format!("bad key {SENTINEL}"), "code": "invalid_api_key" } });
    let server = ScriptedServer::in_order([Response::answer(["Hello"]), Response::json(401, refusal)]);
    let agent = Agent::asking(&server).await;
    let key = Secret::new(SENTINEL).expect("a key");
    let status = agent.assistant.save_key(&endpoint(&server), key, KeepKey::InKeychain).await.unwrap();
    assert!(!format!("{status:?}").contains("sentinel"));
    agent.says("Hello").await;
    let failed = agent.says("Hello").await;
    assert_eq!(server.requests()[0].header("authorization"), Some(&*format!("Bearer {SENTINEL}")));
    assert_eq!(failed.failure().map(|failure| failure.code.as_str()), Some("credentials"));
    let seen = format!("{failed:?} {:?}", agent.assistant.conversation(failed.conversation()).await.unwrap());
    assert!(!seen.contains(SENTINEL), "{seen}");
    agent.assistant.close().await;
    assert_eq!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_in_the_address_of_a_download_is_asked_with_and_told_nowhere() {
    const SENTINEL: &str = "hf-sentinel-9f8e7d6c5b4a";
    let server = ScriptedServer::always(Response::empty(204));
    server.offer_models(Response::json(403, json!({ "error": "no" })));
    let agent = Agent::new().await;
    // The server has its time to answer.
    agent.clock.hold();
    let mut events = agent.assistant.events();
    let address = format!("{}/tiny.gguf?token={SENTINEL}", server.base_url());
    agent.assistant.download_from(&address).await.unwrap();
    let mut told = String::new();
    while !told.contains("step: Failed") {
        told += &format!("{:?}\n", events.recv().await.unwrap());
    }
    assert!(told.contains("download_refused"), "{told}");
    assert!(server.all_requests()[0].path.ends_with(&format!("?token={SENTINEL}")));
    let seen = [
        told,
        format!("{:?}", agent.assistant.downloads().await),
        format!("{:?}", agent.assistant.logs().await),
        agent.assistant.diagnostics().await.unwrap(),
        format!("{:?}", agent.assistant.download_from(&address.replace(".gguf", ".zip")).await.unwrap_err().view()),
    ];
    assert!(!seen.concat().contains(SENTINEL), "{seen:?}");
    assert_eq!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new());
    agent.assistant.close().await;
    assert_eq!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wipe_names_what_goes_and_leaves_nothing_of_it_on_the_disk() {
    const SENTINEL: &str = "Zyxwvuth";
    let server = ScriptedServer::always(Response::answer([SENTINEL]));
    let agent = Agent::asking(&server).await;
    let key = Secret::new("sk-1234567890").expect("a key");
    agent.assistant.save_key(&endpoint(&server), key, KeepKey::InKeychain).await.unwrap();
    agent.says(&format!("Remember that my boat is called {SENTINEL}")).await;
    agent.assistant.save_draft(None, SENTINEL).await.unwrap();
    assert_ne!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new());
    let plan = agent.assistant.wipe_plan(WipeScope::Everything).await.unwrap().items;
    assert!(plan.contains(&"1 fact".to_owned()) && plan.contains(&"1 conversation".to_owned()), "{plan:?}");

    agent.assistant.wipe(WipeScope::Everything).await.unwrap();
    assert_eq!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new());
    assert_eq!(agent.keychain.contents(), []);
    assert_eq!(agent.assistant.settings().await.unwrap().settings.endpoint, None);
    assert_eq!(agent.assistant.conversations("").await.unwrap(), []);
    agent.assistant.close().await;
    assert_eq!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wipe_takes_what_is_known_of_failures_and_of_services_too() {
    let server = ScriptedServer::always(Response::json(503, json!({"error": {"message": "down"}})));
    let agent = Agent::asking(&server).await;
    agent.says("Hello").await;
    assert_ne!(agent.assistant.health().await.unwrap().providers, []);
    let query = HealthQuery { limit: 10, ..HealthQuery::default() };
    assert_ne!(agent.assistant.health_events(query.clone()).await.unwrap().total, 0);

    agent.assistant.wipe(WipeScope::Everything).await.unwrap();
    assert_eq!(agent.assistant.health_events(query).await.unwrap().total, 0);
    let operational = Operational::open(agent.home.path()).await.unwrap();
    assert_eq!(operational.load(Kept::Services).await.unwrap(), []);
    assert_eq!(operational.load(Kept::Breakers).await.unwrap(), []);
    assert_eq!(agent.assistant.health().await.unwrap().providers, [], "in memory too");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_deleted_with_what_it_taught_is_on_no_disk_any_more() {
    const SENTINEL: &str = "Zyxwvuth";
    let server = ScriptedServer::always(Response::answer(["All right."]));
    let agent = Agent::asking(&server).await;
    let heard = agent.says(&format!("Remember that my boat is called {SENTINEL}")).await;
    agent.assistant.delete_conversation(heard.conversation(), Learned::Forget).await.unwrap();
    assert_eq!(agent.facts().await, []);
    agent.assistant.close().await;
    assert_eq!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn wiping_memory_leaves_the_conversations() {
    let server = ScriptedServer::always(Response::answer(["All right."]));
    let agent = Agent::asking(&server).await;
    let heard = agent.says("Remember that I live in Tokyo").await;
    agent.assistant.wipe(WipeScope::Memory).await.unwrap();
    assert_eq!(agent.facts().await, []);
    assert_eq!(agent.messages(heard.conversation()).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_are_found_by_their_words_in_any_script() {
    let server = ScriptedServer::always(Response::answer(["Of course."]));
    let agent = Agent::asking(&server).await;
    let boats = agent.says("Which C++ library draws boats?").await.conversation();
    let tokyo = agent.says("我住在东京，妻子叫小林").await.conversation();
    let found = async |words: &str| {
        let found = agent.assistant.conversations(words).await.unwrap();
        found.into_iter().map(|conversation| (conversation.id, conversation.snippet.is_some())).collect::<Vec<_>>()
    };
    assert_eq!(found("C++").await, [(boats, true)]);
    assert_eq!(found("东京").await, [(tokyo, true)]);
    assert_eq!(found("boat").await, [(boats, true)]);
    assert_eq!(found("submarine").await, []);
    agent.assistant.rename_conversation(boats, "Submarine plans").await.unwrap();
    assert_eq!(found("submarine").await, [(boats, false)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keychain_that_fails_is_told_and_a_key_for_this_session_works_without_it() {
    let server = ScriptedServer::always(Response::answer(["Hello"]));
    let agent = Agent::asking(&server).await;
    agent.keychain.fail_with(atlas_core::keychain::KeychainError::NoService);
    let key = || Secret::new("sk-1234567890").expect("a key");
    let refused = agent.assistant.save_key(&endpoint(&server), key(), KeepKey::InKeychain).await.unwrap_err();
    assert!(refused.view().retryable, "{:?}", refused.view());
    agent.assistant.save_key(&endpoint(&server), key(), KeepKey::ThisSession).await.unwrap();
    let heard: Heard = agent.says("Hello").await;
    assert_eq!(heard.terminal(), "completed");
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer sk-1234567890"));
}
