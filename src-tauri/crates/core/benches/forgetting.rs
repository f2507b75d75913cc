//! What it costs to let things go: a long conversation deleted, or forgotten with what it taught, among many others, beside the
//! deletion of the same texts from a plain table; and the memory files that are written anew after each forget.
//!
//! `cargo bench -p atlas-core --bench forgetting`. The data is made here; the sizes are the arguments.

use atlas_core::memory::conversation::{self, MessageState, NewMessage, Role};
use atlas_core::memory::fact::{FactDraft, Origin};
use atlas_core::memory::forgetting::{ForgetTarget, forget, preview};
use atlas_core::memory::transfer::{archive, mirror};
use atlas_core::memory::writing::gate::{self, Candidate, Rules, Source};
use atlas_core::store::id::ConversationId;
use atlas_core::store::{Connection, Store, StoreError, Transaction};
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use divan::Bencher;

/// Messages of the conversation that goes.
const SIZES: &[usize] = &[100, 1_000, 5_000];
/// Messages of all others.
const OTHERS: usize = 20_000;
/// Facts in the memory files.
const FACTS: &[usize] = &[1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

fn now() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-03-02T09:00:00+01:00").expect("this is a moment")
}

/// About thirty words, none of them rare but one.
fn text(n: usize) -> String {
    const WORDS: &[&str] = &[
        "garden",
        "library",
        "street",
        "bridge",
        "colour",
        "bicycle",
        "restaurant",
        "evening",
        "train",
        "ticket",
        "memory",
        "harbour",
        "sister",
        "company",
        "holiday",
        "recipe",
        "project",
        "meeting",
        "window",
        "mountain",
        "letter",
        "kitchen",
        "question",
        "answer",
        "weather",
        "music",
        "market",
        "journey",
        "doctor",
        "neighbour",
        "picture",
        "language",
    ];
    let mut state = (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        WORDS[(state >> 33) as usize % WORDS.len()]
    };
    let words: Vec<&str> = (0..30).map(|_| next()).collect();
    format!("{} number {n}", words.join(" "))
}

fn talk(tx: &Transaction<'_>, messages: usize, from: usize) -> Result<ConversationId, StoreError> {
    let begun: DateTime<Utc> = now().to_utc();
    let conversation = conversation::begin(tx, begun)?;
    let new = |n: usize| NewMessage {
        conversation,
        turn: None,
        role: if n.is_multiple_of(2) { Role::User } else { Role::Assistant },
        text: text(from + n),
        state: MessageState::Complete,
        model: None,
        speaker: None,
    };
    let at = |n: usize| begun + TimeDelta::seconds(n as i64);
    conversation::add_messages(tx, conversation, (0..messages).map(|n| (new(n), at(n))).collect())?;
    Ok(conversation)
}

/// An agent's database with many conversations.
struct World {
    _folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    store: Store,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is a place for temporary files");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
        let store = runtime.block_on(Store::open(folder.path())).expect("a database opens");
        Self { _folder: folder, runtime, store }
    }

    fn with_conversations() -> Self {
        let world = Self::new();
        world.write(|tx| (0..OTHERS / 100).try_for_each(|n| talk(tx, 100, n * 100).map(drop)));
        world
    }

    fn write<T: Send + 'static>(&self, work: impl Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static) -> T {
        self.runtime.block_on(self.store.write(work)).expect("it can be written")
    }

    fn read<T: Send + 'static>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static) -> T {
        self.runtime.block_on(self.store.read(work)).expect("it can be read")
    }
}

#[divan::bench(args = SIZES, sample_count = 3, sample_size = 1)]
fn delete_a_conversation(bencher: Bencher<'_, '_>, messages: usize) {
    let world = World::with_conversations();
    bencher
        .with_inputs(|| world.write(move |tx| talk(tx, messages, OTHERS)))
        .bench_local_values(|id| world.write(move |tx| conversation::delete(tx, id)));
}

#[divan::bench(args = SIZES, sample_count = 3, sample_size = 1)]
fn forget_a_conversation(bencher: Bencher<'_, '_>, messages: usize) {
    let world = World::with_conversations();
    bencher
        .with_inputs(|| world.write(move |tx| talk(tx, messages, OTHERS)))
        .bench_local_values(|id| world.write(move |tx| forget::erase_learned_from(tx, id, now().to_utc())));
}

/// The same texts in a table of their own, found by their conversation.
#[divan::bench(args = SIZES, sample_count = 3, sample_size = 1)]
fn delete_the_same_texts_from_a_plain_table(bencher: Bencher<'_, '_>, messages: usize) {
    let world = World::new();
    world.write(|tx| {
        tx.execute_batch(
            "CREATE TABLE plain (id INTEGER PRIMARY KEY, talk INTEGER, text TEXT); CREATE INDEX t ON plain (talk)",
        )?;
        (0..OTHERS).try_for_each(|n| put(tx, n / 100, n))
    });
    bencher
        .with_inputs(|| world.write(move |tx| (0..messages).try_for_each(|n| put(tx, OTHERS, OTHERS + n))))
        .bench_local_values(|()| {
            world.write(|tx| Ok(tx.execute("DELETE FROM plain WHERE talk = ?1", [OTHERS as i64])?))
        });
}

fn put(tx: &Transaction<'_>, talk: usize, n: usize) -> Result<(), StoreError> {
    let mut statement = tx.prepare_cached("INSERT INTO plain (talk, text) VALUES (?1, ?2)")?;
    statement.execute((talk as i64, text(n)))?;
    Ok(())
}

/// What a forget of somebody would take, found in all spellings.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn preview_of_a_name(bencher: Bencher<'_, '_>) {
    let world = World::with_conversations();
    world.write(|tx| talk(tx, 10, 7_000_000).map(drop));
    let target = || ForgetTarget::Subject { name: "number 7000003".to_owned() };
    bencher.bench_local(|| {
        let preview = world.read(move |conn| preview::preview(conn, &target()));
        assert_eq!(preview.message_count, 1);
    });
}

/// The same looked for by going through the texts, in one spelling.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn the_same_name_with_like(bencher: Bencher<'_, '_>) {
    let world = World::with_conversations();
    world.write(|tx| talk(tx, 10, 7_000_000).map(drop));
    bencher.bench_local(|| {
        world.read(|conn| {
            let sql = "SELECT count(*) FROM messages WHERE text LIKE '%number 7000003%'";
            Ok(conn.query_row(sql, [], |row| row.get::<_, i64>(0))?)
        })
    });
}

/// Collecting what is known and writing it as MEMORY.md and USER.md.
#[divan::bench(args = FACTS, sample_count = 5, sample_size = 1)]
fn render_the_memory_files(bencher: Bencher<'_, '_>, facts: usize) {
    let world = World::new();
    world.write(move |tx| (0..facts).try_for_each(|n| know(tx, n)));
    bencher.bench_local(|| {
        let known = world.read(|conn| archive::facts_only(conn, "Atlas", now().to_utc()));
        mirror::FILES.map(|file| mirror::render(file, &known).len())
    });
}

fn know(tx: &Transaction<'_>, n: usize) -> Result<(), StoreError> {
    let draft = FactDraft {
        subject: format!("Mara {}", n % 5_000),
        relation: "owns".into(),
        value: format!("piano number {n}"),
    };
    let said = format!("{} {} {}", draft.subject, draft.relation, draft.value);
    let candidate = Candidate::bare(draft, Origin::Said, 0.9, "a bench");
    let source = Source::of_text(&said, now());
    gate::consider(tx, &[candidate], &source, &Rules { sealed: &[], agent: "Atlas", now: now() }).map(drop)
}
