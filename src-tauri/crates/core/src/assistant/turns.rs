//! Sending, asking again, stopping.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::mpsc;

use super::error::MAX_MESSAGE_CHARS;
use super::running::Reserved;
use super::view::{AnswerSources, AppEvent, TurnHandle};
use super::{Assistant, Error};
use crate::behavior::{BehaviorSpec, conduct};
use crate::healing::{Failure, FailureKind, Phase};
use crate::memory::conversation::{self, Message};
use crate::memory::forgetting::forget;
use crate::settings::{ModelChoice, Settings};
use crate::store::id::{ConversationId, MessageId, TurnId};
use crate::store::{Store, StoreError, Transaction};
use crate::turn::begin::{self, Begun};
use crate::turn::event::TurnEvent;
use crate::turn::target::{Alternatives, FindTarget, Target};
use crate::turn::{Ran, Turn, record};

impl Assistant {
    /// Sends a message, in a new conversation where none is given. It is on disk when this returns; the answer comes
    /// as events, the last of which is terminal.
    pub async fn send(
        self: &Arc<Self>,
        conversation: Option<ConversationId>,
        text: &str,
        events: mpsc::Sender<TurnEvent>,
    ) -> Result<TurnHandle, Error> {
        fits(text)?;
        if self.running.is_held() {
            return Err(Error::TurnRunning);
        }
        let reserved = conversation.map(|id| self.running.reserve(id).ok_or(Error::TurnRunning)).transpose()?;
        let (text, version, now) = (text.to_owned(), self.behavior_in_force().version, self.clock.local_now());
        let store = conversation.map_or_else(|| Ok(self.store.clone()), |id| self.store_of(id))?;
        let begun = store.write(move |tx| begin::begin(tx, conversation, &text, version, now)).await?;
        let reserved = match reserved {
            Some(reserved) => reserved,
            None => self.running.reserve(begun.message.conversation).ok_or(Error::TurnRunning)?,
        };
        Ok(self.start(begun, reserved, Asks { events, first: None }, store))
    }

    /// Asks again for an answer to the last message of its conversation; goes on with an answer that was cut.
    pub async fn retry(
        self: &Arc<Self>,
        message: MessageId,
        events: mpsc::Sender<TurnEvent>,
    ) -> Result<TurnHandle, Error> {
        self.ask_again(message, Asks { events, first: None }).await
    }

    /// The same, and puts the question to the person's other service or model.
    ///
    /// Errors: [`Error::NoAlternative`] where they named none.
    pub async fn retry_with_alternative(
        self: &Arc<Self>,
        message: MessageId,
        events: mpsc::Sender<TurnEvent>,
    ) -> Result<TurnHandle, Error> {
        let Alternatives { model, provider } = Alternatives::of(&self.settings_in_force());
        let first = Some(provider.or(model).ok_or(Error::NoAlternative)?);
        self.ask_again(message, Asks { events, first }).await
    }

