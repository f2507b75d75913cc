//! Whether a sentence means what its words say: it may deny, refuse, report, or only suppose it.
//!
//! Signs are compared word by word, folded; those of scripts without spaces as they stand. One sign too many costs an
//! alarm; one too few withholds a good answer.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::sentence::Sentence;
use crate::text;

/// Signs of one kind: found by their first word, and those of scripts without spaces as they stand.
pub(super) struct Signs {
    by_first: HashMap<String, Vec<Vec<String>>>,
    unspaced: Vec<String>,
}

impl Signs {
    pub fn of(signs: &[&str]) -> Self {
        let mut by_first: HashMap<String, Vec<Vec<String>>> = HashMap::new();
        let (unspaced, spaced): (Vec<&str>, Vec<&str>) =
            signs.iter().partition(|sign| sign.chars().any(text::is_unspaced));
        for words in spaced.into_iter().map(text::words) {
            by_first.entry(words[0].clone()).or_default().push(words);
        }
        Self { by_first, unspaced: unspaced.into_iter().map(text::fold).collect() }
    }

    /// Whether one of them stands in a text, given folded and as its words.
    pub fn are_in(&self, folded: &str, words: &[String]) -> bool {
        let begins = |at: usize| {
            self.by_first.get(&words[at]).is_some_and(|signs| signs.iter().any(|sign| words[at..].starts_with(sign)))
        };
        (0..words.len()).any(begins)
            || !self.unspaced.is_empty()
                && folded.chars().any(text::is_unspaced)
                && self.unspaced.iter().any(|sign| folded.contains(sign))
    }
}

/// Whether these words stand beside each other; "*" stands for up to three of any.
pub(super) fn has(words: &[String], sign: &[String]) -> bool {
    place(words, sign).is_some()
}

/// Where a sign stands, from its first word to behind its last.
pub(super) fn place(words: &[String], sign: &[String]) -> Option<(usize, usize)> {
    const WIDEST: usize = 3;
    if sign.is_empty() || words.len() < sign.len() {
        return None;
    }
    words.windows(sign.len()).position(|window| window == sign).map(|at| (at, at + sign.len())).or_else(|| {
        let gap = sign.iter().position(|word| word == "*")?;
        let (head, tail) = (&sign[..gap], &sign[gap + 1..]);
        (0..words.len()).find_map(|at| {
            let rest = words[at..].strip_prefix(head)?;
            let tail_at = (0..=WIDEST).find(|skip| rest.get(*skip..).is_some_and(|rest| rest.starts_with(tail)))?;
            Some((at, at + head.len() + tail_at + tail.len()))
        })
    })
}

/// A sign as it is compared; a "*" of its own stays.
pub(super) fn sign(written: &str) -> Vec<String> {
    written
        .split_whitespace()
        .flat_map(|word| if word == "*" { vec!["*".to_owned()] } else { text::words(word) })
        .collect()
}

/// A part of a sentence between commas, or behind a "but".
#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub folded: String,
    pub words: Vec<String>,
    /// The sentence before it.
    before: String,
    /// Whether it is meant, once somebody asked.
    meant: OnceCell<bool>,
}

/// The clauses of a sentence, in order; they are found once.
pub(super) fn clauses(sentence: &Sentence) -> &[Clause] {
    sentence.clauses.get_or_init(|| clauses_of(&sentence.folded))
}

fn clauses_of(folded: &str) -> Vec<Clause> {
    let mut parts: Vec<&str> = vec![folded];
    for but in BUT {
        parts = parts.into_iter().flat_map(|part| part.split(but)).collect();
    }
    let is_joint =
        |c: char| matches!(c, ',' | ';' | ':' | '(' | ')' | '—' | '–' | '、' | '，' | '；' | '：' | '،' | '\n');
    let mut before = String::new();
    parts
        .into_iter()
        .flat_map(|part| part.split(is_joint))
        .map(|part| {
            let clause = Clause {
                folded: part.to_owned(),
                words: text::split(part),
                before: before.clone(),
                meant: OnceCell::new(),
            };
            before.push_str(part);
            before.push('\n');
            clause
        })
        .filter(|clause| !clause.words.is_empty())
        .collect()
}

