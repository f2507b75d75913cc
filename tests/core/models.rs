//! The list of models over the wire.

use atlas_core::providers::preset::Preset;
use atlas_core::providers::{Connection, ErrorBody, ModelInfo, Provider, ProviderError};
use atlas_tests::{Response, ScriptedServer};
use serde_json::json;

use crate::{connection, provider, provider_at, sentinel};

#[tokio::test]
async fn the_models_are_asked_for_with_the_key() {
    let server = ScriptedServer::always(Response::empty(500));
    let open_router = Connection { key: sentinel(), preset: Preset::OpenRouter, ..connection(&server.base_url()) };
    let models = provider_at(open_router).expect("an address").models().await;
    assert_eq!(models, Ok(vec![ModelInfo { id: "m".into(), name: None, context_tokens: None }]));
    let asked = server.all_requests();
    assert_eq!((asked[0].method.as_str(), asked[0].path.as_str()), ("GET", "/v1/models"));
    assert_eq!(asked[0].header("authorization"), Some("Bearer sk-sentinel-0123456789"));
}

#[tokio::test]
async fn a_server_without_a_list_says_why() {
    let server = ScriptedServer::always(Response::empty(500));
    let models = |response| {
        server.offer_models(response);
        let provider = provider(&server.base_url());
        async move { provider.models().await }
    };
    let not_found = json!({"detail": "Not Found"});
    let body = ErrorBody {
        message: Some("Not Found".into()),
        json: Some(Box::new(not_found.clone())),
        ..ErrorBody::default()
    };
    assert_eq!(
        models(Response::json(404, not_found)).await,
        Err(ProviderError::Status { status: 404, retry_after: None, body })
    );
    assert_eq!(models(Response::html(200, "<html>")).await, Err(ProviderError::WebPage));
    assert_eq!(models(Response::json(200, json!({"ok": true}))).await, Err(ProviderError::Malformed));
}
