//! How well memory finds what was said: labelled questions over real conversations, through the whole engine.
//!
//! `cargo run --release --bin recall -- --data DIR [--pool FILE] [--cross] [--no-transformer] [--fit] [--json]`
//!
//! `DIR` holds conversations as `data/README.md` describes them. Each is a memory of its own; with `--pool` all are in one, with the
//! filler memories of a file. `--cross` asks each conversation's questions also of the next conversation's memory, where nothing is
//! known of them: `silent` is the share that is answered with nothing. The settings are the same in every run: those of the app.
//! `--fit` finds the weights anew, and says what they would do for conversations that they were not fitted on.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::Command;

use atlas_core::embedding::Models;
use atlas_core::memory::history::change::MemoryRef;
use atlas_core::memory::index::OwnerKind;
use atlas_core::memory::recall::features::Feature;
use atlas_core::memory::recall::{self, Ask, Room};
use atlas_core::store::id::MessageId;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

mod baseline;
mod data;
mod figures;
mod fit;
mod memory;

use baseline::Baseline;
use data::{Dialogue, Question, Turn};
use figures::Outcome;
use fit::Example;
use memory::Memory;

/// Room for as many memories as the figures look at.
const BUDGET: u64 = 1_000_000;

#[tokio::main]
async fn main() {
    let data = PathBuf::from(argument("--data").expect("--data names a folder of conversations"));
    let pool = argument("--pool").map(PathBuf::from);
    let models = if has("--no-transformer") { models_without_transformer() } else { models() };
    let dialogues = data::dialogues(&data);
    let report = if has("--fit") {
        fitted(&dialogues, &data, [models, models_without_transformer(), Models::none()]).await
    } else {
        measured(&dialogues, pool.as_deref(), &models).await
    };
    if has("--json") {
        println!("{report}");
    } else {
        println!("{report:#}");
    }
}

fn has(name: &str) -> bool {
    std::env::args().any(|argument| argument == name)
}

fn argument(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

/// The embedding models; they are fetched where they are missing.
fn models() -> Models {
    Models::in_folder(folder_of_models())
}

fn folder_of_models() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = std::env::var_os("ATLAS_EMBEDDING").map_or_else(|| root.join("src-tauri/embedding"), PathBuf::from);
    if !folder.join("minilm.onnx").exists() {
        eprintln!("The embedding models are not here; fetching them with .ci/models embedding…");
        let fetched = Command::new("bash").arg(root.join(".ci/models")).arg("embedding").status();
        assert!(fetched.is_ok_and(|status| status.success()), "the embedding models could not be fetched");
    }
    folder
}

/// The models of a folder without the transformer: what a computer has that never fetched it.
fn models_without_transformer() -> Models {
    let folder = folder_of_models();
    let partial = std::env::temp_dir().join(format!("atlas-recall-{}", std::process::id()));
    std::fs::create_dir_all(&partial).expect("a temporary folder");
    for file in ["wordllama.safetensors", "wordllama-tokenizer.json"] {
        std::fs::copy(folder.join(file), partial.join(file)).expect("the model of words is copied");
    }
    let models = Models::in_folder(&partial);
    models.static_model().expect("the model of words is there");
    std::fs::remove_dir_all(&partial).expect("the temporary folder is deleted");
    models
}

/// A memory, and the questions for it.
struct Case<'a> {
    turns: Vec<Turn>,
    /// Where each dialogue's turns begin.
    asked: Vec<(&'a Dialogue, usize)>,
    now: DateTime<Utc>,
}

/// Each dialogue alone, or all in one memory with filler.
fn cases<'a>(dialogues: &'a [Dialogue], pool: Option<&std::path::Path>) -> Vec<Case<'a>> {
    let Some(pool) = pool else {
        let alone = |dialogue: &'a Dialogue| Case {
            turns: dialogue.turns.clone(),
            asked: vec![(dialogue, 0)],
            now: dialogue.now(),
        };
        return dialogues.iter().map(alone).collect();
    };
    let (mut turns, mut asked) = (Vec::new(), Vec::new());
    for (number, dialogue) in dialogues.iter().enumerate() {
        asked.push((dialogue, turns.len()));
        // Sessions of different dialogues are different conversations.
        let moved = |turn: &Turn| Turn { session: turn.session + 1_000 * number as i64, ..turn.clone() };
        turns.extend(dialogue.turns.iter().map(moved));
    }
    turns.extend(data::filler(pool));
    let now = data::after(&turns);
    vec![Case { turns, asked, now }]
}

