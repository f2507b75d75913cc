//! What the word index costs: adding to it, adding much at once, and reading from it, each beside the plain way of doing it.
//!
//! `cargo bench -p atlas-core --bench index`. The messages are made here: words as frequent as words are, and seeded. The
//! databases are in memory, so that what is measured is the work and not the disk. `ATLAS_BENCH_MILLION=1` adds a million.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use atlas_core::memory::conversation::{self, MessageState, NewMessage, Role};
use atlas_core::memory::index::terms;
use atlas_core::memory::writing::gate::{self, Candidate, Rules, Source};
use atlas_core::memory::{fact::FactDraft, fact::Origin, index, index::spelling};
use atlas_core::store::id::ConversationId;
use atlas_core::store::{Connection, Store, StoreError, Transaction};
use chrono::{DateTime, TimeDelta, Utc};
use divan::Bencher;
use divan::counter::ItemsCount;
use tokio::runtime::Runtime;

/// How many messages are added at once.
const BATCH: usize = 1_000;

fn main() {
    divan::main();
}

fn sizes() -> Vec<usize> {
    let mut sizes = vec![10_000, 100_000];
    sizes.extend(std::env::var_os("ATLAS_BENCH_MILLION").map(|_| 1_000_000));
    sizes
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime starts"));
static STORES: LazyLock<Mutex<HashMap<usize, Store>>> = LazyLock::new(Mutex::default);

/// Texts without a pattern, the same in each run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn text(&mut self) -> String {
        let words = 6 + self.next() % 10;
        (0..words).map(|_| word(self.rank())).collect::<Vec<_>>().join(" and ")
    }

    /// The first words of a language are used often, the later ones ever more rarely.
    fn rank(&mut self) -> usize {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (20.0 * 3_001_f64.powf(share)) as usize - 20
    }
}

fn word(rank: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "re", "ko", "lim", "tas", "ne", "vor", "shi", "pel", "dra", "mu", "gon", "fi", "sta", "wel", "cra"];
    let mut rest = rank + 16;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % 16]);
        rest /= 16;
    }
    word
}

fn moment() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000)
}

fn message(conversation: ConversationId, text: String) -> NewMessage {
    NewMessage {
        conversation,
        turn: None,
        role: Role::User,
        text,
        state: MessageState::Complete,
        model: None,
        speaker: None,
    }
}

/// A database with so many messages in conversations of twenty, made once in a run.
fn with_messages(count: usize) -> Store {
    let mut stores = STORES.lock().expect("no bench fails");
    let store = stores.entry(count).or_insert_with(|| {
        let store = RUNTIME.block_on(Store::in_memory()).expect("a database opens");
        for n in 0..count.div_ceil(BATCH) {
            write(&store, move |tx| add_many(tx, n as u64));
        }
        store
    });
    store.clone()
}

fn add_many(tx: &Transaction<'_>, seed: u64) -> Result<(), StoreError> {
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15 ^ (seed + 1));
    for _ in 0..BATCH / 20 {
        let conversation = conversation::begin(tx, moment())?;
        let messages = (0..20).map(|n| (message(conversation, noise.text()), moment() + TimeDelta::seconds(n)));
        conversation::add_messages(tx, conversation, messages.collect())?;
    }
    Ok(())
}

fn write<T: Send + 'static>(
    store: &Store,
    work: impl Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
) -> T {
    RUNTIME.block_on(store.write(work)).expect("the database takes it")
}

fn read<T: Send + 'static>(
    store: &Store,
    work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
) -> T {
    RUNTIME.block_on(store.read(work)).expect("the database answers")
}

#[divan::bench(args = sizes(), sample_count = 100)]
fn add_one_message(bencher: Bencher<'_, '_>, stored: usize) {
    let store = with_messages(stored);
    let conversation = write(&store, |tx| conversation::begin(tx, moment()));
    let mut noise = Noise(stored as u64);
    bencher.with_inputs(|| noise.text()).bench_local_values(|text| {
        let new = message(conversation, text);
        write(&store, move |tx| conversation::add_message(tx, &new, moment()))
    });
}

/// Through the whole gate: known facts, contradictions, tombstones, the log of changes.
#[divan::bench(args = sizes(), sample_count = 100)]
fn add_one_fact(bencher: Bencher<'_, '_>, stored: usize) {
    let store = with_messages(stored);
    let mut noise = Noise(stored as u64 + 1);
    bencher.with_inputs(|| noise.text()).bench_local_values(|text| {
        write(&store, move |tx| {
            let draft = FactDraft { subject: "user".into(), relation: "likes".into(), value: text.clone() };
            let candidate = Candidate::bare(draft, Origin::Said, 0.9, "a bench");
            let said = format!("I like {text}");
            let source = Source::of_text(&said, moment().fixed_offset());
            let rules = Rules { sealed: &[], agent: "Atlas", now: moment().fixed_offset() };
            gate::consider(tx, &[candidate], &source, &rules)
        })
    });
}

