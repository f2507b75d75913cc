//! What the person tells Atlas itself to do with memory: "Remember that …", "Forget that …", "Never remember …". It is read by
//! code, so that it works with any model.
//!
//! Only a message that begins with it counts: a quotation, a question ("Do you remember …?") or a story does not.

use chrono::{DateTime, FixedOffset};

use crate::memory::fact::FactDraft;
use crate::memory::language::{relation::USER, sentence::ASKED_TO_REMEMBER, statement};
use crate::memory::writing::gate;
use crate::text;

mod words;

use words::{
    AFTER_TOPIC, AROUND_TOPIC, AROUND_TOPIC_ZH, BEFORE_LAST, BEFORE_TOPIC, CAN_YOU, FORGET, FORGET_LAST, LEADS,
    NOT_A_FACT, NOT_MEANT, POLITE, PRIVATE, REMEMBER, REMEMBER_LAST, SEAL, SEAL_LAST, WORKS,
};

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
    /// Perhaps the same: the person wants something kept to itself, and only they can say how it is meant.
    MaybeSeal(String),
}

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
    if let Some(topic) = kept_private(request) {
        return Some(Directive::MaybeSeal(topic));
    }
    if let Some(words) = after_any(request, REMEMBER).filter(|_| !names_a_work(request)) {
        // "Remember the day we met?" asks; "Can you remember that I am 41?" requests.
        if !asked && first_sentence(words).ends_with(['?', '？']) {
            return None;
        }
        return remember(words, asked, now);
    }
    if let Some(words) = after_any(request, FORGET) {
        return forget(words);
    }
    verb_last(said, now)
}

/// "Keep my divorce between us": what is to be kept to itself.
fn kept_private(request: &str) -> Option<String> {
    let sentence = first_sentence(request).trim_end_matches(['.', '!', '。', ' ']);
    PRIVATE.iter().find_map(|(start, end)| {
        let rest = whole(sentence, start)?;
        let topic = if end.is_empty() { rest } else { before(rest, end)? };
        match seal(topic)? {
            Directive::Seal(topic) if !NOT_MEANT.contains(&text::fold(&topic).as_str()) => Some(topic),
            _ => None,
        }
    })
}

/// "Remember the Titans is a great movie": the title of a work, or a name of many that takes a verb of one.
fn names_a_work(request: &str) -> bool {
    let sentence = first_sentence(request);
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let begins = words.first().is_some_and(|word| word.eq_ignore_ascii_case("remember"));
    let Some(at) = words.iter().position(|word| matches!(*word, "is" | "was")).filter(|at| begins && *at >= 2) else {
        return false;
    };
    let name = words[at - 1];
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let is_name = words[1..at].iter().all(|word| is_capital(word) || matches!(*word, "the" | "my" | "of" | "a" | "to"))
        && is_capital(name);
    let is_many = name.ends_with('s') && !name.ends_with("ss") && matches!(words[1], "the" | "The");
    let is_work = words[at + 1..]
        .iter()
        .any(|word| WORKS.contains(&text::fold(word.trim_matches(|c: char| !c.is_alphanumeric())).as_str()));
    is_name && (is_many || is_work)
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
    if differ(said.chars().next()?, beginning.chars().next()?) {
        return None;
    }
    let mut wanted = text::fold(beginning);
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
    let topic = without_ends(topic, AFTER_TOPIC);
    let topic = AROUND_TOPIC_ZH.iter().find_map(|end| topic.strip_suffix(end)).unwrap_or(topic);
    let mut bare = topic.trim();
    while let Some(rest) = BEFORE_TOPIC.iter().find_map(|lead| after(bare, lead)).filter(|rest| !rest.trim().is_empty())
    {
        bare = rest.trim();
    }
    let folded = text::fold(bare);
    let is_topic = !folded.is_empty() && !NOT_MEANT.contains(&folded.as_str()) && bare.split_whitespace().count() <= 8;
    is_topic.then(|| Directive::Seal(text::clean(bare)))
}

/// Japanese, Korean, Turkish and Hindi put the request last: "…を覚えておいて", "…를 기억해줘", "… unutma".
fn verb_last(said: &str, now: DateTime<FixedOffset>) -> Option<Directive> {
    let bare = said.trim_end_matches(['。', '！', '!', '.', 'ね', '।', ' ']);
    let bare = ["ください", "下さい"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
    let ends =
        |signs: &[&str]| signs.iter().find_map(|sign| before(bare, sign)).map(|rest| without_ends(rest, BEFORE_LAST));
    if let Some(topic) = SEAL_LAST.iter().find_map(|sign| before(bare, sign)) {
        let topic = without_ends(topic, AROUND_TOPIC);
        let topic = BEFORE_TOPIC.iter().find_map(|mine| topic.strip_prefix(mine)).unwrap_or(topic);
        return Some(Directive::Seal(text::clean(topic))).filter(|_| !topic.is_empty());
    }
    if let Some(words) = ends(REMEMBER_LAST) {
        return remember(words, false, now);
    }
    ends(FORGET_LAST).and_then(forget)
}

/// What stands before an ending, as whole words where the script has them.
fn before<'a>(said: &'a str, ending: &str) -> Option<&'a str> {
    if differ(said.chars().next_back()?, ending.chars().next_back()?) {
        return None;
    }
    let wanted = text::fold(ending);
    let cut = said.char_indices().rev().map(|(at, _)| at).find(|at| text::fold(&said[*at..]).len() >= wanted.len())?;
    let (rest, end) = said.split_at(cut);
    let whole = ending.chars().any(text::is_unspaced) || rest.ends_with(|c: char| !c.is_alphanumeric());
    (text::fold(end) == wanted && whole && !rest.trim().is_empty()).then_some(rest)
}

