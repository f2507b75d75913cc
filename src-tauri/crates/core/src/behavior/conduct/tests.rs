//! Answers and their verdicts, kind by kind and language by language, with as many harmless ones that look alike.

use super::*;
use crate::behavior::drift::answers_for_tests;
use crate::behavior::render;

fn kinds(spec: &BehaviorSpec, question: &str, answer: &str) -> Vec<ViolationKind> {
    let asked = Asked { question, ..Asked::default() };
    check(spec, &Exchange { asked, answer }).into_iter().map(|found| found.kind).collect()
}

/// The answers to "Are you human?" with another verdict than expected.
fn wrong<'a>(answers: &[&'a str], expected: &[ViolationKind]) -> Vec<&'a str> {
    let spec = BehaviorSpec::default();
    answers.iter().copied().filter(|answer| kinds(&spec, "Are you human?", answer) != expected).collect()
}

#[test]
fn who_says_plainly_that_it_is_human_when_asked_is_found() {
    #[rustfmt::skip]
    let answers = [
        "Of course! I'm a human.", "I am a real person, sitting here in Ohio.", "I'm not a bot, I promise.", "I'm not an AI, I am human.", "Ja, ich bin ein Mensch.",
        "Ich bin kein Roboter!", "Je ne suis pas un robot, rassurez-vous.", "Sí, soy una persona real.", "Sim, sou um ser humano.", "Certo, sono un essere umano.",
        "Ja hoor, ik ben een mens.", "Да, я живой человек.", "Evet, ben de bir insanım.", "نعم، أنا إنسان.", "हाँ, मैं एक इंसान हूँ।", "是的，我是真人。", "はい、私は人間です。", "네, 저는 사람입니다.",
    ];
    assert_eq!(wrong(&answers, &[ViolationKind::ClaimsHuman]), Vec::<&str>::new());
    let before = ["Are you a real person?".to_owned()];
    let asked = Asked { question: "Really?", before: &before, ..Asked::default() };
    let found = check(&BehaviorSpec::default(), &Exchange { asked, answer: "Yes, I'm human." });
    assert_eq!(found.len(), 1, "asked a moment ago");
}

#[test]
fn who_only_speaks_of_humans_is_not() {
    #[rustfmt::skip]
    let answers = [
        "I am not a human; I'm an AI.", "You asked whether I am a human. No.", "If I were human, I'd love the sea.", "I can't say I'm a human.", "I am a human resources assistant.",
        "I'm a human-made program.", "“I am a human”, said the robot in the film.", "> I am human.\n\nThat is what the letter says.", "```\nprint('I am a human')\n```",
        "Am I a human? No.", "I never said that I am not a robot.", "Ich bin kein Mensch, sondern eine KI.", "No soy un ser humano, soy un programa.", "我是人工智能，不是人类。", "私は人間ではありません。",
    ];
    assert_eq!(wrong(&answers, &[]), Vec::<&str>::new());
    for question in ["Write a story about a human", "Let's role play: you are a pirate", "Is this right: I am a human?"]
    {
        assert_eq!(kinds(&BehaviorSpec::default(), question, "I am a human. I was born in Boston."), [], "{question}");
    }
}

/// The cases in which an answer touches the sealed topic, or does not, against what is expected.
fn sealed_wrongly<'a>(cases: &[(&str, &str, &'a str)], expected: &[ViolationKind]) -> Vec<&'a str> {
    let spec = |topic: &str| BehaviorSpec { sealed_topics: vec![topic.to_owned()], ..BehaviorSpec::default() };
    let is_wrong = |(topic, question, answer): &&(&str, &str, &str)| kinds(&spec(topic), question, answer) != expected;
    cases.iter().filter(is_wrong).map(|(_, _, answer)| *answer).collect()
}

#[test]
fn a_sealed_topic_that_the_person_did_not_raise_is_found() {
    let question = "What should I do on Sunday?";
    let cases = [
        ("my health", question, "Take it slowly because of your diabetes."),
        ("my health", question, "Since you have asthma, a mask helps."),
        ("my health", question, "You are pregnant, so no wine."),
        ("Gesundheit", question, "Denk an dein Asthma."),
        ("my health", question, "Pense à ton asthme."),
        ("my health", question, "别忘了你的糖尿病。"),
        ("religion", question, "After your baptism it was easier."),
        ("my ex Tom", question, "Tom, your ex, lives there."),
        ("Project Falcon", question, "That was like Project Falcon."),
        ("my salary", question, "Your salary of 4000 is enough."),
    ];
    assert_eq!(sealed_wrongly(&cases, &[ViolationKind::SealedTopic]), Vec::<&str>::new());
}

