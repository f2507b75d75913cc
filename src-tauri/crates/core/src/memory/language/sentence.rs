//! A fact as one sentence for people: what the window shows, what the index holds, what the prompt says.
//!
//! Grammatical English for the relations that it knows, "Your gym locker is 12" for others, and for relations in other
//! scripts the words as they are. It never fails and never leaves anything out.

use chrono::NaiveDate;

use crate::memory::fact::FactDraft;
use crate::memory::language::{
    relation::{self, Holds, USER},
    verb::{self, Person, Tense},
};
use crate::text;
use crate::text::date;

/// Relations that keep a wish of the person whole.
pub const ASKED_TO_REMEMBER: &str = "asked to remember";

/// The sentence. `person` is the person's own name, where it is known.
pub fn sentence(fact: &FactDraft, person: Option<&str>) -> String {
    say(fact, person, Tense::Present)
}

/// The sentence as it reads on a given day: what is over by then is told as past and marked so.
pub fn sentence_on(fact: &FactDraft, person: Option<&str>, today: NaiveDate) -> String {
    if is_over(fact, today) {
        format!("{} (past)", say(fact, person, Tense::Past))
    } else {
        say(fact, person, Tense::Present)
    }
}

/// Whether the day that a fact is about is over.
pub fn is_over(fact: &FactDraft, today: NaiveDate) -> bool {
    let relation = relation::relation_words(&fact.relation);
    let lasts = ["birth", "born", "anniversary", "since", "founded", "name", "from", "geburtstag"];
    if lasts.iter().any(|word| relation.contains(word))
        || fact.value.contains(" since ")
        || verb::tells_of_the_past(&relation)
    {
        return false;
    }
    date::last_day(&fact.value).is_some_and(|day| day < today)
}

fn say(fact: &FactDraft, person: Option<&str>, tense: Tense) -> String {
    let subject_key = relation::subject_key(&fact.subject, person);
    let (subject, who) = match subject_key.strip_prefix("user's ") {
        _ if subject_key == USER => ("You".to_owned(), Person::You),
        Some(theirs) => (format!("Your {}", in_original_case(theirs, &fact.subject)), Person::They),
        None => (capitalised(&text::clean(&fact.subject)), Person::They),
    };
    let spoken = relation::relation_words_for_people(&fact.relation);
    let value = value_for_people(&fact.value, person);
    if spoken == ASKED_TO_REMEMBER {
        return match who {
            Person::You => format!("You asked me to remember: {value}"),
            Person::They => format!("{subject}: {value}"),
        };
    }
    special(&subject, who, &spoken, &value, tense)
        .or_else(|| with_verb(&subject, who, &spoken, &value, tense))
        .unwrap_or_else(|| with_noun(&subject, who, &spoken, &value, tense))
}

/// The relations whose sentence is not the words in a row.
fn special(subject: &str, who: Person, relation: &str, value: &str, tense: Tense) -> Option<String> {
    let lower = relation.to_lowercase();
    let be = verb::conjugate("is", who, tense)?;
    let years = value.strip_suffix(" years old").unwrap_or(value);
    if lower == "age" && years.bytes().all(|b| b.is_ascii_digit()) {
        return Some(format!("{subject} {be} {years} years old"));
    }
    if matches!(lower.as_str(), "works as" | "work as")
        && value.starts_with(char::is_lowercase)
        && !value.starts_with("a ")
        && !value.starts_with("an ")
    {
        return Some(format!("{subject} {} {} {value}", verb::conjugate(&lower, who, tense)?, article(value)));
    }
    if let Some(thing) = ["opinion of ", "opinion on "].iter().find_map(|prefix| lower.strip_prefix(prefix)) {
        let thing = &relation[relation.len() - thing.len()..];
        let feeling = verb::conjugate(&value.to_lowercase(), who, tense)?;
        return Some(format!("{subject} {feeling} {thing}"));
    }
    let had = lower.strip_prefix("has ").or_else(|| lower.strip_prefix("have "));
    if let Some(thing) = had.map(|thing| thing.strip_prefix("a ").or(thing.strip_prefix("an ")).unwrap_or(thing))
        && !thing.is_empty()
        && !["to", "been", "a", "an", "in", "on", "for", "of", "as", "at", "with"].contains(&thing.rsplit(' ').next()?)
    {
        if relation::holds(thing) == Holds::One {
            return Some(with_noun(subject, who, thing, value, tense));
        }
        let have = verb::conjugate("has", who, tense)?;
        let colon = if thing.ends_with(" named") || thing.ends_with(" called") { "" } else { ":" };
        return Some(match thing.ends_with('s') || thing.contains("children") {
            true => format!("{subject} {have} {thing}{colon} {value}"),
            false => format!("{subject} {have} {} {thing}{colon} {value}", article(thing)),
        });
    }
    None
}

