//! Text made comparable: folding, words, stems, and the pieces of scripts that write no spaces.
//!
//! Everything here is pure. Nothing that a person wrote is stored in this form; it serves to compare and to find.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Compatibility-folded, lower case, without accents and without what cannot be seen.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfkd()
        .filter(|&c| !is_accent(c) && !is_invisible(c))
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' | '\u{02BC}' | '\u{0060}' | '\u{00B4}' => '\'',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            'ł' | 'Ł' => 'l',
            'ø' | 'Ø' => 'o',
            'đ' | 'Đ' => 'd',
            other => other,
        })
        .nfc()
        .flat_map(char::to_lowercase)
        .collect::<String>()
        .replace('ß', "ss")
        .replace('œ', "oe")
        .replace('æ', "ae")
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
pub fn sentence_ends(said: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    let mut chars = said.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_end = matches!(c, '\n' | '。' | '！' | '？')
            || (matches!(c, '.' | '!' | '?')
                && next.is_none_or(char::is_whitespace)
                && !is_abbreviation(&said[start..at]));
        if is_end {
            start = at + c.len_utf8();
            ends.push(start);
        }
    }
    ends
}

fn is_abbreviation(before: &str) -> bool {
    let last = before.rsplit(|c: char| c.is_whitespace()).next().unwrap_or("");
    matches!(
        last.to_lowercase().as_str(),
        "mr" | "mrs" | "ms" | "dr" | "st" | "prof" | "e.g" | "i.e" | "no" | "vs" | "approx" | "z.b"
    ) || last.chars().all(|c| c.is_ascii_digit()) && !last.is_empty() && last.len() <= 2
        || last.chars().count() == 1 && last.chars().all(char::is_uppercase) && last != "I"
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

/// A light stem: enough that "lives", "living" and "live", or "peanuts" and "peanut", meet. Words of other scripts and
/// words with digits are left alone.
pub fn stem(word: &str) -> String {
    if !word.bytes().all(|b| b.is_ascii_lowercase()) || word.len() < 4 {
        return word.to_owned();
    }
    let cut = |n: usize| &word[..word.len() - n];
    let base = if word.ends_with("ies") && word.len() > 4 {
        format!("{}y", cut(3))
    } else if word.ends_with("sses") || word.ends_with("shes") || word.ends_with("ches") || word.ends_with("xes") {
        cut(2).to_owned()
    } else if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is") {
        cut(1).to_owned()
    } else if word.ends_with("ing") && has_vowel(cut(3)) && word.len() > 5 {
        undouble(cut(3))
    } else if word.ends_with("ed") && has_vowel(cut(2)) && word.len() > 4 {
        undouble(cut(2))
    } else {
        word.to_owned()
    };
    base.strip_suffix('e').filter(|rest| rest.len() >= 3).map(str::to_owned).unwrap_or(base)
}

fn has_vowel(word: &str) -> bool {
    word.bytes().any(|b| b"aeiouy".contains(&b))
}

fn undouble(word: &str) -> String {
    let bytes = word.as_bytes();
    match bytes {
        [.., a, b] if a == b && !b"lsz".contains(b) => word[..word.len() - 1].to_owned(),
        _ => word.to_owned(),
    }
}

/// A number word as its digits, "forty-one" too; any other word as it is.
pub fn digits(word: &str) -> String {
    let one = |word: &str| number_word(word).and_then(|digits| digits.parse::<u32>().ok());
    if let Some((tens, ones)) = word.split_once('-')
        && let (Some(tens @ 20..=90), Some(ones @ 1..=9)) = (one(tens), one(ones))
    {
        return (tens + ones).to_string();
    }
    number_word(word).unwrap_or(word).to_owned()
}

