//! One chat turn, from the person's text to a stored answer and stored memories.
//!
//! Invariant: the person's message is on disk before a turn runs, and exactly one terminal event ends it.
//! Every failure inside a turn goes through `healing`; this is the only place that tries again.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::behavior::{self, BehaviorSpec, versions};
use crate::clock::Clock;
use crate::healing::playbook::{AtHand, Budget, Course, Playbook};
use crate::healing::{Failure, FailureKind, FailureView, HealingNote, Phase, Remedy, Step, outcome};
use crate::memory::conversation::{self, Message, MessageState, NewMessage, Role};
use crate::memory::history::change::{ChangeKind, MemoryChange, MemoryRef, UsedMemory};
use crate::memory::index::Index;
use crate::memory::recall::{
    fence, {self, Ask, Room},
};
use crate::memory::writing::{lost, ops::MemoryOps, review};
use crate::providers::preset::Preset;
use crate::providers::{ChatRequest, Provider};
use crate::settings::{MemoryWriting, Settings};
use crate::store::id::{FactId, MessageId, SpecVersion};
use crate::store::{Store, StoreError};

mod attempt;
pub mod begin;
mod checkpoint;
pub mod event;
mod markdown;
pub mod memorize;
pub mod memory_ops;
mod prompt;
pub mod reasoning;
pub mod record;

use attempt::{Answer, End, Outlet};
use begin::Begun;
use checkpoint::Checkpoint;
use event::TurnEvent;
use memorize::{Followed, TakenBy, Teaches};
use record::{Ending, Outcome};

/// How many tokens of recalled memory a prompt holds at most.
pub(crate) const MEMORY_BUDGET: u64 = 1_200;
/// The same for a model on this computer, which reads some fifty tokens in a second: the person waits for each of them.
const LOCAL_MEMORY_BUDGET: u64 = 400;

/// Small models wander at the engine's usual 0.8: they deny what they were told a line before.
const BUILT_IN_TEMPERATURE: f32 = 0.3;
/// How many tokens an answer of the built-in model has at most: the smallest ones do not always come to an end by
/// themselves. An answer that is cut can be gone on with.
const LONGEST_BUILT_IN_ANSWER: u32 = 1_024;

/// What a turn works with.
pub struct Turn {
    /// The agent's database.
    pub store: Store,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The model's service, or why there is none.
    pub provider: Result<Arc<dyn Provider>, FailureKind>,
    /// What people call that service.
    pub provider_name: String,
    /// The side of memory's index that lives in memory.
    pub index: Index,
    /// The agent's model and limits.
    pub settings: Settings,
    /// The spec in force.
    pub spec: Arc<BehaviorSpec>,
    /// The spec as the model is told it.
    pub spec_prompt: Arc<str>,
    /// The version of the spec.
    pub spec_version: SpecVersion,
    /// The turn's beginning.
    pub begun: Begun,
    /// Where events go.
    pub events: mpsc::Sender<TurnEvent>,
    /// The person's Stop.
    pub cancel: CancellationToken,
}

/// What stands in a turn's prompt.
struct Gathered {
    working_memory: Vec<Message>,
    memory_block: String,
    used: Vec<UsedMemory>,
    /// What Atlas did about the message by itself.
    done: Option<String>,
}

/// How asking went, with all that healed on the way.
struct Asked {
    answer: Answer,
    end: End,
    healing: Vec<HealingNote>,
    outcomes: Vec<outcome::Outcome>,
    volatile: String,
    message: Option<MessageId>,
}

impl Turn {
    /// Runs the turn to its end. Gives back the terminal event, to be sent when the turn's place is free again: who
    /// hears it may begin the next turn at once.
    pub async fn run(mut self) -> TurnEvent {
        match self.conduct().await {
            Ok(terminal) => terminal,
            Err(error) => {
                let failure = self.store_failure(&error);
                let (turn, told, now) = (self.begun.turn, failure.clone(), self.clock.now());
                // Where this cannot be written either, the next start does it.
                let _ = self.store.write(move |tx| record::abandon(tx, turn, &told, now)).await;
                TurnEvent::Failed { message: None, failure }
            }
        }
    }

