//! Tells messages to a real assistant, each to one of its own, and reads what it stored.

use std::sync::Arc;
use std::time::Duration;

use atlas_core::assistant::view::{MemoryFilters, MemoryQuery};
use atlas_core::assistant::{Assistant, Parts};
use atlas_core::embedding::Models;
use atlas_core::home::{AGENT, Home};
use atlas_core::keychain::FakeKeychain;
use atlas_core::memory::fact::Fact;
use atlas_core::memory::relation::Polarity;
use atlas_core::memory::writing::directive;
use atlas_core::memory::writing::review::ReviewItem;
use atlas_core::providers::Reach;
use atlas_core::providers::preset::{Endpoint, Preset};
use atlas_core::settings::Settings;
use atlas_core::store::Connection;
use atlas_core::store::id::ConversationId;
use atlas_core::supervisor::EngineConfig;
use atlas_core::turn::record;
use atlas_tests::agent::{Heard, embedding_models, oldest};
use atlas_tests::{ScriptedServer, TestClock};
use chrono::{DateTime, FixedOffset, TimeDelta};
use tokio::sync::mpsc;

use crate::annotator::Annotator;
use crate::data::{Message, Order, OrderKind, Prediction, Speaker, Stored};

/// The relation under which a wish for every answer waits in Review.
const RULE: &str = "wants of every answer";
/// How long is waited before it is looked again whether a second call is owed.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Tells each message to an assistant that knows nothing yet, and predicts from what is stored afterwards.
pub async fn predictions(messages: &[Message], annotator: &Annotator) -> Vec<Prediction> {
    let embedding = embedding_models().unwrap_or_else(Models::none);
    let mut predictions = Vec::with_capacity(messages.len());
    for message in messages {
        let told = Told::begin(message, annotator, &embedding).await;
        predictions.push(told.tell(message, annotator).await);
        eprint!("\r{} of {}", predictions.len(), messages.len());
    }
    eprintln!();
    predictions
}

/// An assistant in a home of its own that is told a message.
struct Told {
    home: tempfile::TempDir,
    clock: Arc<TestClock>,
    server: ScriptedServer,
    assistant: Arc<Assistant>,
}

impl Told {
    async fn begin(message: &Message, annotator: &Annotator, embedding: &Models) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let server = ScriptedServer::new(annotator.script(None, None));
        let clock = Arc::new(TestClock::at(&message.at));
        let parts = Parts {
            clock: clock.clone(),
            keychain: Arc::new(FakeKeychain::new()),
            engine: EngineConfig::default(),
            embedding: embedding.clone(),
            reach: Reach::default(),
        };
        let assistant = Assistant::open(Home::at(home.path()), AGENT, parts).await.expect("an agent that opens");
        assistant.save_settings(settings(annotator, &server)).await.expect("settings that can be saved");
        Self { home, clock, server, assistant }
    }

    /// Tells the earlier messages, then the message, and closes the assistant.
    async fn tell(self, message: &Message, annotator: &Annotator) -> Prediction {
        let mut conversation = None;
        let said_by_the_person = message.earlier.iter().filter(|said| said.role == Speaker::User).count();
        let mut minutes = i64::try_from(said_by_the_person).expect("a few earlier messages");
        for (at, said) in message.earlier.iter().enumerate().filter(|(_, said)| said.role == Speaker::User) {
            let answer = message.earlier.get(at + 1).filter(|said| said.role == Speaker::Assistant);
            self.server.answer_with(annotator.script(answer.map(|answer| answer.text.as_str()), None));
            self.clock.set(&(moment(message) - TimeDelta::minutes(minutes)).to_rfc3339());
            conversation = Some(self.says(conversation, &said.text).await);
            minutes -= 1;
        }
        self.clock.set(&message.at);
        self.server.answer_with(annotator.script(None, Some(message)));
        self.says(conversation, &message.text).await;
        let prediction = self.prediction(message).await;
        self.assistant.close().await;
        prediction
    }

    /// Sends a message, and waits until all that is owed to it is done.
    async fn says(&self, conversation: Option<ConversationId>, text: &str) -> ConversationId {
        let (events, heard) = mpsc::channel(256);
        self.assistant.send(conversation, text, events).await.expect("a message that can be sent");
        let heard = Heard::all(heard).await;
        assert_eq!(heard.terminal(), "completed", "{text}: {:?}", heard.failure());
        let database = Home::at(self.home.path()).agent(AGENT).join("atlas.db");
        let beside = Connection::open(database).expect("the database can be read beside the assistant");
        while record::next_owed(&beside).expect("a table of turns").is_some() {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        heard.conversation()
    }

    async fn prediction(&self, message: &Message) -> Prediction {
        let past = MemoryQuery { filters: MemoryFilters { superseded: true, ..MemoryFilters::default() }, ..oldest() };
        let mut facts = self.assistant.facts(oldest()).await.expect("facts").rows;
        facts.extend(self.assistant.facts(past).await.expect("facts that are history").rows);
        let review = self.assistant.review(oldest()).await.expect("what waits in Review").rows;
        let rule = review.iter().find(|item| item.draft.relation == RULE).map(|item| item.draft.value.clone());
        Prediction {
            id: message.id.clone(),
            facts: facts.iter().filter_map(stored).collect(),
            orders: Some(Some(orders(&message.text))),
            instruction: Some(rule),
            review: review.iter().map(in_words).collect(),
        }
    }
}

/// The scripted model stands for a strong one that is far away, the starter model for what runs on this computer; how each of them
/// is asked is for the assistant to choose.
fn settings(annotator: &Annotator, server: &ScriptedServer) -> Settings {
    let (preset, model) = match annotator {
        Annotator::Ideal { .. } => (Preset::Custom, "m"),
        Annotator::Starter(starter) => (Preset::LlamaCpp, starter.model()),
    };
    let endpoint = Endpoint { preset, base_url: server.base_url() };
    Settings { endpoint: Some(endpoint), model: model.to_owned(), ..Settings::default() }
}

/// A fact as it is scored. What never was true is no memory.
fn stored(fact: &Fact) -> Option<Stored> {
    let was_wrong = fact.retired_at.is_some() && fact.valid_to.is_none();
    (!was_wrong).then(|| Stored {
        subject: fact.subject.clone(),
        relation: fact.relation.clone(),
        value: fact.value.clone(),
        negated: Some(fact.polarity == Polarity::Denied),
        ended: Some(fact.polarity == Polarity::Ended || fact.retired_at.is_some()),
        date: fact.date.clone(),
        ..Stored::default()
    })
}

/// The orders that the turn followed.
fn orders(text: &str) -> Vec<Order> {
    let kind = |kind| match kind {
        directive::OrderKind::Remember => Some(OrderKind::Remember),
        directive::OrderKind::Forget => Some(OrderKind::Forget),
        directive::OrderKind::DontStore | directive::OrderKind::Seal | directive::OrderKind::MaybeSeal => {
            Some(OrderKind::DontStore)
        }
        directive::OrderKind::CallMe | directive::OrderKind::Instruction => None,
    };
    directive::read(text).orders.iter().filter_map(|order| kind(order.kind)).map(|kind| Order { kind }).collect()
}

fn in_words(item: &ReviewItem) -> String {
    let draft = &item.draft;
    format!("({}, {}, {}): {}", draft.subject, draft.relation, draft.value, item.why)
}

fn moment(message: &Message) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(&message.at).expect("a message has a moment of RFC 3339")
}
