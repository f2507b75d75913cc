//! What is being compared when two facts are compared: subjects, relations and values as keys.
//!
//! [`value`] has the values, [`ending`] the relations that say that another one is over.
//!
//! Invariant: keys only compare. What the person sees is always what was said, cleaned of stray spaces.

use crate::memory::fact::FactDraft;
pub use crate::memory::language::known_relations::Holds;
use crate::memory::language::{
    known_relations::{BEINGS, DIETS, FEELINGS, ONE_VALUE_ENDINGS, RELATIONS},
    verb::{self, Person, Tense},
};
use crate::text::{self, clean};

mod ending;
mod value;

pub use ending::{end_of, ended, is_negative, opposites};
use ending::{ended_words, without_sign_of_end};
use value::{is_age, singular};
pub use value::{same_value, value_key};

/// The key of the person whom Atlas belongs to.
pub const USER: &str = "user";

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

/// Words that do not change which relation it is.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "the", "a", "an", "currently", "current", "now", "presently", "still", "also", "really", "just", "recently",
    "usually", "actually", "his", "her", "its", "their", "my", "your", "user's",
];

impl Key {
    /// The same of another relation.
    pub fn of(&self, relation: &str) -> Self {
        Self { relation: relation.to_owned(), ..self.clone() }
    }
}

/// Puts a fact into keys. `person` is the person's own name, where it is known.
pub fn key(draft: &FactDraft, person: Option<&str>) -> Key {
    let subject = subject_key(&draft.subject, person);
    let (words, said) = joined(relation_words(&draft.relation), &draft.value);
    let draft = &FactDraft { value: said, ..draft.clone() };
    if let Some((thing, feeling)) = opinion(&words, &draft.value) {
        return Key { subject, relation: format!("opinion of {thing}"), value: feeling, holds: Holds::One };
    }
    let (subject, words) = owned(subject, &words);
    let value = match subject_of_value(&draft.value, person) {
        Some(user) => user,
        None => value_key(&draft.value),
    };
    if let Some(kin) = relationship(&subject, &words, &value) {
        return kin;
    }
    let (relation, holds) = relation_key(&words);
    let (relation, holds) = match relation.as_str() {
        "is" if is_age(&value) => relation_key("age"),
        "is" | "eats" if DIETS.contains(&value.as_str()) => relation_key("diet"),
        "phone" if value.bytes().filter(u8::is_ascii_digit).count() >= 6 => relation_key("phone number"),
        _ => (relation, holds),
    };
    Key { subject, relation, value, holds }
}

