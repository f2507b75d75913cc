//! Plain statements as facts, by code: "I live in Porto", "my dog's name is Biscuit", "Box A is a Synology".
//!
//! It understands the sentences that people ask to be remembered. What it does not understand it leaves to others; it never
//! guesses.

use crate::memory::fact::FactDraft;
use crate::memory::language::{known_relations::BEINGS, relation::USER, verb};
use crate::text;

/// The facts of one sentence; empty where it is not understood.
pub(in crate::memory) fn read(sentence: &str) -> Vec<FactDraft> {
    let clean = text::clean(sentence);
    let plain = clean.trim_end_matches(['.', '!', '。', '！', ',', ';']).trim();
    if let Some(fact) = other_languages(plain) {
        return vec![fact];
    }
    let parts = statements(plain);
    let read: Vec<Vec<FactDraft>> = parts.iter().map(|part| one(part)).collect();
    // Half understood is not understood: the whole is kept as it was said.
    if read.iter().any(Vec::is_empty) { Vec::new() } else { read.concat() }
}

/// "I live in Tokyo and I work at Acme" as two statements; "tea and coffee" stays.
fn statements(plain: &str) -> Vec<String> {
    let words: Vec<&str> = plain.split(' ').collect();
    let mut parts = vec![Vec::new()];
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map(|next| next.to_lowercase()).unwrap_or_default();
        let begins = matches!(next.as_str(), "i" | "i'm" | "i’m" | "i've" | "my" | "we" | "our");
        let goes_on = words[0].eq_ignore_ascii_case("i") && verb::base(&next).is_some_and(|base| base == next);
        let last = parts.len() - 1;
        if at > 0 && begins && (word.eq_ignore_ascii_case("and") || word.ends_with([',', ';'])) {
            let word = word.trim_end_matches([',', ';']);
            if !word.eq_ignore_ascii_case("and") {
                parts[last].push(word.to_owned());
            }
            parts.push(Vec::new());
        } else if at > 0 && goes_on && word.eq_ignore_ascii_case("and") {
            parts.push(vec!["I".to_owned()]);
        } else {
            parts[last].push((*word).to_owned());
        }
    }
    parts
        .iter()
        .map(|part| part.join(" ").trim_end_matches([',', ';']).trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

fn one(statement: &str) -> Vec<FactDraft> {
    let expanded = expanded(statement);
    let words: Vec<&str> = expanded.split(' ').collect();
    match words.first().map(|word| word.to_lowercase()).as_deref() {
        Some("i" | "we") => about_me(&words[1..]),
        Some("my" | "our") => about_mine(&words[1..]),
        Some("call") if words.get(1).is_some_and(|word| word.eq_ignore_ascii_case("me")) => {
            fact(USER, "name", &words[2..])
        }
        _ => about_others(&words, None),
    }
}

/// Contractions at the beginning, where they carry the verb.
fn expanded(statement: &str) -> String {
    let plain = statement.replace('’', "'");
    let words: Vec<String> = plain
        .split(' ')
        .map(|word| match word.to_lowercase().as_str() {
            "i'm" => "I am".to_owned(),
            "i've" => "I have".to_owned(),
            "we're" => "we are".to_owned(),
            "we've" => "we have".to_owned(),
            "don't" => "do not".to_owned(),
            "can't" => "can not".to_owned(),
            "cannot" => "can not".to_owned(),
            "doesn't" => "does not".to_owned(),
            "isn't" => "is not".to_owned(),
            _ => word.to_owned(),
        })
        .collect();
    words.join(" ")
}

fn fact(subject: &str, relation: &str, value: &[&str]) -> Vec<FactDraft> {
    let value = value.join(" ");
    if value.is_empty() || subject.is_empty() {
        return Vec::new();
    }
    vec![FactDraft { subject: subject.to_owned(), relation: relation.to_owned(), value }]
}

/// One fact for each thing of a list: "French and Hindi". Long things are sentences of their own and stay together.
fn each(relation: &str, value: &[&str]) -> Vec<FactDraft> {
    let whole = value.join(" ");
    let things: Vec<&str> = whole
        .split(", ")
        .flat_map(|part| part.split(" and "))
        .map(|thing| thing.trim().trim_start_matches("and "))
        .collect();
    if things.iter().all(|thing| !thing.is_empty() && thing.split(' ').count() <= 3) {
        things.iter().flat_map(|thing| fact(USER, relation, &[thing])).collect()
    } else {
        fact(USER, relation, value)
    }
}

/// What follows "I".
fn about_me(words: &[&str]) -> Vec<FactDraft> {
    let skipped = words
        .iter()
        .take_while(|word| {
            matches!(
                word.to_lowercase().as_str(),
                "also" | "really" | "now" | "currently" | "just" | "recently" | "still"
            )
        })
        .count();
    let words = &words[skipped..];
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    match lower.as_slice() {
        ["live" | "reside", "in", ..] | ["moved" | "relocated", "to", ..] => fact(USER, "lives in", &words[2..]),
        ["am" | "are", "living" | "based", "in", ..] | ["have", "moved", "to", ..] => {
            fact(USER, "lives in", &words[3..])
        }
        ["am" | "are", "from", ..] | ["come", "from", ..] => fact(USER, "is from", &words[2..]),
        ["am" | "are", rest @ ..] => what_i_am(&words[1..], rest),
        ["was", "born", place @ ("in" | "on" | "at"), ..] => fact(USER, &format!("was born {place}"), &words[3..]),
        ["have", "to" | "been" | "never" | "always" | "not", ..] | ["do", "not", "know" | "think", ..] | [] => {
            Vec::new()
        }
        ["work", "for", ..] => fact(USER, "works at", &words[2..]),
        ["work" | "working", "as", "a" | "an", ..] => fact(USER, "works as", &words[3..]),
        ["speak", ..] => each("speaks", &words[1..]),
        ["like" | "love" | "hate" | "dislike" | "enjoy" | "prefer", "to", ..] => {
            fact(USER, &third(lower[0]), &words[1..])
        }
        ["like" | "love" | "hate" | "dislike" | "enjoy", ..] => each(&third(lower[0]), &words[1..]),
        ["can", "not", "stand", ..] => each("can't stand", &words[3..]),
        ["do", "not", base, ..] if verb::base(base).is_some() => {
            let (preposition, value) = with_preposition(&words[3..]);
            fact(USER, &format!("doesn't {base}{preposition}"), value)
        }
        ["used", "to", base, ..] => {
            let (preposition, value) = with_preposition(&words[3..]);
            fact(USER, &format!("used to {base}{preposition}"), value)
        }
        ["can", rest @ ..] if !rest.is_empty() && rest[0] != "not" => fact(USER, "can", &words[1..]),
        ["want" | "need" | "hope" | "plan", "to", ..] => fact(USER, &format!("{} to", third(lower[0])), &words[2..]),
        [adverb @ ("never" | "always" | "usually" | "often"), base, ..] if verb::base(base).is_some() => {
            let (preposition, value) = with_preposition(&words[2..]);
            fact(USER, &format!("{adverb} {}{preposition}", third(base)), value)
        }
        [base, ..] if verb::base(base).is_some_and(|known| known == *base) => {
            let (preposition, value) = with_preposition(&words[1..]);
            fact(USER, &format!("{}{preposition}", third(base)), value)
        }
        _ => Vec::new(),
    }
}

fn third(base: &str) -> String {
    verb::conjugate(base, verb::Person::They, verb::Tense::Present).unwrap_or_else(|| base.to_owned())
}

/// What follows "I am".
fn what_i_am(words: &[&str], lower: &[&str]) -> Vec<FactDraft> {
    const DIETS: &[&str] = &["vegetarian", "vegan", "pescatarian", "pescetarian", "kosher", "halal", "omnivore"];
    const STATUS: &[&str] = &["single", "married", "divorced", "widowed", "engaged"];
    match lower {
        ["allergic", "to", ..] => each("is allergic to", &words[2..]),
        [years, "years", "old"] | ["already", years, "years", "old"] => fact(USER, "age", &[years]),
        [years] if years.bytes().all(|b| b.is_ascii_digit()) => fact(USER, "age", &[years]),
        ["called" | "named", ..] => fact(USER, "name", &words[1..]),
        ["a" | "an", diet] if DIETS.contains(diet) => fact(USER, "diet", &words[1..]),
        ["a" | "an", ..] => fact(USER, &format!("is {}", lower[0]), &words[1..]),
        ["working", preposition @ ("at" | "for" | "as"), rest @ ..] => {
            let relation = if *preposition == "as" { "works as" } else { "works at" };
            let article = usize::from(*preposition == "as" && matches!(rest.first(), Some(&("a" | "an"))));
            fact(USER, relation, &words[2 + article..])
        }
        ["studying", ..] => fact(USER, "studies", &words[1..]),
        [diet] if DIETS.contains(diet) => fact(USER, "diet", words),
        [status] if STATUS.contains(status) => fact(USER, "marital status", words),
        ["not", ..] => fact(USER, "is not", &words[1..]),
        [word, preposition @ ("to" | "in" | "of" | "at" | "with" | "on" | "by"), ..] => {
            fact(USER, &format!("is {word} {preposition}"), &words[2..])
        }
        [] => Vec::new(),
        _ => fact(USER, "is", words),
    }
}

fn with_preposition<'a>(words: &'a [&'a str]) -> (String, &'a [&'a str]) {
    const PREPOSITIONS: &[&str] =
        &["at", "in", "on", "to", "for", "with", "from", "by", "as", "about", "of", "near", "into"];
    match words.first() {
        Some(first) if PREPOSITIONS.contains(&first.to_lowercase().as_str()) && words.len() > 1 => {
            (format!(" {}", first.to_lowercase()), &words[1..])
        }
        _ => (String::new(), words),
    }
}

/// What follows "my".
fn about_mine(words: &[&str]) -> Vec<FactDraft> {
    let being = words.iter().position(|word| BEINGS.contains(&word.to_lowercase().as_str())).filter(|at| *at <= 2);
    // "my sister Mara lives in Oslo".
    if let Some(at) = being
        && let Some(name) =
            words.get(at + 1).map(|name| name.trim_end_matches(',')).filter(|name| name.starts_with(char::is_uppercase))
        && words.len() > at + 2
    {
        let kin = words[..=at].join(" ");
        let mut facts = fact(name, "is", &[&format!("{USER}'s {kin}")]);
        let rest: Vec<&str> = [name].into_iter().chain(words[at + 2..].iter().copied()).collect();
        let more = about_others(&rest, None);
        if more.is_empty() {
            return Vec::new();
        }
        facts.extend(more);
        return facts;
    }
    let Some(at) = copula(words) else { return about_others(words, Some("user's ")) };
    let (noun, rest) = (&words[..at], &words[at + 1..]);
    let owner = noun.iter().position(|word| word.ends_with("'s"));
    if let Some(at) = owner {
        let whose = noun[..=at].join(" ");
        let whose = whose.trim_end_matches("'s");
        return fact(&format!("{USER}'s {whose}"), &noun[at + 1..].join(" "), rest);
    }
    let noun_text = noun.join(" ");
    let subject = format!("{USER}'s {noun_text}");
    let first = rest.first().map(|word| word.to_lowercase()).unwrap_or_default();
    let is_name = rest.first().is_some_and(|word| word.starts_with(char::is_uppercase));
    match first.as_str() {
        "called" | "named" => fact(&subject, "name", &rest[1..]),
        "on" | "in" | "at" | "due" | "from" | "by" | "near" => {
            fact(&subject, &format!("{} {first}", words[at]), &rest[1..])
        }
        "a" | "an" => fact(&subject, &format!("{} {first}", words[at]), &rest[1..]),
        "today" | "tomorrow" | "tonight" | "next" | "this" if being.is_none() => fact(&subject, "is on", rest),
        _ if being.is_some() && !is_name => fact(&subject, words[at], rest),
        _ => fact(USER, &noun_text, rest),
    }
}

fn copula(words: &[&str]) -> Option<usize> {
    words
        .iter()
        .position(|word| matches!(word.to_lowercase().as_str(), "is" | "are" | "was" | "were"))
        .filter(|at| *at >= 1 && *at + 1 < words.len())
}

/// "Box A is a Synology", "Anna's birthday is 14 May", "Mia gets carsick". `owner` stands before the subject.
fn about_others(words: &[&str], owner: Option<&str>) -> Vec<FactDraft> {
    #[rustfmt::skip]
    const PRONOUNS: &[&str] = &[
        "it", "this", "that", "these", "those", "he", "she", "they", "there", "you", "what", "who", "how", "why",
        "when", "where",
    ];
    let words =
        if matches!(words.first(), Some(first) if first.eq_ignore_ascii_case("the")) { &words[1..] } else { words };
    if words.first().is_none_or(|first| PRONOUNS.contains(&first.to_lowercase().as_str())) {
        return Vec::new();
    }
    let is_verb = |word: &str| {
        let lower = word.to_lowercase();
        verb::base(&lower).is_some_and(|base| base != lower)
            || matches!(lower.as_str(), "has" | "can" | "was" | "likes" | "doesn't")
    };
    let Some(at) = copula(words)
        .or_else(|| words.iter().position(|word| is_verb(word)).filter(|at| *at >= 1))
        .filter(|at| *at <= 5)
    else {
        return Vec::new();
    };
    let (noun, rest) = (&words[..at], &words[at + 1..]);
    let prefix = owner.unwrap_or("");
    if let Some(whose) = noun.iter().position(|word| word.ends_with("'s")).filter(|_| copula(words) == Some(at)) {
        let subject = noun[..=whose].join(" ");
        return fact(&format!("{prefix}{}", subject.trim_end_matches("'s")), &noun[whose + 1..].join(" "), rest);
    }
    let subject = format!("{prefix}{}", noun.join(" "));
    let verb = words[at].to_lowercase();
    let first = rest.first().map(|word| word.to_lowercase()).unwrap_or_default();
    match (verb.as_str(), first.as_str()) {
        ("is", "my" | "our") => fact(&subject, "is", &[&format!("{USER}'s {}", rest[1..].join(" "))]),
        ("is" | "are", "called" | "named") => fact(&subject, "name", &rest[1..]),
        ("is" | "are" | "was" | "were", "a" | "an" | "on" | "in" | "at" | "due" | "from") => {
            fact(&subject, &format!("{verb} {first}"), &rest[1..])
        }
        ("is" | "are", "today" | "tomorrow" | "tonight" | "next" | "this") => fact(&subject, "is on", rest),
        ("is" | "are" | "was" | "were", _) => fact(&subject, &verb, rest),
        _ => {
            let (preposition, value) = with_preposition(rest);
            fact(&subject, &format!("{verb}{preposition}"), value)
        }
    }
}

/// Where people live and what they are called and like, in a few more languages.
fn other_languages(plain: &str) -> Option<FactDraft> {
    #[rustfmt::skip]
    const BETWEEN: &[(&str, &str, &str)] = &[
        ("ich wohne in ", "", "lives in"),
        ("ich lebe in ", "", "lives in"),
        ("ich in ", " wohne", "lives in"),
        ("ich in ", " lebe", "lives in"),
        ("ich heiße ", "", "name"),
        ("ich ", " heiße", "name"),
        ("mein name ist ", "", "name"),
        ("j'habite à ", "", "lives in"),
        ("j’habite à ", "", "lives in"),
        ("je vis à ", "", "lives in"),
        ("je m'appelle ", "", "name"),
        ("vivo en ", "", "lives in"),
        ("me llamo ", "", "name"),
        ("我住在", "", "lives in"),
        ("我叫", "", "name"),
        ("我的名字是", "", "name"),
        ("我喜欢", "", "likes"),
        ("私は", "に住んでいます", "lives in"),
        ("私は", "に住んでいる", "lives in"),
        ("私の名前は", "です", "name"),
        ("ich arbeite als ", "", "works as"),
        ("ich bin ", " von beruf", "works as"),
        ("ich bin allergisch gegen ", "", "is allergic to"),
        ("ich mag ", "", "likes"),
        ("je travaille comme ", "", "works as"),
        ("je suis allergique aux ", "", "is allergic to"),
        ("trabajo como ", "", "works as"),
        ("soy alérgico a ", "", "is allergic to"),
        ("soy alérgica a ", "", "is allergic to"),
        ("moro em ", "", "lives in"),
        ("eu moro em ", "", "lives in"),
        ("meu nome é ", "", "name"),
        ("trabalho como ", "", "works as"),
        ("abito a ", "", "lives in"),
        ("mi chiamo ", "", "name"),
        ("ik woon in ", "", "lives in"),
        ("ik in ", " woon", "lives in"),
        ("mijn naam is ", "", "name"),
        ("я живу в ", "", "lives in"),
        ("меня зовут ", "", "name"),
        ("我对", "过敏", "is allergic to"),
        ("나는 ", "에 산다", "lives in"),
        ("저는 ", "에 살아요", "lives in"),
        ("제 이름은 ", "입니다", "name"),
        ("أعيش في ", "", "lives in"),
        ("اسمي ", "", "name"),
        ("tôi sống ở ", "", "lives in"),
    ];
    let lower = plain.to_lowercase();
    BETWEEN.iter().find_map(|(start, end, relation)| {
        let value = lower.strip_prefix(start)?.strip_suffix(end)?;
        // Lower-casing may change lengths in a few scripts; then the words do not line up and are left alone.
        let from = start.len();
        let value = plain
            .get(from..from + value.len())
            .filter(|said| said.to_lowercase() == value && !said.trim().is_empty())?;
        Some(FactDraft { subject: USER.to_owned(), relation: (*relation).to_owned(), value: value.trim().to_owned() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(said: &str) -> Vec<(String, String, String)> {
        read(said).into_iter().map(|fact| (fact.subject, fact.relation, fact.value)).collect()
    }

    #[test]
    fn statements_are_facts() {
        for (said, subject, relation, value) in [
            ("I live in Porto.", "user", "lives in", "Porto"),
            ("I just moved to Porto", "user", "lives in", "Porto"),
            ("I'm from Chile", "user", "is from", "Chile"),
            ("I work for Acme", "user", "works at", "Acme"),
            ("I work as a nurse", "user", "works as", "nurse"),
            ("I'm a nurse", "user", "is a", "nurse"),
            ("I am 41 years old", "user", "age", "41"),
            ("I'm vegetarian", "user", "diet", "vegetarian"),
            ("I have a dog called Biscuit", "user", "has", "a dog called Biscuit"),
            ("I can't stand jazz", "user", "can't stand", "jazz"),
            ("I don't eat meat", "user", "doesn't eat", "meat"),
            ("I drive a 2017 Corolla", "user", "drives", "a 2017 Corolla"),
            ("my name is Sam", "user", "name", "Sam"),
            ("call me Sam", "user", "name", "Sam"),
            ("my dog's name is Biscuit", "user's dog", "name", "Biscuit"),
            ("my dog is called Biscuit", "user's dog", "name", "Biscuit"),
            ("my sister is a nurse", "user's sister", "is a", "nurse"),
            ("my sister lives in Oslo", "user's sister", "lives in", "Oslo"),
            ("my boss is Ana", "user", "boss", "Ana"),
            ("my flight is on Friday", "user's flight", "is on", "Friday"),
            ("my shoe size is 43", "user", "shoe size", "43"),
            ("Mara is my sister", "Mara", "is", "user's sister"),
            ("Mia gets carsick", "Mia", "gets", "carsick"),
            ("Box B is a Synology", "Box B", "is a", "Synology"),
            ("Anna's birthday is 14 May", "Anna", "birthday", "14 May"),
            ("Ana works at Acme", "Ana", "works at", "Acme"),
        ] {
            assert_eq!(facts(said), [(subject.to_owned(), relation.to_owned(), value.to_owned())], "{said}");
        }
    }

    #[test]
    fn lists_and_joined_statements_are_several_facts() {
        let values = |said: &str| {
            facts(said).into_iter().map(|(_, relation, value)| format!("{relation} {value}")).collect::<Vec<_>>()
        };
        assert_eq!(values("I speak French and Hindi"), ["speaks French", "speaks Hindi"]);
        assert_eq!(
            values("I'm allergic to peanuts, cats and dust"),
            ["is allergic to peanuts", "is allergic to cats", "is allergic to dust"]
        );
        assert_eq!(values("I live in Tokyo and work at Acme"), ["lives in Tokyo", "works at Acme"]);
        assert_eq!(facts("my sister Mara lives in Oslo").len(), 2);
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for said in
            ["to water the plants", "it is raining", "I have to go", "buy milk", "the code is", "He lives in Oslo"]
        {
            assert_eq!(facts(said), [], "{said}");
        }
    }
}
