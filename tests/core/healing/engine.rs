//! The built-in engine in trouble, seen from the chat: real processes that exit, are killed and stand still.

use std::path::Path;
use std::time::Duration;

use atlas_core::assistant::view::AppEvent;
use atlas_core::assistant::view::health::HealthOutcome;
use atlas_core::providers::preset::Preset;
use atlas_core::settings::ModelChoice;
use atlas_core::supervisor::{EngineConfig, EngineState};
use atlas_core::turn::event::TurnEvent;
use atlas_tests::agent::{Agent, Heard, endpoint};
use atlas_tests::process::{self, Pid};
use atlas_tests::{Response, ScriptedServer};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::timeline;

const MODEL: &str = "stand-in.gguf";
/// How far the clock is turned at once.
const STEP: Duration = Duration::from_millis(100);

/// An agent whose built-in model behaves as a plan says.
async fn with_engine(plan: &Value) -> Agent {
    let binary = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/llama-server");
    let config = EngineConfig { binary: Some(binary), threads: Some(1), ..EngineConfig::default() };
    let agent = Agent::running(config).await;
    plan_again(&agent, plan);
    agent
        .choose(|settings| {
            settings.endpoint = Some(Preset::BuiltIn.endpoint());
            settings.model = MODEL.to_owned();
        })
        .await;
    agent
}

/// From its next start on, it behaves like this.
fn plan_again(agent: &Agent, plan: &Value) {
    let models = agent.home.path().join("models");
    std::fs::create_dir_all(&models).unwrap();
    std::fs::write(models.join(MODEL), plan.to_string()).unwrap();
}

async fn with_spare(agent: &Agent, spare: &ScriptedServer) {
    let choice = ModelChoice { endpoint: endpoint(spare), model: "spare".to_owned() };
    agent
        .choose(|settings| {
            settings.model = MODEL.to_owned();
            settings.fallback = Some(choice);
        })
        .await;
}

