//! Adds up what single messages came to, and prints it: overall, by language and by category.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::data::Message;
use crate::score::{Count, Tally};

/// The tallies of a run.
#[derive(Default)]
pub struct Report {
    overall: Tally,
    by_language: BTreeMap<String, Tally>,
    by_category: BTreeMap<String, Tally>,
}

impl Report {
    /// Adds one message's tally.
    pub fn add(&mut self, message: &Message, tally: &Tally) {
        self.overall.add_all(tally);
        self.by_language.entry(message.lang.clone()).or_default().add_all(tally);
        self.by_category.entry(message.group().to_owned()).or_default().add_all(tally);
    }

    /// All figures.
    pub fn json(&self) -> Value {
        let groups = |groups: &BTreeMap<String, Tally>| -> Map<String, Value> {
            groups.iter().map(|(name, tally)| (name.clone(), figures(tally))).collect()
        };
        json!({
            "overall": figures(&self.overall),
            "by_language": groups(&self.by_language),
            "by_category": groups(&self.by_category),
        })
    }

    /// The main figures as a table.
    pub fn table(&self) -> String {
        let head = ["", "messages", "expected", "recall", "precision", "polarity", "must not", "dates", "review"];
        let mut lines = vec![line(head.map(str::to_owned))];
        lines.push(row("overall", &self.overall));
        for (title, groups) in [("by language", &self.by_language), ("by category", &self.by_category)] {
            lines.push(format!("\n{title}"));
            lines.extend(groups.iter().map(|(name, tally)| row(name, tally)));
        }
        lines.join("\n")
    }
}

fn row(name: &str, tally: &Tally) -> String {
    let number = |count| tally.get(count).to_string();
    let percent = |part, whole| share(tally, part, whole).map_or_else(|| "–".to_owned(), |share| format!("{share:.3}"));
    line([
        name.to_owned(),
        number(Count::Messages),
        number(Count::Expected),
        percent(&[Count::Found], &[Count::Expected]),
        percent(&[Count::Right], &[Count::Right, Count::Wrong]),
        number(Count::PolarityErrors),
        number(Count::MustNot),
        number(Count::DateWrong),
        number(Count::InReview),
    ])
}

fn line(cells: [String; 9]) -> String {
    let cells = cells.iter().enumerate();
    cells.map(|(at, cell)| if at == 0 { format!("{cell:<16}") } else { format!("{cell:>10}") }).collect()
}

/// The figures of some messages. What cannot be told (a share of nothing) is null.
fn figures(tally: &Tally) -> Value {
    let number = |count| tally.get(count);
    let share = |part: &[Count], whole: &[Count]| share(tally, part, whole);
    let mut figures = json!({
        "recall": share(&[Count::Found], &[Count::Expected]),
        "precision": share(&[Count::Right], &[Count::Right, Count::Wrong]),
        "polarity_errors": number(Count::PolarityErrors),
        "must_not": number(Count::MustNot),
        "date_errors": number(Count::DateWrong),
        "messages": number(Count::Messages),
        "expected": number(Count::Expected),
        "found": number(Count::Found),
        "stored": number(Count::Stored),
        "right": number(Count::Right),
        "wrong": number(Count::Wrong),
        "neutral": number(Count::Neutral),
        "must_not_messages": number(Count::MustNotMessages),
        "harmed_messages": share(&[Count::HarmedMessages], &[Count::Messages]),
        "dated": number(Count::Dated),
        "date_right": number(Count::DateRight),
        "date_missing": number(Count::DateMissing),
        "review_per_message": share(&[Count::InReview], &[Count::Messages]),
    });
    let orders = [
        ("orders", Count::OrdersRight, Count::OrdersWanted, Count::OrdersGiven),
        ("instructions", Count::InstructionsRight, Count::InstructionsWanted, Count::InstructionsGiven),
    ];
    for (name, right, wanted, given) in orders {
        if number(wanted) + number(given) > 0 {
            figures[name] = json!({ "recall": share(&[right], &[wanted]), "precision": share(&[right], &[given]) });
        }
    }
    figures
}

/// A share, to a thousandth. None of nothing.
fn share(tally: &Tally, part: &[Count], whole: &[Count]) -> Option<f64> {
    let sum = |counts: &[Count]| counts.iter().map(|count| tally.get(*count)).sum::<usize>() as f64;
    let (part, whole) = (sum(part), sum(whole));
    // The decimal that is nearest, as Python rounds, and not a product that was rounded before.
    (whole > 0.0).then(|| format!("{:.3}", part / whole).parse().expect("a number that was just written"))
}
