//! How a message stands to a fact that a model took from it: whether it says so, takes it back, tells of what once was, only
//! supposes it, or says it of somebody else. Pure.
//!
//! It looks at the clauses that name the value. What no clause names in these words is taken as stated: the rest of the gate
//! decides about that.

use crate::memory::fact::FactDraft;
use crate::memory::language::{
    known_relations::{BEINGS, FEELINGS},
    relation::{self, Key, USER},
    text,
    verb::{self, Person, Tense},
};

mod clause;
mod others;
mod words;

use clause::{Clause, clauses_about};
use words::{
    CONDITIONS, FOR_A_WHILE, FOR_A_WHILE_UNSPACED, JOKES, JOKES_UNSPACED, LASTING, NO_DENIAL, NOT, ONCE, ONCE_UNSPACED,
    OVER, OVER_AT_THE_END, SUPPOSING, SUPPOSING_UNSPACED,
};

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

/// How a message stands to a fact.
pub(in crate::memory) fn of(said: &str, draft: &FactDraft, key: &Key) -> Stance {
    let about = About::new(draft, key);
    let mut found = Vec::new();
    let sentences = text::sentences(said);
    for (at, sentence) in sentences.iter().enumerate() {
        let joked = sentences[at..].iter().take(2).any(|next| is_joke(next));
        for clause in clauses_about(sentence, &about) {
            let stance = if joked { Stance::Unsaid } else { of_clause(&clause, sentence, &about) };
            if stance == Stance::Stated {
                return Stance::Stated;
            }
            found.push(stance);
        }
    }
    found.first().copied().unwrap_or(Stance::Stated)
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
    if !is_opinion && is_supposed(clause, about) || others::say_it(clause, sentence, about) || is_visit(clause, about) {
        return Stance::Unsaid;
    }
    if is_opinion && about.key.value != "likes" || is_denial(about.draft) {
        return Stance::Stated;
    }
    match denial(clause, about) {
        Some(stance) => stance,
        None if !is_opinion && is_once(clause, about) => Stance::Once,
        None => Stance::Stated,
    }
}

/// What is dated says itself when it is.
fn is_event(key: &Key) -> bool {
    matches!(key.relation.as_str(), "on" | "due" | "expires" | "starts" | "ends" | "birthday" | "asked to remember")
}

/// Whether a fact itself says that something is not so.
fn is_denial(draft: &FactDraft) -> bool {
    const NO: &[&str] =
        &["no", "not", "never", "without", "kein", "keine", "nicht", "pas", "sin", "non", "nao", "не", "non"];
    let relation = relation::relation_words(&draft.relation);
    let value = text::fold(&draft.value);
    relation::is_negative(&relation)
        || relation::ended(&relation).is_some()
        || relation.split(' ').any(|word| NO.contains(&word) || word.ends_with("n't"))
        || value.split(' ').next().is_some_and(|first| NO.contains(&first))
        || ["不", "没", "없", "않", "ない"].iter().any(|no| draft.relation.contains(no))
}

fn is_joke(sentence: &str) -> bool {
    let words = text::words(sentence);
    let begins = |sign: &&str| words.starts_with(&text::words(sign)) || words.ends_with(&text::words(sign));
    JOKES.iter().any(|sign| begins(&sign)) || JOKES_UNSPACED.iter().any(|sign| sentence.contains(sign))
}

/// "If I lived in Rome", "I might move to Rome", unless the fact itself tells of the wish.
fn is_supposed(clause: &Clause, about: &About<'_>) -> bool {
    let is_own = |sign: &str| about.says(&text::words(sign));
    let before = &clause.words[..clause.at];
    let supposes = |sign: &&&str| clause::has(before, sign) && !is_own(sign);
    let begins = |sign: &&&str| before.first() == text::words(sign).first();
    SUPPOSING.iter().any(|sign| supposes(&sign))
        || CONDITIONS.iter().any(|sign| begins(&sign))
        || SUPPOSING_UNSPACED.iter().any(|sign| clause.folded.contains(sign))
}

/// "I'm in Rome this week" is no home, and one shift is no job.
fn is_visit(clause: &Clause, about: &About<'_>) -> bool {
    let lasts = ["lives in", "job", "works at", "diet", "drives", "studies at", "partner"];
    let for_a_while = FOR_A_WHILE.iter().any(|sign| clause::has(&clause.words, sign))
        || FOR_A_WHILE_UNSPACED.iter().any(|sign| clause.folded.contains(sign));
    let stays = |word: &String| LASTING.iter().any(|sign| word.starts_with(text::fold(sign).as_str()));
    lasts.contains(&about.key.relation.as_str())
        && for_a_while
        && !(about.key.relation == "lives in" && clause.words.iter().any(stays))
}

/// What a clause denies: a sign of denial before the value and nothing between them but words of the relation, or one that
/// ends the clause.
fn denial(clause: &Clause, about: &About<'_>) -> Option<Stance> {
    if NO_DENIAL.iter().any(|sign| clause::has(&clause.words, sign)) {
        return None;
    }
    if clause.is_unspaced {
        return clause::denial_unspaced(&clause.folded);
    }
    let denies = |sign: &&str| {
        let sign = text::words(sign);
        let ends: Vec<usize> = clause::places(&clause.words[..clause.at], &sign).map(|at| at + sign.len()).collect();
        let reaches = |end: &usize| clause.words[*end..clause.at].iter().all(|word| about.is_own(word));
        ends.iter().any(reaches) && !about.says(&sign)
    };
    let over_at_end = OVER_AT_THE_END.iter().any(|sign| {
        let sign = text::words(sign);
        let rest = clause.words.len().checked_sub(sign.len());
        rest.is_some_and(|rest| rest >= clause.after && clause.words.ends_with(&sign))
    });
    // "je ne travaille plus chez Acme".
    let is_french = ["ne", "n"].iter().any(|not| clause::has(&clause.words[..clause.at], not)) && denies(&"plus");
    let denied = NOT.iter().any(|sign| denies(sign));
    if is_french
        || OVER.iter().any(|sign| denies(sign))
        || denied && over_at_end
        || over_at_end && clause.has_only(about)
    {
        return Some(Stance::Over);
    }
    denied.then_some(Stance::Not)
}

/// "I lived in Rome", "as a child I lived in Rome"; but not "I have lived in Rome".
fn is_once(clause: &Clause, about: &About<'_>) -> bool {
    let tells_itself = relation::relation_words(&about.draft.relation);
    if verb::tells_of_the_past(&tells_itself) {
        return false;
    }
    let marked = ONCE.iter().any(|sign| clause::has(&clause.words, sign))
        || ONCE_UNSPACED.iter().any(|sign| clause.folded.contains(sign));
    let before = &clause.words[..clause.at];
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
        words
            .filter_map(|words| words.split(' ').next())
            .filter_map(verb::base)
            .any(|base| base != word && verb::conjugate(base, Person::They, Tense::Past).as_deref() == Some(word))
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
