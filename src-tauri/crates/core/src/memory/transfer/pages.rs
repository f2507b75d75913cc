//! Memory as pages for people and for other tools: MEMORY.md, USER.md, and the episodes by month. Sorted, dated and stable:
//! the same memory is the same bytes.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;

use chrono::Datelike;

use super::archive::{Archive, ArchivedEpisode, ArchivedFact};
use crate::memory::episode::EpisodeKind;
use crate::memory::fact::Origin;
use crate::memory::relation::{self, USER};

/// A page, and where it stands in its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePage {
    /// Its place: "episodes/2026-03.md".
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What Atlas knows about the person, as a page.
pub fn user_page(archive: &Archive) -> String {
    let about = |fact: &&ArchivedFact| is_about_person(fact);
    let mut facts: Vec<&ArchivedFact> = current(archive).filter(about).collect();
    facts.sort_by_key(|fact| (!fact.pinned, fact.recorded_at, fact.id));
    let mut page = format!("# {}\n\nWhat {} knows about you.\n", "About you", archive.agent);
    section(&mut page, "", facts.iter().map(|fact| fact_line(fact)));
    page
}

/// What else it knows, by whom it is about.
pub fn memory_page(archive: &Archive) -> String {
    let mut by_subject: BTreeMap<String, Vec<&ArchivedFact>> = BTreeMap::new();
    for fact in current(archive).filter(|fact| !is_about_person(fact)) {
        by_subject.entry(relation::subject_key(&fact.subject, None)).or_default().push(fact);
    }
    let mut page = format!("# Memory\n\nWhat {} knows besides.\n", archive.agent);
    for facts in by_subject.values_mut() {
        facts.sort_by_key(|fact| (!fact.pinned, fact.recorded_at, fact.id));
        let name = facts.last().map(|fact| one_line(&fact.subject)).unwrap_or_default();
        section(&mut page, &name, facts.iter().map(|fact| fact_line(fact)));
    }
    page
}

/// All pages of a memory.
pub fn pages(archive: &Archive) -> Vec<FilePage> {
    let mut pages = vec![
        FilePage { path: "MEMORY.md".to_owned(), text: memory_page(archive) },
        FilePage { path: "USER.md".to_owned(), text: user_page(archive) },
    ];
    let mut months: BTreeMap<(i32, u32), Vec<&ArchivedEpisode>> = BTreeMap::new();
    for episode in &archive.episodes {
        months.entry((episode.at.year(), episode.at.month())).or_default().push(episode);
    }
    for ((year, month), episodes) in &mut months {
        episodes.sort_by_key(|episode| (episode.at, episode.id));
        let mut text = format!("# {}\n", episodes[0].at.format("%B %Y"));
        section(&mut text, "", episodes.iter().map(|episode| episode_line(episode)));
        pages.push(FilePage { path: format!("episodes/{year:04}-{month:02}.md"), text });
    }
    if !archive.procedures.is_empty() {
        let mut text = "# Procedures\n\nWhat helped when something failed.\n".to_owned();
        let lines = archive.procedures.iter().map(|procedure| {
            let tried = procedure.successes + procedure.failures;
            format!(
                "{} → {} (helped {} of {tried} times)",
                one_line(&procedure.trigger),
                one_line(&procedure.strategy),
                procedure.successes
            )
        });
        section(&mut text, "", lines);
        pages.push(FilePage { path: "PROCEDURES.md".to_owned(), text });
    }
    pages
}

fn current(archive: &Archive) -> impl Iterator<Item = &ArchivedFact> {
    archive.facts.iter().filter(|fact| fact.retired_at.is_none())
}

fn is_about_person(fact: &ArchivedFact) -> bool {
    let subject = relation::subject_key(&fact.subject, None);
    subject == USER || subject.starts_with("user's ")
}

/// A heading with its lines. Words over which several facts stand are one line.
fn section(page: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    if !heading.is_empty() {
        let _ = write!(page, "\n## {heading}\n");
    }
    page.push('\n');
    let mut told = HashSet::new();
    for line in lines.filter(|line| told.insert(line.clone())) {
        let _ = writeln!(page, "- {line}");
    }
}

/// "2026-03-02: I live in Porto": the person's words and their day. What they did not say themself is marked.
fn fact_line(fact: &ArchivedFact) -> String {
    let origin = match fact.origin {
        Origin::Said => "",
        Origin::Inferred => " (inferred)",
        Origin::Imported => " (imported)",
        Origin::Document => " (from a document)",
    };
    let said_at = fact.said_at.unwrap_or(fact.recorded_at);
    format!("{}: {}{origin}", said_at.format("%Y-%m-%d"), one_line(&fact.quote))
}

fn episode_line(episode: &ArchivedEpisode) -> String {
    let kind = match episode.kind {
        EpisodeKind::Note => "",
        EpisodeKind::Summary => " (summary)",
    };
    format!("{}: {}{kind}", episode.at.format("%Y-%m-%d"), one_line(&episode.text))
}

/// A memory is untrusted text: it stays on its line, and begins no heading, comment or fence.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace("<!--", "<\\!--").replace("```", "\\`\\`\\`")
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::memory::episode;
    use crate::memory::history::pin;
    use crate::memory::testing::Memory;
    use crate::memory::transfer::archive;

    #[test]
    fn pages_are_sorted_dated_and_stable() {
        let mut memory = Memory::new();
        memory.say("I live in Porto. I drink tea.", &[["user", "lives in", "Porto"], ["user", "drinks", "tea"]]);
        memory.later(TimeDelta::days(1));
        memory
            .say("I moved to Lyon, and my dog is Rex", &[["user", "lives in", "Lyon"], ["user's dog", "name", "Rex"]]);
        memory.state("Zoe likes\n# jam", ["Zoe", "likes", "jam"]);
        let (message, conversation, now) = (memory.message("x"), memory.conversation(), memory.utc());
        let tea = memory.search("tea")[0].id;
        memory.write(|tx| {
            episode::add_note(tx, conversation, message, "moved\n# house", now).unwrap();
            episode::replace_summary(tx, conversation, "The move.", now + TimeDelta::days(40)).unwrap();
            pin::fact(tx, tea, true, now).unwrap();
        });
        let read = |memory: &Memory| pages(&archive::collect(&memory.conn, "Atlas", memory.utc()).unwrap());
        let written = read(&memory);
        let page = |path: &str| written.iter().find(|page| page.path == path).unwrap().text.as_str();
        assert_eq!(
            page("USER.md"),
            "# About you\n\nWhat Atlas knows about you.\n\n- 2026-03-02: I drink tea.\n- 2026-03-03: I moved to Lyon\n- 2026-03-03: and my dog is Rex\n"
        );
        assert_eq!(
            page("MEMORY.md"),
            "# Memory\n\nWhat Atlas knows besides.\n\n## Zoe\n\n- 2026-03-03: Zoe likes # jam\n"
        );
        assert_eq!(page("episodes/2026-03.md"), "# March 2026\n\n- 2026-03-03: moved # house\n");
        assert_eq!(page("episodes/2026-04.md"), "# April 2026\n\n- 2026-04-12: The move. (summary)\n");
        memory.later(TimeDelta::days(3));
        assert_eq!(read(&memory), written);
    }
}
