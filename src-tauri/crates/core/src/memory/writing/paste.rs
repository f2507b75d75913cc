//! Which part of a message are the person's own words, and which was pasted, quoted or forwarded: code, mail, articles,
//! documents. What only the second part says was not said by the person.
//!
//! It goes by the form of a text, in the languages people use. Where nothing gives a text away it is the person's own: a long
//! story of one's life is no document.

use crate::text;

/// A message in its two parts, each with its line breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The person's own words.
    pub own: String,
    /// What they brought along.
    pub pasted: String,
}

/// An introduced text of at least so many characters is a paste: "Summarise this: …".
const INTRODUCED: usize = 240;
/// A paragraph of at least so many characters in which nobody says "I" is one, in a message of at least [`LONG`].
const IMPERSONAL: usize = 280;
/// A long message, in characters.
const LONG: usize = 900;
/// A quotation of at least so many characters between quotation marks is one.
const QUOTED: usize = 200;
/// So many lines with a speaker and a time are a talk.
const TALK_LINES: usize = 3;
/// So many lines of code in a row are code.
const CODE_LINES: usize = 3;

/// What stands after a line with one of these was written by somebody else.
#[rustfmt::skip]
const FORWARDED: &[&str] = &[
    "original message", "forwarded message", "begin forwarded", "urspruengliche nachricht", "ursprungliche nachricht",
    "weitergeleitete nachricht", "message d'origine", "message transfere", "mensaje original", "mensaje reenviado",
    "mensagem original", "messaggio originale", "messaggio inoltrato", "исходное сообщение", "пересылаемое сообщение",
    "原始邮件", "转发的邮件", "元のメッセージ", "転送メッセージ", "원본 메시지",
];

/// How the line above a quoted mail ends: "On Monday Ana wrote:".
#[rustfmt::skip]
const WROTE: &[&str] = &[
    "wrote:", "schrieb:", "a ecrit :", "a ecrit:", "escribio:", "escreveu:", "ha scritto:", "написал:", "написала:",
    "写道:", "写道：", "のメッセージ:",
];

/// The headers of a mail.
#[rustfmt::skip]
const HEADERS: &[&str] = &[
    "from:", "to:", "cc:", "subject:", "date:", "sent:", "von:", "an:", "betreff:", "datum:", "gesendet:", "de :", "de:", "a :",
    "para:", "objet :", "objet:", "asunto:", "assunto:", "oggetto:", "envoye :", "enviado:", "от:", "кому:", "тема:",
    "发件人:", "发件人：", "收件人:", "收件人：", "主题:", "主题：", "差出人:", "宛先:", "件名:", "보낸 사람:", "받는 사람:", "제목:",
];

/// How letters begin and end.
#[rustfmt::skip]
const SALUTATIONS: &[&str] = &[
    "dear ", "to whom it may concern", "sehr geehrte", "liebe ", "lieber ", "cher ", "chere ", "madame, monsieur", "bonjour ", "estimado",
    "estimada", "querido ", "querida ", "caro ", "cara ", "prezado", "prezada", "gentile ", "egregio ", "уважаем", "尊敬的",
    "亲爱的", "拝啓", "hi ", "hello ", "hallo ", "hola ",
];
#[rustfmt::skip]
const CLOSINGS: &[&str] = &[
    "best regards", "kind regards", "regards,", "sincerely", "yours truly", "yours faithfully", "best,", "cheers,", "mit freundlichen grussen",
    "viele grusse", "liebe grusse", "cordialement", "bien a vous", "saludos", "un saludo", "atentamente", "atenciosamente", "cumprimentos",
    "cordiali saluti", "distinti saluti", "с уважением", "此致", "敬具", "よろしくお願いいたします",
];

