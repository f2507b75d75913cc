//! The few things that shells' tests let a server say.

use serde_json::json;

use crate::{Gate, Response, ScriptedServer};

/// A server that says "Hello." until it is told what to say.
pub fn greeter() -> ScriptedServer {
    ScriptedServer::always(words("Hello."))
}

/// A text, a word at a time.
pub fn words(text: &str) -> Response {
    Response::answer(text.split_inclusive(' '))
}

/// A text of which the second part is held back until the gate is opened.
pub fn in_two_parts(first: &str, gate: &Gate, second: &str) -> Response {
    Response::partial([first]).then_wait(gate).then(Response::answer([second]))
}

/// A refusal, as OpenAI words it.
pub fn refusal(status: u16, code: &str, message: &str) -> Response {
    Response::json(status, json!({"error": {"message": message, "type": "invalid_request_error", "code": code}}))
}

impl ScriptedServer {
    /// From now on it answers this.
    pub fn says(&self, response: Response) {
        self.answer_with(move |_| response.clone());
    }

    /// The key of the latest request, as its header has it; empty where there was none.
    ///
    /// # Panics
    /// No request has come.
    pub fn last_authorization(&self) -> String {
        let request = self.requests().pop().expect("a request has come");
        request.header("authorization").unwrap_or_default().to_owned()
    }

    /// What the latest request put to the model.
    ///
    /// # Panics
    /// No request has come.
    pub fn last_prompt(&self) -> String {
        self.requests().pop().expect("a request has come").prompt()
    }
}
