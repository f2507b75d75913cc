//! What is no fact: small talk, words about the conversation itself, and the assistant's own words about itself.

use crate::memory::language::relation::{self, USER};
use crate::text;

/// Names under which a model speaks of itself.
#[rustfmt::skip]
const ASSISTANT: &[&str] = &[
    "assistant", "ai", "ai assistant", "bot", "chatbot", "model", "language model", "llm", "system",
    "system prompt", "prompt", "conversation", "chat", "this conversation", "assistant's name", "助手",
    "机器人", "アシスタント", "어시스턴트", "assistent", "asistente",
];

/// Relations that tell what happened in the conversation, not what is so.
#[rustfmt::skip]
const ABOUT_THE_CONVERSATION: &[&str] = &[
    "said", "says", "say", "asked", "asks", "asked about", "asks about", "asked for", "asks for",
    "asking about", "asking", "asked to", "requested", "requests", "wants to know", "inquired about",
    "inquires about", "mentioned", "mentions", "told", "tells", "greeted", "greets", "thanked", "thanks",
    "replied", "responded", "answered", "confirmed", "agreed", "agreed to", "talked about", "talks about",
    "discussed", "discusses", "chatting about", "query", "question", "request", "message", "intent",
    "intention", "greeting", "current topic", "conversation topic", "topic of conversation", "last message",
    "instruction", "instructed", "is talking to", "talking to", "chats with", "interacts with", "expressed",
    "expresses gratitude", "said hello", "problem statement", "task", "current task", "问", "说", "询问", "needs help", "needs help with", "wants help", "wants help with", "seeks help with",
    "looking for help with", "looking for advice on", "seeks advice on", "interested in knowing", "wants answer to", "curious about",
    "prompted", "wrote", "sent", "pasted", "shared", "uploaded", "quoted", "wants assistant to", "wants atlas to", "instructs",
    "instruction to assistant", "frage", "bittet um", "fragt nach", "demande", "pregunta", "pide", "pergunta", "質問", "質問した", "질문",
];

/// Values that say nothing.
#[rustfmt::skip]
const NOTHING: &[&str] = &[
    "none", "null", "unknown", "n/a", "na", "not specified", "unspecified", "not mentioned", "not provided",
    "undefined", "nothing", "no information", "tbd", "?", "unbekannt", "未知", "无", "不明",
];

#[rustfmt::skip]
const SMALL_TALK: &[&str] = &[
    "hi", "hello", "hey", "hello there", "good morning", "good evening", "good night", "thanks", "thank you",
    "thx", "ok", "okay", "lol", "haha", "bye", "goodbye", "great", "cool", "nice", "sure", "yep", "nope",
    "please", "hallo", "danke", "bonjour", "merci", "hola", "gracias", "你好", "谢谢", "こんにちは",
    "ありがとう", "안녕", "you're welcome", "you are welcome", "i have a question", "let's start", "let's go", "not quite", "hm, not quite", "de nada", "dankeschon",
    "danke schon", "test", "testing", "great answer", "good answer", "exactly what i needed", "perfect, exactly what i needed", "助かりました", "ありがとう、助かりました",
];

/// Whether a value is a placeholder.
pub fn says_nothing(value: &str) -> bool {
    NOTHING.contains(&text::fold(value).trim())
}

