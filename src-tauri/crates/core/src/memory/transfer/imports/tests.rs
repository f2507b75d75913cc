use super::*;
use crate::memory::history::pin;
use crate::memory::page::MemoryQuery;
use crate::memory::testing::Memory;
use crate::memory::transfer::archive::{self, Archive};
use crate::memory::transfer::import::{self, Brought};
use crate::memory::transfer::take_in;
use crate::memory::writing::candidate::{Authority, Rules};
use crate::memory::writing::review;

fn fixture(name: &str) -> Brought {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/imports/");
    import::read(format!("{folder}{name}").as_ref()).unwrap()
}

fn take(memory: &mut Memory, brought: &Brought) -> (Tally, Option<ImportId>) {
    let now = memory.now;
    memory.write(|tx| take_in::take_in(tx, brought, &Rules { sealed: &[], agent: "Atlas", now }).unwrap())
}

fn take_back_in(memory: &mut Memory, import: ImportId) -> ImportUndone {
    let now = memory.utc();
    memory.write(|tx| take_back(tx, import, now).unwrap())
}

fn archive(memory: &Memory) -> Archive {
    archive::collect(&memory.conn, "Atlas", memory.utc()).unwrap()
}

fn waiting(memory: &Memory) -> Vec<review::ReviewItem> {
    review::page(&memory.conn, &MemoryQuery { limit: 100, ..MemoryQuery::default() }).unwrap().rows
}

/// What another Atlas knows.
fn of_another() -> Brought {
    let mut other = Memory::new();
    other.say("I live in Porto and drink tea.", &[["user", "lives in", "Porto"], ["user", "drinks", "tea"]]);
    other.new_conversation();
    other.say("I moved to Lyon. I play chess.", &[["user", "lives in", "Lyon"], ["user", "plays", "chess"]]);
    Brought { archive: Some(Box::new(archive(&other))), ..Brought::default() }
}

#[test]
fn an_import_that_is_taken_back_leaves_all_as_it_was_and_can_be_made_again() {
    for brought in [fixture("chatgpt.json"), fixture("claude.json"), of_another()] {
        let mut memory = Memory::new();
        memory.say("I like maps", &[["user", "likes", "maps"]]);
        let before = archive(&memory);
        let (tally, import) = take(&mut memory, &brought);
        assert_ne!(archive(&memory), before);
        let undone = take_back_in(&mut memory, import.unwrap());
        assert_eq!((archive(&memory), waiting(&memory).len()), (before.clone(), 0));
        assert_eq!((undone.conversations, undone.messages, undone.kept), (tally.conversations, tally.messages, 0));
        assert_eq!((undone.memories, undone.review), (tally.added, tally.review));
        assert!(list(&memory.conn).unwrap()[0].undone);
        assert_eq!(take_back_in(&mut memory, import.unwrap()), ImportUndone::default(), "twice is harmless");
        for index in ["messages_trigram", "facts_trigram", "episodes_trigram", "passages_fts"] {
            memory.conn.execute(&format!("INSERT INTO {index} ({index}) VALUES ('integrity-check')"), []).unwrap();
        }
        let (again, _) = take(&mut memory, &brought);
        assert_eq!(again, tally);
        assert_eq!(take(&mut memory, &brought).1, None, "what brings nothing is no import");
    }
}

#[test]
fn what_the_person_confirmed_changed_or_went_on_with_stays() {
    let mut memory = Memory::new();
    memory.say("I like maps", &[["user", "likes", "maps"]]);
    let (_, import) = take(&mut memory, &of_another());
    assert_eq!(memory.known(), ["I like maps", "I live in Porto and drink tea.", "I moved to Lyon.", "I play chess."]);
    let facts = memory.facts();
    let now = memory.utc();
    memory.write(|tx| pin::fact(tx, facts[1].id, true, now).unwrap());
    memory.say("I play chess every day", &[["user", "plays", "chess"]]);
    memory.say("I moved to Rome", &[["user", "lives in", "Rome"]]);
    let undone = take_back_in(&mut memory, import.unwrap());
    assert_eq!(memory.known(), ["I like maps", "I live in Porto and drink tea.", "I play chess.", "I moved to Rome"]);
    assert_eq!(memory.facts()[3].replaced, ["Lyon"], "what the person replaced is their history");
    assert_eq!((undone.memories, undone.kept), (1, 3), "only Porto goes");
}

#[test]
fn what_was_accepted_in_review_and_a_conversation_that_goes_on_stay() {
    let mut memory = Memory::new();
    let (_, import) = take(&mut memory, &fixture("chatgpt.json"));
    let (first, now) = (waiting(&memory).pop().unwrap(), memory.now);
    memory.write(|tx| {
        let rules = Rules { sealed: &[], agent: "Atlas", now };
        review::accept(tx, &[first.id], Authority::InPlace, &rules).unwrap().unwrap();
    });
    let known = memory.known();
    assert_eq!(known.len(), 1);
    let conversation = conversation::list(&memory.conn).unwrap()[0].id;
    let new = conversation::NewMessage {
        conversation,
        turn: None,
        role: conversation::Role::User,
        text: "And now?".into(),
        state: conversation::MessageState::Complete,
        model: None,
        speaker: None,
    };
    let now = memory.utc();
    memory.write(|tx| conversation::add_message(tx, &new, now).unwrap());
    let undone = take_back_in(&mut memory, import.unwrap());
    assert_eq!((memory.known(), waiting(&memory).len()), (known, 0));
    let left: Vec<_> = conversation::list(&memory.conn).unwrap().into_iter().map(|one| one.id).collect();
    assert_eq!((left, undone.conversations, undone.kept), (vec![conversation], 1, 1));
}

#[test]
fn a_conversation_that_an_export_made_longer_is_as_long_as_before() {
    let mut memory = Memory::new();
    let whole = fixture("claude.json");
    let mut short = fixture("claude.json");
    short.transcripts[0].messages.truncate(1);
    take(&mut memory, &short);
    let before = archive(&memory).conversations;
    let (tally, import) = take(&mut memory, &whole);
    assert_eq!(tally.messages, 2);
    let undone = take_back_in(&mut memory, import.unwrap());
    assert_eq!((undone.conversations, undone.messages), (0, 2));
    assert_eq!(archive(&memory).conversations[0].messages, before[0].messages);
    assert_eq!(take(&mut memory, &whole).0.messages, 2, "they can come again");
}

#[test]
fn an_import_that_does_not_exist_is_an_error() {
    let mut memory = Memory::new();
    let now = memory.utc();
    assert!(matches!(memory.write(|tx| take_back(tx, ImportId(9), now)), Err(StoreError::Missing("import"))));
}
