//! Scores what was stored after a message, as the `score.py` beside the messages does.

use std::collections::BTreeMap;

use crate::data::{Expected, Message, OrderKind, Prediction, Stored};
use crate::matching::{date_of, forbidden, is_neutral, is_on, match_fact};

/// Something that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    Messages,
    /// Expected facts, and those that were found with the right polarity.
    Expected,
    Found,
    /// Stored facts, and what came of each.
    Stored,
    Right,
    Wrong,
    Neutral,
    /// Stored facts that say the opposite of what was expected.
    PolarityErrors,
    /// Stored facts that hold a forbidden string, and the messages with one.
    MustNot,
    MustNotMessages,
    /// Messages with either of them.
    HarmedMessages,
    /// Expected facts with a date, and those of them that were found.
    Dated,
    DateRight,
    DateWrong,
    DateMissing,
    /// Items that wait in Review.
    InReview,
    OrdersWanted,
    OrdersGiven,
    OrdersRight,
    InstructionsWanted,
    InstructionsGiven,
    InstructionsRight,
}

/// What was counted over some messages.
#[derive(Debug, Clone, Default)]
pub struct Tally(BTreeMap<Count, usize>);

impl Tally {
    /// How many of these were counted.
    pub fn get(&self, count: Count) -> usize {
        self.0.get(&count).copied().unwrap_or_default()
    }

    /// Counts what another tally counted.
    pub fn add_all(&mut self, other: &Self) {
        other.0.iter().for_each(|(count, number)| self.add(*count, *number));
    }

    fn add(&mut self, count: Count, number: usize) {
        *self.0.entry(count).or_default() += number;
    }
}

/// What a stored fact came to.
enum Verdict<'a> {
    MustNot(&'a str),
    Right,
    Opposite,
    Neutral,
    NotSaid,
}

/// Scores one message: what was counted, and what was wrong, in words.
pub fn score(message: &Message, prediction: &Prediction) -> (Tally, Vec<String>) {
    let (mut tally, mut faults) = (Tally::default(), Vec::new());
    tally.add(Count::Messages, 1);
    tally.add(Count::InReview, prediction.review.len());
    // For each stored fact, whether it is each of the expected ones.
    let matches: Vec<Vec<Option<bool>>> = prediction
        .facts
        .iter()
        .map(|fact| message.expect.iter().map(|expected| match_fact(fact, expected, &message.lang)).collect())
        .collect();
    for (fact, matches) in prediction.facts.iter().zip(&matches) {
        score_stored(fact, &judge(fact, message, matches), &mut tally, &mut faults);
    }
    for (number, expected) in message.expect.iter().enumerate() {
        let is_this = |(_, matches): &(&Stored, &Vec<Option<bool>>)| matches[number] == Some(true);
        let found: Vec<&Stored> = prediction.facts.iter().zip(&matches).filter(is_this).map(|(fact, _)| fact).collect();
        score_expected(expected, &found, &mut tally, &mut faults);
    }
    let forbidden = tally.get(Count::MustNot) > 0;
    tally.add(Count::MustNotMessages, usize::from(forbidden));
    tally.add(Count::HarmedMessages, usize::from(forbidden || tally.get(Count::PolarityErrors) > 0));
    score_orders(message, prediction, &mut tally);
    (tally, faults)
}

fn judge<'a>(fact: &Stored, message: &'a Message, matches: &[Option<bool>]) -> Verdict<'a> {
    let is_right = matches.contains(&Some(true));
    if let Some(string) = forbidden(fact, message, is_right) {
        Verdict::MustNot(string)
    } else if is_right {
        Verdict::Right
    } else if matches.contains(&Some(false)) {
        Verdict::Opposite
    } else if is_neutral(fact, message) {
        Verdict::Neutral
    } else {
        Verdict::NotSaid
    }
}

fn score_stored(fact: &Stored, verdict: &Verdict<'_>, tally: &mut Tally, faults: &mut Vec<String>) {
    tally.add(Count::Stored, 1);
    let fault = match verdict {
        Verdict::Right => return tally.add(Count::Right, 1),
        Verdict::Neutral => return tally.add(Count::Neutral, 1),
        Verdict::MustNot(string) => {
            tally.add(Count::MustNot, 1);
            format!("must_not {string}")
        }
        Verdict::Opposite => {
            tally.add(Count::PolarityErrors, 1);
            "polarity".to_owned()
        }
        Verdict::NotSaid => "not said".to_owned(),
    };
    tally.add(Count::Wrong, 1);
    faults.push(format!("{fault}: ({}, {}, {})", fact.subject, fact.relation, fact.value));
}

fn score_expected(expected: &Expected, found: &[&Stored], tally: &mut Tally, faults: &mut Vec<String>) {
    let mut fault = |what: &str| {
        faults.push(format!("{what}: {} | {} | {}", expected.about, expected.relation_hint, expected.value_any[0]));
    };
    tally.add(Count::Expected, 1);
    tally.add(Count::Dated, usize::from(expected.date.is_some()));
    if found.is_empty() {
        return fault("missed");
    }
    tally.add(Count::Found, 1);
    let Some(wanted) = expected.date.as_deref() else { return };
    let dates: Vec<String> = found.iter().filter_map(|fact| date_of(fact)).collect();
    if dates.iter().any(|date| is_on(Some(date), wanted)) {
        tally.add(Count::DateRight, 1);
    } else if dates.iter().any(|date| !wanted.starts_with(date.as_str())) {
        tally.add(Count::DateWrong, 1);
        fault(&format!("date wrong, {} for {wanted}", dates.join(" ")));
    } else {
        tally.add(Count::DateMissing, 1);
        fault("date missing");
    }
}

/// Orders and instructions, where the prediction speaks of them at all.
fn score_orders(message: &Message, prediction: &Prediction, tally: &mut Tally) {
    if let Some(given) = &prediction.orders {
        let given = given.as_deref().unwrap_or_default();
        let of = |orders: &[crate::data::Order], kind| orders.iter().filter(|order| order.kind == kind).count();
        let kinds = [OrderKind::Remember, OrderKind::Forget, OrderKind::DontStore];
        let right = kinds.map(|kind| of(&message.orders, kind).min(of(given, kind))).iter().sum();
        tally.add(Count::OrdersWanted, message.orders.len());
        tally.add(Count::OrdersGiven, given.len());
        tally.add(Count::OrdersRight, right);
    }
    if let Some(given) = &prediction.instruction {
        let wanted = message.instruction.is_some();
        let given = given.as_deref().is_some_and(|instruction| !instruction.is_empty());
        tally.add(Count::InstructionsWanted, usize::from(wanted));
        tally.add(Count::InstructionsGiven, usize::from(given));
        tally.add(Count::InstructionsRight, usize::from(wanted && given));
    }
}
