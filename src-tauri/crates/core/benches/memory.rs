//! What memory costs: recall among many facts, and writing one fact beside rewriting a JSON file of the same content.
//!
//! `cargo bench -p atlas-core --bench memory`. The data is made here; the sizes are the arguments.

use atlas_core::memory::fact;
use atlas_core::memory::fact::{Fact, FactDraft, Origin};
use atlas_core::memory::language::{sentence, text};
use atlas_core::memory::page::MemoryQuery;
use atlas_core::memory::recall::{self, Ask, Room};
use atlas_core::memory::writing::gate::{self, Candidate, Rules, Source};
use atlas_core::store::id::FactId;
use atlas_core::store::{Connection, Store};
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
    const RELATIONS: &[&str] = &["likes", "was in", "works at", "owns", "speaks", "visited"];
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

/// A database with so many facts, made once in a run.
fn with_facts(count: usize) -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    runtime.block_on(async { drop(Store::open(folder.path()).await.expect("a database opens")) });
    let mut conn = Connection::open(folder.path().join("atlas.db")).expect("a database opens");
    conn.set_prepared_statement_cache_capacity(64);
    let tx = conn.transaction().expect("a transaction begins");
    for n in 0..count {
        write(&tx, n);
    }
    tx.commit().expect("it commits");
    (folder, conn)
}

fn write(tx: &atlas_core::store::Transaction<'_>, n: usize) {
    let draft = draft(n);
    let said = format!("{} {} {}", draft.subject, draft.relation, draft.value);
    let candidate = Candidate { draft, origin: Origin::Said, confidence: 0.9, hint: None, topic: None, why: "a bench" };
    let source = Source { message: None, text: &said, conversation: "" };
    let rules = Rules { sealed: &[], agent: "Atlas", now: now() };
    gate::consider(tx, &[candidate], &source, &rules).expect("the gate decides");
}

#[divan::bench(args = SIZES, sample_count = 60)]
fn recall(bencher: Bencher<'_, '_>, facts: usize) {
    let (_folder, conn) = with_facts(facts);
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        let question = QUESTIONS[turn % QUESTIONS.len()];
        recall::recall(&conn, &Ask { question, now: now(), budget: 1_200, conversation: None, room: Room::Fill })
    });
}

#[divan::bench(args = SIZES, sample_count = 30)]
fn search_of_the_memory_page(bencher: Bencher<'_, '_>, facts: usize) {
    let (_folder, conn) = with_facts(facts);
    let query = MemoryQuery { search: "porto garden".into(), limit: 100, ..MemoryQuery::default() };
    bencher.bench_local(|| fact::page(&conn, &query));
}

/// The whole gate, in a transaction of its own, with the write-ahead log on the disk.
#[divan::bench(args = SIZES, sample_count = 60)]
fn write_one_fact(bencher: Bencher<'_, '_>, facts: usize) {
    let (_folder, mut conn) = with_facts(facts);
    let mut n = facts;
    bencher.bench_local(|| {
        n += 1;
        let tx = conn.transaction().expect("a transaction begins");
        write(&tx, n);
        tx.commit().expect("it commits");
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
        sentence: sentence::sentence(&draft, None),
        subject: draft.subject,
        relation: draft.relation,
        value: draft.value,
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