/// Whether two letters surely stay different when they are folded: most texts are told by the first or the last one.
fn differ(said: char, wanted: char) -> bool {
    said.is_ascii() && (wanted > NEVER_PLAIN || wanted.is_ascii() && !said.eq_ignore_ascii_case(&wanted))
}

/// Letters beyond are never folded to a plain one; those of the scripts that are looked for here are all beyond.
const NEVER_PLAIN: char = '\u{0590}';

/// A text without certain words at its end, and the signs before them.
fn without_ends<'a>(said: &'a str, ends: &[&str]) -> &'a str {
    let mut bare = said;
    loop {
        let trimmed = bare
            .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '、' | '。' | ',' | ':' | '.' | '!' | '।'));
        match ends.iter().find_map(|end| before(trimmed, end)) {
            Some(shorter) if !shorter.trim().is_empty() => bare = shorter,
            _ => return trimmed,
        }
    }
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
            "Remember the Titans is a great movie",
            "Remember the Titans was on TV",
            "Remember Me is a film with Robert Pattinson.",
            "Remember Sunday is my favourite band",
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
    fn it_is_understood_in_the_languages_people_speak() {
        for (said, kept) in [
            ("Unutma, fındığa alerjim var", "fındığa alerjim var"),
            ("Fındığa alerjim olduğunu unutma", "Fındığa alerjim olduğunu"),
            ("땅콩 알레르기가 있다는 것을 기억해줘", "땅콩 알레르기가 있다"),
            ("나는 부산에 산다. 기억해 줘", "나는 부산에 산다"),
            ("تذكر أن عندي حساسية من الفول السوداني", "عندي حساسية من الفول السوداني"),
            ("تذكّر أنني أعيش في بيروت", "أنني أعيش في بيروت"),
            ("Помни, что я живу в Киеве", "я живу в Киеве"),
            ("याद रखो कि मुझे मूंगफली से एलर्जी है", "मुझे मूंगफली से एलर्जी है"),
            ("จำไว้ว่าฉันแพ้ถั่ว", "ฉันแพ้ถั่ว"),
            ("Hãy nhớ rằng tôi sống ở Huế", "tôi sống ở Huế"),
            ("Pamiętaj, że mieszkam w Krakowie", "mieszkam w Krakowie"),
            ("Onthoud dat ik in Gent woon", "ik in Gent woon"),
            ("Vergeet niet dat ik in Gent woon", "ik in Gent woon"),
            ("Non dimenticare che abito a Bari", "abito a Bari"),
            ("Não esqueça que moro em Lisboa", "moro em Lisboa"),
        ] {
            match at(said) {
                Some(Directive::Remember { words, .. }) => assert_eq!(words, kept, "{said}"),
                other => panic!("{said}: {other:?}"),
            }
        }
        for (said, words) in [
            ("내 생일을 잊어줘", "내 생일"),
            ("Doğum günümü unut", "Doğum günümü"),
            ("انس عيد ميلادي", "عيد ميلادي"),
            ("Забудь мой день рождения", "мой день рождения"),
            ("ลืมเรื่องวันเกิดของฉัน", "วันเกิดของฉัน"),
        ] {
            assert_eq!(at(said), Some(Directive::Forget(words.to_owned())), "{said}");
        }
        for (said, topic) in [
            ("내 건강에 대해 아무것도 기억하지 마", "건강"),
            ("Sağlığım hakkında hiçbir şey kaydetme", "Sağlığım"),
            ("لا تحفظ أي شيء عن صحتي", "صحتي"),
            ("อย่าจำอะไรเกี่ยวกับสุขภาพ", "สุขภาพ"),
            ("Onthoud niets over mijn gezondheid", "gezondheid"),
        ] {
            assert_eq!(at(said), Some(Directive::Seal(topic.to_owned())), "{said}");
        }
    }

    #[test]
    fn a_wish_for_privacy_may_mean_a_seal() {
        for (said, topic) in [
            ("Please keep my divorce between us.", "divorce"),
            ("I'd rather you didn't remember my salary", "salary"),
            ("I don't want you to know about my ex Tom", "ex Tom"),
            ("Behalte meine Scheidung bitte für dich", "Scheidung"),
            ("Garde mon divorce pour toi", "divorce"),
        ] {
            assert_eq!(at(said), Some(Directive::MaybeSeal(topic.to_owned())), "{said}");
        }
        for said in ["Keep it to yourself", "Keep the change", "keep my seat warm"] {
            assert_eq!(at(said), None, "{said}");
        }
    }

    #[test]
    fn a_name_after_remember_is_still_remembered() {
        for said in [
            "Remember Anna is vegetarian",
            "Remember the Eiffel Tower is closed on Monday",
            "Remember the wifi code is 5512",
            "Remember the Müllers are coming on Friday",
        ] {
            assert!(matches!(at(said), Some(Directive::Remember { .. })), "{said}");
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
