//! Memory: what is remembered, its correction and its end.

use atlas_core::assistant::view::{
    EmbeddingStatus, ErrorView, EventQuery, MemoryCounts, MemoryEventView, MemoryQuery, Page, RecallTest, SubjectCount,
};
use atlas_core::memory::episode::Episode;
use atlas_core::memory::fact::{Fact, FactDraft};
use atlas_core::memory::history::change::{MemoryChange, MemoryRef};
use atlas_core::memory::procedure::Procedure;
use atlas_core::memory::source::MemorySource;
use atlas_core::memory::writing::candidate::Authority;
use atlas_core::memory::writing::review::ReviewItem;
use atlas_core::store::id::{EpisodeId, FactId, MemoryEventId, ProcedureId, ReviewId};
use tauri::State;

use crate::session::Session;

/// A page of facts.
#[tauri::command]
pub async fn facts(query: MemoryQuery, session: State<'_, Session>) -> Result<Page<Fact>, ErrorView> {
    session.assistant().await?.facts(query).await.map_err(|error| error.view())
}

/// A page of episodes.
#[tauri::command]
pub async fn episodes(query: MemoryQuery, session: State<'_, Session>) -> Result<Page<Episode>, ErrorView> {
    session.assistant().await?.episodes(query).await.map_err(|error| error.view())
}

/// A page of procedures.
#[tauri::command]
pub async fn procedures(query: MemoryQuery, session: State<'_, Session>) -> Result<Page<Procedure>, ErrorView> {
    session.assistant().await?.procedures(query).await.map_err(|error| error.view())
}

/// How much is remembered.
#[tauri::command]
pub async fn memory_counts(session: State<'_, Session>) -> Result<MemoryCounts, ErrorView> {
    session.assistant().await?.memory_counts().await.map_err(|error| error.view())
}

/// How far memory can be searched by meaning.
#[tauri::command]
pub async fn embedding_status(session: State<'_, Session>) -> Result<EmbeddingStatus, ErrorView> {
    session.assistant().await?.embedding_status().await.map_err(|error| error.view())
}

/// What memory finds for a question, and what the model would be shown of it.
#[tauri::command]
pub async fn test_recall(question: String, session: State<'_, Session>) -> Result<RecallTest, ErrorView> {
    session.assistant().await?.test_recall(&question).await.map_err(|error| error.view())
}

/// A fact with all that it replaced, newest first.
#[tauri::command]
pub async fn fact_history(id: FactId, session: State<'_, Session>) -> Result<Vec<Fact>, ErrorView> {
    session.assistant().await?.fact_history(id).await.map_err(|error| error.view())
}

/// Puts another label over a fact's words, and other words in their place where `quote` has some.
#[tauri::command]
pub async fn edit_fact(
    id: FactId,
    draft: FactDraft,
    quote: Option<String>,
    session: State<'_, Session>,
) -> Result<MemoryChange, ErrorView> {
    session.assistant().await?.edit_fact(id, draft, quote).await.map_err(|error| error.view())
}

/// Pins a fact, or takes its pin away; null where it was so already.
#[tauri::command]
pub async fn pin_fact(
    id: FactId,
    pinned: bool,
    session: State<'_, Session>,
) -> Result<Option<MemoryChange>, ErrorView> {
    session.assistant().await?.pin_fact(id, pinned).await.map_err(|error| error.view())
}

/// A page of what happened to memory.
#[tauri::command]
pub async fn memory_events(query: EventQuery, session: State<'_, Session>) -> Result<Page<MemoryEventView>, ErrorView> {
    session.assistant().await?.memory_events(query).await.map_err(|error| error.view())
}

/// Whom and what facts are about.
#[tauri::command]
pub async fn subjects(search: String, session: State<'_, Session>) -> Result<Vec<SubjectCount>, ErrorView> {
    session.assistant().await?.subjects(&search).await.map_err(|error| error.view())
}

/// Where a memory came from.
#[tauri::command]
pub async fn memory_source(memory: MemoryRef, session: State<'_, Session>) -> Result<Option<MemorySource>, ErrorView> {
    session.assistant().await?.memory_source(memory).await.map_err(|error| error.view())
}

/// Forgets facts; they can be had back for ten seconds.
#[tauri::command]
pub async fn forget_facts(ids: Vec<FactId>, session: State<'_, Session>) -> Result<Vec<MemoryChange>, ErrorView> {
    session.assistant().await?.forget_facts(ids).await.map_err(|error| error.view())
}

/// Forgets episodes; they can be had back for ten seconds.
#[tauri::command]
pub async fn forget_episodes(ids: Vec<EpisodeId>, session: State<'_, Session>) -> Result<Vec<MemoryChange>, ErrorView> {
    session.assistant().await?.forget_episodes(ids).await.map_err(|error| error.view())
}

/// Forgets procedures; they can be had back for ten seconds.
#[tauri::command]
pub async fn forget_procedures(
    ids: Vec<ProcedureId>,
    session: State<'_, Session>,
) -> Result<Vec<MemoryChange>, ErrorView> {
    session.assistant().await?.forget_procedures(ids).await.map_err(|error| error.view())
}

/// What waits for the person's word, in pages.
#[tauri::command]
pub async fn review(query: MemoryQuery, session: State<'_, Session>) -> Result<Page<ReviewItem>, ErrorView> {
    session.assistant().await?.review(query).await.map_err(|error| error.view())
}

/// Takes candidates over; what they go against gives way to them, or stays beside them.
#[tauri::command]
pub async fn accept_review(
    ids: Vec<ReviewId>,
    keep_both: Option<bool>,
    session: State<'_, Session>,
) -> Result<Vec<MemoryChange>, ErrorView> {
    let authority = if keep_both == Some(true) { Authority::Beside } else { Authority::InPlace };
    session.assistant().await?.accept_review(ids, authority).await.map_err(|error| error.view())
}

/// Puts another wording in a candidate's place.
#[tauri::command]
pub async fn edit_review(
    id: ReviewId,
    draft: FactDraft,
    session: State<'_, Session>,
) -> Result<MemoryChange, ErrorView> {
    session.assistant().await?.edit_review(id, draft).await.map_err(|error| error.view())
}

/// Sends candidates away.
#[tauri::command]
pub async fn dismiss_review(ids: Vec<ReviewId>, session: State<'_, Session>) -> Result<Vec<MemoryChange>, ErrorView> {
    session.assistant().await?.dismiss_review(ids).await.map_err(|error| error.view())
}

/// Takes changes of memory back.
#[tauri::command]
pub async fn undo(events: Vec<MemoryEventId>, session: State<'_, Session>) -> Result<(), ErrorView> {
    session.assistant().await?.undo(events).await.map_err(|error| error.view())
}