    async fn ask_again(self: &Arc<Self>, message: MessageId, asks: Asks) -> Result<TurnHandle, Error> {
        let store = self.store_of_message(message).await?;
        let conversation = store.read(move |conn| conversation::message(conn, message)).await?.conversation;
        let reserved = self.running.reserve(conversation).ok_or(Error::TurnRunning)?;
        let (version, now) = (self.behavior_in_force().version, self.clock.now());
        let begin = move |tx: &Transaction<'_>| {
            record::unqueue(tx, message)?;
            begin::begin_again(tx, message, version, now)
        };
        let begun = store.write(begin).await?;
        Ok(self.start(begun, reserved, asks, store))
    }

    /// Puts another text in the place of one of the person's messages and asks again from there. The old message and what
    /// came after it are kept as versions; what only they supported is no longer believed, which can be undone.
    pub async fn edit_message(
        self: &Arc<Self>,
        message: MessageId,
        text: &str,
        events: mpsc::Sender<TurnEvent>,
    ) -> Result<TurnHandle, Error> {
        fits(text)?;
        let store = self.store_of_message(message).await?;
        let conversation = store.read(move |conn| conversation::message(conn, message)).await?.conversation;
        let reserved = self.running.reserve(conversation).ok_or(Error::TurnRunning)?;
        let (text, version, now) = (text.to_owned(), self.behavior_in_force().version, self.clock.local_now());
        let (begun, changes) = store.write(move |tx| begin::begin_edited(tx, message, &text, version, now)).await?;
        if !changes.is_empty() {
            self.tell(AppEvent::MemoryChanged { message: Some(begun.message.id), changes });
        }
        Ok(self.start(begun, reserved, Asks { events, first: None }, store))
    }

    /// What the person said in a message's place before, oldest first, and what it says now.
    pub async fn message_versions(&self, message: MessageId) -> Result<Vec<Message>, Error> {
        let store = self.store_of_message(message).await?;
        Ok(store.read(move |conn| conversation::versions(conn, message)).await?)
    }

    /// Stops a turn; what came is kept. One that has ended already is no error.
    pub fn stop(&self, turn: TurnId) {
        self.running.stop(turn);
    }

    /// Cuts short the wait of a turn: what it waits for is asked at once.
    pub fn skip_wait(&self, turn: TurnId) {
        self.running.skip_wait(turn);
    }

    /// Why an answer was what it was.
    pub async fn answer_sources(&self, answer: MessageId) -> Result<AnswerSources, Error> {
        let store = self.store_of_message(answer).await?;
        let sources = store.read(move |conn| record::sources(conn, answer)).await?;
        Ok(AnswerSources { used: sources.used, prompt_block: sources.prompt_block, spec_version: sources.spec_version })
    }

    pub(super) fn start(self: &Arc<Self>, begun: Begun, reserved: Reserved, asks: Asks, store: Store) -> TurnHandle {
        let handle =
            TurnHandle { turn: begun.turn, conversation: begun.message.conversation, message: begun.message.id };
        reserved.is_for(begun.turn);
        self.mind.interrupt();
        let assistant = self.clone();
        self.running.tasks.spawn(async move {
            let kept_in = store.clone();
            let events = asks.events.clone();
            let whole = async { assistant.turn(begun, &reserved, asks, kept_in).await.run().await };
            // Invariant: one terminal event, also where a fault of Atlas itself ends the turn.
            let Ran { terminal, unhealed, conduct, came_over_the_network } =
                match AssertUnwindSafe(whole).catch_unwind().await {
                    Ok(ran) => ran,
                    Err(_) => {
                        let terminal = assistant.abandoned(&store, handle.turn).await;
                        Ran { terminal, unhealed: None, conduct: None, came_over_the_network: false }
                    }
                };
            drop(store);
            assistant.take_up_what_was_said().await;
            drop(reserved);
            assistant.hear_of_the_network(&terminal, came_over_the_network);
            let is_temporary = handle.conversation.is_temporary();
            if !is_temporary {
                assistant.log_turn(&terminal);
            }
            // A shell that has gone away is no reason to stop: the outcome is on disk.
            let _ = events.send(terminal).await;
            drop(events);
            assistant.keep_breakers().await;
            let measured = match conduct {
                Some(conduct) => assistant.measure(conduct, handle.conversation).await,
                None => None,
            };
            // Of a temporary conversation nothing is learned either.
            if let Some(failure) = unhealed.filter(|_| !is_temporary) {
                assistant.reflect_on(failure);
            }
            // A summary that cannot be written now is owed, and written after the next turn.
            let _ = assistant.close_turn(Some(handle.conversation), measured).await;
            assistant.tell(AppEvent::HealthChanged);
            assistant.tell(AppEvent::ConversationsChanged);
            assistant.mind.wake();
            assistant.goes_on_in(handle.conversation).await;
        });
        handle
    }

    /// Ends a turn that a fault of Atlas itself broke off.
    async fn abandoned(&self, store: &Store, turn: TurnId) -> TurnEvent {
        let (failure, now) = (interrupted("", "").view(), self.clock.now());
        let told = failure.clone();
        // Where this cannot be written, the next start does it.
        let _ = store.write(move |tx| record::abandon(tx, turn, &told, now)).await;
        TurnEvent::Failed { message: None, failure }
    }

    /// A sentence in the chat can seal a topic, and "forget that …" begins a purge. What cannot be read now is taken up
    /// after the next turn.
    async fn take_up_what_was_said(self: &Arc<Self>) {
        let _ = self.follow_saved_behavior().await;
        if self.store.read(forget::is_owed).await.is_ok_and(|owed| owed) {
            // What a model is just asked may be about it.
            self.mind.break_off();
            self.purge_later();
        }
    }

    async fn turn(self: &Arc<Self>, begun: Begun, reserved: &Reserved, asks: Asks, store: Store) -> Turn {
        let behavior = self.behavior_in_force();
        let settings = self.settings_in_force();
        let assistant = Arc::downgrade(self);
        let find: FindTarget = Arc::new(move |choice| {
            let assistant = assistant.clone();
            Box::pin(async move { found(assistant.upgrade(), choice).await })
        });
        let (first, alternatives) = asks
            .first
            .map_or_else(|| (None, Alternatives::of(&settings)), |choice| (Some(choice), Alternatives::default()));
        let target = match first {
            Some(choice) => find(choice),
            None => Box::pin(self.clone().first_target(settings.clone())),
        };
        Turn {
            store,
            clock: self.clock.clone(),
            target: tokio::select! {
                // The keychain may be waiting for the person, who has changed their mind.
                () = reserved.cancel.cancelled() => nobody(FailureKind::Interrupted),
                target = target => target,
            },
            alternatives,
            find,
            breakers: self.breakers.clone(),
            online: self.network.online(),
            limits: self.limits.clone(),
            index: self.index.clone(),
            settings: settings.as_ref().clone(),
            spec: behavior.spec.clone(),
            spec_prompt: behavior.prompt.clone(),
            spec_version: behavior.version,
            begun,
            events: asks.events,
            cancel: reserved.cancel.clone(),
            skip: reserved.skip.clone(),
        }
    }

    /// What the settings name.
    async fn first_target(self: Arc<Self>, settings: Arc<Settings>) -> Target {
        let provider = self.provider(&settings).await;
        let name = settings.endpoint.as_ref().map(|endpoint| endpoint.display_name()).unwrap_or_default();
        Target { provider, name, endpoint: settings.endpoint.clone(), model: settings.model.clone() }
    }

    /// Ends every turn that was under way when Atlas was ended the last time.
    pub(super) async fn recover_turns(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let failure = interrupted("", "").view();
        let spec = self.behavior_in_force().spec.clone();
        self.store
            .write(move |tx| {
                withhold_cut_answers(tx, &spec)?;
                conversation::recover_streaming(tx)?;
                record::recover(tx, &failure, now)
            })
            .await
    }
}

