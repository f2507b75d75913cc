//! What is being compared when two facts are compared: subjects, relations and values as keys.
//!
//! Invariant: keys only compare. What the person sees is always what was said, cleaned of stray spaces.

use crate::memory::fact::FactDraft;
use crate::memory::language::date;
pub use crate::memory::language::known_relations::Holds;
use crate::memory::language::{
    known_relations::{BEINGS, DIETS, FEELINGS, ONE_VALUE_ENDINGS, RELATIONS},
    text::{self, clean},
    verb::{self, Person, Tense},
};

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

/// A value as a key: its words in order, numbers as digits, without a leading article; a day of the calendar in one form.
/// Commas stay, because "Berlin, Germany" says where Berlin is.
pub fn value_key(value: &str) -> String {
    let parts = clean(value);
    if let Some(day) = date::day_key(&parts) {
        return day;
    }
    let keys: Vec<String> = parts.split([',', '，', '、', ';']).map(part_key).filter(|part| !part.is_empty()).collect();
    if keys.is_empty() { text::fold(parts.trim()) } else { keys.join(", ") }
}

fn part_key(part: &str) -> String {
    // Signs that make a difference ("C++", "-5", "50%") are part of the word.
    let words: Vec<String> = part
        .split_whitespace()
        .map(|word| {
            word.trim_matches(|c: char| {
                matches!(c, '.' | '!' | '?' | '"' | '\'' | '“' | '”' | '。' | '！' | '(' | ')' | ':')
            })
        })
        .filter(|word| !word.is_empty())
        .map(|word| text::digits(&text::fold(word)))
        .collect();
    let lead = words.iter().take_while(|word| ARTICLES.contains(&word.as_str())).count();
    // "A" alone, or as the last word, is a name.
    let lead = if lead == words.len() { 0 } else { lead };
    words[lead..].join(" ")
}

/// Words before a thing that do not change which thing it is.
#[rustfmt::skip]
const ARTICLES: &[&str] = &[
    "a", "an", "the", "ein", "eine", "einen", "der", "die", "das", "den", "dem", "une", "le", "la", "les", "una", "el", "los", "las", "uma", "il", "lo",
    "gli",
];

/// Whether two values of one relation are one value: equal; a place said once with and once without what it lies in; a
/// birthday with and without its year; things as one and as many. Names are never taken for plurals.
pub fn same_value(relation: &str, a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    match relation {
        "lives in" | "born in" | "from" => {
            let (a, b): (Vec<&str>, Vec<&str>) = (a.split(", ").collect(), b.split(", ").collect());
            let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
            long.starts_with(short) || long.ends_with(short)
        }
        "birthday" => {
            a.strip_prefix("--").is_some_and(|day| b.ends_with(day))
                || b.strip_prefix("--").is_some_and(|day| a.ends_with(day))
        }
        "age" => bare_age(a) == bare_age(b),
        "job" => bare_job(a) == bare_job(b),
        "allergic to" | "hobby" | "interested in" | "pet" | "has" | "eats" | "drinks" => singular(a) == singular(b),
        _ => false,
    }
}

/// "nurse" is meant by "working nurse", "nurse by profession" and "un infirmier" too.
fn bare_job(key: &str) -> &str {
    let key = ["working ", "professional ", "full-time ", "um ", "un "]
        .iter()
        .find_map(|lead| key.strip_prefix(lead))
        .unwrap_or(key);
    [" by profession", " by trade", " von beruf", " de metier", " de profesion"]
        .iter()
        .find_map(|end| key.strip_suffix(end))
        .unwrap_or(key)
        .trim()
}

fn bare_age(key: &str) -> &str {
    ["years old", "years", "year", "岁", "歳", "세", "살", "ans", "jahre alt", "jahre", "anos", "anni", "лет"]
        .iter()
        .find_map(|end| key.strip_suffix(end))
        .unwrap_or(key)
        .trim()
}

/// "41 years old", and not the number alone.
fn is_age(key: &str) -> bool {
    let bare = bare_age(key);
    bare.len() < key.len() && !bare.is_empty() && bare.bytes().all(|b| b.is_ascii_digit())
}