/// Whether a message is a greeting, a thank-you or the like and nothing else.
pub fn is_small_talk(said: &str) -> bool {
    const LONGEST: usize = 60;
    if said.len() > LONGEST {
        return false;
    }
    let folded = text::fold(said);
    SMALL_TALK.contains(&folded.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Whether a sentence has only words of courtesy and agreement: "Thanks, that was great." states nothing.
pub fn is_chatter(sentence: &str) -> bool {
    #[rustfmt::skip]
    const CHATTER: &[&str] = &[
        "thanks", "thank", "you", "thx", "ty", "that", "this", "it", "was", "is", "s", "so", "very", "really", "great", "good", "nice", "cool",
        "perfect", "awesome", "amazing", "excellent", "wonderful", "lovely", "fine", "helpful", "helps", "helped", "a", "the", "lot", "much",
        "ok", "okay", "do", "yes", "no", "yep", "yeah", "nope", "sure", "please", "hello", "hi", "hey", "there", "bye", "goodbye", "morning",
        "afternoon", "evening", "night", "see", "later", "tomorrow", "got", "i", "understand", "lol", "haha", "hahaha", "wow", "oh", "ah", "hm",
        "hmm", "well", "done", "job", "work", "again", "more", "one", "another", "go", "on", "continue", "next", "right", "exactly", "correct",
        "agreed", "indeed", "danke", "super", "toll", "gut", "ja", "nein", "hallo", "merci", "oui", "non", "bonjour", "gracias", "si", "hola",
        "vale", "obrigado", "obrigada", "sim", "grazie", "ciao", "atlas",
        "brb", "np", "gtg", "ttyl", "omg", "idk", "hehe", "rofl", "let", "me", "think", "take", "your", "time", "best", "bot", "buddy", "friend", "mate", "short",
        "shorter", "how", "are", "guten", "morgen", "abend", "tag", "nacht", "gute", "vielen", "dank", "bitte", "schon", "super", "prima", "genau", "klar", "tschuss", "servus", "moin",
        "wie", "geht", "es", "dir", "beaucoup", "salut", "bonsoir", "bonne", "nuit", "ca", "va", "parfait", "genial", "merci", "d'accord", "muchas", "buenos", "buenas", "dias", "tardes", "noches",
        "que", "tal", "perfecto", "claro", "adios", "muito", "bom", "boa", "dia", "noite", "tudo", "bem", "perfeito", "grazie", "mille", "buongiorno", "buonasera", "perfetto",
        "dank", "je", "wel", "bedankt", "goedemorgen", "спасибо", "большое", "привет", "пока", "да", "нет", "хорошо", "отлично", "доброе", "утро", "здравствуите", "dzieki", "dziekuje",
        "bardzo", "czesc", "tak", "nie", "dobrze", "tesekkurler", "tesekkur", "ederim", "merhaba", "evet", "hayır", "tamam", "günaydın", "gunaydın", "شكرا", "جزيلا", "مرحبا", "نعم", "لا", "حسنا",
        "السلام", "عليكم", "धन्यवाद", "नमस्ते", "हाँ", "ठीक", "है", "תודה", "שלום", "cam", "on", "chao", "terima", "kasih", "halo",
    ];
    #[rustfmt::skip]
    const UNSPACED: &[&str] = &[
        "继续", "好的", "好", "好吧", "谢谢", "谢谢你", "可以", "是的", "对", "嗯", "明白", "明白了", "早上好", "晚安", "再见", "はい", "ありがとう",
        "ありがとうございます", "続けて", "了解", "おはよう", "네", "응", "계속", "계속해", "감사합니다", "고마워", "안녕하세요", "좋아", "ขอบคุณ", "สวัสดี",
        "太好了", "非常感谢", "多谢", "不错", "哈哈", "哈哈哈", "辛苦了", "没问题", "再见", "早安", "您好", "どうも", "お疲れ様", "お疲れ様です", "すごい", "なるほど", "そうです", "いいえ", "こんばんは",
        "おやすみ", "ありがとうございました", "고마워요", "감사해요", "네네", "알겠어", "알겠습니다", "좋아요", "잘자", "ㅋㅋ", "ㅋㅋㅋ", "ขอบคุณครับ", "ขอบคุณค่ะ", "สวัสดีครับ", "สวัสดีค่ะ", "ครับ", "ค่ะ", "ดีมาก",
    ];
    if is_small_talk(sentence) {
        return true;
    }
    let words = text::words(sentence);
    let parts = sentence.split(['，', ',', '、', '!', '！', '~', ' ']);
    let mut said = parts.map(|part| text::words(part).concat()).filter(|part| !part.is_empty()).peekable();
    if said.peek().is_some_and(|first| first.chars().any(text::is_unspaced)) {
        return said.all(|part| UNSPACED.contains(&part.as_str()));
    }
    words.len() <= 8 && words.iter().all(|word| CHATTER.contains(&word.as_str()))
}

/// Whether a relation is a word that needs another one: "for", "with".
pub fn relates_nothing(relation: &str) -> bool {
    ["for", "with", "to", "of", "by", "and", "the", "a", "is it", "that"].contains(&text::fold(relation).trim())
}

/// Whether a candidate tells of the conversation or the assistant rather than of the world.
pub fn is_no_fact(subject_key: &str, relation: &str, value: &str, agent: &str) -> bool {
    let owner = subject_key.split("'s ").next().unwrap_or(subject_key);
    let agent = text::fold(agent);
    let about_itself = ASSISTANT.contains(&owner) || (!agent.is_empty() && owner == agent);
    let words = relation::relation_words(relation);
    let bare = ["is ", "are ", "was ", "has ", "have "].iter().find_map(|be| words.strip_prefix(be)).unwrap_or(&words);
    let about_talking = ABOUT_THE_CONVERSATION.contains(&bare) && subject_key == USER;
    let said = text::fold(value);
    let of_the_assistant =
        ["assistant is ", "the assistant", "you are ", "atlas "].iter().any(|start| said.starts_with(start))
            || (!agent.is_empty()
                && said == agent
                && matches!(words.as_str(), "name" | "called" | "is" | "likes" | "talks to" | "uses"));
    let chatter = of_the_assistant || SMALL_TALK.contains(&text::fold(value).trim_end_matches(['!', '.']));
    about_itself || about_talking || chatter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_about_the_talk_is_no_fact() {
        for (subject, relation, value) in [
            ("assistant", "is", "warm but direct"),
            ("user", "said", "ok do that"),
            ("user", "asked about", "weather"),
            ("user", "is asking about", "weather"),
            ("mira", "never", "pretends to be human"),
            ("user", "greeting", "Hi!"),
        ] {
            assert!(is_no_fact(subject, relation, value, "Mira"), "{subject} {relation}");
        }
        assert!(!is_no_fact("user", "lives in", "Porto", "Mira"));
        assert!(!is_no_fact("mara", "told", "a joke", "Mira"));
        assert!(says_nothing("Unknown"));
    }
}
