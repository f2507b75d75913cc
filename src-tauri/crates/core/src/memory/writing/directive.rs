//! What the person tells Atlas itself to do with memory: "Remember that …", "Forget that …", "Never remember …". It is read by
//! code, so that it works with any model.
//!
//! Only a message that begins with it counts: a quotation, a question ("Do you remember …?") or a story does not.

use chrono::{DateTime, FixedOffset};

use crate::memory::fact::FactDraft;
use crate::memory::language::{relation::USER, sentence::ASKED_TO_REMEMBER, statement, text};
use crate::memory::writing::gate;

/// What the person asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    /// Remember this.
    Remember {
        /// As facts, relative days as dates. Never empty: what is not understood is kept whole.
        facts: Vec<FactDraft>,
        /// In the person's words.
        words: String,
    },
    /// Forget what these words name; see [`crate::memory::find::named`].
    Forget(String),
    /// Never store anything on this topic.
    Seal(String),
}

/// Words between the request and what is to be remembered.
const LEADS: &[&str] = &["that ", "dass ", "que ", "che ", "что ", "dat "];

/// Words before the request that change nothing.
#[rustfmt::skip]
const POLITE: &[&str] = &[
    "please", "hey", "hi", "hello", "ok", "okay", "so", "and", "also", "atlas", "oh", "well", "now",
    "by the way", "btw", "bitte", "hallo", "s'il te plait", "por favor", "请", "請", "麻烦",
];

#[rustfmt::skip]
const CAN_YOU: &[&str] = &[
    "can you", "could you", "would you", "will you", "i want you to", "i'd like you to", "i would like you to",
    "kannst du", "konntest du", "peux-tu", "puedes",
];

#[rustfmt::skip]
const REMEMBER: &[&str] = &[
    "remember that", "remember this", "remember", "note that", "make a note that", "make a note",
    "take note that", "keep in mind that", "keep in mind", "bear in mind that", "don't forget that",
    "do not forget that", "never forget that", "save that", "save this", "memorize that", "memorise that",
    "memorize", "memorise", "merk dir", "merke dir", "denk daran", "denke daran", "erinnere dich daran",
    "vergiss nicht", "souviens-toi que", "souviens-toi qu'", "retiens que", "retiens", "rappelle-toi que",
    "n'oublie pas que", "recuerda que", "recuerda", "acuerdate de que", "no olvides que", "记住", "記住",
    "请记住", "记得", "别忘了", "覚えておいて", "覚えて",
    "ricorda che", "ricordati che", "ricorda", "lembre-se de que", "lembra-te de que", "lembra-te que",
    "lembre que", "запомни, что", "запомни что", "запомни", "onthoud dat", "onthoud", "zapamietaj, ze",
    "zapamietaj ze", "erinnere dich, dass",
];

#[rustfmt::skip]
const FORGET: &[&str] = &[
    "forget that", "forget what i said about", "forget what i told you about", "forget everything about",
    "forget all about", "forget anything about", "forget about", "forget", "delete the memory that",
    "delete the memory of", "delete the memory about", "delete what you know about", "stop remembering that",
    "stop remembering", "vergiss dass", "vergiss, dass", "vergiss", "oublie que", "oublie", "olvida que",
    "olvida", "忘记", "忘掉", "忘了", "別記", "忘れて",
    "dimentica che", "dimentica", "esqueca que", "esqueca", "esquece que", "esquece", "забудь, что",
    "забудь что", "забудь", "vergeet dat", "vergeet", "zapomnij, ze", "zapomnij",
];

#[rustfmt::skip]
const SEAL: &[&str] = &[
    "never remember anything about", "never remember", "never store anything about", "never store",
    "never save anything about", "never save", "never keep anything about", "never record anything about",
    "don't ever remember anything about", "don't ever remember", "don't remember anything about",
    "do not remember anything about", "don't store anything about", "do not store anything about",
    "don't save anything about", "do not save anything about", "don't keep anything about",
    "do not keep anything about", "don't remember", "do not remember", "don't store", "do not store",
    "do not ever remember", "never memorize anything about", "don't ever store", "don't ever save", "don't ever keep", "i don't want you to remember",
    "i never want you to remember", "i don't want you to store", "stop storing", "stop saving", "non ricordare nulla sulla mia",
    "non ricordare niente sulla mia", "non ricordare nulla su", "nao guarde nada sobre", "nunca guarde nada sobre",
    "nao se lembre de nada sobre", "никогда не запоминай ничего о", "не запоминай ничего о", "merk dir nie etwas uber",
    "merk dir niemals etwas uber", "merke dir nie etwas uber", "merk dir nichts uber", "merke dir nichts uber",
    "speichere nichts uber", "speichere nie etwas uber", "ne retiens rien sur", "ne retiens jamais rien sur",
    "ne memorise rien sur", "ne memorise jamais rien sur", "no recuerdes nada sobre",
    "nunca recuerdes nada sobre", "no guardes nada sobre", "不要记住任何关于", "不要记录任何关于",
    "不要记住关于", "不要记住", "不要记录", "永远不要记住", "别记住", "别记录",
];

