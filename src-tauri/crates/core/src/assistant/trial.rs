//! Trying which form of memory writing the chosen model can answer in.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::futures::Notified;

use super::view::AppEvent;
use super::work::Task;
use super::{Assistant, Error};
use crate::healing::{Failure, FailureKind, Phase, classify};
use crate::mind::trial::{self, Score};
use crate::providers::preset::Endpoint;
use crate::settings::{self, MemoryWriting, Settings, WritingTrial};

impl Assistant {
    /// Asks the chosen model about a few probe messages, and keeps which form of memory writing suits it.
    pub async fn try_memory_writing(&self) -> Result<WritingTrial, Error> {
        let trial = self.put_to_trial().await?;
        self.keep_trial(trial.clone()).await?;
        Ok(trial)
    }

    /// What a trial of the chosen model shows. Nothing is kept of it.
    pub(super) async fn put_to_trial(&self) -> Result<WritingTrial, Error> {
        let settings = self.settings_in_force();
        let (endpoint, model) = (settings.endpoint.as_ref(), settings.model.clone());
        let failed = |kind: FailureKind| {
            let provider = endpoint.map(Endpoint::display_name).unwrap_or_default();
            Error::Provider(Failure { kind, provider, model: model.clone(), phase: Phase::Asking }.view())
        };
        let provider = self.provider(&settings).await.map_err(failed)?;
        let score = trial::run(provider.as_ref(), &model).await.map_err(|error| failed(classify(&error)))?;
        let Score { right, of } = score;
        let form = form(right, endpoint.is_some_and(Endpoint::is_here));
        Ok(WritingTrial { model, form, right, of, at: self.clock.now() })
    }

    async fn keep_trial(&self, trial: WritingTrial) -> Result<(), Error> {
        let saved = trial.clone();
        self.store.write(move |tx| settings::save_trial(tx, &saved)).await?;
        self.put_in_force(|in_force| {
            let settings = Settings { trial: Some(trial), ..in_force.settings.as_ref().clone() };
            in_force.settings = Arc::new(settings);
        });
        Ok(())
    }

    /// Has a model tried in the background that was just chosen, where Atlas is to find out how it writes memory.
    pub(super) fn owe_trial(&self, chosen: &Settings) {
        let before = self.settings_in_force();
        let is_other = (&chosen.endpoint, &chosen.model) != (&before.endpoint, &before.model);
        let is_to_be_tried = chosen.memory_writing.is_none() && chosen.endpoint.is_some() && !chosen.model.is_empty();
        if is_other {
            self.mind.owes_trial.store(is_to_be_tried, Ordering::Release);
        }
    }

    /// Tries the model that was just chosen, where that is owed. Whether other work may go on: an interruption leaves it owed, a
    /// failure does not, because a person can ask for a trial.
    pub(super) async fn try_what_was_chosen(&self, task: &Task, interrupted: Pin<&mut Notified<'_>>) -> bool {
        if !self.mind.owes_trial.swap(false, Ordering::AcqRel) {
            return true;
        }
        let tried = tokio::select! {
            () = interrupted => None,
            tried = task.unless_broken_off(self.put_to_trial()) => tried,
        };
        let Some(tried) = tried else {
            self.mind.owes_trial.store(true, Ordering::Release);
            return false;
        };
        if let Ok(trial) = tried
            && self.keep_trial(trial).await.is_ok()
        {
            self.tell(AppEvent::ModelsChanged);
        }
        true
    }
}

/// The form for a model that read so many probe messages right: structure where it can write it, beside the answer where a call
/// costs nothing.
fn form(right: u32, is_here: bool) -> MemoryWriting {
    match right >= trial::ENOUGH {
        true if is_here => MemoryWriting::SecondCall,
        true => MemoryWriting::InBand,
        false => MemoryWriting::Labels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_model_that_reads_well_writes_structure_and_another_one_labels() {
        let forms = |right| [true, false].map(|is_here| form(right, is_here));
        assert_eq!(forms(5), [MemoryWriting::SecondCall, MemoryWriting::InBand]);
        assert_eq!(forms(4), [MemoryWriting::Labels, MemoryWriting::Labels]);
    }
}
