//! What memory costs, by how much there is of it.
//!
//! `cargo run --release --bin memory-scale -- --items N --json`
//!
//! Messages are made here: words of a Zipf distribution, in conversations, the same in each run. Up to 2,000 of them are read by the
//! models; more have vectors made from their words by a seed (`vectors` says which): as many bytes, as many distances, without
//! the hours. Times are processor times, so that a busy computer does not matter; only `open_ms` is by the clock on the wall.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use atlas_core::embedding::{Models, Quantized};
use atlas_core::home::Home;
use atlas_core::memory::conversation::{self, MessageState, NewMessage, Role};
use atlas_core::memory::fact::{FactDraft, Origin};
use atlas_core::memory::history::change::MemoryRef;
use atlas_core::memory::index::vectors::words::BYTES;
use atlas_core::memory::index::vectors::{Kept, Space, queue};
use atlas_core::memory::index::{self, Index, Owner, OwnerKind, PassageId};
use atlas_core::memory::recall::{self, Ask, Room};
use atlas_core::memory::writing::gate::{self, Candidate, Rules, Source};
use atlas_core::store::id::{FactId, MessageId};
use atlas_core::store::{Connection, Store, StoreError, Transaction};
use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;
use serde_json::{Value, json};

/// As many memories are read by the models; reading more would take longer than anybody waits.
const MOST_READ: usize = 2_000;
const QUESTIONS: usize = 200;
/// As many questions are asked before it counts: the first ones read what others find in memory.
const WARM_UP: usize = 100;
const WRITES: usize = 100;
const BATCH: usize = 5_000;
const IN_A_CONVERSATION: usize = 40;

#[tokio::main]
async fn main() {
    if let Some(folder) = argument("--open") {
        return opened(Path::new(&folder), &argument("--question").unwrap_or_default()).await;
    }
    let items: usize = argument("--items").and_then(|items| items.parse().ok()).unwrap_or(10_000);
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = Home::at(home.path()).agent("atlas");
    let figures = measured(&folder, items).await;
    if std::env::args().any(|argument| argument == "--json") {
        println!("{figures}");
    } else {
        println!("{figures:#}");
    }
}

fn argument(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

fn now() -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339("2026-03-02T09:00:00+01:00").expect("it is a moment")
}

fn models() -> Models {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src-tauri/embedding");
    Models::in_folder(std::env::var_os("ATLAS_EMBEDDING").map_or(source, PathBuf::from))
}

async fn measured(folder: &Path, items: usize) -> Value {
    let store = Store::open(folder).await.expect("a database opens");
    let index = Index::new(models());
    let words = Words::new();
    eprintln!("{items} messages are written…");
    tell(&store, &words, items).await;
    let is_seeded = items > MOST_READ;
    if is_seeded {
        seed_vectors(&store, &words, items, &models()).await;
    } else {
        index.embed_waiting(&store).await.expect("the models read");
    }
    eprintln!("questions are asked…");
    let questions: Vec<String> = (0..QUESTIONS + WARM_UP).map(|n| words.question(n, items)).collect();
    let (mut embed, mut recalls) = (Vec::new(), Vec::new());
    for (n, question) in questions.iter().enumerate() {
        let embedding =
            spent(ClockId::ProcessCPUTime, || Space::ALL.map(|space| index.direction(question, space)).len()).1;
        let (_, recalling) = ask(&store, &index, question).await;
        if n >= WARM_UP {
            embed.push(embedding);
            recalls.push(recalling);
        }
    }
    let whole: Vec<Duration> =
        embed.iter().zip(&recalls).map(|(embedding, recalling)| *embedding + *recalling).collect();
    let rss = rss_mb();
    let (write, gate) = write_facts(&store).await;
    let [rewrite, rewrite_texts] = rewrite_json(folder, &words, items);
    let (first, _) = ask(&store, &index, &questions[0]).await;
    store.truncate_log().await.expect("the log is written down");
    drop((store, index));
    let (open, same) = open_anew(folder, &questions[0], &first);
    json!({
        "items": items,
        "vectors": if is_seeded { "seeded" } else { "read by the models" },
        "recall_cpu_ms": percentiles(recalls),
        "embed_cpu_ms": percentiles(embed),
        "recall_with_embedding_cpu_ms": percentiles(whole),
        "write_cpu_ms": percentiles(write),
        "gate_cpu_ms": percentiles(gate),
        "json_rewrite_cpu_ms": milliseconds(rewrite),
        "json_rewrite_texts_alone_cpu_ms": milliseconds(rewrite_texts),
        "rss_mb": rss,
        "open_ms": milliseconds(open),
        "same_hits_after_opening": same,
    })
}

