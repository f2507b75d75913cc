//! A server on this computer that answers as it is told, over real TCP, down to the byte.

use std::collections::VecDeque;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::json;

mod connection;
mod gate;
mod response;

pub use connection::Request;
pub use gate::Gate;
pub use response::Response;

/// How long a test waits for something that must come. It is never reached where the code is right.
const PATIENCE: Duration = Duration::from_secs(30);

/// How a server decides what to answer.
type Script = Box<dyn FnMut(&Request) -> Response + Send>;

/// The server. Its threads end with the test's process; its port is closed when it is dropped.
pub struct ScriptedServer {
    shared: Arc<Shared>,
    address: SocketAddr,
}

/// What the connections of a server share.
pub(crate) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    script: Script,
    models: Response,
    requests: Vec<Request>,
    passes_by_schemas: bool,
    hung_up: usize,
    closed: bool,
}

impl ScriptedServer {
    /// A server that asks a function what to answer to each chat request.
    ///
    /// # Panics
    /// Where this computer has no free loopback port.
    pub fn new(script: impl FnMut(&Request) -> Response + Send + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free loopback port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let models = Response::json(200, json!({"object": "list", "data": [{"id": "m", "object": "model"}]}));
        let state = State {
            script: Box::new(script),
            models,
            requests: Vec::new(),
            passes_by_schemas: false,
            hung_up: 0,
            closed: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let accepting = shared.clone();
        thread::spawn(move || accept(&listener, &accepting));
        Self { shared, address }
    }

    /// A server that always gives the same answer.
    pub fn always(response: Response) -> Self {
        Self::new(move |_| response.clone())
    }

    /// A server that gives these answers in order, and the last one from then on.
    ///
    /// # Panics
    /// Where there is none.
    pub fn in_order(responses: impl IntoIterator<Item = Response>) -> Self {
        let mut responses: VecDeque<Response> = responses.into_iter().collect();
        assert!(!responses.is_empty(), "a server needs something to answer");
        Self::new(move |_| {
            let next = responses[0].clone();
            if responses.len() > 1 {
                responses.pop_front();
            }
            next
        })
    }

    /// Answers what Atlas asks by itself, with a schema, with nothing; its script is for what the person says.
    pub fn for_the_person(self) -> Self {
        self.shared.lock().passes_by_schemas = true;
        self
    }

    /// From now on it answers to chat requests like this.
    pub fn answer_with(&self, script: impl FnMut(&Request) -> Response + Send + 'static) {
        self.shared.lock().script = Box::new(script);
    }

    /// What it answers to `GET /v1/models`; otherwise one model, `m`.
    pub fn offer_models(&self, response: Response) {
        self.shared.lock().models = response;
    }

    /// Its base address, as settings name it.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The chat requests so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.all_requests().into_iter().filter(|request| request.method == "POST").collect()
    }

    /// All requests so far, in order.
    pub fn all_requests(&self) -> Vec<Request> {
        self.shared.lock().requests.clone()
    }

    /// Waits until so many chat requests have come. It blocks the thread: call it where nothing else needs it.
    ///
    /// # Panics
    /// Where they do not come.
    pub fn wait_for_requests(&self, count: usize) -> Vec<Request> {
        let come = |state: &State| state.requests.iter().filter(|request| request.method == "POST").count() >= count;
        self.shared.wait_until(come, "the requests did not come");
        self.requests()
    }

    /// Waits until a client has gone away in the middle of so many answers. It blocks the thread.
    ///
    /// # Panics
    /// Where they stay.
    pub fn wait_for_hang_ups(&self, count: usize) {
        self.shared.wait_until(|state| state.hung_up >= count, "the client did not hang up");
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        // The listener wakes up for a last connection, and ends.
        drop(std::net::TcpStream::connect(self.address));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request and decides what to answer.
    pub(crate) fn answer(&self, request: Request) -> Response {
        let mut state = self.lock();
        if state.passes_by_schemas && request.body["response_format"].is_object() {
            return Response::answer(["{}"]);
        }
        let response = if request.method == "GET" { state.models.clone() } else { (state.script)(&request) };
        state.requests.push(request);
        self.changed.notify_all();
        response
    }

    pub(crate) fn note_hang_up(&self) {
        self.lock().hung_up += 1;
        self.changed.notify_all();
    }

    fn wait_until(&self, come: impl Fn(&State) -> bool, otherwise: &str) {
        let state = self.lock();
        let (state, _) = self
            .changed
            .wait_timeout_while(state, PATIENCE, |state| !come(state))
            .unwrap_or_else(PoisonError::into_inner);
        assert!(come(&state), "{otherwise}");
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming().flatten() {
        if shared.lock().closed {
            return;
        }
        let shared = shared.clone();
        thread::spawn(move || connection::serve(stream, &shared));
    }
}
