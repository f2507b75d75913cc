//! What is found, when, and what is left of it when it is gone.

use chrono::{DateTime, TimeDelta};
use rusqlite::{Connection, Transaction};

use super::passage::{self, Asks, COLUMNS, LONGEST, Owner, OwnerKind, parts, passage, text_of};
use super::{catch_up, seal, should_hold, terms, waiting};
use crate::memory::conversation::{self, MessageState, NewMessage, Role, Usage};
use crate::memory::episode;
use crate::memory::fact;
use crate::memory::forgetting::{erase, forget};
use crate::memory::history::undo;
use crate::memory::procedure::{self, ProcedureOutcome};
use crate::memory::testing::Memory;
use crate::store::Store;
use crate::store::id::MessageId;

fn message(id: MessageId) -> Owner {
    Owner { kind: OwnerKind::Message, id: id.0 }
}

fn all(conn: &Connection) -> Vec<(OwnerKind, i64, String)> {
    let mut statement = conn.prepare(&format!("SELECT {COLUMNS} FROM passages ORDER BY id")).unwrap();
    let passages = statement.query_map([], passage).unwrap().map(Result::unwrap);
    passages.map(|passage| (passage.owner.kind, passage.owner.id, passage.terms)).collect()
}

/// The messages that the index of words holds a term for, in the order of their passages.
fn holding(conn: &Connection, term: &str) -> Vec<i64> {
    conn.prepare("SELECT p.owner_id FROM passages_fts i JOIN passages p ON p.id = i.rowid WHERE passages_fts MATCH ?1 ORDER BY p.id")
        .unwrap()
        .query_map([format!("\"{term}\"")], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

fn is_sound(conn: &Connection) {
    conn.execute("INSERT INTO passages_fts (passages_fts, rank) VALUES ('integrity-check', 1)", []).unwrap();
}

#[test]
fn every_memory_has_its_passage_from_the_moment_it_is_written() {
    let mut memory = Memory::new();
    memory.say("I moved to Porto with Mara.", &[["user", "lives in", "Porto"]]);
    let (conversation, message, now) = (memory.conversation(), MessageId(1), memory.utc());
    memory.write(|tx| {
        episode::add_note(tx, conversation, message, "Moving to Porto", now).unwrap();
        let outcome = ProcedureOutcome {
            signature: "s".into(),
            trigger: "OpenRouter is busy".into(),
            strategy: "Wait, then ask again".into(),
            category: "rate_limit".into(),
            remedy: "wait".into(),
            worked: true,
        };
        procedure::record_outcome(tx, &outcome, now).unwrap();
        procedure::record_outcome(tx, &outcome, now).unwrap();
    });
    let mut all = all(&memory.conn);
    let fact = &mut all[1].2;
    assert!(fact.starts_with("move porto mara ") && fact.contains(" wohnort ") && fact.contains(" 居住 "), "{fact}");
    *fact = fact.rsplit(' ').next().unwrap().to_owned();
    assert_eq!(
        all,
        [
            (OwnerKind::Message, 1, "move porto mara".to_owned()),
            (OwnerKind::Fact, 1, "_you".to_owned()),
            (OwnerKind::Episode, 1, "move porto".to_owned()),
            (OwnerKind::Procedure, 1, "openrout busi wait ask rate limit".to_owned()),
        ]
    );
    assert_eq!(waiting(&memory.conn).unwrap(), 0);
    is_sound(&memory.conn);
}

#[test]
fn neighbours_in_a_conversation_are_one_apart_and_a_long_pause_begins_a_session() {
    let mut memory = Memory::new();
    let first = memory.message("Where shall we eat?");
    let second = memory.message("In the harbour");
    memory.later(TimeDelta::hours(7));
    let later = memory.message("The harbour was lovely");
    memory.new_conversation();
    let elsewhere = memory.message("Something else");
    let id = |of: MessageId| passage::of(&memory.conn, message(of)).unwrap()[0].id;
    assert_eq!(id(first).neighbour(1), Some(id(second)));
    assert_eq!((id(first).place(), id(first).neighbour(-1), id(first).kind()), (0, None, OwnerKind::Message));
    assert_ne!(id(second).session(), id(later).session());
    assert_ne!(id(later).session(), id(elsewhere).session());
    let asked = passage::of(&memory.conn, message(first)).unwrap().remove(0);
    assert_eq!((asked.asks, asked.words, asked.speaker.as_deref()), (Asks::AtTheEnd, 4, Some("user")));
}

#[test]
fn a_long_message_is_several_passages_and_none_of_its_text_is_lost() {
    let mut memory = Memory::new();
    let sentence = "The harbour of Porto is lovely in the evening, says Mara. ";
    let long = sentence.repeat(30);
    let id = memory.message(&long);
    let passages = passage::of(&memory.conn, message(id)).unwrap();
    let texts: Vec<String> = passages.iter().map(|passage| text_of(&memory.conn, passage).unwrap().unwrap()).collect();
    assert_eq!(texts.join(" "), long.trim());
    assert!(texts.iter().all(|text| text.chars().count() <= LONGEST && text.ends_with("Mara.")));
    assert!(passages.windows(2).all(|pair| pair[0].id.neighbour(1) == Some(pair[1].id)));
    let (book, after) = (memory.message(&sentence.repeat(20_000)), memory.message("The harbour again"));
    let book = passage::of(&memory.conn, message(book)).unwrap();
    assert_eq!((book.len(), book[1_023].id.session()), (1_024, book[0].id.session()));
    assert_ne!(passage::of(&memory.conn, message(after)).unwrap()[0].id.session(), book[0].id.session());
    let unbroken = "漢".repeat(1_500);
    assert_eq!(parts(&unbroken).map(|part| part.chars().count()).collect::<Vec<_>>(), [600, 600, 300]);
    assert_eq!(parts("").collect::<Vec<_>>(), [""]);
}

#[test]
fn an_answer_is_found_when_it_is_whole() {
    let mut memory = Memory::new();
    let (conversation, now) = (memory.conversation(), memory.utc());
    let answer = NewMessage {
        conversation,
        turn: None,
        role: Role::Assistant,
        text: "Por".to_owned(),
        state: MessageState::Streaming,
        model: None,
        speaker: None,
    };
    let id = memory.write(|tx| conversation::add_message(tx, &answer, now).unwrap());
    assert_eq!(all(&memory.conn), []);
    memory.write(|tx| {
        conversation::set_streaming_text(tx, id, "Porto has").unwrap();
        conversation::finish_message(tx, id, "Porto has a harbour", MessageState::Complete, Usage::default()).unwrap();
    });
    assert_eq!(all(&memory.conn), [(OwnerKind::Message, id.0, "porto harbour".to_owned())]);
    let speaker = passage::of(&memory.conn, message(id)).unwrap().remove(0).speaker;
    assert_eq!(speaker.as_deref(), Some("assistant"));
}

#[test]
fn an_answer_that_was_cut_by_a_crash_is_found_after_the_next_start() {
    let mut memory = Memory::new();
    let conversation = memory.conversation();
    memory.write(|tx| {
        tx.execute(
            "INSERT INTO messages (conversation_id, role, text, at, state) VALUES (?1, 'assistant', 'Porto has', 1, 'streaming')",
            [conversation],
        )
        .unwrap();
        conversation::recover_streaming(tx).unwrap();
    });
    assert_eq!(all(&memory.conn), [(OwnerKind::Message, 1, "porto".to_owned())]);
}

#[test]
fn what_recall_passes_by_has_no_passage_and_gets_its_place_back() {
    let mut memory = Memory::new();
    let ids = ["Mara sails", "Porto sails", "Lyon sails"].map(|text| memory.message(text));
    memory.message("Hello!");
    let places = |memory: &Memory| ids.map(|id| passage::of(&memory.conn, message(id)).unwrap().first().map(|p| p.id));
    let before = places(&memory);
    assert_eq!(holding(&memory.conn, "sail"), ids.map(|id| id.0));
    let recall = |memory: &mut Memory, recall: bool| {
        memory.write(|tx| {
            tx.execute("UPDATE messages SET recall = ?1 WHERE id = ?2", (recall, ids[1])).unwrap();
            catch_up(tx, 10).unwrap()
        })
    };
    recall(&mut memory, false);
    assert_eq!(holding(&memory.conn, "sail"), [ids[0].0, ids[2].0]);
    assert_eq!(places(&memory), [before[0], None, before[2]]);
    recall(&mut memory, true);
    assert_eq!(places(&memory), before);
    let now = memory.utc();
    let hide = |memory: &mut Memory, at: Option<i64>| {
        memory.write(|tx| {
            tx.execute("UPDATE messages SET forgotten_at = ?1 WHERE id = ?2", (at, ids[1])).unwrap();
            catch_up(tx, 10).unwrap()
        })
    };
    hide(&mut memory, Some(now.timestamp_millis()));
    assert_eq!(holding(&memory.conn, "sail"), [ids[0].0, ids[2].0]);
    hide(&mut memory, None);
    assert_eq!(places(&memory), before);
    assert!(should_hold(&memory.conn, message(ids[1])).unwrap());
    is_sound(&memory.conn);
}

#[test]
fn a_fact_is_found_while_it_is_current() {
    let mut memory = Memory::new();
    memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
    memory.say("I moved to Lyon.", &[["user", "lives in", "Lyon"]]);
    let facts = |memory: &Memory| {
        let rows = all(&memory.conn).into_iter().filter(|(kind, ..)| *kind == OwnerKind::Fact);
        rows.map(|(_, id, _)| id).collect::<Vec<_>>()
    };
    assert_eq!(facts(&memory), [2]);
    let (now, lyon) = (memory.utc(), memory.facts()[0].id);
    let forgotten = memory.write(|tx| forget::facts(tx, &[lyon], None, now).unwrap());
    assert_eq!(facts(&memory), Vec::<i64>::new());
    memory.write(|tx| undo::undo(tx, &[forgotten[0].event], now).unwrap());
    assert_eq!(facts(&memory), [2]);
    assert_eq!(fact::get(&memory.conn, lyon).unwrap().value, "Lyon");
    memory.write(|tx| erase::wipe(tx, now).unwrap());
    assert_eq!(all(&memory.conn), []);
    is_sound(&memory.conn);
}

#[test]
fn a_deleted_conversation_leaves_no_passage() {
    let mut memory = Memory::new();
    let conversation = memory.conversation();
    memory.message("Porto");
    memory.new_conversation();
    let kept = memory.message("Lyon");
    memory.write(|tx| conversation::delete(tx, conversation).unwrap());
    assert_eq!(all(&memory.conn), [(OwnerKind::Message, kept.0, "lyon".to_owned())]);
    is_sound(&memory.conn);
}

#[tokio::test]
async fn deleted_terms_are_overwritten_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let secret = "zebrafinkpassphrase";
    let words = move |tx: &Transaction<'_>, keep: bool| {
        let conversation = conversation::begin(tx, DateTime::UNIX_EPOCH)?;
        for n in 0..300 {
            let text = if keep { format!("harbour number {n}") } else { format!("{secret} number {n} {secret}{n}") };
            let new = NewMessage {
                conversation,
                turn: None,
                role: Role::User,
                text,
                state: MessageState::Complete,
                model: None,
                speaker: None,
            };
            conversation::add_message(tx, &new, DateTime::UNIX_EPOCH)?;
        }
        Ok(conversation)
    };
    store.write(move |tx| words(tx, true)).await.unwrap();
    let conversation = store.write(move |tx| words(tx, false)).await.unwrap();
    store.truncate_log().await.unwrap();
    let holds = || {
        let bytes = std::fs::read(folder.path().join("atlas.db")).unwrap();
        let is_there = |part: &str| bytes.windows(part.len()).any(|window| window == part.as_bytes());
        // In the vocabulary only what differs from the word before is written: a part is enough to betray it.
        (is_there("zebraf"), is_there("finkpass"), is_there("harbour"))
    };
    assert_eq!(holds(), (true, true, true));
    store.write(move |tx| conversation::delete(tx, conversation)).await.unwrap();
    store.truncate_log().await.unwrap();
    assert_eq!(holds(), (false, false, true));
    let left = store.read(|conn| {
        let mut statement = conn.prepare("SELECT term FROM passages_vocabulary WHERE term LIKE 'z%'")?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?)
    });
    assert_eq!(left.await.unwrap(), Vec::<String>::new());
    let sound = store.write(|tx| {
        is_sound(tx);
        Ok(())
    });
    sound.await.unwrap();
}

