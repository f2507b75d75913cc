//! The behavioural spec: who the agent is, what it must and must not do. Data; the prompt is rendered from it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The whole spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct BehaviorSpec {
    /// Who the agent is.
    pub identity: Identity,
    /// How it speaks.
    pub personality: Personality,
    /// What it never does, in order of rank: the first wins.
    pub never: Vec<Rule>,
    /// What it always does, in order of rank.
    pub always: Vec<Rule>,
    /// What it does when something is the case.
    pub decision_rules: Vec<DecisionRule>,
    /// When it hands over to a human.
    pub escalation_triggers: Vec<String>,
    /// What it remembers.
    pub memory_directives: MemoryDirectives,
    /// What must never be stored: "my health".
    pub sealed_topics: Vec<String>,
}

/// Who the agent is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Identity {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: String,
    /// The version of its identity.
    pub version: String,
}

/// How the agent speaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Personality {
    /// Its tone.
    pub tone: String,
    /// How much it says.
    pub verbosity: String,
    /// How formal it is.
    pub formality: String,
}

/// A rule of the boundaries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Rule {
    /// In words.
    pub text: String,
    /// A hard rule is never broken; a soft one is a preference.
    pub hard: bool,
}

/// "If …, then …".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct DecisionRule {
    /// When.
    pub condition: String,
    /// What then.
    pub action: String,
}

/// What the agent remembers; an empty text switches that kind off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MemoryDirectives {
    /// When to store facts.
    pub store_facts: String,
    /// When to store episodes.
    pub store_episodes: String,
    /// When to store procedures.
    pub store_procedures: String,
}
