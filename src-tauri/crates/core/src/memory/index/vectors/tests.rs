//! Vectors in a database, without models: what they are is for `embedding` to test.

use std::collections::HashMap;

use rusqlite::Connection;

use super::queue::{adopt, keep, waiting};
use super::*;
use crate::memory::index::Index;
use crate::memory::testing::Memory;
use crate::store::Store;

const MODEL: u32 = 7;

/// A direction that turns with the angle, in degrees; those a right angle apart have a cosine of 0.
fn towards(angle: f32, dimensions: usize) -> Quantized {
    let vector: Vec<f32> = (0..dimensions)
        .map(|n| {
            let wave = (n / 2) as f32 * 0.7;
            let (sin, cos) = (angle.to_radians() + wave).sin_cos();
            if n % 2 == 0 { sin } else { cos }
        })
        .collect();
    Quantized::of(&vector).unwrap()
}

fn dimensions(space: Space) -> usize {
    match space {
        Space::Static => 256,
        Space::Dense => 384,
    }
}

fn direction(angle: f32, space: Space, model: u32) -> Direction {
    Direction { space, model, vector: towards(angle, dimensions(space)), words: Vec::new() }
}

fn kept(angle: f32, space: Space) -> Kept {
    Kept { vector: towards(angle, dimensions(space)), words: vec![3; words::BYTES] }
}

/// Messages, each read as a direction of its own: the first at 0 degrees, the next at 10, and so on.
fn memory(messages: usize) -> (Memory, Vec<PassageId>) {
    let mut memory = Memory::new();
    for n in 0..messages {
        memory.message(&format!("This is said at place {n} of the conversation"));
    }
    memory.write(|tx| crate::memory::index::catch_up(tx, 1_000).unwrap());
    let passages = passages(&memory.conn);
    assert_eq!(passages.len(), messages);
    for space in Space::ALL {
        read(&mut memory, &passages, space, MODEL, 0.0);
    }
    (memory, passages)
}

fn passages(conn: &Connection) -> Vec<PassageId> {
    let mut statement = conn.prepare("SELECT id FROM passages ORDER BY id").unwrap();
    let ids = statement.query_map([], |row| row.get("id")).unwrap();
    ids.collect::<Result<_, _>>().unwrap()
}

fn read(memory: &mut Memory, passages: &[PassageId], space: Space, model: u32, turned: f32) {
    let read: Vec<_> = passages
        .iter()
        .enumerate()
        .map(|(n, passage)| (*passage, Some(kept(n as f32 * 10.0 + turned, space))))
        .collect();
    memory.write(|tx| {
        adopt(tx, space, model).unwrap();
        keep(tx, space, model, &read).unwrap();
    });
}

/// What a first look finds in a direction, the nearest by itself first.
fn nearest(index: &Index, conn: &Connection, direction: &Direction, most: usize) -> Vec<PassageId> {
    let asked = Survey { words: &[], directions: std::slice::from_ref(direction), named: &[], most: 1_000 };
    let likeness = |found: &Surveyed| match direction.space {
        Space::Static => found.sums[AROUND],
        Space::Dense => found.sentences[AROUND],
    };
    let found = index.survey(conn, &asked).unwrap();
    let mut near: Vec<(f32, PassageId)> =
        found.iter().filter_map(|found| Some((likeness(found)?, found.passage))).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    near.into_iter().map(|(_, passage)| passage).take(most).collect()
}

