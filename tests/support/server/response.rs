//! What a scripted server answers.

use serde_json::{Value, json};

use super::gate::Gate;

/// An answer, as bytes and what happens between them.
#[derive(Debug, Clone)]
pub struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) steps: Vec<Step>,
    /// The body's length is told beforehand and the connection stays open; else its end is the connection's end.
    pub(crate) measured: bool,
}

/// A step of an answer.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Send these bytes, in one piece.
    Send(Vec<u8>),
    /// Wait at a gate.
    Wait(Gate),
    /// Wait until the client goes away.
    AwaitHangUp,
    /// Break the connection (TCP RST).
    Reset,
}

impl Response {
    /// A status with a JSON body.
    pub fn json(status: u16, body: Value) -> Self {
        Self::whole(status, "application/json", body.to_string())
    }

    /// A status with a page.
    pub fn html(status: u16, body: &str) -> Self {
        Self::whole(status, "text/html", body.to_owned())
    }

    /// A status with a body of any type.
    pub fn whole(status: u16, content_type: &str, body: String) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self { status, headers, steps: vec![Step::Send(body.into_bytes())], measured: true }
    }

    /// A status with nothing in it.
    pub fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), steps: Vec::new(), measured: true }
    }

    /// No answer at all: the connection breaks (TCP RST) as soon as the request is read.
    pub fn cut_off() -> Self {
        Self { status: 0, headers: Vec::new(), steps: vec![Step::Reset], measured: false }
    }

    /// A stream of pieces, sent byte for byte as they are, and an orderly close.
    pub fn stream<S: AsRef<str>>(pieces: impl IntoIterator<Item = S>) -> Self {
        let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
        let steps = pieces.into_iter().map(|piece| Step::Send(piece.as_ref().as_bytes().to_vec())).collect();
        Self { status: 200, headers, steps, measured: false }
    }

    /// A whole, ordinary answer: these texts one after the other, a finish reason, the usage, `[DONE]`.
    pub fn answer<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        let texts = texts.into_iter().map(|text| delta(text.as_ref()));
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "cost": 2e-5}});
        Self::stream(texts.chain([finish("stop"), event(&usage), "data: [DONE]\n\n".to_owned()]))
    }

    /// The beginning of an answer: these texts, then nothing. Put a gate, a reset or more behind it.
    pub fn partial<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        Self::stream(texts.into_iter().map(|text| delta(text.as_ref())))
    }

    /// The same with one more header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    /// The same, each byte sent by itself.
    pub fn byte_by_byte(mut self) -> Self {
        let bytes = |step| match step {
            Step::Send(bytes) => bytes.into_iter().map(|byte| Step::Send(vec![byte])).collect(),
            other => vec![other],
        };
        self.steps = self.steps.into_iter().flat_map(bytes).collect();
        self
    }

    /// The same with a gate before every piece.
    pub fn behind(mut self, gate: &Gate) -> Self {
        self.steps = self.steps.into_iter().flat_map(|step| [Step::Wait(gate.clone()), step]).collect();
        self
    }

    /// The same, then a gate.
    pub fn then_wait(mut self, gate: &Gate) -> Self {
        self.steps.push(Step::Wait(gate.clone()));
        self
    }

    /// The same, then all of another's pieces.
    pub fn then(mut self, other: Self) -> Self {
        self.steps.extend(other.steps);
        self
    }

    /// The same, then silence until the client goes away; see
    /// [`wait_for_hang_ups`](super::ScriptedServer::wait_for_hang_ups).
    pub fn then_stall(mut self) -> Self {
        self.steps.push(Step::AwaitHangUp);
        self
    }

    /// The same, then a broken connection.
    pub fn then_reset(mut self) -> Self {
        self.steps.push(Step::Reset);
        self
    }

    /// What a case's `response` describes.
    ///
    /// # Panics
    /// Where it describes something that this server does not know.
    pub fn from_case(response: &Value) -> Self {
        let status = response.get("status").and_then(Value::as_u64).unwrap_or(200);
        let status = u16::try_from(status).expect("an HTTP status");
        let body = match (response.get("chunks"), response.get("body")) {
            (Some(Value::Array(chunks)), _) => {
                Self::stream(chunks.iter().map(|chunk| chunk.as_str().expect("a chunk is text")))
            }
            (_, Some(Value::String(text))) => Self::whole(status, "text/plain", text.clone()),
            (_, Some(json)) => Self::json(status, json.clone()),
            _ => Self::empty(status),
        };
        let mut response_headers = body.headers.clone();
        for (name, value) in response.get("headers").and_then(Value::as_object).into_iter().flatten() {
            let name = name.to_ascii_lowercase();
            response_headers.retain(|(known, _)| *known != name);
            response_headers.push((name, value.as_str().expect("a header is text").to_owned()));
        }
        let described = Self { status, headers: response_headers, ..body };
        match response.get("deliver").and_then(Value::as_str) {
            None | Some("as_chunks") => described,
            Some("byte_by_byte") => described.byte_by_byte(),
            Some("reset_after_last") => described.then_reset(),
            Some(other) => panic!("unknown delivery: {other}"),
        }
    }
}

/// A piece of an answer as an event of the stream.
fn delta(text: &str) -> String {
    event(&json!({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]}))
}

fn finish(reason: &str) -> String {
    event(&json!({"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}
