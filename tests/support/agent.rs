//! An agent in a home of its own, with a model that a test scripts and a clock that it turns.

use std::sync::Arc;
use std::time::Duration;

use atlas_core::assistant::view::{MemoryOrder, MemoryQuery};
use atlas_core::assistant::{Assistant, Error, Parts};
use atlas_core::embedding::Models;
use atlas_core::healing::HealingNote;
use atlas_core::home::{AGENT, Home};
use atlas_core::keychain::FakeKeychain;
use atlas_core::memory::conversation::{Message, MessageState};
use atlas_core::memory::fact::Fact;
use atlas_core::memory::procedure::Procedure;
use atlas_core::providers::Reach;
use atlas_core::providers::preset::{Endpoint, Preset};
use atlas_core::settings::{MemoryWriting, Settings};
use atlas_core::store::StoreError;
use atlas_core::store::id::ConversationId;
use atlas_core::supervisor::EngineConfig;
use atlas_core::turn::event::TurnEvent;
use tokio::sync::mpsc;

use crate::clock::TestClock;
use crate::server::ScriptedServer;

/// When tests begin, unless they say otherwise.
pub const BEGINNING: &str = "2026-03-02T09:00:00+01:00";

/// An agent under test.
pub struct Agent {
    /// Its home; deleted with the test.
    pub home: tempfile::TempDir,
    /// Its time.
    pub clock: Arc<TestClock>,
    /// Its keychain.
    pub keychain: Arc<FakeKeychain>,
    /// The models that its memory is searched with.
    pub embedding: Models,
    /// How its built-in engine is run.
    pub engine: EngineConfig,
    /// How it reaches services.
    pub reach: Reach,
    /// The assistant itself.
    pub assistant: Arc<Assistant>,
}

impl Agent {
    /// An agent that asks the server's model `m`.
    pub async fn asking(server: &ScriptedServer) -> Self {
        let agent = Self::new().await;
        agent.ask(server).await;
        agent
    }

    /// From now on it asks the server's model `m`.
    pub async fn ask(&self, server: &ScriptedServer) {
        self.choose(|settings| settings.endpoint = Some(endpoint(server))).await;
    }

    /// An agent that was never set up, and searches its memory by words alone.
    pub async fn new() -> Self {
        Self::searching_with(Models::none()).await
    }

    /// An agent that was never set up, with this engine.
    pub async fn running(engine: EngineConfig) -> Self {
        Self::with(Models::none(), engine, Reach::default()).await
    }

    /// An agent that was never set up, and reaches services like this.
    pub async fn reaching(reach: Reach) -> Self {
        Self::with(Models::none(), EngineConfig::default(), reach).await
    }

    /// An agent that was never set up, with these models to search its memory.
    pub async fn searching_with(embedding: Models) -> Self {
        Self::with(embedding, EngineConfig::default(), Reach::default()).await
    }

    async fn with(embedding: Models, engine: EngineConfig, reach: Reach) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let clock = Arc::new(TestClock::at(BEGINNING));
        let keychain = Arc::new(FakeKeychain::new());
        let assistant = open(&home, &clock, &keychain, &embedding, &engine, &reach).await;
        Self { home, clock, keychain, embedding, engine, reach, assistant }
    }

    /// Changes its settings.
    pub async fn choose(&self, change: impl FnOnce(&mut Settings)) {
        let mut settings = self.assistant.settings().await.expect("settings").settings;
        settings.model = "m".to_owned();
        settings.memory_writing.get_or_insert(MemoryWriting::InBand);
        change(&mut settings);
        self.assistant.save_settings(settings).await.expect("settings that can be saved");
    }

    /// Closes it and opens it again, as on the next day.
    pub async fn reopened(self) -> Self {
        self.reopened_after(async |_| ()).await
    }

    /// Closes it, does something in its home, and opens it again.
    pub async fn reopened_after(self, work: impl AsyncFnOnce(&Home)) -> Self {
        let Self { home, clock, keychain, embedding, engine, reach, assistant } = self;
        assistant.close().await;
        // Background work lets go of a closed assistant as soon as it notices.
        while Arc::strong_count(&assistant) > 1 {
            tokio::task::yield_now().await;
        }
        drop(assistant);
        let at = Home::at(home.path());
        closed(&at).await;
        work(&at).await;
        let assistant = open(&home, &clock, &keychain, &embedding, &engine, &reach).await;
        Self { home, clock, keychain, embedding, engine, reach, assistant }
    }

    /// Waits for something while time goes by in steps: the clock is turned whenever somebody sleeps, and what takes real
    /// time (a process that starts) gets a moment of it between two turns.
    pub async fn meanwhile<T>(&self, step: Duration, work: impl Future<Output = T>) -> T {
        self.clock.hold();
        let time_goes_by = async {
            loop {
                self.clock.wait_for_sleepers(1).await;
                self.clock.advance(step);
                tokio::time::sleep(Duration::from_millis(4)).await;
            }
        };
        tokio::select! {
            biased;
            done = work => done,
            () = time_goes_by => unreachable!("time does not end"),
        }
    }

    /// Says something in a new conversation and waits for the end of the turn.
    pub async fn says(&self, text: &str) -> Heard {
        self.says_in(None, text).await
    }

    /// Says something and waits for the end of the turn.
    pub async fn says_in(&self, conversation: Option<ConversationId>, text: &str) -> Heard {
        let (events, heard) = mpsc::channel(256);
        self.assistant.send(conversation, text, events).await.expect("a message that can be sent");
        Heard::all(heard).await
    }

    /// What it knows, oldest first.
    pub async fn facts(&self) -> Vec<Fact> {
        self.assistant.facts(oldest()).await.expect("facts").rows
    }

    /// What it learned from failures, oldest first.
    pub async fn procedures(&self) -> Vec<Procedure> {
        self.assistant.procedures(oldest()).await.expect("procedures").rows
    }

    /// The messages of a conversation.
    pub async fn messages(&self, conversation: ConversationId) -> Vec<Message> {
        let view = self.assistant.conversation(conversation).await.expect("the conversation");
        view.messages.into_iter().map(|view| view.message).collect()
    }
}

