//! What goes over the wire, and what is made of each way in which it can break.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use atlas_core::providers::preset::Preset;
use atlas_core::providers::{
    Chunk, Connection, ErrorBody, FinishReason, NetworkKind, Provider, ProviderError, Secret, TimeoutPhase, Timeouts,
    TokenUsage,
};
use atlas_tests::{Gate, Response, ScriptedServer};
use futures_util::StreamExt;
use serde_json::json;

use crate::answer::read;
use crate::{PATIENT, SENTINEL, connection, provider, provider_at, request, sentinel};

const HASTY: Timeouts = Timeouts {
    first_token: Duration::from_millis(100),
    stalled: Duration::from_millis(100),
    whole: Duration::from_secs(60),
};

/// The error that asking such a server ends with, after the text that came.
async fn failing(response: Response) -> (String, Option<ProviderError>) {
    let server = ScriptedServer::always(response);
    let (chunks, error) = read(&provider(&server.base_url()), &request("Hello")).await;
    (text(&chunks), error)
}

fn text(chunks: &[Chunk]) -> String {
    chunks.iter().filter_map(|chunk| if let Chunk::Text(text) = chunk { Some(text.as_str()) } else { None }).collect()
}

fn alone(error: ProviderError) -> (String, Option<ProviderError>) {
    (String::new(), Some(error))
}

#[tokio::test]
async fn a_request_is_what_the_protocol_wants_and_the_key_is_in_its_header_alone() {
    let server = ScriptedServer::always(Response::answer(["Hi"]));
    let open_router = Connection { key: sentinel(), preset: Preset::OpenRouter, ..connection(&server.base_url()) };
    let provider = provider_at(open_router).expect("an address");
    assert!(!format!("{provider:?}").contains(SENTINEL));
    let (chunks, error) = read(&provider, &request("Hello")).await;
    let usage = TokenUsage { prompt_tokens: Some(9), completion_tokens: Some(2), cost: Some(2e-5) };
    let expected = [Chunk::Text("Hi".into()), Chunk::Finish(FinishReason::Stop), Chunk::Usage(usage)];
    assert_eq!((chunks.as_slice(), error), (expected.as_slice(), None));

    let sent = server.requests();
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].method.as_str(), sent[0].path.as_str()), ("POST", "/v1/chat/completions"));
    let header = |name| sent[0].header(name);
    assert_eq!(header("authorization"), Some("Bearer sk-sentinel-0123456789"));
    assert_eq!(header("content-type"), Some("application/json"));
    assert_eq!(header("x-title"), Some("Atlas"));
    assert_eq!(
        sent[0].body,
        json!({
            "model": "m",
            "messages": [{"role": "user", "content": "Hello"}],
            "stream": true,
            "stream_options": {"include_usage": true},
            "usage": {"include": true},
        })
    );
    let elsewhere = sent[0].headers.iter().filter(|(name, value)| name != "authorization" && value.contains(SENTINEL));
    assert_eq!(elsewhere.count(), 0);
}

#[tokio::test]
async fn a_key_that_the_server_repeats_is_in_no_error() {
    let body =
        json!({"error": {"message": format!("Incorrect API key provided: {SENTINEL}"), "code": "invalid_api_key"}});
    let in_stream = format!("data: {body}\n\n");
    for response in [Response::json(401, body), Response::html(401, SENTINEL), Response::stream([in_stream])] {
        let server = ScriptedServer::always(response);
        let with_key = Connection { key: sentinel(), ..connection(&server.base_url()) };
        let (_, error) = read(&provider_at(with_key).expect("an address"), &request("Hello")).await;
        let error = error.expect("it is refused");
        assert!(!format!("{error:?} {error}").contains("sentinel"), "{error:?}");
    }
}

