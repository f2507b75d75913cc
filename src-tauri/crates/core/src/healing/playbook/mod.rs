//! Which remedy comes next: the built-in order, and what was learned about it. The decision is pure; doing it is the caller's.

mod course;
mod order;
mod reliability;
mod signature;

use std::collections::HashSet;
use std::time::Duration;

use chrono::{DateTime, Utc};
use rusqlite::Connection;

use super::outcome::Outcome;
use super::remedy::Remedy;
use crate::memory::procedure;
use crate::store::StoreError;

pub use course::{Budget, Course};
pub use order::AtHand;
use reliability::Evidence;
pub use reliability::Record;
pub use signature::Signature;

/// Fewer tries than this teach nothing: the built-in order holds.
const TOO_LITTLE: f64 = 0.5;
/// A remedy goes before an earlier one of the built-in order where it is clearly better, not for a hair's breadth: this many times
/// better and once more where nothing is known of the earlier one, and less the more is known (as a standard error falls).
const DOUBT: f64 = 2.0;
/// What a lesser answer is worth beside a whole one.
const LESSER: f64 = 0.5;
/// How reliable a whole answer must be so that no lesser one is given before it was tried.
const WORTH_A_TRY: f64 = 1.0 / 3.0;

/// What was learned about remedies. An empty one knows the built-in order and nothing else.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Playbook {
    records: Vec<Record>,
}

impl Playbook {
    /// One that knows these records.
    pub fn new(records: Vec<Record>) -> Self {
        Self { records }
    }

    /// The possible remedies, given in the built-in order, in the order in which they are to be tried.
    ///
    /// `cost` is the time that one try takes. Of independent tries, those with the most reliability for each second come
    /// first: where two neighbours stand the other way round, exchanging them makes the expected wait shorter (their costs
    /// are a, b and their chances p, q: "a first" waits a + (1−p)·b, which is less than b + (1−q)·a just where p/a > q/b).
    /// What is nearly as good stays in the built-in order, so that chance does not reorder it. A retired remedy is left out.
    pub fn rank(
        &self,
        signature: &Signature,
        possible: &[Remedy],
        cost: impl Fn(Remedy) -> Duration,
        now: DateTime<Utc>,
    ) -> Vec<Remedy> {
        let mut left: Vec<Standing> = Vec::with_capacity(possible.len());
        let retired = self.retired_for(signature);
        for (place, remedy) in possible.iter().copied().enumerate() {
            if !retired.contains(&remedy) {
                let evidence = Evidence::of(&self.records, signature, remedy, now);
                left.push(Standing::new(remedy, evidence, place, cost(remedy)));
            }
        }
        if left.iter().map(|standing| standing.weight).sum::<f64>() < TOO_LITTLE {
            return left.into_iter().map(|standing| standing.remedy).collect();
        }
        let mut ranked = Vec::with_capacity(left.len());
        while let Some(next) = best(&left) {
            ranked.push(left.remove(next).remedy);
        }
        ranked
    }

    /// Whether a remedy that stands first in the built-in order is worth a try before all others, however long it takes.
    pub(super) fn relies_on(&self, signature: &Signature, remedy: Remedy, now: DateTime<Utc>) -> bool {
        let is_retired = self.retired_for(signature).contains(&remedy);
        !is_retired && Evidence::of(&self.records, signature, remedy, now).reliability(0) >= WORTH_A_TRY
    }

    /// Takes in what came of a remedy, as the database does.
    pub fn learn(&mut self, outcome: &Outcome, now: DateTime<Utc>) {
        let signature = outcome.signature();
        let known =
            self.records.iter_mut().find(|record| record.remedy == outcome.remedy && record.signature == signature);
        match known {
            Some(record) => record.tally = record.tally.with(outcome.worked, now),
            None => self.records.push(Record {
                signature,
                remedy: outcome.remedy,
                tally: procedure::Tally::none(now).with(outcome.worked, now),
                is_retired: false,
            }),
        }
    }

    fn retired_for(&self, signature: &Signature) -> HashSet<Remedy> {
        let retired = self.records.iter().filter(|record| record.is_retired && record.signature == *signature);
        retired.map(|record| record.remedy).collect()
    }
}

/// What the database has for the playbook. Rows of an older Atlas are read too; what no remedy of today has is left out.
pub fn rows(conn: &Connection) -> Result<Vec<Record>, StoreError> {
    let tallies = procedure::tallies(conn)?;
    let records = tallies.into_iter().filter_map(|row| {
        let (signature, remedy) = (Signature::of_key(&row.signature)?, Remedy::of_code(&row.remedy)?);
        Some(Record { signature, remedy, tally: row.tally, is_retired: row.is_retired })
    });
    Ok(records.collect())
}

/// A remedy on its way to its rank.
struct Standing {
    remedy: Remedy,
    reliability: f64,
    /// Reliability for each second, and for a lesser answer what that is worth.
    index: f64,
    weight: f64,
}

impl Standing {
    fn new(remedy: Remedy, evidence: Evidence, place: usize, cost: Duration) -> Self {
        let reliability = evidence.reliability(place);
        let worth = if is_lesser(remedy) { LESSER } else { 1.0 };
        let index = worth * reliability / cost.as_secs_f64().max(0.1);
        Self { remedy, reliability, index, weight: evidence.weight() }
    }

    /// How many times better a later remedy must be to go before it.
    fn benefit_of_the_doubt(&self) -> f64 {
        1.0 + DOUBT / (1.0 + self.weight).sqrt()
    }
}

/// The earliest in the built-in order that is nearly as good as the best. A lesser answer is only considered where no whole
/// one is worth a try.
fn best(left: &[Standing]) -> Option<usize> {
    let whole_first = left.iter().any(|standing| !is_lesser(standing.remedy) && standing.reliability >= WORTH_A_TRY);
    let considered = || left.iter().enumerate().filter(|(_, standing)| !whole_first || !is_lesser(standing.remedy));
    let highest = considered().map(|(_, standing)| standing.index).fold(0.0, f64::max);
    considered().find(|(_, standing)| standing.index * standing.benefit_of_the_doubt() >= highest).map(|(at, _)| at)
}

/// Whether what it gives is less than the answer that was asked for.
fn is_lesser(remedy: Remedy) -> bool {
    match remedy {
        Remedy::AnswerFromMemory | Remedy::Queue | Remedy::Repair | Remedy::AskPerson => true,
        Remedy::Wait
        | Remedy::Retry
        | Remedy::Resume
        | Remedy::Regenerate
        | Remedy::SwitchModel
        | Remedy::SwitchProvider
        | Remedy::ShrinkContext
        | Remedy::StartAfresh
        | Remedy::AskPartAgain
        | Remedy::RestartEngine
        | Remedy::RebuildIndex
        | Remedy::ReopenBackup => false,
    }
}

#[cfg(test)]
mod tests;
