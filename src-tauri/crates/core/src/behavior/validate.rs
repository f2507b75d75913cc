//! What stands in the way of saving a spec.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::lint;
use super::prompt::render;
use super::spec::{BehaviorSpec, DecisionRule, Rule};
use crate::providers::tokens::estimate_tokens;

/// The longest name, role, version or trait of personality, in characters.
pub const MAX_SHORT_FIELD: usize = 200;
/// The longest rule, condition, action, trigger, directive or topic, in characters.
pub const MAX_RULE: usize = 600;
/// The most entries of one list.
pub const MAX_ENTRIES: usize = 50;
/// The longest rendered prompt, in tokens: half of what the built-in engine's context holds.
pub const MAX_PROMPT_TOKENS: u64 = 4_000;

/// Something wrong with one field of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SpecProblem {
    /// The field, as a path: "identity.name", "never.2.text"; a whole list: "never"; the whole spec: "".
    pub field: String,
    /// What is wrong, for people.
    pub message: String,
    /// Whether it stands in the way.
    pub severity: Severity,
}

/// How much a problem weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Severity {
    /// The spec cannot be saved so.
    Error,
    /// It can be saved; it may not do what the person expects.
    Warning,
}

impl SpecProblem {
    pub(super) fn error(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into(), severity: Severity::Error }
    }

    pub(super) fn warning(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into(), severity: Severity::Warning }
    }
}

/// Whether a spec with this problem cannot be saved.
pub fn stands_in_the_way(problem: &SpecProblem) -> bool {
    problem.severity == Severity::Error
}

/// All problems of a spec, in the order of the form: errors first, then warnings.
pub fn validate(spec: &BehaviorSpec) -> Vec<SpecProblem> {
    let mut problems = Vec::new();
    short_fields(spec, &mut problems);
    let rules = |rules: &[Rule]| rules.iter().map(|rule| rule.text.clone()).collect::<Vec<_>>();
    list("never", ".text", &rules(&spec.never), &mut problems);
    list("always", ".text", &rules(&spec.always), &mut problems);
    decision_rules(&spec.decision_rules, &mut problems);
    list("escalationTriggers", "", &spec.escalation_triggers, &mut problems);
    memory_directives(spec, &mut problems);
    list("sealedTopics", "", &spec.sealed_topics, &mut problems);
    whole(spec, &mut problems);
    problems.extend(lint::lint(spec));
    problems
}

fn short_fields(spec: &BehaviorSpec, problems: &mut Vec<SpecProblem>) {
    if is_blank(&spec.identity.name) {
        problems.push(SpecProblem::error("identity.name", "Give the assistant a name."));
    }
    for (field, text) in [
        ("identity.name", &spec.identity.name),
        ("identity.role", &spec.identity.role),
        ("identity.version", &spec.identity.version),
        ("personality.tone", &spec.personality.tone),
        ("personality.verbosity", &spec.personality.verbosity),
        ("personality.formality", &spec.personality.formality),
    ] {
        problems.extend(too_long(field, text, MAX_SHORT_FIELD));
    }
}

/// A list of texts, each at the path `name.index` + `suffix`.
fn list(name: &str, suffix: &str, texts: &[String], problems: &mut Vec<SpecProblem>) {
    problems.extend(too_many(name, texts.len()));
    let mut first_at = HashMap::new();
    for (at, text) in texts.iter().enumerate() {
        let field = format!("{name}.{at}{suffix}");
        if is_blank(text) {
            problems.push(SpecProblem::error(field, "This is empty. Write something, or remove it."));
            continue;
        }
        problems.extend(too_long(&field, text, MAX_RULE));
        let first = *first_at.entry(essence(text)).or_insert(at);
        if first != at {
            problems.push(SpecProblem::error(field, format!("This says the same as number {}.", first + 1)));
        }
    }
}

fn decision_rules(rules: &[DecisionRule], problems: &mut Vec<SpecProblem>) {
    problems.extend(too_many("decisionRules", rules.len()));
    let mut first_at = HashMap::new();
    for (at, rule) in rules.iter().enumerate() {
        let path = |part: &str| format!("decisionRules.{at}.{part}");
        if is_blank(&rule.condition) {
            problems.push(SpecProblem::error(path("condition"), "Say when this rule applies, or remove it."));
        }
        if is_blank(&rule.action) {
            problems.push(SpecProblem::error(path("action"), "Say what to do then, or remove this rule."));
        }
        problems.extend(too_long(&path("condition"), &rule.condition, MAX_RULE));
        problems.extend(too_long(&path("action"), &rule.action, MAX_RULE));
        if is_blank(&rule.condition) {
            continue;
        }
        let first = *first_at.entry(essence(&rule.condition)).or_insert(at);
        if first != at && essence(&rules[first].action) == essence(&rule.action) {
            let message = format!("This says the same as number {}.", first + 1);
            problems.push(SpecProblem::error(path("condition"), message));
        }
    }
}

