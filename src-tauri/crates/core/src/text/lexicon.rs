//! What Atlas knows of the words of a language: one data file a language, of one shape, loaded when a text is in it.
//!
//! A language without an entry works all the same: the model's annotation tells what no word list does.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::date::DateWords;
use super::language::{self, Language};

/// One language's words. Every list may be empty.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Lexicon {
    /// Words that say nothing about what a text is about. A word that means something in another language is none.
    pub stop_words: Vec<String>,
    /// Number words, by what they count.
    pub numbers: BTreeMap<u32, Vec<String>>,
    /// Words of this language that are number words in others.
    pub no_numbers: Vec<String>,
    /// What a full stop shortens, without its last stop: "dr", "e.g".
    pub abbreviations: Vec<String>,
    /// The calendar.
    pub(super) dates: DateWords,
    /// What a sentence does: states, asks, wishes, denies.
    pub stance: StanceWords,
    /// What a piece of a message is by its words, where a model only labels it.
    pub pieces: PieceWords,
    /// Greetings, thanks and the like, as words and as phrases: a message of nothing else says nothing.
    pub small_talk: Vec<String>,
    /// How people tell the assistant what to do with its memory, and how to answer from now on.
    pub directives: DirectiveWords,
    /// What rules of conduct are written in, and what an answer is held to.
    pub rules: RuleWords,
    /// What can be sealed, by the topic's English name: "health".
    pub topics: BTreeMap<String, TopicWords>,
}

/// The words of one topic. Whole words and phrases; "diabet*" stands for all words that begin so, "*itis" for all that end so.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TopicWords {
    /// What people call it.
    pub names: Vec<String>,
    /// They give it away, and tell something of whom they are said of.
    pub words: Vec<String>,
    /// They give it away, and stand in any advice too: "doctor".
    pub everyday: Vec<String>,
}

/// How people give orders to the assistant itself. The orders are patterns (`memory::writing::directive::pattern` says how they
/// are written), all else is phrases.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DirectiveWords {
    /// Phrases that a pattern can name: `{keep}`.
    pub groups: BTreeMap<String, Vec<String>>,
    /// "please", "and": words before an order that change nothing.
    pub polite: Vec<String>,
    /// "can you": an order that is put as a question.
    pub asked: Vec<String>,
    /// "that", "to remember": words before what is ordered that are not part of it.
    pub leads: Vec<String>,
    /// "for me", "so": words behind what is ordered that are not part of it.
    pub trails: Vec<String>,
    /// "and then": another wish begins.
    pub breaks: Vec<String>,
    /// "my", "about my": words before a topic that are not part of it.
    pub mine: Vec<String>,
    /// "he said": the order is somebody else's.
    pub says: Vec<String>,
    /// "it", "everything": nothing that words alone could find.
    pub not_meant: Vec<String>,
    /// "when", "how": what begins so is no thing to remember.
    pub not_a_fact: Vec<String>,
    /// "back", "later": what begins so behind "call me" is no name.
    pub not_a_name: Vec<String>,
    /// "let's", "instead": behind "forget X" they change the subject.
    pub changed: Vec<String>,
    /// "film", "song": what follows "remember" is its title.
    pub works: Vec<String>,
    /// "is", "was": behind a name of many, that name is a title.
    pub singular: Vec<String>,
    /// "this part": the order is about its own sentence alone.
    pub part: Vec<String>,
    /// To keep a thing.
    pub remember: Vec<String>,
    /// To forget what is known.
    pub forget: Vec<String>,
    /// To keep nothing of this message.
    pub dont_store: Vec<String>,
    /// Never to keep anything on a topic.
    pub seal: Vec<String>,
    /// To keep a thing private, which may mean a seal.
    pub maybe_seal: Vec<String>,
    /// How to address the person.
    pub call_me: Vec<String>,
    /// How to answer from now on.
    pub instruction: Vec<String>,
}