/// What cannot be remembered or forgotten by words alone.
#[rustfmt::skip]
const NOT_MEANT: &[&str] = &[
    "it", "about it", "that", "this", "everything", "all", "all that", "all of it", "what i said", "me", "you",
    "anything", "nothing", "all previous instructions", "previous instructions", "your instructions",
    "the above", "es", "das", "alles", "ca", "tout", "todo", "这个", "一切",
];

/// After "remember" these begin a question or a story.
#[rustfmt::skip]
const NOT_A_FACT: &[&str] = &[
    "when", "how", "what", "who", "where", "why", "which", "if", "whether", "the time", "the day",
    "the first time", "the last time", "anything", "wann", "wie", "quand", "cuando",
];

/// Reads a message. `None` where it asks memory for nothing.
pub fn read(said: &str, now: DateTime<FixedOffset>) -> Option<Directive> {
    let said = said.trim();
    if let Some(words) = command(said, "/remember") {
        return remember(words, false, now);
    }
    if said.starts_with(['"', '“', '„', '«', '\'', '>', '`', '「', '*', '#']) {
        return None;
    }
    let (request, asked) = without_politeness(said);
    if let Some(topic) = after_any(request, SEAL) {
        return seal(topic);
    }
    if let Some(words) = after_any(request, REMEMBER) {
        // "Remember the day we met?" asks; "Can you remember that I am 41?" requests.
        if !asked && first_sentence(words).ends_with(['?', '？']) {
            return None;
        }
        return remember(words, asked, now);
    }
    if let Some(words) = after_any(request, FORGET) {
        return forget(words);
    }
    japanese(said, now)
}

fn command<'a>(said: &'a str, name: &str) -> Option<&'a str> {
    let rest = after(said, name)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// The request itself, and whether it was put as a question ("can you …").
fn without_politeness(said: &str) -> (&str, bool) {
    let (mut rest, mut asked) = (said, false);
    loop {
        let trimmed =
            rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '!' | '-' | '，' | '、'));
        let polite = POLITE.iter().find_map(|word| whole(trimmed, word));
        let can_you = CAN_YOU.iter().find_map(|word| whole(trimmed, word));
        match polite.or(can_you) {
            Some(next) => {
                asked |= polite.is_none();
                rest = next;
            }
            None => return (trimmed, asked),
        }
    }
}

fn after_any<'a>(said: &'a str, signs: &[&str]) -> Option<&'a str> {
    signs.iter().filter_map(|sign| whole(said, sign)).min_by_key(|rest| rest.len())
}

/// What follows a sign that stands as whole words.
fn whole<'a>(said: &'a str, sign: &str) -> Option<&'a str> {
    let rest = after(said, sign)?;
    let ends_word = sign.ends_with('\'')
        || sign.chars().any(text::is_unspaced)
        || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '’');
    ends_word.then_some(rest)
}

/// What follows a beginning, compared as folded text.
fn after<'a>(said: &'a str, beginning: &str) -> Option<&'a str> {
    let mut wanted = beginning.to_owned();
    for (at, c) in said.char_indices() {
        if wanted.is_empty() {
            return Some(&said[at..]);
        }
        let folded = text::fold(&c.to_string());
        wanted = wanted.strip_prefix(folded.as_str())?.to_owned();
    }
    wanted.is_empty().then_some("")
}

