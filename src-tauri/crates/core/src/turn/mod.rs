//! One chat turn, from the person's text to a stored answer and stored memories.
//!
//! Invariant: the person's message is on disk before a turn runs, and exactly one terminal event ends it.
//! Every failure inside a turn goes through `healing`; this is the only place that tries again.

use std::sync::Arc;

use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::behavior::BehaviorSpec;
use crate::clock::Clock;
use crate::healing::breakers::Breakers;
use crate::healing::timeline::{self, Event, Source};
use crate::healing::{Failure, FailureKind, FailureView, HealingNote, Phase, Remedy, Step, outcome};
use crate::memory::conversation::{self, MessageState, NewMessage, Role};
use crate::memory::history::change::{MemoryChange, UsedMemory};
use crate::memory::index::Index;
use crate::memory::recall;
use crate::memory::writing::ops::MemoryOps;
use crate::settings::{MemoryWriting, Settings};
use crate::store::id::SpecVersion;
use crate::store::{Store, StoreError};

mod asking;
mod attempt;
pub mod begin;
mod checkpoint;
pub mod conduct;
mod digest;
pub mod event;
mod from_memory;
mod gather;
pub mod limits;
mod markdown;
pub mod memorize;
pub mod memory_ops;
mod outlet;
mod prompt;
pub mod reasoning;
pub mod record;
mod splice;
pub mod target;

use asking::{Asked, Asking};
use attempt::End;
use begin::Begun;
use conduct::Conduct;
use event::TurnEvent;
use gather::{Gathered, done_by_code};
use limits::ContextLimits;
use memorize::TakenBy;
use record::{Ending, Outcome};
use target::{Alternatives, FindTarget, Target};

/// How many tokens of recalled memory a prompt holds at most.
pub(crate) const MEMORY_BUDGET: u64 = 1_200;
/// The same for a model on this computer, which reads some fifty tokens in a second: the person waits for each of them.
const LOCAL_MEMORY_BUDGET: u64 = 400;

/// What a turn works with.
pub struct Turn {
    /// The agent's database.
    pub store: Store,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Whom it asks first.
    pub target: Target,
    /// What may be asked instead.
    pub alternatives: Alternatives,
    /// How that is found.
    pub find: FindTarget,
    /// Which services are left alone for a while.
    pub breakers: Breakers,
    /// Whether there is a network, where that is known.
    pub online: Option<bool>,
    /// How much the models read, as far as it was learned.
    pub limits: ContextLimits,
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
    /// The person's "do not wait".
    pub skip: Arc<Notify>,
}

/// What came of a turn.
pub struct Ran {
    /// The terminal event, to be sent when the turn's place is free again: who hears it may begin the next turn at once.
    pub terminal: TurnEvent,
    /// The failure that nothing helped, where there is one.
    pub unhealed: Option<Failure>,
    /// What the answer's conduct is measured by, where there is an answer.
    pub conduct: Option<Conduct>,
    /// Whether the service that was asked last is elsewhere.
    pub came_over_the_network: bool,
}

impl Turn {
    /// Runs the turn to its end.
    pub async fn run(mut self) -> Ran {
        match self.conduct().await {
            Ok(ran) => ran,
            Err(error) => {
                let failure = self.store_failure(&error);
                let (turn, told, now) = (self.begun.turn, failure.clone(), self.clock.now());
                // Where this cannot be written either, the next start does it.
                let _ = self.store.write(move |tx| record::abandon(tx, turn, &told, now)).await;
                let terminal = TurnEvent::Failed { message: None, failure };
                Ran { terminal, unhealed: None, conduct: None, came_over_the_network: false }
            }
        }
    }

