//! What memory costs: recall among many facts, and writing one fact beside rewriting a JSON file of the same content.
//!
//! `cargo bench -p atlas-core --bench memory`. The data is made here; the sizes are the arguments.

use atlas_core::memory::fact;
use atlas_core::memory::fact::{Fact, FactDraft, Origin};
use atlas_core::memory::index::Index;
use atlas_core::memory::page::MemoryQuery;
use atlas_core::memory::recall::{self, Ask, Room};
use atlas_core::memory::relation::Polarity;
use atlas_core::memory::writing::gate::{self, Candidate, Decision, Rules, Source};
use atlas_core::store::id::FactId;
use atlas_core::store::{Connection, Store, Transaction};
use atlas_core::text;
use chrono::{DateTime, FixedOffset};
use divan::Bencher;

const SIZES: &[usize] = &[1_000, 10_000, 100_000];

/// Common and rare words, names and questions as people ask them.
const QUESTIONS: &[&str] = &[
    "Where do I live?",
    "What does Mara 77 like?",
    "which restaurant did I like in Porto",
    "tell me something about my work and my family",
    "苏州在哪里",
    "C++ or Rust?",
];

fn main() {
    divan::main();
}

fn now() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-03-02T09:00:00+01:00").expect("this is a moment")
}

fn draft(n: usize) -> FactDraft {
    const RELATIONS: &[&str] = &["likes", "was in", "worked on", "owns", "speaks", "visited"];
    const PLACES: &[&str] = &["Porto", "Lyon", "Kyiv", "Oslo", "苏州", "Berlin", "Bogotá"];
    const THINGS: &[&str] = &["restaurant", "garden", "bicycle", "piano", "company", "library", "language"];
    let subject = if n.is_multiple_of(3) { "user".to_owned() } else { format!("Mara {}", n % 5_000) };
    let value = format!("{} {} number {n}", PLACES[n % PLACES.len()], THINGS[n / 7 % THINGS.len()]);
    // Mostly lists, so that all of them stay current.
    let relation =
        if n == 0 { "lives in" } else { RELATIONS[if n.is_multiple_of(6) { 3 } else { n % RELATIONS.len() }] };
    let relation = if relation == "lives in" && n != 0 { "was in" } else { relation };
    FactDraft { subject, relation: relation.to_owned(), value }
}

/// An agent's database.
struct World {
    _folder: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    store: Store,
}

impl World {
    /// One with so many facts.
    fn with_facts(count: usize) -> Self {
        let folder = tempfile::tempdir().expect("there is a place for temporary files");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
        let store = runtime.block_on(Store::open(folder.path())).expect("a database opens");
        let world = Self { _folder: folder, runtime, store };
        world.write(move |tx| (0..count).for_each(|n| drop(take(tx, draft(n)))));
        world
    }

    fn read<T: Send + 'static>(&self, work: impl FnOnce(&Connection) -> T + Send + 'static) -> T {
        self.runtime.block_on(self.store.read(move |conn| Ok(work(conn)))).expect("it can be read")
    }

    /// In a transaction of its own, with the write-ahead log on the disk.
    fn write<T: Send + 'static>(&self, work: impl Fn(&Transaction<'_>) -> T + Send + 'static) -> T {
        self.runtime.block_on(self.store.write(move |tx| Ok(work(tx)))).expect("it can be written")
    }
}

/// The whole gate, for one candidate.
fn take(tx: &Transaction<'_>, draft: FactDraft) -> Decision {
    let said = format!("{} {} {}", draft.subject, draft.relation, draft.value);
    let candidate = Candidate::bare(draft, Origin::Said, 0.9, "a bench");
    let source = Source::of_text(&said, now());
    let rules = Rules { sealed: &[], agent: "Atlas", now: now() };
    gate::consider(tx, &[candidate], &source, &rules).expect("the gate decides").remove(0)
}