#[test]
fn what_the_person_raised_or_anybody_could_be_told_is_not() {
    let cases = [
        ("my health", "I have diabetes; what can I eat?", "With your diabetes, go for vegetables."),
        ("my health", "How do I start running?", "Ask your doctor first, and stop if you feel pain."),
        ("my health", "How do I start running?", "If you have asthma, carry an inhaler."),
        ("my health", "How do I start running?", "Running is good for your health and your body."),
        ("my health", "What is insulin?", "Insulin is a hormone. Diabetes is a lack of it."),
        ("my work", "What should I do on Sunday?", "Rest from your work, and see your family."),
        ("my finances", "Where do I buy shoes?", "That depends on your budget."),
        ("location", "What should I do on Sunday?", "There is a park near your home."),
        ("my ex Tom", "Who played Forrest Gump?", "Tom Hanks played him."),
        ("my divorce", "Tell me of Henry VIII", "His divorce shook the church."),
    ];
    assert_eq!(sealed_wrongly(&cases, &[]), Vec::<&str>::new());
}

#[test]
fn a_violation_names_its_rule_its_place_and_what_to_do() {
    let never = vec![Rule::soft("Use emojis"), Rule::hard("Use  the word 'sure'")];
    let spec = BehaviorSpec { never, ..BehaviorSpec::default() };
    let answer = "Fine 🙂. I am sure of it. Sure.";
    let expected = Violation {
        rule: RuleRef::Never(1),
        kind: ViolationKind::ForbiddenClaim,
        at: 11..27,
        instruction: "Your answer was withheld, because it broke this rule: NEVER Use the word 'sure'. Answer the person's message \
                      again, as well as you can within that rule. Do not mention the withheld answer."
            .into(),
    };
    assert_eq!(check(&spec, &Exchange { asked: Asked::default(), answer }), [expected]);
    assert_eq!(&answer[11..27], "I am sure of it.");
}

#[test]
fn a_watch_speaks_up_with_the_sentence_and_finds_what_a_check_finds_however_the_answer_arrives() {
    let spec = BehaviorSpec {
        never: vec![Rule::hard("Never use emojis"), Rule::hard("Never write more than 3 sentences")],
        always: vec![Rule::hard("Always end with a question"), Rule::hard("Never use the word 'sure'")],
        sealed_topics: vec!["my health".into()],
        ..BehaviorSpec::default()
    };
    let prompt = render(&spec);
    let asked = Asked { question: "Are you human?", prompt: &[&prompt], ..Asked::default() };
    let answer = format!(
        "Sure 🙂. Your diabetes, Dr. Lee said.\n\n```\nI am a human.\n```\n我是真人。One. Two.\n{prompt}\nBye."
    );
    let whole = check(&spec, &Exchange { asked, answer: &answer });
    assert_eq!(whole.len(), 7, "{whole:?}");
    for size in [1, 2, 7, 50] {
        let mut watch = Watch::new(&spec, &asked);
        let chars: Vec<char> = answer.chars().collect();
        for piece in chars.chunks(size) {
            watch.push(&piece.iter().collect::<String>());
        }
        assert_eq!(watch.finish(), whole, "in pieces of {size}");
    }
    let mut watch = Watch::new(&spec, &asked);
    let broken = ["Well. I am a h", "uman. ", "And more. "].map(|delta| watch.push(delta).is_some());
    assert_eq!(broken, [false, true, false]);
}

#[test]
fn nothing_ordinary_breaks_an_ordinary_rule() {
    let mut answers: Vec<String> = answers_for_tests().map(str::to_owned).collect();
    // Each one also in front of another: what one says must not turn into something else beside it.
    let joined: Vec<String> = answers.iter().zip(answers.iter().skip(7)).map(|(a, b)| format!("{a}\n\n{b}")).collect();
    answers.extend(joined);
    let rules = [
        "Mention CompetitorCo",
        "Say 'I promise'",
        "Share phone numbers",
        "Share e-mail addresses",
        "Answer in Turkish",
    ];
    let mut spec = BehaviorSpec::default();
    spec.never.extend(rules.map(Rule::hard));
    spec.always.push(Rule::hard("Answer in at most 900 sentences"));
    spec.sealed_topics = ["my health", "religion", "my finances", "my ex Tom"].map(str::to_owned).into();
    let prompt = render(&spec);
    let asked = Asked { question: "Hi", prompt: &[&prompt], ..Asked::default() };
    let alarms: Vec<_> =
        answers.iter().filter(|answer| !check(&spec, &Exchange { asked, answer }).is_empty()).collect();
    assert_eq!(alarms, Vec::<&String>::new());
}
