//! Turns as a whole: what is sent, shown, kept and tried again.

use std::time::Duration;

use atlas_core::assistant::Error;
use atlas_core::memory::conversation::{Message, MessageState, Role};
use atlas_core::providers::preset::Preset;
use atlas_core::turn::event::TurnEvent;
use atlas_tests::agent::{Agent, Heard};
use atlas_tests::{Gate, Response, ScriptedServer};
use serde_json::{Value, json};
use tokio::sync::mpsc;

fn texts(messages: &[Message]) -> Vec<(Role, &str, MessageState)> {
    messages.iter().map(|message| (message.role, message.text.as_str(), message.state)).collect()
}

/// The prompt of the latest request, as (role, text).
fn prompt(server: &ScriptedServer) -> Vec<(String, String)> {
    let requests = server.requests();
    let messages = requests.last().expect("a request").body["messages"].as_array().expect("messages").clone();
    let part = |message: &Value, name: &str| message[name].as_str().unwrap_or_default().to_owned();
    messages.iter().map(|message| (part(message, "role"), part(message, "content"))).collect()
}

fn busy(seconds: u32) -> Response {
    Response::json(429, json!({ "error": { "message": "slow down" } })).header("retry-after", &seconds.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_persons_message_is_on_disk_before_the_model_has_said_a_word() {
    let gate = Gate::new();
    let server = ScriptedServer::always(Response::answer(["Hello"]).behind(&gate));
    let agent = Agent::asking(&server).await;
    let (events, heard) = mpsc::channel(64);
    let handle = agent.assistant.send(None, "Good morning", events).await.unwrap();
    let stored = agent.messages(handle.conversation).await;
    assert_eq!(texts(&stored), [(Role::User, "Good morning", MessageState::Complete)]);
    gate.open();
    assert_eq!(Heard::all(heard).await.terminal(), "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_streamed_and_then_stored_with_what_it_cost() {
    let server = ScriptedServer::always(Response::answer(["Hel", "lo"]));
    let agent = Agent::asking(&server).await;
    let heard = agent.says("Good morning").await;
    assert_eq!((heard.terminal(), heard.streamed().as_str()), ("completed", "Hello"));
    let stored = agent.messages(heard.conversation()).await;
    assert_eq!(stored.last(), heard.answer());
    assert_eq!(stored.last().and_then(|answer| answer.model.as_deref()), Some("m"));
    assert!(stored[1].usage.prompt_tokens.is_some(), "{:?}", stored[1].usage);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_prompt_begins_with_the_spec_grows_with_the_conversation_and_ends_with_what_changes() {
    let server = ScriptedServer::always(Response::answer(["Hello"]));
    let agent = Agent::asking(&server).await;
    let first = agent.says("Good morning").await;
    let before = prompt(&server);
    agent.says_in(Some(first.conversation()), "And now?").await;
    let after = prompt(&server);
    assert_eq!(after[0], before[0], "the front of the prompt stays the same, byte for byte");
    assert_eq!(after[1..3], [("user".into(), "Good morning".into()), ("assistant".into(), "Hello".into())]);
    let (role, last) = &after[3];
    assert_eq!((after.len(), role.as_str()), (4, "user"));
    assert!(last.starts_with("<memory-context>") && last.ends_with("The person's message:\nAnd now?"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_turn_keeps_its_partial_text() {
    let server = ScriptedServer::always(Response::partial(["Once upon"]).then_stall());
    let agent = Agent::asking(&server).await;
    let (events, mut heard) = mpsc::channel(64);
    let handle = agent.assistant.send(None, "Tell me a story", events).await.unwrap();
    let mut terminal = None;
    while let Some(event) = heard.recv().await {
        match event {
            TurnEvent::Delta { .. } => agent.assistant.stop(handle.turn),
            event if event.is_terminal() => terminal = Some(event),
            _ => {}
        }
    }
    assert!(matches!(terminal, Some(TurnEvent::Cancelled { message: Some(_) })), "{terminal:?}");
    let stored = agent.messages(handle.conversation).await;
    assert_eq!(texts(&stored)[1], (Role::Assistant, "Once upon", MessageState::Partial));
    server.wait_for_hang_ups(1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_is_stopped_before_its_first_word_leaves_the_message_alone() {
    let server = ScriptedServer::always(Response::answer(["never"]).behind(&Gate::new()));
    let agent = Agent::asking(&server).await;
    let (events, heard) = mpsc::channel(64);
    let handle = agent.assistant.send(None, "Wait", events).await.unwrap();
    server.wait_for_requests(1);
    agent.assistant.stop(handle.turn);
    let heard = Heard::all(heard).await;
    assert_eq!((heard.terminal(), heard.answer()), ("cancelled", None));
    assert_eq!(agent.messages(handle.conversation).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_provider_is_waited_for_as_long_as_it_asks_and_the_outcome_is_learned() {
    let server = ScriptedServer::in_order([busy(4), Response::answer(["Here I am"])]);
    let agent = Agent::asking(&server).await;
    let heard = agent.says("Are you there?").await;
    assert_eq!((heard.terminal(), heard.streamed().as_str()), ("completed", "Here I am"));
    assert_eq!(agent.clock.slept(), [Duration::from_secs(4)]);
    assert_eq!(heard.healing().len(), 1, "{:?}", heard.healing());
    assert!(heard.healing()[0].contains("4 s"), "{:?}", heard.healing());
    let learned: Vec<_> =
        agent.procedures().await.into_iter().map(|row| (row.category, row.successes, row.failures)).collect();
    assert_eq!(learned, [("rate_limit".to_owned(), 1, 0)]);
    let view = agent.assistant.conversation(heard.conversation()).await.unwrap();
    assert_eq!(view.messages[0].healing.len(), 1, "it can be seen later too");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_model_is_told_at_once_and_after_it_is_put_right_the_next_message_works() {
    let unknown = json!({ "error": { "message": "m is not a valid model ID", "code": 400 } });
    let server = ScriptedServer::in_order([Response::json(400, unknown), Response::answer(["Hello"])]);
    let agent = Agent::asking(&server).await;
    let heard = agent.says("Hello?").await;
    assert_eq!(heard.failure().map(|failure| failure.code.as_str()), Some("unknown_model"));
    assert_eq!(server.requests().len(), 1, "no blind retry");
    assert_eq!(agent.procedures().await, [], "only the person can put it right");
    agent.choose(|settings| settings.model = "right".to_owned()).await;
    let heard = agent.says_in(Some(heard.conversation()), "Hello again?").await;
    assert_eq!(heard.terminal(), "completed");
    assert_eq!(server.requests()[1].body["model"], "right");
    assert_eq!(prompt(&server)[1].0, "user", "two messages without an answer are one in the prompt");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_without_a_model_or_a_key() {
    let server = ScriptedServer::always(Response::answer(["never"]));
    let agent = Agent::new().await;
    let heard = agent.says("Hello").await;
    assert_eq!(heard.failure().map(|failure| failure.code.as_str()), Some("not_set_up"));
    agent.choose(|settings| settings.endpoint = Some(Preset::OpenAi.endpoint())).await;
    if std::env::var_os("OPENAI_API_KEY").is_none() {
        let heard = agent.says("Hello").await;
        assert_eq!(heard.failure().map(|failure| failure.code.as_str()), Some("no_key"));
    }
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_answers_one_message_at_a_time() {
    let gate = Gate::new();
    let server = ScriptedServer::always(Response::answer(["Hello"]).behind(&gate));
    let agent = Agent::asking(&server).await;
    let (events, heard) = mpsc::channel(64);
    let handle = agent.assistant.send(None, "One", events).await.unwrap();
    let (events, _) = mpsc::channel(64);
    let second = agent.assistant.send(Some(handle.conversation), "Two", events).await;
    assert!(matches!(second, Err(Error::TurnRunning)));
    gate.open();
    Heard::all(heard).await;
    assert_eq!(agent.messages(handle.conversation).await.len(), 2, "what was refused was not stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_answer_takes_the_place_of_the_old_one_and_a_failed_try_does_not() {
    let cut = Response::partial(["Half"]).then_reset();
    let server = ScriptedServer::in_order([Response::answer(["First"]), Response::answer(["Second"]), cut]);
    let agent = Agent::asking(&server).await;
    let conversation = agent.says("Say something").await.conversation();
    let message = agent.messages(conversation).await[0].id;
    for expected in [vec!["Say something", "Second"], vec!["Say something", "Second", "Half"]] {
        let (events, heard) = mpsc::channel(64);
        agent.assistant.retry(message, events).await.unwrap();
        Heard::all(heard).await;
        let stored = agent.messages(conversation).await;
        assert_eq!(stored.iter().map(|message| message.text.as_str()).collect::<Vec<_>>(), expected);
    }
    let asked_anew = &server.requests()[2].body["messages"];
    assert_eq!(asked_anew.as_array().map(Vec::len), Some(2), "the old answer is not in the prompt of the new one");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_the_token_limit_cut_goes_on_where_it_stopped() {
    let cut = Response::stream([
        "data: {\"choices\":[{\"delta\":{\"content\":\"one, two,\"},\"finish_reason\":null}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n",
    ]);
    let server = ScriptedServer::in_order([cut, Response::answer([" three."])]);
    let agent = Agent::asking(&server).await;
    let first = agent.says("Count").await;
    assert_eq!(first.state(), Some(MessageState::CutByLimit));
    let message = agent.messages(first.conversation()).await[0].id;
    let (events, heard) = mpsc::channel(64);
    agent.assistant.retry(message, events).await.unwrap();
    let heard = Heard::all(heard).await;
    assert_eq!(heard.streamed(), " three.");
    let stored = agent.messages(first.conversation()).await;
    assert_eq!(texts(&stored)[1..], [(Role::Assistant, "one, two, three.", MessageState::Complete)]);
    let asked = prompt(&server);
    assert_eq!((asked[2].0.as_str(), asked[2].1.as_str()), ("assistant", "one, two,"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_too_long_is_asked_about_without_its_older_half() {
    let too_long = json!({ "error": { "message": "too long", "code": "context_length_exceeded" } });
    let server = ScriptedServer::in_order([
        Response::answer(["1"]),
        Response::answer(["2"]),
        Response::json(400, too_long),
        Response::answer(["3"]),
    ]);
    let agent = Agent::asking(&server).await;
    let conversation = agent.says("a").await.conversation();
    agent.says_in(Some(conversation), "b").await;
    let heard = agent.says_in(Some(conversation), "c").await;
    assert_eq!((heard.terminal(), heard.healing().len()), ("completed", 1));
    let lengths: Vec<_> =
        server.requests().iter().map(|request| request.body["messages"].as_array().map(Vec::len)).collect();
    assert_eq!(lengths, [Some(2), Some(4), Some(6), Some(4)]);
    assert_eq!(agent.messages(conversation).await.len(), 6, "nothing is lost of the conversation itself");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_sent_is_refused_with_a_sentence_and_stores_nothing() {
    let server = ScriptedServer::always(Response::answer(["never"]));
    let agent = Agent::asking(&server).await;
    let (events, _) = mpsc::channel(64);
    let empty = agent.assistant.send(None, " \n ", events.clone()).await.unwrap_err();
    let long = agent.assistant.send(None, &"x".repeat(400_001), events).await.unwrap_err();
    assert_eq!((empty.view().code.as_str(), long.view().code.as_str()), ("nothing_to_send", "too_long"));
    assert_eq!(agent.assistant.conversations("").await.unwrap(), []);
}
