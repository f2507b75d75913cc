//! A rule's words, each understood as what it means for a check; one unknown word, and the rule is not understood.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::IntoDeserializer;

use super::form::{Form, Unit};
use crate::text;
use crate::text::language::Language;
use crate::text::lexicon::{self, RuleWords};

/// A word or phrase as it is compared.
pub(in super::super) type Sign = Vec<String>;

/// What a sign means in a rule.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    Never,
    Avoid,
    /// It changes nothing.
    Nothing,
    Mention,
    Quotable,
    Begin,
    End,
    AtMost,
    Under,
    Over,
    Number(usize),
    Unit(Unit),
    Form(Form),
    Language(Language),
}

/// The signs of one language, by their first word.
struct Signs {
    language: Language,
    by_first: HashMap<String, Vec<(Sign, Meaning)>>,
}

static SIGNS: LazyLock<Vec<Signs>> = LazyLock::new(|| Language::all().map(Signs::of).collect());

impl Signs {
    fn of(language: Language) -> Self {
        let mut signs = Self { language, by_first: HashMap::new() };
        let words: &RuleWords = &lexicon::of(language).rules;
        let plain = [
            (&words.never, Meaning::Never),
            (&words.avoid, Meaning::Avoid),
            (&words.always, Meaning::Nothing),
            (&words.filler, Meaning::Nothing),
            (&words.mention, Meaning::Mention),
            (&words.quotable, Meaning::Quotable),
            (&words.begin, Meaning::Begin),
            (&words.end, Meaning::End),
            (&words.at_most, Meaning::AtMost),
            (&words.under, Meaning::Under),
            (&words.over, Meaning::Over),
        ];
        plain.into_iter().for_each(|(written, meaning)| signs.add(written, meaning));
        words.numbers.iter().for_each(|(number, written)| signs.add(written, Meaning::Number(*number)));
        for (name, written) in &words.units {
            named(name).into_iter().for_each(|unit| signs.add(written, Meaning::Unit(unit)));
        }
        for (name, written) in &words.forms {
            named(name).into_iter().for_each(|form| signs.add(written, Meaning::Form(form)));
        }
        for (code, written) in &words.languages {
            let named = Language::all().find(|language| language.code() == code);
            named.into_iter().for_each(|language| signs.add(written, Meaning::Language(language)));
        }
        signs
    }

    fn add(&mut self, written: &[String], meaning: Meaning) {
        for sign in written.iter().map(|written| tokens(written)) {
            if let Some(first) = sign.first() {
                self.by_first.entry(first.clone()).or_default().push((sign, meaning));
            }
        }
    }

    /// The longest sign at the beginning of some words: how many words it has, and all that it may mean.
    fn longest(&self, words: &[Word]) -> Option<(usize, Vec<Meaning>)> {
        let fits = |sign: &Sign| sign.len() <= words.len() && sign.iter().zip(words).all(|(a, b)| *a == b.folded);
        let fitting: Vec<_> =
            self.by_first.get(&words.first()?.folded)?.iter().filter(|(sign, _)| fits(sign)).collect();
        let longest = fitting.iter().map(|(sign, _)| sign.len()).max()?;
        Some((longest, fitting.iter().filter(|(sign, _)| sign.len() == longest).map(|(_, meaning)| *meaning).collect()))
    }
}

/// The form or unit with this name in the data files.
pub(super) fn named<'a, T: Deserialize<'a>>(name: &'a str) -> Option<T> {
    T::deserialize(IntoDeserializer::<serde::de::value::Error>::into_deserializer(name)).ok()
}

/// A word of a rule.
struct Word {
    folded: String,
    /// Written as names are: with a capital, or with one inside.
    is_capital: bool,
    is_mixed: bool,
}

/// A rule of which every word was understood.
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    /// Whether it forbids what it names.
    pub forbids: bool,
    /// Whether it forbids only by "without" or "avoid".
    pub avoids: bool,
    pub mentions: bool,
    /// It speaks of words: "German names" is no language.
    pub quotable: bool,
    pub begins: bool,
    pub ends: bool,
    pub most: bool,
    pub under: bool,
    pub over: bool,
    pub number: Option<usize>,
    /// "ein", which is a one where nothing else is counted.
    pub article: bool,
    pub units: Vec<Unit>,
    pub forms: Vec<Form>,
    pub languages: Vec<Language>,
    /// What stands in quotation marks, or behind "the word".
    pub quoted: Vec<String>,
    /// Names that stand without them.
    pub names: Vec<String>,
}

impl Reading {
    /// The rule as each language understands it; none where no language understands every word.
    pub fn all(rule: &str, forbids: bool) -> impl Iterator<Item = Self> {
        let (bare, quoted) = quotations(rule);
        let words: Vec<Word> = words_of(&bare);
        let is_empty = words.is_empty() && quoted.is_empty();
        let start = Self { forbids, quoted, ..Self::default() };
        let read = move |signs: &Signs| if is_empty { None } else { start.clone().read(&words, signs) };
        SIGNS.iter().filter_map(read)
    }

