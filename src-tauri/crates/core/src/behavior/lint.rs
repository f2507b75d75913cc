//! Two instructions that pull apart, shown to the person before they wonder why the assistant does neither.
//!
//! Only what words can tell: how long answers are, how formal they are, and the same thing both forbidden and
//! asked for. It knows English words only, and stays silent where it is not sure: a rule with "not" in it, or
//! with words of both sides, takes no side.

use super::spec::BehaviorSpec;
use super::validate::{SpecProblem, essence};

/// One question on which instructions can pull apart, with its two sides.
struct Axis {
    /// The trait of personality that is all about it.
    field: &'static str,
    one: Words,
    other: Words,
}

/// The words of one side.
struct Words {
    /// They take the side in any instruction.
    anywhere: &'static [&'static str],
    /// They take it in the trait only: elsewhere they may be about something else ("keep a detailed log").
    in_trait: &'static [&'static str],
}

const AXES: [Axis; 2] = [
    Axis {
        field: "personality.verbosity",
        one: Words {
            anywhere: &[
                "be brief",
                "briefly",
                "be concise",
                "concisely",
                "be terse",
                "few words",
                "in one line",
                "in one paragraph",
                "in one sentence",
                "keep it short",
                "short answers",
                "short paragraphs",
                "succinctly",
            ],
            in_trait: &[
                "brief",
                "concise",
                "few",
                "low",
                "minimal",
                "one",
                "short",
                "succinct",
                "terse",
                "to the point",
            ],
        },
        other: Words {
            anywhere: &[
                "at length",
                "be thorough",
                "be verbose",
                "comprehensively",
                "detailed answers",
                "detailed explanations",
                "every detail",
                "every step",
                "exhaustively",
                "in detail",
                "in depth",
                "in full",
                "long answers",
                "thoroughly",
            ],
            in_trait: &["comprehensive", "detailed", "exhaustive", "high", "long", "thorough", "verbose"],
        },
    },
    Axis {
        field: "personality.formality",
        one: Words {
            anywhere: &["be casual", "be informal", "casually", "informally", "use slang"],
            in_trait: &["casual", "informal", "relaxed"],
        },
        other: Words { anywhere: &["be formal", "formal language", "formally"], in_trait: &["ceremonious", "formal"] },
    },
];

/// Words that turn a rule round, or bind it to a case: too hard to judge by words.
const UNSURE: [&str; 9] = ["not", "don't", "never", "avoid", "without", "no", "unless", "except", "but"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    One,
    Other,
}

impl Side {
    fn opposite(self) -> Self {
        match self {
            Self::One => Self::Other,
            Self::Other => Self::One,
        }
    }
}

/// An instruction as the lint sees it.
struct Instruction<'a> {
    field: String,
    text: &'a str,
    /// How a message calls it: "Verbosity", "rule 2 of Always".
    name: String,
    /// A rule of "Never" means the opposite of its words.
    forbids: bool,
    rank: Rank,
}

/// What wins over what: the smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    HardRule,
    SoftRule,
    Personality,
}

/// The pairs that pull apart, each shown once: at the instruction that the person can most easily change.
pub(super) fn lint(spec: &BehaviorSpec) -> Vec<SpecProblem> {
    let instructions = instructions(spec);
    let mut problems = both_forbidden_and_asked(spec);
    for axis in &AXES {
        let sided: Vec<_> =
            instructions.iter().filter_map(|instruction| Some((instruction, axis.side(instruction)?))).collect();
        for (at, (later, side)) in sided.iter().enumerate() {
            let opposed = sided[..at].iter().find(|(_, other)| *other == side.opposite());
            problems.extend(opposed.map(|(earlier, _)| pull_apart(later, earlier)));
        }
    }
    problems
}

/// Personality first, then the rules: so that a rule is what a pair is shown at.
fn instructions(spec: &BehaviorSpec) -> Vec<Instruction<'_>> {
    let traits = [
        ("personality.verbosity", "Verbosity", &spec.personality.verbosity),
        ("personality.formality", "Formality", &spec.personality.formality),
    ];
    let traits = traits.into_iter().map(|(field, name, text)| Instruction {
        field: field.into(),
        text,
        name: name.into(),
        forbids: false,
        rank: Rank::Personality,
    });
    let lists = [("never", "Never", &spec.never, true), ("always", "Always", &spec.always, false)];
    let rules = lists.into_iter().flat_map(|(path, title, rules, forbids)| {
        rules.iter().enumerate().map(move |(at, rule)| Instruction {
            field: format!("{path}.{at}.text"),
            text: &rule.text,
            name: format!("rule {} of {title}", at + 1),
            forbids,
            rank: if rule.hard { Rank::HardRule } else { Rank::SoftRule },
        })
    });
    let decisions = spec.decision_rules.iter().enumerate().map(|(at, rule)| Instruction {
        field: format!("decisionRules.{at}.action"),
        text: &rule.action,
        name: format!("decision rule {}", at + 1),
        forbids: false,
        rank: Rank::SoftRule,
    });
    traits.chain(rules).chain(decisions).collect()
}

