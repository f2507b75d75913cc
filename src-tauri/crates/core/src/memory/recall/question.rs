//! A question, read once: what it asks for, of whom, of when, and what it is compared with.

use std::collections::HashSet;

use chrono::NaiveDate;
use rusqlite::Connection;

use crate::memory::index::terms;
use crate::memory::recall::asking::ASKING;
use crate::store::StoreError;
use crate::text;
use crate::text::period::{self, Period};

/// More terms than this do not make a question clearer.
pub const MOST_TERMS: usize = 16;
/// More of a long message is not read as a question.
const LONGEST: usize = 2_000;

/// A question to memory.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::memory) struct Question {
    /// What it asks for, without the names of speakers.
    pub terms: Vec<Asked>,
    /// Whom it is about: the speakers whom it names, else the person.
    pub speakers: Vec<String>,
    /// Whether it names nobody and speaks of the person.
    pub is_of_yours: bool,
    /// Whether it speaks to the assistant of what it said.
    pub speaks_to_assistant: bool,
    /// Whether it names a speaker.
    pub names_somebody: bool,
    /// Its text without the names of speakers, to be compared by meaning.
    pub text: String,
    /// Whether it is about the person themself.
    pub is_about_you: bool,
    /// The terms, as bits, that say what of the person's it asks about: "my old bike". By words alone, memory is silent where
    /// none of them is known.
    pub yours: u32,
    /// When it asks about.
    pub periods: Vec<Period>,
    /// What the answer is likely to hold.
    pub wants: Wants,
}

/// One term of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::memory) struct Asked {
    /// As it is indexed.
    pub term: String,
    /// The same as a number.
    pub key: u64,
    /// As it was typed.
    pub typed: String,
    /// Looked for as it stands, inside words too: the index does not know it.
    pub is_literal: bool,
    /// Written as a name, and not only because it begins the question.
    pub is_name: bool,
    /// Says when, and was read as a period: what was said then need not hold it.
    pub is_time: bool,
}

/// What the answer to a question is likely to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::memory) struct Wants {
    /// A time: "when".
    pub time: bool,
    /// A number: "how many".
    pub number: bool,
    /// A name: "who", "where", "which book".
    pub name: bool,
}

/// The first letter behind the Latin ones and their accents.
const NOT_LATIN: u32 = 0x370;

impl Question {
    /// Reads a question. Who speaks in memory is asked of the database.
    pub fn read(conn: &Connection, question: &str, today: NaiveDate) -> Result<Self, StoreError> {
        let question = &question[..question.floor_char_boundary(LONGEST)];
        Ok(Self::among(&speakers(conn)?, question, today))
    }

    /// Whether it has only common words and asks about the person: "what do you know about me?"
    pub fn asks_for_the_person(&self) -> bool {
        let is_common = |asked: &Asked| {
            asked.is_literal || text::is_stop_word(&asked.typed) || ASKING.common.contains(&asked.typed)
        };
        self.is_about_you && self.periods.is_empty() && self.terms.iter().all(is_common)
    }

    /// Whether its words alone say what is meant: one word is what somebody looks for, and the models of meaning read no other
    /// script than the Latin one.
    pub fn is_for_words(&self) -> bool {
        let letters = self.text.chars().filter(|c| c.is_alphabetic());
        let (latin, other): (Vec<char>, Vec<char>) = letters.partition(|c| (*c as u32) < NOT_LATIN);
        other.len() > latin.len() || self.text.split_whitespace().count() == 1
    }

    /// Whether it asks what something is called of which no word is known.
    pub fn asks_name_of_unknown(&self, held: impl Fn(u32) -> bool) -> bool {
        let tells = |asked: &&(usize, &Asked)| !asked.1.is_literal && !ASKING.called.contains(&asked.1.typed);
        let terms: Vec<(usize, &Asked)> = self.terms.iter().enumerate().collect();
        let wanted: u32 = terms.iter().filter(tells).map(|(at, _)| 1 << at).sum();
        terms.iter().any(|(_, asked)| ASKING.called.contains(&asked.typed)) && wanted != 0 && !held(wanted)
    }

    /// Whether it asks for a time and for nothing else: "what did we talk about last Tuesday?"
    pub fn asks_by_time(&self) -> bool {
        let is_common = |word: &str| ASKING.talk.contains(word) || text::is_stop_word(word);
        let is_said = |asked: &Asked| asked.is_time || is_common(&asked.typed);
        !self.periods.is_empty() && self.terms.iter().all(is_said)
    }

