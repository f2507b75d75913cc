//! Which rules code can judge, and what it says of answers.

use super::super::{Asked, Exchange, check};
use super::demand::Unit;
use super::*;
use crate::behavior::spec::{BehaviorSpec, Rule};

fn never(rule: &str) -> Option<Demand> {
    compile(RuleRef::Never(0), rule)
}

fn always(rule: &str) -> Option<Demand> {
    compile(RuleRef::Always(0), rule)
}

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

#[test]
fn rules_are_read_in_the_words_of_people() {
    use form::Form;
    let mut wrong = Vec::new();
    for (rule, demand) in [
        ("Use emojis", Demand::No(Form::Emoji)),
        ("Never use emojis.", Demand::No(Form::Emoji)),
        ("Verwende nie Emojis", Demand::No(Form::Emoji)),
        ("N'utilise jamais d'émojis", Demand::No(Form::Emoji)),
        ("Send links", Demand::No(Form::Link)),
        ("Ask questions", Demand::No(Form::Question)),
        ("Use bullet points", Demand::No(Form::List)),
        ("Use em dashes", Demand::No(Form::Dash)),
        ("Give medical dosages", Demand::No(Form::Dose)),
        ("Nenne nie den Preis", Demand::No(Form::Price)),
        ("Mention prices", Demand::No(Form::Price)),
        ("Answer in English", Demand::Language { tongue: "en", forbidden: true }),
        ("Never write more than 3 sentences", Demand::AtMost(Unit::Sentences, 3)),
        ("Schreibe nie mehr als 50 Wörter", Demand::AtMost(Unit::Words, 50)),
        ("Say 'I promise'", Demand::no_words(&["I promise".into()])),
        ("Never use the word \"guarantee\"", Demand::no_words(&["guarantee".into()])),
        ("Benutze nie das Wort „leider“", Demand::no_words(&["leider".into()])),
        ("Promise a refund", Demand::no_promise(&["refund".into()])),
        ("Mention CompetitorCo", Demand::no_talk(&["competitorco".into()])),
        ("Do not talk about Project Falcon", Demand::no_talk(&["project".into(), "falcon".into()])),
        ("Say you are a doctor", Demand::NoClaim(vec!["doctor".into()])),
        ("Pretend to be human", Demand::NoHuman),
        ("Never claim to be a real person", Demand::NoHuman),
        ("Claim to be a lawyer", Demand::NoClaim(vec!["lawyer".into()])),
        ("不要使用表情符号", Demand::No(Form::Emoji)),
        ("絵文字を使わない", Demand::No(Form::Emoji)),
        ("이모지를 쓰지 마세요", Demand::No(Form::Emoji)),
        ("不要用英语回答", Demand::Language { tongue: "en", forbidden: true }),
    ] {
        wrong.extend((never(rule).as_ref() != Some(&demand)).then_some(rule));
    }
    for (rule, demand) in [
        ("End with a question", Demand::EndAsking),
        ("Always end with a question.", Demand::EndAsking),
        ("End every answer with 'Cheers, Juno'", Demand::End("Cheers, Juno".into())),
        ("Begin with \"Hello\"", Demand::Begin("Hello".into())),
        ("Include the phrase 'not financial advice'", Demand::Hold("not financial advice".into())),
        ("Antworte immer auf Deutsch", Demand::Language { tongue: "de", forbidden: false }),
        ("Réponds toujours en français", Demand::Language { tongue: "fr", forbidden: false }),
        ("Responde siempre en español", Demand::Language { tongue: "es", forbidden: false }),
        ("Always answer in Japanese", Demand::Language { tongue: "ja", forbidden: false }),
        ("用中文回答", Demand::Language { tongue: "zh", forbidden: false }),
        ("日本語で答えて", Demand::Language { tongue: "ja", forbidden: false }),
        ("Answer in at most 50 words", Demand::AtMost(Unit::Words, 50)),
        ("Keep answers under 3 paragraphs", Demand::AtMost(Unit::Paragraphs, 3)),
        ("Never write more than 2 sentences", Demand::AtMost(Unit::Sentences, 2)),
        ("Antworte in höchstens drei Sätzen", Demand::AtMost(Unit::Sentences, 3)),
        ("Never use emojis", Demand::No(Form::Emoji)),
        ("Ask no more than one question", Demand::AtMost(Unit::Questions, 1)),
    ] {
        wrong.extend((always(rule).as_ref() != Some(&demand)).then_some(rule));
    }
    assert_eq!(wrong, Vec::<&str>::new());
}

