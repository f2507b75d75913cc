//! How well memory is written: labelled messages through a whole turn, and what is stored of them afterwards.
//!
//! `cargo run --release --bin writing -- --data FILE --annotator ideal|starter [--every N] [--show] [--predictions FILE] [--json]`
//!
//! `FILE` holds labelled messages, in the form that the README beside it describes. The annotator `ideal` is a scripted model that
//! writes the labels of each message, `--dates` with their dates; `starter` is the starter model of this computer, or the one that
//! `--model` names. With `--score FILE` the predictions of a file are scored instead, and nothing is run. `--every N` takes each Nth
//! message, `--show` prints what was wrong, `--predictions FILE` writes what was stored in the form that `--score` reads.

use std::collections::HashMap;
use std::path::PathBuf;

mod annotator;
mod data;
mod figures;
mod matching;
mod run;
mod score;
mod text;
mod words;

use annotator::{Annotator, Starter};
use data::{Message, Prediction};
use figures::Report;

#[tokio::main]
async fn main() {
    let data = PathBuf::from(argument("--data").expect("--data names a file of messages"));
    let every = argument("--every").map_or(1, |every| every.parse().expect("--every is a number above zero"));
    let messages: Vec<Message> = data::read_lines(&data).into_iter().step_by(every).collect();
    let predictions = match argument("--score") {
        Some(file) => data::read_lines(&PathBuf::from(file)),
        None => predictions(&messages).await,
    };
    if let Some(file) = argument("--predictions") {
        data::write_lines(&PathBuf::from(file), &predictions);
    }
    let report = scored(&messages, &predictions);
    if has("--json") {
        println!("{}", report.json());
    } else {
        println!("{}", report.table());
    }
}

async fn predictions(messages: &[Message]) -> Vec<Prediction> {
    match argument("--annotator").as_deref() {
        Some("ideal") => run::predictions(messages, &Annotator::Ideal { dates: has("--dates") }).await,
        Some("starter") => {
            let starter = Starter::here(argument("--model")).await;
            let predictions = run::predictions(messages, &Annotator::Starter(starter.clone())).await;
            starter.stop().await;
            predictions
        }
        _ => panic!("--annotator is ideal or starter"),
    }
}

/// Scores all messages. One without a prediction counts as one of which nothing was stored.
fn scored(messages: &[Message], predictions: &[Prediction]) -> Report {
    let by_id: HashMap<&str, &Prediction> =
        predictions.iter().map(|prediction| (prediction.id.as_str(), prediction)).collect();
    let (mut report, nothing) = (Report::default(), Prediction::default());
    for message in messages {
        let prediction = by_id.get(message.id.as_str()).copied().unwrap_or(&nothing);
        let (tally, faults) = score::score(message, prediction);
        report.add(message, &tally);
        if has("--show") && !faults.is_empty() {
            show(message, prediction, &faults);
        }
    }
    report
}

fn show(message: &Message, prediction: &Prediction, faults: &[String]) {
    let beginning: String = message.text.chars().take(160).collect();
    eprintln!("\n[{}] {beginning}", message.id);
    faults.iter().for_each(|fault| eprintln!("   {fault}"));
    prediction.review.iter().for_each(|item| eprintln!("   in Review: {item}"));
}

fn has(name: &str) -> bool {
    std::env::args().any(|argument| argument == name)
}

fn argument(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}
