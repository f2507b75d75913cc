//! How the weights are found: those that make labelled evidence most likely beside everything else that its question finds.
//!
//! The likelihood of each piece of evidence against what is none, each question counting the same; small memories and the large
//! one at once. A feature that can only speak for a passage has no weight below zero.

use std::collections::HashSet;

use atlas_core::memory::recall::ReasonName;
use atlas_core::memory::recall::features::Feature;
use atlas_core::memory::recall::silence::{Asked, Evidence};

use crate::figures::Outcome;

/// The features of what one question finds, and which of it is evidence.
pub struct Example {
    /// The conversation that it is of.
    pub group: usize,
    /// A row for each candidate, in the order of [`Feature::ALL`].
    pub rows: Vec<Vec<f32>>,
    /// What is known of the question besides.
    pub asked: Asked,
    /// Which rows are evidence.
    pub evidence: Vec<usize>,
    /// How much evidence there is in all, found or not.
    pub wanted: usize,
    /// How much the question counts.
    pub counts: f32,
}

/// Large weights are kept down by this much.
const RIDGE: f32 = 0.01;
const STEPS: usize = 200;

/// The weights for these examples.
pub fn fit(examples: &[&Example]) -> Vec<f32> {
    let count = Feature::ALL.len();
    let scale = scale(examples, count);
    let free = |at: usize| may_be_negative(Feature::ALL[at]);
    let (mut weights, mut mean, mut square) = (vec![0.0_f32; count], vec![0.0_f32; count], vec![0.0_f32; count]);
    let all: f32 = examples.iter().map(|example| example.counts).sum();
    for step in 1..=STEPS {
        let mut slope: Vec<f32> = weights.iter().map(|weight| 2.0 * RIDGE * weight).collect();
        for example in examples {
            descend(example, &weights, &scale, example.counts / all, &mut slope);
        }
        // Adam, with smaller steps towards the end.
        let rate = 0.1 * (1.0 - step as f32 / (STEPS as f32 + 1.0)).max(0.02);
        for at in 0..count {
            mean[at] = 0.9 * mean[at] + 0.1 * slope[at];
            square[at] = 0.99 * square[at] + 0.01 * slope[at] * slope[at];
            let (mean, square) =
                (mean[at] / (1.0 - 0.9_f32.powi(step as i32)), square[at] / (1.0 - 0.99_f32.powi(step as i32)));
            weights[at] -= rate * mean / (square.sqrt() + 1e-8);
            if weights[at] < 0.0 && !free(at) {
                weights[at] = 0.0;
            }
        }
    }
    weights.iter().zip(&scale).map(|(weight, scale)| weight / scale).collect()
}

/// The same order of everything, as the logarithm of odds: what makes the evidence most likely.
pub fn calibrated(examples: &[&Example], weights: Vec<f32>) -> Vec<f32> {
    let scaled = |by: f32| weights.iter().map(|weight| weight * by).collect::<Vec<f32>>();
    let unlikely = |by: f32| -> f32 {
        let weights = scaled(by);
        let of = |example: &&Example| {
            let score = |row: &Vec<f32>| row.iter().zip(&weights).map(|(value, weight)| value * weight).sum::<f32>();
            let scores: Vec<f32> = example.rows.iter().map(score).collect();
            let best = scores.iter().copied().fold(f32::MIN, f32::max);
            let odds: Vec<f32> = scores.iter().map(|score| (score - best).exp()).collect();
            let others: f32 = odds.iter().sum::<f32>() - example.evidence.iter().map(|at| odds[*at]).sum::<f32>();
            let each = example.evidence.iter().map(|at| -(odds[*at] / (odds[*at] + others)).max(1e-12).ln());
            example.counts * each.sum::<f32>() / example.evidence.len() as f32
        };
        examples.iter().map(of).sum()
    };
    let best = (1..=60).map(|step| step as f32 * 0.05).min_by(|a, b| unlikely(*a).total_cmp(&unlikely(*b)));
    scaled(best.unwrap_or(1.0))
}

/// What kind of sentence it is may speak against it; everything else speaks for it or not at all.
fn may_be_negative(feature: Feature) -> bool {
    matches!(feature.reason(), ReasonName::Form) || feature == Feature::Assistant
}

/// How much each feature differs among the candidates of a question.
fn scale(examples: &[&Example], count: usize) -> Vec<f32> {
    let mut squares = vec![0.0_f64; count];
    let mut rows = 0.0_f64;
    for example in examples {
        let size = example.rows.len().max(1) as f64;
        for (at, square) in squares.iter_mut().enumerate() {
            let mean = example.rows.iter().map(|row| f64::from(row[at])).sum::<f64>() / size;
            *square += example.rows.iter().map(|row| (f64::from(row[at]) - mean).powi(2)).sum::<f64>();
        }
        rows += size;
    }
    squares.into_iter().map(|square| (square / rows.max(1.0)).sqrt().max(1e-4) as f32).collect()
}

