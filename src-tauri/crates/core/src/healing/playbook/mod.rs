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
        | Remedy::AskPartAgain
        | Remedy::RestartEngine
        | Remedy::RebuildIndex
        | Remedy::ReopenBackup => false,
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::healing::{Failure, FailureKind, Phase};
    use crate::memory::procedure::{LessonBy, Tally};

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_772_409_600, 0).unwrap()
    }

    fn busy_at(provider: &str) -> Failure {
        Failure {
            kind: FailureKind::RateLimit { retry_after: None },
            provider: provider.into(),
            model: "main".into(),
            phase: Phase::Asking,
        }
    }

    fn busy() -> Failure {
        busy_at("OpenRouter")
    }

    /// A playbook that knows what came of remedies for a busy provider.
    fn knowing(tries: &[(Remedy, u32, u32)]) -> Playbook {
        let mut playbook = Playbook::default();
        for (remedy, successes, failures) in tries {
            (0..*successes).for_each(|_| playbook.learn(&Outcome::of(&busy(), *remedy, true), now()));
            (0..*failures).for_each(|_| playbook.learn(&Outcome::of(&busy(), *remedy, false), now()));
        }
        playbook
    }

    const POSSIBLE: [Remedy; 4] = [Remedy::Wait, Remedy::SwitchModel, Remedy::SwitchProvider, Remedy::AnswerFromMemory];

    fn ranked(playbook: &Playbook, failure: &Failure, wait: u64, now: DateTime<Utc>) -> Vec<Remedy> {
        let cost = |remedy| Duration::from_secs(if remedy == Remedy::Wait { wait } else { 2 });
        playbook.rank(&Signature::of(failure), &POSSIBLE, cost, now)
    }

    #[test]
    fn who_knows_nothing_keeps_to_the_built_in_order() {
        assert_eq!(ranked(&Playbook::default(), &busy(), 20, now()), POSSIBLE);
    }

    #[test]
    fn what_helps_in_less_time_comes_first() {
        let playbook = knowing(&[(Remedy::Wait, 3, 1), (Remedy::SwitchProvider, 4, 0), (Remedy::SwitchModel, 0, 4)]);
        let expected = [Remedy::SwitchProvider, Remedy::SwitchModel, Remedy::Wait, Remedy::AnswerFromMemory];
        assert_eq!(ranked(&playbook, &busy(), 60, now()), expected);
    }

    #[test]
    fn what_is_nearly_as_good_does_not_change_places() {
        let playbook = knowing(&[(Remedy::Wait, 3, 1), (Remedy::SwitchModel, 4, 0)]);
        assert_eq!(ranked(&playbook, &busy(), 2, now()), POSSIBLE);
    }

    #[test]
    fn a_lesser_answer_comes_after_every_whole_one_that_is_worth_a_try() {
        let memory_works = (Remedy::AnswerFromMemory, 8, 0);
        let worth =
            knowing(&[memory_works, (Remedy::Wait, 4, 4), (Remedy::SwitchModel, 0, 8), (Remedy::SwitchProvider, 0, 8)]);
        assert_eq!(ranked(&worth, &busy(), 60, now())[2..], [Remedy::Wait, Remedy::AnswerFromMemory]);
        let hopeless =
            knowing(&[memory_works, (Remedy::Wait, 0, 8), (Remedy::SwitchModel, 0, 8), (Remedy::SwitchProvider, 0, 8)]);
        assert_eq!(ranked(&hopeless, &busy(), 60, now())[0], Remedy::AnswerFromMemory);
    }

    #[test]
    fn what_was_learned_long_ago_is_forgotten() {
        let playbook = knowing(&[(Remedy::Wait, 0, 8), (Remedy::SwitchModel, 8, 0)]);
        assert_eq!(ranked(&playbook, &busy(), 20, now())[0], Remedy::SwitchModel);
        assert_eq!(ranked(&playbook, &busy(), 20, now() + TimeDelta::days(60)), POSSIBLE);
    }

    #[test]
    fn a_new_provider_learns_a_little_from_others_and_soon_its_own_habits() {
        let mut playbook = knowing(&[(Remedy::Wait, 0, 8), (Remedy::SwitchProvider, 8, 0)]);
        let new = busy_at("Mistral");
        assert_eq!(
            ranked(&playbook, &new, 10, now())[0],
            Remedy::SwitchModel,
            "waiting is known to be no good elsewhere"
        );
        for _ in 0..6 {
            playbook.learn(&Outcome::of(&new, Remedy::Wait, true), now());
            playbook.learn(&Outcome::of(&new, Remedy::SwitchModel, false), now());
        }
        assert_eq!(ranked(&playbook, &new, 1, now())[0], Remedy::Wait);
    }

    #[test]
    fn a_retired_remedy_is_not_tried() {
        let mut records = knowing(&[(Remedy::SwitchModel, 4, 0)]).records;
        records[0].is_retired = true;
        let expected = [Remedy::Wait, Remedy::SwitchProvider, Remedy::AnswerFromMemory];
        assert_eq!(ranked(&Playbook::new(records), &busy(), 1, now()), expected);
    }

    #[test]
    fn the_database_keeps_what_the_playbook_learned() {
        let mut conn = crate::store::scratch();
        let mut playbook = Playbook::default();
        for (hours, remedy, worked) in [
            (0, Remedy::Wait, true),
            (5, Remedy::SwitchModel, false),
            (40, Remedy::Wait, false),
            (90, Remedy::Wait, true),
        ] {
            let (outcome, at) = (Outcome::of(&busy(), remedy, worked), now() + TimeDelta::hours(hours));
            playbook.learn(&outcome, at);
            let tx = conn.transaction().unwrap();
            outcome.record(&tx, at).unwrap();
            tx.commit().unwrap();
        }
        assert_eq!(rows(&conn).unwrap(), playbook.records);
    }

    #[test]
    fn what_an_older_atlas_learned_counts_on_and_what_it_alone_could_do_is_left_out() {
        let mut conn = crate::store::scratch();
        let tx = conn.transaction().unwrap();
        for (key, remedy) in
            [("rate_limit\u{1f}P\u{1f}m\u{1f}wait_and_retry", "wait"), ("a\u{1f}b\u{1f}c\u{1f}dance", "dance")]
        {
            tx.execute(
                "INSERT INTO procedures (signature, trigger, strategy, category, remedy, successes, failures, recent_successes,
                     recent_failures, created_at, last_used_at) VALUES (?1, '', '', '', ?2, 3, 1, 3, 1, ?3, ?3)",
                (key, remedy, now().timestamp_millis()),
            )
            .unwrap();
        }
        tx.commit().unwrap();
        let expected = Record {
            signature: Signature {
                code: "rate_limit".into(),
                provider: "P".into(),
                model: "m".into(),
                phase: Phase::Asking,
            },
            remedy: Remedy::Wait,
            tally: Tally { successes: 3.0, failures: 1.0, as_of: now() },
            is_retired: false,
        };
        assert_eq!(rows(&conn).unwrap(), [expected]);
    }

    #[test]
    fn a_lesson_that_kept_failing_takes_its_remedy_out_of_the_ranking() {
        let mut conn = crate::store::scratch();
        let tx = conn.transaction().unwrap();
        let failed = Outcome::of(&busy(), Remedy::SwitchModel, false);
        failed.record(&tx, now()).unwrap();
        let id = tx.query_row("SELECT id FROM procedures", [], |row| row.get(0)).unwrap();
        procedure::edit_lesson(&tx, id, "Ask the other model in the evening", LessonBy::Model).unwrap();
        (0..3).for_each(|_| failed.record(&tx, now()).unwrap());
        let playbook = Playbook::new(rows(&tx).unwrap());
        assert!(!ranked(&playbook, &busy(), 1, now()).contains(&Remedy::SwitchModel));
    }
}
