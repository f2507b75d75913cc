//! The words by which a sentence takes back, tells of the past, or only supposes what it names, in the languages people use.
//! They are compared word by word, folded; those of scripts without spaces as they stand.

use std::sync::LazyLock;

use crate::text;

/// Signs of one kind, each as its folded words.
type Signs = LazyLock<Vec<Vec<String>>>;

fn folded(signs: &[&str]) -> Vec<Vec<String>> {
    signs.iter().map(|sign| text::words(sign)).collect()
}

/// What stands after these, with nothing of its own between, is over.
#[rustfmt::skip]
pub(super) static OVER: Signs = LazyLock::new(|| folded(&[
    "no longer", "not any more", "not anymore", "not any longer", "stopped", "quit", "gave up", "given up", "used to", "sold", "got rid of",
    "left", "resigned from", "was fired from", "got fired from", "cancelled", "canceled", "broke up with", "split up with", "got divorced from",
    "moved away from", "moved out of", "nicht mehr", "kein", "keine", "keinen", "ya no", "deje de",
    "ja nao", "nao mais", "deixei de", "non piu", "smesso di", "больше не", "juz nie", "niet meer", "geen",
]));

/// What stands after these, with nothing of its own between, is not so.
#[rustfmt::skip]
pub(super) static NOT: Signs = LazyLock::new(|| folded(&[
    "not", "don't", "doesn't", "isn't", "aren't", "wasn't", "didn't", "never", "can't", "cannot", "haven't", "hasn't", "nicht", "nie", "jamais",
    "nunca", "nao", "non", "не", "никогда", "nigdy", "niet", "nooit",
]));
/// In Spanish it stands before the verb; before a noun it is "in the" in Portuguese.
pub(super) static NOT_BEFORE_VERBS: Signs = LazyLock::new(|| folded(&["no"]));

/// A clause that ends with one of these takes back what stands before: "bei Acme arbeite ich nicht mehr".
#[rustfmt::skip]
pub(super) static OVER_AT_THE_END: Signs = LazyLock::new(|| folded(&[
    "no more", "any more", "anymore", "any longer", "nicht mehr", "is over", "is history", "is gone", "artık değil", "değil artık", "niet meer",
]));

/// These turn a denial into something else: "not only", "don't forget that".
#[rustfmt::skip]
pub(super) static NO_DENIAL: Signs = LazyLock::new(|| folded(&[
    "not only", "not just", "not even", "don't forget", "do not forget", "never forget", "why not", "why don't", "nicht nur", "no solo",
    "pas seulement", "nao so", "non solo", "не только",
]));

/// A clause with one of these tells of what was.
#[rustfmt::skip]
pub(super) static ONCE: Signs = LazyLock::new(|| folded(&[
    "back in the day", "as a child", "as a kid", "as a boy", "as a girl", "as a teenager", "as a student", "when i was", "when we were", "years ago",
    "in the past", "formerly", "previously", "in my youth", "früher", "damals", "als kind", "autrefois", "jadis", "quand j'etais", "antes",
    "antiguamente", "de niño", "de niña", "cuando era", "antigamente", "quando eu era", "da bambino", "da bambina", "un tempo", "раньше",
    "в детстве", "eskiden", "çocukken", "kiedyś", "dawniej", "vroeger", "पहले",
]));
pub(super) const ONCE_UNSPACED: &[&str] = &[
    "以前",
    "曾经",
    "从前",
    "小时候",
    "小時候",
    "昔は",
    "かつて",
    "子供の頃",
    "예전에",
    "옛날에",
    "어릴 때",
    "เมื่อก่อน",
];

