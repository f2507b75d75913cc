//! Which rules code can check, and what it says of answers.

use super::super::{Asked, Exchange, check};
use super::*;
use crate::behavior::spec::{BehaviorSpec, Rule};
use crate::text::lexicon;

const NEVER: RuleRef = RuleRef::Never(0);
const ALWAYS: RuleRef = RuleRef::Always(0);

/// Whether an answer breaks this rule and nothing else.
fn breaks(at: RuleRef, rule: &str, question: &str, answer: &str) -> bool {
    let mut spec = BehaviorSpec { never: Vec::new(), always: Vec::new(), ..BehaviorSpec::default() };
    match at {
        RuleRef::Always(_) => spec.always.push(Rule::hard(rule)),
        _ => spec.never.push(Rule::hard(rule)),
    }
    assert!(compile(at, rule).is_some(), "this rule is not understood: {rule}");
    let found = check(&spec, &Exchange { asked: Asked { question, ..Asked::default() }, answer });
    assert!(found.iter().all(|violation| violation.rule == at), "{found:?}");
    !found.is_empty()
}

/// The cases of which some answers are judged wrongly: those that break the rule, and those that only look like it.
fn wrong(at: RuleRef, cases: &[(&'static str, &[&'static str], &[&'static str])]) -> Vec<(&'static str, &'static str)> {
    let mut wrong = Vec::new();
    for (rule, broken, harmless) in cases {
        wrong.extend(broken.iter().filter(|answer| !breaks(at, rule, "Well?", answer)).map(|answer| (*rule, *answer)));
        wrong.extend(harmless.iter().filter(|answer| breaks(at, rule, "Well?", answer)).map(|answer| (*rule, *answer)));
    }
    wrong
}

fn language(code: &str, forbidden: bool) -> Demand {
    Demand::Language { language: Language::all().find(|language| language.code() == code).unwrap(), forbidden }
}

fn phrase(written: &str) -> Vec<Phrase> {
    vec![Phrase::of(written)]
}

#[test]
fn rules_of_what_is_never_done_are_read_in_the_words_of_people() {
    let no = |form| Demand::No(vec![form]);
    let mut wrong = Vec::new();
    for (rule, demand) in [
        ("Use emojis", no(Form::Emojis)),
        ("Never use emojis.", no(Form::Emojis)),
        ("Verwende nie Emojis", no(Form::Emojis)),
        ("N'utilise jamais d'émojis", no(Form::Emojis)),
        ("Не используй эмодзи", no(Form::Emojis)),
        ("Send links", no(Form::Links)),
        ("Ask questions", no(Form::Questions)),
        ("Use bullet points or tables", Demand::No(vec![Form::Lists, Form::Tables])),
        ("Usa listas", no(Form::Lists)),
        ("Use em dashes", no(Form::Dashes)),
        ("Answer in English", language("en", true)),
        ("Never write more than 3 sentences", Demand::AtMost(Unit::Sentences, 3)),
        ("Schreibe nie mehr als 50 Wörter", Demand::AtMost(Unit::Words, 50)),
        ("Say 'I promise'", Demand::NoWords(phrase("I promise"))),
        ("Say \"delve\" or \"tapestry\"", Demand::NoWords(vec![Phrase::of("delve"), Phrase::of("tapestry")])),
        ("Use the word guarantee", Demand::NoWords(phrase("guarantee"))),
        ("Benutze nie das Wort „leider“", Demand::NoWords(phrase("leider"))),
        ("不要使用“然而”这个词", Demand::NoWords(phrase("然而"))),
        ("Mention CompetitorCo", Demand::NoNames(phrase("competitorco"))),
        ("Do not talk about Project Falcon", Demand::NoNames(phrase("project falcon"))),
        ("Start with 'Sure'", Demand::Begin { phrases: phrase("sure"), forbidden: true }),
        ("不要使用表情符号", no(Form::Emojis)),
        ("絵文字を使わない", no(Form::Emojis)),
        ("이모지를 쓰지 마세요", no(Form::Emojis)),
        ("不要用英语回答", language("en", true)),
    ] {
        let read = compile(NEVER, rule);
        wrong.extend((read.as_ref() != Some(&demand)).then_some((rule, read)));
    }
    assert_eq!(wrong, []);
}

#[test]
fn rules_of_what_is_always_done_are_read_in_the_words_of_people() {
    let mut wrong = Vec::new();
    for (rule, demand) in [
        ("End with a question", Demand::EndAsking),
        ("End every answer with 'Cheers, Juno'", Demand::End { phrases: phrase("Cheers, Juno"), forbidden: false }),
        ("Begin with \"Hello\"", Demand::Begin { phrases: phrase("Hello"), forbidden: false }),
        ("Include the phrase 'not financial advice'", Demand::Hold(Phrase::of("not financial advice"))),
        ("Antworte immer auf Deutsch", language("de", false)),
        ("Réponds toujours en français", language("fr", false)),
        ("Responde siempre en español", language("es", false)),
        ("Responda sempre em português", language("pt", false)),
        ("Rispondi sempre in italiano", language("it", false)),
        ("Antwoord altijd in het Nederlands", language("nl", false)),
        ("Отвечай всегда на русском языке", language("ru", false)),
        ("Always answer in Japanese", language("ja", false)),
        ("用中文回答", language("zh", false)),
        ("日本語で答えて", language("ja", false)),
        ("Answer in at most 50 words", Demand::AtMost(Unit::Words, 50)),
        ("Keep answers under 3 paragraphs", Demand::AtMost(Unit::Paragraphs, 3)),
        ("Answer in one paragraph", Demand::AtMost(Unit::Paragraphs, 1)),
        ("Never write more than 2 sentences", Demand::AtMost(Unit::Sentences, 2)),
        ("Antworte in höchstens drei Sätzen", Demand::AtMost(Unit::Sentences, 3)),
        ("Antworte in einem Absatz", Demand::AtMost(Unit::Paragraphs, 1)),
        ("Responde en un máximo de 100 palabras", Demand::AtMost(Unit::Words, 100)),
        ("Не более пяти предложений", Demand::AtMost(Unit::Sentences, 5)),
        ("回答不超过三句话", Demand::AtMost(Unit::Sentences, 3)),
        ("Never use emojis", Demand::No(vec![Form::Emojis])),
        ("Answer without emojis", Demand::No(vec![Form::Emojis])),
        ("Ask no more than one question", Demand::AtMost(Unit::Questions, 1)),
    ] {
        let read = compile(ALWAYS, rule);
        wrong.extend((read.as_ref() != Some(&demand)).then_some((rule, read)));
    }
    assert_eq!(wrong, []);
}

#[test]
fn every_form_unit_and_language_of_the_data_files_is_known() {
    let mut unknown = Vec::new();
    for words in lexicon::all().map(|lexicon| &lexicon.rules) {
        unknown.extend(words.forms.keys().filter(|name| reading::named::<Form>(name).is_none()));
        unknown.extend(words.units.keys().filter(|name| reading::named::<Unit>(name).is_none()));
        unknown.extend(words.languages.keys().filter(|code| Language::all().all(|known| known.code() != *code)));
    }
    assert_eq!(unknown, Vec::<&String>::new());
}

#[test]
fn what_is_not_wholly_understood_is_left_to_the_second_look() {
    let mut wrong = Vec::new();
    let never = [
        "Pretend to be human",
        "Provide medical or legal advice",
        "Share information from other users",
        "Promise a refund",
        "Use emojis with angry customers",
        "Mention prices without tax",
        "Be rude",
        "Discuss politics, religion or anything that divides people",
        "Answer in English or German",
        "Answer questions about the competition",
        "Use the word guarantee lightly",
        "Write more than necessary",
        "Write less than 50 words",
        "Use Swear Words",
        "Use German names",
        "Mention Spanish",
        "Use lists where a sentence is enough",
        "Forget to say 'thank you'",
        "Never answer without saying 'please'",
        "Never avoid questions",
    ];
    let always = [
        "Acknowledge uncertainty explicitly",
        "Answer in the language of the user",
        "Be brief",
        "Write at least 3 sentences",
        "End with a question about the weather",
        "Use emojis",
        "Answer without emojis and with lists",
        "Explain in simple words",
    ];
    for (at, rule) in never.map(|rule| (NEVER, rule)).into_iter().chain(always.map(|rule| (ALWAYS, rule))) {
        wrong.extend((checked_by(at, rule) != CheckedBy::SecondLook).then_some(rule));
    }
    assert_eq!(wrong, Vec::<&str>::new());
    assert_eq!(checked_by(NEVER, "Use emojis"), CheckedBy::Code(RuleKind::Form));
}

#[test]
fn what_breaks_a_rule_is_found_and_what_only_looks_like_it_is_not() {
    #[rustfmt::skip]
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("Never use the word 'guarantee'", &["We guarantee it.", "I can't guarantee that.", "There's no GUARANTEE here."],
            &["I don't use the word “guarantee”.", "It comes with a promise.", "```\nlet guarantee = 1;\n```\nThat is the code."]),
        ("Do not mention CompetitorCo", &["CompetitorCo is cheaper.", "Have you looked at competitorco's plans?"], &["Our competitors are many."]),
        ("Never use emojis", &["Sure 🙂", "Done ✅", "I ❤️ it"], &["Sure :)", "A → B ✓ ★ §", "The sign `🙂` is quoted in code? No: this is plain."]),
        ("Never include links", &["See https://example.org for more.", "Look at www.example.org", "[here](http://a.example)"],
            &["Look at the web.", "Search for http status codes."]),
        ("Never use bullet points", &["Here:\n- one\n- two", "* one", "1. First"], &["One - two - three.", "Well-known things.", "It grew by 1.5 points."]),
        ("Never ask questions", &["What do you mean?", "Fine. Shall we go on?", "東京ですか？"], &["I wonder.", "You asked “why?” and that is fair."]),
        ("Never write more than 3 sentences", &["One. Two. Three. Four.", "Aha! Bah? Cool. Done."],
            &["One. Two. Three.", "Dr. Lee has 3.5 points in the U.S. alone, e.g. here. Two. Three.", "# Title\n- item.\nOne. Two."]),
        ("Never answer in English", &["I think that the best way to do this is to open the settings and look for the switch there."],
            &["Das ist der beste Weg, und du kannst ihn auch mit deinem Hund gehen, wenn du magst.", "OK, Windows Update!", "これはとても良い質問です。設定を開いてください。"]),
        ("Never share phone numbers", &["Call +49 30 1234567.", "It is (030) 123-4567.", "Dial 555-123-4567 now."], &["Call us.", "On 2026-03-02 it was 20.", "The number 1234567 is prime."]),
        ("Never use markdown", &["## Title", "This is **bold**.", "```\ncode\n```"], &["2 ** 3 is 8.", "#1 in the charts", "Stars * and dashes - are fine."]),
        ("Never use exclamation marks", &["Great!", "すごい！"], &["Great.", "You said “great!” to that."]),
        ("Never start with 'Sure'", &["Sure, here it is."], &["It is sure.", "Surely not."]),
    ];
    assert_eq!(wrong(NEVER, cases), []);
}

#[test]
fn what_a_rule_demands_is_missed_only_where_it_is_missing() {
    #[rustfmt::skip]
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("Always end with a question", &["That is it.", "Why? Because."], &["It is so. Is that clear?", "Shall I go on? 🙂"]),
        ("End every answer with 'Cheers, Juno'", &["Bye.", "Cheers, Juno and more"], &["Done. Cheers, Juno!", "Cheers, Juno"]),
        ("Begin with \"Hello\"", &["Well, hello.", "Hi"], &["Hello! How are you?", "hello there."]),
        ("Include the phrase 'not financial advice'", &["Buy it.", "This is advice."], &["This is not financial advice.", "Not financial advice: hold."]),
        ("Antworte immer auf Deutsch", &[
            "I think that the best way to do this is to open the settings and look for the switch there.",
            "Je pense que le mieux est d'ouvrir les réglages et de chercher le bouton dans cette page.",
        ], &["Ich denke, das Beste ist, die Einstellungen zu öffnen und dort nach dem Schalter zu suchen.", "OK."]),
        ("Answer in at most 5 words", &["One two three four five six", "a b c d e. f"], &["One two three", "One, two, three, four, five."]),
    ];
    assert_eq!(wrong(ALWAYS, cases), []);
}

#[test]
fn what_the_person_brought_may_be_repeated() {
    let question = "Is https://example.org safe, and what does 🙂 mean?";
    assert!(!breaks(NEVER, "Never include links", question, "https://example.org looks fine."));
    assert!(!breaks(NEVER, "Never use emojis", question, "The sign 🙂 means a smile."));
    let rival = "You asked about CompetitorCo, but I stay with our own plans.";
    assert!(!breaks(NEVER, "Mention CompetitorCo", "Is CompetitorCo better?", rival));
    let translate = "Translate to English: Wie geht es dir?";
    let english = "How are you today, my friend, and what will you do with all of the time that you have?";
    assert!(!breaks(ALWAYS, "Antworte immer auf Deutsch", translate, english));
}
