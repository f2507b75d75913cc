//! What a compiled rule demands, and whether one sentence keeps it.

use std::sync::LazyLock;

use super::super::sentence::Sentence;
use super::super::stance::{self, Clause};
use super::form::{self, Form};
use crate::text;

/// What a rule demands of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Demand {
    /// These words do not stand in it, whatever they are said for.
    NoWords(Vec<Phrase>),
    /// It does not speak of this; to say that it will not is no speaking of it.
    NoTalk(Phrase),
    /// It promises nothing of this: the words of the thing, as stems.
    NoPromise(Vec<String>),
    /// Its speaker claims to be no human; that is watched anyway.
    NoHuman,
    /// Its speaker claims to be no such thing.
    NoClaim(Vec<String>),
    /// It has nothing of this form.
    No(Form),
    /// It has no more of these.
    AtMost(Unit, usize),
    /// It is, or is not, in this language.
    Language {
        /// The language's code.
        tongue: &'static str,
        /// Whether it must not be in it.
        forbidden: bool,
    },
    /// It begins with this; a rule of what is never done forbids just that.
    Begin(String),
    /// It ends with this.
    End(String),
    /// It ends with a question.
    EndAsking,
    /// It holds this.
    Hold(String),
}

/// What can be counted in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Unit {
    Words,
    Sentences,
    Characters,
    Paragraphs,
    Lines,
    Questions,
}

/// A phrase as it is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Phrase {
    words: Vec<String>,
    folded: String,
}

impl Phrase {
    fn of(written: &str) -> Self {
        Self { words: text::words(written), folded: text::fold(written.trim()) }
    }

    fn is_in(&self, folded: &str, words: &[String]) -> bool {
        match self.folded.chars().any(text::is_unspaced) {
            true => folded.contains(&self.folded),
            false => stance::has(words, &self.words),
        }
    }

    /// Whether a clause speaks of it: its forms count too ("price", "prices").
    fn is_spoken_of(&self, clause: &Clause) -> bool {
        let is_form = |word: &String, wanted: &String| {
            text::stem(word) == text::stem(wanted)
                || wanted.chars().count() >= 5
                    && word.starts_with(wanted.as_str())
                    && word.chars().count() <= wanted.chars().count() + 2
        };
        clause
            .words
            .windows(self.words.len().max(1))
            .any(|window| window.iter().zip(&self.words).all(|(a, b)| is_form(a, b)))
    }
}

impl Demand {
    pub fn no_words(phrases: &[String]) -> Self {
        Self::NoWords(phrases.iter().map(|phrase| Phrase::of(phrase)).collect())
    }

    pub fn no_talk(words: &[String]) -> Self {
        // Prices are numbers as well as a word; both are speaking of it.
        match words {
            [word] if form::is_price_word(word) => Self::No(Form::Price),
            _ => Self::NoTalk(Phrase::of(&words.join(" "))),
        }
    }

    pub fn no_promise(words: &[String]) -> Self {
        Self::NoPromise(words.iter().map(|word| text::stem(word)).collect())
    }

    /// Whether a sentence breaks it by itself. What only the whole answer can tell is for the keeper.
    pub fn is_broken_by(&self, sentence: &Sentence) -> bool {
        match self {
            Self::NoWords(phrases) => phrases.iter().any(|phrase| phrase.is_in(&sentence.folded, &sentence.words)),
            Self::NoTalk(phrase) => meant(sentence).any(|clause| phrase.is_spoken_of(clause)),
            Self::NoPromise(object) => !sentence.is_question && meant(sentence).any(|clause| promises(clause, object)),
            Self::NoClaim(noun) => !sentence.is_question && meant(sentence).any(|clause| claims(clause, noun)),
            Self::No(Form::Dose) => meant(sentence).any(|clause| form::is_dose(&clause.folded, &clause.words)),
            Self::No(Form::Price) => meant(sentence).any(|clause| form::is_price(&clause.folded)),
            Self::No(form) => form.is_in(sentence),
            Self::NoHuman
            | Self::AtMost(..)
            | Self::Language { .. }
            | Self::Begin(_)
            | Self::End(_)
            | Self::EndAsking
            | Self::Hold(_) => false,
        }
    }
}

/// The clauses that mean what they say, where no other one of the sentence refuses.
fn meant(sentence: &Sentence) -> impl Iterator<Item = &Clause> {
    stance::clauses(sentence).iter().filter(|clause| clause.is_meant())
}

