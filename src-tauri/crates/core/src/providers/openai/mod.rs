//! The OpenAI-compatible chat API over HTTP, as OpenRouter, OpenAI, Ollama, LM Studio, llama.cpp and many others speak it.

use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};
use tokio::time::{Instant, timeout, timeout_at};

use super::address;
use super::error::{ErrorBody, ProviderError, TimeoutPhase};
use super::http::{self, Http};
use super::preset::{KeyNeed, Preset};
use super::secret::Secret;
use super::timeouts::Timeouts;
use super::{ChatRequest, ChunkStream, ModelInfo, Provider};

mod answer;
mod models;
mod request;
mod stream;

/// The longest error body that is read, in bytes.
const LONGEST_ERROR: usize = 64 * 1024;

/// How long the body of an error may take, once its head is here.
const ERROR_BODY: Duration = Duration::from_secs(10);

/// How long the list of models may take.
const MODELS: Duration = Duration::from_secs(15);

/// Whom to talk to.
#[derive(Debug, Clone)]
pub struct Connection {
    /// What people call it.
    pub name: String,
    /// Which service it is: some want a field of their own in the request.
    pub preset: Preset,
    /// The base address, up to and with `/v1`.
    pub base_url: String,
    /// The key, where there is one.
    pub key: Option<Secret>,
    /// How long to wait.
    pub timeouts: Timeouts,
}

/// An OpenAI-compatible server as a [`Provider`].
///
/// Invariant: the key goes into the `Authorization` header of requests to `base_url` and nowhere else.
#[derive(Debug, Clone)]
pub struct OpenAiCompatible {
    http: Http,
    connection: Connection,
    base_url: Url,
}

impl OpenAiCompatible {
    /// A provider for a connection. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ProviderError::BadAddress`] where the base address is none.
    pub fn new(http: &Http, connection: Connection) -> Result<Self, ProviderError> {
        let base_url = address::parse(&connection.base_url).map_err(|_| ProviderError::BadAddress)?;
        Ok(Self { http: http.clone(), connection, base_url })
    }

    /// A request with everything but its body.
    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, ProviderError> {
        let mut url = self.base_url.clone();
        url.path_segments_mut().map_err(|()| ProviderError::BadAddress)?.pop_if_empty().extend(path.split('/'));
        let mut request = self.http.client(&url)?.request(method, url);
        match &self.connection.key {
            Some(key) => request = request.header(AUTHORIZATION, bearer(key)?),
            None if self.connection.preset.key_need() == KeyNeed::Required => return Err(ProviderError::NoKey),
            None => {}
        }
        if self.connection.preset == Preset::OpenRouter {
            request = request.header("X-Title", "Atlas");
        }
        Ok(request)
    }

    /// What an error response says.
    async fn status_error(&self, response: Response) -> ProviderError {
        let status = response.status().as_u16();
        let retry_after = http::retry_after(response.headers());
        let body = timeout(ERROR_BODY, http::read_capped(response, LONGEST_ERROR)).await.unwrap_or_default();
        let body = ErrorBody::from_bytes(&body, self.connection.key.as_ref());
        ProviderError::Status { status, retry_after, body }
    }
}

fn bearer(key: &Secret) -> Result<HeaderValue, ProviderError> {
    let mut value =
        HeaderValue::from_str(&format!("Bearer {}", key.expose())).map_err(|_| ProviderError::UnusableKey)?;
    value.set_sensitive(true);
    Ok(value)
}

#[async_trait]
impl Provider for OpenAiCompatible {
    fn name(&self) -> &str {
        &self.connection.name
    }

    fn secret(&self) -> Option<&Secret> {
        self.connection.key.as_ref()
    }

    async fn stream(&self, request: &ChatRequest) -> Result<ChunkStream, ProviderError> {
        let body = request::body(request, self.connection.preset).to_string();
        let request = self
            .request(Method::POST, "chat/completions")?
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(body);
        let began = Instant::now();
        let deadline = began + self.connection.timeouts.first_token;
        let response = timeout_at(deadline, request.send())
            .await
            .map_err(|_| ProviderError::Timeout { phase: TimeoutPhase::FirstToken })?
            .map_err(|error| http::request_error(&error))?;
        if response.status() == StatusCode::NO_CONTENT {
            return Err(ProviderError::Empty);
        }
        if !response.status().is_success() {
            return Err(self.status_error(response).await);
        }
        let waiting = stream::Waiting {
            first_token: deadline,
            stalled: self.connection.timeouts.stalled,
            whole: began + self.connection.timeouts.whole,
        };
        Ok(stream::answer(response, waiting, self.connection.key.clone()))
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        timeout(MODELS, self.list_models())
            .await
            .map_err(|_| ProviderError::Timeout { phase: TimeoutPhase::FirstToken })?
    }
}

impl OpenAiCompatible {
    async fn list_models(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        let response = self
            .request(Method::GET, "models")?
            .header(ACCEPT, "application/json")
            .send()
            .await
            .map_err(|error| http::request_error(&error))?;
        if !response.status().is_success() {
            return Err(self.status_error(response).await);
        }
        let body = http::read_capped(response, models::LONGEST_LIST).await;
        models::parse(&body, self.connection.key.as_ref())
    }
}
