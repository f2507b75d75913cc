use chrono::TimeDelta;

use super::*;
use crate::memory::episode;
use crate::memory::fact;
use crate::memory::forgetting::forget;
use crate::memory::history::{pin, timeline, undo};
use crate::memory::page::MemoryQuery;
use crate::memory::procedure::{self, LessonBy, ProcedureOutcome};
use crate::memory::testing::{Memory, draft};
use crate::memory::writing::candidate::Rules;
use crate::memory::writing::edit;

/// A memory with something of every kind.
fn lived() -> Memory {
    let mut memory = Memory::new();
    memory.say("I live in Porto. My name is Ana.", &[["user", "lives in", "Porto"], ["user", "name", "Ana"]]);
    memory.later(TimeDelta::days(3));
    memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
    memory.say("I live in Lyon, and I like tea", &[["user", "lives in", "Lyon"], ["user", "likes", "tea"]]);
    let conversation = memory.conversation();
    let message = memory.message("苏州的评弹 \"quoted\" \u{0}\u{1F408}");
    memory.new_conversation();
    memory.say("My sister is Mara", &[["Mara", "is", "user's sister"]]);
    let now = memory.utc();
    let facts = memory.facts();
    memory.write(|tx| {
        episode::add_note(tx, conversation, message, "talked about 评弹", now).unwrap();
        episode::replace_summary(tx, conversation, "Lyon and tea.", now).unwrap();
        crate::memory::conversation::rename(tx, conversation, "Moving").unwrap();
        let outcome = ProcedureOutcome {
            signature: "busy|x".into(),
            trigger: "X is busy".into(),
            strategy: "Wait".into(),
            category: "busy".into(),
            remedy: "wait".into(),
            worked: true,
        };
        let id = procedure::record_outcome(tx, &outcome, now).unwrap();
        procedure::edit_lesson(tx, id, "It rests at noon.", LessonBy::Person).unwrap();
        procedure::retire(tx, id, true, now).unwrap();
        tx.execute("UPDATE procedures SET lesson_failures = 2, recent_successes = 0.5, weighed_at = 2000", []).unwrap();
        let tea = facts.iter().find(|fact| fact.value == "tea").unwrap().id;
        pin::fact(tx, tea, true, now).unwrap();
        edit::fact(tx, tea, &draft(["user", "likes", "green tea"]), None, now).unwrap().unwrap();
        tx.execute("UPDATE facts SET use_count = 4, last_used_at = 1000, level = 1 WHERE value = 'Lyon'", []).unwrap();
        tx.execute("UPDATE messages SET recall = 0 WHERE id = 1", []).unwrap();
    });
    memory
}

fn archive_of(memory: &Memory) -> Archive {
    collect(&memory.conn, "Atlas", memory.utc()).unwrap()
}

fn restore_into(memory: &mut Memory, archive: &Archive) -> Restored {
    let (sealed, now) = (memory.sealed.clone(), memory.now);
    let rules = Rules { sealed: &sealed, agent: "Atlas", now };
    memory.write(|tx| restore(tx, archive, &rules).unwrap())
}

#[test]
fn into_an_empty_atlas_everything_goes_without_loss() {
    let memory = lived();
    let archive = archive_of(&memory);
    let read = Archive::from_json(archive.to_json().as_bytes()).unwrap();
    assert_eq!(read, archive);
    let mut other = Memory::new();
    other.now = memory.now;
    let restored = restore_into(&mut other, &read);
    assert_eq!(restored, Restored { conversations: 2, messages: 5, added: 9, review: 0, known: 0, barred: 0 });
    assert_eq!(archive_of(&other), archive);
    assert_eq!(other.facts(), memory.facts());
    let events = |memory: &Memory| {
        let query = timeline::EventQuery { limit: 100, ..Default::default() };
        timeline::page(&memory.conn, &query).unwrap()
    };
    assert_eq!(events(&other), events(&memory));
    let learned = |memory: &Memory| {
        let query = MemoryQuery { limit: 9, ..MemoryQuery::default() };
        procedure::page(&memory.conn, &query, memory.utc()).unwrap().rows
    };
    assert_eq!(learned(&other), learned(&memory));
    let [kept] = learned(&other).try_into().unwrap();
    assert_eq!((kept.lesson_by, kept.retired), (Some(LessonBy::Person), true));
}

