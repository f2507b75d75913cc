use super::*;
use crate::memory::history::undo;
use crate::memory::testing::{Memory, draft};
use crate::memory::writing::annotation::Change;

fn listed(memory: &Memory) -> Vec<(String, Option<String>)> {
    let query = MemoryQuery { order: MemoryOrder::Newest, limit: 10, ..MemoryQuery::default() };
    let page = page(&memory.conn, &query).unwrap();
    assert_eq!(page.total as usize, page.rows.len());
    page.rows.into_iter().map(|item| (item.quote, item.conflicts_with)).collect()
}

fn ids(memory: &Memory) -> Vec<ReviewId> {
    let query = MemoryQuery { order: MemoryOrder::Oldest, limit: 10, ..MemoryQuery::default() };
    page(&memory.conn, &query).unwrap().rows.into_iter().map(|item| item.id).collect()
}

fn accept_all(memory: &mut Memory, authority: Authority) -> Vec<MemoryChange> {
    let (ids, sealed, now) = (ids(memory), memory.sealed.clone(), memory.now);
    let rules = Rules { sealed: &sealed, agent: "Atlas", now };
    memory.write(|tx| accept(tx, &ids, authority, &rules).unwrap().unwrap().changes)
}

fn from_a_document(memory: &mut Memory, value: &str) {
    memory.say_as(
        &format!("the user eats {value} now"),
        &[["user", "diet", value]],
        Origin::Document,
        Some(Change::New),
    );
}

#[test]
fn what_a_document_says_waits_beside_what_the_person_said() {
    let mut memory = Memory::new();
    memory.say("I'm vegetarian.", &[["user", "diet", "vegetarian"]]);
    from_a_document(&mut memory, "meat");
    from_a_document(&mut memory, "Meat");
    assert_eq!(memory.known(), ["I'm vegetarian."]);
    assert_eq!(listed(&memory), [("the user eats meat now".to_owned(), Some("I'm vegetarian.".to_owned()))]);
}

#[test]
fn what_is_accepted_takes_its_place_and_an_undo_lets_it_wait_again() {
    let mut memory = Memory::new();
    memory.say("I'm vegetarian.", &[["user", "diet", "vegetarian"]]);
    from_a_document(&mut memory, "meat");
    let changes = accept_all(&mut memory, Authority::InPlace);
    assert_eq!(changes.iter().map(|change| change.kind).collect::<Vec<_>>(), [ChangeKind::Accepted]);
    assert_eq!((memory.known(), listed(&memory)), (vec!["the user eats meat now".to_owned()], Vec::new()));
    assert_eq!((memory.facts()[0].origin, &memory.facts()[0].replaced), (Origin::Said, &vec!["vegetarian".to_owned()]));
    let now = memory.utc();
    memory.write(|tx| undo::undo(tx, &[changes[0].event], now).unwrap());
    assert_eq!(memory.known(), ["I'm vegetarian."]);
    assert_eq!(listed(&memory).len(), 1);
}

#[test]
fn what_was_dismissed_does_not_come_back_until_that_is_undone() {
    let mut memory = Memory::new();
    from_a_document(&mut memory, "meat");
    let (ids, now) = (ids(&memory), memory.utc());
    let changes = memory.write(|tx| dismiss(tx, &ids, now).unwrap());
    assert_eq!(changes.iter().map(|change| change.kind).collect::<Vec<_>>(), [ChangeKind::Dismissed]);
    from_a_document(&mut memory, "meat");
    assert_eq!(listed(&memory), []);
    memory.write(|tx| undo::undo(tx, &[changes[0].event], now).unwrap());
    assert_eq!(listed(&memory).len(), 1);
    // The person may still say it.
    memory.say("I eat meat", &[["user", "diet", "meat"]]);
    assert_eq!(memory.known(), ["I eat meat"]);
}

#[test]
fn an_edit_waits_in_place_of_what_it_was_and_can_be_undone() {
    let mut memory = Memory::new();
    from_a_document(&mut memory, "meat");
    let (id, now) = (ids(&memory)[0], memory.now);
    let rules = Rules { sealed: &[], agent: "Atlas", now };
    let change = memory.write(|tx| edit(tx, id, &draft(["user", "diet", "fish"]), &rules).unwrap().unwrap());
    assert_eq!(listed(&memory), [("diet fish".to_owned(), None)]);
    let utc = memory.utc();
    memory.write(|tx| undo::undo(tx, &[change.event], utc).unwrap());
    assert_eq!(listed(&memory), [("the user eats meat now".to_owned(), None)]);
}

#[test]
fn a_pair_that_excludes_itself_waits_unless_the_sentence_says_which() {
    let mut memory = Memory::new();
    memory.say("I work at Acme.", &[["user", "works at", "Acme"]]);
    memory.say("I work at Globex.", &[["user", "works at", "Globex"]]);
    assert_eq!(memory.known(), ["I work at Acme."]);
    assert_eq!(listed(&memory), [("I work at Globex.".to_owned(), Some("I work at Acme.".to_owned()))]);
    accept_all(&mut memory, Authority::Beside);
    assert_eq!(memory.known(), ["I work at Acme.", "I work at Globex."]);
}