/// Asks memory; with the processor time of this thread, on which all of recall runs but the transformer.
async fn ask(store: &Store, index: &Index, question: &str) -> (Vec<String>, Duration) {
    let (index, question) = (index.clone(), question.to_owned());
    let asked = store.read(move |conn| {
        let ask = Ask { question: &question, now: now(), budget: 1_200, conversation: None, room: Room::Fill };
        let (recalled, took) = spent(ClockId::ThreadCPUTime, || recall::recall(conn, &index, &ask));
        Ok((recalled?, took))
    });
    let (recalled, took) = asked.await.expect("memory is asked");
    let hits = recalled.items.iter().map(|item| match item.memory {
        MemoryRef::Message(MessageId(id)) => format!("message {id}"),
        MemoryRef::Fact(FactId(id)) => format!("fact {id}"),
        other => format!("{other:?}"),
    });
    (hits.collect(), took)
}

/// What another process does, from its start to its first recall.
async fn opened(folder: &Path, question: &str) {
    let store = Store::open(folder).await.expect("a database opens");
    let (hits, _) = ask(&store, &Index::new(models()), question).await;
    println!("{}", json!(hits));
}

fn open_anew(folder: &Path, question: &str, first: &[String]) -> (Duration, bool) {
    let begun = Instant::now();
    let this = std::env::current_exe().expect("this program has a path");
    let output = Command::new(this).arg("--open").arg(folder).args(["--question", question]).output();
    let took = begun.elapsed();
    let hits = output.ok().and_then(|output| serde_json::from_slice::<Vec<String>>(&output.stdout).ok());
    (took, hits.is_some_and(|hits| hits == first))
}

async fn tell(store: &Store, words: &Words, items: usize) {
    for from in (0..items).step_by(BATCH) {
        let texts: Vec<String> = (from..items.min(from + BATCH)).map(|n| words.message(n)).collect();
        let write = move |tx: &Transaction<'_>| {
            let mut conversation = None;
            for (at, text) in texts.iter().enumerate() {
                let n = from + at;
                let said_at = moment(n, items);
                let id = match conversation.filter(|_| !n.is_multiple_of(IN_A_CONVERSATION)) {
                    Some(id) => id,
                    None => conversation::begin(tx, said_at)?,
                };
                conversation = Some(id);
                let new = NewMessage {
                    conversation: id,
                    turn: None,
                    role: if n.is_multiple_of(2) { Role::User } else { Role::Assistant },
                    text: text.clone(),
                    state: MessageState::Complete,
                    model: None,
                    speaker: None,
                };
                conversation::add_message(tx, &new, said_at)?;
            }
            Ok(())
        };
        store.write(write).await.expect("messages are written");
    }
}

/// Spread over ten years before now; a minute between the messages of a conversation.
fn moment(n: usize, items: usize) -> DateTime<Utc> {
    let conversations = (items / IN_A_CONVERSATION + 1) as i64;
    let conversation = (n / IN_A_CONVERSATION) as i64;
    let apart = 10 * 365 * 24 * 60 / conversations;
    now().to_utc() - TimeDelta::minutes((conversations - conversation) * apart - (n % IN_A_CONVERSATION) as i64)
}

