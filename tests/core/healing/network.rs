//! Without a network: the message is kept, and sent by itself when the network is back.

use std::time::Duration;

use atlas_core::assistant::view::AppEvent;
use atlas_core::providers::preset::{Endpoint, Preset};
use atlas_core::turn::event::TurnEvent;
use atlas_tests::agent::{Agent, Heard};
use atlas_tests::{Response, ScriptedServer};

/// A server that breaks every connection, as a dead network does.
fn dead() -> ScriptedServer {
    let server = ScriptedServer::always(Response::cut_off());
    server.offer_models(Response::cut_off());
    server
}

/// An agent that asks it at an address that counts as elsewhere, with a clock that holds.
async fn asking_elsewhere(server: &ScriptedServer) -> Agent {
    let agent = Agent::new().await;
    let base_url = format!("http://0.0.0.0:{}/v1", server.port());
    agent.choose(|settings| settings.endpoint = Some(Endpoint { preset: Preset::Custom, base_url })).await;
    agent.choose(|settings| settings.max_retries = 1).await;
    agent
}

fn come_back(server: &ScriptedServer) {
    server.offer_models(Response::json(200, serde_json::json!({ "data": [] })));
    server.answer_with(|_| Response::answer(["Here I am"]));
}

/// Says something that cannot be sent.
async fn said_in_vain(agent: &Agent) -> Heard {
    let heard = agent.says("Are you there?").await;
    let failure = heard.failure().unwrap_or_else(|| panic!("it is queued: {heard:?}"));
    assert_eq!((failure.code.as_str(), failure.queued), ("network", true), "{failure:?}");
    heard
}

async fn hears(events: &mut tokio::sync::broadcast::Receiver<AppEvent>, wanted: &AppEvent) {
    while events.recv().await.expect("more events") != *wanted {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_waits_for_the_network_and_is_sent_when_it_is_back() {
    let server = dead();
    let agent = asking_elsewhere(&server).await;
    let mut events = agent.assistant.events();
    agent.clock.hold();
    let heard = said_in_vain(&agent).await;
    hears(&mut events, &AppEvent::Network { online: false }).await;
    let conversation = heard.conversation();
    let view = agent.assistant.conversation(conversation).await.unwrap();
    assert!(view.messages[0].failure.as_ref().unwrap().queued, "it is marked");
    assert_eq!(agent.assistant.health().await.unwrap().queued, 1);
    come_back(&server);
    agent.meanwhile(Duration::from_secs(60), hears(&mut events, &AppEvent::Network { online: true })).await;
    while agent.messages(conversation).await.len() < 2 {
        hears(&mut events, &AppEvent::ConversationsChanged).await;
    }
    assert_eq!(agent.messages(conversation).await[1].text, "Here I am");
    assert_eq!(agent.assistant.health().await.unwrap().queued, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_tells_that_the_network_is_back_and_nobody_waits_for_the_next_look() {
    let server = dead();
    let agent = asking_elsewhere(&server).await;
    let mut events = agent.assistant.events();
    agent.clock.hold();
    let conversation = said_in_vain(&agent).await.conversation();
    come_back(&server);
    agent.assistant.network_changed(true);
    while agent.messages(conversation).await.len() < 2 {
        hears(&mut events, &AppEvent::ConversationsChanged).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_shall_not_be_sent_any_more_is_not() {
    let server = dead();
    let agent = asking_elsewhere(&server).await;
    agent.clock.hold();
    let conversation = said_in_vain(&agent).await.conversation();
    let message = agent.messages(conversation).await[0].id;
    agent.assistant.cancel_queued(message).await.unwrap();
    assert_eq!(agent.assistant.health().await.unwrap().queued, 0);
    come_back(&server);
    assert!(agent.assistant.send_queued().await.unwrap());
    assert_eq!(agent.messages(conversation).await.len(), 1, "it stays, unanswered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_waits_survives_a_restart_and_what_is_said_after_it_takes_it_along() {
    let server = dead();
    let agent = asking_elsewhere(&server).await;
    agent.clock.hold();
    let conversation = said_in_vain(&agent).await.conversation();
    let agent = agent.reopened().await;
    assert_eq!(agent.assistant.health().await.unwrap().queued, 1);
    come_back(&server);
    let heard = agent.says_in(Some(conversation), "Hello?").await;
    assert!(matches!(heard.0.last(), Some(TurnEvent::Completed { .. })), "{heard:?}");
    assert_eq!(agent.assistant.health().await.unwrap().queued, 0, "the later answer is an answer to both");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_message_is_never_queued() {
    let server = dead();
    let agent = asking_elsewhere(&server).await;
    let (events, heard) = tokio::sync::mpsc::channel(64);
    agent.assistant.send_temporary(None, "Are you there?", events).await.unwrap();
    let heard = Heard::all(heard).await;
    assert_eq!(heard.failure().map(|failure| failure.queued), Some(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_that_goes_away_after_an_answer_is_noticed_too_and_nothing_is_sent_twice() {
    let server = dead();
    come_back(&server);
    let agent = asking_elsewhere(&server).await;
    agent.clock.hold();
    let conversation = agent.says("Are you there?").await.conversation();
    server.answer_with(|_| Response::cut_off());
    server.offer_models(Response::cut_off());
    let heard = agent.says_in(Some(conversation), "Still there?").await;
    assert_eq!(heard.failure().map(|failure| failure.queued), Some(true), "{heard:?}");
    come_back(&server);
    let before = server.requests().len();
    let (one, other) = tokio::join!(agent.assistant.send_queued(), agent.assistant.send_queued());
    assert_eq!((one.unwrap(), other.unwrap()), (true, true));
    assert_eq!(server.requests().len(), before + 1);
    let view = agent.assistant.conversation(conversation).await.unwrap();
    assert!(view.messages.iter().all(|view| view.failure.as_ref().is_none_or(|failure| !failure.queued)));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_messages_that_wait_in_one_conversation_are_counted_and_answered_together() {
    let server = dead();
    let agent = asking_elsewhere(&server).await;
    agent.clock.hold();
    let conversation = said_in_vain(&agent).await.conversation();
    let second = agent.says_in(Some(conversation), "And now?").await;
    assert_eq!(second.failure().map(|failure| failure.queued), Some(true), "{second:?}");
    assert_eq!(agent.assistant.health().await.unwrap().queued, 2);
    come_back(&server);
    let before = server.requests().len();
    assert!(agent.assistant.send_queued().await.unwrap());
    let asked: Vec<_> = server.requests().split_off(before).iter().map(atlas_tests::Request::prompt).collect();
    assert_eq!(asked.len(), 1, "one answer to both");
    assert!(asked[0].contains("Are you there?") && asked[0].contains("And now?"), "{asked:?}");
    let view = agent.assistant.conversation(conversation).await.unwrap();
    let left: Vec<_> = view.messages.iter().map(|view| (view.message.text.as_str(), view.failure.is_some())).collect();
    assert_eq!(left, [("Are you there?", false), ("And now?", false), ("Here I am", false)]);
    assert_eq!(agent.assistant.health().await.unwrap().queued, 0);
}
