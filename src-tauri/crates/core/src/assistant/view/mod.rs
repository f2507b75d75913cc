//! What shells see of the assistant besides the rows themselves.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::backups::StoreHealthView;
use crate::behavior::BehaviorSpec;
pub use crate::behavior::{BehaviorPreview, Severity, SpecProblem};
use crate::healing::{FailureView, HealingNote};
pub use crate::keychain::{KeepKey, KeyPlace, KeyStatus};
use crate::memory::conversation::{Conversation, Message};
pub use crate::memory::forgetting::preview::{ForgetMessage, ForgetPreview};
pub use crate::memory::forgetting::receipt::ErasureReceipt;
pub use crate::memory::forgetting::{ForgetMessages, ForgetTarget};
use crate::memory::history::change::{MemoryChange, MemoryRef, UsedMemory};
pub use crate::memory::history::timeline::{EventQuery, MemoryEventView};
pub use crate::memory::page::{
    AsOf, AsOfView, MemoryCounts, MemoryFilters, MemoryOrder, MemoryQuery, Page, SubjectCount,
};
use crate::memory::recall::{Reason, ReasonName};
pub use crate::memory::transfer::imports::{ImportUndone, ImportView};
pub use crate::memory::transfer::{ExportFormat, ExportReport, ImportPlan, ImportReport, MemoryFileEdits};
use crate::providers::preset::{Endpoint, PresetView};
pub use crate::settings::WritingTrial;
use crate::settings::{MemoryWriting, Settings};
use crate::store::id::{ConversationId, MessageId, SpecVersion, TurnId};
pub use crate::supervisor::{CatalogueModel, DownloadState, EngineState, LocalModel, MemoryNeed};

pub mod health;

/// A conversation, opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ConversationView {
    /// The conversation.
    pub conversation: Conversation,
    /// Its messages, oldest first; replaced answers are left out.
    pub messages: Vec<MessageView>,
    /// The turn that is under way in it, if one is.
    pub running: Option<TurnId>,
}

/// A message with what belongs beneath it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MessageView {
    /// The message.
    pub message: Message,
    /// For an answer: the memories that stood in its prompt.
    pub used: Vec<UsedMemory>,
    /// For a person's message: whether it said something else before.
    pub edited: bool,
    /// For a person's message: what it changed in memory and was not undone.
    pub changes: Vec<MemoryChange>,
    /// For a person's message: what healed in its latest turn.
    pub healing: Vec<HealingNote>,
    /// For a person's message: how its latest turn failed, if it did.
    pub failure: Option<FailureView>,
}

/// What recall finds for a question, and what the model would be shown of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RecallTest {
    /// Best first; what only fills the room comes last.
    pub hits: Vec<RecallHit>,
    /// The block of the prompt, as it is.
    pub block: String,
    /// Nothing relevant is known: what is there is pinned, or fills the room.
    pub silent: bool,
    /// How long it took, in milliseconds.
    pub took_ms: f64,
}

/// One memory that recall found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RecallHit {
    /// Which.
    pub memory: MemoryRef,
    /// As it stands in the prompt.
    pub sentence: String,
    /// Higher is better; 0 for what only fills the room.
    pub score: f64,
    /// When it was learned, said, or happened.
    pub at: Option<DateTime<Utc>>,
    /// The conversation that it stands in.
    pub conversation: Option<ConversationId>,
    /// The message that it is.
    pub message: Option<MessageId>,
    /// Why it stands where it does; their contributions add up to the score.
    pub reasons: Vec<RecallReason>,
}

/// One of the reasons for a memory's place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct RecallReason {
    /// Which.
    pub name: ReasonName,
    /// For people: "Same words: live, Porto".
    pub label: String,
    /// How much of it there is, mostly from 0 to 1.
    pub value: f64,
    /// What it adds to the score.
    pub contribution: f64,
}

impl From<Reason> for RecallReason {
    fn from(reason: Reason) -> Self {
        let label = match reason.name {
            ReasonName::Lexical if reason.words.is_empty() => "Related words".to_owned(),
            ReasonName::Lexical => format!("Same words: {}", reason.words.join(", ")),
            ReasonName::Dense => "Meaning".to_owned(),
            ReasonName::Date => "The time you ask about".to_owned(),
            ReasonName::Neighbours => "What was said around it".to_owned(),
            ReasonName::Session => "What the conversation was about".to_owned(),
            ReasonName::Speaker => "Who said it".to_owned(),
            ReasonName::Form => "What kind of sentence it is".to_owned(),
            ReasonName::Kind => "What kind of memory it is".to_owned(),
            ReasonName::AboutYou => "It is about you".to_owned(),
            ReasonName::Pin => "Pinned".to_owned(),
            ReasonName::Recency => "Recent".to_owned(),
            ReasonName::Familiar => "Fills the room: about you".to_owned(),
        };
        Self { name: reason.name, label, value: reason.value, contribution: reason.contribution }
    }
}

/// What a turn began with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TurnHandle {
    /// The turn, to stop it.
    pub turn: TurnId,
    /// Its conversation, new or old.
    pub conversation: ConversationId,
    /// The person's message, which is on disk.
    pub message: MessageId,
}