fn rows(conn: &Connection, table: &str) -> i64 {
    conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn the_nearest_come_first_with_their_cosines_in_both_spaces() {
    let (memory, passages) = memory(9);
    let index = Index::without_models();
    for space in Space::ALL {
        let here = direction(21.0, space, MODEL);
        let near = nearest(&index, &memory.conn, &here, 3);
        assert_eq!(near, [passages[2], passages[3], passages[1]]);
        let measured = cosines(&memory.conn, &here, &near).unwrap();
        for (passage, angle) in near.iter().zip([1.0_f32, 9.0, 11.0]) {
            let cosine = measured[passage];
            assert!((cosine - angle.to_radians().cos()).abs() < 0.01, "{cosine} at {angle} degrees");
        }
        let asked = [passages[8], passages[0], PassageId(1), passages[1]];
        let cosines = cosines(&memory.conn, &direction(0.0, space, MODEL), &asked).unwrap();
        assert_eq!(cosines.len(), 3, "what does not exist is left out");
        assert!((cosines[&passages[8]] - 80.0_f32.to_radians().cos()).abs() < 0.01);
        let vectors = kept_of(&memory.conn, space, &passages[..2]).unwrap();
        let expected = [(passages[0], 0.0), (passages[1], 10.0)].map(|(id, angle)| (id, kept(angle, space)));
        assert_eq!(vectors, HashMap::from(expected));
    }
}

#[test]
fn what_is_said_after_the_first_question_is_found_too() {
    let (mut memory, passages) = memory(3);
    let index = Index::without_models();
    let here = direction(100.0, Space::Dense, MODEL);
    assert_eq!(nearest(&index, &memory.conn, &here, 1), [passages[2]]);
    memory.message("And something new");
    memory.write(|tx| crate::memory::index::catch_up(tx, 10).unwrap());
    let new = *super::tests::passages(&memory.conn).last().unwrap();
    assert_eq!(waiting(&memory.conn, Space::Dense).unwrap(), 1);
    read(&mut memory, &[new], Space::Dense, MODEL, 100.0);
    assert_eq!(waiting(&memory.conn, Space::Dense).unwrap(), 0);
    assert_eq!(waiting(&memory.conn, Space::Static).unwrap(), 1);
    assert_eq!(nearest(&index, &memory.conn, &here, 2), [new, passages[2]]);
    // Whoever has taken changes over needs them no longer.
    memory.write(|tx| queue::forget_changes(tx, i64::MAX).unwrap());
    assert_eq!(nearest(&index, &memory.conn, &here, 2), [new, passages[2]]);
}

#[test]
fn where_a_change_is_missing_all_is_read_anew() {
    let (mut memory, passages) = memory(3);
    let index = Index::without_models();
    let here = direction(0.0, Space::Static, MODEL);
    assert_eq!(nearest(&index, &memory.conn, &here, 9), passages);
    memory.conn.execute("DELETE FROM passages WHERE id = ?1", [passages[0]]).unwrap();
    memory.write(|tx| queue::forget_changes(tx, i64::MAX).unwrap());
    assert_eq!(nearest(&index, &memory.conn, &here, 9), passages[1..]);
}

#[test]
fn a_deleted_passage_leaves_no_vector_no_code_and_no_place_in_the_queue() {
    let (mut memory, passages) = memory(3);
    let index = Index::without_models();
    index.warm_up(&memory.conn).unwrap();
    let [sums, sentences] = Space::ALL.map(|space| direction(0.0, space, MODEL));
    memory.write(|tx| tx.execute("DELETE FROM messages WHERE id = 1", []).unwrap());
    index.follow(&memory.conn).unwrap();
    for direction in [&sums, &sentences] {
        assert_eq!(nearest(&index, &memory.conn, direction, 9), passages[1..]);
    }
    for table in ["passages", "static_vectors", "dense_vectors", "vector_codes"] {
        assert_eq!(rows(&memory.conn, table), 2, "{table}");
    }
    memory.message("One that nobody has read");
    memory.write(|tx| crate::memory::index::catch_up(tx, 10).unwrap());
    assert_eq!(rows(&memory.conn, "dense_waiting"), 1);
    memory.write(|tx| tx.execute("DELETE FROM messages", []).unwrap());
    for table in ["passages", "static_vectors", "dense_vectors", "vector_codes", "static_waiting", "dense_waiting"] {
        assert_eq!(rows(&memory.conn, table), 0, "{table}");
    }
}

#[test]
fn what_was_deleted_while_it_was_read_is_not_kept() {
    let (mut memory, _) = memory(0);
    memory.message("Here for a moment");
    memory.write(|tx| crate::memory::index::catch_up(tx, 10).unwrap());
    let passage = passages(&memory.conn)[0];
    memory.write(|tx| tx.execute("DELETE FROM messages", []).unwrap());
    read(&mut memory, &[passage], Space::Static, MODEL, 0.0);
    assert_eq!([rows(&memory.conn, "static_vectors"), rows(&memory.conn, "vector_codes")], [0, 0]);
}

#[test]
fn a_text_without_direction_waits_no_longer_and_is_near_nothing() {
    let (mut memory, _) = memory(0);
    memory.message("🙂🙂🙂");
    memory.write(|tx| crate::memory::index::catch_up(tx, 10).unwrap());
    for passage in passages(&memory.conn) {
        memory.write(|tx| keep(tx, Space::Static, MODEL, &[(passage, None)]).unwrap());
    }
    assert_eq!(waiting(&memory.conn, Space::Static).unwrap(), 0);
    let index = Index::without_models();
    assert_eq!(nearest(&index, &memory.conn, &direction(0.0, Space::Static, MODEL), 9), []);
}

#[test]
fn another_model_reads_all_again_and_is_never_compared_with_the_old_one() {
    let (mut memory, passages) = memory(3);
    let index = Index::without_models();
    let [old, new] = [MODEL, MODEL + 1].map(|model| direction(0.0, Space::Dense, model));
    assert_eq!(nearest(&index, &memory.conn, &old, 9), passages);
    memory.write(|tx| adopt(tx, Space::Dense, MODEL + 1).unwrap());
    assert_eq!([waiting(&memory.conn, Space::Dense).unwrap(), waiting(&memory.conn, Space::Static).unwrap()], [3, 0]);
    assert_eq!(nearest(&index, &memory.conn, &old, 9), []);
    assert_eq!(nearest(&index, &memory.conn, &new, 9), []);
    assert_eq!(cosines(&memory.conn, &new, &passages).unwrap(), HashMap::new());
    read(&mut memory, &passages[1..], Space::Dense, MODEL + 1, 0.0);
    assert_eq!(nearest(&index, &memory.conn, &new, 9), passages[1..]);
    assert_eq!(kept_of(&memory.conn, Space::Dense, &passages).unwrap().len(), 2);
    assert_eq!(nearest(&index, &memory.conn, &direction(0.0, Space::Static, MODEL), 9), passages);
}

#[test]
fn numbers_side_by_side_are_read_in_one_go() {
    let of = |numbers: &[i64]| runs(&numbers.iter().copied().map(PassageId).collect::<Vec<_>>());
    let run = |first, last| (PassageId(first), PassageId(last));
    assert_eq!(of(&[7, 3, 4, 5, 4, 9, 10]), [run(3, 5), run(7, 7), run(9, 10)]);
    assert_eq!(of(&[]), []);
}

#[tokio::test]
async fn the_bytes_of_a_deleted_vector_are_gone_from_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let words: Vec<u8> = (1..=words::BYTES as u8).collect();
    let spaces = Space::ALL.map(|space| (space, Kept { words: words.clone(), ..kept(33.0, space) }));
    let vectors = spaces.clone();
    store
        .write(move |tx| {
            tx.execute_batch(
                "INSERT INTO conversations (id, created_at, updated_at) VALUES (1, 0, 0);
                 INSERT INTO messages (conversation_id, role, text, at, state) VALUES (1, 'user', 'Bees in Lyon', 0, 'complete')",
            )?;
            crate::memory::index::catch_up(tx, 10)?;
            let passage = passages(tx)[0];
            for (space, vector) in &vectors {
                adopt(tx, *space, MODEL)?;
                keep(tx, *space, MODEL, &[(passage, Some(vector.clone()))])?;
            }
            Ok(())
        })
        .await
        .unwrap();
    let mut secrets: Vec<Vec<u8>> = spaces.iter().map(|(_, kept)| kept.vector.bytes().to_vec()).collect();
    secrets.extend(spaces.iter().map(|(space, kept)| queue::code(*space, &kept.vector)));
    secrets.push(words);
    store.truncate_log().await.unwrap();
    assert_eq!(secrets.iter().map(|secret| found_in(folder.path(), secret)).collect::<Vec<_>>(), [true; 5]);
    store.write(|tx| Ok(tx.execute("DELETE FROM messages", [])?)).await.unwrap();
    store.truncate_log().await.unwrap();
    assert_eq!(secrets.iter().map(|secret| found_in(folder.path(), secret)).collect::<Vec<_>>(), [false; 5]);
}

