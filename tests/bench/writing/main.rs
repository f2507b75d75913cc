//! How well memory is written: labelled messages through a whole turn, and what is stored of them afterwards.
//!
//! `cargo run --release --bin writing -- --data FILE --annotator ideal|starter [--every N] [--show] [--predictions FILE] [--json]`
//!
//! `FILE` holds labelled messages as the README beside it describes them. With `--score FILE` the predictions of a file are scored
//! instead, and nothing is run. `--every N` takes each Nth message, `--show` prints what was wrong, `--predictions FILE` writes what
//! was stored, in the form that `--score` reads.

use std::collections::HashMap;
use std::path::PathBuf;

mod data;
mod figures;
mod matching;
mod score;
mod text;
mod words;

use data::{Message, Prediction};
use figures::Report;

fn main() {
    let data = PathBuf::from(argument("--data").expect("--data names a file of messages"));
    let every = argument("--every").map_or(1, |every| every.parse().expect("--every is a number above zero"));
    let messages: Vec<Message> = data::lines(&data).into_iter().step_by(every).collect();
    let predictions = predictions(&messages);
    let report = scored(&messages, &predictions);
    if has("--json") {
        println!("{}", report.json());
    } else {
        println!("{}", report.table());
    }
}

fn predictions(_messages: &[Message]) -> Vec<Prediction> {
    let file = argument("--score").expect("--score names a file of predictions");
    data::lines(&PathBuf::from(file))
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
            let beginning: String = message.text.chars().take(160).collect();
            eprintln!("\n[{}] {beginning}", message.id);
            faults.iter().for_each(|fault| eprintln!("   {fault}"));
            prediction.review.iter().for_each(|item| eprintln!("   in Review: {item}"));
        }
    }
    report
}

fn has(name: &str) -> bool {
    std::env::args().any(|argument| argument == name)
}

fn argument(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}
