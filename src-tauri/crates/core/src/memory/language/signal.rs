//! What a sentence itself says about change: that something was wrong, is over, or comes in addition.

use crate::text;

/// The signals of one message.
#[derive(Debug, Clone)]
pub struct Signals {
    /// "I had that wrong", "actually".
    pub corrects: bool,
    /// "I had that wrong", and not just "actually".
    pub is_mistaken: bool,
    /// "no longer", "instead", "stopped".
    pub changes: bool,
    /// "too", "also": nothing is replaced.
    pub adds: bool,
    /// "now", "new": enough where there is mostly one.
    pub is_new: bool,
    folded: String,
    denied: Vec<String>,
}

/// The person takes back what they said. Enough where a list has one thing in it.
#[rustfmt::skip]
const MISTAKEN: &[&str] = &[
    "no wait", "wait no", "wait, no", "had that wrong", "got that wrong", "that was wrong", "i am wrong", "i was wrong", "mistaken", "my mistake",
    "correction", "i meant", "meant to say", "misspoke", "typo", "mistyped", "sorry, not", "oops", "war falsch", "das ist falsch", "korrektur",
    "ich meinte", "vertippt", "versprochen, ich", "quatsch", "je voulais dire", "je me suis trompe", "erreur", "me equivoque", "queria decir",
    "quise decir", "quis dizer", "queria dizer", "me enganei", "volevo dire", "mi sono sbagliato", "mi sono sbagliata", "ho sbagliato", "я ошибся",
    "я ошиблась", "оговорился", "имел в виду", "имела в виду", "yanlış soyledim", "demek istedim", "pomylilem", "pomylilam", "mialem na mysli", "mialam na mysli",
    "ik bedoelde", "vergiste", "不对", "说错", "說錯", "更正", "搞错", "打错", "間違", "言い間違", "訂正", "정정", "잘못 말", "말실수", "قصدت", "أخطأت", "พูดผิด",
];

/// Weaker words for the same: enough where there is one value.
#[rustfmt::skip]
const CORRECTS: &[&str] = &[
    "actually", "mistake", "was wrong", "eigentlich", "falsch", "en fait", "en realidad", "na verdade", "in realta", "на самом деле", "aslında",
    "wlasciwie", "eigenlijk", "其实", "実は", "사실은",
];

#[rustfmt::skip]
const CHANGES: &[&str] = &[
    "no longer", "any more", "anymore", "any longer", "used to", "stopped", "i quit", "gave up", "given up",
    "switched", "moved", "instead", "changed", "replaced", "swapped", "have become", "became", "turned into",
    "not ... now", "nicht mehr", "aufgehort", "gewechselt", "umgezogen", "statt", "n'est plus", "ne suis plus",
    "j'ai arrete", "desormais", "ya no", "deje de", "不再", "改成", "换成", "换了", "不是了", "戒了", "やめ",
    "変え", "変わ", "더 이상", "바꿨", "left", "resigned", "joined", "laid off", "got fired", "was fired", "gekundigt", "verlassen", "demissionne", "quitte", "renuncie", "lasciato",
    "уволился", "уволилась", "ayrıldım", "odszedlem", "odeszlam", "辞职", "跳槽", "转职", "転職", "辞め", "이직", "퇴사", "그만",
];

#[rustfmt::skip]
const ADDS: &[&str] = &[
    "too", "also", "as well", "another", "in addition", "additionally", "both", "besides", "and to", "second",
    "auch", "ausserdem", "zusatzlich", "aussi", "egalement", "tambien", "ademas", "也", "还有", "另外", "また",
    "도",
];

#[rustfmt::skip]
const NEW: &[&str] = &[
    "now", "new", "since today", "recently", "just started", "jetzt", "neu", "neue", "neuer", "maintenant",
    "nouveau", "ahora", "nuevo", "现在", "新", "今は", "新しい",
];

/// What stands after these, up to the end of the clause, is denied.
#[rustfmt::skip]
const DENIERS: &[&str] = &[
    "no longer", "not any more", "not", "never", "isn't", "aren't", "wasn't", "don't", "doesn't", "stopped",
    "quit", "gave up", "given up", "used to", "instead of", "rather than", "nicht mehr", "nicht", "kein",
    "keine", "statt", "ya no", "au lieu de", "不再", "不是", "而不是", "ではなく", "じゃなく",
];

