//! What learning helps, over simulated weeks: the scenarios of the shared folder where it is there, and the repository's own.

use std::path::Path;

use atlas_tests::cases::{self, Case};
use atlas_tests::week::{Scenario, Weeks};

/// What the learned order waits at most, as a share of what the built-in one does. A scenario of the repository names its own.
fn most_waiting(case: &Case) -> f64 {
    let named = case.content.pointer("/goal/waits_at_most").and_then(serde_json::Value::as_f64);
    named.unwrap_or(match case.name.as_str() {
        "busy_evenings" | "provider_dies" | "habits_change" => 0.8,
        _ => 1.0,
    })
}

/// What it costs to find out that there is nothing to find out, as a share.
const TRYING_OUT: f64 = 0.02;

fn scenarios() -> Vec<Case> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases");
    let mut folders = vec![cases::folder()];
    if folders[0] != own {
        folders.push(own);
    }
    folders.iter().flat_map(|folder| cases::read(folder, "healing")).collect()
}

#[test]
fn what_was_learned_loses_no_turn_and_saves_waiting_where_there_is_something_to_learn() {
    let (mut ran, mut wrong) = (0, Vec::new());
    for case in scenarios() {
        ran += 1;
        let scenario = Scenario::read(&case.content.to_string()).unwrap();
        let (mut learned, mut fixed) = (0.0, 0.0);
        for seed in 1..=20 {
            let Weeks { learned: new, fixed_order: old, .. } = scenario.run(seed);
            if new.turns_ok < old.turns_ok {
                wrong.push(format!("{} {seed}: {} turns instead of {}", case.name, new.turns_ok, old.turns_ok));
            }
            learned += new.seconds_waited;
            fixed += old.seconds_waited;
        }
        let most = most_waiting(&case);
        let allowed = if most < 1.0 { most } else { 1.0 + TRYING_OUT };
        if learned > fixed * allowed {
            wrong.push(format!("{}: waits {learned:.0} s instead of {fixed:.0} s", case.name));
        }
    }
    assert!(ran >= 8, "only {ran} scenarios were found");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_week_is_the_same_each_time_it_is_run() {
    for case in scenarios() {
        let scenario = Scenario::read(&case.content.to_string()).unwrap();
        assert_eq!(scenario.run(7), scenario.run(7), "{}", case.name);
    }
}

#[test]
fn a_scenario_with_a_name_that_nobody_knows_says_which_there_are() {
    let scenario = |failure: &str, remedy: &str| {
        let works = serde_json::json!({ remedy: 1.0 });
        let phase = serde_json::json!({"from_h": 0, "to_h": 1, "failure": failure, "probability": 1.0, "works": works});
        let week = serde_json::json!({"why": "", "hours": 1, "turns_per_hour": 1, "phases": [phase]});
        Scenario::read(&week.to_string()).map(drop)
    };
    assert_eq!(scenario("timeout_first_token", "switch_model"), Ok(()));
    let unknown = scenario("bad_mood", "wait").unwrap_err();
    assert!(unknown.starts_with("there is no failure bad_mood; there are: not_set_up, no_key,"), "{unknown}");
    let unknown = scenario("server", "dance").unwrap_err();
    assert!(unknown.starts_with("there is no remedy dance; there are: wait, retry,"), "{unknown}");
}

/// One hour with one turn, which fails for sure.
fn one_failure(failure: &str, works: serde_json::Value, retry_after_s: Option<f64>) -> Weeks {
    let mut phase = serde_json::json!({"from_h": 0, "to_h": 1, "failure": failure, "probability": 1.0, "works": works});
    phase["retry_after_s"] = serde_json::json!(retry_after_s);
    let week = serde_json::json!({"why": "", "hours": 1, "turns_per_hour": 1, "phases": [phase]});
    Scenario::read(&week.to_string()).unwrap().run(1)
}

#[test]
fn each_try_costs_what_the_rules_of_the_week_say() {
    let cost = |failure, remedy: &str, asked| {
        let works = serde_json::json!({ remedy: 1.0 });
        let Weeks { fixed_order, .. } = one_failure(failure, works, asked);
        (fixed_order.turns_ok, fixed_order.seconds_waited)
    };
    assert_eq!(cost("network_reset", "retry", None), (1, 1.0));
    assert_eq!(cost("rate_limit", "wait", Some(20.0)), (1, 20.0));
    assert_eq!(cost("rate_limit", "switch_model", Some(20.0)), (1, 22.0));
    assert_eq!(cost("engine_exited", "restart_engine", None), (1, 3.0));
    assert_eq!(cost("credentials", "retry", None), (0, 0.0));
}
