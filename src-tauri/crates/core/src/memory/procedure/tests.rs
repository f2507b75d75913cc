use super::*;
use crate::memory::forgetting::forget;
use crate::memory::page::counts;
use crate::memory::testing::Memory;

fn outcome(remedy: &str, worked: bool) -> ProcedureOutcome {
    ProcedureOutcome {
        signature: format!("rate_limit\u{1f}OpenRouter\u{1f}m\u{1f}{remedy}"),
        trigger: "OpenRouter is busy".into(),
        strategy: format!("{remedy}, then ask again"),
        category: "rate_limit".into(),
        remedy: remedy.into(),
        worked,
    }
}

#[test]
fn outcomes_of_one_signature_are_counted_together() {
    let mut memory = Memory::new();
    let now = memory.utc();
    memory.write(|tx| {
        for worked in [true, true, false] {
            record_outcome(tx, &outcome("wait", worked), now).unwrap();
        }
        record_outcome(tx, &outcome("switch", false), now).unwrap();
    });
    let told = worth_telling(&memory.conn, 5, now).unwrap();
    assert_eq!((told[0].successes, told[0].failures, told[0].reliability), (2, 1, 0.6));
    assert_eq!(told.len(), 1, "what never helped is not told");
    let query =
        MemoryQuery { search: "SWITCH again".into(), order: MemoryOrder::MostUsed, limit: 5, ..MemoryQuery::default() };
    assert_eq!(page(&memory.conn, &query, now).unwrap().total, 1);
}

#[test]
fn a_forgotten_procedure_begins_anew() {
    let mut memory = Memory::new();
    let now = memory.utc();
    let first = memory.write(|tx| record_outcome(tx, &outcome("wait", true), now).unwrap());
    memory.write(|tx| forget::procedures(tx, &[first], now).unwrap());
    assert_eq!(worth_telling(&memory.conn, 5, now).unwrap(), []);
    memory.write(|tx| record_outcome(tx, &outcome("wait", true), now).unwrap());
    let told = worth_telling(&memory.conn, 5, now).unwrap();
    assert_eq!((told.len(), told[0].successes, told[0].failures), (1, 1, 0));
}

#[test]
fn tries_count_half_after_three_days_and_the_newest_push_out_the_oldest() {
    let memory = Memory::new();
    let now = memory.utc();
    let old = Tally { successes: 4.0, failures: 2.0, as_of: now };
    let later = now + TimeDelta::days(3);
    assert_eq!(old.faded(later), Tally { successes: 2.0, failures: 1.0, as_of: later });
    assert_eq!(old.faded(now - TimeDelta::days(9)), old, "a clock that was set back takes nothing away");
    let many = Tally { successes: 220.0, failures: 0.0, as_of: now };
    assert_eq!(many.with(false, now), Tally { successes: 11.0, failures: 1.0, as_of: now });
}

#[test]
fn reliability_follows_the_present_and_orders_the_page() {
    let mut memory = Memory::new();
    let now = memory.utc();
    memory.write(|tx| {
        for _ in 0..6 {
            record_outcome(tx, &outcome("wait", true), now).unwrap();
        }
    });
    let later = now + TimeDelta::days(30);
    memory.write(|tx| {
        record_outcome(tx, &outcome("wait", false), later).unwrap();
        record_outcome(tx, &outcome("switch", true), later).unwrap();
    });
    let query = MemoryQuery { order: MemoryOrder::LeastConfident, limit: 5, ..MemoryQuery::default() };
    let rows = page(&memory.conn, &query, later).unwrap().rows;
    let told: Vec<_> = rows.iter().map(|row| (row.remedy.as_str(), row.successes, row.failures)).collect();
    assert_eq!(told, [("wait", 6, 1), ("switch", 1, 0)]);
    let percent: Vec<_> = rows.iter().map(|row| (row.reliability * 100.0).round()).collect();
    assert_eq!(percent, [33.0, 67.0]);
    let second = MemoryQuery { offset: 1, limit: 1, ..query };
    assert_eq!(page(&memory.conn, &second, later).unwrap().rows, rows[1..]);
}