/// (works, as a nurse) is (works as, a nurse), and (is, allergic to nuts) is (is allergic to, nuts): words at the beginning of
/// the value that make a known relation belong to it. "Moved to Porto in 2010" is about that year, not about now.
fn joined(words: String, value: &str) -> (String, String) {
    let value = clean(value);
    let is_known = |words: &str| RELATIONS.iter().any(|r| r.key == words || r.words.contains(&words));
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
        if (length == 2 || LEADING.contains(&lead.as_str())) && is_known(&whole) {
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

/// Words at the beginning of a value that belong to the relation.
const LEADING: &[&str] =
    &["as", "at", "for", "in", "to", "from", "on", "als", "bei", "fur", "comme", "chez", "como", "de", "en", "em"];

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
        Some((being, "name" | "named" | "called")) if BEINGS.contains(&being) => {
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
    BEINGS.contains(&being).then(|| {
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
    let is_user = |word: &str| {
        const NAMES: &[&str] = &[
            "user",
            "me",
            "i",
            "myself",
            "you",
            "speaker",
            "the user",
            "this user",
            "human",
            "person",
            "用户",
            "我",
            "本人",
            "使用者",
            "ユーザー",
            "ユーザ",
            "私",
            "僕",
            "俺",
            "사용자",
            "나",
            "저",
            "ich",
            "je",
            "moi",
            "yo",
            "usuario",
            "utilisateur",
            "benutzer",
            "nutzer",
            "пользователь",
            "я",
            "المستخدم",
            "ผู้ใช้",
            "ฉัน",
        ];
        NAMES.contains(&word) || person.as_deref() == Some(word) || first_name == Some(word)
    };
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

/// A relation as plain words: lower case, without fillers and without the verb "to be" before another word.
pub fn relation_words(relation: &str) -> String {
    let spaced: String = split_camel(&clean(relation)).replace(['_', '-', '/'], " ");
    let folded = text::fold(&spaced);
    let words: Vec<&str> = folded
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| matches!(c, '.' | ',' | ':' | '"')))
        .filter(|word| !word.is_empty() && !FILLERS.contains(word))
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
    if let Some(ended) = ended_words(rest) {
        return (end_of(&ended), Holds::Many);
    }
    let bare = rest.strip_prefix("has ").or_else(|| rest.strip_prefix("have ")).unwrap_or(rest);
    let owned =
        ["owns ", "own "].iter().find_map(|owns| rest.strip_prefix(owns)).filter(|thing| BEINGS.contains(thing));
    for words in [rest, owned.unwrap_or(bare)] {
        if let Some(relation) = RELATIONS.iter().find(|r| r.key == words || r.words.contains(&words)) {
            return (relation.key.to_owned(), relation.holds);
        }
    }
    // "Is learning" is "learns", and "is working at" is known as such.
    let (first, tail) = bare.split_once(' ').unwrap_or((bare, ""));
    if let Some(third) =
        verb::base_of_gerund(first).and_then(|base| verb::conjugate(base, Person::They, Tense::Present))
        && rest.len() < words.len()
    {
        return relation_key(format!("{third} {tail}").trim_end());
    }
    let one_value = ["favourite ", "preferred ", "opinion of ", "opinion on ", "最喜欢的", "lieblings"]
        .iter()
        .any(|start| bare.starts_with(start))
        || ONE_VALUE_ENDINGS.iter().any(|end| bare.split(' ').next_back() == Some(*end) && bare.contains(' '));
    (bare.to_owned(), if one_value { Holds::One } else { Holds::Many })
}

/// A relation without "is" before or after other words; "is" where there is nothing else.
fn strip_be(words: &str) -> &str {
    let is_be = |word: &str| matches!(word, "is" | "are" | "am" | "was" | "were" | "be" | "been" | "being");
    let mut rest = words;
    while let Some((first, tail)) = rest.split_once(' ')
        && is_be(first)
    {
        rest = tail;
    }
    let rest = rest.strip_suffix(" is").unwrap_or(rest);
    if rest.is_empty() || is_be(rest) { "is" } else { rest }
}

/// How many values a relation holds, said in words.
pub fn holds(relation: &str) -> Holds {
    relation_key(&relation_words(relation)).1
}

/// A feeling about a thing, said either way: (likes, jazz) or (opinion of jazz, loves).
fn opinion(words: &str, value: &str) -> Option<(String, String)> {
    let feeling =
        |phrase: &str| FEELINGS.iter().find(|(_, said)| said.contains(&phrase)).map(|(kind, _)| (*kind).to_owned());
    let about = [
        "opinion of ",
        "opinion on ",
        "opinion about ",
        "feeling about ",
        "feelings about ",
        "attitude to ",
        "attitude towards ",
    ];
    if let Some(thing) = about.iter().find_map(|prefix| words.strip_prefix(prefix)) {
        let said = text::fold(&clean(value));
        return Some((
            singular(&value_key(thing)),
            feeling(said.trim_end_matches('.')).unwrap_or_else(|| value_key(value)),
        ));
    }
    let kind = feeling(words).or_else(|| match feeling(without_sign_of_end(words)?)?.as_str() {
        "likes" => Some("dislikes".to_owned()),
        _ => None,
    })?;
    Some((singular(&value_key(value)), kind))
}

/// A value that names the person or something of theirs.
fn subject_of_value(value: &str, person: Option<&str>) -> Option<String> {
    let key = subject_key(value, person);
    (key == USER || key.starts_with("user's ")).then_some(key)
}

/// Whether a relation makes a list of what somebody does or has: it is known as one, or begins with a verb.
pub fn is_list(relation: &str) -> bool {
    let first = relation.split(' ').next().unwrap_or(relation);
    let is_noun = relation == first && verb::is_noun_too(first);
    RELATIONS.iter().any(|known| known.key == relation && known.holds == Holds::Many)
        || BEINGS.contains(&relation)
        || (verb::base(first).is_some() && !is_noun)
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
pub fn words_for(being: &str) -> &'static [&'static str] {
    RELATIONS.iter().find(|known| known.key == being && BEINGS.contains(&being)).map_or(&[], |known| known.words)
}

/// The relation's synonyms, to be found by: a question says "live", the fact says "home".
pub fn synonyms(key: &Key) -> &'static [&'static str] {
    RELATIONS.iter().find(|r| r.key == key.relation).map_or(&[], |r| r.words)
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
