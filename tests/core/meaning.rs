//! Memory is read for its meaning, in the background and with the real models.

use atlas_core::assistant::view::{AppEvent, EmbeddingStatus};
use atlas_tests::agent::{Agent, embedding_models};
use atlas_tests::{Response, ScriptedServer};
use tokio::sync::broadcast;

/// Waits until everything there is has been read.
pub async fn all_read(agent: &Agent, heard: &mut broadcast::Receiver<AppEvent>) -> EmbeddingStatus {
    loop {
        let status = agent.assistant.embedding_status().await.unwrap();
        if status.waiting == 0 && status.total > 0 {
            return status;
        }
        while !matches!(heard.recv().await.unwrap(), AppEvent::Embedding { .. }) {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_is_read_for_its_meaning_soon_after() {
    let Some(models) = embedding_models() else { return };
    let server = ScriptedServer::always(Response::answer(["Good to know."]));
    let agent = Agent::searching_with(models).await;
    let mut heard = agent.assistant.events();
    agent.ask(&server).await;
    agent.says("My sister Mara keeps bees in Lyon").await;
    let status = all_read(&agent, &mut heard).await;
    assert_eq!((status.model.as_str(), status.waiting), ("MiniLM", 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waited_when_atlas_was_closed_is_read_after_the_next_start() {
    let Some(models) = embedding_models() else { return };
    let server = ScriptedServer::always(Response::answer(["Good to know."]));
    let mut agent = Agent::asking(&server).await;
    agent.says("My sister Mara keeps bees in Lyon").await;
    let status = agent.assistant.embedding_status().await.unwrap();
    assert!(status.model.contains("searches its memory by words alone"), "{}", status.model);
    assert_eq!(status.waiting, 0, "nobody is told to wait for what will not come");
    agent.embedding = models;
    let agent = agent.reopened().await;
    let mut heard = agent.assistant.events();
    let status = all_read(&agent, &mut heard).await;
    assert_eq!((status.model.as_str(), status.waiting), ("MiniLM", 0));
}
