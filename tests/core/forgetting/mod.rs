//! Forgetting is real: what was forgotten is on no disk, in no index and in no answer, and does not come back by itself.

mod hard;
mod targets;
pub mod traces;

use std::time::Duration;

use atlas_core::assistant::view::{
    AppEvent, ErasureReceipt, ExportFormat, ForgetMessages, ForgetPreview, ForgetTarget,
};
use atlas_core::home::{AGENT, Home};
use atlas_core::memory::conversation::MessageState;
use atlas_core::memory::fact::{FactDraft, Origin};
use atlas_core::memory::writing::gate::{self, Candidate, Decision, Refusal, Rules, Source};
use atlas_core::settings::MemoryWriting;
use atlas_core::store::Store;
use atlas_core::store::id::ConversationId;
use atlas_core::turn::event::TurnEvent;
use atlas_tests::agent::{Agent, Heard, embedding_models, oldest};
use atlas_tests::{Request, Response, ScriptedServer};
use tokio::sync::broadcast::Receiver;

use self::traces::{Vectors, columns_with, database, files_with, terms_with, without_a_passage};
use crate::meaning::all_read;

/// A word that stands nowhere else, and a part of it that no index may keep either.
const SENTINEL: &str = "Quixolotl";
const PART: &str = "uixolot";
/// What the index finds it by.
const STEM: &str = "quixolotl";