    async fn conduct(&mut self) -> Result<Ran, StoreError> {
        let followed = self.follow_orders().await?;
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
        let afresh = if gathered.has_left_role { Some(self.begin_afresh().await) } else { None };
        let (mut asked, end) = Asking::new(self, &gathered).run().await;
        let (note, event) = afresh.unzip();
        asked.healing.splice(0..0, remark.into_iter().chain(note));
        asked.events.splice(0..0, event);
        let ops = std::mem::take(&mut asked.answer.ops);
        let is_asked_again = ops.invalid && self.note_unreadable_ops(&mut asked, &ops).await == Remedy::AskPartAgain;
        let usage = asked.answer.usage;
        let unhealed = asked.unhealed.take();
        let conduct = self.conduct_of(&asked, &gathered);
        let came_over_the_network = !asked.is_from_memory && !asked.target.runs_here();
        let owes_extraction = (is_asked_again || self.owes_extraction(&asked)) && !followed.is_all;
        let terminal = self.finish(asked, end, gathered.used, owes_extraction).await?;
        self.emit(TurnEvent::Usage { usage }).await;
        let is_whole = matches!(terminal, TurnEvent::Completed { .. });
        if is_whole && !self.is_temporary() && !owes_extraction && !followed.is_all {
            self.remember(ops).await;
        }
        let conduct = conduct.filter(|conduct| is_whole || !conduct.violations.is_empty());
        Ok(Ran { terminal, unhealed, conduct, came_over_the_network })
    }

