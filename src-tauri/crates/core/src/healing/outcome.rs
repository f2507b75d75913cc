//! What is learned from a failure: the remedy that was tried and whether it helped, kept as a procedure.

use chrono::{DateTime, Utc};
use rusqlite::Transaction;

use super::failure::Failure;
use super::playbook::Signature;
use super::remedy::Remedy;
use crate::memory::procedure::{self, ProcedureOutcome};
use crate::store::StoreError;

/// One try of one remedy.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What had failed.
    pub failure: Failure,
    /// What was done about it.
    pub remedy: Remedy,
    /// Whether it helped.
    pub worked: bool,
}

impl Outcome {
    /// What came of a remedy for a failure.
    pub fn of(failure: &Failure, remedy: Remedy, worked: bool) -> Self {
        Self { failure: failure.clone(), remedy, worked }
    }

    /// What it is learned for.
    pub fn signature(&self) -> Signature {
        Signature::of(&self.failure)
    }

    /// Counts it. A temporary conversation's outcomes are not for its store nor for any other: nothing is learned there.
    pub fn record(&self, tx: &Transaction<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        let outcome = ProcedureOutcome {
            signature: self.signature().key(self.remedy),
            trigger: self.failure.trigger(),
            strategy: self.remedy.strategy().to_owned(),
            category: self.failure.kind.code().to_owned(),
            remedy: self.remedy.code().to_owned(),
            worked: self.worked,
        };
        procedure::record_outcome(tx, &outcome, now).map(drop)
    }
}
