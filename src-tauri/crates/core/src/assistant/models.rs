//! Services and their models: which there are, whether they answer, and the one that turns use.

use std::sync::Arc;

use super::settings::normal_endpoint;
use super::view::{ConnectionTest, Found};
use super::{Assistant, Error};
use crate::healing::{Failure, FailureKind, Phase, classify};
use crate::keychain::KeyPlace;
use crate::providers::discover::{self, LocalServer};
use crate::providers::openai::{Connection, OpenAiCompatible};
use crate::providers::preset::{Endpoint, KeyNeed, Preset};
use crate::providers::secret::Secret;
use crate::providers::{ChatMessage, ChatRequest, ChatRole, Chunk, ModelInfo, Provider};
use crate::settings::Settings;
use crate::supervisor::{BuiltIn, models};

impl Assistant {
    /// The provider that the settings name, or why there is none.
    pub(super) async fn provider(&self, settings: &Settings) -> Result<Arc<dyn Provider>, FailureKind> {
        let endpoint = settings.endpoint.as_ref().ok_or(FailureKind::NotSetUp)?;
        self.provider_at(endpoint, &settings.model).await
    }

    /// Starts the built-in engine where it is the one that will be asked, so that the first answer does not wait for it.
    /// No model is asked anything. What hinders it is told by the turn that needs it.
    pub(super) fn warm_up(self: &Arc<Self>) {
        let settings = self.settings_in_force();
        if settings.endpoint.as_ref().is_none_or(|endpoint| endpoint.preset != Preset::BuiltIn) {
            return;
        }
        let (engine, home) = (self.engine.clone(), self.home.clone());
        tokio::spawn(async move {
            if let Ok(file) = models::file(&home, &settings.model).await {
                let _ = engine.start(file).await;
            }
        });
    }

    pub(super) async fn provider_at(&self, endpoint: &Endpoint, model: &str) -> Result<Arc<dyn Provider>, FailureKind> {
        if endpoint.preset == Preset::BuiltIn {
            return Ok(Arc::new(BuiltIn::new(self.engine.clone(), self.http.clone(), self.home.clone(), model)));
        }
        let connection = Connection {
            name: endpoint.display_name(),
            preset: endpoint.preset,
            base_url: endpoint.base_url.clone(),
            key: self.key_for(endpoint).await?,
            timeouts: self.http.timeouts(endpoint.preset),
        };
        let provider = OpenAiCompatible::new(&self.http, connection).map_err(|error| classify(&error))?;
        Ok(Arc::new(provider))
    }

    /// A service's key. A keychain that cannot be asked is a failure where the service cannot do without a key.
    async fn key_for(&self, endpoint: &Endpoint) -> Result<Option<Secret>, FailureKind> {
        let need = endpoint.preset.key_need();
        if need == KeyNeed::None {
            return Ok(None);
        }
        let key = match self.keys.key_for(endpoint).await {
            Ok(found) => found.map(|(key, _)| key),
            Err(error) if need == KeyNeed::Required => return Err(FailureKind::Keychain(error)),
            Err(_) => None,
        };
        if key.is_none() && need == KeyNeed::Required {
            return Err(FailureKind::NoKey);
        }
        Ok(key)
    }

    /// The models that a service offers.
    pub async fn models(&self, endpoint: Endpoint) -> Result<Vec<ModelInfo>, Error> {
        let endpoint = normal_endpoint(endpoint)?;
        if endpoint.preset == Preset::BuiltIn {
            let files = self.local_models().await;
            return Ok(files
                .into_iter()
                .filter(|file| !file.missing)
                .map(|file| ModelInfo { id: file.id, name: None, context_tokens: None })
                .collect());
        }
        let provider = self.provider_at(&endpoint, "").await.map_err(|kind| failed(&endpoint, "", kind))?;
        provider.models().await.map_err(|error| failed(&endpoint, "", classify(&error)))
    }

