//! A temporary conversation is kept nowhere: no file has a word of it, memory neither reads nor learns, and it is gone at
//! its end.

use std::path::Path;

use atlas_core::assistant::view::Learned;
use atlas_core::store::id::ConversationId;
use atlas_core::turn::event::TurnEvent;
use atlas_tests::agent::{Agent, Heard, oldest};
use atlas_tests::{Response, ScriptedServer};
use tokio::sync::mpsc;

const SENTINEL: &str = "Quixolotl";

/// What a file holds; nothing where it went meanwhile, as SQLite's journals do.
fn content(path: &Path) -> Vec<u8> {
    match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        content => content.unwrap(),
    }
}

fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => files_with(&path, text),
            false => {
                let bytes = content(&path);
                let found = bytes.windows(text.len()).any(|window| window == text.as_bytes());
                found.then(|| path.display().to_string()).into_iter().collect()
            }
        })
        .collect()
}

async fn says(agent: &Agent, conversation: Option<ConversationId>, text: &str) -> Heard {
    let (events, heard) = mpsc::channel(256);
    agent.assistant.send_temporary(conversation, text, events).await.expect("a message that can be sent");
    Heard::all(heard).await
}

fn server() -> ScriptedServer {
    ScriptedServer::always(Response::answer([
        "Quixolotl it is.\n",
        r#"MEMORY_OPS: {"facts":[{"subject":"user","relation":"boat","value":"Quixolotl"}],"episode_note":"Quixolotl"}"#,
    ]))
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_temporary_conversation_is_stored_or_remembered() {
    let server = server();
    let agent = Agent::asking(&server).await;
    agent.assistant.run_command("/remember I live in Tokyo").await.unwrap();
    agent.assistant.save_draft(None, "My boat is Quixolotl").await.unwrap();
    let heard = says(&agent, None, "My boat is called Quixolotl. Where do I live?").await;
    let id = heard.conversation();
    assert_eq!((heard.terminal(), heard.remembered()), ("completed", Vec::new()));
    let Some(TurnEvent::Started { used, .. }) = heard.0.first() else { panic!("{heard:?}") };
    assert_eq!(used, &[], "it reads no memory");
    let prompt = server.requests()[0].prompt();
    assert!(!prompt.contains("Tokyo") && !prompt.contains("MEMORY_OPS"), "{prompt}");

    let again = says(&agent, Some(id), "Remember that my boat is called Quixolotl").await;
    assert_eq!(again.conversation(), id);
    assert!(again.healing()[0].contains("temporary"), "{:?}", again.healing());
    assert!(server.requests()[1].prompt().contains("Where do I live?"), "it knows what was said in it");
    assert!(id.0 < 0, "its number is no stored conversation's");
    assert_eq!(agent.messages(id).await.len(), 4);
    agent.assistant.save_draft(Some(id), "Quixolotl").await.unwrap();
    assert_eq!(agent.assistant.draft(Some(id)).await.unwrap(), "");
    assert_eq!(agent.assistant.draft(None).await.unwrap(), "", "what was typed before the choice is not kept either");
    assert_eq!(agent.assistant.conversations("").await.unwrap(), []);
    assert_eq!(agent.facts().await.len(), 1);
    assert_eq!(agent.assistant.episodes(oldest()).await.unwrap().total, 0);
    assert_eq!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new(), "while it goes on");

    agent.assistant.end_temporary().await;
    let gone = agent.assistant.conversation(id).await.unwrap_err();
    assert_eq!(gone.view().code, "not_found");
    let agent = agent.reopened().await;
    assert_eq!(files_with(agent.home.path(), SENTINEL), Vec::<String>::new());
    assert_eq!(agent.assistant.conversations("").await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_message_is_asked_again_edited_and_explained_like_any_other() {
    let server = server();
    let agent = Agent::asking(&server).await;
    let id = says(&agent, None, "Hello").await.conversation();
    let message = agent.messages(id).await[0].id;
    let (events, heard) = mpsc::channel(256);
    agent.assistant.retry(message, events).await.unwrap();
    let answer = Heard::all(heard).await.answer().expect("an answer").id;
    assert!(agent.assistant.answer_sources(answer).await.is_ok());
    let (events, heard) = mpsc::channel(256);
    agent.assistant.edit_message(message, "Hello again", events).await.unwrap();
    Heard::all(heard).await;
    assert_eq!(agent.messages(id).await[0].text, "Hello again");
    agent.assistant.delete_conversation(id, Learned::Keep).await.unwrap();
    assert!(agent.assistant.conversation(id).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_stored_takes_no_temporary_message() {
    let server = server();
    let agent = Agent::asking(&server).await;
    let stored = agent.says("Hello").await.conversation();
    let (events, _heard) = mpsc::channel(1);
    let refused = agent.assistant.send_temporary(Some(stored), "Quixolotl", events).await.unwrap_err();
    assert_eq!(refused.view().code, "not_temporary");
    assert_eq!(agent.messages(stored).await.len(), 2);
}
