//! What a person asked for that makes an answer speak in another's words: a story, a role, a draft, a translation.

use std::sync::LazyLock;

use super::Asked;
use super::stance::Signs;
use crate::text;

/// How many of the person's last messages a draft is worked on in: "make it shorter".
const DRAFTING: usize = 4;

/// Whether the answer may speak in another's words.
pub(super) fn is_for_other_words(asked: &Asked<'_>) -> bool {
    let is_in = |signs: &Signs, said: &str| {
        let folded = text::fold(said);
        signs.are_in(&folded, &text::split(&folded))
    };
    let recent = &asked.before[asked.before.len().saturating_sub(DRAFTING)..];
    is_in(&ROLE_PLAY, asked.question)
        || is_in(&DRAFTS, asked.question)
        || asked.before.iter().any(|said| is_in(&ROLE_PLAY, said))
        || recent.iter().any(|said| is_in(&DRAFTS, said))
}

/// Whether the person asked for a text in another language, or about one.
pub(super) fn is_about_language(question: &str) -> bool {
    let folded = text::fold(question);
    TRANSLATIONS.are_in(&folded, &text::split(&folded))
}

#[rustfmt::skip]
static ROLE_PLAY: LazyLock<Signs> = LazyLock::new(|| Signs::of(&[
    "role play", "roleplay", "rollenspiel", "jeu de rôle", "juego de rol", "gioco di ruolo", "rollenspel", "ролевая игра", "pretend", "act as", "act like", "play the",
    "play a", "you are now", "you re now", "imagine you are", "imagine you re", "imagine being", "in character", "in the voice of", "speak as", "talk like",
    "answer as", "respond as", "be my", "let s play", "tu so als", "spiel", "spiele", "stell dir vor du", "du bist jetzt", "fais comme si", "joue le rôle",
    "imagine que tu", "imagine que vous", "tu es maintenant", "actúa como", "haz de", "finge", "imagina que eres", "finja", "aja como", "imagine que você", "fai finta",
    "immagina di", "comportati come", "doe alsof", "speel", "stel je voor", "представь что ты", "притворись", "сыграй", "ты теперь", "gibi davran", "rol yap",
    "تظاهر", "تخيل انك", "कल्पना करो", "भूमिका", "扮演", "假装", "假裝", "角色", "ロールプレイ", "ふりをして", "なりきって", "役を", "역할", "척해", "인 척",
]));

#[rustfmt::skip]
static DRAFTS: LazyLock<Signs> = LazyLock::new(|| Signs::of(&[
    "write", "rewrite", "draft", "compose", "story", "stories", "tale", "poem", "poetry", "lyrics", "song", "novel", "fiction", "dialogue", "dialog", "monologue", "diary",
    "script", "screenplay", "essay", "letter", "speech", "bio", "biography", "cover letter", "joke", "caption", "character", "quote", "quotes", "continue", "proofread",
    "improve", "edit", "polish", "shorten", "reword", "email", "e mail", "post", "tweet", "paragraph", "resume", "cv", "profile", "introduce myself", "introduction", "template", "my text", "my draft",
    "translate", "translation", "how do you say", "how to say", "paraphrase", "rephrase", "correct this", "summarize", "summarise", "example sentence", "sentence with",
    "schreib", "schreibe", "schreiben", "verfasse", "formuliere", "geschichte", "gedicht", "erzähl", "erzähle", "brief", "rede", "aufsatz", "lied", "witz", "übersetze", "übersetz",
    "wie sagt man", "was heisst", "korrigiere", "beispielsatz", "zitat",
    "écris", "écrire", "rédige", "rédiger", "histoire", "poème", "lettre", "discours", "raconte", "chanson", "blague", "traduis", "traduire", "comment dit on", "corrige",
    "escribe", "escribir", "redacta", "cuento", "historia", "poema", "carta", "discurso", "cuéntame", "canción", "chiste", "traduce", "traducir", "cómo se dice", "corrige",
    "escreva", "escrever", "redija", "conto", "história", "conte", "canção", "piada", "traduza", "como se diz", "corrija",
    "scrivi", "scrivere", "racconto", "storia", "poesia", "lettera", "discorso", "raccontami", "canzone", "traduci", "come si dice", "correggi",
    "schrijf", "verhaal", "gedicht", "vertel", "liedje", "vertaal", "hoe zeg je", "напиши", "напишите", "рассказ", "историю", "стих", "письмо", "переведи", "расскажи", "сказку",
    "yaz", "hikaye", "şiir", "mektup", "çevir", "anlat", "اكتب", "قصة", "قصيدة", "رسالة", "ترجم", "लिखो", "लिखें", "कहानी", "कविता", "अनुवाद",
    "写", "寫", "故事", "诗", "詩", "作文", "翻译", "翻譯", "小说", "小說", "怎么说", "書いて", "物語", "小説", "手紙", "訳して", "翻訳", "써줘", "써 줘", "이야기", "소설", "편지", "번역",
]));