async fn seed_vectors(store: &Store, words: &Words, items: usize, models: &Models) {
    let ids: Vec<PassageId> = store
        .read(|conn: &Connection| {
            let mut statement = conn.prepare("SELECT id FROM passages ORDER BY id")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
        .await
        .expect("passages are read");
    assert!(ids.len() <= items, "a message is one passage");
    for (space, dimensions) in [(Space::Static, 256), (Space::Dense, 384)] {
        let Ok(model) = space.model(models) else { continue };
        store.write(move |tx| queue::adopt(tx, space, model)).await.expect("a model is put in force");
        for (batch, ids) in ids.chunks(BATCH).enumerate() {
            let vector = |at: usize| seeded(&words.message(batch * BATCH + at), dimensions);
            let read: Vec<queue::Read> = ids.iter().enumerate().map(|(at, id)| (*id, vector(at))).collect();
            store.write(move |tx| queue::keep(tx, space, model, &read)).await.expect("vectors are kept");
        }
    }
}

/// What texts share in part where they share words.
fn seeded(text: &str, dimensions: usize) -> Option<Kept> {
    let mut sum = vec![0.0_f32; dimensions];
    let mut codes = Vec::new();
    for word in text.split(' ') {
        let seed = word.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(131).wrapping_add(u64::from(byte)));
        let mut noise = Noise(seed);
        sum.iter_mut().for_each(|x| *x += noise.unit() - 0.5);
        codes.extend((0..BYTES).map(|_| (noise.unit() * 256.0) as u8));
    }
    Some(Kept { vector: Quantized::of(&sum)?, words: codes })
}

/// The row of one fact with its passage, and one fact through the whole gate; each in a transaction of its own.
async fn write_facts(store: &Store) -> (Vec<Duration>, Vec<Duration>) {
    let (mut rows, mut gates) = (Vec::new(), Vec::new());
    for n in 0..WRITES {
        let draft = |kind: &str| FactDraft {
            subject: "user".into(),
            relation: "owns".into(),
            value: format!("{kind} number {n} of the shelf"),
        };
        let (row, candidate) = (draft("book"), draft("record"));
        rows.push(timed(store, move |tx| insert(tx, &row)).await);
        gates.push(timed(store, move |tx| through_the_gate(tx, candidate)).await);
    }
    (rows, gates)
}

async fn timed(
    store: &Store,
    work: impl FnOnce(&Transaction<'_>) -> Result<(), StoreError> + Send + Clone + 'static,
) -> Duration {
    let before = clock(ClockId::ProcessCPUTime);
    store.write(move |tx| work.clone()(tx)).await.expect("it is written");
    clock(ClockId::ProcessCPUTime) - before
}

fn insert(tx: &Transaction<'_>, draft: &FactDraft) -> Result<(), StoreError> {
    tx.prepare_cached(
        "INSERT INTO facts (subject, relation, value, subject_key, relation_key, value_key, quote, said_at, terms, confidence,
             origin, recorded_at)
         VALUES (?1, ?2, ?3, 'user', 'owns', ?3, ?4, ?5, '', 0.9, 'said', ?5)",
    )?
    .execute((
        &draft.subject,
        &draft.relation,
        &draft.value,
        format!("I own {}", draft.value),
        now().timestamp_millis(),
    ))?;
    index::write(tx, Owner { kind: OwnerKind::Fact, id: tx.last_insert_rowid() })
}

fn through_the_gate(tx: &Transaction<'_>, draft: FactDraft) -> Result<(), StoreError> {
    let said = format!("I own {}", draft.value);
    let candidate = Candidate::bare(draft, Origin::Said, 0.9, "a bench");
    let source = Source::of_text(&said, now());
    gate::consider(tx, &[candidate], &source, &Rules { sealed: &[], agent: "Atlas", now: now() })?;
    Ok(())
}

/// A memory as a JSON file has it.
#[derive(Serialize)]
struct Entry {
    id: usize,
    at: DateTime<Utc>,
    role: &'static str,
    text: String,
    /// The vectors by which it is found, as many small numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vectors: Vec<Vec<i8>>,
}

/// The baseline: all of it in one JSON file, which is written anew for each new memory. With the vectors, as the database has
/// them and as memories that are kept in JSON files have them; and the texts alone.
fn rewrite_json(folder: &Path, words: &Words, items: usize) -> [Duration; 2] {
    let vector =
        |kept: Option<Kept>| kept.map(|kept| kept.vector.bytes().iter().map(|byte| byte.cast_signed()).collect());
    let entry = |id: usize| {
        let text = words.message(id);
        let vectors = [256, 384].into_iter().filter_map(|dimensions| vector(seeded(&text, dimensions))).collect();
        Entry {
            id,
            at: moment(id, items),
            role: if id.is_multiple_of(2) { "user" } else { "assistant" },
            text,
            vectors,
        }
    };
    let mut all: Vec<Entry> = (0..items).map(entry).collect();
    let file = folder.join("memory.json");
    let rewrite = |all: &[Entry]| {
        let (written, took) = spent(ClockId::ProcessCPUTime, || {
            let file = BufWriter::new(File::create(&file)?);
            serde_json::to_writer(file, all).map_err(std::io::Error::from)
        });
        written.expect("the file can be written");
        took
    };
    let whole = rewrite(&all);
    all.iter_mut().for_each(|entry| entry.vectors.clear());
    let texts = rewrite(&all);
    std::fs::remove_file(&file).expect("the file can be deleted");
    [whole, texts]
}

/// Words that are as common as words are, and texts of them.
struct Words {
    words: Vec<String>,
    /// Up to where each word's share of all text reaches, from 0 to 1.
    shares: Vec<f32>,
}

impl Words {
    fn new() -> Self {
        const BEGIN: [&str; 16] = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "tr", "pl"];
        const MIDDLE: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ou", "ea"];
        let word = |n: usize| {
            let mut word = String::new();
            let mut left = n + 16;
            while left > 0 {
                word.push_str(BEGIN[left % 16]);
                word.push_str(MIDDLE[left / 16 % 8]);
                left /= 128;
            }
            word
        };
        let words: Vec<String> = (0..30_000).map(word).collect();
        let mut reached = 0.0_f64;
        let sums: Vec<f64> = (0..words.len())
            .map(|n| {
                reached += 1.0 / (n as f64 + 2.7);
                reached
            })
            .collect();
        Self { shares: sums.iter().map(|sum| (sum / reached) as f32).collect(), words }
    }

    fn draw(&self, noise: &mut Noise) -> &str {
        let at = noise.unit();
        &self.words[self.shares.partition_point(|share| *share < at).min(self.words.len() - 1)]
    }

    fn message(&self, n: usize) -> String {
        let mut noise = Noise(n as u64 + 1);
        let length = 6 + (noise.unit() * 18.0) as usize;
        (0..length).map(|_| self.draw(&mut noise)).collect::<Vec<_>>().join(" ")
    }

    /// Some words of one message, as a question.
    fn question(&self, n: usize, items: usize) -> String {
        let mut noise = Noise(n as u64 * 7_919 + 13);
        let message = self.message((noise.unit() * items as f32) as usize % items.max(1));
        let words: Vec<&str> = message.split(' ').collect();
        let asked: Vec<&str> =
            (0..3 + n % 4).map(|_| words[(noise.unit() * words.len() as f32) as usize % words.len()]).collect();
        format!("What did I say about {} last March?", asked.join(" "))
    }
}

/// xorshift: numbers without a pattern, the same in each run.
struct Noise(u64);

impl Noise {
    /// From 0 to below 1.
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 24) as f32
    }
}

fn clock(id: ClockId) -> Duration {
    let time = clock_gettime(id);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

fn spent<T>(id: ClockId, work: impl FnOnce() -> T) -> (T, Duration) {
    let before = clock(id);
    let result = work();
    (result, clock(id) - before)
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}

fn percentiles(mut times: Vec<Duration>) -> Value {
    times.sort_unstable();
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len().saturating_sub(1)));
    let figures: HashMap<&str, f64> = [("p50", 50), ("p99", 99)]
        .map(|(name, percent)| (name, at(percent).map_or(0.0, |time| milliseconds(*time))))
        .into();
    json!(figures)
}

/// Memory in use, where the system tells.
fn rss_mb() -> Option<u64> {
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4_096 / 1_000_000)
}
