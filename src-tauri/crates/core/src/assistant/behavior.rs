//! The behavioural spec: look, preview, save, earlier versions.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::view::{BehaviorPreview, BehaviorView, SealCount};
use super::{Assistant, Behavior, Error};
use crate::behavior::spec::BehaviorSpec;
use crate::behavior::{prompt, validate, versions};
use crate::memory::writing::{review, seals};
use crate::store::StoreError;
use crate::store::id::SpecVersion;

/// How many earlier versions are shown.
const SHOWN_VERSIONS: u32 = 50;

impl Behavior {
    pub(super) fn new(spec: BehaviorSpec, version: SpecVersion, saved_at: DateTime<Utc>) -> Self {
        Self { prompt: prompt::render(&spec).into(), spec: Arc::new(spec), version, saved_at }
    }

    fn view(&self, kept_out: Vec<SealCount>) -> BehaviorView {
        BehaviorView { spec: self.spec.as_ref().clone(), version: self.version, saved_at: self.saved_at, kept_out }
    }
}

impl Assistant {
    /// The spec in force, and how often each seal of it kept something out.
    pub async fn behavior(&self) -> Result<BehaviorView, Error> {
        let topics = self.behavior_in_force().spec.sealed_topics.clone();
        let counted = self.store.read(move |conn| {
            let count = |topic: String| Ok(SealCount { times: seals::kept_out(conn, &topic)?, topic });
            topics.into_iter().map(count).collect::<Result<Vec<_>, StoreError>>()
        });
        let counted = counted.await?;
        Ok(self.behavior_in_force().view(counted))
    }

    /// The spec that Atlas comes with.
    pub fn default_behavior(&self) -> BehaviorSpec {
        BehaviorSpec::default()
    }

    /// What a spec comes to, saved or not.
    pub fn preview_behavior(&self, spec: &BehaviorSpec) -> BehaviorPreview {
        prompt::preview(spec)
    }

    /// Saves a spec as a new version; the next turn follows it.
    pub async fn save_behavior(&self, spec: BehaviorSpec) -> Result<BehaviorView, Error> {
        if let Some(problem) = validate::validate(&spec).into_iter().find(validate::stands_in_the_way) {
            return Err(Error::Spec(problem.message));
        }
        let now = self.clock.now();
        let saved = self.store.write(move |tx| {
            review::drop_sealed(tx, &spec.sealed_topics)?;
            versions::save(tx, &spec, now)
        });
        saved.await?;
        self.follow_saved_behavior().await?;
        // Where topics were sealed or opened, messages are to be judged again.
        self.mind.wake();
        self.behavior().await
    }

    /// The saved versions, newest first.
    pub async fn behavior_versions(&self) -> Result<Vec<BehaviorView>, Error> {
        let versions = self.store.read(|conn| versions::list(conn, SHOWN_VERSIONS)).await?;
        Ok(versions
            .into_iter()
            .map(|(version, spec, saved_at)| BehaviorView { spec, version, saved_at, kept_out: Vec::new() })
            .collect())
    }
}