async fn measured(dialogues: &[Dialogue], pool: Option<&std::path::Path>, models: &Models) -> Value {
    let (mut own, mut plain, mut crossed) = (Vec::new(), Vec::new(), Vec::new());
    for (number, case) in cases(dialogues, pool).iter().enumerate() {
        let memory = Memory::of(&case.turns, models).await;
        let baseline = Baseline::of(&case.turns);
        for (dialogue, first) in &case.asked {
            for question in &dialogue.questions {
                let evidence = evidence(question, dialogue, *first);
                own.push(Outcome::of(&question.category, &find(&memory, question, case.now).await, &evidence));
                plain.push(Outcome::of(&question.category, &baseline.find(&question.text), &evidence));
            }
        }
        if has("--cross") && pool.is_none() {
            let before = (number + dialogues.len() - 1) % dialogues.len();
            for question in &dialogues[before].questions {
                let list = find(&memory, question, case.now).await;
                crossed.push(Outcome::of(&question.category, &list, &HashSet::new()));
            }
        }
    }
    let of = |none: bool| -> Vec<Outcome> {
        let is_it = |outcome: &&Outcome| outcome.category != "adversarial" && (outcome.category == "none") == none;
        own.iter().filter(is_it).cloned().collect()
    };
    let mut report = figures::summary(&own);
    report["baseline"] = figures::summary(&plain);
    report["silent_own"] = figures::silent(&of(false)).into();
    report["silent_none"] = figures::silent(&of(true)).into();
    if !crossed.is_empty() {
        report["silent"] = figures::silent(&crossed).into();
    }
    report
}

fn evidence(question: &Question, dialogue: &Dialogue, first: usize) -> HashSet<usize> {
    let place = |id: &String| dialogue.turns.iter().position(|turn| turn.id == *id).map(|at| first + at);
    question.evidence.iter().filter_map(place).collect()
}

/// A question as all are asked here: of no running conversation, with room for all, and nothing that only fills it.
fn ask(question: &str, now: DateTime<Utc>) -> Ask<'_> {
    Ask { question, now: now.fixed_offset(), budget: BUDGET, conversation: None, room: Room::LeaveEmpty }
}

/// The turns that are recalled, best first.
async fn find(memory: &Memory, question: &Question, now: DateTime<Utc>) -> Vec<usize> {
    let (text, index) = (question.text.clone(), memory.index.clone());
    let recalled = memory.store.read(move |conn| recall::recall(conn, &index, &ask(&text, now)));
    let items = recalled.await.expect("memory is asked").items;
    let turn = |item: &recall::RecalledItem| match item.memory {
        MemoryRef::Message(id) => memory.turns.get(&id).copied(),
        _ => None,
    };
    items.iter().filter_map(turn).collect()
}

/// What a question finds, with its numbers.
async fn example(
    memory: &Memory,
    question: &Question,
    evidence: &HashSet<usize>,
    now: DateTime<Utc>,
    group: usize,
) -> Example {
    let (text, index) = (question.text.clone(), memory.index.clone());
    let explained = memory.store.read(move |conn| recall::explain(conn, &index, &ask(&text, now)));
    let (candidates, asked) = explained.await.expect("memory is asked");
    let mut example =
        Example { group, rows: Vec::new(), asked, evidence: Vec::new(), wanted: evidence.len(), counts: 1.0 };
    let mut known = HashSet::new();
    for candidate in candidates {
        let turn = (candidate.owner.kind == OwnerKind::Message)
            .then(|| memory.turns.get(&MessageId(candidate.owner.id)).copied())
            .flatten();
        if turn.is_some_and(|turn| evidence.contains(&turn) && known.insert(turn)) {
            example.evidence.push(example.rows.len());
        }
        example.rows.push(candidate.features.to_vec());
    }
    example
}

/// The columns of the weights, each fitted with the models that it is for.
const COLUMNS: [&str; 3] = ["whole", "without sentences", "words alone"];

/// How much recall silence may cost.
const SILENCE_MAY_COST: f32 = 0.004;

/// The settings of a fit, to be told beside the table.
fn fit_of(data: &std::path::Path) -> String {
    let mut hash = blake3::Hasher::new();
    for file in data::files(data) {
        hash.update(&std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())));
    }
    hash.finalize().to_hex()[..16].to_owned()
}

/// What each column's models make of the questions: those of a conversation, those that nothing answers, and those of another.
struct Asked {
    known: Vec<Example>,
    unanswered: Vec<Example>,
    crossed: Vec<Example>,
}