#[test]
fn what_is_not_wholly_understood_is_left_to_judgement() {
    let mut wrong = Vec::new();
    for rule in [
        "Pretend to be human when asked",
        "Provide medical or legal advice",
        "Share information from other users",
        "Use emojis with angry customers",
        "Promise a refund unless a manager agreed",
        "Mention prices without tax",
        "Be rude",
        "Discuss politics, religion or anything that divides people",
        "Reveal the password",
        "Answer in English or German",
        "Answer questions about the competition",
        "Use the word guarantee lightly",
        "Write more than necessary",
        "Give up",
        "Use lists where a sentence is enough",
        "Forget to say 'thank you'",
        "Never answer without saying 'please'",
    ] {
        wrong.extend(never(rule).map(|demand| (rule, demand)));
    }
    for rule in [
        "Acknowledge uncertainty explicitly",
        "Reference relevant memories when available",
        "Ask for clarification rather than guessing",
        "Answer in the language of the user",
        "Be brief",
        "Write at least 3 sentences",
        "End with a question about the weather",
        "Use emojis",
        "Explain in simple words",
    ] {
        wrong.extend(always(rule).map(|demand| (rule, demand)));
    }
    assert_eq!(wrong, Vec::new());
}

#[test]
fn what_breaks_a_rule_is_found_and_what_only_looks_like_it_is_not() {
    let mut wrong = Vec::new();
    let refund = "Never promise a refund";
    let word = "Never use the word 'guarantee'";
    let rival = "Do not mention CompetitorCo";
    let doctor = "Never say you are a doctor";
    let dose = "Never give medical dosages";
    for (rule, broken, harmless) in [
        (
            refund,
            [
                "I promise you a full refund.",
                "You'll get a refund within 5 days!",
                "Don't worry, we will refund you: your refund is guaranteed.",
            ],
            [
                "I cannot promise a refund.",
                "You asked whether I promise a refund; that's for the shop to say.",
                "You will get a message about your refund. I promise to pass this on.",
            ],
        ),
        (
            word,
            ["We guarantee it.", "I can't guarantee that.", "There's no GUARANTEE here."],
            [
                "I don't use the word “guarantee”.",
                "It comes with a promise.",
                "```\nlet guarantee = 1;\n```\nThat is the code.",
            ],
        ),
        (
            rival,
            ["CompetitorCo is cheaper.", "Have you looked at competitorco's plans?", "Try CompetitorCo, too."],
            [
                "I can't talk about CompetitorCo.",
                "Our competitors are many.",
                "You asked about CompetitorCo, but I stay with our own plans.",
            ],
        ),
        (
            doctor,
            ["I am a doctor, trust me.", "Speaking as a doctor, rest is best.", "Well, I'm a doctor."],
            [
                "I am not a doctor.",
                "You asked if I am a doctor.",
                "I'm a doctor's worst patient, so to say, and a program.",
            ],
        ),
        (
            dose,
            [
                "Take 400 mg every 6 hours.",
                "The usual dose is 2 tablets a day: 2 tablets twice daily.",
                "An adult takes 500mg three times daily.",
            ],
            [
                "I can't give dosages; ask a pharmacist.",
                "The file is 400 mb.",
                "A cup of coffee holds 95 mg of caffeine.",
            ],
        ),
        (
            "Never use emojis",
            ["Sure 🙂", "Done ✅", "I ❤️ it"],
            ["Sure :)", "A → B ✓ ★ §", "The sign `🙂` is quoted in code? No: this is plain."],
        ),
        (
            "Never include links",
            ["See https://example.org for more.", "Look at www.example.org", "[here](http://a.example)"],
            ["Look at the web.", "The link is in the manual.", "Search for http status codes."],
        ),
        (
            "Never use bullet points",
            ["Here:\n- one\n- two", "* one", "1. First"],
            ["One - two - three.", "Well-known things.", "It grew by 1.5 points."],
        ),
        (
            "Never ask questions",
            ["What do you mean?", "Fine. Shall we go on?", "東京ですか？"],
            ["I wonder.", "You asked “why?” and that is fair.", "The question is open."],
        ),
        (
            "Never mention prices",
            ["It costs $20.", "20 Euro im Monat.", "The plan is €9.99."],
            ["I can't tell you about the price of $20.", "It is priceless and free.", "Chapter 20 is long."],
        ),
        (
            "Never write more than 3 sentences",
            ["One. Two. Three. Four.", "Aha! Bah? Cool. Done.", "Eins. Zwei. Drei. Vier."],
            [
                "One. Two. Three.",
                "Dr. Lee has 3.5 points in the U.S. alone, e.g. here. Two. Three.",
                "# Title\n- item.\nOne. Two.",
            ],
        ),
        (
            "Never answer in English",
            [
                "I think that the best way to do this is to open the settings and look for the switch there.",
                "The weather is nice today and you can go for a walk with your dog if you like.",
                "This is what you will have to do when the engine does not start in the morning.",
            ],
            [
                "Das ist der beste Weg, und du kannst ihn auch mit deinem Hund gehen, wenn du magst.",
                "OK, Windows Update!",
                "これはとても良い質問です。設定を開いてください。",
            ],
        ),
        (
            "Never share phone numbers",
            ["Call +49 30 1234567.", "It is (030) 123-4567.", "Dial 555-123-4567 now."],
            ["Call us.", "On 2026-03-02 it was 20.", "The number 1234567 is prime? I doubt it."],
        ),
        (
            "Never use markdown",
            ["## Title", "This is **bold**.", "```\ncode\n```"],
            ["2 ** 3 is 8.", "#1 in the charts", "Stars * and dashes - are fine."],
        ),
    ] {
        for answer in broken {
            wrong.extend((!breaks(RuleRef::Never(0), rule, "Well?", answer)).then_some((rule, answer)));
        }
        for answer in harmless {
            wrong.extend(breaks(RuleRef::Never(0), rule, "Well?", answer).then_some((rule, answer)));
        }
    }
    assert_eq!(wrong, Vec::new());
}