#[test]
fn what_an_older_atlas_noted_of_asking_the_person_is_not_listed_unless_there_is_a_lesson_to_it() {
    let mut memory = Memory::new();
    let now = memory.utc();
    let id = memory.write(|tx| {
        record_outcome(tx, &outcome("wait", true), now).unwrap();
        record_outcome(tx, &outcome("ask_person", false), now).unwrap()
    });
    let listed = |memory: &Memory| {
        let query = MemoryQuery { order: MemoryOrder::MostUsed, limit: 5, ..MemoryQuery::default() };
        let page = page(&memory.conn, &query, now).unwrap();
        let remedies: Vec<_> = page.rows.iter().map(|row| row.remedy.clone()).collect();
        (remedies, page.total, counts(&memory.conn).unwrap().procedures)
    };
    assert_eq!(listed(&memory), (vec!["wait".to_owned()], 1, 1));
    memory.write(|tx| edit_lesson(tx, id, "The key is in the drawer", LessonBy::Person).unwrap());
    assert_eq!(listed(&memory), (vec!["ask_person".to_owned(), "wait".to_owned()], 2, 2));
}

#[test]
fn a_lesson_that_fails_three_times_in_a_row_retires_and_a_new_one_is_a_new_chance() {
    let mut memory = Memory::new();
    let now = memory.utc();
    let is_retired = |memory: &Memory| {
        let query = MemoryQuery { limit: 5, ..MemoryQuery::default() };
        page(&memory.conn, &query, now).unwrap().rows[0].retired
    };
    let tried = |memory: &mut Memory, outcomes: &[bool]| {
        memory.write(|tx| {
            for worked in outcomes {
                record_outcome(tx, &outcome("wait", *worked), now).unwrap();
            }
        });
    };
    let id = memory.write(|tx| record_outcome(tx, &outcome("wait", true), now).unwrap());
    tried(&mut memory, &[false, false, false]);
    assert!(!is_retired(&memory), "there is no lesson that could fail");
    memory.write(|tx| assert!(edit_lesson(tx, id, " Wait longer ", LessonBy::Model).unwrap()));
    tried(&mut memory, &[false, false, true, false, false]);
    assert!(!is_retired(&memory), "a success begins the row anew");
    tried(&mut memory, &[false]);
    assert!(is_retired(&memory));
    assert_eq!(
        (worth_telling(&memory.conn, 5, now).unwrap(), by_ids(&memory.conn, &[id], now).unwrap()),
        (vec![], vec![])
    );
    memory.write(|tx| edit_lesson(tx, id, "Wait a minute", LessonBy::Person).unwrap());
    let told = worth_telling(&memory.conn, 5, now).unwrap();
    assert_eq!((told[0].lesson.as_deref(), told[0].lesson_by), (Some("Wait a minute"), Some(LessonBy::Person)));
    memory.write(|tx| edit_lesson(tx, id, "  ", LessonBy::Person).unwrap());
    let told = worth_telling(&memory.conn, 5, now).unwrap();
    assert_eq!((told[0].lesson.as_deref(), told[0].lesson_by), (None, None));
}

#[test]
fn a_person_retires_a_procedure_and_takes_it_back() {
    let mut memory = Memory::new();
    let now = memory.utc();
    let id = memory.write(|tx| record_outcome(tx, &outcome("wait", true), now).unwrap());
    memory.write(|tx| assert!(retire(tx, id, true, now).unwrap()));
    let retired: Vec<bool> = tallies(&memory.conn).unwrap().into_iter().map(|row| row.is_retired).collect();
    assert_eq!(retired, [true]);
    memory.write(|tx| assert!(retire(tx, id, false, now).unwrap()));
    assert_eq!(worth_telling(&memory.conn, 5, now).unwrap().len(), 1);
    memory.write(|tx| assert!(!retire(tx, ProcedureId(404), true, now).unwrap()));
}

#[test]
fn telling_the_person_is_no_failure_of_a_lesson() {
    let mut memory = Memory::new();
    let now = memory.utc();
    let id = memory.write(|tx| record_outcome(tx, &outcome(TELLS, false), now).unwrap());
    memory.write(|tx| {
        edit_lesson(tx, id, "The card on file has expired", LessonBy::Person).unwrap();
        for _ in 0..5 {
            record_outcome(tx, &outcome(TELLS, false), now).unwrap();
        }
    });
    assert!(!tallies(&memory.conn).unwrap()[0].is_retired);
}