#[test]
fn both_can_be_kept_only_where_both_could_hold() {
    let mut memory = Memory::new();
    memory.say("I work at Acme. I live in Porto.", &[["user", "works at", "Acme"], ["user", "lives in", "Porto"]]);
    let text = "the user works at Globex and lives in Braga";
    memory.say_as(text, &[["user", "works at", "Globex"], ["user", "lives in", "Braga"]], Origin::Document, None);
    let page = page(&memory.conn, &MemoryQuery { limit: 10, ..MemoryQuery::default() }).unwrap();
    let both = |value: &str| page.rows.iter().find(|item| item.draft.value == value).map(|item| item.both_may_hold);
    assert_eq!((both("Globex"), both("Braga")), (Some(true), Some(false)));
}

#[test]
fn a_sealed_topic_does_not_wait_and_what_waits_leaves_when_it_is_sealed() {
    let mut memory = Memory::new();
    memory.say_as("the user has diabetes", &[["user", "has condition", "diabetes"]], Origin::Document, None);
    assert_eq!(listed(&memory).len(), 1);
    memory.sealed = vec!["my health".to_owned()];
    let sealed = memory.sealed.clone();
    memory.write(|tx| drop_sealed(tx, &sealed).unwrap());
    memory.say_as("the user has diabetes", &[["user", "has condition", "diabetes"]], Origin::Document, None);
    assert_eq!(listed(&memory), []);
}

#[test]
fn what_waits_goes_with_its_conversation_and_with_what_is_forgotten() {
    let mut memory = Memory::new();
    from_a_document(&mut memory, "meat");
    let conversation = memory.conversation();
    memory.write(|tx| crate::memory::conversation::delete(tx, conversation).unwrap());
    assert_eq!(listed(&memory), []);
    memory.new_conversation();
    from_a_document(&mut memory, "meat");
    memory.say("I eat meat", &[["user", "diet", "meat"]]);
    let (id, now) = (memory.facts()[0].id, memory.utc());
    memory.write(|tx| {
        crate::memory::forgetting::forget::facts(tx, &[id], None, now).unwrap();
        crate::memory::forgetting::purge::due(tx, now + chrono::TimeDelta::minutes(1)).unwrap();
    });
    assert_eq!(listed(&memory), []);
}

#[test]
fn the_list_is_searched_by_words_and_tells_where_each_comes_from() {
    let mut memory = Memory::new();
    from_a_document(&mut memory, "meat");
    let query = |search: &str| MemoryQuery { search: search.into(), limit: 10, ..MemoryQuery::default() };
    let found = page(&memory.conn, &query("EATS mea")).unwrap();
    assert_eq!(found.rows[0].source_title.as_deref(), Some("the user eats meat now"));
    assert_eq!(found.rows[0].source_conversation, Some(memory.conversation()));
    assert_eq!(page(&memory.conn, &query("fish")).unwrap().total, 0);
}

#[test]
fn an_import_proposes_and_is_told_what_came_of_it() {
    let mut memory = Memory::new();
    memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
    let now = memory.now;
    let rules = Rules { sealed: &["health".to_owned()], agent: "Atlas", now };
    let source = Source::of_text("", now);
    let mut proposed = |triple: [&str; 3]| {
        let candidate = Candidate::bare(draft(triple), Origin::Imported, 0.7, "an import");
        memory.write(|tx| propose(tx, &candidate, &source, &rules, Doubt::Imported, Some("MEMORY.md")).unwrap())
    };
    assert_eq!(proposed(["user", "home", "Porto"]), Proposal::Known);
    assert_eq!(proposed(["user", "has", "diabetes"]), Proposal::Refused(Refusal::Sealed("health".to_owned())));
    assert_eq!(proposed(["user", "drinks", "tea"]), Proposal::Waits);
    assert_eq!(listed(&memory), [("drinks tea".to_owned(), None)]);
}

#[test]
fn a_topic_that_may_be_meant_as_sealed_waits_and_is_handed_over_when_it_is() {
    let mut memory = Memory::new();
    let now = memory.now;
    let rules = Rules { sealed: &[], agent: "Atlas", now };
    memory.write(|tx| {
        let source = Source::of_text("", now);
        propose_seal(tx, "divorce", &source, &rules).unwrap();
        propose_seal(tx, "Divorce", &source, &rules).unwrap();
    });
    assert_eq!(listed(&memory), [("divorce".to_owned(), None)]);
    let ids = ids(&memory);
    let accepted = memory.write(|tx| accept(tx, &ids, Authority::InPlace, &rules).unwrap().unwrap());
    assert_eq!(accepted, Accepted { changes: Vec::new(), seals: vec!["divorce".to_owned()], rules: Vec::new() });
    assert_eq!(memory.known(), Vec::<String>::new());
}
