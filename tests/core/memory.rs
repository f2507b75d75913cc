//! From what was said to what is remembered, and into the next prompt.

use std::time::Duration;

use atlas_core::assistant::view::{AppEvent, Learned, WipeScope};
use atlas_core::memory::history::change::MemoryRef;
use atlas_core::settings::MemoryWriting;
use atlas_core::store::id::MemoryEventId;
use atlas_core::turn::event::TurnEvent;
use atlas_tests::agent::{Agent, Heard};
use atlas_tests::{Gate, Response, ScriptedServer};

/// The text of the person's latest message as the model got it, with all that stands beside it.
fn last_prompt(server: &ScriptedServer) -> String {
    let requests = server.requests();
    let messages = requests.last().expect("a request").body["messages"].as_array().expect("messages").clone();
    messages.last().and_then(|message| message["content"].as_str()).unwrap_or_default().to_owned()
}

fn remembering(fact: &str) -> Response {
    Response::answer(["Noted.\n", &format!("MEMORY_OPS: {{\"facts\":[{fact}],\"episode_note\":\"their home\"}}")])
}

const TOKYO: &str = r#"{"subject":"user","relation":"lives in","value":"Tokyo"}"#;

async fn sentences(agent: &Agent) -> Vec<String> {
    agent.facts().await.into_iter().map(|fact| fact.quote).collect()
}

