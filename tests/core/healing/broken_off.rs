//! Work that is under way when the person wipes or forgets: it is broken off, and nothing of it is written afterwards.

use atlas_core::assistant::view::health::HealthQuery;
use atlas_core::assistant::view::{ForgetMessages, ForgetTarget, WipeScope};
use atlas_core::memory::procedure::LessonBy;
use atlas_core::settings::{MemoryWriting, ModelChoice};
use atlas_tests::agent::{Agent, endpoint};
use atlas_tests::{Gate, Response, ScriptedServer};
use serde_json::json;

use crate::forgetting::traces::{columns_with, database, files_with};

/// A word that stands nowhere else.
const SENTINEL: &str = "Quixolotl";

/// A model that answers what it learned of a failure, and nothing else; behind a gate where there is one.
fn teacher(gate: Option<Gate>) -> ScriptedServer {
    let lesson = json!({ "remedy": "switch_provider", "lesson": format!("{SENTINEL} upsets it.") }).to_string();
    ScriptedServer::new(move |request| match (request.body["response_format"].is_object(), &gate) {
        (true, Some(gate)) => Response::answer([&lesson]).behind(gate),
        (true, None) => Response::answer([&lesson]),
        (false, _) => rejected(),
    })
}

fn rejected() -> Response {
    Response::json(400, json!({ "error": { "message": "sorry", "code": "odd" } }))
}

/// An agent whose services refuse all that is said, the second of which is asked why.
async fn refused(server: &ScriptedServer, teacher: &ScriptedServer) -> Agent {
    let agent = Agent::asking(server).await;
    let choice = ModelChoice { endpoint: endpoint(teacher), model: "spare".to_owned() };
    agent.choose(|settings| settings.fallback = Some(choice)).await;
    agent
}

/// Lets the held answer go, and waits until nobody is left to write it.
async fn answered(agent: Agent, gate: &Gate) -> Agent {
    gate.open();
    agent.reopened().await
}

async fn timeline(agent: &Agent) -> u64 {
    let query = HealthQuery { limit: 10, ..HealthQuery::default() };
    agent.assistant.health_events(query).await.unwrap().total as u64
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wipe_breaks_a_reflection_off_and_nothing_of_it_is_written_afterwards() {
    for scope in [WipeScope::Memory, WipeScope::Everything] {
        let gate = Gate::new();
        let (server, teacher) = (ScriptedServer::always(rejected()), teacher(Some(gate.clone())));
        let agent = refused(&server, &teacher).await;
        agent.says("Hello").await;
        let asked = teacher.wait_for_requests(2);
        assert!(asked[1].body["response_format"].is_object(), "the second question is why the first one failed");

        agent.assistant.wipe(scope).await.unwrap();
        let agent = answered(agent, &gate).await;
        assert_eq!(agent.procedures().await, []);
        assert_eq!(columns_with(&database(&agent), SENTINEL), Vec::<String>::new());
        if scope == WipeScope::Everything {
            assert_eq!(timeline(&agent).await, 0);
        }
        agent.assistant.close().await;
        assert_eq!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wipe_breaks_off_the_taking_of_facts_too() {
    let gate = Gate::new();
    let facts = json!({ "facts": [{ "subject": "user", "relation": "boat", "value": SENTINEL }] }).to_string();
    let held = gate.clone();
    let server = ScriptedServer::new(move |request| match request.body["response_format"].is_object() {
        true => Response::answer([&facts]).behind(&held),
        false => Response::answer(["A fine name."]),
    });
    let agent = Agent::asking(&server).await;
    agent.choose(|settings| settings.memory_writing = Some(MemoryWriting::SecondCall)).await;
    agent.says(&format!("My boat is called {SENTINEL}, she is red and lies in the old harbour.")).await;
    server.wait_for_requests(2);

    agent.assistant.wipe(WipeScope::Memory).await.unwrap();
    let agent = answered(agent, &gate).await;
    assert_eq!(agent.facts().await, []);
    assert_eq!(server.requests().len(), 2, "what was wiped is not asked for again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reflection_that_was_begun_before_a_forget_leaves_no_lesson() {
    let gate = Gate::new();
    let (server, teacher) = (ScriptedServer::always(rejected()), teacher(Some(gate.clone())));
    let agent = refused(&server, &teacher).await;
    agent.assistant.run_command(&format!("/remember my boat is called {SENTINEL}")).await.unwrap();
    agent.says("Hello").await;
    teacher.wait_for_requests(2);

    let target = ForgetTarget::Facts { ids: agent.facts().await.iter().map(|fact| fact.id).collect() };
    agent.assistant.forget(target, ForgetMessages::Forget).await.unwrap();
    let agent = answered(agent, &gate).await;
    let lessons = agent.procedures().await.into_iter().filter(|row| row.lesson.is_some()).count();
    assert_eq!(lessons, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lesson_that_tells_what_was_forgotten_is_not_kept_and_the_rules_speak_instead() {
    let (server, teacher) = (ScriptedServer::always(rejected()), teacher(None));
    let agent = refused(&server, &teacher).await;
    agent.assistant.run_command(&format!("/remember my boat is called {SENTINEL}")).await.unwrap();
    let target = ForgetTarget::Facts { ids: agent.facts().await.iter().map(|fact| fact.id).collect() };
    agent.assistant.forget(target, ForgetMessages::Forget).await.unwrap();
    agent.clock.advance(std::time::Duration::from_secs(60));
    let agent = agent.reopened().await;

    let mut events = agent.assistant.events();
    agent.says("Hello").await;
    let learned = loop {
        if let Some(row) = agent.procedures().await.into_iter().find(|row| row.lesson.is_some()) {
            break row;
        }
        events.recv().await.expect("more events");
    };
    assert_eq!(learned.lesson_by, Some(LessonBy::Rules));
    assert_eq!(columns_with(&database(&agent), SENTINEL), Vec::<String>::new());
}