fn article(thing: &str) -> &'static str {
    if thing.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

fn with_verb(subject: &str, who: Person, relation: &str, value: &str, tense: Tense) -> Option<String> {
    if verb::is_noun_too(&relation.to_lowercase()) {
        return None;
    }
    let said = verb::conjugate(relation, who, tense).or_else(|| bare_participle(relation, who, tense))?;
    let needs_on = value.starts_with(|c: char| c.is_ascii_digit())
        && date::begins_with_spoken_date(value)
        && !["on", "by", "at", "in", "for", "until", "till", "from", "since", "before", "after"]
            .contains(&said.rsplit(' ').next()?);
    Some(format!("{subject} {said} {}{value}", if needs_on { "on " } else { "" }))
}

/// "based in", "allergic to", "married to": the verb "to be" is understood.
fn bare_participle(relation: &str, who: Person, tense: Tense) -> Option<String> {
    let first = relation.split(' ').next()?;
    let known = [
        "based",
        "allergic",
        "married",
        "born",
        "interested",
        "located",
        "engaged",
        "employed",
        "called",
        "named",
        "living",
        "working",
        "studying",
        "afraid",
        "fond",
        "due",
        "from",
        "on",
        "at",
        "in",
    ];
    // "learning", "training for": something that goes on.
    let goes_on =
        first.len() > 5 && first.ends_with("ing") && !["evening", "morning", "wedding", "building"].contains(&first);
    (known.contains(&first) || goes_on).then(|| Some(format!("{} {relation}", verb::conjugate("is", who, tense)?)))?
}

fn with_noun(subject: &str, who: Person, relation: &str, value: &str, tense: Tense) -> String {
    if !relation.is_ascii() {
        return format!("{subject}: {relation} {value}");
    }
    let owner = match who {
        Person::You => "Your".to_owned(),
        Person::They => format!("{subject}'s"),
    };
    let last = relation.rsplit(' ').next().unwrap_or(relation);
    let many = last.ends_with('s') && !last.ends_with("ss") && !last.ends_with("us") && !last.ends_with("is");
    let be = match (many, tense) {
        (true, Tense::Present) => "are",
        (true, Tense::Past) => "were",
        (false, Tense::Present) => "is",
        (false, Tense::Past) => "was",
    };
    // "home is" already says it.
    let relation = relation.strip_suffix(" is").unwrap_or(relation);
    if let Some(ended) = relation.strip_prefix("no longer ") {
        return format!("{owner} {ended} {be} no longer {value}");
    }
    format!("{owner} {relation} {be} {value}")
}

/// The value with "your" for what belongs to the person, and dates as people write them.
fn value_for_people(value: &str, person: Option<&str>) -> String {
    let clean = text::clean(value);
    let key = relation::subject_key(&clean, person);
    let said = match key.strip_prefix("user's ") {
        Some(theirs) => format!("your {}", in_original_case(theirs, &clean)),
        None if matches!(clean.to_lowercase().as_str(), "user" | "the user" | "me") => "you".to_owned(),
        None => clean,
    };
    date::for_people(&said)
}