fn singular(key: &str) -> String {
    let one = |word: &str| match word.strip_suffix('s') {
        Some(rest) if word.len() > 3 && !rest.ends_with(['s', 'u', 'i']) => rest.to_owned(),
        _ => word.to_owned(),
    };
    key.split(' ').map(one).collect::<Vec<_>>().join(" ")
}

/// What every relation that says that something has ended begins with, as a key.
const NO_LONGER: &str = "no longer ";

/// For a relation that says that something has ended ("no longer works at", "used to live in", "stopped playing"): the key of
/// the relation that ended.
pub fn ended(relation: &str) -> Option<String> {
    ended_words(strip_be(&relation_words(relation)))
}

fn ended_words(words: &str) -> Option<String> {
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

fn without_sign_of_end(words: &str) -> Option<&str> {
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
mod tests {
    use super::*;

    fn key_of(subject: &str, relation: &str, value: &str) -> Key {
        key(&FactDraft { subject: subject.into(), relation: relation.into(), value: value.into() }, Some("Sam"))
    }

    #[test]
    fn nine_ways_to_say_where_one_lives_are_one_relation() {
        let first = key_of("user", "lives in", "Berlin");
        for (subject, relation, value) in [
            ("User", "home", "Berlin"),
            ("me", "is based in", "Berlin, Germany"),
            ("the user", "lives_in", "berlin"),
            ("I", "residence", "Berlin."),
            ("用户", "currently lives in", "Berlin"),
            ("Sam", "livesIn", "Berlin"),
            ("user", "living in", "“Berlin”"),
            ("user", "city", " Berlin "),
        ] {
            let other = key_of(subject, relation, value);
            assert_eq!((&other.subject, &other.relation), (&first.subject, &first.relation), "{relation}");
            assert!(same_value(&other.relation, &other.value, &first.value), "{value}");
            assert_eq!(other.holds, Holds::One);
        }
    }

    #[test]
    fn places_of_one_name_in_two_states_differ() {
        assert!(!same_value("lives in", &value_key("Portland, Oregon"), &value_key("Portland, Maine")));
        assert!(!same_value("likes", &value_key("tea"), &value_key("tea, green")));
        assert!(same_value("lives in", &value_key("Kreuzberg, Berlin"), &value_key("Berlin")));
    }

    #[test]
    fn values_that_differ_by_a_digit_a_sign_or_a_name_differ() {
        for (a, b) in
            [("12", "21"), ("C", "C++"), ("C#", "C++"), ("Anna", "Hannah"), ("-5", "5"), ("Mars", "Mar"), ("50%", "50")]
        {
            assert_ne!(value_key(a), value_key(b));
        }
        for (a, b) in
            [("a Synology NAS", "Synology NAS"), ("two dogs", "2 dogs"), ("Café", "cafe"), ("May 14th", "14 May")]
        {
            assert_eq!(value_key(a), value_key(b));
        }
        assert!(same_value("allergic to", &value_key("peanuts"), &value_key("Peanut")));
        assert!(same_value("birthday", &value_key("14 May 1990"), &value_key("May 14")));
        assert!(same_value("age", &value_key("forty-one years old"), &value_key("41")));
        assert!(!same_value("friend", &value_key("Williams"), &value_key("William")));
        assert!(!same_value("birthday", &value_key("14 May 1990"), &value_key("15 May")));
    }

    #[test]
    fn what_belongs_to_the_person_is_told_from_the_person() {
        assert_eq!(subject_key("my flight", None), "user's flight");
        assert_eq!(subject_key("The user’s flight", None), "user's flight");
        assert_eq!(subject_key("用户的航班", None), "user's 航班");
        assert_eq!(subject_key("Box A", None), "box a");
        assert_eq!(subject_key("Mara's husband", None), "mara's husband");
    }

    #[test]
    fn somebody_of_the_persons_is_one_fact_from_either_side() {
        let sister = key_of("Mara", "is", "my sister");
        assert_eq!(
            (sister.subject.as_str(), sister.relation.as_str(), sister.value.as_str()),
            ("user", "sister", "mara")
        );
        assert_eq!(sister, key_of("user", "sister", "Mara"));
        assert_eq!(sister, key_of("my sister", "name", "Mara"));
        assert_eq!(key_of("user", "dog's name", "Biscuit"), key_of("user's dog", "is called", "Biscuit"));
        assert_eq!(key_of("user", "has dog named", "Biscuit"), key_of("user", "dog name", "Biscuit"));
        assert_eq!(key_of("Anna", "dog's name", "Rex").subject, "anna's dog");
        assert_eq!(key_of("user", "has name", "Sam Jones").relation, "name");
    }

    #[test]
    fn a_feeling_is_one_value_however_it_is_said() {
        let loves = key_of("user", "opinion of jazz", "loves");
        assert_eq!(loves, key_of("user", "really likes", "Jazz"));
        let hates = key_of("user", "can't stand", "jazz");
        assert_eq!((loves.relation.as_str(), hates.relation.as_str()), ("opinion of jazz", "opinion of jazz"));
        assert_eq!((loves.value.as_str(), hates.value.as_str()), ("likes", "dislikes"));
        assert_eq!(loves.holds, Holds::One);
    }

    #[test]
    fn lists_hold_many_and_properties_hold_one() {
        for relation in ["speaks", "is allergic to", "has child", "is a", "owns", "gym locker"] {
            assert_eq!(key_of("user", relation, "x").holds, Holds::Many, "{relation}");
        }
        for relation in ["age", "role", "diet", "is on", "expires", "favorite colour", "shoe size", "married to"] {
            assert_ne!(key_of("user", relation, "x").holds, Holds::Many, "{relation}");
        }
        assert_eq!(key_of("user", "favorite color", "x").relation, key_of("user", "favourite color", "x").relation);
    }

    #[test]
    fn one_thing_said_in_other_words_and_languages_is_one_fact() {
        let same = |a: [&str; 2], b: [&str; 2]| {
            let (a, b) = (key_of("user", a[0], a[1]), key_of("user", b[0], b[1]));
            let kin = kin(&a.relation).contains(&b.relation.as_str());
            (a.relation == b.relation || kin) && same_value(&b.relation, &a.value, &b.value)
        };
        for (a, b) in [
            (["works as", "a nurse"], ["has a job as", "nurse"]),
            (["works as", "a nurse"], ["works", "as a nurse"]),
            (["is", "a nurse"], ["works as", "nurse"]),
            (["job", "nurse"], ["is employed as", "a nurse by profession"]),
            (["lives in", "Porto"], ["moved to", "Porto"]),
            (["lives in", "Porto"], ["lives", "in Porto"]),
            (["is allergic to", "nuts"], ["is", "allergic to nuts"]),
            (["works at", "Acme"], ["works", "at Acme"]),
            (["wohnt in", "Wien"], ["Wohnort", "Wien"]),
            (["arbeitet als", "Krankenpfleger"], ["Beruf", "Krankenpfleger"]),
            (["habite à", "Lyon"], ["ville", "Lyon"]),
            (["travaille comme", "infirmier"], ["métier", "infirmier"]),
            (["vive en", "Bogotá"], ["ciudad", "Bogotá"]),
            (["trabaja como", "enfermera"], ["profesión", "enfermera"]),
            (["mora em", "Lisboa"], ["cidade", "Lisboa"]),
            (["trabalha como", "enfermeira"], ["profissão", "enfermeira"]),
            (["住在", "东京"], ["居住地", "东京"]),
            (["职业", "护士"], ["从事", "护士"]),
            (["住んでいる", "大阪"], ["住所", "大阪"]),
            (["仕事", "看護師"], ["職業", "看護師"]),
            (["喜欢", "爵士乐"], ["opinion of 爵士乐", "likes"]),
            (["mag", "Jazz"], ["likes", "jazz"]),
        ] {
            assert!(same(a, b), "{a:?} {b:?}: {:?} {:?}", key_of("user", a[0], a[1]), key_of("user", b[0], b[1]));
        }
        for (a, b) in [
            (["works as", "a nurse"], ["works at", "Nurse"]),
            (["lives in", "Porto"], ["moved to", "Porto in 2010"]),
            (["lives in", "Porto"], ["was born in", "Porto"]),
            (["is", "in love"], ["lives in", "love"]),
        ] {
            assert!(!same(a, b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn an_end_names_what_ended() {
        assert_eq!(ended("no longer works at").as_deref(), Some("works at"));
        assert_eq!(ended("used to live in").as_deref(), Some("lives in"));
        assert_eq!(ended("works at"), None);
    }
}
