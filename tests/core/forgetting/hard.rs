//! What is easily overlooked: names in other scripts and spellings, and places where nobody looks for memory.

use atlas_core::assistant::view::{ExportFormat, ForgetMessages, ForgetTarget, Learned};
use atlas_tests::agent::{Agent, Heard, oldest};
use atlas_tests::{Gate, Request, Response, ScriptedServer};

use super::traces::{columns_with, database, files_with};
use super::{purged, sentences, untold};

/// Takes the name out of "… is called NAME." and remembers it.
fn by_name(request: &Request) -> Response {
    let said = request.prompt();
    let last = said.rsplit("The person's message:").next().unwrap_or_default().trim();
    let name = last.rsplit_once("is called ").map(|(_, name)| name.trim_end_matches('.'));
    let Some(name) = name else {
        return Response::answer(["All right.\nMEMORY_OPS: {\"facts\":[],\"episode_note\":\"\"}"]);
    };
    let facts = serde_json::json!({
        "facts": [{"subject": "user", "relation": "secret project", "value": name}],
        "episode_note": format!("their project {name}"),
    });
    Response::answer([format!("{name}, then.\n").as_str(), &format!("MEMORY_OPS: {facts}")])
}

/// Names, each with other spellings of it.
const NAMES: &[(&str, &[&str])] = &[
    ("Йошкар-Ола", &["ЙОШКАР-ОЛА", "йошкар-ола", "И\u{306}ошкар-Ола"]),
    ("Ёлка", &["ёлка", "ЕЛКА"]),
    ("Άννα Ζηλωτού", &["ΆΝΝΑ ΖΗΛΩΤΟΎ", "αννα ζηλωτου"]),
    ("Straßenfuchs", &["STRASSENFUCHS", "strassenfuchs"]),
    ("Zoë Quíxotl", &["ZOE QUIXOTL", "Zoe\u{308} Quixotl"]),
    ("葵花籽", &["我叫它葵花籽。", "葵花籽!"]),
    ("가온누리", &["가온누리는 비밀이다"]),
    ("ヒミツ箱", &["ヒミツ箱のこと"]),
    ("โครงการลับ", &["ชื่อโครงการลับ"]),
    ("Quixo 🦎 Lotl", &["quixo 🦎 lotl", "QUIXO LOTL"]),
    ("C3-Quark", &["c3 quark"]),
    ("xqzv", &["XQZV"]),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_forgotten_in_every_script_and_spelling() {
    for (name, spellings) in NAMES {
        let server = ScriptedServer::new(by_name);
        let agent = Agent::asking(&server).await;
        let first = agent.says(&format!("My secret project is called {name}.")).await.conversation();
        for spelling in *spellings {
            agent.says_in(Some(first), &format!("so: {spelling} it is")).await;
        }
        agent.says("Good morning to you").await;
        // Another day: summaries are written.
        let agent = agent.reopened().await;
        let target = ForgetTarget::Subject { name: (*name).to_owned() };
        let preview = agent.assistant.forget_preview(target.clone()).await.unwrap();
        let events = agent.assistant.events();
        agent.assistant.forget(target, ForgetMessages::Forget).await.unwrap();
        let receipt = purged(&agent, events).await;
        assert_eq!(untold(&preview, &receipt), Vec::<String>::new(), "{name}");
        for spelling in spellings.iter().chain([name]) {
            assert_eq!(columns_with(&database(&agent), spelling), Vec::<String>::new(), "{name} as {spelling}");
            assert_eq!(files_with(agent.home.path(), spelling), Vec::<String>::new(), "{name} as {spelling}");
        }
        assert_eq!(agent.assistant.conversations("Good morning").await.unwrap().len(), 1, "{name}: the rest stays");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_a_title_a_draft_and_review_tell_is_forgotten_and_comes_back_with_an_undo() {
    let server = ScriptedServer::new(by_name);
    let agent = Agent::asking(&server).await;
    let other = agent.says("Good morning to you").await.conversation();
    agent.assistant.rename_conversation(other, "A party for Quixolotl").await.unwrap();
    agent.assistant.save_draft(Some(other), "ask quixolotl").await.unwrap();
    let notes = tempfile::tempdir().unwrap();
    let file = notes.path().join("MEMORY.md");
    std::fs::write(&file, "- Quixolotl is a nurse\n- I live in Porto\n").unwrap();
    let plan = agent.assistant.import_preview(&file).await.unwrap();
    agent.assistant.import(&plan.token).await.unwrap();
    let waiting = agent.assistant.review(oldest()).await.unwrap().total;
    assert_eq!(waiting, 2);

    let target = ForgetTarget::Subject { name: "Quixolotl".to_owned() };
    let preview = agent.assistant.forget_preview(target.clone()).await.unwrap();
    assert_eq!(preview.lines, ["1 title", "1 entry in Review", "1 draft"]);
    let changes = agent.assistant.forget(target.clone(), ForgetMessages::Forget).await.unwrap();
    let hidden = |agent: &Agent| {
        let assistant = agent.assistant.clone();
        async move {
            let review = assistant.review(oldest()).await.unwrap().total;
            let titles = assistant.conversations("Quixolotl").await.unwrap().len();
            (
                review,
                titles,
                assistant.draft(Some(other)).await.unwrap(),
                assistant.memory_counts().await.unwrap().review,
            )
        }
    };
    assert_eq!(hidden(&agent).await, (1, 0, String::new(), 1), "it is hidden at once");
    agent.assistant.undo(changes.into_iter().map(|change| change.event).collect()).await.unwrap();
    assert_eq!(hidden(&agent).await, (2, 1, "ask quixolotl".to_owned(), 2), "an undo has all of it back");

    let events = agent.assistant.events();
    agent.assistant.forget(target, ForgetMessages::Forget).await.unwrap();
    let receipt = purged(&agent, events).await;
    assert_eq!(untold(&preview, &receipt), Vec::<String>::new());
    assert_eq!(columns_with(&database(&agent), "quixolotl"), Vec::<String>::new());
    assert_eq!(files_with(agent.home.path(), "quixolotl"), Vec::<String>::new());
    // The same file does not bring it back.
    let plan = agent.assistant.import_preview(&file).await.unwrap();
    agent.assistant.import(&plan.token).await.unwrap();
    assert_eq!(hidden(&agent).await.0, 1);
    assert_eq!(columns_with(&database(&agent), "quixolotl"), Vec::<String>::new());
}

/// Everything that an old export and an export of another program could bring back: short messages, titles, other versions of a
/// summary, and a conversation that was deleted before.
#[tokio::test(flavor = "multi_thread")]
async fn old_exports_do_not_bring_back_what_was_deleted_before_the_forget() {
    let server = ScriptedServer::new(by_name);
    let agent = Agent::asking(&server).await;
    let first = agent.says("My secret project is called Quixolotl.").await.conversation();
    agent.says_in(Some(first), "Quixolotl!").await;
    let second = agent.says("A long story of quixolotl and its friends").await.conversation();
    agent.assistant.rename_conversation(second, "About Quixolotl").await.unwrap();
    let agent = agent.reopened().await;
    let elsewhere = tempfile::tempdir().unwrap();
    let export = elsewhere.path().join("atlas.json");
    agent.assistant.export_memory(ExportFormat::Json, &export).await.unwrap();
    agent.assistant.delete_conversation(second, Learned::Keep).await.unwrap();
    agent.says("Good morning to you").await;

    let events = agent.assistant.events();
    let facts = agent.facts().await.iter().map(|fact| fact.id).collect();
    agent.assistant.forget(ForgetTarget::Facts { ids: facts }, ForgetMessages::Forget).await.unwrap();
    purged(&agent, events).await;
    let claude = elsewhere.path().join("conversations.json");
    let talk = serde_json::json!([{"uuid": "1", "name": "Quixolotl again", "chat_messages": [
        {"sender": "human", "text": "Quixolotl?", "created_at": "2025-03-01T10:00:00Z"},
        {"sender": "human", "text": "Which way is the library, please?", "created_at": "2025-03-01T10:00:00Z"}]}]);
    std::fs::write(&claude, talk.to_string()).unwrap();
    for file in [&export, &claude] {
        let plan = agent.assistant.import_preview(file).await.unwrap();
        let report = agent.assistant.import(&plan.token).await.unwrap();
        assert!(report.notes.iter().any(|note| note.contains("it was forgotten here")), "{report:?}");
    }
    let agent = agent.reopened().await;
    assert_eq!(columns_with(&database(&agent), "quixolotl"), Vec::<String>::new());
    assert_eq!(files_with(agent.home.path(), "quixolotl"), Vec::<String>::new());
    assert_eq!(agent.assistant.conversations("library").await.unwrap().len(), 1, "the rest comes");
}

/// A server that quotes the prompt in its error.
fn quotes(request: &Request) -> Response {
    if request.prompt().contains("fail now") {
        return Response::json(400, serde_json::json!({"error": {"message": "cannot read: Quixolotl is secret"}}));
    }
    by_name(request)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_report_of_a_failure_that_quotes_it_goes_too() {
    let server = ScriptedServer::new(quotes);
    let agent = Agent::asking(&server).await;
    agent.says("My secret project is called Quixolotl.").await;
    agent.says("Please fail now, in another conversation").await;
    assert!(columns_with(&database(&agent), "quixolotl").iter().any(|column| column.starts_with("turns.")));
    let events = agent.assistant.events();
    let target = ForgetTarget::Subject { name: "Quixolotl".to_owned() };
    agent.assistant.forget(target, ForgetMessages::Forget).await.unwrap();
    purged(&agent, events).await;
    assert_eq!(columns_with(&database(&agent), "quixolotl"), Vec::<String>::new());
    assert_eq!(files_with(agent.home.path(), "quixolotl"), Vec::<String>::new());
}

/// An answer that is on its way while all of it is forgotten.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_still_arriving_tells_nothing_afterwards() {
    for messages in [ForgetMessages::Forget, ForgetMessages::Keep] {
        let gate = Gate::new();
        let waits = gate.clone();
        let server = ScriptedServer::new(move |request: &Request| {
            if !request.prompt().trim_end().ends_with("What is my secret project called?") {
                return by_name(request);
            }
            Response::partial(["It is Quixo"]).then_wait(&waits).then(Response::answer(["lotl, as you know.\n"]))
        });
        let agent = Agent::asking(&server).await;
        agent.says("My secret project is called Quixolotl.").await;
        let (sender, mut events) = tokio::sync::mpsc::channel(256);
        agent.assistant.send(None, "What is my secret project called?", sender).await.unwrap();
        let mut heard = Vec::new();
        while !matches!(heard.last(), Some(atlas_core::turn::event::TurnEvent::Delta { .. })) {
            heard.push(events.recv().await.unwrap());
        }
        let erased = agent.assistant.events();
        let target = ForgetTarget::Subject { name: "Quixolotl".to_owned() };
        agent.assistant.forget(target, messages).await.unwrap();
        gate.open();
        let rest = Heard::all(events).await;
        purged(&agent, erased).await;
        if messages == ForgetMessages::Forget {
            assert_eq!(rest.terminal(), "cancelled");
            assert_eq!(columns_with(&database(&agent), "quixolotl"), Vec::<String>::new());
            assert_eq!(files_with(agent.home.path(), "quixolotl"), Vec::<String>::new());
        } else {
            let recalled = agent.assistant.test_recall("What is my secret project Quixolotl?").await.unwrap();
            assert!(!recalled.block.to_lowercase().contains("quixolotl"), "{}", recalled.block);
        }
        assert_eq!(sentences(&agent).await, Vec::<String>::new());
    }
}
