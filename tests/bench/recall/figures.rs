//! The figures: how early the evidence of a question stands in a list.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};

/// How far down a list is looked.
pub const DEPTH: usize = 50;
const DEPTHS: [usize; 5] = [1, 5, 10, 20, DEPTH];

/// What one question came to.
#[derive(Clone)]
pub struct Outcome {
    pub category: String,
    recall: [f64; 5],
    hit: f64,
    all: f64,
    reciprocal_rank: f64,
    ndcg: f64,
    pub is_silent: bool,
}

impl Outcome {
    /// Of a list, best first, and the evidence that it should hold.
    pub fn of(category: &str, list: &[usize], evidence: &HashSet<usize>) -> Self {
        let ranks: Vec<usize> =
            list.iter().take(DEPTH).enumerate().filter(|(_, turn)| evidence.contains(turn)).map(|(at, _)| at).collect();
        let wanted = evidence.len().max(1) as f64;
        let within = |depth: usize| ranks.iter().filter(|rank| **rank < depth).count() as f64;
        let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let best: f64 = (0..evidence.len().min(10)).map(gain).sum();
        Self {
            category: category.to_owned(),
            recall: DEPTHS.map(|depth| within(depth) / wanted),
            hit: f64::from(u8::from(within(10) > 0.0)),
            all: f64::from(u8::from(within(10) >= wanted)),
            reciprocal_rank: ranks.first().map_or(0.0, |rank| 1.0 / (*rank as f64 + 1.0)),
            ndcg: ranks.iter().filter(|rank| **rank < 10).map(|rank| gain(*rank)).sum::<f64>() / best.max(1e-9),
            is_silent: list.is_empty(),
        }
    }
}

impl Outcome {
    /// Recall within the first ten.
    pub fn at_ten(&self) -> f32 {
        self.recall[2] as f32
    }
}

/// The means over outcomes.
pub fn means(outcomes: &[&Outcome]) -> Value {
    let mean = |of: &dyn Fn(&Outcome) -> f64| {
        let sum: f64 = outcomes.iter().map(|outcome| of(outcome)).sum();
        (sum / outcomes.len().max(1) as f64 * 10_000.0).round() / 10_000.0
    };
    let mut figures = Map::new();
    for (at, depth) in DEPTHS.iter().enumerate() {
        figures.insert(format!("recall@{depth}"), mean(&|outcome| outcome.recall[at]).into());
    }
    figures.insert("hit@10".into(), mean(&|outcome| outcome.hit).into());
    figures.insert("all@10".into(), mean(&|outcome| outcome.all).into());
    figures.insert("mrr".into(), mean(&|outcome| outcome.reciprocal_rank).into());
    figures.insert("ndcg@10".into(), mean(&|outcome| outcome.ndcg).into());
    figures.insert("questions".into(), outcomes.len().into());
    Value::Object(figures)
}

/// Overall without adversarial questions and those that nothing answers, and by category.
pub fn summary(outcomes: &[Outcome]) -> Value {
    let stands_apart = |outcome: &&Outcome| matches!(outcome.category.as_str(), "adversarial" | "none");
    let main: Vec<&Outcome> = outcomes.iter().filter(|outcome| !stands_apart(outcome)).collect();
    let mut categories: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        categories.entry(&outcome.category).or_default().push(outcome);
    }
    let by_category: Map<String, Value> =
        categories.into_iter().map(|(name, outcomes)| (name.to_owned(), means(&outcomes))).collect();
    json!({ "overall": means(&main), "by_category": by_category })
}

/// The share of outcomes that were silence.
pub fn silent(outcomes: &[Outcome]) -> f64 {
    let main: Vec<&Outcome> = outcomes.iter().collect();
    let silent = main.iter().filter(|outcome| outcome.is_silent).count();
    (silent as f64 / main.len().max(1) as f64 * 10_000.0).round() / 10_000.0
}