async fn all_asked(dialogues: &[Dialogue], models: &Models) -> Asked {
    let mut all = Asked { known: Vec::new(), unanswered: Vec::new(), crossed: Vec::new() };
    for (group, case) in cases(dialogues, None).iter().enumerate() {
        let memory = Memory::of(&case.turns, models).await;
        for question in dialogues[group].questions.iter().filter(|question| !question.is_adversarial()) {
            let evidence = evidence(question, &dialogues[group], 0);
            let list = if evidence.is_empty() { &mut all.unanswered } else { &mut all.known };
            list.push(example(&memory, question, &evidence, case.now, group).await);
        }
        let before = (group + dialogues.len() - 1) % dialogues.len();
        for question in &dialogues[before].questions {
            all.crossed.push(example(&memory, question, &HashSet::new(), case.now, before).await);
        }
    }
    all
}

async fn fitted(dialogues: &[Dialogue], data: &std::path::Path, models: [Models; 3]) -> Value {
    let (mut tables, mut rules, mut report) = (Vec::new(), Vec::new(), json!({ "data": fit_of(data) }));
    for (name, models) in COLUMNS.into_iter().zip(&models) {
        let mut asked = all_asked(dialogues, models).await;
        asked.crossed.append(&mut asked.unanswered);
        let of = |group: Option<usize>| -> Vec<&Example> {
            let counts = |example: &&Example| !example.evidence.is_empty() && group != Some(example.group);
            asked.known.iter().filter(counts).collect()
        };
        let find = |examples: &[&Example]| fit::calibrated(examples, fit::fit(examples));
        let table = find(&of(None));
        let held_out: Vec<Vec<f32>> = (0..dialogues.len()).map(|group| find(&of(Some(group)))).collect();
        let figures = |weights: &dyn Fn(&Example) -> Vec<f32>| {
            let outcome = |example: &Example| fit::outcome(example, &fit::order(example, &weights(example)));
            let all: Vec<Outcome> = asked.known.iter().map(outcome).collect();
            let figures = figures::means(&all.iter().collect::<Vec<_>>());
            json!({ "recall@10": figures["recall@10"], "mrr": figures["mrr"] })
        };
        report[name] = json!({
            "fitted": figures(&|_| table.clone()),
            "left out": figures(&|example| held_out[example.group].clone()),
        });
        if name != "words alone" {
            let (rule, left_out) = silence(&asked.known, &asked.crossed, &table, dialogues.len());
            rules.push(rule);
            report[name]["silence left out"] = left_out;
        }
        eprintln!("{name}: {}", report[name]);
        tables.push(table);
    }
    for (at, feature) in Feature::ALL.iter().enumerate() {
        let [whole, sums, words] = [0, 1, 2].map(|column: usize| tables[column][at]);
        println!("    Weight(Feature::{feature:?}, [{whole:.3}, {sums:.3}, {words:.3}]),");
    }
    rules.iter().for_each(|rule| println!("    {rule:.3?},"));
    report
}

/// The rule of silence, and what rules that never saw a conversation do with its questions.
fn silence(own: &[Example], crossed: &[Example], table: &[f32], groups: usize) -> (Vec<f32>, Value) {
    let recall = |example: &Example| fit::outcome(example, &fit::order(example, table)).at_ten();
    let known: Vec<(usize, (Vec<f32>, f32))> =
        own.iter().map(|example| (example.group, (fit::shown(example, table), recall(example)))).collect();
    let unknown: Vec<(usize, Vec<f32>)> =
        crossed.iter().map(|example| (example.group, fit::shown(example, table))).collect();
    let rule_without = |group: Option<usize>| {
        let known: Vec<(Vec<f32>, f32)> =
            known.iter().filter(|(of, _)| Some(*of) != group).map(|(_, known)| known.clone()).collect();
        let unknown: Vec<Vec<f32>> =
            unknown.iter().filter(|(of, _)| Some(*of) != group).map(|(_, row)| row.clone()).collect();
        fit::silence(&known, &unknown, SILENCE_MAY_COST)
    };
    let (mut silent, mut lost) = (0.0, 0.0);
    for group in 0..groups {
        let rule = rule_without(Some(group));
        silent += unknown.iter().filter(|(of, row)| *of == group && !fit::speaks(row, &rule)).count() as f32;
        let costs = known.iter().filter(|(of, (row, _))| *of == group && !fit::speaks(row, &rule));
        lost += costs.map(|(_, (_, recall))| recall).sum::<f32>();
    }
    let left_out =
        json!({ "silent": silent / unknown.len().max(1) as f32, "recall lost": lost / known.len().max(1) as f32 });
    (rule_without(None), left_out)
}
