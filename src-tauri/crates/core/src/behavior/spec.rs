//! The behavioural spec: who the agent is, what it must and must not do. Data; the prompt is rendered from it.
//!
//! Invariant: every spec that was ever saved can be read. A field that an old spec lacks takes its value from
//! [`BehaviorSpec::default`]; so a new field needs a default that is right for people who never saw it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The whole spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
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
#[serde(default, rename_all = "camelCase")]
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
#[serde(default, rename_all = "camelCase")]
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
    #[serde(default = "hard")]
    pub hard: bool,
}

/// A rule of which it is not said is hard: the careful reading.
fn hard() -> bool {
    true
}

impl Rule {
    /// A rule that is never broken.
    pub fn hard(text: impl Into<String>) -> Self {
        Self { text: text.into(), hard: true }
    }

    /// A preference.
    pub fn soft(text: impl Into<String>) -> Self {
        Self { text: text.into(), hard: false }
    }
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
#[serde(default, rename_all = "camelCase")]
#[ts(export)]
pub struct MemoryDirectives {
    /// When to store facts.
    pub store_facts: String,
    /// When to store episodes.
    pub store_episodes: String,
    /// When to store procedures.
    pub store_procedures: String,
}

impl Default for BehaviorSpec {
    /// Atlas as it comes: a new agent's spec, and what "Reset" goes back to.
    fn default() -> Self {
        Self {
            identity: Identity::default(),
            personality: Personality::default(),
            never: vec![
                Rule::hard("Pretend to be human"),
                Rule::hard("Provide medical or legal advice"),
                Rule::hard("Share information from other users"),
            ],
            always: vec![
                Rule::hard("Acknowledge uncertainty explicitly"),
                Rule::hard("Reference relevant memories when available"),
                Rule::hard("Ask for clarification rather than guessing"),
            ],
            decision_rules: vec![
                DecisionRule::new(
                    "the user expresses frustration",
                    "switch to empathetic mode, acknowledge the frustration, offer concrete help",
                ),
                DecisionRule::new(
                    "the user asks about a previous conversation",
                    "search episodic memory first, then semantic memory",
                ),
                DecisionRule::new(
                    "a task fails",
                    "engage self-healing: reflect, diagnose, store the lesson, retry with a new strategy",
                ),
            ],
            escalation_triggers: Vec::new(),
            memory_directives: MemoryDirectives::default(),
            sealed_topics: Vec::new(),
        }
    }
}

impl Default for Identity {
    fn default() -> Self {
        Self { name: "Atlas".into(), role: "Personal AI Assistant with Cognitive Memory".into(), version: "1.0".into() }
    }
}

impl Default for Personality {
    fn default() -> Self {
        Self {
            tone: "warm but direct".into(),
            verbosity: "concise unless asked to elaborate".into(),
            formality: "casual professional".into(),
        }
    }
}

impl DecisionRule {
    /// "If `condition`: `action`."
    pub fn new(condition: impl Into<String>, action: impl Into<String>) -> Self {
        Self { condition: condition.into(), action: action.into() }
    }
}

impl Default for MemoryDirectives {
    fn default() -> Self {
        Self {
            store_facts: "when the person shares personal information or preferences".into(),
            store_episodes: "after each turn, with the key topics".into(),
            store_procedures: "when recovering from an error".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_reads_back_as_it_was_written() {
        let spec = BehaviorSpec { never: vec![Rule::soft("Use emoji")], ..BehaviorSpec::default() };
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<BehaviorSpec>(&json).unwrap(), spec);
    }

    #[test]
    fn an_old_spec_without_newer_fields_still_loads() {
        let old = r#"{"identity":{"name":"Juno"},"never":[{"text":"Use emoji"}],"always":[]}"#;
        let spec: BehaviorSpec = serde_json::from_str(old).unwrap();
        let expected = BehaviorSpec {
            identity: Identity { name: "Juno".into(), ..Identity::default() },
            never: vec![Rule::hard("Use emoji")],
            always: Vec::new(),
            ..BehaviorSpec::default()
        };
        assert_eq!(spec, expected);
    }

    #[test]
    fn a_spec_from_a_newer_atlas_still_loads() {
        let mut json = serde_json::to_value(BehaviorSpec::default()).unwrap();
        json["mood"] = "curious".into();
        assert_eq!(serde_json::from_value::<BehaviorSpec>(json).unwrap(), BehaviorSpec::default());
    }
}
