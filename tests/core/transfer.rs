//! Memory between Atlas and files: exports, imports, and the memory files in the agent's folder.

use std::fs;
use std::path::{Path, PathBuf};

use atlas_core::assistant::view::{ExportFormat, ImportReport, MemoryFileEdits, WipeScope};
use atlas_core::memory::fact::FactDraft;
use atlas_tests::agent::{Agent, oldest};
use atlas_tests::{Response, ScriptedServer};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/imports").join(name)
}

async fn knowing(sentences: &[&str]) -> Agent {
    let agent = Agent::new().await;
    for sentence in sentences {
        agent.assistant.run_command(&format!("/remember {sentence}")).await.unwrap();
    }
    agent
}

/// The person puts a structure over the newest words.
async fn label(agent: &Agent, [subject, relation, value]: [&str; 3]) {
    let draft = FactDraft { subject: subject.into(), relation: relation.into(), value: value.into() };
    let id = agent.facts().await.last().unwrap().id;
    agent.assistant.edit_fact(id, draft, None).await.unwrap();
}

async fn known(agent: &Agent) -> Vec<String> {
    agent.facts().await.into_iter().map(|fact| fact.quote).collect()
}

/// A memory file in the agent's folder; empty where it is not there.
fn mirror(agent: &Agent, name: &str) -> String {
    fs::read_to_string(agent.home.path().join("agents/atlas").join(name)).unwrap_or_default()
}

