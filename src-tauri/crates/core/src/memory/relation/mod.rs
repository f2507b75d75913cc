//! What is being compared when two facts are compared: subjects, relations and values as keys.
//!
//! [`known`] has the relations that Atlas knows, [`value`] the values.
//!
//! Invariant: keys only compare. What the person sees is always what was said.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::fact::FactDraft;
use crate::text::{self, clean};

pub(in crate::memory) mod known;
mod value;

pub use known::Holds;
use known::{after, by_words, has, known};
use value::{is_age, singular};
pub use value::{same_value, value_key};

/// The key of the person whom Atlas belongs to.
pub const USER: &str = "user";

/// The relation of words that are kept as they stand, without a structure.
pub const SAID: &str = "said";

/// Whether a fact says that something is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Polarity {
    /// It is so.
    #[default]
    Holds,
    /// It is not so.
    Denied,
    /// It was so and is over.
    Ended,
}

crate::store::text::stored_as_word!(Polarity);

/// A fact as keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Whom or what it is about.
    pub subject: String,
    /// The relation, synonyms made one.
    pub relation: String,
    /// The value.
    pub value: String,
    /// How many values the relation holds.
    pub holds: Holds,
}

impl Key {
    /// The same of another relation.
    pub fn of(&self, relation: &str) -> Self {
        Self { relation: relation.to_owned(), ..self.clone() }
    }
}

/// Puts a fact into keys. `person` is the person's own name, where it is known.
pub fn key(draft: &FactDraft, person: Option<&str>) -> Key {
    let subject = subject_key(&draft.subject, person);
    let (_, words) = polarity(&draft.relation);
    let (words, said) = joined(words, &draft.value);
    if let Some((thing, feeling)) = opinion(&words, &said) {
        return Key { subject, relation: format!("opinion of {thing}"), value: feeling, holds: Holds::One };
    }
    let (subject, words) = owned(subject, &words);
    let value = subject_of_value(&said, person).unwrap_or_else(|| value_key(&said));
    if let Some(kin) = relationship(&subject, &words, &value) {
        return kin;
    }
    let (relation, holds) = relation_key(&words);
    let (relation, holds) = match relation.as_str() {
        "is" if is_age(&value) => relation_key("age"),
        "is" | "eats" if has(&known().diets, &value) => relation_key("diet"),
        "phone" if value.bytes().filter(u8::is_ascii_digit).count() >= 6 => relation_key("phone number"),
        _ => (relation, holds),
    };
    Key { subject, relation, value, holds }
}

/// What a relation says of whether something is so, and the words of what it says it of: (no longer, works at). Feelings are no
/// denials: who "doesn't like" something dislikes it.
pub fn polarity(relation: &str) -> (Polarity, String) {
    let words = relation_words(relation);
    let bare = strip_be(&words);
    if has(&known().dislikes, bare) || has(&known().dislikes, &words) {
        return (Polarity::Holds, words);
    }
    if let Some(rest) = after(&known().base_ended, bare) {
        return (Polarity::Ended, third_person(rest));
    }
    if let Some(rest) = after(&known().base_denied, &words) {
        return (Polarity::Denied, third_person(rest));
    }
    if let Some(rest) = after(&known().ended, bare) {
        return (Polarity::Ended, rest.to_owned());
    }
    if let Some((key, _)) = known().ends.iter().find(|(_, verbs)| has(verbs, bare)) {
        return (Polarity::Ended, key.clone());
    }
    match after(&known().denied, &words) {
        Some(rest) => (Polarity::Denied, rest.to_owned()),
        None => (Polarity::Holds, words),
    }
}

/// "plays the cello" for "play the cello", as relations are written.
fn third_person(words: &str) -> String {
    let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
    let verb = match verb {
        "have" => "has".to_owned(),
        "be" => "is".to_owned(),
        _ if verb.ends_with(['s', 'x', 'o']) || verb.ends_with("ch") || verb.ends_with("sh") => format!("{verb}es"),
        _ => match verb.strip_suffix('y').filter(|start| !start.ends_with(['a', 'e', 'o', 'u'])) {
            Some(start) => format!("{start}ies"),
            None => format!("{verb}s"),
        },
    };
    format!("{verb} {rest}").trim_end().to_owned()
}

