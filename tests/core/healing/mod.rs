//! What Atlas does about failures, from the wire to the window: which remedy, what the person is told, what is stored.

mod broken_off;
mod engine;
mod learning;
mod network;
mod rules;
mod shrinking;
mod switching;
mod table;

use atlas_core::assistant::view::health::{HealthEventView, HealthOutcome, HealthQuery};
use atlas_tests::agent::Agent;

/// The timeline, the oldest first: code, what was done, what came of it.
async fn timeline(agent: &Agent) -> Vec<(String, Option<String>, HealthOutcome)> {
    let rows = events(agent).await.into_iter().rev();
    rows.map(|event| (event.code, event.remedy, event.outcome)).collect()
}

/// The timeline, the latest first.
async fn events(agent: &Agent) -> Vec<HealthEventView> {
    let query = HealthQuery { limit: 500, ..HealthQuery::default() };
    agent.assistant.health_events(query).await.expect("a timeline").rows
}
