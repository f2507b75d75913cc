use super::*;
use crate::memory::page::MemoryQuery;
use crate::memory::testing::Memory;
use crate::memory::transfer::import::{self, Line};

fn fixture(name: &str) -> Brought {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/imports/");
    import::read(format!("{folder}{name}").as_ref()).unwrap()
}

fn take(memory: &mut Memory, brought: &Brought) -> Tally {
    let (sealed, now) = (memory.sealed.clone(), memory.now);
    let rules = Rules { sealed: &sealed, agent: "Atlas", now };
    let planned = plan(&memory.conn, brought, &rules).unwrap();
    let tally = memory.write(|tx| take_in(tx, brought, &rules).unwrap().0);
    assert_eq!((planned.conversations, planned.messages), (tally.conversations, tally.messages));
    assert_eq!((planned.review, planned.added), (tally.review, tally.added), "{planned:?} {tally:?}");
    tally
}

fn waiting(memory: &Memory) -> Vec<(String, Option<String>)> {
    let query = MemoryQuery { limit: 100, ..MemoryQuery::default() };
    let mut rows: Vec<_> = review::page(&memory.conn, &query).unwrap().rows;
    rows.sort_by_key(|row| row.id.0);
    assert!(rows.iter().all(|row| row.origin == Origin::Imported));
    rows.into_iter().map(|row| (row.quote, row.source_title)).collect()
}

fn row(sentence: &str, title: &str) -> (String, Option<String>) {
    (sentence.to_owned(), Some(title.to_owned()))
}

#[test]
fn conversations_come_whole_and_what_people_said_in_them_waits_with_its_source() {
    let mut memory = Memory::new();
    let mut brought = fixture("chatgpt.json");
    let asked = Said { text: "Remember that my cats hate rain.".into(), ..brought.transcripts[0].messages[0].clone() };
    brought.transcripts[0].messages.push(asked);
    let tally = take(&mut memory, &brought);
    assert_eq!((tally.conversations, tally.messages, tally.added), (2, 5, 0));
    assert_eq!(memory.known(), Vec::<String>::new());
    assert_eq!(
        waiting(&memory),
        [
            row("my cats hate rain", "Moving house"),
            row("I am allergic to walnuts", "ChatGPT memories"),
            row("Lives in Braga.", "ChatGPT memories"),
            row("not a conversation at all 7", "chatgpt.json"),
        ]
    );
    let list = conversation::list(&memory.conn).unwrap();
    assert_eq!(list.iter().map(|one| one.title.as_str()).collect::<Vec<_>>(), ["你好", "Moving house"]);
    let messages = conversation::messages(&memory.conn, list[1].id).unwrap();
    assert_eq!(messages[0].at.to_rfc3339(), "2024-05-01T10:00:01+00:00");
    assert_eq!(
        (messages[0].role, messages[1].role, messages[1].model.as_deref()),
        (Role::User, Role::Assistant, Some("gpt-4o"))
    );
}

#[test]
fn importing_twice_adds_nothing_and_a_longer_export_adds_the_rest() {
    let mut memory = Memory::new();
    let mut brought = fixture("claude.json");
    let said = brought.transcripts[0].messages[0].clone();
    let asked = |text: &str| Said { text: text.into(), ..said.clone() };
    brought.transcripts[0].messages.push(asked("Remember that I drink tea"));
    let tally = take(&mut memory, &brought);
    assert_eq!((tally.conversations, tally.messages, tally.review), (1, 4, 1));
    let before = waiting(&memory);
    assert_eq!(before, [row("I drink tea", "Planning")]);
    assert_eq!(take(&mut memory, &brought), Tally::default());
    brought.transcripts[0].messages.push(asked("Remember that I speak Basque"));
    let tally = take(&mut memory, &brought);
    assert_eq!((tally.conversations, tally.messages, tally.review), (1, 1, 1));
    assert_eq!(waiting(&memory).len(), before.len() + 1);
    let id = conversation::list(&memory.conn).unwrap()[0].id;
    assert_eq!(conversation::messages(&memory.conn, id).unwrap().len(), 5);
}

#[test]
fn a_conversation_that_was_deleted_does_not_come_back() {
    let mut memory = Memory::new();
    let brought = fixture("claude.json");
    take(&mut memory, &brought);
    let id = conversation::list(&memory.conn).unwrap()[0].id;
    memory.write(|tx| conversation::delete(tx, id).unwrap());
    assert_eq!(take(&mut memory, &brought), Tally::default());
    assert_eq!(conversation::list(&memory.conn).unwrap(), []);
}

#[test]
fn notes_wait_line_by_line_and_what_is_known_does_not() {
    let mut memory = Memory::new();
    memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
    let mut brought = fixture("MEMORY.md");
    brought.lines.push(Line { text: "I live in Porto.".into(), ..brought.lines[0].clone() });
    let tally = take(&mut memory, &brought);
    assert_eq!((tally.known, tally.added), (1, 0));
    let waits: Vec<String> = waiting(&memory).into_iter().map(|(quote, _)| quote).collect();
    assert!(waits.contains(&"The flight is tomorrow".to_owned()), "{waits:?}");
    assert!(waiting(&memory).iter().all(|(_, title)| title.as_deref() == Some("MEMORY.md")));
    let again = take_again(&mut memory, &brought);
    assert_eq!(waiting(&memory).len(), waits.len());
    assert_eq!(again.added, 0);
    let user = take(&mut memory, &fixture("USER.md"));
    assert_eq!(user.review, 3);
}

/// What waits already is counted again, and waits once.
fn take_again(memory: &mut Memory, brought: &Brought) -> Tally {
    let now = memory.now;
    let rules = Rules { sealed: &[], agent: "Atlas", now };
    memory.write(|tx| take_in(tx, brought, &rules).unwrap().0)
}

#[test]
fn a_sealed_topic_does_not_wait() {
    let mut memory = Memory::new();
    memory.sealed = vec!["my health".to_owned()];
    let tally = take(&mut memory, &fixture("USER.md"));
    assert_eq!((tally.review, tally.barred), (2, 1));
}
