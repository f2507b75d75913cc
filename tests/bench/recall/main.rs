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
    let models = models(has("--no-transformer"));
    let dialogues = data::dialogues(&data);
    let report = if has("--fit") {
        fitted(&dialogues, pool.as_deref(), &models).await
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
fn models(without_transformer: bool) -> Models {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = std::env::var_os("ATLAS_EMBEDDING").map_or_else(|| root.join("src-tauri/embedding"), PathBuf::from);
    if !folder.join("minilm.onnx").exists() {
        eprintln!("The embedding models are not here; fetching them with .ci/models embedding…");
        let fetched = Command::new("bash").arg(root.join(".ci/models")).arg("embedding").status();
        assert!(fetched.is_ok_and(|status| status.success()), "the embedding models could not be fetched");
    }
    if !without_transformer {
        return Models::in_folder(folder);
    }
    // A folder without the transformer: what a computer is that never fetched it.
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
    let main: Vec<Outcome> = own.iter().filter(|outcome| outcome.category != "adversarial").cloned().collect();
    let mut report = figures::summary(&own);
    report["baseline"] = figures::summary(&plain);
    report["silent_own"] = figures::silent(&main).into();
    if !crossed.is_empty() {
        report["silent"] = figures::silent(&crossed).into();
    }
    report
}

fn evidence(question: &Question, dialogue: &Dialogue, first: usize) -> HashSet<usize> {
    let place = |id: &String| dialogue.turns.iter().position(|turn| turn.id == *id).map(|at| first + at);
    question.evidence.iter().filter_map(place).collect()
}

/// The turns that are recalled, best first.
async fn find(memory: &Memory, question: &Question, now: DateTime<Utc>) -> Vec<usize> {
    let (text, index) = (question.text.clone(), memory.index.clone());
    let recalled = memory.store.read(move |conn| {
        let ask = Ask {
            question: &text,
            now: now.fixed_offset(),
            budget: BUDGET,
            conversation: None,
            room: Room::LeaveEmpty,
        };
        recall::recall(conn, &index, &ask)
    });
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
) -> (Example, Vec<f32>) {
    let (text, index) = (question.text.clone(), memory.index.clone());
    let explained = memory.store.read(move |conn| {
        let ask = Ask {
            question: &text,
            now: now.fixed_offset(),
            budget: BUDGET,
            conversation: None,
            room: Room::LeaveEmpty,
        };
        recall::explain(conn, &index, &ask)
    });
    let (candidates, shown) = explained.await.expect("memory is asked");
    let mut example = Example { group, rows: Vec::new(), evidence: Vec::new(), wanted: evidence.len(), counts: 1.0 };
    let mut known = HashSet::new();
    for candidate in candidates {
        let turn = (candidate.owner.kind == OwnerKind::Message)
            .then(|| memory.turns.get(&MessageId(candidate.owner.id)).copied())
            .flatten();
        let is_evidence = turn.is_some_and(|turn| evidence.contains(&turn) && known.insert(turn));
        // What is far down teaches little.
        if is_evidence || example.rows.len() < 250 {
            if is_evidence {
                example.evidence.push(example.rows.len());
            }
            example.rows.push(candidate.features.to_vec());
        }
    }
    (example, shown.values().to_vec())
}

async fn fitted(dialogues: &[Dialogue], pool: Option<&std::path::Path>, models: &Models) -> Value {
    let mut examples = Vec::new();
    let (mut own, mut crossed) = (Vec::new(), Vec::new());
    for (group, case) in cases(dialogues, None).iter().enumerate() {
        let memory = Memory::of(&case.turns, models).await;
        for question in dialogues[group].questions.iter().filter(|question| !question.is_adversarial()) {
            let evidence = evidence(question, &dialogues[group], 0);
            let (example, shown) = example(&memory, question, &evidence, case.now, group).await;
            examples.push(example);
            own.push(shown);
        }
        let before = (group + dialogues.len() - 1) % dialogues.len();
        for question in &dialogues[before].questions {
            let (_, shown) = example(&memory, question, &HashSet::new(), case.now, group).await;
            crossed.push((before, shown));
        }
    }
    let small = examples.len();
    if let Some(pool) = pool {
        let case = &cases(dialogues, Some(pool))[0];
        let memory = Memory::of(&case.turns, models).await;
        for (group, (dialogue, first)) in case.asked.iter().enumerate() {
            for question in dialogue.questions.iter().filter(|question| !question.is_adversarial()) {
                let evidence = evidence(question, dialogue, *first);
                let (mut example, _) = example(&memory, question, &evidence, case.now, group).await;
                example.counts = 0.5;
                examples.push(example);
            }
        }
    }
    if let Some(file) = argument("--dump") {
        dump(&file, &examples, small, &own, &crossed);
    }
    let is_known = |feature: Feature| {
        let needs_sentences = matches!(
            feature,
            Feature::Sentence
                | Feature::SentenceBefore
                | Feature::SentenceAfter
                | Feature::SentenceBefore2
                | Feature::SentenceAfter2
                | Feature::AnswersSentence
                | Feature::SessionSentence
                | Feature::SessionMean
                | Feature::SentenceNear
                | Feature::SpeakerSentence
                | Feature::LargeFitsSentence
                | Feature::LargeSentence
                | Feature::LargeSentenceNear
                | Feature::LargeSessionSentence
        );
        let needs_words = matches!(
            feature,
            Feature::Sum
                | Feature::SumBefore
                | Feature::SumAfter
                | Feature::SessionSum
                | Feature::Alike
                | Feature::OnlyAlike
                | Feature::AlikeBefore
                | Feature::AlikeAfter
                | Feature::AlikeAround
                | Feature::SumNear
                | Feature::SessionSumMean
                | Feature::SessionAlike
                | Feature::AnswersAlike
                | Feature::LargeFitsSum
                | Feature::LargeSessionAlike
                | Feature::LargeSumNear
                | Feature::LargeSessionSum
        );
        (needs_sentences, needs_words)
    };
    let columns: [(&str, &dyn Fn(Feature) -> bool); 3] = [
        ("whole", &|_| true),
        ("without sentences", &|feature| !is_known(feature).0),
        ("words alone", &|feature| is_known(feature) == (false, false)),
    ];
    let mut tables = Vec::new();
    for (name, known) in columns {
        let usable: Vec<&Example> = examples.iter().filter(|example| !example.evidence.is_empty()).collect();
        tables.push(fit::refine(&usable, &fit::fit(&usable, known), known));
        let mut held_out: Vec<Vec<usize>> = vec![Vec::new(); examples.len()];
        for group in 0..dialogues.len() {
            let others: Vec<&Example> = usable.iter().filter(|example| example.group != group).copied().collect();
            let weights = fit::refine(&others, &fit::fit(&others, known), known);
            for (at, example) in examples.iter().enumerate().filter(|(_, example)| example.group == group) {
                held_out[at] = fit::order(example, &weights);
            }
        }
        let report = |range: std::ops::Range<usize>, orders: &dyn Fn(usize) -> Vec<usize>| {
            let outcome = |at: usize| fit::outcome(&examples[at], &orders(at));
            let all: Vec<Outcome> = range.map(outcome).collect();
            figures::means(&all.iter().collect::<Vec<_>>())
        };
        let line = |value: Value| format!("R@10 {} MRR {}", value["recall@10"], value["mrr"]);
        let table = &tables[tables.len() - 1];
        eprintln!("{name}: fitted {}", line(report(0..small, &|at| fit::order(&examples[at], table))));
        eprintln!("{name}: left out {}", line(report(0..small, &|at| held_out[at].clone())));
        if pool.is_some() {
            eprintln!("{name}: pool left out {}", line(report(small..examples.len(), &|at| held_out[at].clone())));
        }
    }
    for (at, feature) in Feature::ALL.iter().enumerate() {
        println!(
            "    Weight(Feature::{feature:?}, [{:.3}, {:.3}, {:.3}]),",
            tables[0][at], tables[1][at], tables[2][at]
        );
    }
    let recalls: Vec<(Vec<f32>, f32)> = own
        .iter()
        .enumerate()
        .map(|(at, shown)| {
            (shown.clone(), fit::outcome(&examples[at], &fit::order(&examples[at], &tables[0])).at_ten())
        })
        .collect();
    let unknown: Vec<Vec<f32>> = crossed.iter().map(|(_, shown)| shown.clone()).collect();
    let rule = fit::silence(&recalls, &unknown, 0.006);
    let speaks =
        |row: &[f32], rule: &[f32]| rule.iter().zip(row).map(|(weight, value)| weight * value).sum::<f32>() >= 0.0;
    let (mut silent, mut lost) = (0, 0.0);
    for group in 0..dialogues.len() {
        let of = |at: usize| examples[at].group;
        let known: Vec<(Vec<f32>, f32)> =
            (0..small).filter(|at| of(*at) != group).map(|at| recalls[at].clone()).collect();
        let others: Vec<Vec<f32>> =
            crossed.iter().filter(|(from, _)| *from != group).map(|(_, shown)| shown.clone()).collect();
        let rule = fit::silence(&known, &others, 0.006);
        silent += crossed.iter().filter(|(from, shown)| *from == group && !speaks(shown, &rule)).count();
        lost += (0..small)
            .filter(|at| of(*at) == group && !speaks(&recalls[*at].0, &rule))
            .map(|at| recalls[at].1)
            .sum::<f32>();
    }
    eprintln!(
        "silence left out: {:.3} of questions asked of others, {:.4} of recall lost",
        silent as f32 / crossed.len() as f32,
        lost / small as f32
    );
    println!("    {rule:.3?},");
    json!({ "silent": silent as f32 / crossed.len() as f32 })
}

fn dump(file: &str, examples: &[Example], small: usize, own: &[Vec<f32>], crossed: &[(usize, Vec<f32>)]) {
    let names: Vec<String> = Feature::ALL.iter().map(|feature| format!("{feature:?}")).collect();
    let mut bytes = Vec::new();
    for example in examples {
        for row in &example.rows {
            bytes.extend(row.iter().flat_map(|value| value.to_le_bytes()));
        }
    }
    std::fs::write(format!("{file}.bin"), bytes).expect("written");
    let all: Vec<Value> = examples
        .iter()
        .map(|example| json!({ "c": example.group, "n": example.rows.len(), "ev": example.evidence, "wanted": example.wanted }))
        .collect();
    std::fs::write(
        format!("{file}.json"),
        json!({ "names": names, "small": small, "examples": all, "own": own, "cross": crossed }).to_string(),
    )
    .expect("written");
}
