//! Work after the answer: facts by a second call, summaries of conversations that ended, purges whose time has come.
//!
//! It gives way to the person: a new turn interrupts it, and what is owed is done afterwards. With nothing owed it asks
//! no model anything.

use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use rusqlite::Connection;
use tokio_util::sync::CancellationToken;

use super::Assistant;
use super::conduct::Measured;
use super::view::AppEvent;
use crate::behavior::drift::samples;
use crate::healing::timeline::{Event, Outcome, Source};
use crate::healing::{Failure, FailureKind, Phase, Remedy, classify};
use crate::memory::conversation::{self, Message};
use crate::memory::index;
use crate::memory::writing::ops::MemoryOps;
use crate::mind::labels::{self, Pieces};
use crate::mind::{extraction, summary};
use crate::providers::Provider;
use crate::settings::MemoryWriting;
use crate::store::StoreError;
use crate::store::id::{ConversationId, MessageId, TurnId};
use crate::turn::memorize::{self, TakenBy};
use crate::turn::record::{self, OwedExtraction};

/// How many memories get their passages before a turn could go first.
const PASSAGES_AT_ONCE: u32 = 100;
/// The pause after a failed try.
const PAUSE: Duration = Duration::from_secs(60);

impl Assistant {
    pub(super) fn begin_background_work(self: &Arc<Self>) {
        let (work, stopped) = (self.mind.work.clone(), self.mind.stopped());
        let assistant = Arc::downgrade(self);
        self.mind.wake();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = stopped.cancelled() => return,
                    () = work.notified() => {}
                }
                if !work_off(&assistant, &stopped).await {
                    return;
                }
            }
        });
    }

    /// Takes the facts of a message that a model was asked for. Whether it went well enough to go on with the next at once.
    async fn take_facts(
        &self,
        turn: TurnId,
        message: &Message,
        told: Result<MemoryOps, FailureKind>,
    ) -> Result<bool, StoreError> {
        let ops = match told {
            Ok(ops) => ops,
            Err(kind) if kind.is_retryable() => {
                let event = self.background_failure(kind);
                self.store
                    .write(move |tx| {
                        event.record(tx)?;
                        record::count_failed_extraction(tx, turn)
                    })
                    .await?;
                return Ok(false);
            }
            // It will not go better the next time: the note is made without the model.
            Err(_) => MemoryOps { invalid: true, ..MemoryOps::default() },
        };
        let spec = self.behavior_in_force().spec.clone();
        let by = TakenBy::SecondCall(turn);
        let changes = memorize::apply_ops(&self.store, message, ops, &spec, self.clock.as_ref(), by).await?;
        // Also without a change of what is believed: a note was made, or something waits in Review.
        self.tell(AppEvent::MemoryChanged { message: Some(message.id), changes });
        Ok(true)
    }

    /// A call after an answer that failed, for the timeline: it is made again later.
    fn background_failure(&self, kind: FailureKind) -> Event {
        let settings = self.settings_in_force();
        let provider = settings.endpoint.as_ref().map(|endpoint| endpoint.display_name()).unwrap_or_default();
        let failure = Failure { kind, provider, model: settings.model.clone(), phase: Phase::After };
        let event = Event::of(&failure, Source::Background, Outcome::Failed, self.clock.now());
        Event { remedy: Some(Remedy::Wait), ..event }
    }

    /// Asks in the form that is in force. A message whose answer should have brought its facts, and did not, is asked about with
    /// a schema.
    async fn ask_for_facts(
        &self,
        message: &Message,
        before: &[String],
        provider: &dyn Provider,
    ) -> Result<MemoryOps, FailureKind> {
        if !extraction::is_worth_asking(&message.text) {
            return Ok(MemoryOps::default());
        }
        let settings = self.settings_in_force();
        let told = match settings.effective_memory_writing() {
            MemoryWriting::Labels => labels::ask(provider, &settings.model, &Pieces::of(&message.text, before)).await,
            MemoryWriting::SecondCall | MemoryWriting::InBand => {
                extraction::ask(provider, &extraction::request(&settings.model, &message.text)).await
            }
        };
        told.map_err(|error| classify(&error))
    }

    /// Writes a few of the passages that wait. Whether more wait.
    async fn catch_up_index(&self) -> Result<bool, StoreError> {
        if !self.store.read(index::is_behind).await? {
            return Ok(false);
        }
        Ok(self.store.write(|tx| index::catch_up(tx, PASSAGES_AT_ONCE)).await? > 0)
    }

    /// Writes the summary of every conversation that has ended: all but the one that the person is in.
    pub(super) async fn sum_up_ended(&self, current: Option<ConversationId>) -> Result<(), StoreError> {
        self.close_turn(current, None).await
    }

    /// The same, and keeps how the last answer kept to the spec: one transaction, because the next turn waits for it.
    pub(super) async fn close_turn(
        &self,
        current: Option<ConversationId>,
        measured: Option<Measured>,
    ) -> Result<(), StoreError> {
        let (now, spec) = (self.clock.now(), self.behavior_in_force().spec.clone());
        self.store
            .write(move |tx| {
                if let Some(Measured { turn, sample }) = &measured {
                    samples::record(tx, *turn, sample)?;
                }
                summary::sum_up_all(tx, current, &spec.sealed_topics, now)
            })
            .await
    }
}

