//! What an import costs: a file of so many conversations, read and taken in, beside nothing but parsing its JSON.
//!
//! `cargo bench -p atlas-core --bench transfer`. The data is made here; the sizes are the arguments.

use std::io::Cursor;

use atlas_core::memory::transfer::{import, take_in};
use atlas_core::memory::writing::candidate::Rules;
use atlas_core::store::Store;
use chrono::{DateTime, FixedOffset};
use divan::Bencher;
use serde_json::{Value, json};

/// Conversations of ten messages each.
const SIZES: &[usize] = &[10, 100, 1_000];

fn main() {
    divan::main();
}

fn now() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-03-02T09:00:00+01:00").expect("this is a moment")
}

/// What people say: of themselves in every second message, or of other things only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Talk {
    OfThemselves,
    OfOtherThings,
}

/// An export in Claude's form.
fn file(conversations: usize, talk: Talk) -> Vec<u8> {
    let message = |n: usize| {
        let said = match (n % 4, talk) {
            (0, Talk::OfThemselves) => format!("I visited garden number {n}. Which way is the library?"),
            (2, Talk::OfThemselves) => format!("Thanks. My bicycle's colour is shade {n}."),
            (0, Talk::OfOtherThings) => {
                format!("Which way is the library from garden number {n}, and is it open on Sundays?")
            }
            (2, Talk::OfOtherThings) => format!("Thanks. The bus number {n} goes there too, does it?"),
            (1, _) => "It is the second street on the left, after the bridge. ".repeat(8),
            _ => "A fine colour for the hills around Porto. ".repeat(8),
        };
        let sender = if n.is_multiple_of(2) { "human" } else { "assistant" };
        json!({"sender": sender, "text": said, "created_at": "2025-03-01T10:00:00Z"})
    };
    let list: Vec<Value> = (0..conversations)
        .map(|n| {
            let messages: Vec<Value> = (0..10).map(|place| message(n * 10 + place)).collect();
            json!({"uuid": format!("c{n}"), "name": format!("Talk {n}"), "chat_messages": messages})
        })
        .collect();
    serde_json::to_vec(&list).expect("a list has a JSON form")
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn import_what_people_say_of_themselves(bencher: Bencher<'_, '_>, conversations: usize) {
    import_file(bencher, &file(conversations, Talk::OfThemselves));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn import_talk_of_other_things(bencher: Bencher<'_, '_>, conversations: usize) {
    import_file(bencher, &file(conversations, Talk::OfOtherThings));
}

fn import_file(bencher: Bencher<'_, '_>, file: &[u8]) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    bencher
        .with_inputs(|| {
            let folder = tempfile::tempdir().expect("there is a place for temporary files");
            let store = runtime.block_on(Store::open(folder.path())).expect("a database opens");
            (folder, store)
        })
        .bench_local_values(|(folder, store)| {
            let brought = import::read_from(Cursor::new(file), "conversations.json", file.len() as u64);
            let brought = brought.expect("the file is sound");
            let taken = store.write(move |tx| {
                let rules = Rules { sealed: &[], agent: "Atlas", now: now() };
                take_in::take_in(tx, &brought, &rules)
            });
            (runtime.block_on(taken).expect("it is taken in"), folder)
        });
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn parse_the_same_json(bencher: Bencher<'_, '_>, conversations: usize) {
    let file = file(conversations, Talk::OfOtherThings);
    bencher.bench_local(|| serde_json::from_slice::<Value>(&file));
}
