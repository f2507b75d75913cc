//! What a clause only supposes, plays with, or says of a few days.

use super::About;
use super::clause::{self, Clause};
use super::words::{
    CONDITIONS, FOR_DAYS, FOR_DAYS_UNSPACED, GOING_TO, JOKES, JOKES_UNSPACED, LASTING, NO_SUPPOSITION, SUPPOSING,
    SUPPOSING_UNSPACED, VISITING, VISITING_UNSPACED,
};
use crate::memory::language::{relation, verb};
use crate::text;

/// "Just kidding": what was said before was not meant.
pub(super) fn is_joke(sentence: &str) -> bool {
    let words = text::words(sentence);
    let is_meant = words.iter().any(|word| matches!(word.as_str(), "no" | "not"));
    let stands = |sign: &Vec<String>| words.starts_with(sign) || words.ends_with(sign);
    !is_meant && JOKES.iter().any(stands) || JOKES_UNSPACED.iter().any(|sign| sentence.contains(sign))
}

/// "If I lived in Rome", "I might move to Rome", unless the fact itself tells of the wish or of what is to come.
pub(super) fn is_supposed(clause: &Clause, about: &About<'_>) -> bool {
    let before = clause.before();
    if about.key.relation == "name" || is_to_come(about) || clause::has_any(before, &NO_SUPPOSITION) {
        return false;
    }
    let to_do = |at: usize| before.get(at + 2).and_then(|word| verb::base(word)).is_some();
    SUPPOSING.iter().any(|sign| clause::has(before, sign) && !about.says(sign))
        || GOING_TO.iter().any(|sign| clause::places(before, sign).any(to_do))
        || CONDITIONS.iter().any(|sign| before.starts_with(sign))
        || SUPPOSING_UNSPACED.iter().any(|sign| clause.folded.contains(sign))
}

/// Whether the fact is of what is to come: "is moving to", "will visit".
fn is_to_come(about: &About<'_>) -> bool {
    let relation = relation::relation_words(&about.draft.relation);
    let first = relation.split(' ').find(|word| !matches!(*word, "is" | "are" | "am")).unwrap_or_default();
    matches!(first, "will" | "plan" | "plans")
        || verb::base_of_gerund(first).is_some() && about.key.relation != "lives in"
}

/// "I'm in Rome this week" is no home, and one shift is no job.
pub(super) fn is_visit(clause: &Clause, about: &About<'_>) -> bool {
    const LAST: &[&str] = &["lives in", "job", "works at", "diet", "drives", "studies at", "partner"];
    let is_said = |signs: &[Vec<String>], unspaced: &[&str]| {
        clause::has_any(&clause.words, signs) || unspaced.iter().any(|sign| clause.folded.contains(sign))
    };
    let is_home = about.key.relation == "lives in";
    let lasts = |word: &String| LASTING.iter().flatten().any(|sign| word.starts_with(sign.as_str()));
    let for_days = LAST.contains(&about.key.relation.as_str()) && is_said(&FOR_DAYS, FOR_DAYS_UNSPACED);
    let stays = is_home && clause.words.iter().any(lasts);
    !stays && (for_days || is_home && is_said(&VISITING, VISITING_UNSPACED))
}