/// Says something while time goes by: the engine is looked at by the clock.
async fn says(agent: &Agent, text: &str) -> Heard {
    agent.meanwhile(STEP, agent.says(text)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_dies_in_the_middle_is_started_again_and_answers() {
    let agent = with_engine(&json!({ "dies": "once" })).await;
    let heard = says(&agent, "Hello").await;
    assert_eq!((heard.terminal(), heard.streamed().as_str()), ("completed", "Hello"), "{heard:?}");
    let restarted = Some("Start the built-in engine afresh, then ask again".to_owned());
    let events = timeline(&agent).await;
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!((events[0].0.as_str(), &events[0].1), ("engine_exited", &restarted));
    agent.assistant.close().await;
}

/// What the engine is doing.
async fn state_of(agent: &Agent) -> EngineState {
    agent.assistant.health().await.unwrap().services.remove(0).state
}

/// The process of its latest start.
fn pid(agent: &Agent) -> Pid {
    let started = std::fs::read_to_string(agent.home.path().join("models").join(format!("{MODEL}.started"))).unwrap();
    let latest: Value = serde_json::from_str(started.lines().last().unwrap()).unwrap();
    latest["pid"].as_u64().and_then(|pid| Pid::try_from(pid).ok()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_stands_still_in_the_middle_is_replaced_and_the_answer_goes_on() {
    let agent = with_engine(&json!({ "stalls": "once", "rest": " and the rest." })).await;
    let (events, mut heard) = mpsc::channel(256);
    let stood_still = async {
        agent.assistant.send(None, "Hello", events).await.unwrap();
        let mut before = Vec::new();
        while !matches!(before.last(), Some(TurnEvent::Delta { .. })) {
            before.push(heard.recv().await.expect("a word comes"));
        }
        let stopped = pid(&agent);
        process::signal(stopped, "STOP");
        let Heard(after) = Heard::all(heard).await;
        (stopped, Heard(before.into_iter().chain(after).collect()))
    };
    let (stopped, heard) = agent.meanwhile(STEP, stood_still).await;
    assert_eq!((heard.terminal(), heard.streamed().as_str()), ("completed", "Hello and the rest."), "{heard:?}");
    assert_eq!((process::is_alive(stopped), process::is_alive(pid(&agent))), (false, true), "another process answered");
    let restarted = Some("Start the built-in engine afresh, then ask again".to_owned());
    assert_eq!(timeline(&agent).await, [("engine_unhealthy".to_owned(), restarted, HealthOutcome::Worked)]);
    let stored: Vec<_> = agent.messages(heard.conversation()).await.into_iter().map(|message| message.text).collect();
    assert_eq!(stored, ["Hello", "Hello and the rest."]);
    agent.assistant.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_does_not_start_gives_way_and_says_what_is_wrong() {
    let spare = ScriptedServer::always(Response::answer(["From the spare one"]));
    let agent = with_engine(&json!({ "say": ["unknown model architecture: 'odd'"], "exit": 1 })).await;
    with_spare(&agent, &spare).await;
    let heard = says(&agent, "Hello").await;
    assert_eq!(heard.streamed(), "From the spare one", "{heard:?}");
    let service = agent.assistant.health().await.unwrap().services.remove(0);
    assert!(
        service.diagnosis.as_ref().is_some_and(|said| said.contains("does not know this kind of model")),
        "{service:?}"
    );
    assert!(service.log.iter().any(|line| line.contains("unknown model architecture")), "{service:?}");
    agent.assistant.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_crashes_again_and_again_is_left_alone_told_once_and_the_chat_goes_on() {
    let spare = ScriptedServer::always(Response::answer(["From the spare one"]));
    let agent = with_engine(&json!({ "say": ["odd trouble"], "exit": 1 })).await;
    with_spare(&agent, &spare).await;
    let mut notices = agent.assistant.events();
    assert_eq!(says(&agent, "One").await.streamed(), "From the spare one");
    let told = async { while !matches!(notices.recv().await, Ok(AppEvent::Notice { .. })) {} };
    agent.meanwhile(Duration::from_secs(1), told).await;
    let state = state_of(&agent).await;
    assert!(matches!(state, EngineState::Flapping { .. }), "{state:?}");
    let asked = spare.wait_for_requests(2).into_iter().map(|request| request.prompt());
    assert!(
        asked.into_iter().any(|prompt| prompt.contains("Log of the engine:\n> odd trouble")),
        "a model is asked for the cause"
    );
    assert_eq!(says(&agent, "Two").await.streamed(), "From the spare one", "the chat goes on");
    while let Ok(event) = notices.try_recv() {
        assert!(!matches!(event, AppEvent::Notice { .. }), "it is told once");
    }
    let agent = agent.reopened().await;
    let state = state_of(&agent).await;
    assert!(matches!(state, EngineState::Flapping { .. }), "a restart of Atlas does not forget it: {state:?}");
    plan_again(&agent, &json!({}));
    agent.meanwhile(STEP, agent.assistant.restart_engine()).await.unwrap();
    assert_eq!(says(&agent, "Six").await.streamed(), "Hello", "the person may start it at any time");
    agent.assistant.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_waits_for_the_engine_to_start_can_be_stopped() {
    let agent = with_engine(&json!({ "loading": 1_000_000 })).await;
    let (events, heard) = mpsc::channel(256);
    let stopped = async {
        let handle = agent.assistant.send(None, "Hello", events).await.unwrap();
        while state_of(&agent).await != EngineState::Starting {
            tokio::task::yield_now().await;
        }
        agent.assistant.stop(handle.turn);
        (handle.conversation, Heard::all(heard).await)
    };
    let (conversation, heard) = agent.meanwhile(STEP, stopped).await;
    assert_eq!((heard.terminal(), heard.answer()), ("cancelled", None));
    let stored: Vec<_> = agent.messages(conversation).await.into_iter().map(|message| message.text).collect();
    assert_eq!(stored, ["Hello"]);
    agent.assistant.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crashes_over_several_messages_add_up_and_are_told_once() {
    let spare = ScriptedServer::always(Response::answer(["From the spare one"]));
    let agent = with_engine(&json!({ "dies": true })).await;
    with_spare(&agent, &spare).await;
    let mut notices = agent.assistant.events();
    let mut messages = 0;
    while !matches!(state_of(&agent).await, EngineState::Flapping { .. }) {
        assert!(messages < 5, "five crashes in five minutes are enough");
        messages += 1;
        assert_eq!(says(&agent, "Hello").await.terminal(), "completed");
    }
    assert!(messages > 1, "one message alone does not crash it so often");
    assert_eq!(says(&agent, "Hello again").await.terminal(), "completed");
    let mut told = 0;
    while let Ok(event) = notices.try_recv() {
        told += usize::from(matches!(event, AppEvent::Notice { .. }));
    }
    assert_eq!(told, 1);
    agent.assistant.close().await;
}