fn number_word(word: &str) -> Option<&'static str> {
    #[rustfmt::skip]
    const NUMBERS: &[(&str, &[&str])] = &[
        ("0", &["zero", "null"]),
        ("1", &["one", "eins", "uno"]),
        ("2", &["two", "zwei", "deux", "dos"]),
        ("3", &["three", "drei", "trois", "tres"]),
        ("4", &["four", "vier", "quatre", "cuatro"]),
        ("5", &["five", "funf", "cinq", "cinco"]),
        ("6", &["six", "sechs", "seis"]),
        ("7", &["seven", "sieben", "sept", "siete"]),
        ("8", &["eight", "acht", "huit", "ocho"]),
        ("9", &["nine", "neun", "neuf", "nueve"]),
        ("10", &["ten", "zehn", "dix", "diez"]),
        ("11", &["eleven", "elf", "onze", "once"]),
        ("12", &["twelve", "zwolf", "douze", "doce"]),
        ("13", &["thirteen"]),
        ("14", &["fourteen"]),
        ("15", &["fifteen"]),
        ("16", &["sixteen"]),
        ("17", &["seventeen"]),
        ("18", &["eighteen"]),
        ("19", &["nineteen"]),
        ("20", &["twenty", "zwanzig", "vingt", "veinte"]),
        ("30", &["thirty", "dreissig", "trente", "treinta"]),
        ("40", &["forty", "vierzig", "quarante", "cuarenta"]),
        ("50", &["fifty", "funfzig", "cinquante", "cincuenta"]),
        ("60", &["sixty"]),
        ("70", &["seventy"]),
        ("80", &["eighty"]),
        ("90", &["ninety"]),
        ("100", &["hundred", "hundert", "cent", "cien"]),
        ("1000", &["thousand", "tausend", "mille", "mil"]),
    ];
    // "once" is eleven in Spanish and a time in English: an English text has it far more often.
    NUMBERS.iter().find(|(_, words)| word != "once" && words.contains(&word)).map(|(digits, _)| *digits)
}

/// Words that say nothing about what a text is about.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

static STOP_WORDS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| [ENGLISH, GERMAN, ROMANCE, CHINESE_JAPANESE_KOREAN].concat().into_iter().collect());

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "a", "about", "again", "all", "also", "am", "an", "and", "any", "anything", "are", "as", "at", "be", "been", "but",
    "by", "can", "could", "d", "did", "didn", "do", "does", "doesn", "don", "for", "from", "had", "has", "have", "he",
    "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "just", "know",
    "ll", "m", "may", "me", "might", "mine", "my", "no", "not", "now", "of", "ok", "on", "or", "our", "please", "re",
    "s", "shall", "she", "should", "so", "some", "still", "t", "tell", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "too", "up", "us", "ve", "very", "was", "we", "were", "what",
    "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your", "yours", "say",
    "said", "remember", "near", "user",
];

#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "aber", "auch", "auf", "aus", "bei", "bin", "bist", "das", "dass", "dein", "deine", "dem", "den", "der", "des",
    "dich", "die", "dir", "du", "ein", "eine", "einem", "einen", "einer", "er", "es", "habe", "hast", "hat", "ich",
    "ihr", "im", "ist", "mein", "meine", "meinem", "meinen", "meiner", "mich", "mir", "mit", "nicht", "oder", "sie",
    "sind", "und", "von", "war", "warum", "was", "wer", "wie", "wir", "wo", "zu", "zum", "zur",
];

#[rustfmt::skip]
const ROMANCE: &[&str] = &[
    "ai", "as", "au", "aux", "avec", "ce", "ces", "comment", "con", "cual", "cuando", "dans", "de", "del", "des",
    "donde", "du", "el", "elle", "en", "es", "est", "esta", "et", "eu", "il", "j", "je", "l", "la", "las", "le", "les",
    "lo", "los", "ma", "mes", "mi", "mis", "moi", "mon", "nous", "ou", "par", "para", "pas", "por", "pour", "qu",
    "que", "quel", "quelle", "qui", "quoi", "se", "soy", "suis", "sur", "ta", "te", "tes", "ton", "tu", "un", "una",
    "une", "vous", "y", "yo",
];

#[rustfmt::skip]
const CHINESE_JAPANESE_KOREAN: &[&str] = &[
    "的", "了", "吗", "呢", "是", "我", "你", "在", "什么", "怎么", "我的", "你的", "是什", "の", "は", "が", "を",
    "に", "で", "と", "か", "も", "です", "ます", "すか", "何で", "って", "는", "은", "이", "가", "을", "를", "에",
    "나",
];

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
        assert_eq!(stem("paris"), "paris");
    }

    #[test]
    fn unspaced_text_is_cut_into_pairs() {
        assert_eq!(pieces("葵"), ["葵"]);
        assert_eq!(pieces("备份脚"), ["备份", "份脚"]);
    }

    #[test]
    fn number_words_are_digits() {
        assert_eq!(content("Two weeks, zwei Wochen"), ["2", "week", "2", "wochen"]);
    }
}