/// Removes of the answers that were cut those that break a rule: their last sentences were not whole when they were written.
fn withhold_cut_answers(tx: &Transaction<'_>, spec: &BehaviorSpec) -> Result<(), StoreError> {
    for (answer, question) in conversation::streaming(tx)? {
        let asked = conduct::Asked { question: &question, ..conduct::Asked::default() };
        let exchange = conduct::Exchange { asked, answer: &answer.text };
        // What is missing in a part may have stood in the rest.
        if conduct::check(spec, &exchange).iter().any(|violation| !violation.at.is_empty()) {
            conversation::remove_answer(tx, answer.id)?;
        }
    }
    Ok(())
}

pub(super) fn fits(text: &str) -> Result<(), Error> {
    match text.trim() {
        "" => Err(Error::NothingToSend),
        _ if text.chars().count() > MAX_MESSAGE_CHARS => Err(Error::TooLong),
        _ => Ok(()),
    }
}

/// Where the events of a turn go, and whom it asks.
pub(super) struct Asks {
    pub(super) events: mpsc::Sender<TurnEvent>,
    /// Whom it asks; none for what the settings name.
    pub(super) first: Option<ModelChoice>,
}

async fn found(assistant: Option<Arc<Assistant>>, choice: ModelChoice) -> Target {
    let Some(assistant) = assistant else { return nobody(FailureKind::Interrupted) };
    let provider = assistant.provider_at(&choice.endpoint, &choice.model).await;
    let name = choice.endpoint.display_name();
    Target { provider, name, endpoint: Some(choice.endpoint), model: choice.model }
}

fn nobody(why: FailureKind) -> Target {
    Target { provider: Err(why), name: String::new(), endpoint: None, model: String::new() }
}

fn interrupted(provider: &str, model: &str) -> Failure {
    Failure {
        kind: FailureKind::Interrupted,
        provider: provider.to_owned(),
        model: model.to_owned(),
        phase: Phase::Answering,
    }
}