    /// Asks a model for one word, and says plainly what is wrong where it does not answer.
    pub async fn test_connection(&self, endpoint: Endpoint, model: &str) -> ConnectionTest {
        let began = self.clock.now();
        match self.ask_for_a_word(&endpoint, model).await {
            Ok(()) => {
                let seconds = (self.clock.now() - began).num_milliseconds() as f64 / 1000.0;
                let in_clear = self.sends_key_in_clear(&endpoint).await;
                let warning =
                    if in_clear { " The key travels unencrypted to this address: use https:// if it can." } else { "" };
                ConnectionTest::Works { message: format!("{model} answered in {seconds:.1} s.{warning}") }
            }
            Err(kind) => {
                let failure =
                    Failure { kind, provider: endpoint.display_name(), model: model.to_owned(), phase: Phase::Asking };
                ConnectionTest::Fails { failure: failure.view() }
            }
        }
    }

    async fn sends_key_in_clear(&self, endpoint: &Endpoint) -> bool {
        endpoint.sends_key_in_clear() && self.keys.key_for(endpoint).await.is_ok_and(|key| key.is_some())
    }

    async fn ask_for_a_word(&self, endpoint: &Endpoint, model: &str) -> Result<(), FailureKind> {
        use futures_util::StreamExt;

        let endpoint = endpoint.clone().normalized().map_err(|_| FailureKind::BadAddress)?;
        let provider = self.provider_at(&endpoint, model).await?;
        let request = ChatRequest {
            model: model.to_owned(),
            messages: vec![ChatMessage { role: ChatRole::User, content: "Reply with the word: ready".to_owned() }],
            temperature: None,
            max_tokens: Some(16),
            schema: None,
            logprobs: None,
        };
        let mut chunks = provider.stream(&request).await.map_err(|error| classify(&error))?;
        while let Some(chunk) = chunks.next().await {
            match chunk.map_err(|error| classify(&error))? {
                Chunk::Text(_) | Chunk::Reasoning(_) | Chunk::Finish(_) => return Ok(()),
                Chunk::Usage(_) | Chunk::Tokens(_) => {}
            }
        }
        Err(FailureKind::EmptyAnswer)
    }

    /// What this computer offers at the first run: servers that answer, keys that are there, the built-in engine.
    pub async fn discover(&self) -> Vec<Found> {
        let servers = discover::local_servers(&self.http).await;
        let mut found: Vec<Found> = servers.into_iter().map(found_server).collect();
        for preset in [Preset::OpenRouter, Preset::OpenAi] {
            found.extend(self.found_key(preset).await);
        }
        found.extend(self.found_engine().await);
        found
    }

    async fn found_key(&self, preset: Preset) -> Option<Found> {
        let (view, endpoint) = (preset.view(), preset.endpoint());
        let (_, place) = self.keys.key_for(&endpoint).await.ok().flatten()?;
        let source = match place {
            KeyPlace::Keychain => "your key is in the keychain",
            KeyPlace::Session => "you entered a key for this session",
            KeyPlace::Environment => "a key is in the environment",
        };
        Some(Found {
            title: format!("{}: {source}", view.name),
            model: view.default_model,
            endpoint,
            key_from_environment: place == KeyPlace::Environment,
        })
    }

    async fn found_engine(&self) -> Option<Found> {
        if !self.engine.is_installed() {
            return None;
        }
        let model = self.local_models().await.into_iter().find(|model| !model.missing)?;
        Some(Found {
            endpoint: Preset::BuiltIn.endpoint(),
            title: "The built-in model: on this computer, without an account".to_owned(),
            model: model.id,
            key_from_environment: false,
        })
    }
}

fn found_server(server: LocalServer) -> Found {
    let title = server.title();
    let model = server.models.first().map(|model| model.id.clone()).unwrap_or_default();
    Found { title, model, endpoint: server.endpoint, key_from_environment: false }
}

fn failed(endpoint: &Endpoint, model: &str, kind: FailureKind) -> Error {
    Error::Provider(
        Failure { kind, provider: endpoint.display_name(), model: model.to_owned(), phase: Phase::Asking }.view(),
    )
}
