//! The words of rules, in the languages that people write them in. Folded; several words are one sign.

use super::demand::Unit;
use super::reading::{Taken, taken};
use std::sync::LazyLock;

/// They forbid.
#[rustfmt::skip]
pub(super) static NEVER: Taken = LazyLock::new(|| taken(&[
    "never", "do not", "don t", "must not", "must never", "may not", "should not", "should never", "shall not", "cannot", "avoid", "no", "not", "never ever", "under no circumstances", "refrain from",
    "nie", "niemals", "nicht", "kein", "keine", "keinen", "keinerlei", "auf keinen fall", "vermeide",
    "jamais", "ne", "n", "pas", "ne jamais", "évite", "évitez", "aucun", "aucune", "nunca", "no", "jamás", "evita", "evite", "ningún", "não", "nao", "nem", "mai", "non", "evitare", "nooit", "niet", "geen", "vermijd",
    "никогда", "не", "избегай", "asla", "hiçbir zaman", "hiç", "لا", "ابدا", "कभी", "नहीं", "मत", "nigdy", "nie",
]));
pub(super) const FORBIDDING_UNSPACED: &[&str] = &[
    "不要",
    "不得",
    "不能",
    "不可",
    "不准",
    "不许",
    "禁止",
    "别",
    "從不",
    "从不",
    "绝不",
    "しない",
    "ないで",
    "禁止",
    "なしで",
    "使わない",
    "하지 마",
    "하지마",
    "쓰지 마",
    "쓰지마",
    "마세요",
    "말 것",
    "말아",
    "금지",
];

/// They demand always.
#[rustfmt::skip]
pub(super) static ALWAYS: Taken = LazyLock::new(|| taken(&[
    "always", "must", "every time", "please", "immer", "stets", "jedes mal", "bitte", "toujours", "siempre", "sempre", "altijd", "всегда", "her zaman", "daima", "دائما", "हमेशा", "zawsze",
]));

/// They bind a rule to a case: only judgement can tell whether the case is there.
#[rustfmt::skip]
pub(super) static CONDITIONS: Taken = LazyLock::new(|| taken(&[
    "unless", "except", "without", "if", "when", "whenever", "until", "before", "after", "while", "only", "but", "other than", "instead of", "because", "so that", "where", "wherever", "even",
    "wenn", "falls", "ausser", "ohne", "bis", "bevor", "nachdem", "nur", "aber", "sondern", "sauf", "sans", "si", "quand", "lorsque", "avant", "seulement", "mais",
    "salvo", "excepto", "sin", "cuando", "hasta", "antes", "solo", "pero", "sem", "se", "quando", "até", "apenas", "exceto", "senza", "finché", "prima", "tranne", "tenzij", "behalve", "zonder", "als je", "als iemand", "alleen", "voordat",
    "если", "кроме", "без", "пока", "только", "когда", "eğer", "hariç", "sadece", "olmadan", "الا", "اذا", "अगर", "जब", "chyba", "jeśli",
]));

/// What stands around without changing what a rule means.
#[rustfmt::skip]
pub(super) static FILLERS: Taken = LazyLock::new(|| taken(&[
    "a", "an", "the", "any", "in", "with", "at all", "ever", "to", "of", "for", "on", "you", "your", "yours", "yourself", "answer", "answers", "reply", "replies", "response", "responses", "message", "messages", "text", "output",
    "user", "users", "the user", "person", "customer", "customers", "people", "anyone", "anybody", "and", "or", "that", "be", "are", "is", "it", "them", "about", "per", "each", "every", "s", "as", "anything", "something", "kind", "form", "get", "will",
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "in", "im", "mit", "an", "auf", "zu", "von", "über", "du", "dein", "deine", "deinen", "antwort", "antworten", "und", "oder", "dass", "nutzer", "kunden", "dir", "irgendwelche",
    "le", "la", "les", "l", "un", "une", "des", "de", "du", "d", "dans", "avec", "à", "au", "en", "par", "tes", "vos", "ta", "votre", "réponse", "réponses", "et", "ou", "que",
    "el", "los", "las", "unos", "con", "tus", "su", "sus", "respuesta", "respuestas", "y", "o", "del", "al", "por", "os", "as", "um", "uma", "com", "suas", "resposta", "respostas", "e", "do", "da", "no", "na",
    "il", "lo", "i", "gli", "una", "di", "nelle", "nella", "tue", "risposta", "risposte", "con", "het", "een", "je", "jouw", "uw", "met", "antwoord", "antwoorden", "en", "van", "op", "in je",
    "в", "на", "с", "и", "о", "об", "про", "свои", "своих", "ответ", "ответе", "ответах", "bir", "ve", "cevaplarında", "cevap", "cevapta", "ile", "في", "عن", "का", "के", "की", "में",
]));