fn memory_directives(spec: &BehaviorSpec, problems: &mut Vec<SpecProblem>) {
    let directives = &spec.memory_directives;
    for (field, text) in [
        ("memoryDirectives.storeFacts", &directives.store_facts),
        ("memoryDirectives.storeEpisodes", &directives.store_episodes),
        ("memoryDirectives.storeProcedures", &directives.store_procedures),
    ] {
        problems.extend(too_long(field, text, MAX_RULE));
    }
}

fn whole(spec: &BehaviorSpec, problems: &mut Vec<SpecProblem>) {
    let tokens = estimate_tokens(&render(spec));
    if tokens > MAX_PROMPT_TOKENS {
        let message = format!(
            "All of it together is about {tokens} tokens; {MAX_PROMPT_TOKENS} are the limit. Shorten or remove some rules."
        );
        problems.push(SpecProblem::error("", message));
    }
}

fn too_many(field: &str, count: usize) -> Option<SpecProblem> {
    (count > MAX_ENTRIES)
        .then(|| SpecProblem::error(field, format!("There are {count} entries here; {MAX_ENTRIES} are the limit.")))
}

fn too_long(field: &str, text: &str, limit: usize) -> Option<SpecProblem> {
    let count = text.chars().count();
    (count > limit)
        .then(|| SpecProblem::error(field, format!("This is {count} characters long; {limit} are the limit.")))
}

fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c.is_control())
}

/// A text without what does not change its meaning: case, spacing, a full stop at its end.
pub(super) fn essence(text: &str) -> String {
    let words = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    words.trim_end_matches(['.', '!', '。', '！', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(change: impl FnOnce(&mut BehaviorSpec)) -> Vec<(String, String)> {
        let mut spec = BehaviorSpec::default();
        change(&mut spec);
        validate(&spec).into_iter().filter(stands_in_the_way).map(|problem| (problem.field, problem.message)).collect()
    }

    fn owned(field: &str, message: &str) -> Vec<(String, String)> {
        vec![(field.to_owned(), message.to_owned())]
    }

    #[test]
    fn the_default_spec_has_no_problem_at_all() {
        assert_eq!(validate(&BehaviorSpec::default()), Vec::new());
    }

    #[test]
    fn an_assistant_needs_a_name() {
        let found = errors(|spec| spec.identity.name = " \n".into());
        assert_eq!(found, owned("identity.name", "Give the assistant a name."));
    }

    #[test]
    fn an_empty_rule_is_named_by_its_place() {
        let found = errors(|spec| spec.never.insert(1, Rule::soft("  ")));
        assert_eq!(found, owned("never.1.text", "This is empty. Write something, or remove it."));
        let found = errors(|spec| spec.sealed_topics = vec![String::new()]);
        assert_eq!(found, owned("sealedTopics.0", "This is empty. Write something, or remove it."));
        let found = errors(|spec| spec.decision_rules[2].action.clear());
        assert_eq!(found, owned("decisionRules.2.action", "Say what to do then, or remove this rule."));
    }

    #[test]
    fn a_rule_said_twice_names_the_first() {
        let found = errors(|spec| spec.always.push(Rule::soft("acknowledge  uncertainty explicitly.")));
        assert_eq!(found, owned("always.3.text", "This says the same as number 1."));
        let found = errors(|spec| spec.decision_rules.push(spec.decision_rules[0].clone()));
        assert_eq!(found, owned("decisionRules.3.condition", "This says the same as number 1."));
    }

    #[test]
    fn what_is_too_long_says_by_how_much() {
        let found = errors(|spec| spec.personality.tone = "東".repeat(201));
        assert_eq!(found, owned("personality.tone", "This is 201 characters long; 200 are the limit."));
        let found = errors(|spec| spec.never[0].text = "a".repeat(601));
        assert_eq!(found, owned("never.0.text", "This is 601 characters long; 600 are the limit."));
    }

    #[test]
    fn a_list_has_a_limit() {
        let found = errors(|spec| spec.never = (0..51).map(|n| Rule::hard(format!("Rule {n}"))).collect());
        assert_eq!(found, owned("never", "There are 51 entries here; 50 are the limit."));
    }

    #[test]
    fn the_whole_prompt_has_a_limit() {
        let found = errors(|spec| {
            spec.always = (0..50).map(|n| Rule::hard(format!("{n} {}", "word ".repeat(100)))).collect();
        });
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "");
        assert!(found[0].1.ends_with("4000 are the limit. Shorten or remove some rules."), "{}", found[0].1);
    }
}