/// Waits until the last read of a closed agent has let go of its database.
async fn closed(home: &Home) {
    let lock = std::fs::File::open(home.agent(AGENT).join("atlas.lock")).expect("an agent that was open");
    while lock.try_lock().is_err() {
        tokio::task::yield_now().await;
    }
}

async fn open(
    home: &tempfile::TempDir,
    clock: &Arc<TestClock>,
    keychain: &Arc<FakeKeychain>,
    embedding: &Models,
    engine: &EngineConfig,
    reach: &Reach,
) -> Arc<Assistant> {
    loop {
        let parts = Parts {
            clock: clock.clone(),
            keychain: keychain.clone(),
            engine: engine.clone(),
            embedding: embedding.clone(),
            reach: reach.clone(),
        };
        match Assistant::open(Home::at(home.path()), AGENT, parts).await {
            Ok(assistant) => return assistant,
            // A read that nobody waits for any more still holds the database of the one that was closed.
            Err(Error::Store(StoreError::Held)) => tokio::task::yield_now().await,
            Err(error) => panic!("an agent that opens: {error:?}"),
        }
    }
}

/// The real models that memory is searched with. `None`, and said so, where the set-up has not brought them.
pub fn embedding_models() -> Option<Models> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../src-tauri/embedding");
    if std::path::Path::new(folder).join("minilm.onnx").exists() {
        return Some(Models::in_folder(folder));
    }
    eprintln!("passed by: the models are not here; `bash .ci/models embedding` fetches them");
    None
}

/// A scripted server as an endpoint.
pub fn endpoint(server: &ScriptedServer) -> Endpoint {
    Endpoint { preset: Preset::Custom, base_url: server.base_url() }
}

/// The first 500 rows of a memory list, oldest first.
pub fn oldest() -> MemoryQuery {
    MemoryQuery { order: MemoryOrder::Oldest, limit: 500, ..MemoryQuery::default() }
}

/// All events of one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard(pub Vec<TurnEvent>);

impl Heard {
    /// Listens until nothing more can come.
    pub async fn all(mut events: mpsc::Receiver<TurnEvent>) -> Self {
        let mut heard = Vec::new();
        while let Some(event) = events.recv().await {
            heard.push(event);
        }
        let terminal = heard.iter().filter(|event| event.is_terminal()).count();
        assert_eq!(terminal, 1, "exactly one terminal event: {heard:?}");
        assert!(heard.last().is_some_and(TurnEvent::is_terminal), "it comes last: {heard:?}");
        Self(heard)
    }

    /// The terminal event's name: completed, cancelled, failed.
    pub fn terminal(&self) -> &'static str {
        match self.0.last() {
            Some(TurnEvent::Completed { .. }) => "completed",
            Some(TurnEvent::Cancelled { .. }) => "cancelled",
            _ => "failed",
        }
    }

    /// The answer that the terminal event carries.
    pub fn answer(&self) -> Option<&Message> {
        match self.0.last()? {
            TurnEvent::Completed { message } => Some(message),
            TurnEvent::Cancelled { message } | TurnEvent::Failed { message, .. } => message.as_ref(),
            _ => None,
        }
    }

    /// How it failed.
    pub fn failure(&self) -> Option<&atlas_core::healing::FailureView> {
        match self.0.last()? {
            TurnEvent::Failed { failure, .. } => Some(failure),
            _ => None,
        }
    }

    /// What was streamed, put together.
    pub fn streamed(&self) -> String {
        self.0
            .iter()
            .filter_map(|event| if let TurnEvent::Delta { text } = event { Some(text.as_str()) } else { None })
            .collect()
    }

    /// What healed, or was tried.
    pub fn notes(&self) -> Vec<HealingNote> {
        self.0
            .iter()
            .filter_map(|event| if let TurnEvent::Healing { note } = event { Some(note.clone()) } else { None })
            .collect()
    }

    /// The lines about what healed.
    pub fn healing(&self) -> Vec<&str> {
        self.0
            .iter()
            .filter_map(|event| if let TurnEvent::Healing { note } = event { Some(note.line.as_str()) } else { None })
            .collect()
    }

    /// The sentences of the changes of memory.
    pub fn remembered(&self) -> Vec<&str> {
        let changes = self
            .0
            .iter()
            .filter_map(|event| if let TurnEvent::MemoryChanged { changes } = event { Some(changes) } else { None });
        changes.flatten().map(|change| change.sentence.as_str()).collect()
    }

    /// The conversation that it was in.
    pub fn conversation(&self) -> ConversationId {
        let started = self.0.iter().find_map(|event| {
            if let TurnEvent::Started { conversation, .. } = event { Some(*conversation) } else { None }
        });
        started.expect("the turn started")
    }

    /// The answer's state, where there is an answer.
    pub fn state(&self) -> Option<MessageState> {
        self.answer().map(|message| message.state)
    }
}