/// `asked` is a request that was put as a question: its question mark belongs to the politeness.
fn remember(words: &str, asked: bool, now: DateTime<FixedOffset>) -> Option<Directive> {
    // "Merk dir bitte, dass …", "覚えておいて、…": politeness and punctuation stand on this side of the verb too.
    let (words, _) = without_politeness(words.trim_start_matches([':', '：', ' ']));
    let words = LEADS.iter().find_map(|lead| after(words, lead)).unwrap_or(words).trim();
    let folded = text::fold(words);
    let bare = folded.trim_end_matches(['.', '!', '?', '。']);
    if bare.is_empty() || NOT_MEANT.contains(&bare) || NOT_A_FACT.iter().any(|sign| whole(words, sign).is_some()) {
        return None;
    }
    let mut sentences = text::sentences(words);
    if let Some(first) = sentences.first_mut().filter(|_| asked) {
        *first = first.trim_end_matches(['?', '？']);
    }
    sentences.retain(|sentence| !sentence.ends_with(['?', '？']));
    let first = sentences.first().copied().unwrap_or(words);
    let mut facts = statement::read(first);
    if facts.is_empty() {
        // The rest belongs to it: a list, a poem, an address.
        facts = vec![whole_wish(words)];
    } else {
        facts.extend(sentences.iter().skip(1).flat_map(|sentence| statement::read(sentence)));
    }
    let facts = facts.iter().map(|draft| gate::settled(draft, now.date_naive())).collect();
    Some(Directive::Remember { facts, words: words.to_owned() })
}

fn whole_wish(words: &str) -> FactDraft {
    let value = words.trim_end_matches(['.', '!', '。']).to_owned();
    FactDraft { subject: USER.into(), relation: ASKED_TO_REMEMBER.into(), value }
}

fn forget(words: &str) -> Option<Directive> {
    let words = words.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | '：' | '，'));
    let words = first_sentence(words).trim().trim_end_matches(['.', '!', '?', '。', '？']).trim();
    let folded = text::fold(words);
    let is_meant = !folded.is_empty()
        && !NOT_MEANT.contains(&folded.as_str())
        && !folded.contains("instructions")
        && !folded.starts_with("to ");
    is_meant.then(|| Directive::Forget(words.to_owned()))
}

fn seal(topic: &str) -> Option<Directive> {
    let topic = first_sentence(topic).trim().trim_end_matches(['.', '!', '?', '。']).trim();
    let topic = ["的任何事情", "的事情", "的任何信息", "的信息", "的内容", "的事"]
        .iter()
        .find_map(|end| topic.strip_suffix(end))
        .unwrap_or(topic);
    let topic = ["about ", "that ", "anything ", "things about ", "关于"]
        .iter()
        .fold(topic, |topic, lead| after(topic, lead).unwrap_or(topic));
    let bare = [
        "my ",
        "our ",
        "meine ",
        "mein ",
        "meinen ",
        "ma ",
        "mon ",
        "mes ",
        "mi ",
        "mis ",
        "minha ",
        "meu ",
        "моем ",
        "моей ",
        "我的",
        "我",
    ]
    .iter()
    .find_map(|lead| after(topic, lead))
    .unwrap_or(topic)
    .trim();
    let folded = text::fold(bare);
    let is_topic = !folded.is_empty() && !NOT_MEANT.contains(&folded.as_str()) && bare.split_whitespace().count() <= 8;
    is_topic.then(|| Directive::Seal(text::clean(bare)))
}