/// The end of `original` that a folded `part` came from, in its own case; `part` itself where they do not line up.
fn in_original_case(part: &str, original: &str) -> String {
    let chars: Vec<char> = original.trim().chars().collect();
    let wanted = part.chars().count();
    let tail: String = chars[chars.len().saturating_sub(wanted)..].iter().collect();
    if tail.to_lowercase() == part { tail } else { part.to_owned() }
}

fn capitalised(text: &str) -> String {
    // A name that is written small on purpose ("iPhone", "eBay") stays.
    let second_is_big = text.chars().nth(1).is_some_and(char::is_uppercase);
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if !second_is_big => first.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(subject: &str, relation: &str, value: &str) -> String {
        sentence(&FactDraft { subject: subject.into(), relation: relation.into(), value: value.into() }, Some("Sam"))
    }

    #[test]
    fn facts_are_sentences() {
        for (subject, relation, value, expected) in [
            ("user", "lives in", "Porto", "You live in Porto"),
            ("Mia", "gets", "carsick", "Mia gets carsick"),
            ("user's flight", "is on", "Friday", "Your flight is on Friday"),
            ("user", "favourite colour", "green", "Your favourite colour is green"),
            ("user", "name", "Sam", "Your name is Sam"),
            ("user", "age", "41", "You are 41 years old"),
            ("user", "is a", "nurse", "You are a nurse"),
            ("Mara", "is", "user's sister", "Mara is your sister"),
            ("user", "opinion of jazz", "loves", "You love jazz"),
            ("user", "likes", "tea", "You like tea"),
            ("user", "has child", "Leo", "You have a child: Leo"),
            ("user", "has name", "Sam", "Your name is Sam"),
            ("user", "has a job as", "a nurse", "You have a job as a nurse"),
            ("user", "has dog named", "Biscuit", "You have a dog named Biscuit"),
            ("user", "works as", "nurse", "You work as a nurse"),
            ("user", "has a dog", "Biscuit", "You have a dog: Biscuit"),
            ("user", "learning", "Portuguese", "You are learning Portuguese"),
            ("user", "training for", "a marathon", "You are training for a marathon"),
            ("user", "wedding", "in June", "Your wedding is in June"),
            ("user", "age", "41 years old", "You are 41 years old"),
            ("user", "hobbies", "chess and go", "Your hobbies are chess and go"),
            ("user", "is allergic to", "peanuts", "You are allergic to peanuts"),
            ("user", "was born in", "Kyoto", "You were born in Kyoto"),
            ("Anna", "birthday", "14 May", "Anna's birthday is 14 May"),
            ("box A", "is a", "fnOS NAS", "Box A is a fnOS NAS"),
            ("user", "lives_in", "Porto", "You live in Porto"),
            ("user", "home", "Berlin", "Your home is Berlin"),
            ("Sam", "based in", "Berlin", "You are based in Berlin"),
            ("user's visa", "expires", "2026-03-16", "Your visa expires on 16 March 2026"),
            ("user", "asked to remember", "water the plants", "You asked me to remember: water the plants"),
            ("用户", "患有", "糖尿病", "You: 患有 糖尿病"),
            ("ميا", "تسكن في", "بيروت", "ميا: تسكن في بيروت"),
        ] {
            assert_eq!(said(subject, relation, value), expected);
        }
    }

    #[test]
    fn what_is_over_is_told_as_past() {
        let today = NaiveDate::from_ymd_opt(2026, 3, 20).unwrap();
        let on = |subject: &str, relation: &str, value: &str| {
            sentence_on(
                &FactDraft { subject: subject.into(), relation: relation.into(), value: value.into() },
                None,
                today,
            )
        };
        assert_eq!(on("demo", "is on", "2026-03-03"), "Demo was on 3 March 2026 (past)");
        assert_eq!(on("user's visa", "expires", "2026-03-16"), "Your visa expired on 16 March 2026 (past)");
        assert_eq!(on("demo", "is on", "2026-03-20"), "Demo is on 20 March 2026");
        assert_eq!(on("user", "birthday", "1990-05-14"), "Your birthday is 14 May 1990");
        assert_eq!(on("user", "moved to", "Porto on 2020-01-02"), "You moved to Porto on 2 January 2020");
    }
}
