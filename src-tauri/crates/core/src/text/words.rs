//! Text made comparable: folding, words, sentences, stems, and the pieces of scripts that write no spaces.
//!
//! Everything here is pure. Nothing that a person wrote is stored in this form; it serves to compare and to find. Words of
//! languages come from the lexicons.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::lexicon;

/// Compatibility-folded, lower case, without accents and without what cannot be seen. Letters that people do not tell apart
/// are one: ı and i, ς and σ, ى and ي, ک and ك, ة and ه. Digits of all scripts are ASCII.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|&c| !is_accent(c) && !is_invisible(c)).nfc().flat_map(char::to_lowercase) {
        match c {
            'ß' => folded.push_str("ss"),
            'œ' => folded.push_str("oe"),
            'æ' => folded.push_str("ae"),
            // What the lower case of "İ" leaves.
            '\u{0307}' => {}
            other => folded.push(plain_letter(other)),
        }
    }
    folded
}

fn plain_letter(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{02BC}' | '\u{0060}' | '\u{00B4}' => '\'',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        'ł' => 'l',
        'ø' => 'o',
        'đ' => 'd',
        'ı' => 'i',
        'ς' => 'σ',
        'ى' | 'ی' => 'ي',
        'ک' => 'ك',
        'ة' => 'ه',
        other => ascii_digit(other).unwrap_or(other),
    }
}

/// A digit of another script in ASCII. Where a script's digits begin is from Unicode's category Nd.
fn ascii_digit(c: char) -> Option<char> {
    const ZEROS: [char; 26] = [
        '٠', '۰', '߀', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '෦', '๐', '໐', '༠', '၀', '႐', '០', '᠐', '᥆', '᧐',
        '᪀', '᭐', '᱀', '꩐',
    ];
    if c < ZEROS[0] {
        return None;
    }
    let value = ZEROS.iter().find_map(|zero| u32::from(c).checked_sub(u32::from(*zero)).filter(|value| *value < 10))?;
    char::from_digit(value, 10)
}

/// Text in one form, without control characters, runs of spaces and quotation marks around it.
pub fn clean(text: &str) -> String {
    let plain: String = text
        .nfc()
        .filter(|c| !c.is_control() || c.is_whitespace())
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    let spaced = plain.split(' ').filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let quotes = [('"', '"'), ('“', '”'), ('\'', '\''), ('«', '»'), ('「', '」')];
    for (open, close) in quotes {
        if let Some(inner) = spaced.strip_prefix(open).and_then(|rest| rest.strip_suffix(close))
            && !inner.contains([open, close])
        {
            return inner.trim().to_owned();
        }
    }
    spaced
}

/// The sentences of a text, each with its full stop. A stop inside a word or number ("3.5", "a.b") ends nothing.
pub fn sentences(said: &str) -> Vec<&str> {
    let mut start = 0;
    let mut sentences: Vec<&str> = sentence_ends(said)
        .into_iter()
        .chain([said.len()])
        .map(|end| said[std::mem::replace(&mut start, end)..end].trim())
        .collect();
    sentences.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    sentences
}

/// Where the sentences of a text end, in bytes: behind each full stop and each line.
///
/// Invariant: what stands behind a stop and the space after it changes nothing, so that a text that still grows has the same
/// ends. Unicode's bounds of sentences look further ahead.
pub fn sentence_ends(said: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    let mut chars = said.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_end = match c {
            '.' | '!' | '?' => {
                let is_last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
                is_last && !(c == '.' && is_abbreviation(&said[start..at]))
            }
            // The stops of other scripts need no space.
            '\n' | '。' | '！' | '？' | '؟' | '۔' | '।' => true,
            _ => false,
        };
        if is_end {
            start = at + c.len_utf8();
            ends.push(start);
        }
    }
    ends
}

/// Whether a text ends with an abbreviation, an initial, or the number of a day: "Dr", "J", "14".
fn is_abbreviation(before: &str) -> bool {
    let last = before.rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default();
    let last = last.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_known = |word: &str| lexicon::all().any(|lexicon| lexicon.abbreviations.iter().any(|known| known == word));
    !last.is_empty()
        && (last.len() <= 2 && last.bytes().all(|b| b.is_ascii_digit())
            || last.chars().count() == 1 && last.chars().all(char::is_uppercase) && last != "I"
            || is_known(&last.to_lowercase()))
}

/// Marks that may be left out without changing the word: Latin accents, Hebrew points, Arabic vowels and tatweel.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{0591}'..='\u{05C7}' | '\u{0610}'..='\u{061A}' | '\u{0640}' | '\u{064B}'..='\u{065F}' | '\u{0670}')
}

/// Characters without width, direction marks, tags: they can hide a word inside another.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Whether a script writes its words without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese), or glues particles to
/// them so closely that spaces do not help to find them (Korean).
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// The words of a text, folded. A run of an unspaced script is one word.
pub fn words(text: &str) -> Vec<String> {
    split(&fold(text))
}

