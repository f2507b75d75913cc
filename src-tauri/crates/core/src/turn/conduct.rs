//! How an answer kept to the spec: measured after it, where nobody waits, for the drift view and for the next turn.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::behavior::BehaviorSpec;
use crate::behavior::conduct::ViolationKind;
use crate::behavior::drift::{self, ConductSample, Conversation, Earlier, RoleSample};
use crate::embedding::Models;
use crate::memory::conversation::Usage;
use crate::store::id::TurnId;

/// What an answer's conduct is measured by. It lives as long as that takes, and is stored nowhere.
pub struct Conduct {
    /// The turn.
    pub turn: TurnId,
    pub(super) spec: Arc<BehaviorSpec>,
    pub(super) question: String,
    pub(super) before: Vec<String>,
    pub(super) answers: Vec<String>,
    pub(super) answer: String,
    pub(super) model: String,
    pub(super) provider: String,
    pub(super) violations: Vec<ViolationKind>,
}

impl Conduct {
    /// Measures it. `earlier` is how the answers before stood to the role, oldest first. It reads models: call it where blocking
    /// is allowed.
    pub fn measure(&self, earlier: &[RoleSample], models: &Models, at: DateTime<Utc>) -> ConductSample {
        // The latest answers go with the latest samples; an answer that was never measured counts as in the role.
        let missing = self.answers.len().saturating_sub(earlier.len());
        let unmeasured = std::iter::repeat_n(RoleSample::remembered(None), missing);
        let samples = unmeasured.chain(earlier.iter().skip(earlier.len().saturating_sub(self.answers.len())).copied());
        let history: Vec<Earlier<'_>> =
            self.answers.iter().zip(samples).map(|(answer, sample)| Earlier { answer, sample }).collect();
        let conversation = Conversation { question: &self.question, before: &self.before, history: &history };
        let sample = drift::measure(&self.spec, &conversation, &self.answer, models);
        let mut violations = self.violations.clone();
        violations.sort_unstable();
        violations.dedup();
        ConductSample {
            at,
            model: self.model.clone(),
            provider: self.provider.clone(),
            violations,
            on_role: sample.is_judged.then_some(sample.on_role),
        }
    }
}

/// The cost of an answer with that of another call for it: one that failed or was withheld, or a second look.
pub(super) fn with_cost(answer: Usage, look: Usage) -> Usage {
    let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(0) + other.unwrap_or(0)),
    };
    Usage {
        // What the prompt took stays: it tells how full the context is.
        prompt_tokens: answer.prompt_tokens,
        completion_tokens: sum(answer.completion_tokens, look.completion_tokens),
        cost: match (answer.cost, look.cost) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0.0) + other.unwrap_or(0.0)),
        },
    }
}
