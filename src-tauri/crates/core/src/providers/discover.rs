//! Which model servers run on this computer.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::http::Http;
use super::openai::{Connection, OpenAiCompatible};
use super::preset::{Endpoint, Preset};
use super::{ModelInfo, Provider};

/// How long a server may take to list its models. It is on this computer: one that is there answers at once.
const PATIENCE: Duration = Duration::from_millis(400);

/// A server that answered.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalServer {
    /// Where.
    pub endpoint: Endpoint,
    /// What it offers, in its own order; empty for one that has no model yet.
    pub models: Vec<ModelInfo>,
}

impl LocalServer {
    /// What to say of it: "Ollama is running on this computer, with 3 models".
    pub fn title(&self) -> String {
        let name = self.endpoint.display_name();
        match self.models.len() {
            0 => format!("{name} is running on this computer, without a model yet"),
            1 => format!("{name} is running on this computer, with 1 model"),
            many => format!("{name} is running on this computer, with {many} models"),
        }
    }
}

/// The model servers that answer at their usual places.
pub async fn local_servers(http: &Http) -> Vec<LocalServer> {
    discover(http, &usual_places(), PATIENCE).await
}

/// The usual addresses of the servers that people run on their own computer.
fn usual_places() -> Vec<Endpoint> {
    [Preset::Ollama, Preset::LmStudio, Preset::LlamaCpp].map(Preset::endpoint).to_vec()
}

/// Asks all the places at once and returns those that listed their models in time, in the order of the places.
pub async fn discover(http: &Http, places: &[Endpoint], patience: Duration) -> Vec<LocalServer> {
    let answers = join_all(places.iter().map(|place| timeout(patience, ask(http, place)))).await;
    answers.into_iter().filter_map(|answer| answer.ok().flatten()).collect()
}

async fn ask(http: &Http, place: &Endpoint) -> Option<LocalServer> {
    let connection = Connection {
        name: place.display_name(),
        preset: place.preset,
        base_url: place.base_url.clone(),
        key: None,
        timeouts: http.timeouts(place.preset),
    };
    let models = OpenAiCompatible::new(http, connection).ok()?.models().await.ok()?;
    Some(LocalServer { endpoint: place.clone(), models })
}
