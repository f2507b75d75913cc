//! The languages whose words Atlas knows, and in which of them a text is.

use std::sync::LazyLock;

use whatlang::{Detector, Lang};

/// A language with a data file in `text/lexicons`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(Lang);

/// The languages that have a data file, with their ISO 639-1 codes.
pub(super) const KNOWN: [(Lang, &str); 17] = [
    (Lang::Eng, "en"),
    (Lang::Deu, "de"),
    (Lang::Spa, "es"),
    (Lang::Fra, "fr"),
    (Lang::Por, "pt"),
    (Lang::Ita, "it"),
    (Lang::Nld, "nl"),
    (Lang::Pol, "pl"),
    (Lang::Tur, "tr"),
    (Lang::Rus, "ru"),
    (Lang::Ukr, "uk"),
    (Lang::Ara, "ar"),
    (Lang::Hin, "hi"),
    (Lang::Jpn, "ja"),
    (Lang::Cmn, "zh"),
    (Lang::Kor, "ko"),
    (Lang::Tha, "th"),
];

static DETECTOR: LazyLock<Detector> =
    LazyLock::new(|| Detector::with_allowlist(KNOWN.iter().map(|(lang, _)| *lang).collect()));

impl Language {
    /// All that have a data file.
    pub fn all() -> impl Iterator<Item = Self> {
        KNOWN.iter().map(|(lang, _)| Self(*lang))
    }

    /// The ISO 639-1 code: `en`.
    pub fn code(self) -> &'static str {
        KNOWN.iter().find(|(lang, _)| *lang == self.0).map_or("en", |(_, code)| code)
    }
}

/// The languages that a text may be in, the likeliest first. A short text may be in any language of its script.
pub fn likely(text: &str) -> Vec<Language> {
    let Some(found) = DETECTOR.detect(text) else { return Language::all().collect() };
    let first = Language(found.lang());
    if found.is_reliable() {
        return vec![first];
    }
    let script = found.script();
    let others = Language::all().filter(|other| *other != first && script.langs().contains(&other.0));
    std::iter::once(first).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> &'static str {
        likely(text)[0].code()
    }

    #[test]
    fn a_sentence_tells_its_language() {
        for (text, code) in [
            ("The weather has been terrible since we came back from the lake.", "en"),
            ("Gestern sind wir mit dem Fahrrad bis nach Hause gefahren.", "de"),
            ("Вчера мы весь вечер читали книгу.", "ru"),
            ("昨日は図書館で本を読みました。", "ja"),
            ("昨天我们在图书馆看书。", "zh"),
            ("어제 도서관에서 책을 읽었어요.", "ko"),
        ] {
            assert_eq!(first(text), code, "{text}");
        }
    }

    #[test]
    fn a_short_text_may_be_in_any_language_of_its_script() {
        let codes: Vec<_> = likely("ok").into_iter().map(Language::code).collect();
        assert!(codes.contains(&"en") && codes.contains(&"de") && !codes.contains(&"ru"), "{codes:?}");
    }
}