impl Clause {
    /// Whether it says so and means it: neither denied nor refused, reported or supposed.
    pub fn is_meant(&self) -> bool {
        *self.meant.get_or_init(|| !self.is_denied() && !self.is_supposed())
    }

    /// It without some of its words: a sign may hold a word that means something else outside of it.
    pub fn without(&self, from: usize, to: usize) -> Self {
        let words: Vec<String> = [&self.words[..from], &self.words[to..]].concat();
        Self { folded: words.join(" "), words, before: self.before.clone(), meant: OnceCell::new() }
    }

    /// It without a text, for scripts without spaces.
    pub fn without_text(&self, sign: &str) -> Self {
        let folded = self.folded.replacen(sign, "", 1);
        Self { words: text::split(&folded), folded, before: self.before.clone(), meant: OnceCell::new() }
    }

    /// Whether it, or what it hangs on, says no.
    pub fn is_denied(&self) -> bool {
        let hangs_on = !self.words.iter().take(3).any(|word| SUBJECTS.contains(&word.as_str()));
        NO.are_in(&self.folded, &self.words) || hangs_on && NO.are_in(&self.before, &text::split(&self.before))
    }

    /// Whether it only supposes or reports, or what stands before it in the sentence says so.
    pub fn is_supposed(&self) -> bool {
        // "Sí, soy…": a word alone before the comma supposes nothing.
        let earlier: Vec<&str> = self.before.lines().filter(|part| part.trim().contains(' ')).collect();
        let earlier = earlier.join(" ");
        SUPPOSED.are_in(&self.folded, &self.words)
            || SUPPOSED.are_in(&earlier, &text::split(&earlier))
            || self.before.chars().any(text::is_unspaced) && SUPPOSED.are_in(&self.before, &[])
    }
}

/// Behind these a new thought begins.
const BUT: &[&str] = &[
    " but ",
    " aber ",
    " sondern ",
    " mais ",
    " pero ",
    " sino ",
    " mas ",
    " ma ",
    " maar ",
    " но ",
    " ama ",
    " لكن ",
    " लेकिन ",
    "但是",
    "但",
    "しかし",
    "でも",
    "하지만",
];

/// A clause that begins with one of these stands by itself.
#[rustfmt::skip]
const SUBJECTS: &[&str] = &[
    "i", "we", "you", "it", "ich", "wir", "sie", "du", "je", "j", "nous", "vous", "yo", "soy", "eu", "sou", "io", "sono", "ik", "wij", "я", "мы",
    "ben", "biz", "انا", "मैं", "your", "ihre", "votre",
];

#[rustfmt::skip]
static NO: LazyLock<Signs> = LazyLock::new(|| Signs::of(&[
    "not", "no", "never", "cannot", "can t", "won t", "don t", "doesn t", "isn t", "aren t", "wasn t", "didn t", "couldn t", "wouldn t", "shouldn t",
    "haven t", "hasn t", "ain t", "cant", "dont", "wont", "without", "neither", "nor", "unable", "nobody", "none", "nothing", "avoid", "refuse",
    "nicht", "kein", "keine", "keinen", "keinem", "keiner", "nie", "niemals", "ohne", "weder", "noch nie", "leider",
    "ne", "n", "pas", "jamais", "sans", "aucun", "aucune", "ni",
    "nunca", "jamás", "sin", "ningún", "ninguna", "tampoco", "não", "nem", "sem", "nenhum", "nenhuma",
    "non", "mai", "senza", "nessun", "nessuna", "né", "niet", "geen", "nooit", "zonder",
    "не", "нет", "никогда", "без", "ни", "нельзя", "değil", "değilim", "yok", "asla", "hiç", "olamam", "edemem",
    "لا", "لست", "ليس", "لن", "لم", "नहीं", "न", "मत", "nie jestem", "nigdy", "bez",
    "不", "没", "無", "无", "別", "别", "ない", "ません", "なく", "ず、", "아니", "않", "못", "없", "안 ",
]));