fn write_mirror(agent: &Agent, name: &str, text: &str) {
    fs::write(agent.home.path().join("agents/atlas").join(name), text).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_atlas_exports_another_knows() {
    let agent = knowing(&["I live in Porto", "Mara is my sister"]).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.json");
    let report = agent.assistant.export_memory(ExportFormat::Json, &file).await.unwrap();
    assert_eq!((report.facts, report.conversations, report.path.as_str()), (2, 0, file.to_str().unwrap()));
    let other = Agent::new().await;
    let plan = other.assistant.import_preview(&file).await.unwrap();
    assert_eq!((plan.format.as_str(), plan.facts, plan.already_known), ("Atlas export", 2, 0));
    assert_eq!(known(&other).await, Vec::<String>::new());
    let report = other.assistant.import(&plan.token).await.unwrap();
    assert_eq!(report, ImportReport { import: report.import, added: 2, ..ImportReport::default() });
    assert!(report.import.is_some());
    assert_eq!(other.facts().await, agent.facts().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_pages_is_written_beside_what_is_there() {
    let agent = knowing(&["I live in Porto", "Mara is a nurse"]).await;
    label(&agent, ["Mara", "is", "a nurse"]).await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.txt"), "mine").unwrap();
    agent.assistant.export_memory(ExportFormat::Markdown, folder.path()).await.unwrap();
    let page = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(page("USER.md").contains("- 2026-03-02: I live in Porto\n"));
    assert!(page("MEMORY.md").contains("## Mara\n\n- 2026-03-02: Mara is a nurse\n"));
    assert_eq!(page("mine.txt"), "mine");
    let nowhere = folder.path().join("mine.txt/below");
    let error = agent.assistant.export_memory(ExportFormat::Json, &nowhere).await.unwrap_err();
    assert_eq!(error.view().code, "not_written");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_programs_conversations_come_and_what_they_say_waits() {
    let agent = Agent::new().await;
    let plan = agent.assistant.import_preview(&fixture("chatgpt.json")).await.unwrap();
    assert_eq!((plan.format.as_str(), plan.conversations, plan.messages), ("ChatGPT export", 2, 4));
    let report = agent.assistant.import(&plan.token).await.unwrap();
    assert_eq!((report.conversations, report.added), (2, 0));
    assert_eq!(known(&agent).await, Vec::<String>::new());
    let waiting = agent.assistant.review(oldest()).await.unwrap();
    assert_eq!(i64::from(report.review), waiting.total);
    let braga = waiting.rows.iter().find(|row| row.quote == "Lives in Braga.").unwrap();
    assert_eq!(braga.source_title.as_deref(), Some("ChatGPT memories"));
    let again = agent.assistant.import_preview(&fixture("chatgpt.json")).await.unwrap();
    assert_eq!((again.conversations, again.messages, again.facts), (0, 0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forgotten_does_not_come_back_with_an_old_export() {
    let agent = knowing(&["My passphrase is zebrafink", "I live in Porto"]).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("memory.json");
    agent.assistant.export_memory(ExportFormat::Json, &file).await.unwrap();
    let id = agent.facts().await[0].id;
    agent.assistant.forget_facts(vec![id]).await.unwrap();
    agent.clock.advance(std::time::Duration::from_secs(60));
    let agent = agent.reopened().await;
    let plan = agent.assistant.import_preview(&file).await.unwrap();
    let report = agent.assistant.import(&plan.token).await.unwrap();
    assert_eq!((report.added, report.already_known, report.notes.len()), (0, 1, 1));
    assert_eq!(known(&agent).await, ["I live in Porto"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_files_mirror_what_is_known_and_stay_the_same_bytes() {
    let server = ScriptedServer::always(Response::answer(["Fine."]));
    let agent = knowing(&["I live in Porto", "Mara is a nurse"]).await;
    label(&agent, ["Mara", "is", "a nurse"]).await;
    assert_eq!(mirror(&agent, "USER.md"), "");
    let agent = agent.reopened().await;
    assert!(mirror(&agent, "USER.md").ends_with("\n- 2026-03-02: I live in Porto\n"));
    assert!(mirror(&agent, "MEMORY.md").contains("- 2026-03-02: Mara is a nurse\n"));
    let (user, memory) = (mirror(&agent, "USER.md"), mirror(&agent, "MEMORY.md"));
    let agent = agent.reopened().await;
    assert_eq!((mirror(&agent, "USER.md"), mirror(&agent, "MEMORY.md")), (user, memory));
    assert_eq!(agent.assistant.memory_file_edits().await.unwrap(), None);
    agent.ask(&server).await;
    agent.assistant.run_command("/remember I drink tea").await.unwrap();
    agent.says("Hello there, how are you?").await;
    let agent = agent.reopened().await;
    assert!(mirror(&agent, "USER.md").contains("I drink tea"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_memory_file_is_noticed_kept_and_done_when_the_person_says_so() {
    let agent = knowing(&["I live in Porto", "I drink tea"]).await.reopened().await;
    let edited = mirror(&agent, "USER.md").replace("- 2026-03-02: I drink tea\n", "- I speak Basque\n");
    write_mirror(&agent, "USER.md", &edited);
    agent.clock.advance(std::time::Duration::from_secs(60));
    agent.assistant.run_command("/remember I like jazz").await.unwrap();
    let agent = agent.reopened().await;
    assert_eq!(mirror(&agent, "USER.md"), edited, "nothing is written over it");
    let edits = agent.assistant.memory_file_edits().await.unwrap();
    assert_eq!(
        edits,
        Some(MemoryFileEdits {
            files: vec!["USER.md".to_owned()],
            added: vec!["I speak Basque".to_owned()],
            removed: vec!["I drink tea".to_owned()],
        })
    );
    agent.assistant.accept_memory_file_edits().await.unwrap();
    assert_eq!(known(&agent).await, ["I live in Porto", "I like jazz", "I speak Basque"]);
    assert_eq!(agent.assistant.memory_file_edits().await.unwrap(), None);
    assert!(mirror(&agent, "USER.md").contains("I speak Basque"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_is_dismissed_is_written_over() {
    let agent = knowing(&["I live in Porto"]).await.reopened().await;
    let before = mirror(&agent, "USER.md");
    write_mirror(&agent, "USER.md", "# Mine\n\n- I live in Oslo\n");
    assert!(agent.assistant.memory_file_edits().await.unwrap().is_some());
    agent.assistant.dismiss_memory_file_edits().await.unwrap();
    assert_eq!(mirror(&agent, "USER.md"), before);
    assert_eq!(known(&agent).await, ["I live in Porto"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_leaves_the_memory_files_too_edited_or_not() {
    let agent = knowing(&["My passphrase is zebrafink", "Mara is a nurse"]).await;
    label(&agent, ["Mara", "is", "a nurse"]).await;
    let agent = agent.reopened().await;
    write_mirror(&agent, "USER.md", &format!("{}- I speak Basque\n", mirror(&agent, "USER.md")));
    assert!(mirror(&agent, "USER.md").contains("zebrafink"));
    let facts = agent.facts().await;
    let ids = facts.iter().map(|fact| fact.id).collect();
    agent.assistant.forget_facts(ids).await.unwrap();
    agent.clock.advance(std::time::Duration::from_secs(60));
    let agent = agent.reopened().await;
    assert!(!mirror(&agent, "USER.md").contains("zebrafink"));
    assert!(!mirror(&agent, "MEMORY.md").contains("nurse"));
    let edits = agent.assistant.memory_file_edits().await.unwrap().unwrap();
    assert_eq!((edits.added, edits.removed), (vec!["I speak Basque".to_owned()], vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wipe_takes_the_memory_files() {
    let agent = knowing(&["I live in Porto"]).await.reopened().await;
    agent.assistant.wipe(WipeScope::Everything).await.unwrap();
    let agent = agent.reopened().await;
    assert_eq!(mirror(&agent, "USER.md"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_files_are_written_when_memory_changed_and_not_otherwise() {
    let agent = knowing(&["I live in Porto", "Mara is a nurse"]).await;
    label(&agent, ["Mara", "is", "a nurse"]).await;
    let agent = agent.reopened().await;
    let written = |agent: &Agent| {
        let path = atlas_core::home::Home::at(agent.home.path()).agent(atlas_core::home::AGENT).join("USER.md");
        std::fs::metadata(path).unwrap().modified().unwrap()
    };
    let first = written(&agent);
    let agent = agent.reopened().await;
    assert_eq!(written(&agent), first);
    let id = agent.facts().await[0].id;
    agent.assistant.pin_fact(id, true).await.unwrap();
    agent.assistant.run_command("/remember I drink tea").await.unwrap();
    let agent = agent.reopened().await;
    assert!(mirror(&agent, "USER.md").contains("I drink tea"));
    // A file that somebody removed is there again.
    std::fs::remove_file(agent.home.path().join("agents/atlas/MEMORY.md")).unwrap();
    let agent = agent.reopened().await;
    assert!(mirror(&agent, "MEMORY.md").contains("Mara is a nurse"));
}