/// Whether the person asked for a key or token to look at: an example, or a new one.
pub(super) fn is_for_a_key(question: &str) -> bool {
    let folded = text::fold(question);
    let words = text::split(&folded);
    KEYS.are_in(&folded, &words) && MADE_UP.are_in(&folded, &words)
}

#[rustfmt::skip]
static KEYS: LazyLock<Signs> = LazyLock::new(|| Signs::of(&[
    "key", "keys", "token", "tokens", "jwt", "secret", "schlüssel", "clé", "clave", "chave", "chiave", "sleutel", "ключ", "токен", "anahtar", "密钥", "令牌", "キー", "トークン", "키", "토큰",
]));

#[rustfmt::skip]
static MADE_UP: LazyLock<Signs> = LazyLock::new(|| Signs::of(&[
    "example", "examples", "sample", "generate", "random", "dummy", "fake", "make up", "look like", "looks like", "jwt", "beispiel", "erzeuge", "generiere", "exemple", "génère", "ejemplo", "genera", "exemplo",
    "gere", "esempio", "voorbeeld", "пример", "сгенерируй", "örnek", "例子", "示例", "生成", "例を", "サンプル", "예시", "생성",
]));

#[rustfmt::skip]
static TRANSLATIONS: LazyLock<Signs> = LazyLock::new(|| Signs::of(&[
    "translate", "translation", "translated", "how do you say", "how to say", "how would you say", "in english", "in german", "in french", "in spanish", "in italian", "in portuguese", "in dutch",
    "in russian", "in turkish", "in japanese", "in chinese", "in korean", "in arabic", "in hindi", "language", "grammar", "vocabulary", "proofread", "correct", "sentence", "word", "words", "lyrics",
    "poem", "letter", "email", "write", "summarize", "summarise", "learn", "practice", "practise",
    "übersetze", "übersetz", "übersetzen", "übersetzung", "auf englisch", "auf deutsch", "auf französisch", "auf spanisch", "auf italienisch", "wie sagt man", "was heisst", "sprache",
    "korrigiere", "schreib", "schreibe", "grammatik", "traduis", "traduire", "traduction", "en anglais", "en français", "en allemand", "en espagnol", "comment dit on", "corrige", "langue", "écris",
    "traduce", "traducir", "traducción", "en inglés", "en español", "en francés", "en alemán", "cómo se dice", "idioma", "escribe", "traduza", "tradução", "em inglês", "em português", "como se diz",
    "escreva", "traduci", "tradurre", "in inglese", "in italiano", "come si dice", "scrivi", "vertaal", "in het engels", "in het nederlands", "hoe zeg je", "schrijf", "переведи", "перевод", "по английски",
    "по русски", "напиши", "çevir", "ingilizce", "türkçe", "ترجم", "بالانجليزية", "بالعربية", "अनुवाद", "अंग्रेजी", "翻译", "翻譯", "英文", "英语", "中文", "怎么说", "訳", "英語", "日本語", "번역", "영어", "한국어",
]));