/// A clause with one of these only supposes.
#[rustfmt::skip]
pub(super) static SUPPOSING: Signs = LazyLock::new(|| folded(&[
    "if i", "if we", "if only", "if my", "what if", "as if", "i wish", "we wish", "imagine", "pretend", "suppose", "supposing", "let's say", "lets say",
    "hypothetically", "maybe", "perhaps", "i may", "we may", "i would", "we would", "i'd", "we'd", "i could", "we could", "almost",
    "nearly", "might", "thinking about", "thinking of", "think about", "think of", "considering", "dreaming of", "dream of", "dreamt of", "dreamed of",
    "dreamt that", "dreamed that", "want to", "wants to", "hope to", "hoping to", "plan to", "planning to", "thinks i", "thinks that i",
    "believes i", "claims i", "claims that i", "vielleicht", "würde", "wäre", "hätte", "stell dir vor", "angenommen", "am liebsten", "fast",
    "peut-être", "imagine", "imaginons", "si j'étais", "si j'avais", "quizás", "quizá", "tal vez", "ojalá", "imagina", "talvez", "oxalá",
    "forse", "magari", "immagina", "может быть", "представь", "если бы", "belki", "keşke", "może", "gdyby", "misschien", "शायद", "ربما",
]));
/// Before a verb it tells of what is to come, before a place of a journey.
pub(super) static GOING_TO: Signs = LazyLock::new(|| folded(&["going to"]));
/// These suppose nothing.
#[rustfmt::skip]
pub(super) static NO_SUPPOSITION: Signs = LazyLock::new(|| folded(&["i'd say", "i would say", "i'd argue", "i'd add", "might add", "might mention", "might know"]));
/// A clause that begins with one of these is a condition.
#[rustfmt::skip]
pub(super) static CONDITIONS: Signs = LazyLock::new(|| folded(&["wenn", "falls", "si", "s'il", "se", "если", "eğer", "jeśli", "als", "अगर", "لو", "إذا"]));
#[rustfmt::skip]
pub(super) const SUPPOSING_UNSPACED: &[&str] = &[
    "如果", "假如", "要是", "假设", "也许", "可能会", "想象", "差点", "もし", "かもしれ", "たらいいのに", "만약", "만일", "아마", "ถ้า",
];

/// What was said before one of these was not meant.
#[rustfmt::skip]
pub(super) static JOKES: Signs = LazyLock::new(|| folded(&[
    "just kidding", "kidding", "jk", "only joking", "just joking", "i'm joking", "nur spaß", "nur ein scherz", "war ein witz", "je plaisante",
    "je rigole", "es broma", "era broma", "brincadeira", "scherzo", "sto scherzando", "шучу", "şaka yapıyorum", "żartuję", "grapje",
]));
pub(super) const JOKES_UNSPACED: &[&str] = &["开玩笑", "逗你", "冗談", "농담"];

/// A clause with one of these tells of a few days.
#[rustfmt::skip]
pub(super) static FOR_DAYS: Signs = LazyLock::new(|| folded(&[
    "this week", "this weekend", "for a few days", "for the weekend", "for the week", "diese woche", "dieses wochenende", "cette semaine", "ce week-end",
    "esta semana", "este fin de semana", "essa semana", "questa settimana", "на этой неделе", "bu hafta", "w tym tygodniu", "deze week",
]));
pub(super) const FOR_DAYS_UNSPACED: &[&str] = &["这周", "这几天", "今週", "이번 주"];
/// A clause with one of these, and without a word of lasting, tells of a visit.
#[rustfmt::skip]
pub(super) static VISITING: Signs = LazyLock::new(|| folded(&[
    "until", "till", "visiting", "staying", "on holiday", "on vacation", "on a trip", "on business", "for a conference", "passing through", "bis",
    "zu besuch", "im urlaub", "jusqu'à", "en vacances", "hasta", "de vacaciones", "de visita", "até", "de férias", "fino a", "in vacanza", "в отпуске",
    "tatilde", "na wakacjach", "op vakantie", "tot",
]));
pub(super) const VISITING_UNSPACED: &[&str] = &["出差", "旅游", "度假", "出張", "旅行", "출장", "여행"];
/// Words by which somebody lives somewhere.
#[rustfmt::skip]
pub(super) static LASTING: Signs = LazyLock::new(|| folded(&[
    "live", "living", "lived", "moved", "home", "reside", "based", "settled", "wohn", "lebe", "gezogen", "habit", "vivons", "demenag", "vivo",
    "vivimos", "mudé", "mudei", "moro", "moramos", "abit", "trasferit", "живу", "живём", "переехал", "yaşıyor", "taşındı", "mieszka", "woon",
]));

