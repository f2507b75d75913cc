//! Whether a stored fact is the one that was expected, and whether it says it of the right polarity.

use std::sync::LazyLock;

use regex::Regex;

use crate::data::{Alternative, Annotated, Expected, Message, Speaker, Stored, Time};
use crate::text::{Borders, contains, find, fold, is_latin, matches, pattern};
use crate::words::{Kind, WORDS};

static ISO_DATE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:^|\D)(\d{4}-\d{2}-\d{2}|\d{4}-\d{2})(?:\D|$)"));

/// What the expected fact claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    Holds,
    /// It happened, or is timeless: it may be over.
    Happens,
    Not,
    Over,
    Likes,
    Dislikes,
}

impl Claim {
    fn expected(expected: &Expected) -> Self {
        let hint = &expected.relation_hint;
        match expected.time {
            _ if expected.negated => Self::Not,
            Time::Past => Self::Over,
            _ if hint.starts_with("likes") || hint.starts_with("prefers") => Self::Likes,
            _ if hint.starts_with("dislikes") => Self::Dislikes,
            Time::None => Self::Happens,
            Time::Current | Time::Future => Self::Holds,
        }
    }

    /// Whether its noun may stand in the relation: (user, has a dog, no).
    fn reaches_into_the_relation(self) -> bool {
        matches!(self, Self::Not | Self::Over | Self::Likes | Self::Dislikes)
    }
}

/// A stored fact, folded.
struct Folded<'a> {
    fact: &'a Stored,
    relation: String,
    value: String,
}

impl<'a> Folded<'a> {
    fn new(fact: &'a Stored) -> Self {
        Self { fact, relation: fold(&fact.relation), value: fold(&fact.value) }
    }

    fn whole(&self) -> String {
        format!("{} {}", self.relation, self.value)
    }

    /// Whether it says what was claimed. `beside` is what its value says beside the expected words.
    fn says(&self, claim: Claim, beside: &str, language: &str) -> bool {
        let (negated, over) = flags(self.fact);
        let text = format!("{} {beside}", self.relation);
        let has = |kind| WORDS.says(kind, &text, language);
        let denied = negated || has(Kind::Not);
        let disliked = || denied || has(Kind::Loathe);
        let gone = || over || has(Kind::Over);
        match claim {
            Claim::Likes => !disliked() && !over,
            Claim::Dislikes => disliked() || !has(Kind::Like),
            Claim::Not => denied || gone() || has(Kind::OverMaybe) || has(Kind::Loathe),
            Claim::Over => denied || gone() || has(Kind::OverMaybe),
            Claim::Happens => !denied,
            Claim::Holds => !denied && !gone(),
        }
    }
}

/// Whether a stored fact is this expected one: none where it is another, else whether its polarity is right.
pub fn match_fact(fact: &Stored, expected: &Expected, language: &str) -> Option<bool> {
    let (folded, claim) = (Folded::new(fact), Claim::expected(expected));
    let names = expected.subjects();
    let mut found = Vec::new();
    if agrees(&fact.subject, names) || (is_user(&fact.subject) && is_owner(&folded.relation, names)) {
        for value in expected.value_any.iter().map(|value| fold(value)) {
            if let Some(at) = find(&folded.value, &value, Borders::Loose) {
                found.push(folded.says(claim, &beside(&folded.value, at, &value), language));
            } else if claim.reaches_into_the_relation() && contains(&folded.relation, &value) {
                found.push(folded.says(claim, &folded.value, language));
            }
        }
        let date = expected.date.as_deref().filter(|date| is_on(date_of(fact).as_deref(), date));
        if found.is_empty() && date.is_some() {
            found.push(folded.says(claim, &folded.value, language));
        }
    }
    for alternative in &expected.or {
        found.extend(match_alternative(&folded, alternative, claim, language));
    }
    (!found.is_empty()).then(|| found.contains(&true))
}

fn match_alternative(folded: &Folded<'_>, other: &Alternative, claim: Claim, language: &str) -> Vec<bool> {
    if !agrees(&folded.fact.subject, &other.about_any) {
        return Vec::new();
    }
    let claim = match other.negated {
        None => Some(claim),
        Some(None) => None,
        Some(Some(true)) => Some(Claim::Not),
        Some(Some(false)) => Some(Claim::Holds),
    };
    let whole = folded.whole();
    let values = other.value_any.iter().map(|value| fold(value)).filter(|value| contains(&whole, value));
    let says =
        |value: String| claim.is_none_or(|claim| folded.says(claim, &folded.value.replacen(&value, " ", 1), language));
    values.map(says).collect()
}

/// Whether the message states a fact that nobody must keep, or an earlier message of the person says it.
pub fn is_neutral(fact: &Stored, message: &Message) -> bool {
    let folded = Folded::new(fact);
    let is_stated = || message.annotation.iter().any(|annotated| repeats(&folded, annotated, &message.lang));
    let said_before = || {
        let mut said = message.earlier.iter().filter(|said| said.role == Speaker::User);
        said.any(|said| contains(&fold(&said.text), &folded.value))
    };
    (!message.is_sensitive() && is_stated()) || (folded.value.chars().count() > 1 && said_before())
}

