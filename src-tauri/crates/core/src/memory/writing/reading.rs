//! How a sentence is meant, by its words alone: for models that propose bare facts and say nothing of what they read. It only ever
//! makes a proposal smaller; what it cannot tell it leaves as it was proposed.

use super::annotation::Stance;
use crate::memory::relation::Polarity;
use crate::text;
use crate::text::lexicon::{self, Lexicon};

/// What the words of a sentence say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    /// How it is meant.
    pub stance: Stance,
    /// Whether it says that something is so.
    pub polarity: Polarity,
    /// It tells of a change: "now", "again".
    pub tells_change: bool,
    /// It comes beside what is known: "also".
    pub adds: bool,
    /// It tells of a feeling for something, or against it.
    pub feels: Option<&'static str>,
    /// Somebody speaks of themself.
    pub speaks_of_oneself: bool,
    /// It speaks of somebody who was named before, and not of the person.
    pub is_about_another: bool,
}

/// Reads a clause of a sentence, in the languages that its message may be in. Whether it is asked or only supposed is for the
/// whole sentence to say.
pub(super) fn read(clause: &str, sentence: &str, message: &str) -> Reading {
    let lexicons: Vec<&Lexicon> = lexicon::of_text(message).collect();
    let (said, whole) = (Said::of(clause), Said::of(sentence));
    let any = |list: fn(&Lexicon) -> &Vec<String>| lexicons.iter().any(|lexicon| said.holds(list(lexicon)));
    let tells_of = |part: &Said, list: &Vec<String>| part.begins(list) || part.ends(list);
    let asks = |part: &Said| {
        lexicons.iter().any(|Lexicon { stance, .. }| {
            part.holds(&stance.asking_anywhere) || tells_of(part, &stance.asking) || tells_of(part, &stance.request)
        })
    };
    let is_question = clause.trim_end().ends_with(['?', '？', '؟']) || [&said, &whole].into_iter().any(asks);
    let is_supposed = lexicons.iter().any(|lexicon| whole.holds(&lexicon.stance.supposed));
    let stance = match () {
        () if is_question => Stance::Asks,
        () if is_supposed => Stance::Supposes,
        () => Stance::States,
    };
    let polarity = match () {
        () if any(|lexicon| &lexicon.stance.ended) => Polarity::Ended,
        () if any(|lexicon| &lexicon.stance.negation) => Polarity::Denied,
        () => Polarity::Holds,
    };
    let is_disliked = lexicons.iter().any(|lexicon| whole.holds(&lexicon.stance.dislike));
    let feels = match () {
        () if any(|lexicon| &lexicon.stance.dislike) || is_disliked && !any(|lexicon| &lexicon.stance.like) => {
            Some("dislikes")
        }
        () if any(|lexicon| &lexicon.stance.like) => Some("likes"),
        () => None,
    };
    let speaks_of = |list: fn(&Lexicon) -> &Vec<String>| lexicons.iter().any(|lexicon| whole.holds(list(lexicon)));
    Reading {
        stance,
        polarity,
        tells_change: any(|lexicon| &lexicon.stance.change),
        adds: any(|lexicon| &lexicon.stance.addition),
        feels,
        speaks_of_oneself: any(|lexicon| &lexicon.stance.first_person),
        is_about_another: speaks_of(|lexicon| &lexicon.stance.third_person)
            && !speaks_of(|lexicon| &lexicon.stance.first_person),
    }
}

/// A sentence, ready to be looked at for words.
struct Said {
    folded: String,
    words: Vec<String>,
}

/// As many words may stand in a gap of a phrase.
const GAP: usize = 3;

impl Said {
    fn of(sentence: &str) -> Self {
        let folded = text::fold(sentence);
        let words = folded
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .map(|word| word.trim_matches('\'').to_owned())
            .filter(|word| !word.is_empty())
            .collect();
        Self { folded, words }
    }

    /// Whether one of the phrases stands somewhere. `*` ends the beginning of a word, or stands for a few words.
    fn holds(&self, list: &[String]) -> bool {
        list.iter().any(|sign| match sign.chars().any(text::is_unspaced) {
            true => in_order(&self.folded, sign),
            false => {
                let phrase: Vec<&str> = sign.split(' ').collect();
                (0..self.words.len()).any(|at| stands_at(&self.words[at..], &phrase))
            }
        })
    }

    fn begins(&self, list: &[String]) -> bool {
        list.iter().any(|sign| match sign.chars().any(text::is_unspaced) {
            true => self.folded.trim_start().starts_with(sign.as_str()),
            false => stands_at(&self.words, &sign.split(' ').collect::<Vec<_>>()),
        })
    }

    /// Where the verb stands last, so does what tells a question or a request.
    fn ends(&self, list: &[String]) -> bool {
        let end = self.folded.trim_end_matches(|c: char| !c.is_alphanumeric());
        list.iter().any(|sign| sign.chars().any(text::is_unspaced) && end.ends_with(sign.as_str()))
    }
}

fn in_order(folded: &str, sign: &str) -> bool {
    let mut rest = folded;
    sign.split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

fn stands_at(words: &[String], phrase: &[&str]) -> bool {
    match phrase.split_first() {
        None => true,
        Some((&"*", rest)) => (0..=GAP.min(words.len())).any(|gap| stands_at(&words[gap..], rest)),
        Some((first, rest)) => words.split_first().is_some_and(|(word, after)| {
            let fits = first.strip_suffix('*').map_or(word == first, |start| word.starts_with(start));
            fits && stands_at(after, rest)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_alone(said: &str) -> Reading {
        read(said, said, said)
    }

    fn stance(said: &str) -> (Stance, Polarity) {
        let reading = read_alone(said);
        (reading.stance, reading.polarity)
    }

    #[test]
    fn a_plain_statement_is_told_from_questions_requests_and_what_is_only_supposed() {
        for (said, wanted) in [
            ("I live in Porto.", (Stance::States, Polarity::Holds)),
            ("Do I live in Porto?", (Stance::Asks, Polarity::Holds)),
            ("Write a poem about Porto", (Stance::Asks, Polarity::Holds)),
            ("If I lived in Porto I would surf", (Stance::Supposes, Polarity::Holds)),
            ("I have never been to Porto.", (Stance::States, Polarity::Denied)),
            ("I no longer live in Porto.", (Stance::States, Polarity::Ended)),
            ("Ich habe gestern leider überhaupt keine Zeit gehabt.", (Stance::States, Polarity::Denied)),
            ("東京の地図を書いて", (Stance::Asks, Polarity::Holds)),
            ("明天广州的雨怎么样", (Stance::Asks, Polarity::Holds)),
            ("Ankara'da hava nasıl olacak", (Stance::Asks, Polarity::Holds)),
        ] {
            assert_eq!(stance(said), wanted, "{said}");
        }
    }

    #[test]
    fn feelings_and_persons_are_read() {
        assert_eq!(read_alone("I hate rain").feels, Some("dislikes"));
        assert_eq!(read_alone("I love rain").feels, Some("likes"));
        assert!(read_alone("He has a friend named Milo.").is_about_another);
        assert!(!read_alone("He is my friend.").is_about_another);
    }
}
