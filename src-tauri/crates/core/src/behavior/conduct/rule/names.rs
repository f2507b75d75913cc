//! What languages are called, in the languages that people write rules in.

use super::reading::{Reading, taken};

/// A language's code, and its names; folded they are compared.
#[rustfmt::skip]
const LANGUAGES: &[(&str, &[&str])] = &[
    ("en", &["english", "englisch", "englischer sprache", "anglais", "inglés", "inglês", "inglese", "engels", "английском", "английском языке", "по английски", "ingilizce", "الانجليزية", "अंग्रेजी"]),
    ("de", &["german", "deutsch", "deutscher sprache", "allemand", "alemán", "alemão", "tedesco", "duits", "немецком", "по немецки", "almanca", "الالمانية", "जर्मन"]),
    ("fr", &["french", "französisch", "français", "francés", "francês", "francese", "frans", "французском", "по французски", "fransızca", "الفرنسية", "फ्रेंच"]),
    ("es", &["spanish", "spanisch", "espagnol", "español", "castellano", "espanhol", "spagnolo", "spaans", "испанском", "по испански", "ispanyolca", "الاسبانية", "स्पेनिश"]),
    ("pt", &["portuguese", "portugiesisch", "portugais", "portugués", "português", "portoghese", "portugees", "португальском", "portekizce", "البرتغالية"]),
    ("it", &["italian", "italienisch", "italien", "italiano", "italiaans", "итальянском", "по итальянски", "italyanca", "الايطالية"]),
    ("nl", &["dutch", "niederländisch", "holländisch", "néerlandais", "neerlandés", "holandés", "holandês", "olandese", "nederlands", "голландском", "hollandaca"]),
    ("ru", &["russian", "russisch", "russe", "ruso", "russo", "русском", "русском языке", "по русски", "rusça", "الروسية", "रूसी"]),
    ("tr", &["turkish", "türkisch", "turc", "turco", "turks", "турецком", "türkçe", "التركية"]),
    ("pl", &["polish", "polnisch", "polonais", "polaco", "polonês", "polacco", "pools", "польском", "polsku", "lehçe"]),
    ("ja", &["japanese", "japanisch", "japonais", "japonés", "japonês", "giapponese", "japans", "японском", "japonca"]),
    ("zh", &["chinese", "mandarin", "chinesisch", "chinois", "chino", "chinês", "cinese", "chinees", "китайском", "çince"]),
    ("ko", &["korean", "koreanisch", "coréen", "coreano", "koreaans", "корейском", "korece"]),
    ("ar", &["arabic", "arabisch", "arabe", "árabe", "arabo", "арабском", "arapça", "العربية", "بالعربية"]),
    ("hi", &["hindi", "हिन्दी", "हिंदी"]),
];

const UNSPACED: &[(&str, &[&str])] = &[
    ("en", &["英语", "英文", "英語", "영어"]),
    ("de", &["德语", "德文", "ドイツ語", "독일어"]),
    ("fr", &["法语", "法文", "フランス語", "프랑스어"]),
    ("es", &["西班牙语", "スペイン語", "스페인어"]),
    ("ja", &["日语", "日文", "日本語", "일본어"]),
    ("zh", &["中文", "汉语", "中国語", "普通话", "중국어"]),
    ("ko", &["韩语", "韩文", "韓国語", "한국어"]),
];

/// Takes the language that a rule names away; `None` where it names none, or two.
pub(super) fn take_language(rule: &mut Reading) -> Option<&'static str> {
    let mut found = LANGUAGES.iter().filter(|(_, names)| rule.take(&taken(names))).map(|(code, _)| *code);
    let first = found.next()?;
    // All names are taken before the next is looked for, so a second one is another language.
    found.next().is_none().then_some(first)
}

/// The language that a rule of a script without spaces names.
pub(super) fn language_in(folded: &str) -> Option<&'static str> {
    let mut found = UNSPACED.iter().filter(|(_, names)| names.iter().any(|name| folded.contains(name)));
    let (code, _) = found.next()?;
    found.next().is_none().then_some(*code)
}

/// Whether such a rule is about answering.
pub(super) fn has_unspaced_answer(folded: &str) -> bool {
    ["回答", "回复", "回覆", "用", "说", "答え", "返答", "話", "で書", "대답", "답변", "답해", "말해"]
        .iter()
        .any(|sign| folded.contains(sign))
}