#[tokio::test]
async fn a_wipe_of_everything_overwrites_the_indexes_and_leaves_them_careful() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let add = |tx: &Transaction<'_>, text: &str| {
        let conversation = conversation::begin(tx, DateTime::UNIX_EPOCH)?;
        let new = NewMessage {
            conversation,
            turn: None,
            role: Role::User,
            text: text.to_owned(),
            state: MessageState::Complete,
            model: None,
            speaker: None,
        };
        let many = (0..200).map(|n| (NewMessage { text: format!("{text} {n}"), ..new.clone() }, DateTime::UNIX_EPOCH));
        conversation::add_messages(tx, conversation, many.collect())?;
        Ok(conversation)
    };
    store.write(move |tx| add(tx, "zebrafinkpassphrase")).await.unwrap();
    let wipe = |tx: &Transaction<'_>| {
        erase::wipe(tx, DateTime::UNIX_EPOCH)?;
        conversation::wipe(tx)
    };
    store.write(wipe).await.unwrap();
    store.truncate_log().await.unwrap();
    let holds = |part: &str| {
        let bytes = std::fs::read(folder.path().join("atlas.db")).unwrap();
        bytes.windows(part.len()).any(|window| window == part.as_bytes())
    };
    assert_eq!((holds("zebraf"), holds("finkpa")), (false, false));
    let later = store.write(move |tx| add(tx, "kolibrisecret")).await.unwrap();
    store.write(move |tx| conversation::delete(tx, later)).await.unwrap();
    store.truncate_log().await.unwrap();
    assert_eq!((holds("kolibr"), holds("risecr")), (false, false));
    let sound = store.write(|tx| {
        is_sound(tx);
        Ok(())
    });
    sound.await.unwrap();
}

