//! Whether an answer tells of a sealed topic of the person's that the person did not raise.
//!
//! What a topic is, memory says; there, uncertain means sealed. Here uncertain means silent: only a plain statement
//! about the person counts ("your diabetes", "you are pregnant"), never advice that anybody could get ("ask your doctor").

use std::sync::LazyLock;

use super::Asked;
use super::sentence::Sentence;
use super::stance::{self, Clause, Signs};
use crate::memory::writing::topic;
use crate::text;

/// How far from "your" a word of the topic stands at most.
const NEAR: usize = 3;

/// The sealed topics that an answer may not touch.
#[derive(Clone)]
pub(super) struct Sealed {
    /// Those that memory has words for: "my health".
    known: Vec<String>,
    /// Those of the person's own: "my ex Tom".
    own: Vec<String>,
}

impl Sealed {
    /// Without those that the person raised in this message.
    pub fn new(sealed: &[String], asked: &Asked<'_>) -> Self {
        let is_raised = |topic: &&String| topic::touches(asked.question, std::slice::from_ref(*topic));
        let (known, own) =
            sealed.iter().filter(|topic| !is_raised(topic)).cloned().partition(|topic| topic::is_known(topic));
        Self { known, own }
    }

    /// Whether a sentence says something of one of them about the person.
    pub fn are_in(&self, sentence: &Sentence) -> bool {
        if sentence.is_foreign || self.known.is_empty() && self.own.is_empty() {
            return false;
        }
        let clauses = stance::clauses(sentence);
        self.own.iter().any(|topic| is_own_told(topic, sentence, clauses))
            || !self.known.is_empty() && clauses.iter().any(|clause| !clause.is_supposed() && self.are_told(clause))
    }

    fn are_told(&self, clause: &Clause) -> bool {
        if clause.folded.chars().any(text::is_unspaced) {
            return YOURS_UNSPACED.iter().any(|yours| clause.folded.contains(yours)) && self.is_touched(&clause.folded);
        }
        let places = (0..clause.words.len()).filter(|at| {
            YOURS.contains(&clause.words[*at].as_str())
                || YOU_ARE.iter().any(|sign| clause.words[*at..].starts_with(sign))
        });
        places.into_iter().any(|at| {
            let reach =
                clause.words.len().min(at + 1 + NEAR + usize::from(!YOURS.contains(&clause.words[at].as_str())));
            self.is_touched(&clause.words[at + 1..reach].join(" "))
        })
    }

    /// Whether these words touch a topic, without those that stand in any advice.
    fn is_touched(&self, said: &str) -> bool {
        let telling: Vec<String> = text::split(said).into_iter().filter(|word| !is_everyday(word)).collect();
        let telling = telling.join(" ");
        topic::touches(&telling, &self.known) && !EVERYDAY_SIGNS.are_in(said, &text::split(said))
    }
}

/// A topic of the person's own is told where all its words are, beside the person or with a name in it.
fn is_own_told(topic: &str, sentence: &Sentence, clauses: &[Clause]) -> bool {
    let has_name = topic.split_whitespace().skip(1).any(|word| word.starts_with(char::is_uppercase));
    let is_of_person = sentence.words.iter().any(|word| word == "you" || YOURS.contains(&word.as_str()));
    (has_name || is_of_person)
        && topic::touches(&sentence.folded, std::slice::from_ref(&topic.to_owned()))
        && clauses.iter().any(|clause| !clause.is_supposed())
}

#[rustfmt::skip]
const YOURS: &[&str] = &[
    "your", "dein", "deine", "deinen", "deinem", "deiner", "ihre", "ihren", "ihrem", "ihrer", "ton", "ta", "tes", "votre", "vos", "tu", "tus", "su", "sus", "seu", "sua", "seus", "suas", "teu", "tua",
    "tuo", "tuoi", "tue", "suo", "jouw", "uw", "твои", "твоя", "твое", "твоего", "твоеи", "твоем", "ваш", "ваша", "ваше", "вашего", "вашеи", "вашем", "आपका", "आपकी", "आपके", "तुम्हारा",
];
const YOURS_UNSPACED: &[&str] =
    &["你的", "您的", "你有", "您有", "你患", "あなたの", "あなたは", "당신의", "고객님의", "คุณ"];

static YOU_ARE: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    #[rustfmt::skip]
    let signs = [
        "you are", "you re", "you have", "you ve", "you had", "you were", "you live", "you take", "you suffer", "you earn", "you owe", "you got", "you told me", "you voted",
        "du bist", "du hast", "du lebst", "du nimmst", "sie haben", "du leidest", "tu es", "tu as", "vous avez", "vous êtes", "eres", "tienes", "padeces", "você tem", "você é", "hai", "sei", "je hebt", "je bent",
        "у тебя", "у вас", "ты болеешь", "senin", "sizin",
    ];
    signs.iter().map(|sign| text::words(sign)).collect()
});

/// Words of topics that stand in any advice, and tell nothing of anybody.
fn is_everyday(word: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "health", "healthy", "healthcare", "doctor", "doctors", "physician", "clinic", "hospital", "hospitals", "pharmacist", "pharmacy", "therapist", "body", "pain", "sick", "patient", "patience",
        "patients", "condition", "medical", "medicine", "medication", "treatment", "wellbeing", "operation", "clinical", "vitamin", "vitamins", "addicted", "allergies", "allergy", "symptoms", "doctor's",
        "work", "working", "works", "worked", "job", "jobs", "project", "projects", "company", "office", "boss", "manager", "managers", "team", "career", "colleague", "colleagues", "employer",
        "money", "budget", "bank", "account", "pay", "paid", "payment", "tax", "taxes", "savings", "saving", "credit", "rent", "stock", "shares", "earn", "invest", "investment", "bonus", "dollar", "dollars",
        "euro", "euros", "home", "house", "city", "town", "street", "address", "flat", "live", "living", "moved", "apartment", "family", "child", "children", "kid", "kids", "parents", "grand",
        "faith", "god", "vote", "voting", "votes", "elect", "president", "protest", "liberal", "conservative", "sex", "trans", "arzt", "arztin", "gesundheit", "gesund", "korper", "arbeit", "job", "chef",
        "geld", "konto", "bank", "steuer", "steuern", "familie", "kind", "kinder", "haus", "wohnung", "adresse", "sante", "medecin", "travail", "argent", "famille", "maison", "rue", "salud", "medico", "trabajo",
        "dinero", "familia", "casa", "calle", "saude", "trabalho", "dinheiro", "salute", "lavoro", "soldi", "famiglia", "via", "врач", "врача", "здоровье", "здоровья", "работа", "работе", "деньги", "adres", "werk",
    ];
    WORDS.contains(&word)
}

/// What makes a whole phrase everyday, in scripts without spaces too.
static EVERYDAY_SIGNS: LazyLock<Signs> = LazyLock::new(|| {
    Signs::of(&[
        "doctor",
        "arzt",
        "ärztin",
        "médecin",
        "médico",
        "medico",
        "врач",
        "医生",
        "醫生",
        "医者",
        "医師",
        "의사",
        "身体健康",
        "健康",
        "工作",
        "仕事",
    ])
});