/// Words by which a sentence tells what it does. Folded; several words are a phrase.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StanceWords {
    /// "I", "my": somebody speaks of themself.
    pub first_person: Vec<String>,
    /// "he", "her": somebody else who was named before.
    pub third_person: Vec<String>,
    /// "not", "never".
    pub negation: Vec<String>,
    /// "no longer", "used to".
    pub ended: Vec<String>,
    /// "if", "maybe", "wish".
    pub supposed: Vec<String>,
    /// "whether", "what": somebody asks, also without a question mark; at the beginning of a sentence.
    pub asking: Vec<String>,
    /// The same, where it asks wherever it stands: some languages leave it in the place of its answer.
    pub asking_anywhere: Vec<String>,
    /// "give me", "explain": what somebody wants done; at the beginning of a sentence, or at its end where the verb stands there.
    pub request: Vec<String>,
    /// "love", "prefer".
    pub like: Vec<String>,
    /// "now", "again", "moved": something is another way than before.
    pub change: Vec<String>,
    /// "also", "too": it comes beside what is known.
    pub addition: Vec<String>,
    /// "hate", "avoid".
    pub dislike: Vec<String>,
}

/// Words by which code cuts a message into pieces and tells what each is. `*` at an end stands for any ending, ` * ` for up to
/// three words. They stand beside [`StanceWords`], which serve here too.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PieceWords {
    /// It writes no spaces.
    pub unspaced: bool,
    /// Its question words stand anywhere in a clause.
    pub asks_anywhere: bool,
    /// An "I" before a verb makes it no order: "ich schreib".
    pub subject_first: bool,
    /// Its list of persons holds "my sister" as one word.
    pub owned: bool,
    /// It writes nouns with a capital letter.
    pub capital_nouns: bool,
    /// People write it in Latin letters too.
    pub romanised: bool,
    /// "my", "our".
    pub mine: Vec<String>,
    /// Kin and animals: "sister", "dog".
    pub person: Vec<String>,
    /// "boss", "teacher": somebody else only where they are the person's.
    pub role: Vec<String>,
    /// "you".
    pub second: Vec<String>,
    /// "pretend", "novel": a message that plays or makes up.
    pub scene: Vec<String>,
    /// "between us": nothing of the message is to be kept.
    pub secret: Vec<String>,
    /// "and", "because": they join clauses.
    pub join: Vec<String>,
    /// "a": before a noun and a name it makes them no person of the writer's.
    pub article: Vec<String>,
    /// Without spaces: "I" before a person.
    pub owner: Vec<String>,
    /// Without spaces: what may stand between "I" and a person.
    pub owner_end: Vec<String>,
    /// Without spaces: what ends the words for whom a clause is about.
    pub topic: Vec<String>,
    /// Without spaces: what ends a phrase before them.
    pub case: Vec<String>,
}

/// Words by which a rule of conduct names what code can check, and by which an answer breaks one.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleWords {
    /// "never", "do not".
    pub never: Vec<String>,
    /// "avoid", "without": behind "never" they say the opposite.
    pub avoid: Vec<String>,
    /// "always", "must".
    pub always: Vec<String>,
    /// "use", "in your answers": they change nothing of what a rule means.
    pub filler: Vec<String>,
    /// "mention", "say": a name may follow.
    pub mention: Vec<String>,
    /// "the word", "phrase": a quotation may follow.
    pub quotable: Vec<String>,
    /// "begin with".
    pub begin: Vec<String>,
    /// "end with".
    pub end: Vec<String>,
    /// "at most", "no more than".
    pub at_most: Vec<String>,
    /// "less than".
    pub under: Vec<String>,
    /// "more than".
    pub over: Vec<String>,
    /// Numbers as words.
    pub numbers: BTreeMap<usize, Vec<String>>,
    /// What is counted: "words", "sentences".
    pub units: BTreeMap<String, Vec<String>>,
    /// What an answer may look like: "lists", "emojis".
    pub forms: BTreeMap<String, Vec<String>>,
    /// The names of languages, by code.
    pub languages: BTreeMap<String, Vec<String>>,
    /// "your".
    pub yours: Vec<String>,
    /// "you are", "you have".
    pub you_are: Vec<String>,
    /// "if": what follows is not told of anybody.
    pub supposed: Vec<String>,
    /// What somebody asks about who asks whether they talk to a human: "human", "bot".
    pub beings: Vec<String>,
    /// Whole clauses by which a speaker says that they are a human.
    pub human: Vec<String>,
    /// "key", "token".
    pub keys: Vec<String>,
}

/// The languages' files, by code: the known ones, and some of which only the words of topics are known.
macro_rules! lexicons {
    ($($code:literal),*) => {
        [$(($code, include_str!(concat!("lexicons/", $code, ".json")))),*]
    };
}