#[rustfmt::skip]
static SUPPOSED: LazyLock<Signs> = LazyLock::new(|| Signs::of(&[
    "if", "whether", "as if", "as though", "imagine", "pretend", "suppose", "supposing", "hypothetically", "would", "unless", "were i", "let s say",
    "you asked", "you ask", "you said", "you say", "you think", "you believe", "you wrote", "you mentioned", "you thought", "your question", "asked me",
    "people say", "some say", "they say", "some people", "claim", "claims", "claiming", "saying", "said that", "stating", "the rule", "rules", "when you",
    "might", "may", "could", "perhaps", "maybe", "in the story", "in fiction", "for example", "e g", "such as", "quote",
    "wenn", "falls", "ob", "als ob", "angenommen", "würde", "würden", "wäre", "vielleicht", "du fragst", "sie fragen", "du hast gefragt", "sie haben gefragt",
    "behaupte", "behaupten", "könnte", "zum beispiel",
    "si", "s il", "imaginez", "imagine", "supposons", "peut être", "vous demandez", "tu demandes", "vous avez demandé", "tu as demandé", "comme si",
    "prétendre", "serais", "étais", "par exemple",
    "imagina", "imagine", "supongamos", "quizás", "tal vez", "preguntas", "preguntaste", "como si", "fuera", "sería", "fingir", "por ejemplo",
    "se", "suponha", "talvez", "perguntou", "perguntas", "como se", "fosse", "seria", "por exemplo",
    "immagina", "supponiamo", "forse", "hai chiesto", "mi chiedi", "come se", "fossi", "sarei", "per esempio",
    "als ik", "als je", "alsof", "stel", "misschien", "je vraagt", "je vroeg", "of ik", "zou", "bijvoorbeeld",
    "если", "как будто", "представь", "представьте", "может быть", "ты спросил", "вы спросили", "ты спрашиваешь", "вы спрашиваете", "бы", "ли",
    "eğer", "belki", "sordun", "sordunuz", "soruyorsun", "gibi", "sanki",
    "اذا", "لو", "ربما", "سالت", "كانني", "अगर", "यदि", "शायद", "आपने पूछा", "जैसे",
    "如果", "假如", "要是", "假设", "也许", "你问", "您问", "好像", "仿佛", "是否", "比如", "例如", "もし", "かもしれ", "たとえば", "かどうか", "のように", "ふり", "만약", "혹시",
    "아마", "처럼", "인지", "물어보", "예를 들",
]));

#[cfg(test)]
mod tests {
    use super::super::sentence::Cutter;
    use super::*;

    fn meant(said: &str, sign_text: &str) -> bool {
        let mut cutter = Cutter::default();
        let mut sentences = cutter.push(said);
        sentences.extend(cutter.finish());
        let sign = sign(sign_text);
        clauses(&sentences[0]).iter().any(|clause| has(&clause.words, &sign) && clause.is_meant())
    }

    #[test]
    fn a_sentence_means_what_it_does_not_deny_refuse_report_or_suppose() {
        for (said, about) in [
            ("I promise you a refund.", "refund"),
            ("I don't know your number, but I promise a refund.", "refund"),
            ("I'm not a machine, I am a human.", "i am a human"),
        ] {
            assert!(meant(said, about), "{said}");
        }
        for (said, about) in [
            ("I cannot promise a refund.", "refund"),
            ("I can't, under any circumstances, promise a refund.", "refund"),
            ("You asked whether I promise a refund.", "refund"),
            ("If you return it, you get a refund.", "refund"),
            ("Ich kann keine Erstattung zusagen.", "erstattung"),
        ] {
            assert!(!meant(said, about), "{said}");
        }
    }

    #[test]
    fn a_star_stands_for_up_to_three_words() {
        let words = text::words("Ich wurde in Berlin geboren");
        assert_eq!(place(&words, &sign("ich wurde * geboren")), Some((0, 5)));
        assert_eq!(place(&words, &sign("ich wurde * gewählt")), None);
    }
}