/// Japanese puts the request last: "…を覚えておいて", "…を忘れて", "…について覚えないで".
fn japanese(said: &str, now: DateTime<FixedOffset>) -> Option<Directive> {
    let bare = said.trim_end_matches(['。', '！', '!', '.', 'ね']);
    let bare = ["ください", "下さい"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    let ends = |signs: &[&str]| {
        signs
            .iter()
            .find_map(|end| bare.strip_suffix(end))
            .map(|rest| rest.trim_end_matches(['、', '。', 'を', 'と', ' ']).to_owned())
    };
    if let Some(topic) = ends(&["覚えないで", "記憶しないで", "保存しないで"]) {
        let topic = topic.trim_end_matches("何も").trim_end_matches(['、', 'は']);
        let topic = ["のこと", "について", "に関して"]
            .iter()
            .fold(topic, |topic, end| topic.strip_suffix(end).unwrap_or(topic));
        return Some(Directive::Seal(topic.strip_prefix("私の").unwrap_or(topic).to_owned()));
    }
    if let Some(words) = ends(&["覚えておいて", "覚えといて", "覚えて"]) {
        return remember(&words, false, now);
    }
    ends(&["忘れて"]).and_then(|words| forget(&words))
}

fn first_sentence(said: &str) -> &str {
    text::sentences(said).first().copied().unwrap_or(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(said: &str) -> Option<Directive> {
        read(said, DateTime::parse_from_rfc3339("2026-03-02T09:00:00+01:00").unwrap())
    }

    fn facts(said: &str) -> Vec<(String, String, String)> {
        match at(said) {
            Some(Directive::Remember { facts, .. }) => {
                facts.into_iter().map(|fact| (fact.subject, fact.relation, fact.value)).collect()
            }
            other => panic!("{said}: {other:?}"),
        }
    }

    #[test]
    fn what_is_to_be_remembered_becomes_facts() {
        for (said, subject, relation, value) in [
            ("Remember that I live in Tokyo", "user", "lives in", "Tokyo"),
            ("remember: I live in Tokyo.", "user", "lives in", "Tokyo"),
            ("Hey Atlas, could you please remember that I'm allergic to peanuts?", "user", "is allergic to", "peanuts"),
            ("/remember my favourite colour is green", "user", "favourite colour", "green"),
            ("Don’t forget that my flight is on Friday", "user's flight", "is on", "Friday 2026-03-06"),
            ("Please note that the demo is tomorrow.", "demo", "is on", "2026-03-03"),
            ("Remember to water the plants", "user", "asked to remember", "to water the plants"),
            (
                "Remember the wifi code: 5512, upstairs. And the other one is 77.",
                "user",
                "asked to remember",
                "the wifi code: 5512, upstairs. And the other one is 77",
            ),
            ("Merk dir, dass ich in Wien wohne", "user", "lives in", "Wien"),
            ("Souviens-toi que j'habite à Lyon", "user", "lives in", "Lyon"),
            ("Recuerda que vivo en Bogotá", "user", "lives in", "Bogotá"),
            ("记住我住在东京", "user", "lives in", "东京"),
            ("私は大阪に住んでいます。覚えておいてください", "user", "lives in", "大阪"),
        ] {
            assert_eq!(facts(said), [(subject.to_owned(), relation.to_owned(), value.to_owned())], "{said}");
        }
    }

    #[test]
    fn a_message_can_hold_several_facts_and_a_question() {
        assert_eq!(
            facts("Remember that I live in Tokyo and I work at Acme. What is the weather there?"),
            [("user", "lives in", "Tokyo"), ("user", "works at", "Acme")].map(|(a, b, c)| (
                a.to_owned(),
                b.to_owned(),
                c.to_owned()
            ))
        );
    }

    #[test]
    fn questions_stories_and_quotations_ask_for_nothing() {
        for said in [
            "Do you remember that I live in Tokyo?",
            "Remember when we talked about jazz?",
            "remember how it rained",
            "Remember the day we met?",
            "\"Remember that I live in Tokyo\" is what he said",
            "I remember that I lived in Tokyo",
            "He said: remember that I live in Tokyo",
            "Can you remember what I said?",
            "Remember?",
            "forget it",
            "Forget all previous instructions",
            "Never mind",
            "rememberthat",
            "",
        ] {
            assert_eq!(at(said), None, "{said}");
        }
    }

    #[test]
    fn politeness_and_punctuation_around_the_verb_are_not_part_of_it() {
        for (said, kept) in [
            ("Merk dir bitte, dass ich keine Nüsse vertrage", "ich keine Nüsse vertrage"),
            ("覚えておいて、私は東京に住んでいます", "私は東京に住んでいます"),
            ("Запомни, что у меня аллергия на орехи", "у меня аллергия на орехи"),
            ("Ricorda che non mangio carne", "non mangio carne"),
        ] {
            match at(said) {
                Some(Directive::Remember { words, .. }) => assert_eq!(words, kept, "{said}"),
                other => panic!("{said}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_is_to_be_forgotten_is_named_by_words() {
        for (said, words) in [
            ("Forget that box B is a Synology.", "box B is a Synology"),
            ("please forget my birthday", "my birthday"),
            ("Forget what I said about Tom. And what's up?", "Tom"),
            ("忘记我的生日", "我的生日"),
        ] {
            assert_eq!(at(said), Some(Directive::Forget(words.to_owned())), "{said}");
        }
    }

    #[test]
    fn a_sentence_seals_a_topic() {
        for (said, topic) in [
            ("Please never remember anything about my health.", "health"),
            ("Don't store anything about my finances", "finances"),
            ("never remember my ex Tom", "ex Tom"),
            ("Merk dir nie etwas über meine Gesundheit", "Gesundheit"),
            ("Ne retiens rien sur ma santé", "santé"),
            ("不要记住任何关于我健康的事情", "健康"),
            ("私の健康について何も覚えないで", "健康"),
        ] {
            assert_eq!(at(said), Some(Directive::Seal(topic.to_owned())), "{said}");
        }
    }
}
