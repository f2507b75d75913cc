//! How a message stands to a fact that a model took from it: whether it says so, takes it back, tells of what once was, only
//! supposes it, or says it of somebody else. Pure.
//!
//! It looks at the clauses that name the value. What no clause names in these words is taken as stated: the rest of the gate
//! decides about that.

use crate::memory::fact::FactDraft;
use crate::memory::language::{
    known_relations::{BEINGS, FEELINGS},
    relation::{self, Key, USER},
    verb::{self, Person, Tense},
};
use crate::text;

mod clause;
mod denial;
mod others;
mod supposed;
mod words;

use clause::{Clause, clauses_about};
use words::{ONCE, ONCE_UNSPACED};

/// How a message stands to what a candidate claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::memory) enum Stance {
    /// It says so, as far as can be told.
    Stated,
    /// It was so and is no longer: "I quit Acme".
    Over,
    /// It is not so: "I don't speak French".
    Not,
    /// It was so once: "back in 2019 I lived in Rome".
    Once,
    /// It is supposed, played with, said of somebody else, or holds for a few days only.
    Unsaid,
}

/// How a message stands to a fact; where no clause of it names the fact, how what was said before does.
pub(in crate::memory) fn of(said: &str, before: &str, draft: &FactDraft, key: &Key) -> Stance {
    let about = About::new(draft, key);
    of_text(said, &about).or_else(|| of_text(before, &about)).unwrap_or(Stance::Stated)
}

/// `None` where no clause names it. One that states it is enough.
fn of_text(said: &str, about: &About<'_>) -> Option<Stance> {
    let mut first = None;
    let sentences = text::sentences(said);
    for (at, sentence) in sentences.iter().enumerate() {
        let joked = sentences[at..].iter().take(2).any(|next| supposed::is_joke(next));
        for clause in clauses_about(sentence, about) {
            let stance = if joked { Stance::Unsaid } else { of_clause(&clause, sentence, about) };
            if stance == Stance::Stated {
                return Some(stance);
            }
            first = first.or(Some(stance));
        }
    }
    first
}

/// What a clause is compared with, prepared once.
pub(super) struct About<'a> {
    draft: &'a FactDraft,
    key: &'a Key,
    /// The words that name the fact: its value, or for an opinion what it is about.
    named: Vec<String>,
    /// As a whole, folded, for scripts without spaces.
    phrase: String,
    /// The words of the relation and of those that mean the same, as stems.
    own: Vec<String>,
}

impl<'a> About<'a> {
    fn new(draft: &'a FactDraft, key: &'a Key) -> Self {
        let phrase = key.relation.strip_prefix("opinion of ").unwrap_or(&draft.value).to_owned();
        let content = text::content(&phrase);
        let named = if content.is_empty() { stems(&phrase) } else { content };
        let mut own = stems(&draft.relation);
        relation::synonyms(key).iter().for_each(|synonym| own.extend(stems(synonym)));
        if key.relation.starts_with("opinion of ") {
            FEELINGS.iter().flat_map(|(_, words)| *words).for_each(|word| own.extend(stems(word)));
        }
        Self { draft, key, named, phrase: text::fold(&phrase), own }
    }

    /// Whether a word is of the relation, or says nothing.
    fn is_own(&self, word: &str) -> bool {
        let stem = text::stem(word);
        text::is_stop_word(word)
            || self.own.contains(&stem)
            || self.own.iter().any(|own| own.chars().count() >= 4 && shares_beginning(own, &stem))
    }

    fn says(&self, sign: &[String]) -> bool {
        let said = stems(&format!("{} {}", self.draft.relation, self.draft.value));
        sign.iter().any(|word| word.chars().count() > 2 && said.contains(&text::stem(word)))
    }
}

fn stems(said: &str) -> Vec<String> {
    text::words(said).iter().map(|word| text::stem(&text::digits(word))).collect()
}