    fn read(mut self, words: &[Word], signs: &Signs) -> Option<Self> {
        let (mut at, mut is_quotable, mut in_name) = (0, false, false);
        while let Some(word) = words.get(at) {
            if let Some((length, meanings)) = signs.longest(&words[at..]) {
                is_quotable = meanings.iter().any(|meaning| matches!(meaning, Meaning::Quotable));
                self.take(&meanings)?;
                (at, in_name) = (at + length, false);
                continue;
            }
            if let Ok(number) = word.folded.parse() {
                self.take(&[Meaning::Number(number)])?;
            } else if is_quotable && self.quoted.is_empty() {
                self.quoted.push(word.folded.clone());
            } else if word.is_name(at, signs.language) {
                match self.names.last_mut().filter(|_| in_name) {
                    Some(name) => *name = format!("{name} {}", word.folded),
                    None => self.names.push(word.folded.clone()),
                }
            } else {
                return None;
            }
            (at, is_quotable, in_name) = (at + 1, false, self.quoted.is_empty());
        }
        Some(self)
    }

    /// Takes one sign with all that it may mean; `None` where the rule then means two things.
    fn take(&mut self, meanings: &[Meaning]) -> Option<()> {
        let is_filler = meanings.iter().any(|meaning| matches!(meaning, Meaning::Nothing));
        for meaning in meanings {
            match *meaning {
                Meaning::Nothing => {}
                Meaning::Quotable => self.quotable = true,
                // "Never … without" demands what it names.
                Meaning::Never | Meaning::Avoid if self.avoids => return None,
                Meaning::Avoid if self.forbids => return None,
                Meaning::Avoid => (self.avoids, self.forbids) = (true, true),
                Meaning::Never => self.forbids = true,
                Meaning::Mention => self.mentions = true,
                Meaning::Begin => self.begins = true,
                Meaning::End => self.ends = true,
                Meaning::AtMost => self.most = true,
                Meaning::Under => self.under = true,
                Meaning::Over => self.over = true,
                Meaning::Unit(unit) => add(&mut self.units, unit),
                Meaning::Form(form) => add(&mut self.forms, form),
                Meaning::Language(language) => add(&mut self.languages, language),
                Meaning::Number(_) if is_filler => self.article = true,
                Meaning::Number(number) if self.number.is_none() => self.number = Some(number),
                Meaning::Number(_) => return None,
            }
        }
        Some(())
    }
}

fn add<T: PartialEq>(known: &mut Vec<T>, new: T) {
    if !known.contains(&new) {
        known.push(new);
    }
}

impl Word {
    /// Whether it can only be a name. The first word is written with a capital anyway, and German nouns are.
    fn is_name(&self, at: usize, language: Language) -> bool {
        self.is_mixed || self.is_capital && at > 0 && language.code() != "de"
    }
}

fn words_of(bare: &str) -> Vec<Word> {
    let word = |written: &String| {
        let (has_small, inner) = (written.contains(char::is_lowercase), written.chars().skip(1).collect::<String>());
        let has_digit = written.starts_with(char::is_alphabetic) && inner.contains(|c: char| c.is_ascii_digit());
        let is_mixed = has_small && inner.contains(char::is_uppercase) || has_digit;
        let is_capital = has_small && written.starts_with(char::is_uppercase);
        tokens(written).into_iter().map(move |folded| Word { folded, is_capital, is_mixed }).collect::<Vec<_>>()
    };
    text::split(bare).iter().flat_map(word).collect()
}

/// The words of a text, folded; of a script without spaces its characters.
pub(in super::super) fn tokens(written: &str) -> Sign {
    let parts = |word: String| match word.chars().any(text::is_unspaced) {
        true => word.chars().map(String::from).collect(),
        false => vec![word],
    };
    text::words(written).into_iter().flat_map(parts).collect()
}

/// Whether a text names a language, in any language.
pub(in super::super) fn names_a_language(said: &str) -> bool {
    let words = words_of(said);
    let names = |meanings: &[Meaning]| meanings.iter().any(|meaning| matches!(meaning, Meaning::Language(_)));
    SIGNS.iter().any(|signs| {
        (0..words.len()).any(|at| signs.longest(&words[at..]).is_some_and(|(_, meanings)| names(&meanings)))
    })
}

/// A rule without what stands in quotation marks, and what stands there.
fn quotations(rule: &str) -> (String, Vec<String>) {
    const MARKS: &[(char, char)] =
        &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('\'', '\''), ('‘', '’'), ('`', '`')];
    let (mut bare, mut quoted) = (String::new(), Vec::new());
    let mut rest = rule;
    while let Some(first) = rest.chars().next() {
        let opens_word = !bare.ends_with(char::is_alphanumeric) || !matches!(first, '"' | '\'' | '‘' | '`');
        let inner = MARKS.iter().filter(|(open, _)| *open == first && opens_word).find_map(|(open, close)| {
            let inner = &rest[open.len_utf8()..];
            let end = inner.find(*close).filter(|end| *end > 0)?;
            Some((&inner[..end], &inner[end + close.len_utf8()..]))
        });
        match inner {
            Some((inner, behind)) => {
                quoted.push(inner.trim().trim_end_matches(['.', ',']).to_owned());
                bare.push(' ');
                rest = behind;
            }
            None => {
                bare.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    quoted.retain(|phrase| phrase.chars().any(char::is_alphanumeric));
    (bare, quoted)
}