    fn among(speakers: &[String], question: &str, today: NaiveDate) -> Self {
        let words = text::words(question);
        let said: HashSet<&str> = words.iter().map(String::as_str).collect();
        let first_names: Vec<String> = speakers.iter().map(|name| first_name(name)).collect();
        let named: Vec<usize> = (0..speakers.len()).filter(|at| said.contains(first_names[*at].as_str())).collect();
        let is_about_you = is_about_you(&words);
        let cut: HashSet<&str> = named.iter().map(|at| first_names[*at].as_str()).collect();
        let mut who: Vec<String> = named.iter().map(|at| speakers[*at].clone()).collect();
        let says = |said: &HashSet<String>| words.iter().any(|word| said.contains(word));
        let is_of_yours = named.is_empty() && (says(&ASKING.oneself) || says(&ASKING.mine) || says(&ASKING.we));
        if named.is_empty() {
            who.push("user".to_owned());
        }
        let periods = period::periods(question, today);
        let mut terms = asked(question, &cut);
        let is_weekday = |word: &str| !period::periods(&format!("last {word}"), today).is_empty();
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let is_time = |word: &str| period::is_part_of_one(word) || is_weekday(word) || is_number(word);
        terms.iter_mut().for_each(|asked| asked.is_time = !periods.is_empty() && is_time(&asked.typed));
        Self {
            yours: yours(&words, &terms),
            terms,
            speakers: who,
            is_of_yours,
            speaks_to_assistant: asks_what_you_said(&words),
            names_somebody: !named.is_empty(),
            text: without(question, &cut),
            is_about_you,
            periods,
            wants: Wants::of(&words),
        }
    }
}

impl Wants {
    fn of(words: &[String]) -> Self {
        let pairs = |first: &str, seconds: &[&str]| {
            words.windows(2).any(|pair| pair[0] == first && seconds.contains(&pair[1].as_str()))
        };
        let named = ["name", "city", "country", "state", "book", "movie", "song", "game", "band"];
        let first = |at: usize| words.get(at).map_or("", String::as_str);
        let after_article = match (first(1), first(2)) {
            ("is" | "was", "the") => first(3),
            _ => first(1),
        };
        let what = ["date", "day", "month", "year", "time"];
        Self {
            time: words.iter().any(|word| matches!(word.as_str(), "when" | "wann" | "quand" | "cuando"))
                || pairs("what", &what)
                || pairs("which", &what)
                || pairs("how", &["long", "often"]),
            name: matches!(first(0), "who" | "where" | "which") || first(0) == "what" && named.contains(&after_article),
            number: pairs("how", &["many", "much", "often", "long", "old"]),
        }
    }
}

/// The terms of a question, each once. Where it has none, what was typed is looked for as it stands, so that "don't" finds
/// "don't".
fn asked(question: &str, cut: &HashSet<&str>) -> Vec<Asked> {
    let words = text::words(question);
    let is_name = |chunk: &&str| chunk.starts_with(char::is_uppercase);
    let names: Vec<String> = question.split_whitespace().skip(1).filter(is_name).flat_map(text::words).collect();
    let cut: HashSet<String> = cut.iter().map(|name| terms::stem(name)).collect();
    let mut asked: Vec<Asked> = Vec::new();
    for term in terms::terms(question) {
        if cut.contains(&term) || asked.iter().any(|known| known.term == term) {
            continue;
        }
        let typed = words.iter().find(|word| terms::stem(word) == term).cloned();
        let is_name = names.iter().any(|name| terms::stem(name) == term);
        let typed = typed.unwrap_or_else(|| term.clone());
        asked.push(Asked { key: terms::key(&term), typed, term, is_literal: false, is_name, is_time: false });
    }
    // Words that ask, in any language, say nothing beside others.
    if asked.iter().any(|asked| !text::is_stop_word(&asked.typed)) {
        asked.retain(|asked| !text::is_stop_word(&asked.typed));
    }
    asked.truncate(MOST_TERMS);
    let typed = question.trim();
    let says_something = typed.split_whitespace().any(|chunk| !text::is_stop_word(&bare(chunk)));
    if asked.is_empty() && cut.is_empty() && typed.chars().count() >= 3 && says_something {
        let term = text::fold(typed);
        let key = terms::key(&term);
        asked.push(Asked { key, term, typed: typed.to_owned(), is_literal: true, is_name: false, is_time: false });
    }
    asked
}