    /// What its conduct is measured by, where there is an answer of a model's.
    fn conduct_of(&self, asked: &Asked, gathered: &Gathered) -> Option<Conduct> {
        let has_something = asked.answer.has_new_text() || !asked.violations.is_empty();
        let counts = !self.is_temporary() && !asked.is_from_memory && has_something;
        let answers = gathered.working_memory.iter().filter(|message| message.role == Role::Assistant);
        counts.then(|| Conduct {
            turn: self.begun.turn,
            spec: self.spec.clone(),
            question: self.begun.message.text.clone(),
            before: gathered.said_before(),
            answers: answers.map(|message| message.text.clone()).collect(),
            answer: asked.answer.text.clone(),
            model: asked.target.model.clone(),
            provider: asked.target.name.clone(),
            violations: asked.violations.clone(),
        })
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

    /// Whether nothing of it is stored or remembered.
    fn is_temporary(&self) -> bool {
        self.begun.message.conversation.is_temporary()
    }

    fn writes_in_band(&self, target: &Target) -> bool {
        self.takes_facts() && target.memory_writing(&self.settings) == MemoryWriting::InBand
    }

    /// Whether facts are still to be taken from the message by a second call: where the model that answered is not asked for
    /// them in its answer, and where none answered.
    fn owes_extraction(&self, asked: &Asked) -> bool {
        let has_none = asked.is_from_memory || asked.target.memory_writing(&self.settings) != MemoryWriting::InBand;
        self.takes_facts() && has_none
    }

    fn takes_facts(&self) -> bool {
        !self.is_temporary() && !self.spec.memory_directives.store_facts.trim().is_empty()
    }

    fn new_answer(&self, target: &Target) -> NewMessage {
        NewMessage {
            conversation: self.begun.message.conversation,
            turn: Some(self.begun.turn),
            role: Role::Assistant,
            text: self.begun.continues.as_ref().map(|cut| cut.text.clone()).unwrap_or_default(),
            state: MessageState::Streaming,
            model: Some((target.model.clone(), target.name.clone())),
            speaker: None,
        }
    }

    /// Tells that the answers before had left the role, and that this one begins with the spec and the memories alone.
    async fn begin_afresh(&self) -> (HealingNote, Event) {
        let failure = self.failure(FailureKind::OffRole, &self.target);
        let note = failure.note(Step::now(Remedy::StartAfresh), "");
        self.emit(TurnEvent::Healing { note: note.clone() }).await;
        let event = Event::of(&failure, Source::Conduct, timeline::Outcome::Worked, self.clock.now());
        (note, Event { remedy: Some(Remedy::StartAfresh), turn: Some(self.begun.turn), ..event })
    }

    /// A memory block that cannot be read: what can be read of it is kept, else it is asked for again, alone.
    async fn note_unreadable_ops(&self, asked: &mut Asked, ops: &MemoryOps) -> Remedy {
        let kind = FailureKind::MemoryOpsInvalid { refused: ops.refused };
        let failure = Failure { phase: Phase::After, ..self.failure(kind, &asked.target) };
        let is_lost = ops.refused == 0 && ops.facts.is_empty() && self.takes_facts();
        let remedy = if is_lost { Remedy::AskPartAgain } else { Remedy::Repair };
        let note = failure.note(Step::now(remedy), "");
        self.emit(TurnEvent::Healing { note: note.clone() }).await;
        asked.healing.push(note);
        asked.outcomes.push(outcome::Outcome::of(&failure, remedy, true));
        let event = Event::of(&failure, Source::Turn, timeline::Outcome::Worked, self.clock.now());
        asked.events.push(Event { remedy: Some(remedy), turn: Some(self.begun.turn), ..event });
        remedy
    }

    /// The answer, how the turn ended and what healed: one transaction.
    async fn finish(
        &self,
        asked: Asked,
        end: End,
        used: Vec<UsedMemory>,
        owes_extraction: bool,
    ) -> Result<TurnEvent, StoreError> {
        let text = asked.answer.text.trim_end().to_owned();
        let is_new = asked.answer.has_new_text();
        let (outcome, state) = match &end {
            End::Finished => (Outcome::Completed, MessageState::Complete),
            End::CutByLimit => (Outcome::Completed, MessageState::CutByLimit),
            End::Cancelled | End::Withheld => (Outcome::Cancelled, MessageState::Partial),
            End::Failed(_) | End::Broke(_) => (Outcome::Failed, MessageState::Partial),
        };
        let failure = match end {
            End::Failed(kind) => Some(self.told(kind, &asked)),
            End::Finished | End::CutByLimit | End::Cancelled | End::Withheld | End::Broke(_) => None,
        };
        let Asked { answer, target, volatile, message, healing, outcomes, events, is_from_memory, is_queued, .. } =
            asked;
        let ending = Ending {
            answer: None,
            outcome,
            failure: failure.clone(),
            healing,
            prompt_block: volatile,
            used,
            extraction_owed: outcome == Outcome::Completed && owes_extraction,
            queued: is_queued,
        };
        let mut new = self.new_answer(&target);
        new.model = new.model.filter(|_| !is_from_memory);
        let (turn, usage, now) = (self.begun.turn, answer.usage, self.clock.now());
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
                match id {
                    Some(id) if is_new || !text.is_empty() => {
                        conversation::set_model(tx, id, new.model.as_ref())?;
                        conversation::finish_message(tx, id, &text, state, usage)?;
                    }
                    // Withdrawn, and nothing stands in its place.
                    Some(id) => conversation::remove_answer(tx, id)?,
                    None => {}
                }
                let id = id.filter(|_| is_new || !text.is_empty());
                record::end(tx, turn, &Ending { answer: id, ..ending.clone() }, now)?;
                recall::count_use(tx, &ending.used, now)?;
                outcomes.iter().try_for_each(|outcome| outcome.record(tx, now))?;
                events.iter().try_for_each(|event| event.record(tx))?;
                id.map(|id| conversation::message(tx, id)).transpose()
            })
            .await?;
        Ok(match (outcome, stored, failure) {
            (Outcome::Completed, Some(message), _) => TurnEvent::Completed { message },
            (Outcome::Cancelled, message, _) => TurnEvent::Cancelled { message },
            (_, message, Some(failure)) => TurnEvent::Failed { message, failure },
            (_, message, None) => {
                TurnEvent::Failed { message, failure: self.failure(FailureKind::EmptyAnswer, &target).view() }
            }
        })
    }

    fn failure(&self, kind: FailureKind, target: &Target) -> Failure {
        Failure { kind, provider: target.name.clone(), model: target.model.clone(), phase: Phase::Asking }
    }

    /// A failure for the person, with what may be asked instead.
    fn told(&self, kind: FailureKind, asked: &Asked) -> FailureView {
        let is_first = asked.target.endpoint == self.target.endpoint && asked.target.model == self.target.model;
        let other = self.alternatives.provider.as_ref().or(self.alternatives.model.as_ref());
        FailureView {
            alternative: other.filter(|_| is_first).map(target::name_of),
            service: asked.target.choice().map(Box::new),
            queued: asked.is_queued,
            ..self.failure(kind, &asked.target).view()
        }
    }

    /// A failure of the database, in the database's own words for people.
    fn store_failure(&self, error: &StoreError) -> FailureView {
        FailureView { message: error.message(), ..self.failure(FailureKind::from(error), &self.target).view() }
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