/// Whether a file of the folder holds these bytes, or a good part of them.
fn found_in(folder: &std::path::Path, bytes: &[u8]) -> bool {
    let part = &bytes[8..24];
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        path.is_file() && std::fs::read(path).unwrap().windows(part.len()).any(|window| window == part)
    })
}

/// The passages that a first look chooses, the best first.
fn chosen(memory: &Memory, asked: &Survey<'_>) -> Vec<PassageId> {
    let mut found = Index::without_models().survey(&memory.conn, asked).unwrap();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.cmp(&b.passage)));
    found.into_iter().map(|found| found.passage).collect()
}

#[test]
fn what_is_said_beside_a_passage_and_its_words_choose_it() {
    let (memory, passages) = memory(9);
    let directions = [direction(0.0, Space::Dense, MODEL)];
    let asked = Survey { words: &[], directions: &directions, named: &[], most: 2 };
    // The first is the nearest by itself; these two stand among more that are near.
    assert_eq!(chosen(&memory, &asked), [passages[2], passages[1]]);
    let words = [(passages[8], 1.0)];
    let asked = Survey { words: &words, directions: &[], named: &[], most: 1 };
    assert_eq!(chosen(&memory, &asked), passages[8..]);
}

#[test]
fn what_no_model_has_read_is_chosen_by_its_words() {
    let (mut memory, read) = memory(3);
    memory.message("And something new");
    memory.write(|tx| crate::memory::index::catch_up(tx, 10).unwrap());
    let new = *passages(&memory.conn).last().unwrap();
    let words = [(read[0], 0.2), (new, 0.9)];
    let asked = Survey { words: &words, directions: &[], named: &[], most: 9 };
    let found = chosen(&memory, &asked);
    assert_eq!(found.iter().filter(|passage| **passage == new).count(), 1);
}