/// Whether a clause promises it: a promise in the first person, or what the person "will get", close before the thing; or
/// that it is guaranteed, close behind. "You will get a message about your refund" promises a message.
fn promises(clause: &Clause, object: &[String]) -> bool {
    const NEAR: usize = 3;
    let stems: Vec<String> = clause.words.iter().map(|word| text::stem(word)).collect();
    let names_it = |from: usize, to: usize| {
        let near = &stems[from..to.min(stems.len())];
        object.iter().all(|wanted| {
            near.iter().any(|stem| {
                let is_long = wanted.chars().count() >= 5;
                stem == wanted || is_long && stem.starts_with(wanted.as_str()) && stem.len() <= wanted.len() + 3
            })
        })
    };
    let near_behind = |sign: &Vec<String>| {
        stance::place(&clause.words, sign).is_some_and(|(from, to)| names_it(from, to + NEAR + object.len()))
    };
    let near_before = |sign: &Vec<String>| {
        stance::place(&clause.words, sign)
            .is_some_and(|(from, to)| names_it(from.saturating_sub(NEAR + object.len()), to))
    };
    PROMISED.iter().any(near_behind) || GUARANTEED.iter().any(near_before)
}

/// Behind the thing itself.
static GUARANTEED: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let signs = [
        "is guaranteed",
        "are guaranteed",
        "guaranteed",
        "is yours",
        "ist garantiert",
        "sind garantiert",
        "garantiert",
        "est garanti",
        "garanti",
        "está garantizado",
        "garantizado",
        "está garantido",
        "garantido",
        "è garantito",
        "gegarandeerd",
        "гарантирован",
    ];
    signs.iter().map(|sign| text::words(sign)).collect()
});

#[rustfmt::skip]
static PROMISED: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| [
    "i promise", "i can promise", "we promise", "we can promise", "i guarantee", "we guarantee", "i can guarantee", "we can guarantee", "i ll guarantee", "i offer", "we offer", "i can offer", "we can offer", "i ll offer",
    "you will get", "you ll get", "you will receive", "you ll receive", "you will definitely get", "you ll definitely get", "you will have", "i will give you", "i ll give you", "we will give you", "we ll give you", "i will refund", "i ll refund",
    "we will refund", "we ll refund", "i assure you", "we assure you", "i will issue", "i ll issue", "we will issue", "we ll issue", "i have issued", "i ve issued", "i can give you", "we can give you",
    "ich verspreche", "wir versprechen", "ich garantiere", "wir garantieren", "ich biete", "wir bieten", "ich kann * anbieten", "du bekommst", "sie bekommen", "du erhältst", "sie erhalten", "ich erstatte", "wir erstatten", "ich sage * zu",
    "je promets", "je vous promets", "je te promets", "nous promettons", "je garantis", "je vous garantis", "nous garantissons", "je vous offre", "nous offrons", "vous recevrez", "tu recevras", "vous aurez",
    "prometo", "te prometo", "le prometo", "prometemos", "garantizo", "garantizamos", "ofrezco", "ofrecemos", "recibirás", "recibirá", "tendrás", "eu prometo", "prometemos", "garanto", "garantimos", "ofereço", "você receberá",
    "prometto", "ti prometto", "garantisco", "garantiamo", "offriamo", "riceverai", "riceverà", "ik beloof", "wij beloven", "ik garandeer", "wij garanderen", "je krijgt", "u krijgt", "обещаю", "обещаем", "гарантирую", "гарантируем", "вы получите", "söz veriyorum", "garanti ediyorum",
].iter().map(|written| stance::sign(written)).collect());

/// "I am a doctor", "speaking as your doctor".
fn claims(clause: &Clause, noun: &[String]) -> bool {
    const BEFORE: &[&str] = &[
        "i am",
        "i am a",
        "i am an",
        "i am your",
        "i am the",
        "i m",
        "i m a",
        "i m an",
        "i m your",
        "speaking as a",
        "speaking as an",
        "as your",
        "i am also a",
        "i am actually a",
        "ich bin",
        "ich bin ein",
        "ich bin eine",
        "als ihr",
        "als dein",
        "je suis",
        "je suis un",
        "je suis une",
        "soy",
        "soy un",
        "soy una",
        "sou",
        "sou um",
        "sou uma",
        "sono",
        "sono un",
        "sono una",
        "ik ben",
        "ik ben een",
        "я",
        "ben bir",
    ];
    BEFORE.iter().any(|before| {
        let sign: Vec<String> = text::words(before).into_iter().chain(noun.iter().cloned()).collect();
        // "I'm a doctor's assistant", "I am doctor-approved".
        stance::place(&clause.words, &sign).is_some_and(|(_, end)| {
            clause.words.get(end).is_none_or(|next| {
                ["and", "who", "with", "here", "so", "und", "mit", "et", "y", "e", "en"].contains(&next.as_str())
            })
        })
    })
}

/// A text as phrases are looked for in it: its words, folded, with one space between them.
pub(in super::super) fn plain(written: &str) -> String {
    text::words(written).join(" ")
}
