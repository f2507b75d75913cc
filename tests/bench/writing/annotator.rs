//! Who reads the messages: the labels themselves, as a model that is never wrong would write them, or the starter model.

use std::sync::Arc;

use atlas_core::clock::SystemClock;
use atlas_core::home::Home;
use atlas_core::store::Operational;
use atlas_core::supervisor::{Engine, EngineConfig, models};
use atlas_tests::server::{Request, Response};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::data::{Annotated, Message};

/// What every turn is answered with.
const ANSWER: &str = "Noted.";

/// Who reads the messages.
#[derive(Clone)]
pub enum Annotator {
    /// The labels of each message, inside its answer. With `dates`, they hold the ISO date; what they should hold, the words of the
    /// message for when it is, is not labelled.
    Ideal { dates: bool },
    /// The starter model of this computer.
    Starter(Starter),
}

impl Annotator {
    /// What the model server answers while a message is sent: `said` in words, and what the annotator reads in the message. Of an
    /// earlier message, which has no labels, it reads nothing.
    pub fn script(&self, said: Option<&str>, message: Option<&Message>) -> impl FnMut(&Request) -> Response + use<> {
        let said = said.unwrap_or(ANSWER).to_owned();
        let annotator = self.clone();
        let block = match self {
            Self::Ideal { dates } => message.map_or_else(|| json!({ "facts": [] }), |message| block(message, *dates)),
            Self::Starter(_) => Value::Null,
        };
        move |request| match &annotator {
            Self::Ideal { .. } if is_annotation(request) => Response::answer([block.to_string().as_str()]),
            Self::Ideal { .. } => Response::answer([format!("{said}\n\nMEMORY_OPS: {block}").as_str()]),
            Self::Starter(starter) if is_annotation(request) => starter.answer(request),
            Self::Starter(_) => Response::answer([said.as_str()]),
        }
    }
}

/// Whether a request asks for an annotation: it alone prescribes a form.
fn is_annotation(request: &Request) -> bool {
    request.body.get("response_format").is_some()
}

/// What an ideal model writes behind its answer.
fn block(message: &Message, dates: bool) -> Value {
    let facts: Vec<Value> = message.annotation.iter().map(|annotated| fact(annotated, dates)).collect();
    json!({ "facts": facts, "instruction": message.instruction })
}

fn fact(annotated: &Annotated, dates: bool) -> Value {
    let mut fact = json!({
        "about": annotated.about,
        "relation": annotated.relation,
        "value": annotated.value,
        "quote": annotated.quote,
        "stance": annotated.stance,
        "change": annotated.change,
        "topic": annotated.topic,
    });
    if let Some(when) = annotated.when.as_ref().filter(|_| dates) {
        fact["when"] = json!(when);
    }
    fact
}

/// The starter model, run by the built-in engine as the app runs it.
///
/// The answer in words would cost seconds a message and says nothing of memory, so the scripted server gives it. A request that
/// prescribes a form is the annotation: its body goes to the engine as the assistant wrote it, and the engine's stream goes back as
/// it is.
#[derive(Clone)]
pub struct Starter {
    engine: Engine,
    home: Arc<Home>,
    model: String,
    client: reqwest::Client,
    runtime: Handle,
}

impl Starter {
    /// The first model file of this computer (`ATLAS_MODELS` names another folder), or the one that is named.
    ///
    /// # Panics
    /// There is no model file.
    pub async fn here(named: Option<String>) -> Self {
        let home = Home::of_this_user().expect("the system names a data directory");
        let models = models::list(&home).await;
        let first = || models.first().map(|model| model.id.clone());
        let model = named.or_else(first).expect("a model file in the folder of models");
        let engine = Engine::new(EngineConfig::default(), Arc::new(SystemClock), Operational::in_memory());
        let client = reqwest::Client::builder().no_proxy().build().expect("a client for this computer");
        Self { engine, home: Arc::new(home), model, client, runtime: Handle::current() }
    }

    /// Its file's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Ends the engine.
    pub async fn stop(&self) {
        self.engine.stop().await;
    }

    /// What the engine answers to a request. It blocks a thread of the scripted server.
    fn answer(&self, request: &Request) -> Response {
        self.runtime.block_on(async {
            let file = models::file(&self.home, &self.model).await.expect("the model's file");
            let address = self.engine.start(file).await.expect("an engine that starts");
            let url = format!("{}/chat/completions", address.base_url());
            let asked = self.client.post(url).bearer_auth(address.token().expose());
            let asked = asked.header("content-type", "application/json").body(request.body.to_string());
            let answered = asked.send().await.expect("an engine that answers");
            let status = answered.status().as_u16();
            let body = answered.text().await.expect("a whole answer");
            if status == 200 { Response::stream([body]) } else { Response::whole(status, "application/json", body) }
        })
    }
}
