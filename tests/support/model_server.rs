//! A model server whose answers a test writes: the OpenAI-compatible protocol over a real socket, without faults.
//!
//! It keeps every request, so that a test can see what was asked and with which key.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A running server. It ends with the test.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    answers: Mutex<VecDeque<Answer>>,
    requests: Mutex<Vec<Request>>,
}

/// A request for an answer, as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The `Authorization` header; empty where there was none.
    pub authorization: String,
    /// The body.
    pub body: Value,
}

/// What the server says to one request.
enum Answer {
    /// Pieces of text; each waits for its gate.
    Text(Vec<(String, Option<watch::Receiver<bool>>)>),
    /// An error instead.
    Error { status: u16, body: Value },
}

/// The rest of an answer, held back until it is released or dropped.
#[must_use]
pub struct Held(watch::Sender<bool>);

impl Held {
    /// Lets the rest of the answer come.
    pub fn release(self) {
        // Nobody waits any more: the request was given up, which a test may want.
        let _ = self.0.send(true);
    }
}

impl ModelServer {
    /// Starts a server that says "Hello." until it is told what to say.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared::default());
        let served = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let served = Arc::clone(&served);
                tokio::spawn(async move {
                    // A client that hangs up in the middle is part of what tests do.
                    let _ = serve(stream, &served).await;
                });
            }
        });
        Self { address, shared }
    }

    /// Its base address, up to and with `/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Answers the next request with this text, a word at a time.
    pub fn says(&self, text: &str) {
        let pieces = text.split_inclusive(' ').map(|piece| (piece.to_owned(), None)).collect();
        self.answers().push_back(Answer::Text(pieces));
    }

    /// Answers the next request with a first part at once, and with the rest when it is released.
    pub fn says_in_two_parts(&self, first: &str, rest: &str) -> Held {
        let (sender, gate) = watch::channel(false);
        let pieces = vec![(first.to_owned(), None), (rest.to_owned(), Some(gate))];
        self.answers().push_back(Answer::Text(pieces));
        Held(sender)
    }

    /// Refuses the next request with a status and an error as OpenAI words it.
    pub fn refuses(&self, status: u16, code: &str, message: &str) {
        let body = json!({"error": {"message": message, "type": "invalid_request_error", "code": code}});
        self.answers().push_back(Answer::Error { status, body });
    }

    /// The requests for an answer so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The latest request for an answer.
    pub fn last_request(&self) -> Request {
        self.requests().pop().expect("a request has come")
    }

    fn answers(&self) -> MutexGuard<'_, VecDeque<Answer>> {
        self.shared.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn serve(stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let path = line.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let (mut authorization, mut length) = (String::new(), 0);
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => authorization = value.trim().to_owned(),
            "content-length" => length = value.trim().parse().unwrap_or(0),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;

    if path.ends_with("/models") {
        return reply(&mut stream, 200, &json!({"object": "list", "data": [{"id": "scripted", "object": "model"}]}))
            .await;
    }
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    shared.requests.lock().unwrap_or_else(PoisonError::into_inner).push(Request { authorization, body });
    let answer = shared.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    match answer.unwrap_or_else(|| Answer::Text(vec![("Hello.".to_owned(), None)])) {
        Answer::Text(pieces) => stream_pieces(&mut stream, pieces).await,
        Answer::Error { status, body } => reply(&mut stream, status, &body).await,
    }
}

async fn reply(stream: &mut BufReader<TcpStream>, status: u16, body: &Value) -> std::io::Result<()> {
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

async fn stream_pieces(
    stream: &mut BufReader<TcpStream>,
    pieces: Vec<(String, Option<watch::Receiver<bool>>)>,
) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n").await?;
    for (text, gate) in pieces {
        if let Some(mut gate) = gate {
            // Without its holder the rest comes at once.
            let _ = gate.wait_for(|open| *open).await;
        }
        send(stream, &json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]})).await?;
    }
    send(stream, &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})).await?;
    send(stream, &json!({"choices": [], "usage": {"prompt_tokens": 120, "completion_tokens": 12}})).await?;
    stream.write_all(b"data: [DONE]\n\n").await?;
    stream.shutdown().await
}

async fn send(stream: &mut BufReader<TcpStream>, chunk: &Value) -> std::io::Result<()> {
    stream.write_all(format!("data: {chunk}\n\n").as_bytes()).await?;
    stream.flush().await
}
