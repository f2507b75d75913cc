//! Learning from a failure that nothing helped: once for each signature, by a healthy model where there is one.

use std::sync::Arc;

use super::Assistant;
use super::health::without_home;
use super::view::AppEvent;
use super::work::Task;
use crate::healing::playbook::Signature;
use crate::healing::reflection::{self, Lesson};
use crate::healing::timeline::{self, Event, Wanted};
use crate::healing::{Failure, FailureKind, Remedy};
use crate::logs::Level;
use crate::memory::procedure;
use crate::providers::reply;
use crate::settings::{ModelChoice, Settings};
use crate::store::StoreError;
use crate::turn::target::Alternatives;

impl Assistant {
    /// Reflects on a failure, after the turn and where nobody waits.
    pub(super) fn reflect_on(self: &Arc<Self>, failure: Failure) {
        let wants = !self.behavior_in_force().spec.memory_directives.store_procedures.trim().is_empty();
        if !wants || !reflection::is_worth_it(&failure.kind) {
            return;
        }
        let (assistant, task) = (self.clone(), self.mind.take_up());
        tokio::spawn(async move {
            // What cannot be learned now is learned from the next failure of its kind.
            let _ = assistant.reflect(&failure, &task).await;
        });
    }

    async fn reflect(self: &Arc<Self>, failure: &Failure, task: &Task) -> Result<(), StoreError> {
        let Some(_working) = task.begin().await else { return Ok(()) };
        let signature = Signature::of(failure);
        let keys: Vec<String> = Remedy::ALL.iter().map(|remedy| signature.key(*remedy)).collect();
        let wanted = Wanted { limit: reflection::TOLD_EVENTS, ..Wanted::default() };
        let read = move |conn: &_| Ok((procedure::has_lesson(conn, &keys)?, timeline::page(conn, wanted)?.0));
        let (is_known, earlier) = self.store.read(read).await?;
        if is_known {
            return Ok(());
        }
        let earlier: Vec<Event> = earlier.into_iter().map(|stored| stored.event).collect();
        // What a model answers after a wipe or a forget may tell what went with it.
        let told = task.unless_broken_off(self.ask_a_healthy_model(failure, &earlier)).await;
        let Some(told) = told else { return Ok(()) };
        for lesson in told.into_iter().chain(reflection::by_rules(failure)) {
            if self.keep_lesson(failure, &signature, lesson).await? {
                break;
            }
        }
        Ok(())
    }

    /// What the first healthy model says that did not fail itself; nothing where there is none, or it says nothing of use.
    async fn ask_a_healthy_model(self: &Arc<Self>, failure: &Failure, earlier: &[Event]) -> Option<Lesson> {
        let settings = self.settings_in_force();
        let now = self.clock.now();
        let log = match failure.kind {
            FailureKind::Engine(_) => self.engine.log().iter().map(|line| without_home(line)).collect(),
            _ => Vec::new(),
        };
        for choice in candidates(&settings) {
            let name = choice.endpoint.display_name();
            let is_the_failed_one = name == failure.provider && choice.model == failure.model;
            if is_the_failed_one || self.breakers.is_open(&name, now) {
                continue;
            }
            let Ok(provider) = self.provider_at(&choice.endpoint, &choice.model).await else { continue };
            let request = reflection::request(&choice.model, failure, earlier, &log);
            let Ok(answer) = reply::whole(provider.as_ref(), &request).await else { continue };
            if let Some(lesson) = reflection::read(&answer.text, &failure.kind) {
                return Some(lesson);
            }
        }
        None
    }

    /// Whether it was kept: not where it tells what was forgotten.
    async fn keep_lesson(&self, failure: &Failure, signature: &Signature, lesson: Lesson) -> Result<bool, StoreError> {
        let now = self.clock.now();
        let written = procedure::ProcedureLesson {
            signature: signature.key(lesson.remedy),
            trigger: failure.trigger(),
            strategy: lesson.remedy.strategy().to_owned(),
            category: failure.kind.code().to_owned(),
            remedy: lesson.remedy.code().to_owned(),
            lesson: lesson.text,
            by: lesson.by,
        };
        let kept = self.store.write(move |tx| procedure::write_lesson(tx, &written, now)).await?;
        if kept.is_none() {
            return Ok(false);
        }
        self.log.write(now, Level::Info, format!("Learned about {}: {}", failure.kind.code(), lesson.remedy.code()));
        self.tell(AppEvent::HealthChanged);
        self.tell(AppEvent::MemoryChanged { message: None, changes: Vec::new() });
        Ok(true)
    }
}

/// Whom to ask about a failure: first who most likely has nothing to do with it.
fn candidates(settings: &Settings) -> Vec<ModelChoice> {
    let Alternatives { model, provider } = Alternatives::of(settings);
    let chosen = settings.endpoint.clone().map(|endpoint| ModelChoice { endpoint, model: settings.model.clone() });
    provider.into_iter().chain(model).chain(chosen).collect()
}
