//! Forms that a rule can forbid: emoji, links, lists, numbers, prices. What each is called, and how it is seen.

use super::super::sentence::Sentence;
use super::reading::Reading;
use crate::text;

/// What an answer may not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Form {
    Emoji,
    Link,
    Code,
    Markdown,
    List,
    Table,
    Heading,
    Exclamation,
    Question,
    Dash,
    Digit,
    Price,
    Phone,
    Mail,
    Dose,
}

#[rustfmt::skip]
const NAMES: &[(Form, &[&str])] = &[
    (Form::Phone, &["phone numbers", "phone number", "telephone numbers", "telefonnummern", "telefonnummer", "numéros de téléphone", "números de teléfono", "números de telefone", "numeri di telefono", "telefoonnummers", "номера телефонов"]),
    (Form::Mail, &["email addresses", "email address", "e mail addresses", "e mail address", "e mail adressen", "email adressen", "adresses e mail", "direcciones de correo", "emails"]),
    (Form::Code, &["code blocks", "code block", "code snippets", "codeblöcke", "blocs de code", "bloques de código", "blocos de código", "blocchi di codice", "codeblokken"]),
    (Form::List, &["bullet points", "bullet point", "bulleted lists", "bullet lists", "bullets", "lists", "list", "aufzählungen", "aufzählungspunkte", "stichpunkte", "listen", "listes", "listes à puces", "listas", "viñetas", "elenchi", "lijsten", "opsommingen", "списки", "списков"]),
    (Form::Exclamation, &["exclamation marks", "exclamation mark", "exclamation points", "exclamation point", "ausrufezeichen", "points d exclamation", "signos de exclamación", "pontos de exclamação", "punti esclamativi", "uitroeptekens", "восклицательные знаки", "восклицательных знаков"]),
    (Form::Dash, &["em dashes", "em dash", "dashes", "gedankenstriche", "tirets", "travessões"]),
    (Form::Emoji, &["emojis", "emoji", "emoticons", "smileys", "smilies", "smiley", "emoticonos", "emoticones", "эмодзи", "смайлики", "смайликов", "смаилики", "ايموجي", "इमोजी"]),
    (Form::Link, &["hyperlinks", "hyperlink", "weblinks", "links", "link", "urls", "url", "web addresses", "liens", "lien", "enlaces", "enlace", "collegamenti", "ссылки", "ссылок", "bağlantı", "روابط"]),
    (Form::Markdown, &["markdown formatting", "markdown"]),
    (Form::Table, &["tables", "table", "tabellen", "tabelle", "tableaux", "tablas", "tabelas", "tabelle", "таблицы", "таблиц"]),
    (Form::Heading, &["headings", "heading", "headers", "überschriften", "titres", "encabezados", "títulos", "titoli", "kopjes", "заголовки", "заголовков"]),
    (Form::Question, &["questions", "question", "fragen", "frage", "rückfragen", "preguntas", "pregunta", "perguntas", "pergunta", "domande", "domanda", "vragen", "vraag", "вопросы", "вопросов", "вопросом", "soru"]),
    (Form::Digit, &["digits", "numerals", "ziffern", "chiffres", "cifras", "algarismos", "cifre", "cijfers", "цифры", "цифр"]),
    (Form::Price, &["prices", "price", "pricing", "preise", "preis", "prix", "precios", "precio", "preços", "preço", "prezzi", "prezzo", "prijzen", "prijs", "цены", "цену", "fiyat"]),
];

const UNSPACED: &[(Form, &[&str])] = &[
    (Form::Emoji, &["表情符号", "表情符號", "表情", "emoji", "絵文字", "이모지", "이모티콘", "อีโมจิ"]),
    (Form::Link, &["链接", "連結", "リンク", "링크"]),
    (Form::Table, &["表格", "表を", "표를"]),
    (Form::Exclamation, &["感叹号", "感嘆符", "느낌표"]),
];

/// Takes the name of a form away.
pub(super) fn take_form(rule: &mut Reading) -> Option<Form> {
    NAMES.iter().find(|(_, names)| rule.take(&super::reading::taken(names))).map(|(form, _)| *form)
}

/// The form that a rule of a script without spaces names.
pub(super) fn form_in(folded: &str) -> Option<Form> {
    UNSPACED.iter().find(|(_, names)| names.iter().any(|name| folded.contains(name))).map(|(form, _)| *form)
}

/// Whether a word means prices.
pub(super) fn is_price_word(word: &str) -> bool {
    NAMES.iter().any(|(form, names)| *form == Form::Price && names.iter().any(|name| text::fold(name) == word))
}

impl Form {
    /// Whether a sentence of prose has it; of a code block only that it is one.
    pub fn is_in(self, sentence: &Sentence) -> bool {
        let line = sentence.written.as_str();
        if sentence.is_foreign {
            return matches!(self, Self::Code | Self::Markdown) && line.starts_with("```");
        }
        match self {
            Self::Emoji => has_emoji(own(sentence)),
            Self::Link => ["http://", "https://", "www."].iter().any(|start| line.contains(start)),
            Self::Code => line.starts_with("```"),
            Self::Markdown => Self::Heading.is_in(sentence) || Self::List.is_in(sentence) || is_bold(line),
            Self::List => is_list_item(line),
            Self::Table => line.matches('|').count() >= 3 && line.contains("--"),
            Self::Heading => line.trim_start_matches('#').starts_with(' ') && line.starts_with('#'),
            Self::Exclamation => own(sentence).contains(['!', '！']),
            Self::Question => sentence.is_question,
            Self::Dash => own(sentence).contains('—'),
            Self::Digit => own(sentence).bytes().any(|byte| byte.is_ascii_digit()),
            Self::Price => is_price(&sentence.folded),
            Self::Phone => has_phone(line),
            Self::Mail => line.split_whitespace().any(is_mail),
            Self::Dose => is_dose(&sentence.folded, &sentence.words),
        }
    }
}