#[tokio::test]
async fn nothing_is_sent_without_a_key_where_one_is_needed_nor_with_one_that_is_none() {
    let server = ScriptedServer::always(Response::answer(["Hi"]));
    let open_router = Connection { preset: Preset::OpenRouter, ..connection(&server.base_url()) };
    let keyless = provider_at(open_router.clone()).expect("an address");
    assert_eq!(read(&keyless, &request("Hello")).await, (vec![], Some(ProviderError::NoKey)));
    let broken = provider_at(Connection { key: Secret::new("sk-a\nsk-b"), ..open_router }).expect("an address");
    assert_eq!(read(&broken, &request("Hello")).await, (vec![], Some(ProviderError::UnusableKey)));
    assert_eq!(server.all_requests(), []);
}

#[tokio::test]
async fn what_is_no_address_is_refused_at_once() {
    for address in ["", "not an address", "ftp://localhost", "https://me:secret@localhost"] {
        assert_eq!(provider_at(connection(address)).err(), Some(ProviderError::BadAddress), "{address:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = ScriptedServer::always(Response::answer(["stolen"]));
    let there = format!("{}/chat/completions", elsewhere.base_url());
    let (text, error) = failing(Response::empty(308).header("location", &there)).await;
    let expected = ProviderError::Status { status: 308, retry_after: None, body: ErrorBody::default() };
    assert_eq!((text, error), alone(expected));
    assert_eq!(elsewhere.all_requests(), []);
}

#[tokio::test]
async fn nothing_at_the_port_is_a_refused_connection() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = listener.local_addr().expect("a bound port").port();
    drop(listener);
    let outcome = read(&provider(&format!("http://127.0.0.1:{port}/v1")), &request("Hello")).await;
    assert_eq!(outcome, (vec![], Some(ProviderError::Network { kind: NetworkKind::Refused })));
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_a_failed_encryption() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = listener.local_addr().expect("a bound port").port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").expect("it listens");
        // The client decides when it has seen enough.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let outcome = read(&provider(&format!("https://127.0.0.1:{port}/v1")), &request("Hello")).await;
    assert_eq!(outcome, (vec![], Some(ProviderError::Network { kind: NetworkKind::Tls })));
}

#[tokio::test]
async fn a_connection_that_breaks_is_a_reset_before_the_answer_and_a_cut_in_it() {
    let reset = ProviderError::Network { kind: NetworkKind::Reset };
    assert_eq!(failing(Response::partial::<&str>([]).then_reset()).await, alone(reset));
    assert_eq!(failing(Response::partial(["Ha"]).then_reset()).await, ("Ha".into(), Some(ProviderError::Truncated)));
    assert_eq!(failing(Response::partial(["Ha"])).await, ("Ha".into(), Some(ProviderError::Truncated)));
    let cut_in_an_event = Response::partial(["Ha"]).then(Response::stream(["data: {\"choices\": [{\"del"]));
    assert_eq!(failing(cut_in_an_event).await, ("Ha".into(), Some(ProviderError::Truncated)));
}

#[tokio::test]
async fn an_answer_that_had_ended_survives_a_connection_that_breaks() {
    assert_eq!(failing(Response::answer(["Hi"]).then_reset()).await, ("Hi".into(), None));
    let finished = "data: {\"choices\": [{\"delta\": {\"content\": \"Hi\"}, \"finish_reason\": \"stop\"}]}\n\n";
    assert_eq!(failing(Response::stream([finished]).then_reset()).await, ("Hi".into(), None));
    let unfinished_line = finished.trim_end();
    assert_eq!(failing(Response::stream([unfinished_line])).await, ("Hi".into(), None));
}

#[tokio::test]
async fn a_success_without_an_answer_in_it_says_what_it_was() {
    assert_eq!(failing(Response::empty(204)).await, alone(ProviderError::Empty));
    assert_eq!(failing(Response::empty(200)).await, alone(ProviderError::Empty));
    assert_eq!(failing(Response::stream(["\n\n"])).await, alone(ProviderError::Empty));
    assert_eq!(failing(Response::html(200, "\n<!DOCTYPE html><p>Log in")).await, alone(ProviderError::WebPage));
    assert_eq!(failing(Response::json(200, json!({"status": "ok"}))).await, alone(ProviderError::Malformed));
    assert_eq!(failing(Response::stream(["data: nonsense\n\n"])).await, alone(ProviderError::Malformed));
    assert_eq!(
        failing(Response::whole(200, "application/json", "{\"choices\": [".into())).await,
        alone(ProviderError::Truncated)
    );
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_read_too() {
    let whole = json!({"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]});
    assert_eq!(failing(Response::json(200, whole.clone())).await, ("Hi".into(), None));
    assert_eq!(
        failing(Response::whole(200, "text/plain", format!("\u{feff} {whole}")).byte_by_byte()).await,
        ("Hi".into(), None)
    );
}

#[tokio::test]
async fn waiting_has_an_end_before_the_first_token_and_after_it() {
    for (response, expected) in [
        (Response::partial::<&str>([]).then_stall(), ("", TimeoutPhase::FirstToken)),
        (Response::stream([": ping\n\n"]).then_stall(), ("", TimeoutPhase::FirstToken)),
        (Response::partial(["Ha"]).then_stall(), ("Ha", TimeoutPhase::Stalled)),
    ] {
        let server = ScriptedServer::always(response);
        let hasty = provider_at(Connection { timeouts: HASTY, ..connection(&server.base_url()) }).expect("an address");
        let (chunks, error) = read(&hasty, &request("Hello")).await;
        assert_eq!((text(&chunks).as_str(), error), (expected.0, Some(ProviderError::Timeout { phase: expected.1 })));
    }
}

#[tokio::test]
async fn an_answer_that_does_not_come_to_its_end_is_given_up_and_what_came_stays() {
    let server = ScriptedServer::always(Response::partial(["Ha", "ha"]).then_stall());
    let whole = Timeouts { whole: Duration::from_millis(300), ..PATIENT };
    let patient = provider_at(Connection { timeouts: whole, ..connection(&server.base_url()) }).expect("an address");
    let (chunks, error) = read(&patient, &request("Hello")).await;
    let expected = Some(ProviderError::Timeout { phase: TimeoutPhase::Whole });
    assert_eq!((text(&chunks).as_str(), error), ("Haha", expected));
}

#[tokio::test]
async fn a_server_that_never_closes_does_not_hold_up_an_answer_that_has_ended() {
    let finished = "data: {\"choices\": [{\"delta\": {\"content\": \"Hi\"}, \"finish_reason\": \"stop\"}]}\n\n";
    let server = ScriptedServer::always(Response::stream([finished]).then_stall());
    let hasty = provider_at(Connection { timeouts: HASTY, ..connection(&server.base_url()) }).expect("an address");
    let (chunks, error) = read(&hasty, &request("Hello")).await;
    assert_eq!((text(&chunks).as_str(), error), ("Hi", None));
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_answer_ends_the_request() {
    let server = ScriptedServer::always(Response::partial(["Ha"]).then_stall());
    let mut stream = provider(&server.base_url()).stream(&request("Hello")).await.expect("it answers");
    assert_eq!(stream.next().await, Some(Ok(Chunk::Text("Ha".into()))));
    drop(stream);
    tokio::task::spawn_blocking(move || server.wait_for_hang_ups(1)).await.expect("it hung up");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_piece_is_passed_on_as_soon_as_it_is_there() {
    let gate = Gate::new();
    let server = ScriptedServer::always(Response::answer(["a", "b"]).behind(&gate));
    let provider = provider(&server.base_url());
    let asked = request("Hello");
    let mut stream = provider.stream(&asked).await.expect("it answers");
    for expected in ["a", "b"] {
        gate.let_one_pass();
        assert_eq!(stream.next().await, Some(Ok(Chunk::Text(expected.into()))));
    }
    gate.open();
    assert_eq!(stream.map(|chunk| chunk.is_ok()).collect::<Vec<_>>().await, [true, true]);
}
