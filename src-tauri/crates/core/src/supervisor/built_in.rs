//! The built-in model as a provider: starts the engine, then speaks to it as to any OpenAI-compatible server.

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};

use super::engine::{Engine, EngineAddress};
use super::models;
use super::service::InUse;
use crate::home::Home;
use crate::providers::preset::Preset;
use crate::providers::{
    ChatRequest, ChunkStream, Connection, Http, ModelInfo, OpenAiCompatible, Provider, ProviderError,
};

/// One model of the built-in engine.
#[derive(Clone)]
pub struct BuiltIn {
    engine: Engine,
    http: Http,
    home: Home,
    model: String,
}

impl BuiltIn {
    /// The model of this name among those of a home. Nothing is started yet.
    pub fn new(engine: Engine, http: Http, home: Home, model: impl Into<String>) -> Self {
        Self { engine, http, home, model: model.into() }
    }
}

#[async_trait]
impl Provider for BuiltIn {
    fn name(&self) -> &str {
        Preset::BuiltIn.name()
    }

    /// Starts the engine first where it does not run with this model: that may take long. Where the engine ends before
    /// the answer does, the error says how.
    async fn stream(&self, request: &ChatRequest) -> Result<ChunkStream, ProviderError> {
        let in_use = self.engine.in_use();
        let model = models::file(&self.home, &self.model).await?;
        let address = self.engine.start(model).await?;
        let connection = Connection {
            name: self.name().to_owned(),
            preset: Preset::BuiltIn,
            base_url: address.base_url(),
            key: Some(address.token().clone()),
            timeouts: self.http.timeouts(Preset::BuiltIn),
        };
        let asked = Asked { engine: self.engine.clone(), address, _in_use: in_use };
        match OpenAiCompatible::new(&self.http, connection)?.stream(request).await {
            Ok(chunks) => Ok(asked.watch_over(chunks)),
            Err(error) => Err(asked.cause(error).await),
        }
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        let files = models::list(&self.home).await;
        let context_tokens = u64::from(self.engine.tuning().context_tokens);
        let info =
            |file: models::LocalModel| ModelInfo { id: file.id, name: None, context_tokens: Some(context_tokens) };
        Ok(files.into_iter().map(info).collect())
    }
}

/// A request that an engine answers.
struct Asked {
    engine: Engine,
    address: EngineAddress,
    _in_use: InUse,
}

impl Asked {
    /// The answer, with an end of the engine told as what it is.
    fn watch_over(self, chunks: ChunkStream) -> ChunkStream {
        let watched = stream::unfold((self, chunks), async |(asked, mut chunks)| {
            let chunk = match chunks.next().await? {
                Ok(chunk) => Ok(chunk),
                Err(error) => Err(asked.cause(error).await),
            };
            Some((chunk, (asked, chunks)))
        });
        watched.boxed()
    }

    /// What lies behind an error: a connection that broke may be an engine that ended.
    async fn cause(&self, error: ProviderError) -> ProviderError {
        let may_be_its_end =
            matches!(error, ProviderError::Network { .. } | ProviderError::Truncated | ProviderError::Timeout { .. });
        if !may_be_its_end {
            return error;
        }
        self.engine.why_gone(&self.address).await.map_or(error, ProviderError::Engine)
    }
}