#[test]
fn a_procedure_of_an_earlier_archive_is_read_and_counts_as_it_did_there() {
    let mut json = serde_json::to_value(archive_of(&lived())).unwrap();
    let fields = json["procedures"][0].as_object_mut().unwrap();
    for new in ["lessonBy", "lessonFailures", "retiredAt", "recent"] {
        assert!(fields.remove(new).is_some(), "{new}");
    }
    let mut other = Memory::new();
    restore_into(&mut other, &Archive::from_json(json.to_string().as_bytes()).unwrap());
    let restored = archive_of(&other).procedures.remove(0);
    let whole = ArchivedTally { successes: 1.0, failures: 0.0, at: restored.last_used_at };
    assert_eq!((restored.lesson_by, restored.retired_at, restored.recent), (None, None, Some(whole)));
    assert_eq!(restored.lesson.as_deref(), Some("It rests at noon."));
}

#[test]
fn what_was_restored_can_be_recalled_searched_and_undone() {
    let archive = archive_of(&lived());
    let mut other = Memory::new();
    other.now += TimeDelta::days(3);
    restore_into(&mut other, &archive);
    assert_eq!(other.search("lyon")[0].quote, "I moved to Lyon.");
    let edited = archive.events.iter().position(|event| event.kind == ChangeKind::Edited).unwrap() as i64 + 1;
    let now = other.utc();
    other.write(|tx| undo::undo(tx, &[crate::store::id::MemoryEventId(edited)], now).unwrap());
    assert_eq!(other.search("tea")[0].quote, "and I like tea");
    let lyon = other.search("lyon")[0].id;
    assert_eq!(fact::history(&other.conn, lyon).unwrap().len(), 2);
}

#[test]
fn restoring_twice_adds_nothing() {
    let mut memory = lived();
    let archive = archive_of(&memory);
    let restored = restore_into(&mut memory, &archive);
    assert_eq!((restored.conversations, restored.added, restored.review, restored.barred), (0, 0, 0, 0));
    assert_eq!(archive_of(&memory), archive);
}

#[test]
fn what_goes_against_what_is_known_here_waits_and_the_rest_comes() {
    let archive = archive_of(&lived());
    let mut other = Memory::new();
    other.say("I live in Oslo.", &[["user", "lives in", "Oslo"]]);
    other.later(TimeDelta::days(9));
    let restored = restore_into(&mut other, &archive);
    assert_eq!((restored.review, restored.conversations), (1, 2));
    let known = other.known();
    assert!(
        known.contains(&"I live in Oslo.".to_owned()) && !known.contains(&"I moved to Lyon.".to_owned()),
        "{known:?}"
    );
    assert!(known.contains(&"likes green tea".to_owned()), "{known:?}");
}

#[test]
fn what_is_sealed_here_does_not_come() {
    let archive = archive_of(&lived());
    let mut other = Memory::new();
    other.sealed = vec!["where I live".to_owned(), "tea".to_owned()];
    let restored = restore_into(&mut other, &archive);
    assert!(restored.barred > 0);
    assert!(!other.known().iter().any(|known| known.contains("tea")), "{:?}", other.known());
}

#[test]
fn what_was_forgotten_is_in_no_archive() {
    let mut memory = lived();
    let (id, now) = (memory.search("Mara")[0].id, memory.utc());
    memory.write(|tx| forget::facts(tx, &[id], None, now).unwrap());
    let hidden = archive_of(&memory);
    assert!(hidden.facts.iter().chain([]).all(|fact| fact.subject != "Mara"));
    assert!(hidden.events.iter().all(|event| !event.sentence.contains("Mara")));
}
