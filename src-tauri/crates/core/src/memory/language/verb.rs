//! English verbs, as far as sentences about facts need them: which words are verbs, and their forms.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The base forms of the verbs that facts are made of.
#[rustfmt::skip]
const BASES: &[&str] = &[
    "add", "administer", "adopt", "advise", "aim", "answer", "arrive", "ask", "attend", "avoid", "bake",
    "become", "begin", "believe", "belong", "bike", "bring", "build", "buy", "call", "care", "carry",
    "celebrate", "change", "clean", "climb", "coach", "code", "collect", "come", "commute", "consider",
    "contain", "cook", "cost", "create", "cycle", "dance", "deal", "design", "develop", "dislike", "do",
    "drink", "drive", "earn", "eat", "enjoy", "expect", "expire", "fear", "feel", "finish", "fix", "fly",
    "follow", "forget", "garden", "get", "give", "go", "graduate", "grow", "handle", "happen", "hate", "have",
    "help", "hike", "hold", "hope", "host", "include", "intend", "join", "keep", "know", "lack", "lead",
    "learn", "leave", "lend", "let", "like", "listen", "live", "look", "lose", "love", "maintain", "make",
    "manage", "marry", "mean", "meet", "mentor", "miss", "move", "name", "need", "open", "operate", "organise",
    "organize", "owe", "own", "paint", "pay", "plan", "play", "practice", "practise", "prefer", "produce",
    "provide", "publish", "put", "quit", "raise", "read", "receive", "recommend", "refuse", "regret",
    "relocate", "remember", "rent", "report", "require", "research", "reside", "ride", "run", "say", "see",
    "seek", "sell", "serve", "set", "share", "sing", "ski", "sleep", "smoke", "speak", "spend", "start",
    "stay", "stop", "study", "struggle", "suffer", "support", "swim", "take", "teach", "tell", "tend", "think",
    "train", "travel", "trust", "try", "turn", "understand", "use", "visit", "volunteer", "wait", "wake",
    "walk", "want", "watch", "wear", "weigh", "win", "wish", "work", "worry", "write",
];

/// Past forms that do not end in "ed", and helping verbs: the same for every person.
#[rustfmt::skip]
const SAME_FOR_ALL: &[&str] = &[
    "became", "began", "bought", "broke", "brought", "built", "came", "can", "cannot", "chose", "could", "did",
    "drove", "fell", "felt", "found", "gave", "got", "grew", "had", "knew", "left", "lost", "made", "may", "met",
    "might", "must", "owed", "paid", "ran", "sang", "saw", "should", "slept", "sold", "spent", "spoke", "took",
    "taught", "told", "used", "went", "will", "won", "would", "wrote",
];

/// Words that may stand before the verb.
#[rustfmt::skip]
const ADVERBS: &[&str] = &[
    "also", "always", "currently", "formerly", "frequently", "generally", "mainly", "mostly", "never", "no",
    "longer", "often", "originally", "previously", "probably", "rarely", "really", "recently", "regularly",
    "seldom", "sometimes", "still", "strongly", "usually",
];

/// Words that name a thing when they stand alone as a relation, though they could be verbs.
#[rustfmt::skip]
const NOUNS: &[&str] = &[
    "answer", "call", "change", "cost", "deal", "design", "fear", "garden", "help", "hope", "host", "lead", "name",
    "need", "plan", "report", "research", "set", "share", "start", "study", "support", "train", "visit", "watch",
    "wish", "work",
];

/// Whether a word names a thing when it stands alone as a relation, though it could be a verb.
pub fn is_noun_too(word: &str) -> bool {
    NOUNS.contains(&word)
}

/// A verb with what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    /// You live.
    You,
    /// She lives.
    They,
}

/// When something is the case, as seen from the moment of speaking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tense {
    /// Now, or in time to come.
    Present,
    /// It is over.
    Past,
}

/// The relation with its verb in the right form; `None` where it does not begin with a verb.
pub fn conjugate(relation: &str, person: Person, tense: Tense) -> Option<String> {
    let mut words: Vec<String> = relation.split(' ').map(str::to_owned).collect();
    let at = words.iter().position(|word| !ADVERBS.contains(&word.to_lowercase().as_str()))?;
    let verb = words[at].to_lowercase();
    let form = match (verb.as_str(), person, tense) {
        ("is" | "are" | "am" | "be", Person::You, Tense::Present) => "are".into(),
        ("is" | "are" | "am" | "be", Person::They, Tense::Present) => "is".into(),
        ("is" | "are" | "am" | "be" | "was" | "were", Person::You, _) => "were".into(),
        ("is" | "are" | "am" | "be" | "was" | "were", Person::They, _) => "was".into(),
        ("does" | "do", Person::You, Tense::Present) => "do".into(),
        ("does" | "do", Person::They, Tense::Present) => "does".into(),
        ("does" | "do", _, Tense::Past) => "did".into(),
        ("doesn't" | "don't", Person::You, _) => "don't".into(),
        ("doesn't" | "don't", Person::They, _) => "doesn't".into(),
        ("isn't" | "aren't", Person::You, _) => "aren't".into(),
        ("isn't" | "aren't", Person::They, _) => "isn't".into(),
        ("has" | "have", Person::You, Tense::Present) => "have".into(),
        ("has" | "have", Person::They, Tense::Present) => "has".into(),
        ("has" | "have", _, Tense::Past) => "had".into(),
        (other, person, tense) => regular(other, person, tense)?,
    };
    words[at] = form;
    Some(words.join(" "))
}

fn regular(verb: &str, person: Person, tense: Tense) -> Option<String> {
    if SAME_FOR_ALL.contains(&verb) || is_past(verb) {
        return Some(verb.to_owned());
    }
    let base = base(verb)?;
    Some(match (tense, person) {
        (Tense::Past, _) => past(base),
        (Tense::Present, Person::You) => base.to_owned(),
        (Tense::Present, Person::They) => third_person(base),
    })
}