fn descend(example: &Example, weights: &[f32], scale: &[f32], share: f32, slope: &mut [f32]) {
    let scaled: Vec<f32> = weights.iter().zip(scale).map(|(weight, scale)| weight / scale).collect();
    let scores: Vec<f32> =
        example.rows.iter().map(|row| row.iter().zip(&scaled).map(|(value, weight)| value * weight).sum()).collect();
    let best = scores.iter().copied().fold(f32::MIN, f32::max);
    let odds: Vec<f32> = scores.iter().map(|score| (score - best).exp()).collect();
    let others: f32 = odds.iter().sum::<f32>() - example.evidence.iter().map(|at| odds[*at]).sum::<f32>();
    let others = others.max(1e-12);
    let each = share / example.evidence.len() as f32;
    let mut pull = vec![0.0_f32; odds.len()];
    let mut against = 0.0;
    for at in &example.evidence {
        pull[*at] = each * (odds[*at] / (odds[*at] + others) - 1.0);
        against += each / (odds[*at] + others);
    }
    for (at, pull) in pull.iter_mut().enumerate() {
        if !example.evidence.contains(&at) {
            *pull = odds[at] * against;
        }
    }
    for (row, pull) in example.rows.iter().zip(pull) {
        if pull.abs() > 1e-9 {
            for ((slope, value), scale) in slope.iter_mut().zip(row).zip(scale) {
                *slope += pull * value / scale;
            }
        }
    }
}

/// The order of an example's rows under weights, best first.
pub fn order(example: &Example, weights: &[f32]) -> Vec<usize> {
    let score = |row: &[f32]| row.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f32>();
    let scores: Vec<f32> = example.rows.iter().map(|row| score(row)).collect();
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order
}

/// What an order of an example's rows comes to.
pub fn outcome(example: &Example, order: &[usize]) -> Outcome {
    // Evidence that was not found at all stands nowhere in the order.
    let missing = example.wanted - example.evidence.len();
    let evidence: HashSet<usize> =
        example.evidence.iter().copied().chain((0..missing).map(|n| usize::MAX - n)).collect();
    Outcome::of("", order, &evidence)
}

/// What an example shows under weights, as numbers.
pub fn shown(example: &Example, weights: &[f32]) -> Vec<f32> {
    let score = |row: &[f32]| row.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f32>();
    let mut found: Vec<(&[f32], f32)> = example.rows.iter().map(|row| (row.as_slice(), score(row))).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    Evidence::of(&found, example.asked).values().to_vec()
}

/// A rule that tells what is known from what is not: weights for numbers, the last of which is always one. Each unknown question is
/// shown twice: as it is, and as if it named nobody.
///
/// Among all cuts it takes the one at which silence costs the questions that have an answer so much of their recall and no more.
pub fn silence(known: &[(Vec<f32>, f32)], unknown: &[Vec<f32>], allowed: f32) -> Vec<f32> {
    let count = unknown.first().map_or(0, Vec::len);
    let nameless = unknown.iter().map(|row| {
        let mut row = row.clone();
        row[count - 2] = 0.0;
        (row, 0.0, 1.0)
    });
    let rows: Vec<(Vec<f32>, f32, f32)> = known
        .iter()
        .map(|(row, recall)| (row.clone(), 1.0, recall + 0.05))
        .chain(unknown.iter().map(|row| (row.clone(), 0.0, 1.0)))
        .chain(nameless)
        .collect();
    let all: f32 = rows.iter().map(|(_, _, counts)| counts).sum();
    let mut weights = vec![0.0_f32; count];
    let (mut mean, mut square) = (vec![0.0_f32; count], vec![0.0_f32; count]);
    let value =
        |weights: &[f32], row: &[f32]| weights.iter().zip(row).map(|(weight, value)| weight * value).sum::<f32>();
    for step in 1..=4_000 {
        let mut slope: Vec<f32> = weights.iter().map(|weight| 0.0002 * weight).collect();
        for (row, is_known, counts) in &rows {
            let off = (1.0 / (1.0 + (-value(&weights, row)).exp()) - is_known) * counts / all;
            slope.iter_mut().zip(row.iter()).for_each(|(slope, value)| *slope += off * value);
        }
        let rate = 0.1 * (1.0 - step as f32 / 4_001.0).max(0.02);
        for at in 0..count {
            mean[at] = 0.9 * mean[at] + 0.1 * slope[at];
            square[at] = 0.99 * square[at] + 0.01 * slope[at] * slope[at];
            let (mean, square) = (mean[at] / (1.0 - 0.9_f32.powi(step)), square[at] / (1.0 - 0.99_f32.powi(step)));
            weights[at] -= rate * mean / (square.sqrt() + 1e-8);
        }
    }
    let mut values: Vec<(f32, f32)> = known.iter().map(|(row, recall)| (value(&weights, row), *recall)).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lost = 0.0;
    let cut = values.iter().find(|(_, recall)| {
        lost += recall / known.len() as f32;
        lost > allowed
    });
    if let Some(last) = weights.last_mut() {
        *last -= cut.map_or(0.0, |(value, _)| *value);
    }
    weights
}

/// Whether a rule lets a question be answered.
pub fn speaks(row: &[f32], rule: &[f32]) -> bool {
    rule.iter().zip(row).map(|(weight, value)| weight * value).sum::<f32>() >= 0.0
}
