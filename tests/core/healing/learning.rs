//! What is learned: a lesson from a failure that nothing helped, and how the answers keep to the role over time.

use atlas_core::assistant::view::AppEvent;
use atlas_core::behavior::spec::Rule;
use atlas_core::memory::procedure::LessonBy;
use atlas_core::settings::ModelChoice;
use atlas_core::store::id::ConversationId;
use atlas_tests::agent::{Agent, Heard, embedding_models, endpoint};
use atlas_tests::{Response, ScriptedServer};
use serde_json::json;
use tokio::sync::broadcast::Receiver;

use super::timeline;

fn rejected() -> Response {
    Response::json(400, json!({ "error": { "message": "sorry, secret-word", "code": "odd" } }))
}

/// Waits until something was learned.
async fn learned(agent: &Agent, events: &mut Receiver<AppEvent>) -> (String, String, Option<LessonBy>) {
    loop {
        let found = agent.procedures().await.into_iter().find_map(|row| Some((row.remedy, row.lesson?, row.lesson_by)));
        if let Some(found) = found {
            return found;
        }
        events.recv().await.expect("more events");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_model_reflects_on_a_failure_that_nothing_helped_and_its_lesson_is_tried_next() {
    let server = ScriptedServer::always(rejected());
    let lesson = json!({ "remedy": "switch_provider", "lesson": "This service refuses such requests." }).to_string();
    let spare = ScriptedServer::new(move |request| match request.body["response_format"].is_object() {
        true => Response::answer([lesson.clone()]),
        false => rejected(),
    });
    let agent = Agent::asking(&server).await;
    let choice = ModelChoice { endpoint: endpoint(&spare), model: "spare".to_owned() };
    agent.choose(|settings| settings.fallback = Some(choice)).await;
    let mut events = agent.assistant.events();
    let heard = agent.says("My name is on no list").await;
    assert_eq!(heard.failure().unwrap().code, "rejected");
    let (remedy, lesson, by) = learned(&agent, &mut events).await;
    assert_eq!(remedy, "switch_provider");
    assert_eq!((lesson.as_str(), by), ("This service refuses such requests.", Some(LessonBy::Model)));
    let asked = spare.requests().into_iter().map(|request| request.prompt()).next_back().unwrap();
    assert!(asked.contains("code rejected") && !asked.contains("secret-word"), "{asked}");
    assert!(!asked.contains("My name is"), "what was said is not told");
    let before = spare.requests().len();
    agent.says("And now?").await;
    let asked_again = spare.requests().iter().skip(before).any(|request| request.body["response_format"].is_object());
    assert!(!asked_again, "one lesson is enough");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_no_model_is_healthy_the_rules_say_what_to_try() {
    let server = ScriptedServer::always(rejected());
    let agent = Agent::asking(&server).await;
    let mut events = agent.assistant.events();
    agent.says("Hello").await;
    let (remedy, lesson, by) = learned(&agent, &mut events).await;
    assert_eq!((remedy.as_str(), by), ("switch_model", Some(LessonBy::Rules)));
    assert!(lesson.contains("Another model"), "{lesson}");
    assert_eq!(server.requests().len(), 1, "the one that failed is not asked about itself");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lesson_is_edited_retired_and_forgotten_by_the_person() {
    let server = ScriptedServer::always(rejected());
    let agent = Agent::asking(&server).await;
    let mut events = agent.assistant.events();
    agent.says("Hello").await;
    learned(&agent, &mut events).await;
    let row = || async { agent.procedures().await.into_iter().find(|row| row.lesson_by.is_some()) };
    let id = row().await.unwrap().id;
    agent.assistant.edit_lesson(id, "Ask the small one").await.unwrap();
    agent.assistant.retire_procedure(id, true).await.unwrap();
    let edited = row().await.unwrap();
    assert_eq!(
        (edited.lesson.as_deref(), edited.lesson_by, edited.retired),
        (Some("Ask the small one"), Some(LessonBy::Person), true)
    );
    let too_long = agent.assistant.edit_lesson(id, &"x".repeat(401)).await.unwrap_err();
    assert_eq!(too_long.view().code, "memory");
    agent.assistant.forget_procedures(vec![id]).await.unwrap();
    assert_eq!(row().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_look_finds_what_only_judgement_can_and_costs_what_it_costs() {
    let verdicts = ["{\"violated\": [1], \"why\": \"it mocks\"}", "{\"violated\": [], \"why\": \"\"}"];
    let (mut looks, mut answers) = (0, 0);
    let server = ScriptedServer::new(move |request| match request.body["response_format"].is_object() {
        true => {
            looks += 1;
            Response::answer([verdicts[looks - 1]])
        }
        false => {
            answers += 1;
            Response::answer([if answers == 1 { "Only a fool would ask." } else { "Gladly." }])
        }
    });
    let agent = Agent::asking(&server).await;
    let mut spec = agent.assistant.behavior().await.unwrap().spec;
    (spec.never, spec.always) = (vec![Rule::hard("Make the person feel small")], Vec::new());
    agent.assistant.save_behavior(spec).await.unwrap();
    let heard = agent.says("Can you help me?").await;
    assert_eq!(heard.streamed(), "Only a fool would ask.", "off unless chosen");
    agent.choose(|settings| settings.second_look = true).await;
    server.answer_with({
        let mut calls = 0;
        move |request| {
            calls += 1;
            match (request.body["response_format"].is_object(), calls) {
                (true, 2) => Response::answer([verdicts[0]]),
                (true, _) => Response::answer([verdicts[1]]),
                (false, 1) => Response::answer(["Only a fool would ask."]),
                (false, _) => Response::answer(["Gladly."]),
            }
        }
    });
    let heard = agent.says("Can you help me?").await;
    let answer = heard.answer().unwrap();
    assert_eq!((answer.text.as_str(), heard.terminal()), ("Gladly.", "completed"));
    assert_eq!(answer.usage.completion_tokens, Some(4 * 2), "two answers and the looks at them are counted");
}

const RECIPE: &str = "Preheat the oven, chop two onions and fry them in butter with garlic, then add tomatoes, basil, flour, \
    eggs and grated cheese, stir the dough until it is smooth, and bake the whole cake for forty minutes until golden.";

/// An assistant for invoices that answers with recipes.
async fn wandering(server: &ScriptedServer) -> Option<Agent> {
    let agent = Agent::searching_with(embedding_models()?).await;
    agent.ask(server).await;
    let mut spec = agent.assistant.behavior().await.unwrap().spec;
    spec.identity.role = "Billing assistant: explains invoices, payments, refunds and due dates".to_owned();
    agent.assistant.save_behavior(spec).await.unwrap();
    Some(agent)
}

async fn says_and_is_measured(agent: &Agent, conversation: Option<ConversationId>, text: &str) -> Heard {
    let mut events = agent.assistant.events();
    let heard = agent.says_in(conversation, text).await;
    while events.recv().await.expect("more events") != AppEvent::HealthChanged {}
    heard
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assistant_that_has_left_its_role_begins_afresh_with_the_spec_and_memories_reloaded() {
    let server = ScriptedServer::always(Response::answer([RECIPE]));
    let Some(agent) = wandering(&server).await else { return };
    let heard = says_and_is_measured(&agent, None, "Why is my invoice of March higher than the one before?").await;
    let conversation = Some(heard.conversation());
    says_and_is_measured(&agent, conversation, "Please explain the late fee on my last payment.").await;
    server.answer_with(|_| Response::answer(["The late fee is charged when a payment comes after its due date."]));
    let heard = says_and_is_measured(&agent, conversation, "When is the next payment due?").await;
    assert!(heard.healing().iter().any(|line| line.contains("left its role")), "{:?}", heard.healing());
    let prompt = server.requests().pop().unwrap().prompt();
    assert!(prompt.contains("Billing assistant") && !prompt.contains("Preheat"), "{prompt}");
    let events = timeline(&agent).await;
    assert!(events.iter().any(|(code, ..)| code == "off_role"), "{events:?}");
    says_and_is_measured(&agent, conversation, "And what does it cost?").await;
    let prompt = server.requests().pop().unwrap().prompt();
    assert!(
        prompt.contains("When is the next payment due?") && !prompt.contains("Preheat"),
        "it goes on from there: {prompt}"
    );
    let view = agent.assistant.drift(30).await.unwrap();
    let day = &view.days[0];
    assert_eq!((view.days.len(), day.answers, day.off_role, view.latest.len()), (1, 4, 2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_asked_something_else_and_answers_that_has_not_left_the_role() {
    let server = ScriptedServer::always(Response::answer([RECIPE]));
    let Some(agent) = wandering(&server).await else { return };
    let ask = "How do I bake a cake with tomatoes, basil and grated cheese?";
    let conversation = Some(says_and_is_measured(&agent, None, ask).await.conversation());
    says_and_is_measured(&agent, conversation, ask).await;
    let heard = says_and_is_measured(&agent, conversation, ask).await;
    assert_eq!(heard.healing(), Vec::<&str>::new());
}
