//! Review: what waits for the person's word, and what they say.

use super::view::{MemoryQuery, Page};
use super::{Assistant, Error};
use crate::behavior::spec::Rule;
use crate::memory::fact::FactDraft;
use crate::memory::history::change::MemoryChange;
use crate::memory::writing::candidate::{Authority, Refusal, Rules};
use crate::memory::writing::review::{self, ReviewItem};
use crate::store::id::ReviewId;
use crate::store::{StoreError, Transaction};

impl Assistant {
    /// What waits, in pages.
    pub async fn review(&self, query: MemoryQuery) -> Result<Page<ReviewItem>, Error> {
        Ok(self.store.read(move |conn| review::page(conn, &query)).await?)
    }

    /// Takes candidates over with the person's authority; what they go against gives way to them, or stays where `authority`
    /// says so.
    pub async fn accept_review(&self, ids: Vec<ReviewId>, authority: Authority) -> Result<Vec<MemoryChange>, Error> {
        let accepted = self.decide(move |tx, rules| review::accept(tx, &ids, authority, rules)).await?;
        if !accepted.seals.is_empty() || !accepted.rules.is_empty() {
            let mut spec = self.behavior_in_force().spec.as_ref().clone();
            let seals =
                accepted.seals.into_iter().filter(|topic| !spec.sealed_topics.contains(topic)).collect::<Vec<_>>();
            spec.sealed_topics.extend(seals);
            let known: Vec<String> = spec.always.iter().map(|rule| rule.text.clone()).collect();
            let rules = accepted.rules.into_iter().filter(|rule| !known.contains(rule));
            spec.always.extend(rules.map(|text| Rule { text, hard: false }));
            self.save_behavior(spec).await?;
        }
        self.tell_memory_changed(accepted.changes.clone());
        Ok(accepted.changes)
    }

    /// Puts another wording in a candidate's place; it waits on.
    pub async fn edit_review(&self, id: ReviewId, draft: FactDraft) -> Result<MemoryChange, Error> {
        let change = self.decide(move |tx, rules| review::edit(tx, id, &draft, rules)).await?;
        self.tell_memory_changed(vec![change.clone()]);
        Ok(change)
    }

    /// Sends candidates away; they do not come back unless that is undone.
    pub async fn dismiss_review(&self, ids: Vec<ReviewId>) -> Result<Vec<MemoryChange>, Error> {
        let changes = self.decide(move |tx, rules| Ok(Ok(review::dismiss(tx, &ids, rules.now.to_utc())?))).await?;
        self.tell_memory_changed(changes.clone());
        Ok(changes)
    }

    async fn decide<T, F>(&self, decide: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Fn(&Transaction<'_>, &Rules<'_>) -> Result<Result<T, Refusal>, StoreError> + Send + 'static,
    {
        let (spec, now) = (self.behavior_in_force().spec.clone(), self.clock.local_now());
        let decided = self.store.write(move |tx| {
            let rules = Rules { sealed: &spec.sealed_topics, agent: &spec.identity.name, now };
            // What is refused leaves nothing half done.
            tx.execute_batch("SAVEPOINT decision")?;
            let decided = decide(tx, &rules)?;
            tx.execute_batch(if decided.is_ok() {
                "RELEASE decision"
            } else {
                "ROLLBACK TO decision; RELEASE decision"
            })?;
            Ok(decided)
        });
        decided.await?.map_err(|refused| Error::Memory(refused.message()))
    }
}
