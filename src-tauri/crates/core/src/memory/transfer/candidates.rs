//! What somebody said or wrote down elsewhere, read as facts. It is read strictly: what is not a statement about the person or
//! theirs is no candidate, because a year of conversations is mostly about other things.

use chrono::{DateTime, FixedOffset};

use super::import::Line;
use crate::memory::fact::FactDraft;
use crate::memory::language::{
    relation::{self, USER},
    sentence::ASKED_TO_REMEMBER,
    statement, verb,
};
use crate::memory::writing::directive::{self, Directive};
use crate::memory::writing::paste;
use crate::text;

/// The most facts that one message gives: a longer list is a text about somebody.
const MOST: usize = 12;

/// The facts in a message of the person: what they asked to remember, and what they say of themself and theirs.
pub(super) fn of_message(said: &str, at: DateTime<FixedOffset>) -> Vec<FactDraft> {
    if let Some(Directive::Remember { facts, .. }) = directive::first(said, at) {
        return facts;
    }
    let own = paste::split(said).own;
    let stated = text::sentences(&own).into_iter().filter(|sentence| !sentence.ends_with(['?', '？', '؟', ':', '：']));
    let mut facts: Vec<FactDraft> =
        stated.flat_map(statement::read).filter(is_about_the_person).filter(lasts).collect();
    facts.truncate(MOST);
    facts
}

fn is_about_the_person(draft: &FactDraft) -> bool {
    let subject = relation::subject_key(&draft.subject, None);
    subject == USER
        || subject.starts_with("user's ")
        || relation::subject_key(&draft.value, None).starts_with("user's ")
}

/// Whether it says something that holds for longer than a conversation.
fn lasts(draft: &FactDraft) -> bool {
    #[rustfmt::skip]
    const PASSING: &[&str] = &[
        "wants", "needs", "hopes", "plans", "tries", "tried", "thinks", "thought", "gets", "got", "sees", "saw", "asks", "asked", "says", "said",
        "knows", "feels", "means", "runs", "ran", "makes", "made", "writes", "wrote", "finds", "found", "looks", "sends", "sent", "adds", "puts",
        "gives", "takes", "uses", "doesn't", "can", "can't", "asked", "understands", "wonders", "guesses", "believes", "agrees",
    ];
    let relation = draft.relation.to_lowercase();
    let first = relation.split(' ').next().unwrap_or_default();
    let keeps = ["can't stand", "doesn't eat", "doesn't drink", "doesn't like", "uses to"];
    if PASSING.contains(&first) && !keeps.iter().any(|known| relation.starts_with(known)) {
        return false;
    }
    // "Is trying to", "is looking at".
    let is_doing =
        relation.strip_prefix("is ").is_some_and(|rest| rest.split(' ').next().unwrap_or_default().ends_with("ing"));
    let value = draft.value.to_lowercase();
    let first = value.split(' ').next().unwrap_or_default();
    #[rustfmt::skip]
    const STATES: &[&str] = &[
        "sure", "sorry", "not", "glad", "happy", "done", "back", "ready", "confused", "stuck", "aware", "wondering", "curious", "able", "so", "very",
        "it", "this", "that", "fine", "ok", "okay", "here", "right", "wrong", "tired", "there",
    ];
    !is_doing
        && !(relation == "is" && (first.ends_with("ing") || STATES.contains(&first)))
        && !matches!(first, "it" | "this" | "that" | "them" | "these" | "those")
}

/// The facts in a line that somebody wrote down to be remembered. What is not understood is kept as it stands.
pub(super) fn of_line(line: &Line) -> Vec<FactDraft> {
    let said = about_the_person(&line.text);
    if let Some((name, value)) = entry(&said)
        && line.about_person
    {
        return vec![FactDraft { subject: USER.to_owned(), relation: name.to_lowercase(), value: value.to_owned() }];
    }
    let read: Vec<Vec<FactDraft>> = text::sentences(&said).into_iter().map(statement::read).collect();
    if !read.is_empty() && read.iter().all(|facts| !facts.is_empty()) {
        return read.concat();
    }
    vec![FactDraft { subject: USER.to_owned(), relation: ASKED_TO_REMEMBER.to_owned(), value: line.text.clone() }]
}

