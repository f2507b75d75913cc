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
    assert_eq!(ranked(&playbook, &new, 10, now())[0], Remedy::SwitchModel, "waiting is known to be no good elsewhere");
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
    for (hours, remedy, worked) in
        [(0, Remedy::Wait, true), (5, Remedy::SwitchModel, false), (40, Remedy::Wait, false), (90, Remedy::Wait, true)]
    {
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
