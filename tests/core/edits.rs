//! What is edited, asked for again or deleted takes back what only it taught.

use atlas_core::assistant::view::Learned;
use atlas_core::memory::conversation::Role;
use atlas_core::memory::page::MemoryQuery;
use atlas_core::memory::writing::candidate::Authority;
use atlas_core::store::id::MemoryEventId;
use atlas_tests::agent::{Agent, Heard};
use atlas_tests::{Response, ScriptedServer};
use tokio::sync::mpsc;

fn remembering(facts: &[[&str; 3]]) -> Response {
    let facts: Vec<String> = facts
        .iter()
        .map(|[subject, relation, value]| {
            format!("{{\"subject\":\"{subject}\",\"relation\":\"{relation}\",\"value\":\"{value}\"}}")
        })
        .collect();
    Response::answer([
        "Noted.\n",
        &format!("MEMORY_OPS: {{\"facts\":[{}],\"episode_note\":\"a talk\"}}", facts.join(",")),
    ])
}

async fn sentences(agent: &Agent) -> Vec<String> {
    agent.facts().await.into_iter().map(|fact| fact.quote).collect()
}

async fn values(agent: &Agent) -> Vec<String> {
    agent.facts().await.into_iter().map(|fact| fact.value).collect()
}

async fn texts(agent: &Agent, heard: &Heard) -> Vec<(Role, String)> {
    agent.messages(heard.conversation()).await.into_iter().map(|message| (message.role, message.text)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_message_begins_anew_and_takes_back_what_only_the_old_one_said() {
    let server = ScriptedServer::in_order([
        remembering(&[["user", "drinks", "tea"]]),
        remembering(&[["user", "lives in", "Rome"], ["user", "drinks", "tea"]]),
        Response::answer(["A later answer"]),
        remembering(&[["user", "lives in", "Porto"]]),
    ]);
    let agent = Agent::asking(&server).await;
    let first = agent.says("I drink tea.").await;
    let conversation = Some(first.conversation());
    agent.says_in(conversation, "I live in Rome and drink tea.").await;
    agent.says_in(conversation, "And so on").await;
    let old = agent.messages(first.conversation()).await[2].id;
    let (events, heard) = mpsc::channel(64);
    let handle = agent.assistant.edit_message(old, "I live in Porto.", events).await.unwrap();
    let heard = Heard::all(heard).await;
    assert_eq!(heard.terminal(), "completed");
    assert_eq!(
        texts(&agent, &heard).await,
        [
            (Role::User, "I drink tea.".to_owned()),
            (Role::Assistant, "Noted.".to_owned()),
            (Role::User, "I live in Porto.".to_owned()),
            (Role::Assistant, "Noted.".to_owned())
        ]
    );
    assert_eq!(sentences(&agent).await, ["I drink tea.", "I live in Porto."]);
    let versions = agent.assistant.message_versions(handle.message).await.unwrap();
    let said: Vec<&str> = versions.iter().map(|version| version.text.as_str()).collect();
    assert_eq!(said, ["I live in Rome and drink tea.", "I live in Porto."]);
    let prompt = server.requests().last().unwrap().prompt();
    assert!(!prompt.contains("Rome") && !prompt.contains("And so on"), "{prompt}");
    // What was lost can be had back: it gives way to what was said since.
    let view = agent.assistant.conversation(heard.conversation()).await.unwrap();
    let changes: Vec<_> = view.messages[2].changes.iter().map(|change| change.sentence.as_str()).collect();
    assert_eq!(changes, ["I live in Rome and drink tea.", "I live in Porto."]);
    let undone: Vec<MemoryEventId> = view.messages[2].changes.iter().map(|change| change.event).collect();
    agent.assistant.undo(undone).await.unwrap();
    assert_eq!(sentences(&agent).await, ["I drink tea.", "I live in Rome and drink tea."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_message_of_the_persons_that_stands_can_be_edited() {
    let server = ScriptedServer::always(Response::answer(["Hello"]));
    let agent = Agent::asking(&server).await;
    let heard = agent.says("Hi").await;
    let answer = agent.messages(heard.conversation()).await[1].id;
    let (events, _heard) = mpsc::channel(64);
    assert!(agent.assistant.edit_message(answer, "I said so", events.clone()).await.is_err());
    let message = agent.messages(heard.conversation()).await[0].id;
    assert!(agent.assistant.edit_message(message, "  ", events).await.is_err());
    assert_eq!(agent.messages(heard.conversation()).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_asked_for_again_keeps_what_it_proposes_again_and_drops_the_rest() {
    let server = ScriptedServer::in_order([
        remembering(&[["user", "thinks of", "Porto"], ["user", "lives in", "Lyon"]]),
        remembering(&[["user", "thinks of", "Porto"]]),
    ]);
    let agent = Agent::asking(&server).await;
    let heard = agent.says("I live in Lyon and think of Porto.").await;
    assert_eq!(values(&agent).await, ["Porto", "Lyon"]);
    let message = agent.messages(heard.conversation()).await[0].id;
    let (events, again) = mpsc::channel(64);
    agent.assistant.retry(message, events).await.unwrap();
    assert_eq!(Heard::all(again).await.terminal(), "completed");
    let prompt = server.requests().last().unwrap().prompt();
    assert!(!prompt.contains("lives in: Lyon"), "it is not told what the lost answer made of it: {prompt}");
    assert_eq!(values(&agent).await, ["Porto"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_fails_the_second_time_takes_nothing_back() {
    let server = ScriptedServer::in_order([
        remembering(&[["user", "lives in", "Lyon"]]),
        Response::json(401, serde_json::json!({"error": {"message": "no"}})),
    ]);
    let agent = Agent::asking(&server).await;
    let heard = agent.says("I live in Lyon.").await;
    let message = agent.messages(heard.conversation()).await[0].id;
    let (events, again) = mpsc::channel(64);
    agent.assistant.retry(message, events).await.unwrap();
    assert_eq!(Heard::all(again).await.terminal(), "failed");
    assert_eq!(sentences(&agent).await, ["I live in Lyon."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_message_brought_along_waits_in_review_and_leaves_with_an_edit() {
    let mail = "Was soll ich antworten?\n\nVon: Tom\nAn: Sam\nBetreff: Umzug\nIch wohne jetzt in Rom.";
    let server = ScriptedServer::in_order([
        remembering(&[["user", "wohnt in", "Rom"]]),
        remembering(&[["user", "wohnt in", "Rom"]]),
        Response::answer(["Gut."]),
    ]);
    let agent = Agent::asking(&server).await;
    let waiting =
        async || agent.assistant.review(MemoryQuery { limit: 9, ..MemoryQuery::default() }).await.unwrap().rows;
    agent.says(mail).await;
    assert_eq!(sentences(&agent).await, Vec::<String>::new());
    let items = waiting().await;
    assert_eq!(items.len(), 1);
    assert_eq!(agent.assistant.memory_counts().await.unwrap().review, 1);
    agent.assistant.accept_review(vec![items[0].id], Authority::InPlace).await.unwrap();
    assert_eq!((sentences(&agent).await.len(), waiting().await.len()), (1, 0));

    let agent = Agent::asking(&server).await;
    let waiting =
        async || agent.assistant.review(MemoryQuery { limit: 9, ..MemoryQuery::default() }).await.unwrap().rows;
    let heard = agent.says(mail).await;
    assert_eq!(waiting().await.len(), 1);
    let message = agent.messages(heard.conversation()).await[0].id;
    let (events, again) = mpsc::channel(64);
    agent.assistant.edit_message(message, "Hallo", events).await.unwrap();
    Heard::all(again).await;
    assert_eq!(waiting().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_conversation_keeps_or_forgets_what_it_taught_and_what_waits_because_of_it_goes() {
    for learned in [Learned::Keep, Learned::Forget] {
        let server = ScriptedServer::in_order([
            remembering(&[["user", "lives in", "Porto"]]),
            remembering(&[["user", "works at", "Acme"], ["user", "lives in", "Porto"]]),
            remembering(&[["user", "works at", "Globex"]]),
        ]);
        let agent = Agent::asking(&server).await;
        agent.says("I live in Porto.").await;
        let second = agent.says("I live in Porto and work at Acme.").await;
        agent.says_in(Some(second.conversation()), "I work at Globex.").await;
        assert_eq!(agent.assistant.memory_counts().await.unwrap().review, 1);
        agent.assistant.delete_conversation(second.conversation(), learned).await.unwrap();
        let left = match learned {
            Learned::Keep => vec!["I live in Porto.", "I live in Porto and work at Acme."],
            Learned::Forget => vec!["I live in Porto."],
        };
        assert_eq!(sentences(&agent).await, left);
        assert_eq!(agent.assistant.memory_counts().await.unwrap().review, 0);
    }
}