#[rustfmt::skip]
pub(super) static SAY: Taken = LazyLock::new(|| taken(&[
    "say", "saying", "write", "writing", "utter", "type", "call", "tell", "speak", "sag", "sage", "sagen", "schreib", "schreibe", "schreiben", "dis", "dites", "dire", "écris", "écrivez", "écrire",
    "digas", "diga", "decir", "di", "escribas", "escriba", "escribir", "escribe", "dizer", "escreva", "escrever", "dire", "scrivere", "scrivi", "zeg", "zeggen", "schrijf", "говори", "говорить", "пиши", "писать", "söyleme", "yazma", "deme", "sprich", "sprechen",
]));

#[rustfmt::skip]
pub(super) static USE: Taken = LazyLock::new(|| taken(&[
    "use", "using", "include", "including", "add", "adding", "send", "give", "post", "make", "put", "provide", "share", "insert", "format", "produce", "output", "contain", "create", "keep", "limit", "exceed", "stay", "have",
    "benutze", "benutzen", "verwende", "verwenden", "nutze", "nutzen", "gib", "gebe", "geben", "füge", "teile", "setze", "mach", "mache", "halte", "utilise", "utilisez", "utiliser", "emploie", "employer", "mets", "donne", "donner", "ajoute",
    "uses", "use", "usar", "utilices", "utilizar", "incluyas", "incluir", "des", "dar", "pongas", "usa", "utilize", "inclua", "dê", "usare", "usi", "utilizzare", "includere", "dare", "gebruik", "gebruiken", "geef", "используй", "использовать", "добавляй", "давай", "kullanma", "kullan", "ekleme", "verme",
    "تستخدم", "इस्तेमाल", "करो", "करें", "używaj",
]));

#[rustfmt::skip]
pub(super) static ASKING: Taken = LazyLock::new(|| taken(&[
    "ask", "asking", "answer", "respond", "reply", "answering", "talk", "write back", "stelle", "stell", "frage", "antworte", "antworten", "beantworte", "pose", "posez", "poser", "réponds", "répondez", "répondre", "parle", "parlez", "parler",
    "hagas", "haga", "hacer", "responde", "responda", "responder", "contesta", "habla", "hablar", "faça", "fazer", "fale", "falar", "fare", "fai", "rispondi", "rispondere", "parla", "parlare", "stel", "antwoord", "beantwoord", "praat", "spreek",
    "отвечай", "отвечать", "задавай", "говори", "cevap ver", "yanıt ver", "yanıtla", "cevapla", "konuş", "اجب", "تحدث", "जवाब", "दो", "दें", "बोलो", "odpowiadaj",
]));