/// (works, as a nurse) is (works as, a nurse), and (is, allergic to nuts) is (is allergic to, nuts): words at the beginning of
/// the value that make a known relation belong to it. "Moved to Porto in 2010" is about that year, not about now.
fn joined(words: String, value: &str) -> (String, String) {
    let value = clean(value);
    let bare = strip_be(&words);
    let parts: Vec<&str> = value.split(' ').collect();
    for length in [2, 1] {
        if parts.len() <= length {
            continue;
        }
        let lead = text::fold(&parts[..length].join(" "));
        let whole = match (bare, length) {
            ("is", _) => lead.clone(),
            (_, 1) => format!("{bare} {lead}"),
            _ => continue,
        };
        let rest = parts[length..].join(" ");
        if (length == 2 || has(&known().leading, &lead)) && by_words(&whole).is_some() {
            return (whole, rest);
        }
        if length == 1 && matches!(lead.as_str(), "in" | "near") && relation_key(bare).0 == "lives in" {
            return (words, rest);
        }
    }
    if matches!(bare, "moved to" | "relocated to" | "has moved to") && tells_when(&value) {
        return ("once moved to".to_owned(), value);
    }
    (words, value)
}

/// Whether a value names a year, or how long ago it was.
fn tells_when(value: &str) -> bool {
    let is_year = |word: &String| word.len() == 4 && word.parse::<u32>().is_ok_and(|year| (1900..2100).contains(&year));
    let words = text::words(value);
    words.iter().any(is_year) || words.iter().any(|word| word == "ago")
}

/// (user, dog's name, Biscuit) is about the dog: the owner goes from the relation to the subject.
fn owned(subject: String, words: &str) -> (String, String) {
    if let Some((owner, relation)) = words.split_once("'s ") {
        return (format!("{subject}'s {owner}"), relation.to_owned());
    }
    let bare = words.strip_prefix("has ").unwrap_or(words);
    match bare.split_once(' ') {
        Some((being, "name" | "named" | "called")) if has(&known().beings, being) => {
            (format!("{subject}'s {being}"), "name".to_owned())
        }
        _ => (subject, words.to_owned()),
    }
}

/// Somebody of the person's, said from either side: "Mara is my sister", "my sister is Mara", "my sister's name is Mara".
fn relationship(subject: &str, words: &str, value: &str) -> Option<Key> {
    let (relation, _) = relation_key(words);
    let (being, who) = match (subject.strip_prefix("user's "), value.strip_prefix("user's ")) {
        (None, Some(being)) if relation == "is" && subject != USER => (being, subject),
        (Some(being), None) if relation == "name" && value != USER => (being, value),
        _ => return None,
    };
    has(&known().beings, being).then(|| {
        let (relation, holds) = relation_key(being);
        Key { subject: USER.to_owned(), relation, value: who.to_owned(), holds }
    })
}

/// Whom or what a fact is about, as a key. All names of the person are `user`, and theirs are `user's …`.
pub fn subject_key(subject: &str, person: Option<&str>) -> String {
    let folded = text::fold(&clean(subject));
    let mut bare = folded.trim().trim_end_matches(['.', ',', ':']).trim();
    bare = bare.strip_suffix("'s").unwrap_or(bare);
    for article in ["the ", "a ", "an "] {
        // "A" alone is a name; "the user" is not.
        bare = bare.strip_prefix(article).filter(|rest| !rest.is_empty()).unwrap_or(bare);
    }
    let person = person.map(|name| text::fold(&clean(name))).filter(|name| !name.is_empty());
    let first_name = person.as_deref().and_then(|name| name.split(' ').next());
    let is_user = |word: &str| has(&known().user, word) || person.as_deref() == Some(word) || first_name == Some(word);
    if is_user(bare) {
        return USER.to_owned();
    }
    if let Some(rest) = bare.strip_prefix("my ").or_else(|| bare.strip_prefix("your ")) {
        return format!("{USER}'s {}", rest.trim());
    }
    for mark in ["'s ", "的", "の"] {
        if let Some((owner, rest)) = bare.split_once(mark)
            && is_user(owner.trim())
            && !rest.trim().is_empty()
        {
            return format!("{USER}'s {}", rest.trim());
        }
    }
    bare.to_owned()
}

/// A relation as plain words: lower case, without fillers.
pub fn relation_words(relation: &str) -> String {
    let spaced: String = split_camel(&clean(relation)).replace(['_', '-', '/'], " ");
    let folded = text::fold(&spaced);
    let words: Vec<&str> = folded
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| matches!(c, '.' | ',' | ':' | '"')))
        .filter(|word| !word.is_empty() && !has(&known().fillers, word))
        .collect();
    words.join(" ").replace("favorite", "favourite").replace("color", "colour")
}

/// A relation as people write it: without underscores, not camel-cased, otherwise as it was said.
pub fn relation_words_for_people(relation: &str) -> String {
    clean(&split_camel(&clean(relation)).replace('_', " ")).trim_end_matches(':').to_owned()
}