#[test]
fn every_term_is_one_token_to_the_index() {
    let mut memory = Memory::new();
    let said = "q\"a#b\" x\u{1}#y C++ don't #123 50% a@b.example NEAR( -col:val ^a* {b} 怀孕 부산 กล้วยไม้ חיפה हिन्दी é\u{301}x 🐈‍⬛ box A";
    let id = memory.message(said);
    for term in terms(said) {
        assert_eq!(holding(&memory.conn, &term), [id.0], "{term:?}");
    }
}

#[test]
fn a_message_is_deleted_without_looking_through_all_others() {
    let memory = Memory::new();
    let plan: Vec<String> = memory
        .conn
        .prepare("EXPLAIN QUERY PLAN UPDATE messages SET replaced_by = NULL WHERE replaced_by = ?1")
        .unwrap()
        .query_map([1], |row| row.get(3))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(plan, ["SEARCH messages USING COVERING INDEX messages_by_successor (replaced_by=?)"]);
}

#[test]
fn what_was_written_by_other_hands_is_caught_up_in_batches() {
    let mut memory = Memory::new();
    let conversation = memory.conversation();
    memory.write(|tx| {
        for n in 0..5 {
            tx.execute(
                "INSERT INTO messages (conversation_id, role, text, at, state) VALUES (?1, 'user', ?2, ?3, 'complete')",
                (conversation, format!("Porto {n}"), n),
            )
            .unwrap();
        }
        assert_eq!(catch_up(tx, 2).unwrap(), 3);
        assert_eq!(catch_up(tx, 9).unwrap(), 0);
    });
    assert_eq!(holding(&memory.conn, "porto"), [1, 2, 3, 4, 5]);
}