/// A word without the signs around it.
fn bare(chunk: &str) -> String {
    text::fold(chunk.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// The terms that follow "my", up to the next word that says nothing or asks for a name.
fn yours(words: &[String], asked: &[Asked]) -> u32 {
    let mut bits = 0;
    let mut is_mine = false;
    for word in words {
        let place = asked.iter().position(|asked| asked.typed == *word).filter(|_| !ASKING.called.contains(word));
        is_mine = ASKING.mine.contains(word) || is_mine && place.is_some();
        if let Some(place) = place.filter(|_| is_mine) {
            bits |= 1 << place;
        }
    }
    bits
}

/// A text without these words, and without what a possessive leaves of them.
fn without(question: &str, cut: &HashSet<&str>) -> String {
    if cut.is_empty() {
        return question.to_owned();
    }
    let kept = question.split_whitespace().filter(|chunk| {
        let words = text::words(chunk);
        !words.first().is_some_and(|first| cut.contains(first.as_str()) && words[1..].iter().all(|tail| tail == "s"))
    });
    kept.collect::<Vec<_>>().join(" ")
}

fn first_name(name: &str) -> String {
    text::words(name).into_iter().next().unwrap_or_default()
}

fn is_about_you(words: &[String]) -> bool {
    words.iter().any(|word| ASKING.oneself.contains(word) || word.starts_with('我'))
}

/// Whether a question speaks to the assistant of what it said or did: "what did you propose", and not "can you tell me".
fn asks_what_you_said(words: &[String]) -> bool {
    let is_you = |at: usize| ASKING.you.contains(&words[at]);
    let is_asked_to = |at: usize| at.checked_sub(1).is_some_and(|before| ASKING.can.contains(&words[before]));
    (0..words.len()).any(|at| is_you(at) && !is_asked_to(at))
}

/// Speakers that are looked at: transcripts of large groups would have more.
const MOST_SPEAKERS: u32 = 64;

/// Everybody who speaks in memory, beside the person and the assistant.
fn speakers(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "WITH RECURSIVE names (name) AS (
             SELECT min(speaker) FROM passages WHERE speaker <> 'user' AND speaker <> 'assistant'
             UNION ALL
             SELECT (SELECT min(speaker) FROM passages WHERE speaker > name AND speaker <> 'user' AND speaker <> 'assistant')
             FROM names WHERE name IS NOT NULL LIMIT {MOST_SPEAKERS}
         )
         SELECT name FROM names WHERE name IS NOT NULL"
    ))?;
    let speakers = statement.query_map([], |row| row.get("name"))?.collect::<Result<_, _>>()?;
    Ok(speakers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(question: &str) -> Question {
        let speakers = ["Mara".to_owned(), "Tom Berg".to_owned()];
        Question::among(&speakers, question, NaiveDate::from_ymd_opt(2026, 3, 2).unwrap())
    }

    #[test]
    fn names_of_speakers_say_who_spoke_and_not_what_about() {
        let question = read("When did Mara's sister meet Oslo's mayor?");
        assert_eq!(
            question.terms.iter().map(|term| term.term.as_str()).collect::<Vec<_>>(),
            ["sister", "meet", "oslo", "mayor"]
        );
        assert_eq!((question.speakers, question.is_of_yours), (vec!["Mara".to_owned()], false));
        assert_eq!(question.text, "When did sister meet Oslo's mayor?");
        assert_eq!(question.wants, Wants { time: true, number: false, name: false });
    }

    #[test]
    fn i_is_the_person() {
        let question = read("Where do I live?");
        assert_eq!((question.speakers, question.is_about_you), (vec!["user".to_owned()], true));
        assert!(!read("who lives in Oslo").is_of_yours);
    }

    #[test]
    fn what_is_asked_about_of_the_person_is_known() {
        let yours = |question: &str| {
            let question = read(question);
            let held = question.terms.iter().enumerate().filter(|(at, _)| question.yours & (1 << at) != 0);
            held.map(|(_, asked)| asked.typed.clone()).collect::<Vec<_>>()
        };
        assert_eq!(yours("What is my old bike called?"), ["old", "bike"]);
        assert_eq!(yours("Wo ist meine Katze, und wann frisst der Hund?"), ["katze"]);
        assert_eq!(yours("What is Oslo's river called?"), Vec::<String>::new());
    }

    #[test]
    fn what_has_no_terms_is_looked_for_as_it_stands() {
        let term = |typed: &str| Asked {
            key: terms::key(typed),
            term: typed.to_owned(),
            typed: typed.to_owned(),
            is_literal: true,
            is_name: false,
            is_time: false,
        };
        assert_eq!(read("don't").terms, [term("don't")]);
        assert_eq!(read("the").terms, []);
        assert_eq!(read("").terms, []);
        assert_eq!(read("Mara?").terms, []);
    }
}
