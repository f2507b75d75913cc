//! Relations that say that another one has ended, or the contrary of it.

use super::{relation_key, relation_words, strip_be};
use crate::memory::language::verb::{self, Person, Tense};

/// What every relation that says that something has ended begins with, as a key.
const NO_LONGER: &str = "no longer ";

/// For a relation that says that something has ended ("no longer works at", "used to live in", "stopped playing"): the key of
/// the relation that ended.
pub fn ended(relation: &str) -> Option<String> {
    ended_words(strip_be(&relation_words(relation)))
}

pub(super) fn ended_words(words: &str) -> Option<String> {
    /// Verbs that end a state by themselves: who left a firm no longer works there.
    #[rustfmt::skip]
    const ENDING: &[(&str, &[&str])] = &[
        ("works at", &["left", "quit", "resigned from", "was fired from", "got fired from", "retired from"]),
        ("lives in", &["moved away from", "moved out of"]),
        ("spouse", &["divorced", "divorced from"]),
        ("partner", &["broke up with", "split up with"]),
        ("studies at", &["graduated from", "dropped out of"]),
    ];
    if let Some((key, _)) = ENDING.iter().find(|(_, verbs)| verbs.contains(&words)) {
        return Some((*key).to_owned());
    }
    let base = without_sign_of_end(words)?;
    let (first, rest) = base.split_once(' ').unwrap_or((base, ""));
    let third = verb::base(first)
        .or_else(|| verb::base_of_gerund(first))
        .and_then(|base| verb::conjugate(base, Person::They, Tense::Present));
    let base = third.map_or_else(|| base.to_owned(), |third| format!("{third} {rest}").trim_end().to_owned());
    Some(relation_key(&base).0)
}

pub(super) fn without_sign_of_end(words: &str) -> Option<&str> {
    #[rustfmt::skip]
    const SIGNS: &[&str] = &[
        NO_LONGER, "used to ", "formerly ", "previously ", "does not anymore ", "stopped ", "quit ", "gave up ", "given up ", "not anymore ",
        "former ", "previous ", "old ", "ex ", "cancelled ", "nicht mehr ", "ya no ", "nao mais ", "non piu ", "больше не ", "不再",
    ];
    SIGNS.iter().find_map(|sign| words.strip_prefix(sign))
}

/// The relation that says that another has ended: "no longer works at".
pub fn end_of(relation: &str) -> String {
    format!("{NO_LONGER}{relation}")
}

/// The relations that say the contrary of one: "doesn't eat" and "never eats" of "eats", and "eats" of those.
pub fn opposites(relation: &str) -> Vec<String> {
    const NEGATIONS: &[&str] = &["doesn't ", "does not ", "don't ", "do not ", "never "];
    let third = |base: &str| verb::conjugate(base, Person::They, Tense::Present);
    if let Some(positive) = NEGATIONS.iter().find_map(|not| relation.strip_prefix(not)) {
        return third(positive).map(|words| relation_key(&words).0).into_iter().collect();
    }
    let (verb, rest) = relation.split_once(' ').unwrap_or((relation, ""));
    let Some(base) = verb::base(verb) else { return Vec::new() };
    let with = |form: &str| format!("{form} {rest}").trim_end().to_owned();
    NEGATIONS.iter().map(|not| format!("{not}{}", with(if *not == "never " { verb } else { base }))).collect()
}

/// Whether a relation says that something is not so.
pub fn is_negative(relation: &str) -> bool {
    ["doesn't ", "does not ", "don't ", "do not ", "never "].iter().any(|not| relation.starts_with(not))
}
