//! What is learned from a failure: the remedy that was tried and whether it helped, kept as a procedure.

use chrono::{DateTime, Utc};
use rusqlite::Transaction;

use super::failure::Failure;
use super::remedy::Remedy;
use crate::memory::procedure::{self, ProcedureOutcome};
use crate::store::StoreError;

/// One try of one remedy.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome(ProcedureOutcome);

impl Outcome {
    /// What came of a remedy for a failure.
    pub fn of(failure: &Failure, remedy: Remedy, worked: bool) -> Self {
        let category = failure.kind.code();
        Self(ProcedureOutcome {
            signature: [category, &failure.provider, &failure.model, remedy.code()].join("\u{1f}"),
            trigger: failure.trigger(),
            strategy: remedy.strategy().to_owned(),
            category: category.to_owned(),
            remedy: remedy.code().to_owned(),
            worked,
        })
    }

    /// Counts it.
    pub fn record(&self, tx: &Transaction<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        procedure::record_outcome(tx, &self.0, now).map(drop)
    }
}