static LEXICONS: LazyLock<Vec<(&'static str, Lexicon)>> = LazyLock::new(|| {
    let files = lexicons!(
        "en", "de", "es", "fr", "pt", "it", "nl", "pl", "tr", "ru", "uk", "ar", "hi", "ja", "zh", "ko", "th", "vi",
        "he"
    );
    files
        .into_iter()
        .map(|(code, json)| (code, serde_json::from_str(json).expect("a test reads every lexicon")))
        .collect()
});

/// The lexicons of all languages.
pub fn all() -> impl Iterator<Item = &'static Lexicon> {
    LEXICONS.iter().map(|(_, lexicon)| lexicon)
}

/// What is known of a language's words.
pub fn of(language: Language) -> &'static Lexicon {
    LEXICONS
        .iter()
        .find(|(code, _)| *code == language.code())
        .map(|(_, lexicon)| lexicon)
        .expect("every known language has a file")
}

/// The lexicons of the languages that a text may be in, the likeliest first: of those that it may be in by its letters, the ones
/// whose small words it holds most of.
pub fn of_text(text: &str) -> impl Iterator<Item = &'static Lexicon> {
    let words = super::words(text);
    let mut lexicons: Vec<(usize, &'static Lexicon)> = language::likely(text)
        .into_iter()
        .map(of)
        .map(|lexicon| (words.iter().filter(|word| lexicon.stop_words.contains(word)).count(), lexicon))
        .collect();
    let most = lexicons.iter().map(|(held, _)| *held).max().unwrap_or(0);
    lexicons.retain(|(held, _)| *held == most);
    lexicons.into_iter().map(|(_, lexicon)| lexicon)
}

/// Whether a text is a greeting, a thank-you or the like and nothing else.
pub fn is_small_talk(text: &str) -> bool {
    /// In characters; what is longer says something.
    const LONGEST: usize = 60;
    if text.chars().count() > LONGEST {
        return false;
    }
    let words = super::words(text);
    if words.is_empty() {
        // Nothing but signs: a thumb, a face.
        return text.chars().any(|c| !c.is_whitespace());
    }
    let mut is_said: Vec<bool> = words.iter().map(|word| SMALL_TALK.words.contains(word.as_str())).collect();
    for phrase in &SMALL_TALK.phrases {
        for at in 0..words.len().saturating_sub(phrase.len() - 1) {
            if words[at..at + phrase.len()] == phrase[..] {
                is_said[at..at + phrase.len()].fill(true);
            }
        }
    }
    is_said.contains(&true) && words.iter().zip(is_said).all(|(word, is_said)| is_said || super::is_stop_word(word))
}

/// What small talk is made of, in all languages.
struct SmallTalk {
    words: HashSet<&'static str>,
    phrases: Vec<Vec<String>>,
}

static SMALL_TALK: LazyLock<SmallTalk> = LazyLock::new(|| {
    let all = LEXICONS.iter().flat_map(|(_, lexicon)| &lexicon.small_talk).map(String::as_str);
    let (phrases, words): (Vec<&str>, Vec<&str>) = all.partition(|said| said.contains(' '));
    SmallTalk { words: words.into_iter().collect(), phrases: phrases.into_iter().map(super::words).collect() }
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn every_language_has_a_lexicon_that_can_be_read() {
        assert_eq!(Language::all().map(of).count(), language::KNOWN.len());
    }

    #[test]
    fn small_talk_is_told_from_what_says_something() {
        for said in [
            "Thanks!",
            "See you tomorrow, take care",
            "One quick question",
            "🙂🙂",
            "สวัสดีครับ",
            "Cảm ơn bạn",
            "תודה רבה",
        ] {
            assert!(is_small_talk(said), "{said}");
        }
        for said in ["I work on Monday", "Monday", "My question is about Rex", "", " "] {
            assert!(!is_small_talk(said), "{said}");
        }
    }

    #[test]
    fn words_are_folded_and_stand_once_in_their_list() {
        for language in Language::all() {
            let (code, lexicon) = (language.code(), of(language));
            let numbers: Vec<&String> = lexicon.numbers.values().flatten().collect();
            for list in [lexicon.stop_words.iter().collect(), numbers, lexicon.no_numbers.iter().collect()] {
                for word in &list {
                    assert_eq!(**word, text::fold(word), "{code}");
                    assert_eq!(list.iter().filter(|other| *other == word).count(), 1, "{code} {word}");
                }
            }
            // A language of which only topics are known has neither.
            assert_eq!(lexicon.stop_words.is_empty(), lexicon.numbers.len() < 10, "{code}");
        }
    }
}