/// "trabaja" and "trabajo", "arbeite" and "arbeitet".
fn shares_beginning(a: &str, b: &str) -> bool {
    let shared = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    shared >= 4 && shared + 2 >= a.chars().count().max(b.chars().count())
}

fn of_clause(clause: &Clause, sentence: &str, about: &About<'_>) -> Stance {
    if is_event(about.key) {
        return Stance::Stated;
    }
    let is_opinion = about.key.relation.starts_with("opinion of ");
    let is_supposed = !is_opinion && (supposed::is_supposed(clause, about) || supposed::is_visit(clause, about));
    if is_supposed || others::say_it(clause, sentence, about) {
        return Stance::Unsaid;
    }
    if is_opinion && about.key.value != "likes" || denial::is_denial(about.draft) {
        return Stance::Stated;
    }
    match denial::of(clause, about) {
        Some(stance) => stance,
        None if is_opinion => Stance::Stated,
        None => of_the_past(clause, about),
    }
}

/// "I lived in Rome" was so once; "I was in Rome" never made it a home.
fn of_the_past(clause: &Clause, about: &About<'_>) -> Stance {
    let was_there = about.key.relation == "lives in" && clause.before().iter().any(|word| word == "was");
    match is_once(clause, about) {
        true if was_there => Stance::Unsaid,
        true => Stance::Once,
        false => Stance::Stated,
    }
}

/// What is dated says itself when it is.
fn is_event(key: &Key) -> bool {
    matches!(key.relation.as_str(), "on" | "due" | "expires" | "starts" | "ends" | "birthday" | "asked to remember")
}

/// "I lived in Rome", "as a child I lived in Rome"; but not "I have lived in Rome".
fn is_once(clause: &Clause, about: &About<'_>) -> bool {
    let tells_itself = relation::relation_words(&about.draft.relation);
    if verb::tells_of_the_past(&tells_itself) {
        return false;
    }
    let in_a_year =
        |three: &[String]| three[0] == "back" && three[1] == "in" && three[2].bytes().all(|byte| byte.is_ascii_digit());
    let marked = clause::has_any(&clause.words, &ONCE)
        || clause.words.windows(3).any(in_a_year)
        || ONCE_UNSPACED.iter().any(|sign| clause.folded.contains(sign));
    let before = clause.before();
    let goes_on = before.iter().any(|word| matches!(word.as_str(), "have" | "ve" | "has" | "always"));
    let is_past = |at: usize| {
        let past = matches!(before[at].as_str(), "was" | "were") || about.has_past(&before[at]);
        past && before[at + 1..].iter().all(|word| about.is_own(word))
    };
    marked && !is_birth(before) || !goes_on && (0..before.len()).any(is_past) && !is_birth(before)
}

fn is_birth(words: &[String]) -> bool {
    words.iter().any(|word| matches!(word.as_str(), "born" | "geboren" | "named" | "called"))
}

impl About<'_> {
    /// Whether a word is the past of the relation's own verb, and not its present.
    fn has_past(&self, word: &str) -> bool {
        let words = relation::synonyms(self.key).iter().copied().chain([self.draft.relation.as_str()]);
        let first: Vec<&str> = words.filter_map(|words| words.split(' ').next()).collect();
        let is_past_of =
            |base: &str| base != word && verb::conjugate(base, Person::They, Tense::Past).as_deref() == Some(word);
        // "I turned 41": some relations are told in the past and hold now.
        !first.contains(&word) && first.into_iter().filter_map(verb::base).any(is_past_of)
    }
}

/// Whether it is about the person and about nobody of theirs.
fn is_about_me(key: &Key) -> bool {
    key.subject == USER && !is_somebody(&key.relation)
}

fn is_somebody(relation: &str) -> bool {
    const ALSO: &[&str] = &["spouse", "partner", "child", "pet", "friend", "boss", "name"];
    let first = relation.split(' ').next().unwrap_or(relation);
    ALSO.contains(&relation) || BEINGS.contains(&first) || relation.split(' ').any(|word| BEINGS.contains(&word))
}

#[cfg(test)]
mod tests;
