//! The built-in model as a provider: starts the engine, then speaks to it as to any OpenAI-compatible server.

use std::path::PathBuf;

use async_trait::async_trait;

use super::engine::{CONTEXT_TOKENS, Engine};
use super::models;
use crate::providers::preset::Preset;
use crate::providers::{
    ChatRequest, ChunkStream, Connection, Http, ModelInfo, OpenAiCompatible, Provider, ProviderError, Timeouts,
};

/// One model of the built-in engine.
#[derive(Clone)]
pub struct BuiltIn {
    engine: Engine,
    http: Http,
    models: PathBuf,
    model: String,
}

impl BuiltIn {
    /// The model with this file name in the folder of models. Nothing is started yet.
    pub fn new(engine: Engine, http: Http, models: PathBuf, model: impl Into<String>) -> Self {
        Self { engine, http, models, model: model.into() }
    }
}

#[async_trait]
impl Provider for BuiltIn {
    fn name(&self) -> &str {
        Preset::BuiltIn.name()
    }

    /// Starts the engine first where it does not run with this model: that may take long.
    async fn stream(&self, request: &ChatRequest) -> Result<ChunkStream, ProviderError> {
        let model = models::file(&self.models, &self.model).await?;
        let address = self.engine.start(model).await?;
        let connection = Connection {
            name: self.name().to_owned(),
            preset: Preset::BuiltIn,
            base_url: address.base_url(),
            key: Some(address.token().clone()),
            timeouts: Timeouts::for_preset(Preset::BuiltIn),
        };
        OpenAiCompatible::new(&self.http, connection)?.stream(request).await
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        let files = models::list(&self.models).await;
        let info = |file: models::LocalModel| ModelInfo {
            id: file.id,
            name: None,
            context_tokens: Some(u64::from(CONTEXT_TOKENS)),
        };
        Ok(files.into_iter().map(info).collect())
    }
}