impl Axis {
    fn side(&self, instruction: &Instruction<'_>) -> Option<Side> {
        let words = words(instruction.text);
        // "Concise unless asked to elaborate" is about being concise: for a trait, what follows "unless" is the
        // exception. A rule with such a word is left alone.
        let words = match instruction.rank {
            Rank::Personality => before_exception(&words),
            _ if UNSURE.iter().any(|word| has(&words, word)) => return None,
            _ => &words,
        };
        let is_its_trait = instruction.field == self.field;
        let side = match (self.one.are_in(words, is_its_trait), self.other.are_in(words, is_its_trait)) {
            (true, false) => Side::One,
            (false, true) => Side::Other,
            _ => return None,
        };
        Some(if instruction.forbids { side.opposite() } else { side })
    }
}

impl Words {
    fn are_in(&self, words: &str, in_trait: bool) -> bool {
        let traits = if in_trait { self.in_trait } else { &[] };
        self.anywhere.iter().chain(traits).any(|word| has(words, word))
    }
}

fn pull_apart(later: &Instruction<'_>, earlier: &Instruction<'_>) -> SpecProblem {
    let outcome = match later.rank.cmp(&earlier.rank) {
        std::cmp::Ordering::Less if earlier.rank == Rank::Personality => "Rules come before personality, so this wins.",
        std::cmp::Ordering::Less => "Hard rules come first, so this wins.",
        std::cmp::Ordering::Equal => "The earlier one wins.",
        std::cmp::Ordering::Greater => "Hard rules come first, so the other one wins.",
    };
    let message = format!("This pulls against {}: “{}”. {outcome}", earlier.name, earlier.text.trim());
    SpecProblem::warning(&later.field, message)
}

fn both_forbidden_and_asked(spec: &BehaviorSpec) -> Vec<SpecProblem> {
    let forbidden: Vec<_> = spec.never.iter().map(|rule| essence(&rule.text)).collect();
    spec.always
        .iter()
        .enumerate()
        .filter(|(_, rule)| !essence(&rule.text).is_empty())
        .filter_map(|(at, rule)| Some((at, forbidden.iter().position(|text| *text == essence(&rule.text))?)))
        .map(|(at, never)| {
            let message = format!("Rule {} of Never forbids exactly this.", never + 1);
            SpecProblem::warning(format!("always.{at}.text"), message)
        })
        .collect()
}

/// Lower-case words with one space around each, so that a word or a phrase can be looked up whole.
fn words(text: &str) -> String {
    let text = text.to_lowercase().replace('’', "'");
    let words: Vec<_> =
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

fn has(words: &str, phrase: &str) -> bool {
    words.contains(&format!(" {phrase} "))
}

fn before_exception(words: &str) -> &str {
    let cut = [" unless ", " except ", " but "].iter().filter_map(|word| words.find(word)).min();
    // The space that ends the last word stays.
    cut.map_or(words, |at| &words[..=at])
}

#[cfg(test)]
mod tests {
    use super::super::spec::{DecisionRule, Rule};
    use super::*;

    fn warnings(change: impl FnOnce(&mut BehaviorSpec)) -> Vec<(String, String)> {
        let mut spec = BehaviorSpec::default();
        change(&mut spec);
        lint(&spec).into_iter().map(|problem| (problem.field, problem.message)).collect()
    }

    fn one(field: &str, message: &str) -> Vec<(String, String)> {
        vec![(field.to_owned(), message.to_owned())]
    }

    #[test]
    fn a_decision_rule_that_pulls_against_the_personality_is_shown() {
        let found = warnings(|spec| {
            spec.personality.verbosity = "two short paragraphs at most".into();
            spec.decision_rules.push(DecisionRule::new("I ask for a plan", "explain every step in full"));
        });
        let message = "This pulls against Verbosity: “two short paragraphs at most”. \
                       Rules come before personality, so this wins.";
        assert_eq!(found, one("decisionRules.3.action", message));
    }

    #[test]
    fn two_rules_that_pull_apart_are_shown_at_the_later_one() {
        let found = warnings(|spec| {
            spec.personality.verbosity.clear();
            spec.always = vec![Rule::hard("Be concise"), Rule::hard("Explain everything in detail")];
        });
        assert_eq!(
            found,
            one("always.1.text", "This pulls against rule 1 of Always: “Be concise”. The earlier one wins.")
        );
    }

    #[test]
    fn a_forbidden_side_counts_as_the_other_side() {
        let found = warnings(|spec| {
            spec.never = vec![Rule::hard("Give short answers")];
            spec.always = Vec::new();
            spec.personality.verbosity = "brief".into();
        });
        let message = "This pulls against Verbosity: “brief”. Rules come before personality, so this wins.";
        assert_eq!(found, one("never.0.text", message));
    }

    #[test]
    fn the_same_thing_forbidden_and_asked_for_is_shown() {
        let found = warnings(|spec| spec.always.push(Rule::hard("pretend to be human.")));
        assert_eq!(found, one("always.3.text", "Rule 1 of Never forbids exactly this."));
    }

    #[test]
    fn what_words_cannot_tell_is_left_alone() {
        for rule in
            ["Do not explain in full", "Be brief, then explain in detail", "Avoid long answers", "Keep a detailed log"]
        {
            let found = warnings(|spec| spec.always.push(Rule::hard(rule)));
            assert_eq!(found, Vec::new(), "{rule}");
        }
    }
}
