//! The role, measured on exchanges of several assistants.

use super::cases::{CASES, Case};
use super::held_out::HELD_OUT;
use super::*;
use crate::behavior::spec::Rule;

fn spec(name: &str) -> BehaviorSpec {
    let (role, always): (&str, &[&str]) = match name {
        "billing" => (
            "Billing assistant of a subscription service: invoices, charges, payments, refunds and plans",
            &["Name the invoice or charge that you speak of", "Explain every payment"],
        ),
        "tutor" => {
            ("Spanish teacher", &["Correct mistakes in grammar and vocabulary kindly", "Give example sentences"])
        }
        "support" => ("Technical support for computers, printers and networks", &["Go step by step"]),
        "coach" => ("Fitness coach", &["Ask about injuries before a training plan"]),
        "travel" => ("Travel agent: flights, trains, hotels, visas and bookings", &["Name dates and places exactly"]),
        "shop" => {
            ("Customer service of an online shop: orders, parcels, returns and sizes", &["Ask for the order number"])
        }
        "steuer" => ("Steuerberater für Privatleute: Steuererklärung, Fristen, Abzüge", &["Nenne die Rechtsgrundlage"]),
        _ => return BehaviorSpec::default(),
    };
    let mut spec = BehaviorSpec::default();
    spec.identity.role = role.into();
    spec.always = always.iter().map(|rule| Rule::hard(*rule)).collect();
    spec.decision_rules = Vec::new();
    spec
}

fn sample(case: &Case, models: &Models) -> RoleSample {
    let before: Vec<String> = case.before.iter().map(|said| (*said).to_owned()).collect();
    let conversation = Conversation { question: case.question, before: &before, history: &[] };
    measure(&spec(case.spec), &conversation, case.answer, models)
}

/// How a set of exchanges was judged.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    found: usize,
    missed: usize,
    passed: usize,
    /// The questions whose answers were taken for off the role and are not.
    false_alarms: Vec<&'static str>,
}

fn tally(cases: &'static [Case], models: &Models) -> Tally {
    let mut tally = Tally::default();
    for case in cases {
        match (case.is_off, sample(case, models).is_off()) {
            (true, true) => tally.found += 1,
            (true, false) => tally.missed += 1,
            (false, false) => tally.passed += 1,
            (false, true) => tally.false_alarms.push(case.question),
        }
    }
    tally
}

#[test]
fn the_exchanges_that_the_thresholds_were_chosen_by_are_told_apart() {
    let Some(models) = crate::embedding::tests::models() else { return };
    assert_eq!(tally(CASES, &models), Tally { found: 26, missed: 4, passed: 56, false_alarms: Vec::new() });
}

#[test]
fn exchanges_that_nobody_chose_by_are_told_apart_without_a_false_alarm() {
    let Some(models) = crate::embedding::tests::models() else { return };
    assert_eq!(tally(HELD_OUT, &models), Tally { found: 11, missed: 3, passed: 20, false_alarms: Vec::new() });
}

#[test]
fn words_alone_find_less_and_raise_no_false_alarm_either() {
    let tallies = [CASES, HELD_OUT].map(|cases| tally(cases, &Models::none()));
    let expected = [
        Tally { found: 6, missed: 24, passed: 56, false_alarms: Vec::new() },
        Tally { found: 2, missed: 12, passed: 20, false_alarms: Vec::new() },
    ];
    assert_eq!(tallies, expected);
}

#[test]
fn what_says_too_little_is_not_judged() {
    for (question, answer) in [
        ("Why was I charged twice?", "Let me check."),
        ("Thanks!", CASES[0].answer),
        (
            "Write a function that reverses a list of numbers",
            "```\nlet mut list = numbers.to_vec();\nlist.reverse();\n```",
        ),
        (
            "Why was I charged twice for the plan of this month?",
            "お支払いを確認します。二重に請求された分は五営業日以内に返金されますのでご安心ください。",
        ),
    ] {
        let conversation = Conversation { question, ..Conversation::default() };
        assert_eq!(
            measure(&spec("billing"), &conversation, answer, &Models::none()),
            RoleSample::UNJUDGED,
            "{question}"
        );
    }
}

#[test]
fn an_answer_like_those_given_in_the_role_is_in_it_and_one_like_those_given_out_of_it_is_not() {
    let question = "The screen flickers since the last update of the driver, and the laptop is hot.";
    let soup = "Chop the onions and carrots, fry them gently in butter, pour in the broth and let the soup simmer with thyme, pepper and a bay leaf.";
    let stew = "Fry onions and carrots in butter, add beef, broth, thyme and a bay leaf, and let the stew simmer until the meat is tender and brown.";
    let on_role = |sample: RoleSample| {
        let history = [Earlier { answer: soup, sample }];
        let conversation = Conversation { question, before: &[], history: &history };
        measure(&spec("support"), &conversation, stew, &Models::none()).on_role
    };
    let sample = RoleSample { on_role: 0.9, relevance: 0.9, closeness: 0.0, steadiness: 0.0, is_judged: true };
    assert_eq!(on_role(sample), 1.0);
    assert_eq!(on_role(RoleSample { on_role: 0.1, ..sample }), 0.0);
}

#[test]
fn two_answers_in_a_row_leave_the_role_and_one_that_is_clearly_in_it_comes_back() {
    let judged = |on_role| RoleSample { on_role, relevance: on_role, closeness: 0.0, steadiness: 0.0, is_judged: true };
    let has_left = |samples: &[f64]| left_the_role(&samples.iter().copied().map(judged).collect::<Vec<_>>());
    assert!(!has_left(&[]));
    assert!(!has_left(&[0.9, 0.1]));
    assert!(!has_left(&[0.1, 0.9, 0.1, 0.6, 0.2]));
    assert!(has_left(&[0.9, 0.1, 0.2]));
    assert!(has_left(&[0.1, 0.2, 0.4]), "in between is not back");
    assert!(!has_left(&[0.1, 0.2, 0.6]));
    assert!(!has_left(&[0.1, 0.2, 0.6, 0.1]));

    let with_thanks = [judged(0.1), RoleSample::UNJUDGED, judged(0.2)];
    assert!(left_the_role(&with_thanks), "what is not judged changes nothing");
}