/// A message, and what the person said before it in the conversation.
fn with_what_came_before(conn: &Connection, id: MessageId) -> Result<(Message, Vec<String>), StoreError> {
    let message = conversation::message(conn, id)?;
    let before = conversation::said_before(conn, message.conversation, id, memorize::SUPPORTING_MESSAGES)?;
    Ok((message, before))
}

/// Does what is owed until nothing is, or the person wants the model. Whether there is still an assistant to work for.
async fn work_off(assistant: &Weak<Assistant>, stopped: &CancellationToken) -> bool {
    loop {
        let Some(assistant) = assistant.upgrade() else { return false };
        let interrupted = assistant.mind.interrupted.clone();
        let mut interrupted = pin!(interrupted.notified());
        // From here on an interruption is not missed.
        interrupted.as_mut().enable();
        let task = assistant.mind.take_up();
        let Some(working) = task.begin().await else {
            if stopped.is_cancelled() {
                return true;
            }
            continue;
        };
        if assistant.running.is_any() || !assistant.store.is_writable() {
            return true;
        }
        match assistant.catch_up_index().await {
            Ok(true) => continue,
            Ok(false) => {}
            // What cannot be written now is written when there is work again.
            Err(_) => return true,
        }
        if !assistant.try_what_was_chosen(&task, interrupted.as_mut()).await {
            return true;
        }
        let Ok(Some(owed)) = assistant.store.read(record::next_owed).await else { return true };
        let settings = assistant.settings_in_force();
        let Ok(provider) = assistant.provider(&settings).await else { return true };
        let OwedExtraction { message, turn } = owed;
        let Ok((message, before)) = assistant.store.read(move |conn| with_what_came_before(conn, message)).await else {
            return true;
        };
        let told = tokio::select! {
            // What is owed stays owed.
            () = interrupted => return true,
            told = task.unless_broken_off(assistant.ask_for_facts(&message, &before, provider.as_ref())) => told,
        };
        // Who broke it off wakes it where something is owed still.
        let Some(told) = told else { return true };
        if !matches!(assistant.take_facts(turn, &message, told).await, Ok(true)) {
            let (clock, work) = (assistant.clock.clone(), assistant.mind.work.clone());
            drop((provider, working, assistant));
            tokio::select! {
                () = stopped.cancelled() => return true,
                () = work.notified() => {}
                () = clock.sleep(PAUSE) => {}
            }
        }
    }
}