#[divan::bench(args = sizes(), sample_count = 10)]
fn add_a_thousand_messages_at_once(bencher: Bencher<'_, '_>, stored: usize) {
    let store = with_messages(stored);
    let mut seed = 1_000_000;
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        seed += 1;
        write(&store, move |tx| add_many(tx, seed));
    });
}

/// The word index alone, for messages that are stored already: after an update, or when it is built anew.
#[divan::bench(args = sizes(), sample_count = 10)]
fn write_the_passages_of_a_thousand_messages(bencher: Bencher<'_, '_>, stored: usize) {
    let store = with_messages(stored);
    let mut seed = 2_000_000;
    bencher
        .counter(ItemsCount::new(BATCH))
        .with_inputs(|| {
            seed += 1;
            write(&store, move |tx| {
                let mut noise = Noise(seed);
                let conversation = conversation::begin(tx, moment())?;
                let mut insert = tx.prepare_cached(
                    "INSERT INTO messages (conversation_id, role, text, at, state) VALUES (?1, 'user', ?2, 1, 'complete')",
                )?;
                for _ in 0..BATCH {
                    insert.execute((conversation, noise.text()))?;
                }
                Ok(())
            });
        })
        .bench_local_values(|()| write(&store, |tx| index::catch_up(tx, BATCH as u32)));
}

/// The baseline of adding: all messages in one JSON file that is written anew for each.
#[divan::bench(args = sizes(), sample_count = 5)]
fn rewrite_a_json_file(bencher: Bencher<'_, '_>, stored: usize) {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let mut noise = Noise(7);
    let mut all: Vec<(String, DateTime<Utc>)> = (0..stored).map(|_| (noise.text(), moment())).collect();
    bencher.bench_local(|| {
        all.push((noise.text(), moment()));
        let json = serde_json::to_vec_pretty(&all).expect("texts have a JSON form");
        std::fs::write(folder.path().join("messages.json"), json).expect("the file can be written");
    });
}

/// The words of the questions: one that many hold, and four that ever fewer hold.
fn asked() -> Vec<String> {
    [40, 300, 2_000, 9_000, 30_000].map(word).to_vec()
}

/// As many passages are read for one question.
const BUDGET: usize = 16_000;

#[divan::bench(args = sizes(), sample_count = 60)]
fn read_the_postings_of_five_words(bencher: Bencher<'_, '_>, stored: usize) {
    let store = with_messages(stored);
    let terms: Vec<String> = asked().iter().map(|word| format!("\"{}\"", terms::stem(word))).collect();
    bencher.bench_local(|| {
        let terms = terms.clone();
        read(&store, move |conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT rowid FROM passages_fts WHERE passages_fts MATCH ?1 ORDER BY rowid DESC LIMIT {BUDGET}"
            ))?;
            let mut ids: Vec<i64> = Vec::new();
            for term in &terms {
                for id in statement.query_map([term], |row| row.get(0))? {
                    ids.push(id?);
                }
            }
            Ok(ids.len())
        })
    });
}

/// A baseline of reading: every text is looked through for the words.
#[divan::bench(args = sizes(), sample_count = 5)]
fn look_through_every_text(bencher: Bencher<'_, '_>, stored: usize) {
    let store = with_messages(stored);
    bencher.bench_local(|| {
        read(&store, |conn| {
            let condition = asked().iter().map(|word| format!("text LIKE '%{word}%'")).collect::<Vec<_>>().join(" OR ");
            let sql = format!("SELECT count(*) FROM messages WHERE {condition}");
            Ok(conn.query_row(&sql, [], |row| row.get::<_, i64>(0))?)
        })
    });
}

#[divan::bench(args = sizes(), sample_count = 20)]
fn guess_a_mistyped_word(bencher: Bencher<'_, '_>, stored: usize) {
    let store = with_messages(stored);
    bencher.bench_local(|| read(&store, |conn| spelling::meant(conn, "korelimn")));
}

#[divan::bench]
fn cut_a_sentence_into_terms() -> Vec<String> {
    terms::terms(divan::black_box("Café is my cat's name, I write C++ in box A, and 我住在东京 with two dogs 🐈"))
}