#[test]
fn a_message_on_a_sealed_topic_is_not_found_and_one_on_a_topic_that_was_opened_is() {
    let mut memory = Memory::new();
    let early = memory.message("My asthma is bad");
    let other = memory.message("Mara sails");
    let before = passage::of(&memory.conn, message(other)).unwrap();
    let topics = |memory: &mut Memory, topics: &[&str]| {
        let topics: Vec<String> = topics.iter().map(|topic| (*topic).to_owned()).collect();
        memory.write(|tx| {
            seal(tx, &topics).unwrap();
            catch_up(tx, 100).unwrap()
        });
    };
    topics(&mut memory, &["my health"]);
    memory.message("The doctor says asthma again");
    assert_eq!(holding(&memory.conn, "asthma"), Vec::<i64>::new());
    assert_eq!(passage::of(&memory.conn, message(other)).unwrap(), before);
    topics(&mut memory, &[]);
    assert_eq!(holding(&memory.conn, "asthma"), [early.0, 3]);
}

#[test]
fn many_messages_at_once_get_the_passages_that_they_would_get_one_by_one() {
    let texts: Vec<String> = (0..8).map(|n| format!("Mara sails to harbour {n}. ").repeat(1 + n % 3 * 20)).collect();
    let at = |n: usize| DateTime::UNIX_EPOCH + TimeDelta::hours(n as i64 * n as i64);
    let new = |conversation, n: usize| NewMessage {
        conversation,
        turn: None,
        role: if n.is_multiple_of(2) { Role::User } else { Role::Assistant },
        text: texts[n].clone(),
        state: MessageState::Complete,
        model: None,
        speaker: (n == 3).then(|| "Tom".to_owned()),
    };
    let (mut one_by_one, mut at_once) = (Memory::new(), Memory::new());
    let conversation = one_by_one.conversation();
    one_by_one.write(|tx| {
        for n in 0..texts.len() {
            conversation::add_message(tx, &new(conversation, n), at(n)).unwrap();
        }
    });
    let conversation = at_once.conversation();
    at_once.write(|tx| {
        let all: Vec<_> = (0..texts.len()).map(|n| (new(conversation, n), at(n))).collect();
        let ids = conversation::add_messages(tx, conversation, all).unwrap();
        assert_eq!(ids.len(), texts.len());
    });
    let passages = |memory: &Memory| {
        let mut statement = memory.conn.prepare(&format!("SELECT {COLUMNS} FROM passages ORDER BY id")).unwrap();
        statement.query_map([], passage).unwrap().map(Result::unwrap).collect::<Vec<_>>()
    };
    assert_eq!(passages(&at_once), passages(&one_by_one));
    assert_eq!(waiting(&at_once.conn).unwrap(), 0);
}