/// "The user lives in Porto", "Lives in Porto" and "User's dog is Rex", as the person would say it of themself.
fn about_the_person(line: &str) -> String {
    for (theirs, mine) in [("the user's ", "My "), ("user's ", "My "), ("your ", "My ")] {
        if let Some(rest) = strip_start(line, theirs) {
            return format!("{mine}{rest}");
        }
    }
    let rest =
        ["the user ", "user ", "you ", "they "].iter().find_map(|start| strip_start(line, start)).unwrap_or(line);
    let (first, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let lower = first.to_lowercase();
    let is_cut = rest.len() < line.len();
    let said = match lower.as_str() {
        "is" | "are" => Some("am"),
        "has" | "have" => Some("have"),
        "was" | "were" => Some("was"),
        "does" | "doesn't" => Some("don't"),
        _ => verb::base(&lower).filter(|base| is_cut || *base != lower),
    };
    match said {
        Some(said) if !after.is_empty() => format!("I {said} {after}"),
        _ if is_cut => format!("I {rest}"),
        _ => line.to_owned(),
    }
}

fn strip_start<'a>(line: &'a str, start: &str) -> Option<&'a str> {
    line.get(..start.len()).filter(|head| head.eq_ignore_ascii_case(start)).map(|_| &line[start.len()..])
}

/// "Name: Ana" as a name and its value.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(": ").or_else(|| line.split_once('：'))?;
    let (name, value) = (name.trim(), value.trim());
    let is_name = !name.is_empty() && name.split_whitespace().count() <= 4 && !name.contains(['.', ',', '/', '"']);
    (is_name && !value.is_empty()).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(drafts: Vec<FactDraft>) -> Vec<String> {
        drafts.into_iter().map(|draft| format!("{} | {} | {}", draft.subject, draft.relation, draft.value)).collect()
    }

    fn said(text: &str) -> Vec<String> {
        told(of_message(text, DateTime::parse_from_rfc3339("2025-05-01T12:00:00+00:00").unwrap()))
    }

    fn line(text: &str, about_person: bool) -> Vec<String> {
        told(of_line(&Line { text: text.to_owned(), at: None, file: "MEMORY.md".to_owned(), about_person }))
    }

    #[test]
    fn what_people_say_of_themselves_is_read_and_the_rest_of_a_conversation_is_not() {
        assert_eq!(said("I live in Porto. Which trains go to Lisbon?"), ["user | lives in | Porto"]);
        assert_eq!(said("Remember that box B is a Synology"), ["box B | is a | Synology"]);
        assert_eq!(said("my dog's name is Biscuit"), ["user's dog | name | Biscuit"]);
        for passing in [
            "I need to sort a list in Rust.",
            "I am trying to run this.",
            "I'm sure it works",
            "The function is a closure.",
            "Box B is a Synology.",
            "Do I live in Porto?",
            "I get this error: E0382",
            "I love it",
        ] {
            assert_eq!(said(passing), Vec::<String>::new(), "{passing}");
        }
    }

    #[test]
    fn a_line_that_was_written_down_is_about_the_person() {
        for (written, read) in [
            ("User lives in Porto.", "user | lives in | Porto"),
            ("The user lives in Porto", "user | lives in | Porto"),
            ("Lives in Porto", "user | lives in | Porto"),
            ("I live in Porto", "user | lives in | Porto"),
            ("Is allergic to peanuts.", "user | is allergic to | peanuts"),
            ("User's dog is named Rex", "user's dog | name | Rex"),
            ("Mara is a nurse", "Mara | is a | nurse"),
            (
                "Deploys go out on Tuesdays after the tests",
                "user | asked to remember | Deploys go out on Tuesdays after the tests",
            ),
        ] {
            assert_eq!(line(written, false), [read], "{written}");
        }
        assert_eq!(line("Name: Ana", true), ["user | name | Ana"]);
        assert_eq!(line("Name: Ana", false), ["user | asked to remember | Name: Ana"]);
        assert_eq!(line("Time zone: Europe/Lisbon", true), ["user | time zone | Europe/Lisbon"]);
    }
}
