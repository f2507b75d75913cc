//! Asking somebody else: the person's other model, their other service, or memory alone.

use std::time::Duration;

use atlas_core::assistant::view::health::HealthOutcome::{Failed, Told, Worked};
use atlas_core::memory::conversation::MessageState;
use atlas_core::providers::{Reach, Timeouts};
use atlas_core::settings::ModelChoice;
use atlas_core::turn::event::TurnEvent;
use atlas_tests::agent::{Agent, Heard, endpoint};
use atlas_tests::{Response, ScriptedServer};
use serde_json::json;
use tokio::sync::mpsc;

use super::timeline;
use crate::PATIENT;

fn broken() -> Response {
    Response::json(503, json!({ "error": { "message": "down", "code": 503 } }))
}

/// An agent whose first service is down, and whose other one answers.
async fn with_other(server: &ScriptedServer, other: &ScriptedServer) -> Agent {
    let agent = Agent::asking(server).await;
    let choice = ModelChoice { endpoint: endpoint(other), model: "spare".to_owned() };
    agent.choose(|settings| settings.fallback = Some(choice)).await;
    agent
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_stays_down_gives_way_to_the_persons_other_one() {
    let server = ScriptedServer::always(broken());
    let other = ScriptedServer::always(Response::answer(["From the spare one"]));
    let agent = with_other(&server, &other).await;
    let heard = agent.says("Are you there?").await;
    assert_eq!((heard.terminal(), heard.streamed().as_str()), ("completed", "From the spare one"));
    assert_eq!(heard.answer().and_then(|answer| answer.model.as_deref()), Some("spare"), "who answered is told");
    assert_eq!((server.requests().len(), other.requests().len()), (3, 1), "after three failures it is left alone");
    assert_eq!(other.requests()[0].body["model"], "spare");
    let wait = || Some("Wait a little (as long as it asks, where it does), then ask again".to_owned());
    let code = || "server".to_owned();
    let expected = [
        (code(), wait(), Failed),
        (code(), wait(), Failed),
        (code(), Some("Ask your other service".to_owned()), Worked),
    ];
    assert_eq!(timeline(&agent).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_service_is_not_asked_every_time_and_asked_again_later() {
    let server = ScriptedServer::always(broken());
    let other = ScriptedServer::always(Response::answer(["Hello"]));
    let agent = with_other(&server, &other).await;
    agent.says("One").await;
    let asked = server.requests().len();
    let waited = agent.clock.slept().len();
    let heard = agent.says("Two").await;
    assert_eq!((heard.terminal(), server.requests().len()), ("completed", asked), "it is left alone");
    assert_eq!(agent.clock.slept().len(), waited, "and nobody waits for it");
    agent.clock.advance(Duration::from_secs(3600));
    server.answer_with(|_| Response::answer(["I am back"]));
    let heard = agent.says("Three").await;
    assert_eq!(heard.streamed(), "I am back");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_model_gives_way_to_the_other_one_of_the_same_service() {
    let busy = || {
        Response::json(429, json!({ "error": { "message": "slow down", "code": 429 } })).header("retry-after", "600")
    };
    let server = ScriptedServer::new(move |request| match request.body["model"].as_str() {
        Some("m") => busy(),
        _ => Response::answer(["Hello"]),
    });
    let agent = Agent::asking(&server).await;
    agent.choose(|settings| settings.fallback_model = Some("small".to_owned())).await;
    let heard = agent.says("Hello?").await;
    assert_eq!(heard.streamed(), "Hello");
    assert_eq!(agent.clock.slept(), [Duration::ZERO; 0], "ten minutes are not waited for");
    assert!(heard.healing()[0].contains("Asking small at"), "{:?}", heard.healing());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_key_goes_straight_to_the_person_who_may_ask_the_other_service() {
    let refused = json!({ "error": { "message": "no", "code": "invalid_api_key" } });
    let server = ScriptedServer::always(Response::json(401, refused));
    let other = ScriptedServer::always(Response::answer(["From the spare one"]));
    let agent = with_other(&server, &other).await;
    let heard = agent.says("Hello").await;
    let failure = heard.failure().unwrap();
    assert_eq!((failure.code.as_str(), server.requests().len(), other.requests().len()), ("credentials", 1, 0));
    let name = format!("spare at {}", endpoint(&other).display_name());
    assert_eq!(failure.alternative.as_deref(), Some(name.as_str()));
    let message = agent.messages(heard.conversation()).await[0].id;
    let (events, heard) = mpsc::channel(64);
    agent.assistant.retry_with_alternative(message, events).await.unwrap();
    assert_eq!(Heard::all(heard).await.streamed(), "From the spare one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_names_the_service_that_failed_so_that_the_key_is_given_to_that_one() {
    let refused = || Response::json(401, json!({ "error": { "message": "no", "code": "invalid_api_key" } }));
    let (server, other) = (ScriptedServer::always(refused()), ScriptedServer::always(refused()));
    let agent = with_other(&server, &other).await;
    let heard = agent.says("Hello").await;
    let first = heard.failure().unwrap().service.clone();
    let message = agent.messages(heard.conversation()).await[0].id;
    let (events, heard) = mpsc::channel(64);
    agent.assistant.retry_with_alternative(message, events).await.unwrap();
    let second = Heard::all(heard).await.failure().unwrap().service.clone();
    let choice =
        |server, model: &str| Some(Box::new(ModelChoice { endpoint: endpoint(server), model: model.to_owned() }));
    assert_eq!((first, second), (choice(&server, "m"), choice(&other, "spare")));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_named_no_other_service_cannot_ask_it() {
    let server = ScriptedServer::always(broken());
    let agent = Agent::asking(&server).await;
    agent.choose(|settings| settings.max_retries = 0).await;
    let heard = agent.says("Hello").await;
    assert_eq!(heard.failure().unwrap().alternative, None);
    let message = agent.messages(heard.conversation()).await[0].id;
    let (events, _) = mpsc::channel(64);
    let error = agent.assistant.retry_with_alternative(message, events).await.unwrap_err();
    assert_eq!(error.view().code, "no_alternative");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_answers_what_is_remembered_is_told_and_said_to_be_no_more() {
    let server = ScriptedServer::always(Response::answer(["Noted."]));
    let agent = Agent::asking(&server).await;
    agent.says("Remember that my sister Mara lives in Lisbon").await;
    server.answer_with(|_| broken());
    let heard = agent.says("Where does my sister Mara live?").await;
    let answer = heard.answer().unwrap();
    assert_eq!((heard.terminal(), answer.state, &answer.model), ("completed", MessageState::Complete, &None));
    assert!(answer.text.contains("only what I remember") && answer.text.contains("Lisbon"), "{}", answer.text);
    server.answer_with(|_| Response::answer(["She lives in Lisbon."]));
    let message = agent.messages(heard.conversation()).await[0].id;
    let (events, heard) = mpsc::channel(64);
    agent.assistant.retry(message, events).await.unwrap();
    assert_eq!(Heard::all(heard).await.streamed(), "She lives in Lisbon.", "it can be asked again");
}

#[tokio::test(flavor = "multi_thread")]
async fn from_memory_alone_nothing_is_told_that_only_asks_or_was_not_asked_for() {
    let server = ScriptedServer::always(Response::answer(["Noted."]));
    let agent = Agent::asking(&server).await;
    for said in
        ["Remember that my sister Mara lives in Lisbon", "Remember that I drive a Volvo", "Where does Mara live?"]
    {
        agent.says(said).await;
    }
    server.answer_with(|_| broken());
    let told = agent.says("Where does my sister Mara live?").await.answer().unwrap().text.clone();
    assert!(told.contains("Lisbon") && !told.contains("Volvo") && !told.contains("Where does Mara"), "{told}");
    let heard = agent.says("How high is Mount Everest?").await;
    assert_eq!((heard.terminal(), heard.answer()), ("failed", None), "nothing is remembered of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_told_from_memory_alone_is_not_told_as_a_memory_the_next_time() {
    let server = ScriptedServer::always(Response::answer(["Noted."]));
    let agent = Agent::asking(&server).await;
    agent.says("Remember that my sister Mara lives in Lisbon").await;
    server.answer_with(|_| broken());
    let first = agent.says("Where does my sister Mara live?").await.answer().unwrap().text.clone();
    let second = agent.says("Where does my sister Mara live now?").await.answer().unwrap().text.clone();
    assert!(
        first.contains("- my sister Mara lives in Lisbon") && second.contains("- my sister Mara lives in Lisbon"),
        "{first}\n{second}"
    );
    assert_eq!(second.matches("only what I remember").count(), 1, "{second}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_is_skipped_is_told_as_long_as_it_was() {
    let busy = Response::json(429, json!({ "error": { "message": "slow down" } })).header("retry-after", "60");
    let server = ScriptedServer::in_order([busy, Response::answer(["Hello"])]);
    let agent = Agent::asking(&server).await;
    agent.clock.hold();
    let (events, mut heard) = mpsc::channel(64);
    let handle = agent.assistant.send(None, "Hello?", events).await.unwrap();
    let mut told = Vec::new();
    while let Some(event) = heard.recv().await {
        if let TurnEvent::Healing { note } = &event {
            assert_eq!((note.wait_seconds, note.remedy.as_str()), (60.0, "wait"));
            agent.clock.wait_for_sleepers(1).await;
            agent.clock.advance(Duration::from_secs(2));
            agent.assistant.skip_wait(handle.turn);
        }
        if let TurnEvent::Waited { note } = &event {
            told.push(note.clone());
        }
        if event.is_terminal() {
            assert!(matches!(event, TurnEvent::Completed { .. }), "{event:?}");
        }
    }
    assert_eq!(server.requests().len(), 2);
    let kept = agent.assistant.conversation(handle.conversation).await.unwrap().messages[0].healing.clone();
    assert_eq!(told, kept, "what is told at once is what is read later");
    assert_eq!((kept[0].wait_seconds, kept.len()), (2.0, 1));
    assert!(kept[0].past.ends_with(" was busy; waited 2 s."), "{kept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_that_nothing_helped_is_told_once_and_stands_in_the_timeline() {
    let server =
        ScriptedServer::always(Response::json(400, json!({ "error": { "message": "no images", "code": "x" } })));
    let agent = Agent::asking(&server).await;
    let heard = agent.says("Hello").await;
    assert_eq!(heard.failure().unwrap().code, "rejected");
    assert_eq!(timeline(&agent).await, [("rejected".to_owned(), None, Told)]);
}

/// A part of an answer, and then an error inside the stream.
fn part_then_error(code: u16) -> Response {
    let error = json!({ "error": { "message": "oops", "code": code } });
    Response::partial(["Lisbon has seven hills and"]).then(Response::stream([format!("data: {error}\n\n")]))
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_fails_after_a_part_the_answer_goes_on_from_there_and_says_nothing_twice() {
    for (code, rest) in [
        (429, " many trams."),
        (429, "Lisbon has seven hills and many trams."),
        (400, " many trams."),
        (400, "Lisbon has seven hills and many trams."),
    ] {
        let server = ScriptedServer::in_order([part_then_error(code), Response::answer([rest])]);
        let other = ScriptedServer::always(Response::answer([rest]));
        let agent = with_other(&server, &other).await;
        let heard = agent.says("Tell me about Lisbon").await;
        let answer = heard.answer().unwrap();
        assert_eq!(
            (heard.terminal(), answer.text.as_str()),
            ("completed", "Lisbon has seven hills and many trams."),
            "{code}: {rest}"
        );
        assert_eq!(agent.messages(heard.conversation()).await[1].text, answer.text);
        agent.assistant.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_an_answer_is_kept_where_nothing_helps_also_when_something_is_remembered() {
    let server = ScriptedServer::always(Response::answer(["Noted."]));
    let agent = Agent::asking(&server).await;
    agent.says("Remember that my sister Mara lives in Lisbon").await;
    server.answer_with(|_| part_then_error(429));
    let heard = agent.says("Where does my sister Mara live?").await;
    let answer = heard.answer().unwrap();
    assert_eq!(
        (heard.terminal(), answer.text.as_str(), answer.state),
        ("failed", "Lisbon has seven hills and", MessageState::Partial)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_stood_still_is_kept_and_gone_on_from() {
    let server = ScriptedServer::in_order([
        Response::partial(["The first half"]).then_stall(),
        Response::answer([" and the second."]),
    ]);
    let timeouts = |_| Timeouts { stalled: Duration::from_millis(200), ..PATIENT };
    let agent = Agent::reaching(Reach { timeouts, ..Reach::default() }).await;
    agent.ask(&server).await;
    let heard = agent.says("What is new?").await;
    let text = "The first half and the second.";
    assert_eq!((heard.terminal(), heard.streamed().as_str()), ("completed", text));
    assert_eq!(
        timeline(&agent).await,
        [("timeout".into(), Some("Keep what came and ask for the rest".into()), Worked)]
    );
    let stored: Vec<_> = agent.messages(heard.conversation()).await.into_iter().map(|message| message.text).collect();
    assert_eq!(stored, ["What is new?", text]);
    let asked = server.requests();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].prompt().contains("The first half"), "it goes on from what stands there");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_cut_after_a_space_goes_on_with_the_next_word() {
    let server = ScriptedServer::in_order([
        Response::partial(["Lisbon has seven hills and "]).then_reset(),
        Response::answer(["runs down to the sea."]),
    ]);
    let agent = Agent::asking(&server).await;
    let heard = agent.says("What is Lisbon like?").await;
    let whole = "Lisbon has seven hills and runs down to the sea.";
    assert_eq!((heard.terminal(), heard.streamed().as_str()), ("completed", whole));
    assert_eq!(agent.messages(heard.conversation()).await[1].text, whole);
}

/// What breaks off in the middle of an answer.
fn broken_off() -> [Response; 2] {
    let error = "data: {\"error\":{\"message\":\"upstream\",\"code\":502}}\n\n";
    [
        Response::partial(["The first half"]).then_reset(),
        Response::partial(["The first half"]).then(Response::stream([error])),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_breaks_off_again_and_again_is_gone_on_with_by_the_persons_other_service() {
    for broken in broken_off() {
        let server = ScriptedServer::always(broken);
        let other = ScriptedServer::always(Response::answer([" and the second."]));
        let agent = with_other(&server, &other).await;
        let heard = agent.says("What is new?").await;
        let whole = "The first half and the second.";
        assert_eq!((heard.terminal(), heard.streamed().as_str()), ("completed", whole), "{heard:?}");
        let tried: Vec<String> = heard.notes().into_iter().map(|note| note.remedy).collect();
        assert_eq!(tried, ["resume", "switch_provider"]);
        assert!(other.requests()[0].prompt().contains("The first half"), "it knows what stands there");
        agent.assistant.close().await;
    }
}
