//! What somebody said or wrote down elsewhere, as candidates in its own words. Of conversations only what the person asked to
//! remember is one: the rest is found as what it is, messages.

use super::import::Line;
use crate::memory::fact::{FactDraft, Origin};
use crate::memory::relation::USER;
use crate::memory::writing::candidate::Candidate;
use crate::memory::writing::directive::{self, OrderKind};
use crate::memory::writing::paste;

/// How sure a candidate is that stands in somebody's own words elsewhere.
const READ: f64 = 0.7;
/// Why it is proposed, for the log of changes.
const WHY: &str = "it came with an import";

/// What the person asked to remember in a message.
pub(super) fn of_message(said: &str) -> Vec<Candidate> {
    let own = paste::split(said).own;
    let orders = directive::read(&own).orders;
    let asked = orders.into_iter().filter(|order| order.kind == OrderKind::Remember);
    asked.map(|order| Candidate::words(&own[order.object], Origin::Imported, READ, WHY)).collect()
}

/// A line that somebody wrote down to be remembered.
pub(super) fn of_line(line: &Line) -> Candidate {
    let words = Candidate::words(&line.text, Origin::Imported, READ, WHY);
    match entry(&line.text).filter(|_| line.about_person) {
        Some((name, value)) => {
            let draft = FactDraft { subject: USER.to_owned(), relation: name.to_lowercase(), value: value.to_owned() };
            Candidate { draft, ..words }
        }
        None => words,
    }
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

    fn told(candidate: Candidate) -> String {
        let FactDraft { subject, relation, value } = candidate.draft;
        format!("{subject} | {relation} | {value}")
    }

    #[test]
    fn of_a_conversation_only_what_was_to_be_remembered_is_a_candidate() {
        let said = |text: &str| of_message(text).into_iter().map(told).collect::<Vec<_>>();
        assert_eq!(said("Remember that box B is a Synology."), ["user | said | box B is a Synology"]);
        assert_eq!(said("I live in Porto. Which trains go to Lisbon?"), Vec::<String>::new());
    }

    #[test]
    fn a_line_that_was_written_down_stays_as_it_is() {
        let line = |text: &str, about_person| {
            told(of_line(&Line { text: text.to_owned(), at: None, file: "MEMORY.md".to_owned(), about_person }))
        };
        assert_eq!(line("User lives in Porto.", false), "user | said | User lives in Porto.");
        assert_eq!(line("Time zone: Europe/Lisbon", true), "user | time zone | Europe/Lisbon");
        assert_eq!(line("Name: Ana", false), "user | said | Name: Ana");
    }
}