/// Why an answer was what it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct AnswerSources {
    /// The memories that stood in its prompt.
    pub used: Vec<UsedMemory>,
    /// The block of the prompt that changes each turn, exactly as it was sent.
    pub prompt_block: String,
    /// The version of the spec that it followed.
    pub spec_version: SpecVersion,
}

/// How often a seal kept something out of memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SealCount {
    /// The sealed topic, in the person's words.
    pub topic: String,
    /// How often.
    pub times: u32,
}

/// The behaviour in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct BehaviorView {
    /// The spec.
    pub spec: BehaviorSpec,
    /// Its version.
    pub version: SpecVersion,
    /// When it was saved.
    pub saved_at: DateTime<Utc>,
    /// How often each sealed topic kept something out; of an earlier version nothing is told.
    pub kept_out: Vec<SealCount>,
}

/// The settings and what they mean here and now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SettingsView {
    /// The settings in force.
    pub settings: Settings,
    /// How facts get into memory with the chosen model, when Atlas chooses.
    pub automatic_memory_writing: MemoryWriting,
    /// What came of trying which form the chosen model can answer in; none where it was not tried.
    pub writing_trial: Option<WritingTrial>,
    /// All the services that Atlas knows.
    pub presets: Vec<PresetView>,
    /// The key of the chosen service.
    pub key: KeyStatus,
    /// The model files that the built-in engine has here.
    pub local_models: Vec<LocalModel>,
    /// Where everything is kept.
    pub data_folder: String,
}

/// Something that Atlas found at its first run and could use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Found {
    /// Where.
    pub endpoint: Endpoint,
    /// For people: "Ollama is running on this computer, with 3 models".
    pub title: String,
    /// The model to begin with.
    pub model: String,
    /// Whether a key came from the environment and could be saved to the keychain.
    pub key_from_environment: bool,
}

/// What a connection test found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "type")]
#[ts(export)]
pub enum ConnectionTest {
    /// It answered.
    Works {
        /// For people: "claude-haiku-4.5 answered in 0.8 s."
        message: String,
    },
    /// It did not.
    Fails {
        /// What is wrong and what to do.
        failure: FailureView,
    },
}

/// What a wipe would take, counted before it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct WipePlan {
    /// The things, each named and counted: "214 facts", "1 key in the keychain (OpenRouter)", "2 backups, 3.1 MB".
    pub items: Vec<String>,
}

/// What a wipe takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum WipeScope {
    /// Facts, episodes, procedures and the log of changes; conversations stay.
    Memory,
    /// Everything that Atlas keeps: databases, keys, backups, logs, downloaded models.
    Everything,
}

/// What to do with what a conversation taught, when it is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Learned {
    /// Keep it.
    Keep,
    /// Forget what only this conversation supported.
    Forget,
}

/// The answer to a slash command; it is shown, not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct CommandReply {
    /// Markdown.
    pub text: String,
    /// What it changed in memory (`/remember`).
    pub changed: Vec<String>,
}

/// Rare facts that every window should hear.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "type")]
#[ts(export)]
pub enum AppEvent {
    /// Memory changed outside a turn's own events: by work after the answer, by hand, by an undo.
    MemoryChanged {
        /// The person's message that caused it, if one did.
        message: Option<MessageId>,
        /// How; empty when it is enough to load anew.
        changes: Vec<MemoryChange>,
    },
    /// What was forgotten is erased: it cannot be brought back any more.
    Erased {
        /// What went, in kinds and numbers.
        receipt: ErasureReceipt,
    },
    /// The list of conversations changed.
    ConversationsChanged,
    /// Another version of the spec is in force: one was saved, or a sentence in the chat sealed a topic.
    BehaviorChanged,
    /// What waited to be searched by meaning has been read, or a good part of it.
    Embedding {
        /// How far it is.
        status: EmbeddingStatus,
    },
    /// The built-in engine's state changed.
    Engine {
        /// Which.
        state: EngineState,
    },
    /// A download went on, stopped or ended; told a few times a second at most.
    Download {
        /// How far it is.
        state: DownloadState,
    },
    /// The list of model files on this computer changed.
    ModelsChanged,
    /// The database, or what is known of it, changed.
    StoreHealth {
        /// How it is.
        health: StoreHealthView,
    },
    /// The network went away or came back.
    Network {
        /// Whether it is there.
        online: bool,
    },
    /// Something failed or healed: the Health page has more to show.
    HealthChanged,
    /// Something that the person should know of wherever they are; the desktop shows it where they allow that.
    Notice {
        /// What happened, in a few words.
        title: String,
        /// What it means and what to do.
        body: String,
    },
}

/// How far memory can be searched by meaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct EmbeddingStatus {
    /// Whether a model reads at all: without one, memory is searched by words alone.
    pub by_meaning: bool,
    /// For people: the model that reads, or why none does.
    pub model: String,
    /// How many passages wait to be read.
    #[ts(type = "number")]
    pub waiting: u64,
    /// How many passages there are.
    #[ts(type = "number")]
    pub total: u64,
}

/// An error as a shell gets it: the shell switches on `code`, the person reads `message`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ErrorView {
    /// A stable code.
    pub code: String,
    /// What happened and what to try. Plain text.
    pub message: String,
    /// Whether the same call may work when it is made again.
    pub retryable: bool,
}