    async fn conduct(&mut self) -> Result<TurnEvent, StoreError> {
        let followed = self.follow_directive().await?;
        let mut gathered = self.gather(&followed).await?;
        gathered.done = done_by_code(&followed);
        self.emit(TurnEvent::Started {
            turn: self.begun.turn,
            conversation: self.begun.message.conversation,
            message: self.begun.message.clone(),
            used: gathered.used.clone(),
        })
        .await;
        self.tell_changes(followed.changes).await;
        let remark = followed.remark.map(|line| HealingNote::remark("memory", line));
        if let Some(note) = &remark {
            self.emit(TurnEvent::Healing { note: note.clone() }).await;
        }
        let mut asked = self.ask(&gathered).await;
        asked.healing.splice(0..0, remark);
        let ops = std::mem::take(&mut asked.answer.ops);
        if ops.invalid {
            self.note_unreadable_ops(&mut asked, ops.refused).await;
        }
        let usage = asked.answer.usage;
        let owes_extraction = self.owes_extraction() && followed.teaches == Teaches::Facts;
        let terminal = self.finish(asked, gathered.used, owes_extraction).await?;
        self.emit(TurnEvent::Usage { usage }).await;
        if matches!(terminal, TurnEvent::Completed { .. }) && !owes_extraction {
            match followed.teaches {
                Teaches::Facts => self.remember(ops).await,
                Teaches::Note => self.remember(MemoryOps { facts: Vec::new(), ..ops }).await,
                Teaches::Nothing => {}
            }
        }
        Ok(terminal)
    }

    /// What the model wants remembered. The answer is on disk and stands, whatever becomes of this.
    async fn remember(&self, ops: MemoryOps) {
        let by = TakenBy::Answer(self.begun.turn);
        let learned =
            memorize::apply_ops(&self.store, &self.begun.message, ops, &self.spec, self.clock.as_ref(), by).await;
        match learned {
            Ok(changes) => self.tell_changes(changes).await,
            Err(error) => {
                let line = format!("The answer is kept, but nothing of it was remembered. {}", error.message());
                let note = HealingNote::remark(error.code(), line);
                self.emit(TurnEvent::Healing { note }).await;
            }
        }
    }

    /// What the person told Atlas itself to remember, forget or seal: done by code, whatever the model.
    async fn follow_directive(&mut self) -> Result<Followed, StoreError> {
        if self.is_temporary() {
            return Ok(memorize::in_a_temporary_conversation(&self.begun.message, self.clock.as_ref()));
        }
        let followed =
            memorize::follow_directive(&self.store, &self.begun.message, &self.spec, self.clock.as_ref()).await?;
        if let Some(topic) = &followed.seals {
            self.seal(topic).await?;
        }
        Ok(followed)
    }

    /// Seals a topic, from this turn on: a new version of the spec.
    async fn seal(&mut self, topic: &str) -> Result<(), StoreError> {
        let is_known = |known: &String| known.trim().to_lowercase() == topic.trim().to_lowercase();
        if self.spec.sealed_topics.iter().any(is_known) {
            return Ok(());
        }
        let mut spec = self.spec.as_ref().clone();
        spec.sealed_topics.push(topic.to_owned());
        self.spec_prompt = behavior::render(&spec).into();
        self.spec = Arc::new(spec.clone());
        let now = self.clock.now();
        let saved = self.store.write(move |tx| {
            review::drop_sealed(tx, &spec.sealed_topics)?;
            versions::save(tx, &spec, now)
        });
        self.spec_version = saved.await?;
        Ok(())
    }

    async fn gather(&self, followed: &Followed) -> Result<Gathered, StoreError> {
        // What this very message taught is not something that was remembered before.
        let taught: Vec<FactId> = followed.changes.iter().filter_map(|change| change.fact).collect();
        let (message, limit) = (self.begun.message.clone(), self.settings.working_memory_limit);
        let turn = self.begun.turn;
        let (now, budget) = (self.clock.local_now(), self.memory_budget());
        let index = self.index.clone();
        self.store
            .read(move |conn| {
                let working_memory = working_memory(conn, &message, limit)?;
                let ask = Ask {
                    question: &message.text,
                    now,
                    budget,
                    conversation: Some(message.conversation),
                    room: Room::Fill,
                };
                let mut recalled = recall::recall(conn, &index, &ask)?;
                // Nor is what an earlier answer to it took from it: this one shall say so again, or it goes.
                let again = lost::only_from_earlier_answers(conn, message.id, turn)?;
                let is_own = |id: &FactId| taught.contains(id) || again.contains(id);
                recalled.items.retain(|item| !matches!(&item.memory, MemoryRef::Fact(id) if is_own(id)));
                let (memory_block, used) = (recalled.render(), recalled.used());
                Ok(Gathered { working_memory, memory_block, used, done: None })
            })
            .await
    }