fn events_of(heard: &Heard) -> Vec<MemoryEventId> {
    let changes = heard.0.iter().filter_map(|event| match event {
        TurnEvent::MemoryChanged { changes } => Some(changes),
        _ => None,
    });
    changes.flatten().map(|change| change.event).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_remembered_yesterday_is_in_the_prompt_today_and_named_under_the_answer() {
    let server = ScriptedServer::always(Response::answer(["All right."]));
    let agent = Agent::asking(&server).await;
    let heard = agent.says("Remember that I live in Tokyo").await;
    assert_eq!(heard.remembered(), ["I live in Tokyo"]);
    assert!(last_prompt(&server).contains("stored: I live in Tokyo"), "{}", last_prompt(&server));
    let agent = agent.reopened().await;
    agent.clock.advance(Duration::from_secs(24 * 60 * 60));
    let heard = agent.says("Where do I live?").await;
    assert!(last_prompt(&server).contains("I live in Tokyo"), "{}", last_prompt(&server));
    let answer = heard.answer().expect("an answer").id;
    let sources = agent.assistant.answer_sources(answer).await.unwrap();
    assert!(
        sources.used.iter().any(|used| used.sentence == "I live in Tokyo" && matches!(used.memory, MemoryRef::Fact(_)))
    );
    assert!(sources.prompt_block.contains("I live in Tokyo"));
    assert_eq!(agent.facts().await[0].use_count, 1, "the answer that it was told in did not use it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fact_from_the_answer_knows_its_message_and_can_be_undone() {
    let server = ScriptedServer::always(remembering(TOKYO));
    let agent = Agent::asking(&server).await;
    let heard = agent.says("I live in Tokyo.").await;
    assert_eq!(heard.streamed(), "Noted.");
    assert_eq!(heard.remembered(), ["I live in Tokyo."]);
    let message = agent.messages(heard.conversation()).await[0].id;
    assert_eq!(agent.facts().await[0].source_message, Some(message));
    agent.assistant.undo(events_of(&heard)).await.unwrap();
    assert_eq!(sentences(&agent).await, Vec::<String>::new());
    let view = agent.assistant.conversation(heard.conversation()).await.unwrap();
    assert_eq!(view.messages[0].changes, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_model_is_asked_for_facts_after_its_answer() {
    let reply = format!("{{\"facts\":[{TOKYO}]}}");
    let server = ScriptedServer::in_order([Response::answer(["Nice."]), Response::answer([reply.as_str()])]);
    let agent = Agent::asking(&server).await;
    agent.choose(|settings| settings.memory_writing = Some(MemoryWriting::SecondCall)).await;
    let mut app = agent.assistant.events();
    let heard = agent.says("I live in Tokyo.").await;
    assert_eq!((heard.terminal(), heard.streamed().as_str()), ("completed", "Nice."));
    let message = agent.messages(heard.conversation()).await[0].id;
    let told = loop {
        if let AppEvent::MemoryChanged { message, changes } = app.recv().await.unwrap() {
            break (message, changes.into_iter().map(|change| change.sentence).collect::<Vec<_>>());
        }
    };
    assert_eq!(told, (Some(message), vec!["I live in Tokyo.".to_owned()]));
    let requests = server.requests();
    assert!(!requests[0].prompt().contains("MEMORY_OPS"), "a small model is not asked to write blocks");
    assert_eq!(requests[1].body["response_format"]["type"], "json_schema");
    assert_eq!(requests[1].body["temperature"], 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_not_asked_for_facts_about_small_talk() {
    let server = ScriptedServer::always(Response::answer(["You're welcome."]));
    let agent = Agent::asking(&server).await;
    agent.choose(|settings| settings.memory_writing = Some(MemoryWriting::SecondCall)).await;
    let conversation = agent.says("Thanks!").await.conversation();
    agent.says_in(Some(conversation), "And who are you?").await;
    let agent = agent.reopened().await;
    assert_eq!(server.requests().len(), 2);
    assert_eq!(agent.facts().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn forget_that_forgets_by_code_and_the_text_is_purged_when_the_time_for_an_undo_is_over() {
    let server = ScriptedServer::always(Response::answer(["All right."]));
    let agent = Agent::asking(&server).await;
    agent.says("Remember that my locker code is 47119").await;
    assert_eq!(agent.facts().await.len(), 1);
    let heard = agent.says("Forget that my locker code is 47119").await;
    assert_eq!(heard.remembered().len(), 1, "what was forgotten is told: {:?}", heard.0);
    assert_eq!(agent.facts().await, []);
    agent.clock.advance(Duration::from_secs(60));
    let agent = agent.reopened().await;
    let undone = agent.assistant.undo(events_of(&heard)).await;
    assert!(undone.is_err(), "it is too late");
    agent.says("What is my locker code?").await;
    assert!(!last_prompt(&server).contains("47119"), "{}", last_prompt(&server));
    let episodes = agent.assistant.episodes(atlas_tests::agent::oldest()).await.unwrap().rows;
    assert!(episodes.iter().all(|episode| !episode.text.contains("47119")), "{episodes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_be_forgotten_is_not_learned_from_the_sentence_that_says_so() {
    let reply = format!("{{\"facts\":[{TOKYO}]}}");
    let server = ScriptedServer::always(Response::answer([reply.as_str()]));
    let agent = Agent::asking(&server).await;
    agent.choose(|settings| settings.memory_writing = Some(MemoryWriting::SecondCall)).await;
    let mut events = agent.assistant.events();
    agent.says("Remember that I live in Tokyo").await;
    // A second call that a new message interrupts is made again.
    while !matches!(events.recv().await, Ok(AppEvent::MemoryChanged { message: Some(_), .. })) {}
    agent.says("Forget that I live in Tokyo").await;
    let agent = agent.reopened().await;
    assert_eq!(agent.facts().await, []);
    assert_eq!(server.requests().len(), 3, "no second call about what is to be forgotten");

    let server = ScriptedServer::always(remembering(TOKYO));
    let agent = Agent::asking(&server).await;
    agent.says("Forget that I live in Tokyo").await;
    assert_eq!(agent.facts().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_of_a_request_to_memory_is_told_to_the_person_and_to_the_model() {
    let server = ScriptedServer::always(Response::answer(["All right."]));
    let agent = Agent::asking(&server).await;
    let heard = agent.says("Forget that my hat is purple").await;
    assert_eq!(heard.healing(), ["Nothing like that is remembered, so nothing was forgotten."]);
    assert!(last_prompt(&server).contains("nothing was forgotten"), "{}", last_prompt(&server));
    agent.says("Never remember anything about my health").await;
    let heard = agent.says("Remember that I have diabetes").await;
    assert_eq!((heard.remembered().len(), heard.healing().len()), (0, 1));
    let view = agent.assistant.conversation(heard.conversation()).await.unwrap();
    assert_eq!(view.messages[0].healing.len(), 1, "it can be seen later too");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_no_model_takes_facts_from_does_not_hold_up_the_next_one() {
    let reply = format!("{{\"facts\":[{TOKYO}]}}");
    let refused = Response::json(400, serde_json::json!({ "error": { "message": "no schemas here" } }));
    let server = ScriptedServer::in_order([
        Response::answer(["One."]),
        refused,
        Response::answer(["Two."]),
        Response::answer([reply.as_str()]),
    ]);
    let agent = Agent::asking(&server).await;
    agent.choose(|settings| settings.memory_writing = Some(MemoryWriting::SecondCall)).await;
    let mut app = agent.assistant.events();
    agent.says("I work in a lighthouse far away.").await;
    // Who speaks before that breaks the call off, and it is made again.
    while !matches!(app.recv().await.unwrap(), AppEvent::MemoryChanged { message: Some(_), .. }) {}
    assert_eq!(server.requests().len(), 2);
    agent.says("I live in Tokyo.").await;
    while !matches!(app.recv().await.unwrap(), AppEvent::MemoryChanged { changes, .. } if !changes.is_empty()) {}
    assert_eq!(sentences(&agent).await, ["I live in Tokyo."]);
    assert_eq!(server.requests().len(), 4, "the refused call was not made again");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_wiped_is_not_taken_from_old_messages_again() {
    let reply = format!("{{\"facts\":[{TOKYO}]}}");
    let gate = Gate::new();
    let server =
        ScriptedServer::in_order([Response::answer(["One."]), Response::answer([reply.as_str()]).behind(&gate)]);
    let agent = Agent::asking(&server).await;
    agent.choose(|settings| settings.memory_writing = Some(MemoryWriting::SecondCall)).await;
    agent.says("I live in Tokyo.").await;
    server.wait_for_requests(2);
    agent.assistant.wipe(WipeScope::Memory).await.unwrap();
    gate.open();
    let agent = agent.reopened().await;
    assert_eq!(agent.facts().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_sealed_is_in_no_summary_either() {
    let server = ScriptedServer::always(remembering(""));
    let agent = Agent::asking(&server).await;
    agent.says("Please never remember anything about my health.").await;
    let conversation = agent.says("I was diagnosed with diabetes.").await.conversation();
    agent.says_in(Some(conversation), "Where shall I sail in June?").await;
    let agent = agent.reopened().await;
    let episodes = agent.assistant.episodes(atlas_tests::agent::oldest()).await.unwrap().rows;
    assert!(episodes.iter().all(|episode| !episode.text.contains("diabetes")), "{episodes:?}");
    assert!(!episodes.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sentence_in_the_chat_seals_a_topic_for_good() {
    let diabetes = r#"{"subject":"user","relation":"has condition","value":"diabetes","topic":"health"}"#;
    let server = ScriptedServer::always(remembering(diabetes));
    let agent = Agent::asking(&server).await;
    let heard = agent.says("Please never remember anything about my health.").await;
    assert!(heard.healing()[0].contains("health"), "{:?}", heard.healing());
    assert_eq!(agent.assistant.behavior().await.unwrap().spec.sealed_topics.len(), 1);
    agent.says("I was diagnosed with diabetes.").await;
    assert_eq!(agent.facts().await, []);
    let agent = agent.reopened().await;
    assert_eq!(agent.assistant.behavior().await.unwrap().spec.sealed_topics.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_conversation_keeps_or_forgets_what_it_taught() {
    let server = ScriptedServer::always(Response::answer(["All right."]));
    let agent = Agent::asking(&server).await;
    let kept = agent.says("Remember that I live in Tokyo").await.conversation();
    let forgotten = agent.says("Remember that my dog is called Biscuit").await.conversation();
    agent.assistant.delete_conversation(kept, Learned::Keep).await.unwrap();
    agent.assistant.delete_conversation(forgotten, Learned::Forget).await.unwrap();
    assert_eq!(sentences(&agent).await, ["I live in Tokyo"]);
    assert_eq!(agent.assistant.conversations("").await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_ended_is_summed_up_without_asking_anybody() {
    let server = ScriptedServer::always(remembering(TOKYO));
    let agent = Agent::asking(&server).await;
    agent.says("I live in Tokyo.").await;
    let agent = agent.reopened().await;
    let episodes = agent.assistant.episodes(atlas_tests::agent::oldest()).await.unwrap().rows;
    let texts: Vec<_> = episodes.iter().map(|episode| episode.text.as_str()).collect();
    assert_eq!(texts, ["their home", "I live in Tokyo: their home."]);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn slash_commands_answer_without_a_model() {
    let server = ScriptedServer::always(Response::answer(["never"]));
    let agent = Agent::asking(&server).await;
    let reply = agent.assistant.run_command("/remember I am allergic to peanuts").await.unwrap().expect("a reply");
    assert_eq!(reply.changed, ["I am allergic to peanuts"]);
    for (command, part) in [
        ("/facts", "peanuts"),
        ("/memories", "Nothing yet"),
        ("/procedures", "Nothing yet"),
        ("/help", "/remember"),
        ("/what", "no command"),
    ] {
        let text = agent.assistant.run_command(command).await.unwrap().expect("a reply").text;
        assert!(text.contains(part), "{command}: {text}");
    }
    assert_eq!(agent.assistant.run_command("Where is /etc/hosts?").await.unwrap(), None);
    assert_eq!(server.requests().len(), 0);
}