/// The words of a text as they are written.
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut unspaced = false;
    for c in text.chars() {
        let part = c.is_alphanumeric() || is_combining_mark(c);
        let other_script = !word.is_empty() && part && !is_combining_mark(c) && is_unspaced(c) != unspaced;
        if (!part || other_script) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if part {
            if !is_combining_mark(c) {
                unspaced = is_unspaced(c);
            }
            word.push(c);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The words that carry meaning: without stop words, each as its stem, numbers as digits.
pub fn content(text: &str) -> Vec<String> {
    words(text).iter().filter(|word| !is_stop_word(word)).map(|word| stem(&digits(word))).collect()
}

/// The pieces by which a run of an unspaced script is found: its pairs of characters, or the one that it has. Marks are
/// left out, because the index splits at them.
pub fn pieces(run: &str) -> Vec<String> {
    let chars: Vec<char> = run.chars().filter(|c| !is_combining_mark(*c)).collect();
    match chars.len() {
        0 => Vec::new(),
        1 => vec![chars[0].to_string()],
        _ => chars.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

/// The stem of one folded word: Snowball's English for ASCII, so that "lives", "living" and "live" meet; any other word, and a
/// word with digits, as it is.
pub fn stem(word: &str) -> String {
    if word.bytes().all(|b| b.is_ascii_lowercase()) { STEMMER.stem(word).into_owned() } else { word.to_owned() }
}

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// A number word of any language as its digits, "forty-one" too; any other word as it is.
pub fn digits(word: &str) -> String {
    let number = |word: &str| NUMBERS.get(word).copied();
    if let Some((tens, ones)) = word.split_once('-')
        && let (Some(tens @ 20..=90), Some(ones @ 1..=9)) = (number(tens), number(ones))
    {
        return (tens + ones).to_string();
    }
    number(word).map_or_else(|| word.to_owned(), |number| number.to_string())
}

/// The number words that are no other word anywhere: "due" is two in Italian, and more often it is English.
static NUMBERS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let is_clear =
        |word: &str| !is_stop_word(word) && !lexicon::all().any(|other| other.no_numbers.iter().any(|no| no == word));
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    for (number, words) in lexicon::all().flat_map(|lexicon| &lexicon.numbers) {
        for word in words.iter().filter(|word| is_clear(word)) {
            numbers.entry(word).or_insert(*number);
        }
    }
    numbers
});

/// Words that say nothing about what a text is about, in any language.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

static STOP_WORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| lexicon::all().flat_map(|lexicon| &lexicon.stop_words).map(String::as_str).collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_removes_case_accents_width_and_what_cannot_be_seen() {
        assert_eq!(fold("ＣＡＦÉ"), "cafe");
        assert_eq!(fold("Cafe\u{301}"), "cafe");
        assert_eq!(fold("mem\u{200B}ory"), "memory");
        assert_eq!(fold("don’t"), "don't");
        assert_eq!(fold("Łódź, SŒUR, Ørsted"), "lodz, soeur, orsted");
        assert_eq!(fold("がぎ ガ"), "がぎ ガ");
        assert_eq!(fold("부산"), "부산");
    }

    #[test]
    fn letters_that_people_do_not_tell_apart_are_one() {
        for (a, b) in [
            ("Işık", "isik"),
            ("ISPARTA", "ısparta"),
            ("İzmir", "izmir"),
            ("ΟΔΟΣ", "οδός"),
            ("علی", "علي"),
            ("على", "علي"),
            ("کتاب", "كتاب"),
            ("مدرسة", "مدرسه"),
            ("ёлка", "елка"),
            ("٧٣ ۷۳ ७३ ๗๓ ７３", "73 73 73 73 73"),
        ] {
            assert_eq!(fold(a), fold(b), "{a} {b}");
        }
    }

    #[test]
    fn sentences_end_at_stops_of_any_script_and_not_behind_abbreviations() {
        for (said, expected) in [
            ("Dr. Osei called. we meet at 3.5 km! Fine", vec!["Dr. Osei called.", "we meet at 3.5 km!", "Fine"]),
            ("Am 14. Mai bin ich z.B. im Garten. Du auch?", vec!["Am 14. Mai bin ich z.B. im Garten.", "Du auch?"]),
            ("今天下雨。明天呢？", vec!["今天下雨。", "明天呢？"]),
            ("هل وصلت؟ نعم", vec!["هل وصلت؟", "نعم"]),
            ("मैं घर पर हूँ। तुम कहाँ हो?", vec!["मैं घर पर हूँ।", "तुम कहाँ हो?"]),
            ("one line\nanother", vec!["one line", "another"]),
        ] {
            assert_eq!(sentences(said), expected, "{said}");
        }
    }

    #[test]
    fn words_split_between_scripts_and_keep_marks() {
        assert_eq!(words("GitHub备份脚本 C++, don't"), ["github", "备份脚本", "c", "don", "t"]);
        assert_eq!(words("ปลูกกล้วยไม้!"), ["ปลูกกล้วยไม้"]);
        assert_eq!(words("हिन्दी"), ["हिन्दी"]);
    }

    #[test]
    fn stems_let_forms_of_one_word_meet() {
        for (a, b) in
            [("lives", "living"), ("lives", "live"), ("peanuts", "peanut"), ("hobbies", "hobby"), ("stopped", "stop")]
        {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
        assert_ne!(stem("12"), stem("21"));
        assert_eq!(stem("東京"), "東京");
    }

    #[test]
    fn unspaced_text_is_cut_into_pairs() {
        assert_eq!(pieces("葵"), ["葵"]);
        assert_eq!(pieces("备份脚"), ["备份", "份脚"]);
    }

    #[test]
    fn number_words_are_digits() {
        assert_eq!(content("Two weeks, zwei Wochen, две недели"), ["2", "week", "2", "wochen", "2", "недели"]);
        assert_eq!(digits("forty-one"), "41");
        assert_eq!(["due", "once", "on"].map(digits), ["due", "once", "on"]);
    }
}