    /// Asks the model, and again where a remedy says so.
    async fn ask(&self, gathered: &Gathered) -> Asked {
        let mut working_memory = gathered.working_memory.as_slice();
        let checkpoint = Checkpoint::begin(self.store.clone(), self.clock.clone(), self.new_answer());
        let mut answer = Answer::going_on(self.new_answer().text);
        let mut healing = Vec::new();
        let mut outcomes = Vec::new();
        let mut course = Course::new(Budget::of(&self.settings));
        let (end, volatile) = loop {
            let (request, volatile) = self.request(gathered, working_memory);
            let outlet = Outlet { events: &self.events, checkpoint: &checkpoint, cancel: &self.cancel };
            let end = match &self.provider {
                _ if self.cancel.is_cancelled() => End::Cancelled,
                Ok(provider) => attempt::attempt(provider.as_ref(), &request, &mut answer, &outlet).await,
                Err(kind) => End::Failed(kind.clone()),
            };
            if end != End::Cancelled {
                outcomes.extend(course.came_of_it(!matches!(end, End::Failed(_))));
            }
            // What the person has read stays: it is never asked for again behind their back.
            let failure = match end {
                End::Failed(kind) if !answer.has_new_text() => self.failure(kind),
                end => break (end, volatile),
            };
            let at_hand = AtHand { can_shrink: !working_memory.is_empty(), ..AtHand::default() };
            let step = course.next(&failure, &at_hand, &Playbook::default(), self.clock.now(), rand::random());
            if step.remedy == Remedy::AskPerson {
                outcomes.extend(course.came_of_it(false));
                break (End::Failed(failure.kind), volatile);
            }
            let note = failure.note(step, "");
            self.emit(TurnEvent::Healing { note: note.clone() }).await;
            healing.push(note);
            match step.remedy {
                Remedy::Wait if !self.wait(step.wait).await => break (End::Cancelled, volatile),
                Remedy::ShrinkContext => working_memory = newer_half(working_memory),
                _ => {}
            }
        };
        let message = checkpoint.finish().await;
        Asked { answer, end, healing, outcomes, volatile, message }
    }