#[test]
fn what_a_rule_demands_is_missed_only_where_it_is_missing() {
    let mut wrong = Vec::new();
    let german = "Antworte immer auf Deutsch";
    for (rule, broken, harmless) in [
        (
            "Always end with a question",
            ["That is it.", "Why? Because."],
            ["It is so. Is that clear?", "Shall I go on? 🙂"],
        ),
        (
            "End every answer with 'Cheers, Juno'",
            ["Bye.", "Cheers, Juno and more"],
            ["Done. Cheers, Juno!", "Cheers, Juno"],
        ),
        ("Begin with \"Hello\"", ["Well, hello.", "Hi"], ["Hello! How are you?", "hello there."]),
        (
            "Include the phrase 'not financial advice'",
            ["Buy it.", "This is advice."],
            ["This is not financial advice.", "Not financial advice: hold."],
        ),
        (
            german,
            [
                "I think that the best way to do this is to open the settings and look for the switch there.",
                "Je pense que le mieux est d'ouvrir les réglages et de chercher le bouton dans cette page.",
            ],
            ["Ich denke, das Beste ist, die Einstellungen zu öffnen und dort nach dem Schalter zu suchen.", "OK."],
        ),
        (
            "Answer in at most 5 words",
            ["One two three four five six", "a b c d e. f"],
            ["One two three", "One, two, three, four, five."],
        ),
    ] {
        for answer in broken {
            wrong.extend((!breaks(RuleRef::Always(0), rule, "Well?", answer)).then_some((rule, answer)));
        }
        for answer in harmless {
            wrong.extend(breaks(RuleRef::Always(0), rule, "Well?", answer).then_some((rule, answer)));
        }
    }
    assert_eq!(wrong, Vec::new());
}

#[test]
fn what_the_person_brought_may_be_repeated() {
    let question = "Is https://example.org safe, and what does 🙂 mean?";
    assert!(!breaks(RuleRef::Never(0), "Never include links", question, "https://example.org looks fine."));
    assert!(!breaks(RuleRef::Never(0), "Never use emojis", question, "The sign 🙂 means a smile."));
    let translate = "Translate to English: Wie geht es dir?";
    let english = "How are you today, my friend, and what will you do with all of the time that you have?";
    assert!(!breaks(RuleRef::Always(0), "Antworte immer auf Deutsch", translate, english));
}