/// The base form of a verb, where it is one.
pub fn base(verb: &str) -> Option<&'static str> {
    FORMS.get(verb).copied()
}

/// Each verb by its forms; of two verbs with one form, the first.
static FORMS: LazyLock<HashMap<String, &str>> = LazyLock::new(|| {
    let forms = BASES.iter().rev().flat_map(|base| [((*base).to_owned(), *base), (third_person(base), *base)]);
    forms.collect()
});

/// Whether a relation tells of something past already: "was born in", "moved to".
pub fn tells_of_the_past(relation: &str) -> bool {
    relation.split(' ').any(|word| {
        is_past(word) || matches!(word, "was" | "were" | "used" | "born" | "had") || SAME_FOR_ALL.contains(&word)
    })
}

fn is_past(verb: &str) -> bool {
    verb.ends_with("ed") && BASES.iter().any(|base| past(base) == verb)
}

/// The base forms whose past is not made with "ed".
#[rustfmt::skip]
const IRREGULAR: &[(&str, &str)] = &[
    ("become", "became"), ("begin", "began"), ("bring", "brought"), ("build", "built"), ("buy", "bought"), ("come", "came"), ("cost", "cost"),
    ("deal", "dealt"), ("do", "did"), ("drink", "drank"), ("drive", "drove"), ("eat", "ate"), ("feel", "felt"), ("fly", "flew"),
    ("forget", "forgot"), ("get", "got"), ("give", "gave"), ("go", "went"), ("grow", "grew"), ("have", "had"), ("hold", "held"),
    ("keep", "kept"), ("know", "knew"), ("lead", "led"), ("leave", "left"), ("lend", "lent"), ("let", "let"), ("lose", "lost"), ("make", "made"),
    ("mean", "meant"), ("meet", "met"), ("pay", "paid"), ("put", "put"), ("quit", "quit"), ("read", "read"), ("ride", "rode"), ("run", "ran"),
    ("say", "said"), ("see", "saw"), ("seek", "sought"), ("sell", "sold"), ("set", "set"), ("sing", "sang"), ("sleep", "slept"),
    ("speak", "spoke"), ("spend", "spent"), ("swim", "swam"), ("take", "took"), ("teach", "taught"), ("tell", "told"), ("think", "thought"),
    ("understand", "understood"), ("wake", "woke"), ("wear", "wore"), ("win", "won"), ("write", "wrote"),
];

fn past(base: &str) -> String {
    if let Some((_, past)) = IRREGULAR.iter().find(|(verb, _)| *verb == base) {
        return (*past).to_owned();
    }
    match base.as_bytes() {
        [.., b'e'] => format!("{base}d"),
        [.., before, b'y'] if !b"aeiou".contains(before) => format!("{}ied", &base[..base.len() - 1]),
        _ if doubles(base) => format!("{base}{}ed", &base[base.len() - 1..]),
        _ => format!("{base}ed"),
    }
}

fn doubles(base: &str) -> bool {
    matches!(
        base,
        "plan"
            | "stop"
            | "quit"
            | "swim"
            | "prefer"
            | "run"
            | "get"
            | "begin"
            | "win"
            | "put"
            | "set"
            | "let"
            | "forget"
    )
}

/// The base form of "smoking" and "running".
pub fn base_of_gerund(word: &str) -> Option<&'static str> {
    let stem = word.strip_suffix("ing")?;
    BASES.iter().copied().find(|base| match base.as_bytes() {
        [.., b'e'] if !base.ends_with("ee") => base[..base.len() - 1] == *stem,
        _ if doubles(base) => format!("{base}{}", &base[base.len() - 1..]) == stem,
        _ => *base == stem,
    })
}

fn third_person(base: &str) -> String {
    match base.as_bytes() {
        [.., before, b'y'] if !b"aeiou".contains(before) => format!("{}ies", &base[..base.len() - 1]),
        [.., b's' | b'x' | b'z' | b'o'] => format!("{base}es"),
        _ if base.ends_with("ch") || base.ends_with("sh") => format!("{base}es"),
        _ if base == "have" => "has".into(),
        _ => format!("{base}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_take_the_form_of_their_person() {
        for (relation, you, they) in [
            ("lives in", "live in", "lives in"),
            ("live in", "live in", "lives in"),
            ("currently studies", "currently study", "currently studies"),
            ("goes to", "go to", "goes to"),
            ("is allergic to", "are allergic to", "is allergic to"),
            ("watches", "watch", "watches"),
            ("was born in", "were born in", "was born in"),
            ("moved to", "moved to", "moved to"),
            ("can play", "can play", "can play"),
            ("has", "have", "has"),
            ("doesn't eat", "don't eat", "doesn't eat"),
            ("no longer works at", "no longer work at", "no longer works at"),
        ] {
            assert_eq!(conjugate(relation, Person::You, Tense::Present).as_deref(), Some(you));
            assert_eq!(conjugate(relation, Person::They, Tense::Present).as_deref(), Some(they));
        }
        assert_eq!(conjugate("favourite colour", Person::You, Tense::Present), None);
    }

    #[test]
    fn what_is_over_is_told_in_the_past() {
        assert_eq!(conjugate("is on", Person::They, Tense::Past).as_deref(), Some("was on"));
        assert_eq!(conjugate("expires", Person::They, Tense::Past).as_deref(), Some("expired"));
        assert_eq!(conjugate("runs out", Person::They, Tense::Past).as_deref(), Some("ran out"));
        assert!(tells_of_the_past("moved to"));
        assert!(!tells_of_the_past("is on"));
    }
}
