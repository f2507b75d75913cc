//! The built-in engine, as people see it: how it does, its state told to every window, and what is said when it crashes
//! again and again.

use std::sync::Arc;

use tokio::sync::broadcast;

use super::view::AppEvent;
use super::view::health::ServiceView;
use super::work::Task;
use super::{Assistant, Error};
use crate::healing::timeline::{Event, Outcome, Source};
use crate::healing::{EngineFault, Failure, FailureKind, Phase};
use crate::logs::Level;
use crate::providers::preset::Preset;
use crate::settings::Settings;
use crate::supervisor::engine::Tuning;
use crate::supervisor::service::Notice;
use crate::supervisor::{EngineState, models, webhook};

impl Assistant {
    /// How the engine does.
    pub(super) async fn engine_health(&self) -> ServiceView {
        let settings = self.settings_in_force();
        let state = *self.engine.state().borrow();
        let is_chosen = settings.endpoint.as_ref().is_some_and(|endpoint| endpoint.preset == Preset::BuiltIn);
        let diagnosis = self.engine.diagnosis().map(|found| format!("{} {}", found.what(), found.advice()));
        ServiceView {
            name: "engine".to_owned(),
            state,
            runs: if is_chosen { settings.model.clone() } else { String::new() },
            diagnosis,
            log: self.engine.log(),
        }
    }

    /// Starts the engine afresh, whatever happened before: at once, because the person wants it.
    pub async fn restart_engine(&self) -> Result<(), Error> {
        let settings = self.settings_in_force();
        let is_chosen = settings.endpoint.as_ref().is_some_and(|endpoint| endpoint.preset == Preset::BuiltIn);
        let done = match models::file(&self.home, &settings.model).await {
            // With the model that the settings name, also where it never ran before.
            Ok(file) if is_chosen && *self.engine.state().borrow() == EngineState::Stopped => {
                self.engine.start(file).await.map(drop)
            }
            Ok(_) | Err(_) => self.engine.restart().await,
        };
        done.map_err(|error| {
            let kind = crate::healing::classify(&error.into());
            Error::Provider(self.engine_failure(kind).view())
        })
    }

    /// Ends the engine; the next question starts it again.
    pub async fn stop_engine(&self) {
        self.engine.stop().await;
    }

    /// Follows what the settings say about the engine.
    pub(super) fn tune_engine(&self, settings: &Settings) {
        let minutes = settings.engine.unload_after_minutes;
        let unload_after = (minutes > 0).then(|| std::time::Duration::from_secs(u64::from(minutes) * 60));
        self.engine.tune(Tuning { context_tokens: settings.engine.context_tokens, unload_after });
    }

    /// Ends the engine where other settings name another service: an engine that is wanted would be started again by itself.
    pub(super) async fn let_go_of_the_engine(&self, next: &Settings) {
        let is_built_in =
            |settings: &Settings| settings.endpoint.as_ref().is_some_and(|endpoint| endpoint.preset == Preset::BuiltIn);
        if is_built_in(&self.settings_in_force()) && !is_built_in(next) {
            self.engine.stop().await;
        }
    }

    /// Passes the engine's states on, for as long as the assistant lives.
    pub(super) fn tell_engine_states(self: &Arc<Self>) {
        let (mut state, events, log) = (self.engine.state(), self.events.clone(), self.log.clone());
        let (closed, clock) = (self.mind.stopped(), self.clock.clone());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = closed.cancelled() => return,
                    changed = state.changed() => if changed.is_err() { return },
                }
                let state = *state.borrow_and_update();
                log.write(clock.now(), Level::Info, told(state));
                let _ = events.send(AppEvent::Engine { state });
            }
        });
    }

    /// Tells the person once when the engine crashes again and again, for as long as the assistant lives.
    pub(super) fn tell_when_the_engine_flaps(self: &Arc<Self>) {
        let (mut notices, closed) = (self.engine.notices(), self.mind.stopped());
        let assistant = Arc::downgrade(self);
        let mut task = self.mind.take_up();
        tokio::spawn(async move {
            loop {
                let heard = tokio::select! {
                    biased;
                    () = closed.cancelled() => return,
                    () = task.broken_off() => None,
                    heard = notices.recv() => Some(heard),
                };
                let Some(assistant) = assistant.upgrade() else { return };
                match heard {
                    // After a wipe or a forget: what was told before is not written after it.
                    None => {
                        notices = assistant.engine.notices();
                        task = assistant.mind.take_up();
                    }
                    Some(Ok(notice)) => assistant.tell_of_flapping(&notice, &task).await,
                    Some(Err(broadcast::error::RecvError::Lagged(_))) => {}
                    Some(Err(broadcast::error::RecvError::Closed)) => return,
                }
            }
        });
    }

    async fn tell_of_flapping(self: &Arc<Self>, notice: &Notice, task: &Task) {
        let Some(_working) = task.begin().await else { return };
        let fault = EngineFault::Flapping { until: notice.until, diagnosis: notice.diagnosis };
        let failure = self.engine_failure(FailureKind::Engine(fault));
        let view = failure.view();
        self.tell(AppEvent::Notice {
            title: "The built-in model crashes again and again".to_owned(),
            body: view.message,
        });
        self.log.write(notice.at, Level::Error, failure.trigger());
        self.post_to_webhook(notice);
        if notice.diagnosis.is_none() {
            // The rules know nothing of it: perhaps a model that is well does.
            self.reflect_on(failure.clone());
        }
        let event = Event::of(&failure, Source::Engine, Outcome::Told, notice.at);
        // A timeline that cannot be written now lacks a line; the notice has been told.
        let _ = self.store.write(move |tx| event.record(tx)).await;
        self.tell(AppEvent::HealthChanged);
    }

    /// Posts a notice to the person's webhook, where there is one. Nobody waits for that.
    fn post_to_webhook(&self, notice: &Notice) {
        let Some(address) = self.settings_in_force().webhook.clone() else { return };
        let (http, clock, log, notice) = (self.http.clone(), self.clock.clone(), self.log.clone(), notice.clone());
        tokio::spawn(async move {
            if let Err(error) = webhook::send(&http, clock.as_ref(), &address, &notice).await {
                log.write(clock.now(), Level::Warning, error.message());
            }
        });
    }

    fn engine_failure(&self, kind: FailureKind) -> Failure {
        let model = self.settings_in_force().model.clone();
        Failure { kind, provider: Preset::BuiltIn.name().to_owned(), model, phase: Phase::Asking }
    }
}

/// A state, for the log.
fn told(state: EngineState) -> &'static str {
    match state {
        EngineState::Stopped => "The engine is stopped",
        EngineState::Starting => "The engine loads its model",
        EngineState::Ready => "The engine is ready",
        EngineState::Resting { .. } => "The engine crashed, and rests before its next start",
        EngineState::Flapping { .. } => "The engine crashes again and again, and is left alone for a while",
        EngineState::Unloaded => "The engine gave its memory back",
    }
}