/// The key of a relation, and how many values it holds.
fn relation_key(words: &str) -> (String, Holds) {
    let rest = strip_be(words);
    let bare = rest.strip_prefix("has ").or_else(|| rest.strip_prefix("have ")).unwrap_or(rest);
    let owned =
        ["owns ", "own "].iter().find_map(|owns| rest.strip_prefix(owns)).filter(|thing| has(&known().beings, thing));
    if let Some(relation) = by_words(rest).or_else(|| by_words(owned.unwrap_or(bare))) {
        return (relation.key.clone(), relation.holds);
    }
    let is_one = after(&known().one_value_beginnings, bare).is_some()
        || bare.contains(' ') && bare.rsplit(' ').next().is_some_and(|last| has(&known().one_value_endings, last));
    (bare.to_owned(), if is_one { Holds::One } else { Holds::Many })
}

/// A relation without "is" before or after other words; "is" where there is nothing else.
fn strip_be(words: &str) -> &str {
    let is_be = |word: &str| has(&known().be, word);
    let mut rest = words;
    while let Some((first, tail)) = rest.split_once(' ')
        && is_be(first)
    {
        rest = tail;
    }
    let rest = rest.strip_suffix(" is").unwrap_or(rest);
    if rest.is_empty() || is_be(rest) { "is" } else { rest }
}

/// A feeling about a thing, said either way: (likes, jazz) or (opinion of jazz, loves).
fn opinion(words: &str, value: &str) -> Option<(String, String)> {
    if let Some(thing) = after(&known().opinions, words) {
        let said = text::fold(&clean(value));
        let felt = feeling(said.trim_end_matches('.')).map_or_else(|| value_key(value), str::to_owned);
        return Some((singular(&value_key(thing)), felt));
    }
    Some((singular(&value_key(value)), feeling(words)?.to_owned()))
}

/// Which feeling these words of a relation tell: `likes` or `dislikes`.
pub fn feeling(words: &str) -> Option<&'static str> {
    if has(&known().likes, words) {
        return Some("likes");
    }
    has(&known().dislikes, words).then_some("dislikes")
}

/// The thing that an opinion is about, where the relation names it: "jazz" of "opinion of jazz".
pub fn thing_of(relation: &str) -> Option<&str> {
    known().opinions.iter().find_map(|start| relation.strip_prefix(start.as_str()))
}

/// The feeling that a fact tells in its value: (opinion of jazz, loves).
pub fn feeling_of(draft: &FactDraft) -> Option<&'static str> {
    after(&known().opinions, &relation_words(&draft.relation))?;
    feeling(&text::fold(&clean(&draft.value)))
}

/// A value that names the person or something of theirs.
fn subject_of_value(value: &str, person: Option<&str>) -> Option<String> {
    let key = subject_key(value, person);
    (key == USER || key.starts_with("user's ")).then_some(key)
}

/// What a relation is about, where it is a known one.
pub fn topic(key: &Key) -> Option<&'static str> {
    known().relations.iter().find(|known| known.key == key.relation)?.topic.as_deref()
}

/// Whether a relation tells of the conversation itself, or a subject is the assistant's own.
pub fn is_about_the_talk(key: &Key, relation: &str, agent: &str) -> bool {
    let owner = key.subject.split("'s ").next().unwrap_or(&key.subject);
    let agent = text::fold(agent);
    let words = relation_words(relation);
    let bare = strip_be(&words);
    let bare = bare.strip_prefix("has ").unwrap_or(bare);
    has(&known().assistant, owner)
        || (!agent.is_empty() && owner == agent)
        || (key.subject == USER && has(&known().talk, bare))
}

/// Whether a relation that holds one value can hold two for somebody who says so: two homes, two jobs, two favourites.
pub fn can_have_company(relation: &str) -> bool {
    matches!(relation, "lives in" | "job") || relation.starts_with("favourite ")
}

/// Relations that may say the same as another: "is a nurse" and "works as a nurse".
pub fn kin(relation: &str) -> &'static [&'static str] {
    match relation {
        "is" => &["job", "diet", "marital status"],
        "job" | "diet" | "marital status" => &["is"],
        _ => &[],
    }
}

/// The words for somebody of the person's in the languages that relations are known in: "daughter" is "Tochter" and "女儿".
pub fn words_for(being: &str) -> &'static [String] {
    by_words(being).filter(|_| has(&known().beings, being)).map_or(&[], |known| &known.words)
}

/// The relation's synonyms, to be found by: a question says "live", the fact says "home".
pub fn synonyms(key: &Key) -> &'static [String] {
    known().relations.iter().find(|known| known.key == key.relation).map_or(&[], |known| &known.words)
}

/// "livesIn" as "lives In"; "GitHub" and "fnOS" stay, because only a whole camel-cased word without spaces is a relation's
/// machine name.
fn split_camel(relation: &str) -> String {
    if relation.contains([' ', '_']) || !relation.starts_with(|c: char| c.is_ascii_lowercase()) {
        return relation.to_owned();
    }
    let mut out = String::new();
    for c in relation.chars() {
        if c.is_ascii_uppercase() {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests;
