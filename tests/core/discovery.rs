//! Which model servers are found on this computer.

use std::net::TcpListener;
use std::time::Duration;

use atlas_core::providers::discover::{LocalServer, discover};
use atlas_core::providers::preset::{Endpoint, Preset};
use atlas_core::providers::{Http, ModelInfo};
use atlas_tests::{Response, ScriptedServer};
use serde_json::json;

#[tokio::test]
async fn only_servers_that_list_their_models_in_time_are_found() {
    let [with_models, empty, page, silent] = std::array::from_fn(|_| ScriptedServer::always(Response::empty(500)));
    empty.offer_models(Response::json(200, json!({"data": []})));
    page.offer_models(Response::html(200, "<html>"));
    silent.offer_models(Response::partial::<&str>([]).then_stall());
    let closed = TcpListener::bind(("127.0.0.1", 0)).expect("a free port").local_addr().expect("a bound port");
    let place = |preset, base_url: &str| Endpoint { preset, base_url: base_url.into() };
    let places = [
        place(Preset::LmStudio, &with_models.base_url()),
        place(Preset::Custom, &format!("http://{closed}/v1")),
        place(Preset::Custom, &silent.base_url()),
        place(Preset::Custom, &page.base_url()),
        place(Preset::Ollama, &empty.base_url()),
    ];
    let found = discover(&Http::new(), &places, Duration::from_secs(1)).await;
    let model = ModelInfo { id: "m".into(), name: None, context_tokens: None };
    assert_eq!(
        found,
        [
            LocalServer { endpoint: places[0].clone(), models: vec![model] },
            LocalServer { endpoint: places[4].clone(), models: vec![] },
        ]
    );
    let titles: Vec<String> = found.iter().map(LocalServer::title).collect();
    assert_eq!(
        titles,
        [
            "LM Studio is running on this computer, with 1 model",
            "Ollama is running on this computer, without a model yet",
        ]
    );
}
