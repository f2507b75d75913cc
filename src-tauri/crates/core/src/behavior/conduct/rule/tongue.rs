//! In which language an answer is, by its script and its smallest words.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::super::sentence::Sentence;

/// An answer of fewer words says nothing about its language.
const FEWEST_WORDS: usize = 12;
/// The share of an answer's words that are small words of its language, at least.
const LEAST_SHARE: f64 = 0.18;
/// How many times more of them there are than of any other language.
const LEAD: f64 = 1.8;

/// The small words of languages with Latin letters: those that no other one here has as often. Folded.
#[rustfmt::skip]
const SMALL_WORDS: &[(&str, &[&str])] = &[
    ("en", &["the", "and", "of", "to", "is", "are", "you", "that", "it", "for", "with", "this", "your", "can", "have", "be", "or", "if", "not", "i", "will", "from", "they", "but", "when", "there", "would", "which", "how", "what"]),
    ("de", &["der", "die", "und", "das", "ist", "nicht", "ich", "sie", "ein", "eine", "zu", "den", "mit", "auf", "fur", "dem", "von", "sich", "auch", "es", "wie", "oder", "wenn", "aber", "konnen", "bei", "im", "wird", "sind", "du"]),
    ("fr", &["le", "les", "et", "des", "est", "une", "du", "dans", "pour", "vous", "que", "qui", "pas", "sur", "au", "avec", "je", "ce", "il", "votre", "sont", "ou", "plus", "nous", "cette", "mais", "tu", "la", "de", "un"]),
    ("es", &["el", "los", "las", "una", "es", "por", "con", "para", "del", "se", "lo", "su", "mas", "pero", "como", "esta", "puedes", "puede", "muy", "hay", "tu", "y", "al", "que", "de", "la", "en", "un", "si", "son"]),
    ("pt", &["o", "os", "uma", "do", "da", "em", "nao", "para", "com", "mais", "voce", "seu", "sua", "ao", "ou", "isso", "muito", "pode", "dos", "das", "na", "no", "um", "e", "que", "de", "sao", "esta", "tem", "pelo"]),
    ("it", &["il", "di", "che", "non", "per", "una", "sono", "della", "con", "del", "gli", "puoi", "anche", "piu", "questo", "nel", "alla", "ma", "come", "se", "lo", "le", "e", "un", "la", "da", "si", "ti", "ho", "dei"]),
    ("nl", &["het", "een", "van", "en", "niet", "dat", "je", "ik", "zijn", "op", "te", "voor", "met", "als", "ook", "maar", "kunt", "naar", "bij", "om", "of", "deze", "wordt", "u", "de", "is", "dit", "hebben", "door", "nog"]),
    ("tr", &["ve", "bir", "bu", "icin", "ile", "olarak", "daha", "cok", "gibi", "ama", "degil", "var", "ne", "en", "de", "da", "olan", "sonra", "kadar", "her"]),
    ("pl", &["i", "w", "na", "nie", "z", "jest", "do", "sie", "to", "ze", "jak", "dla", "po", "od", "ale", "tak", "lub", "moze", "przez", "sa"]),
];

/// The languages that have a small word.
static LANGUAGES_OF: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut languages: HashMap<&str, Vec<&str>> = HashMap::new();
    for (code, small) in SMALL_WORDS {
        small.iter().for_each(|word| languages.entry(word).or_default().push(code));
    }
    languages
});

/// Counts the words of an answer by language.
#[derive(Clone, Debug, Default)]
pub(super) struct Tongues {
    words: usize,
    small: BTreeMap<&'static str, usize>,
    scripts: BTreeMap<&'static str, usize>,
    letters: usize,
}

impl Tongues {
    /// Counts a sentence of the answer's own words.
    pub fn read(&mut self, sentence: &Sentence) {
        if sentence.is_foreign {
            return;
        }
        self.words += sentence.words.len();
        for code in sentence.words.iter().filter_map(|word| LANGUAGES_OF.get(word.as_str())).flatten() {
            *self.small.entry(code).or_default() += 1;
        }
        for c in sentence.folded.chars().filter(|c| c.is_alphabetic()) {
            self.letters += 1;
            if let Some(script) = script_of(c) {
                *self.scripts.entry(script).or_default() += 1;
            }
        }
    }

    /// How many words were counted; a script without spaces has one to three characters.
    pub fn size(&self) -> usize {
        self.words.max(self.letters / 5)
    }

    /// The language, where it is beyond doubt.
    pub fn decided(&self) -> Option<&'static str> {
        if self.size() < FEWEST_WORDS && self.letters < 4 * FEWEST_WORDS {
            return None;
        }
        self.by_script().or_else(|| self.by_small_words())
    }

    fn by_script(&self) -> Option<&'static str> {
        let share = |script| self.scripts.get(script).copied().unwrap_or(0) as f64 / self.letters.max(1) as f64;
        // Japanese is written with Chinese characters and its own; a fifth of its own is enough.
        if share("kana") > 0.15 {
            return Some("ja");
        }
        let of_one = [("han", "zh"), ("hangul", "ko"), ("cyrillic", "ru"), ("arabic", "ar"), ("devanagari", "hi")];
        of_one.into_iter().find(|(script, _)| share(script) > 0.6).map(|(_, code)| code)
    }

    fn by_small_words(&self) -> Option<&'static str> {
        let latin = self.scripts.get("latin").copied().unwrap_or(0);
        if latin * 10 < self.letters * 9 {
            return None;
        }
        let mut counts: Vec<(usize, &'static str)> = self.small.iter().map(|(code, count)| (*count, *code)).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let (first, code) = *counts.first()?;
        let second = counts.get(1).map_or(0, |(count, _)| *count);
        let is_clear = first as f64 >= LEAST_SHARE * self.words as f64 && first as f64 >= LEAD * second as f64;
        (is_clear && first >= 4).then_some(code)
    }
}

fn script_of(c: char) -> Option<&'static str> {
    Some(match c {
        'a'..='z' | 'ı' => "latin",
        '\u{0400}'..='\u{052F}' => "cyrillic",
        '\u{0600}'..='\u{06FF}' | '\u{0750}'..='\u{077F}' => "arabic",
        '\u{0900}'..='\u{097F}' => "devanagari",
        '\u{3040}'..='\u{30FF}' => "kana",
        '\u{AC00}'..='\u{D7AF}' | '\u{1100}'..='\u{11FF}' => "hangul",
        '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' => "han",
        _ => return None,
    })
}