/// What a model makes of what the person says about the project.
fn answer(request: &Request) -> Response {
    let said = request.prompt();
    let fact = |subject: &str, relation: &str, value: &str| {
        format!(r#"{{"subject":"{subject}","relation":"{relation}","value":"{value}"}}"#)
    };
    let last = said.rsplit("The person's message:").next().unwrap_or_default().trim_end();
    let (text, facts, note) = if last.ends_with(&format!("secret project is called {SENTINEL}.")) {
        (
            format!("{SENTINEL}, a fine name."),
            vec![fact("user", "secret project", SENTINEL)],
            format!("their project {SENTINEL}"),
        )
    } else if last.ends_with(&format!("{SENTINEL} begins in May.")) {
        (
            format!("{SENTINEL} in May, then."),
            vec![fact(SENTINEL, "begins in", "May")],
            format!("when {SENTINEL} begins"),
        )
    } else if last.ends_with(&format!("What do you know of {SENTINEL}?")) {
        (format!("I know of {SENTINEL}."), vec![], format!("asked about {SENTINEL}"))
    } else if last.ends_with("Good evening") {
        ("Good evening.".to_owned(), vec![], String::new())
    } else {
        // It tries to bring back what it once heard.
        let heard = format!("My secret project is called {SENTINEL}");
        (
            "All right.".to_owned(),
            vec![format!(
                r#"{{"about":"user","relation":"secret project","value":"{SENTINEL}","quote":"{heard}","stance":"states"}}"#
            )],
            format!("about {SENTINEL}, once more"),
        )
    };
    Response::answer([
        format!("{text}\n").as_str(),
        &format!(r#"MEMORY_OPS: {{"facts":[{}],"episode_note":"{note}"}}"#, facts.join(",")),
    ])
}

/// Tells of the project in many ways and of other things too. The conversations.
async fn tell_of_it(agent: &Agent) -> [ConversationId; 2] {
    let first = agent.says(&format!("My secret project is called {SENTINEL}.")).await.conversation();
    agent.says_in(Some(first), &format!("{SENTINEL} begins in May.")).await;
    let second = agent.says(&format!("What do you know of {SENTINEL}?")).await;
    let asked = agent.messages(second.conversation()).await[0].id;
    let (events, heard) = tokio::sync::mpsc::channel(256);
    agent.assistant.retry(asked, events).await.unwrap();
    Heard::all(heard).await;
    let second = second.conversation();
    agent.says_in(Some(second), &format!("Remember that {SENTINEL} is painted green")).await;
    agent.says_in(Some(second), "Remember that I live in Tokyo").await;
    agent.assistant.run_command(&format!("/remember My sister paints {SENTINEL} at night")).await.unwrap();
    let edited = agent.facts().await[0].clone();
    let draft =
        FactDraft { value: format!("{SENTINEL} the Second"), subject: edited.subject, relation: edited.relation };
    let change = agent.assistant.edit_fact(edited.id, draft, None).await.unwrap();
    agent.assistant.undo(vec![change.event]).await.unwrap();
    agent.assistant.pin_fact(agent.facts().await[0].id, true).await.unwrap();
    agent.assistant.rename_conversation(second, &format!("{SENTINEL} and Tokyo")).await.unwrap();
    agent.assistant.save_draft(Some(second), &format!("is {SENTINEL} dry?")).await.unwrap();
    [first, second]
}

/// Lets the time for an undo pass, and waits for the receipt.
async fn purged(agent: &Agent, mut events: Receiver<AppEvent>) -> ErasureReceipt {
    agent.clock.advance(Duration::from_secs(60));
    // Any turn takes up what is owed.
    agent.says("Good evening").await;
    loop {
        if let AppEvent::Erased { receipt } = events.recv().await.unwrap() {
            return receipt;
        }
    }
}

async fn sentences(agent: &Agent) -> Vec<String> {
    agent.facts().await.into_iter().map(|fact| fact.quote).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forgotten_with_its_messages_is_nowhere_and_does_not_come_back() {
    let server = ScriptedServer::new(answer);
    let agent = Agent::asking(&server).await;
    it_is_forgotten_for_good(agent).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forgotten_with_its_messages_is_in_no_vector_either() {
    let Some(models) = embedding_models() else { return };
    let server = ScriptedServer::new(answer);
    let agent = Agent::searching_with(models).await;
    agent.ask(&server).await;
    it_is_forgotten_for_good(agent).await;
}

/// Waits until all that there is has been read for its meaning, where there are models to read it.
async fn read(agent: &Agent) {
    if agent.embedding.transformer().is_ok() {
        let mut heard = agent.assistant.events();
        all_read(agent, &mut heard).await;
    }
}

async fn it_is_forgotten_for_good(agent: Agent) {
    let has_models = agent.embedding.transformer().is_ok();
    tell_of_it(&agent).await;
    // Another day: summaries are written.
    let agent = agent.reopened().await;
    read(&agent).await;
    let vectors = Vectors::of(&database(&agent), STEM);
    assert_eq!(vectors.count() > 20, has_models, "{}", vectors.count());
    assert!(columns_with(&database(&agent), SENTINEL).iter().any(|column| column.starts_with("episodes.text")));
    let backups = traces::folder(&agent).join("backups");
    std::fs::create_dir(&backups).unwrap();
    std::fs::write(backups.join("before-version-2.db"), format!("an old copy with {SENTINEL} in it")).unwrap();
    std::fs::write(traces::folder(&agent).join("MEMORY.md.new"), format!("half a file with {SENTINEL} in it")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let export = elsewhere.path().join("atlas.json");
    agent.assistant.export_memory(ExportFormat::Json, &export).await.unwrap();
    assert_ne!(files_with(elsewhere.path(), SENTINEL), Vec::<String>::new());

    let target = ForgetTarget::Subject { name: SENTINEL.to_owned() };
    let preview = agent.assistant.forget_preview(target.clone()).await.unwrap();
    assert!(preview.facts >= 4 && preview.episodes >= 4 && preview.message_count >= 7, "{preview:#?}");
    let events = agent.assistant.events();
    agent.assistant.forget(target, ForgetMessages::Forget).await.unwrap();
    assert_eq!(sentences(&agent).await, ["I live in Tokyo"], "it is hidden at once");
    assert_eq!(agent.assistant.conversations(SENTINEL).await.unwrap(), [], "its title too");

    let receipt = purged(&agent, events).await;
    assert_eq!(untold(&preview, &receipt), Vec::<String>::new());
    assert_eq!(agent.assistant.receipts().await.unwrap()[0], receipt);
    it_is_nowhere(&agent, "while Atlas runs");
    vectors.are_gone(&agent);
    assert_eq!(std::fs::read_dir(&backups).unwrap().count(), 1, "a fresh backup stands in the place of the old one");

    let agent = agent.reopened().await;
    it_is_nowhere(&agent, "after the next start");
    assert_eq!(sentences(&agent).await, ["I live in Tokyo"]);
    nothing_recalls_it(&agent).await;

    // Extracting again, from what is left and by a model that still has it in mind.
    agent.choose(|settings| settings.memory_writing = Some(MemoryWriting::SecondCall)).await;
    agent.says("And how are you today, my friend?").await;
    let agent = agent.reopened().await;
    agent.choose(|settings| settings.memory_writing = Some(MemoryWriting::InBand)).await;
    assert_eq!(sentences(&agent).await, ["I live in Tokyo"]);
    it_is_nowhere(&agent, "after facts were taken again from what is left");

    let plan = agent.assistant.import_preview(&export).await.unwrap();
    agent.assistant.import(&plan.token).await.unwrap();
    assert_eq!(sentences(&agent).await, ["I live in Tokyo"], "an old export does not bring it back");
    let agent = agent.reopened().await;
    read(&agent).await;
    it_is_nowhere(&agent, "after the import of an old export");
    vectors.are_gone(&agent);
    nothing_recalls_it(&agent).await;

    let agent = an_import_does_not_bring_it_back(agent).await;
    it_is_nowhere(&agent, "after a model proposed it again");

    agent.clock.advance(Duration::from_secs(60));
    agent.says(&format!("My secret project is called {SENTINEL}.")).await;
    assert_eq!(sentences(&agent).await.len(), 2, "saying it again does: {:?}", sentences(&agent).await);
}

/// No file, no column, no index and no vector has it.
fn it_is_nowhere(agent: &Agent, when: &str) {
    assert_eq!(files_with(agent.home.path(), PART), Vec::<String>::new(), "{when}");
    let conn = database(agent);
    assert_eq!(columns_with(&conn, PART), Vec::<String>::new(), "{when}");
    assert_eq!(terms_with(&conn, &["quix", "qui", "uix", "ixo", "xol"]), Vec::<String>::new(), "{when}");
    assert_eq!(without_a_passage(&conn), Vec::<String>::new(), "{when}");
}

/// What a preview told that did not go, where the messages were forgotten too, and what went that it did not tell.
fn untold(preview: &ForgetPreview, receipt: &ErasureReceipt) -> Vec<String> {
    let messages = match preview.message_count {
        0 => None,
        1 => Some("1 message".to_owned()),
        many => Some(format!("{many} messages")),
    };
    let told: Vec<&String> = preview.lines.iter().chain(&preview.with_messages).chain(&messages).collect();
    // Prompts are kept to answer why an answer was given: no memory of the person's.
    let went: Vec<&String> = receipt.lines.iter().filter(|line| !line.contains("kept prompt")).collect();
    let untold = went.iter().filter(|line| !told.contains(line)).map(|line| format!("not told: {line}"));
    let left = told.iter().filter(|line| !went.contains(line)).map(|line| format!("did not go: {line}"));
    untold.chain(left).collect()
}

/// Twenty questions that once had it as their answer.
async fn nothing_recalls_it(agent: &Agent) {
    for question in [
        "What is my secret project called?",
        "Do you know the name of my project?",
        "Which project am I hiding?",
        "What do I work on in secret?",
        "What begins in May?",
        "When does my project begin?",
        "What happens in spring?",
        "What is painted green?",
        "Which colour has my project?",
        "What does my sister paint?",
        "What is going on at night?",
        "What does my sister do in the evenings?",
        "What did I ask you about last time?",
        "What have we talked about?",
        "What did I tell you first?",
        "Tell me everything about my projects.",
        "What was that fine name again?",
        "What is dry?",
        "Wie heißt mein geheimes Projekt?",
        "我的秘密项目叫什么？",
    ] {
        let heard = agent.says(question).await;
        let Some(TurnEvent::Started { used, .. }) = heard.0.first() else { panic!("{heard:?}") };
        assert!(used.iter().all(|used| !used.sentence.contains(SENTINEL)), "{question}: {used:?}");
        let answer = heard.answer().expect("an answer").id;
        let block = agent.assistant.answer_sources(answer).await.unwrap().prompt_block;
        assert!(!block.contains(SENTINEL), "{question}: {block}");
    }
}

/// An old export, or any model that is asked about old texts, proposes it again.
async fn an_import_does_not_bring_it_back(agent: Agent) -> Agent {
    let Agent { home, clock, keychain, embedding, engine, reach, assistant } = agent;
    assistant.close().await;
    while std::sync::Arc::strong_count(&assistant) > 1 {
        tokio::task::yield_now().await;
    }
    drop(assistant);
    let store = loop {
        match Store::open(&Home::at(home.path()).agent(AGENT)).await {
            Ok(store) => break store,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    let now = atlas_core::clock::Clock::local_now(clock.as_ref());
    let decided = store
        .write(move |tx| {
            let text = format!("My secret project is called {SENTINEL}.");
            let candidate = |relation: &str, origin| {
                let draft = FactDraft { subject: "user".into(), relation: relation.into(), value: SENTINEL.into() };
                Candidate::bare(draft, origin, 0.9, "a test")
            };
            let all = [
                candidate("secret project", Origin::Imported),
                candidate("hidden plan", Origin::Imported),
                candidate("secret project", Origin::Inferred),
            ];
            let source = Source::of_text(&text, now);
            gate::consider(tx, &all, &source, &Rules { sealed: &[], agent: "Atlas", now })
        })
        .await
        .unwrap();
    assert_eq!(decided, vec![Decision::Refused(Refusal::Forgotten); 3]);
    drop(store);
    let agent = Agent { home, clock, keychain, embedding, engine, reach, assistant: Agent::new().await.assistant };
    agent.reopened().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forget_that_is_undone_brings_all_of_it_back() {
    let server = ScriptedServer::new(answer);
    let agent = Agent::asking(&server).await;
    let [first, second] = tell_of_it(&agent).await;
    let (facts, messages) = (sentences(&agent).await, agent.messages(first).await);
    let target = ForgetTarget::Subject { name: SENTINEL.to_owned() };
    let changes = agent.assistant.forget(target, ForgetMessages::Forget).await.unwrap();
    assert!(
        agent
            .messages(first)
            .await
            .iter()
            .all(|message| message.state == MessageState::Forgotten && message.text.is_empty())
    );
    agent.assistant.undo(changes.into_iter().map(|change| change.event).collect()).await.unwrap();
    assert_eq!((sentences(&agent).await, agent.messages(first).await), (facts, messages));
    agent.clock.advance(Duration::from_secs(60));
    let agent = agent.reopened().await;
    assert_eq!(agent.messages(second).await[0].text, format!("What do you know of {SENTINEL}?"));
    assert_eq!(agent.assistant.receipts().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_are_kept_are_readable_and_teach_nothing_any_more() {
    let server = ScriptedServer::new(answer);
    let agent = Agent::asking(&server).await;
    let conversation = agent.says(&format!("My secret project is called {SENTINEL}.")).await.conversation();
    let facts = agent.facts().await.iter().map(|fact| fact.id).collect();
    let events = agent.assistant.events();
    agent.assistant.forget(ForgetTarget::Facts { ids: facts }, ForgetMessages::Keep).await.unwrap();
    let receipt = purged(&agent, events).await;
    assert_eq!(receipt.lines, ["1 fact", "1 note", "1 kept prompt"]);
    let messages = agent.messages(conversation).await;
    assert!(messages.iter().all(|message| message.text.contains(SENTINEL)), "{messages:?}");
    // Asking again for the answer makes the model propose it again.
    let (events, heard) = tokio::sync::mpsc::channel(256);
    agent.assistant.retry(messages[0].id, events).await.unwrap();
    Heard::all(heard).await;
    assert_eq!(sentences(&agent).await, Vec::<String>::new());
    let heard = agent.says("What is my secret project called?").await;
    let Some(TurnEvent::Started { used, .. }) = heard.0.first() else { panic!("{heard:?}") };
    assert!(used.iter().all(|used| !used.sentence.contains(SENTINEL)), "{used:?}");
    let agent = agent.reopened().await;
    let episodes = agent.assistant.episodes(oldest()).await.unwrap().rows;
    assert!(episodes.iter().all(|episode| !episode.text.contains(SENTINEL)), "{episodes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_of_which_nothing_is_left_goes() {
    let server = ScriptedServer::new(answer);
    let agent = Agent::asking(&server).await;
    let [first, second] = tell_of_it(&agent).await;
    let events = agent.assistant.events();
    agent.assistant.forget(ForgetTarget::Conversation { id: first }, ForgetMessages::Forget).await.unwrap();
    purged(&agent, events).await;
    let left: Vec<_> = agent.assistant.conversations("").await.unwrap().into_iter().map(|one| one.id).collect();
    assert!(!left.contains(&first) && left.contains(&second), "{left:?}");
    assert!(sentences(&agent).await.iter().all(|sentence| !sentence.contains("secret project")));
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_forgotten_at_once() {
    let server = ScriptedServer::new(answer);
    let agent = Agent::asking(&server).await;
    tell_of_it(&agent).await;
    let events = agent.assistant.events();
    agent.assistant.forget(ForgetTarget::Everything, ForgetMessages::Forget).await.unwrap();
    assert_eq!(sentences(&agent).await, Vec::<String>::new());
    purged(&agent, events).await;
    assert_eq!(files_with(agent.home.path(), PART), Vec::<String>::new());
    assert_eq!(files_with(agent.home.path(), "Tokyo"), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purge_that_a_crash_cut_short_is_finished_at_the_next_start() {
    let server = ScriptedServer::new(answer);
    let agent = Agent::asking(&server).await;
    tell_of_it(&agent).await;
    let target = ForgetTarget::Subject { name: SENTINEL.to_owned() };
    agent.assistant.forget(target, ForgetMessages::Forget).await.unwrap();
    agent.clock.advance(Duration::from_secs(60));
    let agent = agent.reopened().await;
    assert_eq!(agent.assistant.receipts().await.unwrap().len(), 1);
    assert_eq!(files_with(agent.home.path(), PART), Vec::<String>::new());
}