/// Words by which somebody speaks of themself.
#[rustfmt::skip]
const MYSELF: &[&str] = &[
    "i", "i'm", "im", "me", "my", "mine", "we", "our", "us", "ich", "mein", "meine", "meinen", "meinem", "meiner", "mir", "mich", "wir", "uns",
    "unsere", "je", "j", "mon", "ma", "mes", "moi", "nous", "notre", "yo", "mi", "mis", "soy", "nosotros", "eu", "meu", "minha", "io", "mio", "mia",
    "sono", "я", "мой", "моя", "мне", "меня", "мы", "ik", "mijn", "ja", "moj", "moja", "jag", "min", "mitt", "ben", "benim", "انا", "मैं", "मेरा", "मेरी", "tôi", "toi",
];
const MYSELF_UNSPACED: &[&str] = &["我", "私", "僕", "俺", "나는", "저는", "내가", "제가", "ฉัน", "ผม"];

/// Tells the two parts of a message apart.
pub fn split(said: &str) -> Parts {
    let lines: Vec<&str> = said.lines().collect();
    let mut pasted = vec![false; lines.len()];
    mark_fences_and_quotes(&lines, &mut pasted);
    mark_code(&lines, &mut pasted);
    mark_mail(&lines, &mut pasted);
    mark_talk(&lines, &mut pasted);
    mark_introduced(&lines, &mut pasted);
    mark_impersonal(said, &lines, &mut pasted);
    let (mut own, mut other) = (String::new(), String::new());
    for (line, is_pasted) in lines.iter().zip(&pasted) {
        let (mine, theirs) =
            if *is_pasted { (String::new(), (*line).to_owned()) } else { without_long_quotation(line) };
        for (to, part) in [(&mut own, mine), (&mut other, theirs)] {
            if !part.trim().is_empty() {
                to.push_str(&part);
                to.push('\n');
            }
        }
    }
    Parts { own: own.trim_end().to_owned(), pasted: other.trim_end().to_owned() }
}

/// Whether a message is mostly something that the person brought along.
pub fn is_mostly_pasted(said: &str) -> bool {
    let parts = split(said);
    parts.pasted.chars().count() > 2 * parts.own.chars().count()
}

fn mark_fences_and_quotes(lines: &[&str], pasted: &mut [bool]) {
    let mut fenced = false;
    for (line, mark) in lines.iter().zip(pasted) {
        let start = line.trim_start();
        let is_fence = start.starts_with("```") || start.starts_with("~~~");
        *mark |= fenced || is_fence || start.starts_with('>');
        fenced ^= is_fence;
    }
}

fn mark_code(lines: &[&str], pasted: &mut [bool]) {
    let is_code: Vec<bool> = lines.iter().map(|line| looks_like_code(line)).collect();
    let mut at = 0;
    while at < lines.len() {
        let length = (at..lines.len()).take_while(|&i| is_code[i] || (lines[i].trim().is_empty() && i > at)).count();
        if (at..at + length).filter(|&i| is_code[i]).count() >= CODE_LINES {
            pasted[at..at + length].fill(true);
        }
        at += length.max(1);
    }
}

/// Code, tables and logs: signs where sentences have words.
fn looks_like_code(line: &str) -> bool {
    let line = line.trim();
    let signs = line
        .chars()
        .filter(|c| {
            matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | ';' | '=' | '<' | '>' | '|' | '\\' | '_' | '"' | ':')
        })
        .count();
    let letters = line.chars().filter(|c| c.is_alphanumeric()).count();
    let ends =
        line.ends_with(['{', '}', ';', ',']) || line.ends_with("):") || line.ends_with("->") || line.starts_with("at ");
    let is_log = line.len() > 10 && line.as_bytes()[..10].iter().filter(|b| b.is_ascii_digit()).count() >= 6;
    !line.is_empty()
        && (is_log || signs * 5 >= letters.max(1) && signs >= 2 || (ends && signs >= 1 && signs * 12 >= letters))
}