fn repeats(folded: &Folded<'_>, annotated: &Annotated, language: &str) -> bool {
    let quotes = annotated.stance == "quotes";
    let may_be_kept = match annotated.stance.as_str() {
        "states" | "denies" => true,
        _ => quotes && !is_user(&folded.fact.subject),
    };
    if !may_be_kept || !agrees(&folded.fact.subject, std::slice::from_ref(&annotated.about)) {
        return false;
    }
    let value = fold(&annotated.value);
    let at = find(&folded.value, &value, Borders::Loose);
    let is_part = || folded.value.chars().count() > 3 && contains(&value, &folded.value);
    if at.is_none() && !contains(&folded.relation, &value) && !is_part() {
        return false;
    }
    let claim = if annotated.change == "ended" || annotated.stance == "denies" { Claim::Not } else { Claim::Happens };
    let beside = at.map_or_else(|| folded.value.clone(), |at| beside(&folded.value, at, &value));
    quotes || folded.says(claim, &beside, language)
}

/// The forbidden string that a fact holds. An expected fact may name one beside its value ("moved from Rome to Oslo"), not in its
/// relation.
pub fn forbidden<'a>(fact: &Stored, message: &'a Message, is_expected: bool) -> Option<&'a str> {
    let folded = Folded::new(fact);
    let whole = folded.whole();
    if !message.is_sensitive() {
        let (negated, over) = flags(fact);
        let says = |kind| WORDS.says(kind, &whole, &message.lang);
        let is_current = !negated && !over && !says(Kind::Not) && !says(Kind::Over) && !says(Kind::OverMaybe);
        if !is_user(&fact.subject) || !is_current {
            return None;
        }
    }
    let text = if is_expected { &folded.relation } else { &whole };
    let holds = |string: &&String| find(text, &fold(string), Borders::Words).is_some();
    message.must_not.iter().find(holds).map(String::as_str)
}

/// The date of a fact: its own, or one in its value.
pub fn date_of(fact: &Stored) -> Option<String> {
    if let Some(date) = fact.date.as_deref().filter(|date| !date.is_empty()) {
        return Some(date.chars().take(10).collect());
    }
    ISO_DATE.captures(&fact.value).map(|found| found[1].to_owned())
}

/// Whether a date is the wanted one, or a day of the wanted month.
pub fn is_on(date: Option<&str>, wanted: &str) -> bool {
    date.is_some_and(|date| date.starts_with(wanted))
}

/// Whether the fields alone say that it does not hold, and that it is over.
fn flags(fact: &Stored) -> (bool, bool) {
    let over = fact.ended == Some(true)
        || fact.time.as_deref() == Some("past")
        || fact.current == Some(false)
        || fact.valid_to.as_deref().is_some_and(|to| !to.is_empty());
    (fact.negated == Some(true), over)
}

/// Whether a stored subject is one of these: `user`, or a name that stands in it as a word and owns nothing there ("user's sister
/// Mara" is Mara and is sister; "Mara's husband" and "husband of Mara" are not Mara).
fn agrees(subject: &str, names: &[String]) -> bool {
    let subject = fold(subject);
    if WORDS.user.contains(&subject) {
        return names.iter().any(|name| name == "user");
    }
    let subject = WORDS.possessive.replace(&subject, "").into_owned();
    let subject = WORDS.article.replace(&subject, "").into_owned();
    names.iter().map(|name| fold(name)).filter(|name| name != "user").any(|name| is_named(&subject, &name))
}

fn is_named(subject: &str, name: &str) -> bool {
    if subject == name || (subject.chars().count() >= 3 && find(name, subject, Borders::Words).is_some()) {
        return true;
    }
    let Some(at) = find(subject, name, Borders::Words) else { return false };
    let (before, after) = (&subject[..at], &subject[at + name.len()..]);
    !matches(&WORDS.genitive, after) && !matches(&WORDS.of, before)
}

fn is_user(subject: &str) -> bool {
    WORDS.user.contains(&fold(subject))
}

/// Whether a relation of the person names whom it is about: (user, daughter's diagnosis, coeliac).
fn is_owner(relation: &str, names: &[String]) -> bool {
    names.iter().map(|name| fold(name)).any(|name| {
        let shortest = if is_latin(&name) { 3 } else { 1 };
        name != "user" && name.chars().count() >= shortest && find(relation, &name, Borders::Words).is_some()
    })
}

/// The clause around a match, without the match: its own words are what was expected, whatever they are.
fn beside(value: &str, at: usize, needle: &str) -> String {
    clause(value, at).replacen(needle, " ", 1)
}

/// The clause of a value in which a match stands: "dark roast, no sugar" has two.
fn clause(value: &str, at: usize) -> &str {
    let (head, tail) = value.split_at(at);
    let mark = head
        .rfind([',', ';', '.', '،', '，', '、', '。', '('])
        .map(|mark| mark + head[mark..].chars().next().map_or(0, char::len_utf8));
    let but = head.rfind(" but ").map(|but| but + 1);
    let left = mark.max(but).unwrap_or(0);
    let end = tail.find([',', ';', '،', '，', '、', '。', ')']).map_or(value.len(), |end| at + end);
    &value[left..end]
}
