//! What it costs to search memory by meaning: reading a sentence, and finding the nearest vectors among many, beside a scan
//! that multiplies them all.
//!
//! `cargo bench -p atlas-core --bench embedding`. The vectors are made here: their numbers do not matter for the time. The
//! models are those that `bash .ci/models embedding` brings.

use std::path::Path;

use atlas_core::embedding::{Models, Quantized, dot};
use atlas_core::memory::index::vectors::{Direction, Space, Survey, cosines};
use atlas_core::memory::index::{Index, PassageId};
use atlas_core::store::{Connection, Store};
use divan::{Bencher, black_box};

const SIZES: &[usize] = &[10_000, 100_000, 1_000_000];
/// As many passages are looked at closely.
const LOOKED_AT: usize = 400;
const DIMENSIONS: usize = 384;
/// The model of the vectors that are made here.
const MODEL: u32 = 1;

const SENTENCES: &[&str] = &[
    "Where did Mara go last summer?",
    "We finally moved into the new flat near the harbour, and the neighbours brought us bread and salt on the first evening.",
    "苏州是一座美丽的城市，我去年春天去过。",
];

fn main() {
    divan::main();
}

fn models() -> Models {
    Models::in_folder(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../embedding"))
}

/// Numbers without a pattern, the same in each run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS).map(|_| (self.next() >> 40) as f32 / (1 << 23) as f32 - 1.0).collect()
    }
}

fn direction(space: Space) -> Direction {
    let vector = Noise(7).vector();
    let dimensions = if space == Space::Static { 256 } else { DIMENSIONS };
    let vector = Quantized::of(&vector[..dimensions]).expect("noise has a direction");
    Direction { space, model: MODEL, vector, words: Vec::new() }
}

/// A database with so many vectors of both spaces.
fn with_vectors(count: usize) -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    runtime.block_on(async { drop(Store::open(folder.path()).await.expect("a database opens")) });
    let conn = Connection::open(folder.path().join("atlas.db")).expect("a database opens");
    conn.set_prepared_statement_cache_capacity(64);
    conn.execute_batch(&format!(
        "PRAGMA synchronous = OFF;
         BEGIN;
         CREATE TEMP TABLE numbers AS
             WITH RECURSIVE numbers (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers LIMIT {count}) SELECT id FROM numbers;
         INSERT INTO vector_models VALUES ('static', {MODEL}), ('dense', {MODEL});
         INSERT INTO static_vectors SELECT id, {MODEL}, randomblob(256), x'' FROM numbers;
         INSERT INTO dense_vectors SELECT id, {MODEL}, randomblob(384), randomblob(288) FROM numbers;
         INSERT INTO vector_codes SELECT id, {MODEL}, randomblob(32), {MODEL}, randomblob(48), 0 FROM numbers;
         DELETE FROM vector_changes;
         COMMIT;"
    ))
    .expect("vectors can be written");
    (folder, conn)
}

#[divan::bench(args = [0, 1, 2])]
fn read_a_sentence_by_its_words(bencher: Bencher<'_, '_>, sentence: usize) {
    let models = models();
    let Ok(model) = models.static_model() else { return eprintln!("the models are not here") };
    bencher.bench_local(|| model.embed(black_box(SENTENCES[sentence])));
}

#[divan::bench(args = [0, 1, 2], sample_count = 100, sample_size = 1)]
fn read_a_sentence_whole(bencher: Bencher<'_, '_>, sentence: usize) {
    let models = models();
    let Ok(model) = models.transformer() else { return eprintln!("the models are not here") };
    bencher.bench_local(|| model.read(black_box(SENTENCES[sentence])));
}

/// The baseline: all vectors as they are, multiplied, the best taken by a partial sort.
#[divan::bench(args = SIZES, sample_count = 10, sample_size = 1)]
fn multiply_all_vectors(bencher: Bencher<'_, '_>, passages: usize) {
    let mut noise = Noise(1);
    let vectors: Vec<f32> = (0..passages).flat_map(|_| noise.vector()).collect();
    let question = noise.vector();
    bencher.bench_local(|| {
        let question = black_box(&question);
        let mut near: Vec<(f32, usize)> =
            vectors.chunks_exact(DIMENSIONS).enumerate().map(|(n, vector)| (dot(vector, question), n)).collect();
        near.select_nth_unstable_by(LOOKED_AT - 1, |(a, _), (b, _)| b.total_cmp(a));
        near.truncate(LOOKED_AT);
        near
    });
}

/// What recall does: the first look at all signs, in memory.
#[divan::bench(args = SIZES, sample_count = 30, sample_size = 1)]
fn survey_all_signs(bencher: Bencher<'_, '_>, passages: usize) {
    let (_folder, conn) = with_vectors(passages);
    let index = Index::without_models();
    index.warm_up(&conn).expect("the codes can be read");
    // As in Atlas, where all reads of one question see one state.
    let conn = conn.unchecked_transaction().expect("a transaction begins");
    let directions = [direction(Space::Dense), direction(Space::Static)];
    let asked = Survey { words: &[], directions: &directions, named: &[], most: LOOKED_AT };
    bencher.bench_local(|| index.survey(&conn, black_box(&asked)));
}

/// Once a start: the signs of all passages in both spaces.
#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn load_signs(bencher: Bencher<'_, '_>, passages: usize) {
    let (_folder, conn) = with_vectors(passages);
    bencher.with_inputs(Index::without_models).bench_local_values(|index| index.warm_up(&conn));
}

/// The cosines of 400 passages and their neighbours: what recall weighs them by.
#[divan::bench(args = SIZES, sample_count = 30, sample_size = 1)]
fn measure_400_and_their_neighbours(bencher: Bencher<'_, '_>, passages: usize) {
    let (_folder, conn) = with_vectors(passages);
    let mut noise = Noise(3);
    let mut asked = Vec::new();
    for _ in 0..400 {
        let place = (noise.next() % passages as u64) as i64;
        asked.extend([place - 1, place, place + 1].map(PassageId));
    }
    let direction = direction(Space::Dense);
    let conn = conn.unchecked_transaction().expect("a transaction begins");
    bencher.bench_local(|| cosines(&conn, black_box(&direction), &asked));
}