/// Lines of a talk that a recorder wrote down: "Ana (14:03): …".
fn mark_talk(lines: &[&str], pasted: &mut [bool]) {
    let is_spoken = |line: &str| {
        let head = line.split_once("):").map_or("", |(head, _)| head);
        head.split_once('(').is_some_and(|(name, time)| {
            !name.trim().is_empty()
                && name.len() < 40
                && time.starts_with(|c: char| c.is_ascii_digit())
                && time.contains(':')
        })
    };
    let spoken: Vec<bool> = lines.iter().map(|line| is_spoken(line)).collect();
    if spoken.iter().filter(|spoken| **spoken).count() >= TALK_LINES {
        pasted.iter_mut().zip(spoken).for_each(|(mark, spoken)| *mark |= spoken);
    }
}

fn mark_mail(lines: &[&str], pasted: &mut [bool]) {
    let folded: Vec<String> = lines.iter().map(|line| text::fold(line.trim())).collect();
    let is_header = |line: &String| HEADERS.iter().any(|header| line.starts_with(header));
    for at in 0..lines.len() {
        let bare = folded[at].trim_matches(|c: char| matches!(c, '-' | '_' | '=' | ' ' | '*'));
        let forwarded = FORWARDED.iter().any(|sign| bare.starts_with(sign)) && bare.chars().count() < 60;
        let wrote = WROTE.iter().any(|sign| folded[at].ends_with(sign)) && lines.len() > at + 1;
        let headers = is_header(&folded[at]) && folded[at..].iter().take(6).filter(|line| is_header(line)).count() >= 2;
        if forwarded || wrote || headers {
            pasted[at + usize::from(wrote)..].fill(true);
            return;
        }
    }
    let begins = folded.iter().position(|line| {
        SALUTATIONS.iter().any(|sign| line.starts_with(sign))
            && line.ends_with([',', ':', '!', '，', '：'])
            && line.chars().count() < 60
    });
    let ends = folded.iter().rposition(|line| CLOSINGS.iter().any(|sign| line.starts_with(sign)));
    // A letter of the person's own begins the message; one that they brought stands under words of theirs.
    if let (Some(begins), Some(ends)) = (begins, ends)
        && begins > 0
        && begins < ends
    {
        let signature = (ends + 1..lines.len()).take_while(|&at| !lines[at].trim().is_empty()).count();
        pasted[begins..=ends + signature].fill(true);
    }
}

/// "Can you summarise this: …": what is introduced by a colon and goes on for long, up to the person's last words.
fn mark_introduced(lines: &[&str], pasted: &mut [bool]) {
    let is_intro = |line: &str| line.trim_end().ends_with([':', '：']) && line.chars().count() < INTRODUCED;
    let Some(at) = (0..lines.len()).find(|&at| !lines[at].trim().is_empty()).filter(|&at| is_intro(lines[at])) else {
        return;
    };
    let paragraphs = paragraphs(lines);
    let last = paragraphs.last().filter(|last| last.start > at + 1 && paragraphs.len() > 2);
    let end =
        last.filter(|last| speaks_to_atlas(&lines[(*last).clone()].join(" "))).map_or(lines.len(), |last| last.start);
    let length: usize = lines[at + 1..end].iter().map(|line| line.chars().count()).sum();
    // Items of a list are short and the person's own: "I like: …".
    let has_sentences = lines[at + 1..end].iter().any(|line| line.chars().count() >= 80);
    if length >= INTRODUCED && has_sentences {
        pasted[at + 1..end].fill(true);
    }
}

/// Short, and a question or a request: the words around a paste.
fn speaks_to_atlas(paragraph: &str) -> bool {
    paragraph.chars().count() < INTRODUCED && (paragraph.contains(['?', '？']) || speaks_of_themself(paragraph))
}

/// Articles and documents: long paragraphs in which nobody says "I", in a long message.
fn mark_impersonal(said: &str, lines: &[&str], pasted: &mut [bool]) {
    if said.chars().count() < LONG {
        return;
    }
    for paragraph in paragraphs(lines) {
        let whole = lines[paragraph.clone()].join(" ");
        if whole.chars().count() >= IMPERSONAL && !speaks_of_themself(&whole) {
            pasted[paragraph].fill(true);
        }
    }
}