#[rustfmt::skip]
pub(super) static MENTION: Taken = LazyLock::new(|| taken(&[
    "mention", "mentioning", "name", "discuss", "discussing", "talk about", "speak about", "speak of", "bring up", "refer to", "recommend", "erwähne", "erwähnen", "nenne", "nennen", "sprich über", "rede über", "reden über", "sprechen über", "empfiehl",
    "mentionne", "mentionnez", "mentionner", "parle de", "parlez de", "parler de", "évoque", "évoquer", "cite", "menciones", "mencione", "mencionar", "hables de", "hable de", "hablar de", "nombres", "fale sobre", "falar sobre", "fale de", "menzionare", "menziona", "parlare di", "nominare",
    "noem", "noemen", "praat over", "spreek over", "vermeld", "упоминай", "упоминать", "называй", "говори о", "говорить о", "bahsetme", "söz etme", "anma", "تذكر", "تتحدث عن",
]));

#[rustfmt::skip]
pub(super) static PROMISE: Taken = LazyLock::new(|| taken(&[
    "promise", "promising", "guarantee", "guaranteeing", "offer", "offering", "versprich", "verspreche", "versprechen", "garantiere", "garantieren", "biete", "zusagen", "sage zu", "promets", "promettez", "promettre", "garantis", "garantir", "offre", "offrir",
    "prometas", "prometa", "prometer", "garantices", "garantizar", "ofrezcas", "ofrecer", "prometa", "ofereça", "oferecer", "promettere", "garantire", "offrire", "beloof", "beloven", "garandeer", "bied", "обещай", "обещать", "гарантируй", "предлагай", "vaat etme", "söz verme",
]));

#[rustfmt::skip]
pub(super) static CLAIM: Taken = LazyLock::new(|| taken(&[
    "say you are", "say that you are", "say you re", "claim to be", "claim you are", "claim that you are", "pretend to be", "present yourself as", "pose as", "introduce yourself as", "call yourself", "act as if you are", "tell people you are", "tell anyone you are",
    "sag dass du bist", "behaupte zu sein", "sag du bist", "sag du seist", "gib dich als", "nenne dich", "prétends être", "dis que tu es", "dire que tu es", "prétendre être", "digas que eres", "decir que eres", "finjas ser", "diga que é", "dizer que é", "finja ser", "dire di essere", "fingere di essere",
    "zeg dat je bent", "doe alsof je bent",
]));

/// What the assistant is not.
pub(super) const HUMAN: &[&str] = &[
    "human",
    "being",
    "real",
    "mensch",
    "echter",
    "echte",
    "humain",
    "humaine",
    "humano",
    "humana",
    "ser",
    "umano",
    "umana",
    "essere",
    "mens",
    "человек",
    "человеком",
    "insan",
];

/// What a quotation is called.
#[rustfmt::skip]
pub(super) static QUOTABLE: Taken = LazyLock::new(|| taken(&[
    "word", "words", "phrase", "phrases", "expression", "term", "terms", "sentence", "name", "greeting", "line", "sign off", "signature", "exact", "wort", "wörter", "worte", "ausdruck", "begriff", "satz", "den satz", "mot", "mots", "terme", "expression", "palabra", "palabras", "frase", "expresión", "término",
    "palavra", "palavras", "termo", "parola", "parole", "termine", "woord", "woorden", "zin", "слово", "слова", "фразу", "kelimesini", "kelime", "sözcüğünü", "كلمة", "शब्द",
]));

#[rustfmt::skip]
pub(super) static BEGIN: Taken = LazyLock::new(|| taken(&[
    "begin", "start", "open", "beginning", "beginne", "beginnen", "starte", "fang", "commence", "commencez", "commencer", "débute", "empieza", "comienza", "empezar", "comenzar", "comece", "começar", "inizia", "iniziare", "begin met", "начинай", "başla",
]));

#[rustfmt::skip]
pub(super) static END: Taken = LazyLock::new(|| taken(&[
    "end", "finish", "close", "conclude", "ending", "sign off", "beende", "beenden", "ende", "schliesse", "schliess", "höre auf", "ab", "termine", "terminez", "terminer", "finis", "finir", "conclus", "termina", "terminar", "acaba", "acabar", "concluye", "termine", "conclua",
    "finisci", "concludi", "terminare", "concludere", "eindig", "sluit af", "заканчивай", "bitir",
]));