impl Signals {
    /// Reads a message.
    pub fn of(said: &str) -> Self {
        let folded = text::fold(said);
        let any = |signs: &[&str]| signs.iter().any(|sign| holds(&folded, sign));
        let denied = denied(&folded);
        let is_mistaken = any(MISTAKEN);
        let corrects = is_mistaken || any(CORRECTS);
        // "And vitamin D.", "Plus a cat."
        let goes_on = ["and ", "plus ", "und ", "et ", "y ", "e ", "и "].iter().any(|start| folded.starts_with(start));
        Self {
            corrects,
            is_mistaken,
            changes: any(CHANGES),
            adds: any(ADDS) || goes_on,
            is_new: any(NEW),
            denied,
            folded,
        }
    }

    /// Whether the message says that something of this relation is not so: "no longer Spanish" and "don't speak Spanish" deny
    /// that somebody speaks Spanish, "don't like Spanish food" does not. `relation` is its words with their synonyms.
    pub fn denies(&self, relation: &str, value: &str) -> bool {
        const FILL: &[&str] =
            &["more", "anymor", "longer", "now", "really", "just", "ago", "since", "mehr", "plus", "mas"];
        let own: Vec<String> = text::content(relation);
        let said: Vec<String> = text::content(value);
        let is_beside = |word: &String| !said.contains(word) && !FILL.contains(&word.as_str());
        self.denied.iter().filter(|clause| names(clause, value)).any(|clause| {
            let mut rest = text::content(clause).into_iter().filter(is_beside).peekable();
            rest.peek().is_none() || clause.chars().any(text::is_unspaced) || rest.any(|word| own.contains(&word))
        })
    }

    /// Whether the message names something.
    pub fn names(&self, value: &str) -> bool {
        names(&self.folded, value)
    }
}

/// Whether all the words of a value stand in a text.
pub fn names(said: &str, value: &str) -> bool {
    let wanted = text::content(value);
    let wanted = if wanted.is_empty() { text::words(value) } else { wanted };
    let folded = text::fold(said);
    let stems: Vec<String> = text::words(said).iter().map(|word| text::stem(&text::digits(word))).collect();
    !wanted.is_empty()
        && wanted
            .iter()
            .all(|word| stems.contains(word) || (word.chars().any(text::is_unspaced) && folded.contains(word.as_str())))
}

/// The parts of a text between full stops, commas and the words for "and" and "but".
pub fn clauses(said: &str) -> Vec<&str> {
    let mut clauses: Vec<&str> =
        said.split(['.', '!', '?', ';', ',', '\n', '。', '！', '？', '，', '；', '、']).collect();
    for joint in [" and ", " but ", " und ", " aber ", " et ", " mais ", " y ", " pero "] {
        clauses = clauses.into_iter().flat_map(|clause| clause.split(joint)).collect();
    }
    clauses.into_iter().map(str::trim).filter(|clause| !clause.is_empty()).collect()
}

fn denied(folded: &str) -> Vec<String> {
    clauses(folded)
        .into_iter()
        .filter_map(|clause| {
            let start = DENIERS
                .iter()
                .filter(|sign| holds(clause, sign))
                .filter_map(|sign| Some(clause.find(sign)? + sign.len()))
                .min()?;
            Some(clause[start..].to_owned())
        })
        .collect()
}

/// Whether a sign stands in a text as whole words; within a word only for scripts without spaces.
fn holds(folded: &str, sign: &str) -> bool {
    if sign.chars().any(text::is_unspaced) {
        return folded.contains(sign);
    }
    folded.match_indices(sign).any(|(at, _)| {
        let before = folded[..at].chars().next_back();
        let after = folded[at + sign.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_what_is_over_and_what_never_was() {
        assert!(Signals::of("No wait, box A is a fnOS NAS, I had that wrong.").corrects);
        assert!(Signals::of("I can't stand jazz any more.").changes);
        assert!(Signals::of("I speak Hindi too.").adds);
        assert!(Signals::of("I work at Globex now").is_new);
        let plain = Signals::of("Ana administers Acme's GitHub. I know Newton.");
        assert!(!plain.corrects && !plain.changes && !plain.adds && !plain.is_new);
    }

    #[test]
    fn only_what_is_denied_is_denied() {
        let said = Signals::of("I speak Hindi and French, but no longer Spanish");
        assert!(!said.denies("speaks", "French"));
        assert!(said.denies("speaks", "Spanish"));
        let food = Signals::of("I speak Hindi and I don't like Spanish food");
        assert!(!food.denies("speaks speak language", "Spanish"));
        assert!(Signals::of("I don't speak Spanish").denies("speaks", "Spanish"));
        assert!(Signals::of("Actually, my flight is on Friday, not on Thursday.").denies("on", "Thursday"));
    }
}