/// A sentence without what it quotes; dashes are still what they were.
fn own(sentence: &Sentence) -> &str {
    // Folding turns every dash into one sign, so what was written counts where nothing is quoted.
    if sentence.folded.contains('\u{FFFC}') { &sentence.folded } else { &sentence.written }
}

fn has_emoji(line: &str) -> bool {
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let is_dressed = chars.peek() == Some(&'\u{FE0F}');
        let code = u32::from(c);
        let is_emoji = matches!(code, 0x1F1E6..=0x1F1FF | 0x1F300..=0x1F64F | 0x1F680..=0x1F6FF | 0x1F7E0..=0x1F7EB | 0x1F900..=0x1FAFF)
            || matches!(
                c,
                '⌚' | '⌛'
                    | '⏰'
                    | '⏳'
                    | '☔'
                    | '☕'
                    | '♿'
                    | '⚓'
                    | '⚡'
                    | '⚽'
                    | '⚾'
                    | '⛄'
                    | '⛅'
                    | '⛔'
                    | '⛪'
                    | '⛲'
                    | '⛳'
                    | '⛵'
                    | '⛺'
                    | '✅'
                    | '✊'
                    | '✋'
                    | '✨'
                    | '❌'
                    | '❓'
                    | '❗'
                    | '⭐'
            )
            || is_dressed && matches!(code, 0x2600..=0x27BF | 0x2B00..=0x2BFF);
        if is_emoji {
            return true;
        }
    }
    false
}

fn is_bold(line: &str) -> bool {
    line.match_indices("**").count() >= 2 && line.split("**").nth(1).is_some_and(|inner| !inner.trim().is_empty())
}

/// "- item", "1. item". A dash that begins a spoken line has a list's form too, so one alone is not enough in prose.
fn is_list_item(line: &str) -> bool {
    let bullet = ["- ", "* ", "• ", "+ "].iter().any(|sign| line.starts_with(sign));
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = (1..=2).contains(&digits) && [". ", ") "].iter().any(|sign| line[digits..].starts_with(sign));
    bullet || numbered
}

/// "$20", "20 €", "20 euros", "EUR 20".
pub(super) fn is_price(folded: &str) -> bool {
    const SIGNS: &[char] = &['$', '€', '£', '¥', '₹', '₽', '₺', '₩'];
    const WORDS: &[&str] = &[
        "euro",
        "euros",
        "dollar",
        "dollars",
        "usd",
        "eur",
        "gbp",
        "pounds",
        "yen",
        "chf",
        "franken",
        "francs",
        "rubles",
        "рублеи",
        "руб",
        "lira",
        "rupees",
        "dolares",
        "pesos",
        "reais",
        "元",
        "円",
        "원",
    ];
    let words = text::split(folded);
    let is_number = |word: &String| word.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let beside = words.windows(2).any(|pair| {
        is_number(&pair[0]) && WORDS.contains(&pair[1].as_str())
            || WORDS.contains(&pair[0].as_str()) && is_number(&pair[1])
    });
    let chars: Vec<char> = folded.chars().filter(|c| !c.is_whitespace()).collect();
    beside
        || chars.iter().enumerate().any(|(at, c)| {
            SIGNS.contains(c)
                && (chars.get(at + 1).is_some_and(char::is_ascii_digit)
                    || at.checked_sub(1).and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit))
        })
}

/// "Take 400 mg every 6 hours": an amount of a medicine, and how it is taken.
pub(super) fn is_dose(folded: &str, words: &[String]) -> bool {
    const AMOUNTS: &[&str] = &[
        "mg",
        "mcg",
        "ug",
        "milligram",
        "milligrams",
        "milligramm",
        "milligrammes",
        "miligramos",
        "tablets",
        "tablet",
        "pills",
        "pill",
        "capsules",
        "drops",
        "tabletten",
        "tropfen",
        "comprimes",
        "pastillas",
        "comprimidos",
        "compresse",
    ];
    #[rustfmt::skip]
    const TAKING: &[&str] = &[
        "take", "taking", "daily", "every", "twice", "once", "times", "dose", "doses", "dosage", "per", "nimm", "nehmen", "taglich", "alle", "mal", "dosis", "prenez", "prends", "jour", "toutes", "toma", "tome", "cada", "dia", "prendi", "prenda", "giorno", "ogni",
    ];
    let amount = words
        .windows(2)
        .any(|pair| pair[0].bytes().all(|byte| byte.is_ascii_digit()) && AMOUNTS.contains(&pair[1].as_str()))
        || words.iter().any(|word| {
            word.strip_suffix("mg").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        });
    let unspaced = ["毫克", "mgを", "錠"].iter().any(|sign| folded.contains(sign));
    unspaced || amount && words.iter().any(|word| TAKING.contains(&word.as_str()))
}

/// A number with seven to fifteen digits in groups, or behind a plus.
fn has_phone(line: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '(' | ')' | '/' | '+');
    line.split(|c: char| !is_part(c)).any(|run| {
        let run = run.trim();
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        let is_date = run.split(['-', '/', ' ']).next().is_some_and(|first| first.len() == 4) && digits == 8;
        let groups = run.split([' ', '-', '(', ')', '/']).filter(|group| !group.is_empty()).count();
        (7..=15).contains(&digits)
            && !is_date
            && (run.starts_with(['+', '(', '0']) && groups >= 2 || groups == 3 && digits == 10)
    })
}

fn is_mail(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty()
            && host.contains('.')
            && !host.starts_with('.')
            && host.bytes().all(|b| b.is_ascii_alphanumeric() || b".-".contains(&b))
    })
}