/// A number is too many beyond these.
#[rustfmt::skip]
pub(super) static COUNTED_OVER: Taken = LazyLock::new(|| taken(&[
    "more than", "longer than", "over", "above", "exceed", "mehr als", "länger als", "über", "plus de", "plus que", "más de", "más que", "mais de", "mais do que", "mais que", "più di", "meer dan", "langer dan", "больше", "более", "длиннее", "fazla",
]));

/// "More than" with its "no".
#[rustfmt::skip]
pub(super) static COUNTED_NOT_OVER: Taken = LazyLock::new(|| taken(&[
    "at most", "no more than", "not more than", "never more than", "no longer than", "not longer than", "never longer than", "not exceed", "never exceed", "höchstens", "maximal", "nicht mehr als", "nie mehr als", "niemals mehr als", "nicht länger als",
    "au plus", "au maximum", "pas plus de", "jamais plus de", "como máximo", "no más de", "nunca más de", "no máximo", "não mais de", "nunca mais de", "al massimo", "non più di", "mai più di", "hoogstens", "maximaal", "niet meer dan", "nooit meer dan", "не более", "не больше", "en fazla", "maximum", "max", "maximum of",
    "a maximum of", "максимум",
]));

/// A number is the most before or after these.
#[rustfmt::skip]
pub(super) static COUNTED_UNDER: Taken = LazyLock::new(|| taken(&[
    "up to", "under", "below", "less than", "fewer than", "within", "shorter than", "or less", "or fewer", "weniger als", "unter", "moins de", "menos de", "menos que", "meno di", "minder dan", "меньше",
]));

#[rustfmt::skip]
pub(super) static DOSES: Taken = LazyLock::new(|| taken(&[
    "medical dosages", "medical dosage", "medication dosages", "drug dosages", "dosages", "dosage", "doses", "medical doses", "medication doses", "dosages of medicine", "medical dosing", "dosing", "dosing instructions", "dosage instructions", "dosierungen", "dosierung", "medikamentendosierungen", "medizinische dosierungen", "dosen",
    "posologie", "posologies", "dosages médicaux", "dosis", "dosis médicas", "dosis de medicamentos", "dosagens", "doses de medicamentos", "dosaggi", "dosi", "doseringen", "дозировки", "дозировку", "doz",
]));

#[rustfmt::skip]
pub(super) const UNITS: &[(Unit, &[&str])] = &[
    (Unit::Words, &["word", "words", "wort", "worter", "worte", "mot", "mots", "palabra", "palabras", "palavra", "palavras", "parola", "parole", "woord", "woorden", "слов", "слова", "kelime", "kelimeden"]),
    (Unit::Sentences, &["sentence", "sentences", "satz", "satze", "satzen", "phrase", "phrases", "frase", "frases", "oracion", "oraciones", "frasi", "zin", "zinnen", "предложении", "предложения", "предложение", "cumle", "cumleden"]),
    (Unit::Characters, &["character", "characters", "letters", "zeichen", "caracteres", "caractere", "caratteri", "tekens", "символов", "знаков", "karakter"]),
    (Unit::Paragraphs, &["paragraph", "paragraphs", "absatz", "absatze", "absatzen", "paragraphe", "paragraphes", "parrafo", "parrafos", "paragrafo", "paragrafos", "paragrafi", "alinea", "alinea's", "абзаца", "абзацев", "paragraf"]),
    (Unit::Lines, &["line", "lines", "zeile", "zeilen", "ligne", "lignes", "linea", "lineas", "linha", "linhas", "riga", "righe", "regel", "regels", "строк", "satir"]),
    (Unit::Questions, &["question", "questions", "frage", "fragen", "pregunta", "preguntas", "pergunta", "perguntas", "domanda", "domande", "vraag", "vragen", "вопроса", "вопросов", "soru"]),
];