fn speaks_of_themself(paragraph: &str) -> bool {
    text::words(paragraph).iter().any(|word| MYSELF.contains(&word.as_str()))
        || MYSELF_UNSPACED.iter().any(|sign| paragraph.contains(sign))
}

/// The runs of lines between empty ones.
fn paragraphs(lines: &[&str]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for at in 0..=lines.len() {
        let empty = lines.get(at).is_none_or(|line| line.trim().is_empty());
        match (start, empty) {
            (Some(from), true) => {
                found.push(from..at);
                start = None;
            }
            (None, false) => start = Some(at),
            _ => {}
        }
    }
    found
}

/// A line without what stands in it between quotation marks for long, and that.
fn without_long_quotation(line: &str) -> (String, String) {
    for (open, close) in [('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('"', '"')] {
        if let Some(from) = line.find(open)
            && let Some(length) = line[from + open.len_utf8()..].find(close)
        {
            let inner = &line[from + open.len_utf8()..from + open.len_utf8() + length];
            if inner.chars().count() >= QUOTED {
                let after = from + open.len_utf8() + length + close.len_utf8();
                return (format!("{} {}", &line[..from], &line[after..]), inner.to_owned());
            }
        }
    }
    (line.to_owned(), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARTICLE: &str = "The town of Brindle lies on the river Oder and has about nine thousand inhabitants. Its mayor, Jo Lang, \
        lives in the old mill and works as a baker. The mill was built in 1734 and restored by volunteers, who still meet there \
        every Thursday evening to grind flour, repair the wheel and tell stories of the great flood.";

    #[test]
    fn what_a_person_writes_themself_is_their_own_however_long() {
        let story =
            "I live in Porto and my sister Mara lives in Oslo. We grew up in Lyon, where my father had a bakery. "
                .repeat(20);
        for said in [
            "I live in Porto.",
            "My favourites:\n- tea\n- rain\n- long walks",
            "Dear Atlas,\nI live in Porto.\nBest regards,\nSam",
            "He said \"I live in Rome\" and left.",
            "Remember: the wifi code is 5512",
            &story,
        ] {
            assert_eq!(split(said), Parts { own: said.trim_end().to_owned(), pasted: String::new() }, "{said}");
        }
    }

    #[test]
    fn what_somebody_brought_along_is_told_from_their_words_around_it() {
        for (own, pasted) in [
            ("Can you summarise this:", ARTICLE),
            ("Fass das bitte zusammen:", ARTICLE),
            ("总结一下：", ARTICLE),
            ("what is wrong here?", "```\nlet home = \"Rome\";\n```"),
            ("What do you answer?", "> I live in Rome now.\n> Come and see me."),
            ("My landlord sent me this, I live in Porto.", "Dear Sam,\nI live in Rome now.\nKind regards,\nTom"),
            ("I got this mail", "From: Tom <tom@x.example>\nTo: Sam\nSubject: Rome\nI live in Rome now."),
            ("Was soll ich antworten?", "-----Ursprüngliche Nachricht-----\nIch wohne in Rom."),
            ("Why does this fail?", "fn main() {\n    let city = \"Rome\";\n    println!(\"{city}\");\n}"),
        ] {
            let parts = split(&format!("{own}\n\n{pasted}"));
            assert_eq!((parts.own.as_str(), parts.pasted.as_str()), (own, pasted));
        }
    }

    #[test]
    fn words_after_a_paste_are_the_persons_too() {
        let parts = split(&format!("What do you think of this:\n\n{ARTICLE}\n\nI live in Porto, would I like it?"));
        assert_eq!(parts.own, "What do you think of this:\nI live in Porto, would I like it?");
        assert_eq!(parts.pasted, ARTICLE);
    }

    #[test]
    fn long_paragraphs_of_nobody_are_a_document() {
        let said = format!("{ARTICLE}\n\n{ARTICLE}\n\n{ARTICLE}\n\nI live in Porto.");
        assert_eq!(split(&said).own, "I live in Porto.");
        assert!(is_mostly_pasted(&said));
        assert!(!is_mostly_pasted("I live in Porto."));
    }
}
