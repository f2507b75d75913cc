//! What a turn adds before the first word of its answer, over the bare HTTP call to the same server.
//!
//! `cargo run --release --bin turn-latency -- --json [--memories N] [--turns N]`
//!
//! Turns and bare calls take turns with each other in one run, so that a busy computer slows both.

use std::sync::Arc;
use std::time::{Duration, Instant};

use atlas_core::assistant::{Assistant, Parts};
use atlas_core::clock::SystemClock;
use atlas_core::embedding::Models;
use atlas_core::home::Home;
use atlas_core::keychain::FakeKeychain;
use atlas_core::memory::fact::{FactDraft, Origin};
use atlas_core::memory::writing::gate::{self, Candidate, Rules, Source};
use atlas_core::providers::Reach;
use atlas_core::settings::Settings;
use atlas_core::store::Store;
use atlas_core::supervisor::EngineConfig;
use atlas_core::turn::event::TurnEvent;
use atlas_tests::agent::endpoint;
use atlas_tests::server::{Response, ScriptedServer};
use chrono::Local;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;

/// Turns that are not counted: connections are made and caches filled.
const WARM_UP: usize = 20;

#[tokio::main]
async fn main() {
    let memories = argument("--memories").unwrap_or(10_000);
    let turns = argument("--turns").unwrap_or(300);
    let server = ScriptedServer::always(Response::answer(["Good morning, ", "how are you?"]));
    let home = tempfile::tempdir().expect("a temporary folder");
    seed(&Home::at(home.path()), memories).await;
    let assistant = open(&home, &server).await;

    let (mut added, mut raw) = (Vec::new(), Vec::new());
    for turn in 0..WARM_UP + turns {
        let bare = bare_call(&server).await;
        let whole = first_word(&assistant, turn).await;
        if turn >= WARM_UP {
            added.push(whole.saturating_sub(bare));
            raw.push(bare);
        }
    }
    assistant.close().await;

    let (p50, p99, raw) = (percentile(&mut added, 50), percentile(&mut added, 99), percentile(&mut raw, 50));
    if std::env::args().any(|argument| argument == "--json") {
        let figures =
            json!({ "added_ms": { "p50": p50, "p99": p99 }, "raw_ms": raw, "turns": turns, "memories": memories });
        println!("{figures}");
    } else {
        println!("a turn adds {p50:.2} ms (p50), {p99:.2} ms (p99) to a bare call of {raw:.2} ms");
        println!("{turns} turns with {memories} memories");
    }
}

fn argument(name: &str) -> Option<usize> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)?.parse().ok()
}

/// Facts as people have them: many subjects, many relations, words that recur.
async fn seed(home: &Home, count: usize) {
    const PEOPLE: [&str; 8] = ["user", "Mara", "Leo", "Ana", "Raj", "Hana", "Jo", "Biscuit"];
    const THINGS: [&str; 9] = ["coffee", "tea", "trains", "museums", "sailing", "chess", "bread", "jazz", "gardens"];
    let store = Store::open(&home.agent("atlas")).await.expect("a store");
    let facts: Vec<FactDraft> = (0..count)
        .map(|n| FactDraft {
            subject: PEOPLE[n % PEOPLE.len()].to_owned(),
            relation: format!("likes in place {}", n / 97),
            value: format!("{} number {n}", THINGS[n % THINGS.len()]),
        })
        .collect();
    for batch in facts.chunks(500) {
        let batch = batch.to_vec();
        let write = move |tx: &atlas_core::store::Transaction<'_>| {
            let said: String =
                batch.iter().map(|fact| format!("{} {} {}. ", fact.subject, fact.relation, fact.value)).collect();
            let candidates: Vec<Candidate> = batch.iter().cloned().map(candidate).collect();
            let source = Source::of_text(&said, Local::now().fixed_offset());
            let rules = Rules { sealed: &[], agent: "Atlas", now: Local::now().fixed_offset() };
            gate::consider(tx, &candidates, &source, &rules).map(drop)
        };
        store.write(write).await.expect("facts that can be written");
    }
}

fn candidate(draft: FactDraft) -> Candidate {
    Candidate::bare(draft, Origin::Said, 0.9, "made for a measurement")
}

async fn open(home: &tempfile::TempDir, server: &ScriptedServer) -> Arc<Assistant> {
    let parts = Parts {
        clock: Arc::new(SystemClock),
        keychain: Arc::new(FakeKeychain::new()),
        engine: EngineConfig::default(),
        embedding: Models::none(),
        reach: Reach::default(),
    };
    let assistant = Assistant::open(Home::at(home.path()), "atlas", parts).await.expect("an agent that opens");
    let settings = Settings { endpoint: Some(endpoint(server)), model: "m".to_owned(), ..Settings::default() };
    assistant.save_settings(settings).await.expect("settings that can be saved");
    assistant
}

/// From sending a message to the first word of its answer; the turn is waited for.
async fn first_word(assistant: &Arc<Assistant>, turn: usize) -> Duration {
    let text = format!("What did I say about sailing and tea in place {}?", turn % 90);
    let (events, mut heard) = mpsc::channel(64);
    let began = Instant::now();
    assistant.send(None, &text, events).await.expect("a message that can be sent");
    let mut first = None;
    while let Some(event) = heard.recv().await {
        if matches!(event, TurnEvent::Delta { .. }) {
            first.get_or_insert_with(|| began.elapsed());
        }
    }
    first.expect("an answer has words")
}

/// From a bare request to the first byte of the body, over a connection that is there already.
async fn bare_call(server: &ScriptedServer) -> Duration {
    let body =
        json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": "Hello" }] }).to_string();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connection =
        tokio::net::TcpStream::connect(("127.0.0.1", server.port())).await.expect("the server listens");
    connection.set_nodelay(true).expect("a socket option");
    let began = Instant::now();
    connection.write_all(request.as_bytes()).await.expect("a request that can be sent");
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    while !seen.windows(7).any(|window| window == b"Good mo") {
        let read = connection.read(&mut buffer).await.expect("an answer");
        assert!(read > 0, "the server hung up");
        seen.extend_from_slice(&buffer[..read]);
    }
    began.elapsed()
}

/// In milliseconds, to a hundredth.
fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    let at = (times.len() * percent / 100).min(times.len() - 1);
    (times[at].as_secs_f64() * 100_000.0).round() / 100.0
}