/// With the real models: the shelves in memory give up what was forgotten at once, and the database's own vectors are gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_first_look_finds_nothing_of_what_was_forgotten() {
    use crate::memory::conversation::{self, MessageState, NewMessage, Role};
    use crate::memory::forgetting::{ForgetMessages, ForgetTarget, forget};

    let Some(models) = crate::embedding::tests::models() else { return };
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    let now = Memory::new().utc();
    let said = |n: usize| match n {
        7 => "My secret project is called Quixolotl".to_owned(),
        9 => "QUIXOLOTL begins in May".to_owned(),
        _ => format!("This is message {n} about the garden"),
    };
    let added = store.write(move |tx| {
        let id = conversation::begin(tx, now)?;
        let new = |n: usize| NewMessage {
            conversation: id,
            turn: None,
            role: Role::User,
            text: said(n),
            state: MessageState::Complete,
            model: None,
            speaker: None,
        };
        conversation::add_messages(tx, id, (0..20).map(|n| (new(n), now)).collect())
    });
    assert_eq!(added.await.unwrap().len(), 20);
    let index = Index::new(models);
    assert_eq!(index.embed_waiting(&store).await.unwrap(), 40);
    let looked = |index: Index| {
        let store = store.clone();
        async move {
            let found = store.read(move |conn| {
                let question = "What is my secret project Quixolotl?";
                let directions: Vec<Direction> =
                    Space::ALL.into_iter().filter_map(|space| index.direction(question, space)).collect();
                assert_eq!(directions.len(), 2);
                let asked = Survey { words: &[], directions: &directions, named: &[], most: 100 };
                let mut found: Vec<PassageId> =
                    index.survey(conn, &asked)?.into_iter().map(|found| found.passage).collect();
                found.sort_unstable();
                let mut there = passages(conn);
                there.retain(|passage| found.contains(passage));
                assert_eq!(there, found, "what is found exists");
                let count = ["static_vectors", "dense_vectors", "vector_codes"].map(|table| rows(conn, table));
                Ok((found.len(), count))
            });
            found.await.unwrap()
        }
    };
    assert_eq!(looked(index.clone()).await, (20, [20, 20, 20]));
    let target = ForgetTarget::Subject { name: "Quixolotl".into() };
    let forgotten =
        store.write(move |tx| forget::forget(tx, &target, ForgetMessages::Forget, None, now)).await.unwrap();
    assert_eq!(looked(index.clone()).await, (18, [18, 18, 18]), "hidden at once");
    let event = forgotten[0].event;
    store.write(move |tx| crate::memory::history::undo::undo(tx, &[event], now).map(drop)).await.unwrap();
    assert_eq!(index.embed_waiting(&store).await.unwrap(), 4, "an undo has it read again");
    assert_eq!(looked(index).await, (20, [20, 20, 20]));
}