    /// Waits, unless the person stops the turn. Whether the wait came to its end.
    async fn wait(&self, wait: std::time::Duration) -> bool {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => false,
            () = self.clock.sleep(wait) => true,
        }
    }

    fn request(&self, gathered: &Gathered, working_memory: &[Message]) -> (ChatRequest, String) {
        let parts = prompt::Parts {
            spec: &self.spec_prompt,
            working_memory,
            memory_block: &gathered.memory_block,
            local_now: self.clock.local_now(),
            memory_ops: self.writes_in_band(),
            text: &self.begun.message.text,
            done: gathered.done.as_deref(),
            continues: self.begun.continues.as_ref().map(|cut| cut.text.as_str()),
        };
        let volatile = prompt::volatile_block(&parts);
        let request = ChatRequest {
            model: self.settings.model.clone(),
            messages: prompt::assemble(&parts, &volatile),
            temperature: self.asks_the_built_in_model().then_some(BUILT_IN_TEMPERATURE),
            max_tokens: self.asks_the_built_in_model().then_some(LONGEST_BUILT_IN_ANSWER),
            schema: None,
        };
        (request, volatile)
    }

    fn asks_the_built_in_model(&self) -> bool {
        self.settings.endpoint.as_ref().is_some_and(|endpoint| endpoint.preset == Preset::BuiltIn)
    }

    fn memory_budget(&self) -> u64 {
        match &self.settings.endpoint {
            Some(endpoint) if endpoint.preset.runs_here() => LOCAL_MEMORY_BUDGET,
            _ => MEMORY_BUDGET,
        }
    }

    /// Whether nothing of it is stored or remembered.
    fn is_temporary(&self) -> bool {
        self.begun.message.conversation.is_temporary()
    }

    fn writes_in_band(&self) -> bool {
        !self.is_temporary()
            && self.settings.effective_memory_writing() == MemoryWriting::InBand
            && !self.spec.memory_directives.store_facts.trim().is_empty()
    }

    fn owes_extraction(&self) -> bool {
        !self.is_temporary()
            && self.settings.effective_memory_writing() == MemoryWriting::SecondCall
            && !self.spec.memory_directives.store_facts.trim().is_empty()
    }

    fn new_answer(&self) -> NewMessage {
        NewMessage {
            conversation: self.begun.message.conversation,
            turn: Some(self.begun.turn),
            role: Role::Assistant,
            text: self.begun.continues.as_ref().map(|cut| cut.text.clone()).unwrap_or_default(),
            state: MessageState::Streaming,
            model: Some((self.settings.model.clone(), self.provider_name.clone())),
            speaker: None,
        }
    }

    async fn note_unreadable_ops(&self, asked: &mut Asked, refused: usize) {
        let failure = self.failure(FailureKind::MemoryOpsInvalid { refused });
        let note = failure.note(Step::now(Remedy::Repair), "");
        self.emit(TurnEvent::Healing { note: note.clone() }).await;
        asked.healing.push(note);
        asked.outcomes.push(outcome::Outcome::of(&failure, Remedy::Repair, true));
    }

    /// The answer, how the turn ended and what healed: one transaction.
    async fn finish(
        &self,
        asked: Asked,
        used: Vec<UsedMemory>,
        owes_extraction: bool,
    ) -> Result<TurnEvent, StoreError> {
        let Asked { answer, end, healing, outcomes, volatile, message } = asked;
        let (text, is_new) = (answer.text.trim_end().to_owned(), answer.has_new_text());
        let (outcome, state) = match &end {
            End::Finished => (Outcome::Completed, MessageState::Complete),
            End::CutByLimit => (Outcome::Completed, MessageState::CutByLimit),
            End::Cancelled => (Outcome::Cancelled, MessageState::Partial),
            End::Failed(_) => (Outcome::Failed, MessageState::Partial),
        };
        let failure = match end {
            End::Failed(kind) => Some(self.failure(kind).view()),
            End::Finished | End::CutByLimit | End::Cancelled => None,
        };
        let ending = Ending {
            answer: None,
            outcome,
            failure: failure.clone(),
            healing,
            prompt_block: volatile,
            used,
            extraction_owed: outcome == Outcome::Completed && owes_extraction,
        };
        let (new, turn, usage, now) = (self.new_answer(), self.begun.turn, answer.usage, self.clock.now());
        let outcomes =
            if self.spec.memory_directives.store_procedures.trim().is_empty() { Vec::new() } else { outcomes };
        let stored = self
            .store
            .write(move |tx| {
                let id = match message {
                    Some(id) => Some(id),
                    None if is_new => Some(conversation::add_message(tx, &new, now)?),
                    None => None,
                };
                if let Some(id) = id {
                    conversation::finish_message(tx, id, &text, state, usage)?;
                }
                record::end(tx, turn, &Ending { answer: id, ..ending.clone() }, now)?;
                recall::count_use(tx, &ending.used, now)?;
                outcomes.iter().try_for_each(|outcome| outcome.record(tx, now))?;
                id.map(|id| conversation::message(tx, id)).transpose()
            })
            .await?;
        Ok(match (outcome, stored, failure) {
            (Outcome::Completed, Some(message), _) => TurnEvent::Completed { message },
            (Outcome::Cancelled, message, _) => TurnEvent::Cancelled { message },
            (_, message, Some(failure)) => TurnEvent::Failed { message, failure },
            (_, message, None) => TurnEvent::Failed { message, failure: self.failure(FailureKind::EmptyAnswer).view() },
        })
    }

    fn failure(&self, kind: FailureKind) -> Failure {
        Failure { kind, provider: self.provider_name.clone(), model: self.settings.model.clone(), phase: Phase::Asking }
    }

    /// A failure of the database, in the database's own words for people.
    fn store_failure(&self, error: &StoreError) -> FailureView {
        FailureView { message: error.message(), ..self.failure(FailureKind::from(error)).view() }
    }

    async fn tell_changes(&self, changes: Vec<MemoryChange>) {
        if !changes.is_empty() {
            self.emit(TurnEvent::MemoryChanged { changes }).await;
        }
    }

    /// A shell that has gone away is no reason to stop: the outcome is on disk.
    async fn emit(&self, event: TurnEvent) {
        let _ = self.events.send(event).await;
    }
}

/// The earlier messages that a prompt holds.
fn working_memory(conn: &rusqlite::Connection, message: &Message, limit: u32) -> Result<Vec<Message>, StoreError> {
    let count = conversation::count_before(conn, message.conversation, message.id)?;
    let start = prompt::working_memory_start(count, limit as usize);
    let kept = u32::try_from(count - start).unwrap_or(limit);
    conversation::messages_before(conn, message.conversation, message.id, kept)
}

/// What the model must know of what code did, so that it neither does it again nor claims what did not happen.
fn done_by_code(followed: &Followed) -> Option<String> {
    let told = followed.changes.iter().map(|change| {
        let what = match change.kind {
            ChangeKind::Forgotten => "forgotten",
            ChangeKind::Dismissed | ChangeKind::Retired => "no longer stored",
            ChangeKind::Added
            | ChangeKind::Confirmed
            | ChangeKind::Superseded
            | ChangeKind::Edited
            | ChangeKind::Imported
            | ChangeKind::Accepted
            | ChangeKind::Pinned
            | ChangeKind::Unpinned => "stored",
        };
        format!("{what}: {}", fence::harmless(&change.sentence))
    });
    let all: Vec<String> = told.chain(followed.remark.clone()).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

fn newer_half(messages: &[Message]) -> &[Message] {
    &messages[messages.len().div_ceil(2)..]
}
