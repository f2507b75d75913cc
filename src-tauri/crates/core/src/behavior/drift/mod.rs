//! Whether an answer has left the role: the billing assistant that sends recipes.
//!
//! An answer is in the role when it is about what was asked, about what the agent is for, or about what the agent said
//! while it was in its role. Only one that is about none of these is out of it. Words alone can tell
//! the plainest cases; with the models of this computer, other words for the same thing count too.
//!
//! Invariant: an assistant may be asked anything. To answer a question that is far from the role is no drift, and what
//! says too little to be judged (small talk, a few words, code) is taken as in the role.

#[cfg(test)]
mod cases;
mod closeness;
#[cfg(test)]
mod held_out;
mod reader;
pub mod samples;
#[cfg(test)]
mod tests;
mod view;

pub use view::{ConductSample, DriftDay, DriftView, by_day};

use closeness::{Gist, Measure, closeness};
use reader::Reader;

use super::spec::BehaviorSpec;
use crate::embedding::Models;
use crate::text::lexicon;

/// An answer with fewer telling words is not judged.
const FEWEST_IN_ANSWER: usize = 14;
/// Where only words can tell, a message of the person's with fewer telling ones is not enough to judge by.
const FEWEST_FOR_WORDS_ALONE: usize = 5;
/// Below this an answer is out of the role.
pub const OFF: f64 = 0.35;
/// Above this an agent that had left its role is back in it.
pub const BACK: f64 = 0.5;
/// So many answers in a row that are out of the role, and the agent has left it.
const IN_A_ROW: usize = 2;
/// How many of the agent's earlier answers, and of the person's messages, are looked at.
const RECENT: usize = 6;

/// How one answer stands to the role. All but `is_judged` are 0 (nothing to do with it) to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoleSample {
    /// Whether it is in the role: the best of the other three.
    pub on_role: f64,
    /// How close it is to what was asked.
    pub relevance: f64,
    /// How close it is to the role, the personality and the rules.
    pub closeness: f64,
    /// How close it is to what the agent said while it was in its role.
    pub steadiness: f64,
    /// Whether it says enough to be judged; otherwise it counts as in the role.
    pub is_judged: bool,
}

impl RoleSample {
    /// One that says too little.
    const UNJUDGED: Self = Self { on_role: 1.0, relevance: 1.0, closeness: 1.0, steadiness: 1.0, is_judged: false };

    /// One as it is kept: how far it was in the role, where it could be judged.
    pub fn remembered(on_role: Option<f64>) -> Self {
        on_role.map_or(Self::UNJUDGED, |on_role| Self {
            on_role,
            relevance: 0.0,
            closeness: 0.0,
            steadiness: 0.0,
            is_judged: true,
        })
    }

    /// Whether this answer is out of the role.
    pub fn is_off(&self) -> bool {
        self.is_judged && self.on_role < OFF
    }
}

/// An answer of the agent's and how it stood to the role.
#[derive(Debug, Clone, Copy)]
pub struct Earlier<'a> {
    /// What it said.
    pub answer: &'a str,
    /// How that was.
    pub sample: RoleSample,
}

/// What an answer is measured against, besides the spec.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conversation<'a> {
    /// The person's message.
    pub question: &'a str,
    /// What the person said before in this conversation, oldest first.
    pub before: &'a [String],
    /// What the agent said before, oldest first.
    pub history: &'a [Earlier<'a>],
}

/// Measures one answer. It reads the models at their first use, and a long text with them: call it where nobody waits.
pub fn measure(spec: &BehaviorSpec, conversation: &Conversation<'_>, answer: &str, models: &Models) -> RoleSample {
    // English is read whole; other Latin writing by the vectors of its words; what is left by the words themselves.
    let reader = Reader::of(answer, models);
    let measure = match (&reader, models.static_model()) {
        (Some(_), _) => Measure::BesideReader,
        (None, Ok(words)) if closeness::is_latin(answer) => Measure::Vectors(words),
        _ => Measure::Words,
    };
    let gist = |text: &str| Gist::of(text, measure);
    let said = gist(answer);
    if said.len() < FEWEST_IN_ANSWER || lexicon::is_small_talk(conversation.question) {
        return RoleSample::UNJUDGED;
    }
    let recent = &conversation.before[conversation.before.len().saturating_sub(RECENT)..];
    let (asked, earlier) = (gist(conversation.question), gist(&recent.join("\n")));
    let fewest = if matches!(measure, Measure::Words) { FEWEST_FOR_WORDS_ALONE } else { 1 };
    let can_meet = said.is_comparable(&asked) || said.is_comparable(&earlier);
    if !can_meet || asked.len() + earlier.len() < fewest {
        return RoleSample::UNJUDGED;
    }
    let read = |text: &str| reader.as_ref().map_or(0.0, |reader| reader.closeness(text));
    let relevance = closeness(&said, &asked).max(closeness(&said, &earlier)).max(read(conversation.question));
    let in_role = conversation.history.iter().rev().take(RECENT).filter(|earlier| !earlier.sample.is_off());
    let steadiness = in_role.map(|earlier| closeness(&said, &gist(earlier.answer))).fold(0.0, f64::max);
    let closeness = closeness(&said, &gist(&role_of(spec))).max(read(&spec.identity.role));
    let on_role = relevance.max(closeness).max(steadiness);
    RoleSample { on_role, relevance, closeness, steadiness, is_judged: true }
}

/// What the agent is for, in the spec's words. Rules of what it never does are no part of that.
fn role_of(spec: &BehaviorSpec) -> String {
    let always = spec.always.iter().map(|rule| rule.text.as_str());
    let decisions = spec.decision_rules.iter().flat_map(|rule| [rule.condition.as_str(), rule.action.as_str()]);
    let parts = [spec.identity.role.as_str()].into_iter().chain(always).chain(decisions);
    parts.chain(spec.escalation_triggers.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
}

/// Whether the agent has left its role, after these answers, oldest first: two in a row are out of it, and none since is
/// clearly back in it.
pub fn left_the_role(samples: &[RoleSample]) -> bool {
    let (mut has_left, mut in_a_row) = (false, 0);
    for sample in samples.iter().filter(|sample| sample.is_judged) {
        in_a_row = if sample.is_off() { in_a_row + 1 } else { 0 };
        has_left = match has_left {
            true => sample.on_role <= BACK,
            false => in_a_row >= IN_A_ROW,
        };
    }
    has_left
}

/// What assistants said in the exchanges that the role is measured on.
#[cfg(test)]
pub(in crate::behavior) fn answers_for_tests() -> impl Iterator<Item = &'static str> {
    cases::CASES.iter().chain(held_out::HELD_OUT).map(|case| case.answer)
}