/// Somebody of the person's, where the clause begins with them.
#[rustfmt::skip]
pub(super) const KIN: &[&str] = &[
    "mutter", "vater", "mama", "papa", "schwester", "bruder", "frau", "mann", "tochter", "sohn", "freund", "freundin", "oma", "opa", "tante",
    "onkel", "chef", "chefin", "kollege", "kollegin", "nachbar", "nachbarin", "mere", "pere", "maman", "soeur", "frere", "femme", "mari", "fille",
    "fils", "ami", "amie", "copain", "copine", "patron", "patronne", "collegue", "madre", "padre", "mama", "hermana", "hermano", "esposa", "esposo",
    "marido", "mujer", "hija", "hijo", "amigo", "amiga", "novia", "novio", "jefe", "jefa", "mae", "pai", "irma", "irmao", "filha", "filho",
    "namorada", "namorado", "sorella", "fratello", "moglie", "marito", "figlia", "figlio", "amico", "amica", "мать", "мама", "отец", "папа",
    "сестра", "брат", "жена", "муж", "дочь", "сын", "друг", "подруга", "moeder", "vader", "zus", "broer", "vrouw", "dochter", "zoon", "siostra",
    "matka", "ojciec", "zona", "maz", "corka", "syn", "annem", "babam", "kardesim", "esim", "parent", "brother", "colleague", "roommate",
    "flatmate", "girlfriend", "ex",
];
/// Of these people speak without saying whose they are.
pub(super) const ALONE: &[&str] = &["mom", "mum", "dad", "grandma", "grandpa", "mama", "papa", "oma", "opa", "maman"];
/// How others are, do or say something, in a few languages.
#[rustfmt::skip]
pub(super) const THEIRS: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "s", "re", "says", "say", "said", "thinks", "told", "ist", "hat", "est", "es", "tiene", "tem", "ha",
];
/// My, his and the like before them, in these languages.
#[rustfmt::skip]
pub(super) const WHOSE: &[&str] = &[
    "my", "our", "his", "her", "their", "the", "a", "mein", "meine", "unser", "unsere", "sein", "seine", "ihr", "ihre", "mon", "ma", "mes", "notre",
    "son", "sa", "mi", "mis", "su", "nuestra", "nuestro", "meu", "minha", "o", "il", "la", "mio", "mia", "мой", "моя", "наш", "наша", "mijn", "moj", "moja",
    "and", "und", "et", "y", "e", "и", "but", "aber",
];
#[rustfmt::skip]
pub(super) const KIN_UNSPACED: &[&str] = &[
    "妹妹", "姐姐", "哥哥", "弟弟", "妈妈", "爸爸", "母亲", "父亲", "老婆", "妻子", "丈夫", "老公", "儿子", "女儿", "朋友", "同事", "老板", "女朋友", "男朋友", "奶奶",
    "爷爷", "她", "他", "姉", "妹", "兄", "弟", "母", "父", "妻", "夫", "息子", "娘", "友達", "上司", "彼女", "彼", "祖母", "祖父", "여동생", "남동생", "누나", "언니",
    "오빠", "형", "엄마", "아빠", "어머니", "아버지", "아내", "남편", "아들", "딸", "친구", "상사",
];

/// Words by which somebody speaks of themself, as the subject or otherwise.
#[rustfmt::skip]
pub(super) const MYSELF: &[&str] = &[
    "i", "me", "we", "us", "myself", "mine", "ich", "wir", "mir", "mich", "uns", "je", "j", "moi", "nous", "yo", "nosotros", "eu", "nos", "io", "noi",
    "я", "мы", "меня", "мне", "ik", "wij", "ja", "ben", "biz",
];

/// What joins clauses that stand for themselves.
#[rustfmt::skip]
pub(super) const JOINTS: &[&str] = &[
    ": ", "：", " but ", " aber ", " mais ", " pero ", " mas ", " ma ", " но ", " ale ", " ama ", " maar ", " because ", " weil ", " parce que ", " porque ", " perché ",
    " потому что ", "아니라", "ではなく", "じゃなくて", "而是",
];