#[divan::bench(args = SIZES, sample_count = 60)]
fn recall(bencher: Bencher<'_, '_>, facts: usize) {
    let world = World::with_facts(facts);
    let index = Index::without_models();
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        let question = QUESTIONS[turn % QUESTIONS.len()];
        let index = index.clone();
        world.read(move |conn| {
            let ask = Ask { question, now: now(), budget: 1_200, conversation: None, room: Room::Fill };
            recall::recall(conn, &index, &ask)
        })
    });
}

#[divan::bench(args = SIZES, sample_count = 30)]
fn search_of_the_memory_page(bencher: Bencher<'_, '_>, facts: usize) {
    let world = World::with_facts(facts);
    let query = MemoryQuery { search: "porto garden".into(), limit: 100, ..MemoryQuery::default() };
    bencher.bench_local(|| {
        let query = query.clone();
        world.read(move |conn| fact::page(conn, &query).expect("a page"))
    });
}

/// The whole gate with its duplicate check, and the writing.
#[divan::bench(args = SIZES, sample_count = 60)]
fn write_one_fact(bencher: Bencher<'_, '_>, facts: usize) {
    let world = World::with_facts(facts);
    let mut n = facts;
    bencher.bench_local(|| {
        n += 1;
        world.write(move |tx| take(tx, draft(n)))
    });
}

/// The whole gate, where the fact is known in other words: found, and nothing written.
#[divan::bench(args = SIZES, sample_count = 60)]
fn know_a_fact_again(bencher: Bencher<'_, '_>, facts: usize) {
    let world = World::with_facts(facts);
    let again = || FactDraft { subject: "me".into(), relation: "home".into(), value: draft(0).value };
    bencher.bench_local(|| {
        let decision = world.write(move |tx| take(tx, again()));
        assert!(matches!(decision, Decision::Confirmed { .. }));
    });
}

/// The baseline of that: every fact is looked at, as a duplicate check without keys and indexes does.
#[divan::bench(args = SIZES, sample_count = 20)]
fn know_a_fact_again_by_a_plain_scan(bencher: Bencher<'_, '_>, facts: usize) {
    let world = World::with_facts(facts);
    let wanted = text::fold(&draft(0).value);
    bencher.bench_local(|| {
        let wanted = wanted.clone();
        world.read(move |conn| {
            let mut all = conn.prepare_cached("SELECT subject, value FROM facts").expect("it can be asked");
            let rows = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
            rows.flatten().any(|(subject, value): (String, String)| subject == "nobody" && text::fold(&value) == wanted)
        })
    });
}

/// The baseline: the same facts, all their fields, in one JSON file that is written anew for each fact.
#[divan::bench(args = SIZES, sample_count = 10)]
fn rewrite_a_json_file(bencher: Bencher<'_, '_>, facts: usize) {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let mut all: Vec<Fact> = (0..facts).map(as_stored).collect();
    let file = folder.path().join("facts.json");
    bencher.bench_local(|| {
        all.push(as_stored(all.len()));
        let json = serde_json::to_vec_pretty(&all).expect("facts have a JSON form");
        std::fs::write(&file, json).expect("the file can be written");
    });
}

fn as_stored(n: usize) -> Fact {
    let draft = draft(n);
    Fact {
        id: FactId(n as i64),
        quote: format!("{} {} {}", draft.subject, draft.relation, draft.value),
        subject: draft.subject,
        relation: draft.relation,
        value: draft.value,
        polarity: Polarity::Holds,
        said_at: now().to_utc(),
        time_words: None,
        date: None,
        topic: None,
        confidence: 0.9,
        origin: Origin::Said,
        source_message: None,
        source_conversation: None,
        valid_from: None,
        valid_to: None,
        recorded_at: now().to_utc(),
        retired_at: None,
        replaced: Vec::new(),
        use_count: 0,
        last_used_at: None,
        pinned: false,
    }
}

#[divan::bench]
fn fold_a_sentence() -> Vec<String> {
    text::content(divan::black_box("Café is my cat, and 我住在东京 with two dogs"))
}
