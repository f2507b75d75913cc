//! How close two texts are: by the words that they share, and by the vectors of their words.

use std::collections::{BTreeSet, HashSet};

use crate::embedding::{StaticModel, StaticVector, dot};
use crate::text;

/// The most different words of a text that are looked at.
const MOST_WORDS: usize = 160;
/// What a word that both have weighs: one is enough to be about the same.
const WEIGHT: f64 = 0.4;
/// What it weighs where sentences are read as a whole, and one word may be chance.
const WEIGHT_BESIDE_READER: f64 = 0.2;
/// The cosine of two texts about the same. A third of it is more than chance.
const ALIGNED: f64 = 0.3;

/// What two texts are compared by, besides the words that they share.
#[derive(Clone, Copy)]
pub(super) enum Measure<'a> {
    /// Nothing.
    Words,
    /// The vectors of their words.
    Vectors(&'a StaticModel),
    /// A model that reads them whole; it is asked elsewhere.
    BesideReader,
}

/// A text as its telling words.
pub(super) struct Gist {
    words: Vec<String>,
    direction: Option<StaticVector>,
    weight: f64,
    scripts: BTreeSet<Script>,
}

/// Families of letters whose words can be compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Script {
    Alphabet,
    Unspaced,
    Cyrillic,
    Other,
}

impl Gist {
    /// Reads a text; code blocks say nothing of what it is about.
    pub fn of(said: &str, measure: Measure<'_>) -> Self {
        let mut words = Vec::new();
        let mut seen = HashSet::new();
        for word in text::words(&without_code(said)) {
            words.extend(pieces(&word).into_iter().filter(|piece| seen.insert(piece.clone())));
        }
        words.truncate(MOST_WORDS);
        let scripts = words.iter().filter_map(|piece| piece.chars().next()).map(script_of).collect();
        let direction = match measure {
            Measure::Vectors(model) if !words.is_empty() => Some(model.embed(&words.join(" "))),
            _ => None,
        };
        let weight = if matches!(measure, Measure::BesideReader) { WEIGHT_BESIDE_READER } else { WEIGHT };
        Self { words, direction, weight, scripts }
    }

    /// How many telling words it has.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether the two are written in the same letters: otherwise no word can meet.
    pub fn is_comparable(&self, other: &Self) -> bool {
        self.scripts.intersection(&other.scripts).next().is_some()
    }
}

/// How close an answer is to a text, 0 to 1: by the words that they share or by the direction of all their words,
/// whichever is closer.
pub(super) fn closeness(said: &Gist, about: &Gist) -> f64 {
    shared(said, about).max(aligned(said, about))
}

/// How much of a text's words the answer takes up.
fn shared(said: &Gist, about: &Gist) -> f64 {
    let found = about.words.iter().filter(|word| said.words.iter().any(|other| is_form(word, other)));
    (found.count() as f64 * about.weight).min(1.0)
}

/// How near the directions of the two are.
fn aligned(said: &Gist, about: &Gist) -> f64 {
    match (&said.direction, &about.direction) {
        (Some(said), Some(about)) => (f64::from(dot(said, about)) / ALIGNED).clamp(0.0, 1.0),
        _ => 0.0,
    }
}

/// "payment" and "payments", "Kartoffelgratin" and "Gratin", "списали" and "списал".
fn is_form(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let shared = short.chars().zip(long.chars()).take_while(|(x, y)| x == y).count();
    let length = short.chars().count();
    short == long || length >= 5 && (shared + 2 >= length && shared >= 5 || long.contains(short))
}

/// A word as it is compared: its stem, or in scripts without spaces its pairs of characters. Nothing for one that says nothing.
fn pieces(word: &str) -> Vec<String> {
    if word.chars().any(text::is_unspaced) {
        let tells = |piece: &String| !text::is_stop_word(piece) && !piece.chars().all(is_hiragana);
        return text::pieces(word).into_iter().filter(tells).collect();
    }
    if word.chars().count() < 3 || text::is_stop_word(word) || EVERYDAY.contains(&word) {
        return Vec::new();
    }
    vec![text::stem(word)]
}

/// Words that stand in answers about anything.
#[rustfmt::skip]
const EVERYDAY: &[&str] = &[
    "can", "cannot", "want", "need", "get", "make", "more", "like", "use", "way", "one", "two", "three", "time", "day", "today", "good", "well", "help", "thing", "things", "give", "take", "see", "let",
    "lets", "let's", "each", "every", "also", "many", "much", "most", "such", "here", "first", "last", "next", "then", "only", "because", "while", "after", "before", "until", "into", "over", "when", "often",
    "show", "tell", "explain", "think", "find", "work", "works", "keep", "keeps", "any", "done", "going", "been", "were", "sure", "happens", "happen", "long", "little", "simple", "write", "right",
    "available", "user", "ask", "asks", "asking", "answer", "question", "previous", "new", "than", "nothing", "something", "everything", "come", "comes", "out", "rather", "offer", "name", "speak", "step", "person", "personal", "assistant", "retry", "task", "don", "doesn", "again", "change", "changes", "start",
    "kann", "kannst", "mache", "machen", "soll", "tun", "dann", "noch", "wird", "werden", "mehr", "sehr", "nach", "bitte", "einer", "eines", "sich", "nur", "dabei", "dort", "was", "wenn", "uber", "durch",
    "peut", "peux", "faire", "fait", "plus", "tout", "tous", "bien", "avec", "moi", "dans", "une", "puis", "deux", "fois", "pourquoi", "ete", "idee",
    "puede", "puedes", "hacer", "mas", "muy", "como", "bien", "todo", "cada", "porque", "si", "pode", "fazer", "muito", "mais", "voce", "puo", "fare", "molto", "piu",
    "как", "что", "это", "для", "или", "если", "потому", "меня", "мне", "вас", "вам", "ваш", "почему", "можно", "все", "так", "еще",
];

fn script_of(c: char) -> Script {
    match c {
        _ if text::is_unspaced(c) => Script::Unspaced,
        '\u{0400}'..='\u{052F}' => Script::Cyrillic,
        _ if u32::from(c) < 0x0250 => Script::Alphabet,
        _ => Script::Other,
    }
}

/// The letters of Japanese endings.
fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{309F}')
}

/// Whether a text is written in Latin letters: only of those the vectors of words tell enough.
pub(super) fn is_latin(said: &str) -> bool {
    let letters = || said.chars().filter(|c| c.is_alphabetic());
    letters().filter(|c| u32::from(*c) < 0x0250).count() * 10 >= letters().count() * 9
}

fn without_code(said: &str) -> String {
    said.split("```").step_by(2).collect::<Vec<_>>().join("\n")
}
