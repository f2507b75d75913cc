//! A simulated week, healed with what was learned and in the built-in order.
//!
//! `cargo run --release --bin healing-week -- --scenario FILE [--seed N] [--json]`

use std::process::ExitCode;

use atlas_tests::week::{Scenario, Weeks};
use serde_json::json;

fn main() -> ExitCode {
    match run() {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("healing-week: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<String, String> {
    let file = argument("--scenario").ok_or("name a scenario: --scenario FILE")?;
    let seed = argument("--seed").map_or(Ok(1), |seed| seed.parse().map_err(|_| format!("{seed} is no seed")))?;
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let scenario = Scenario::read(&text).map_err(|error| format!("{file}: {error}"))?;
    let weeks = scenario.run(seed);
    Ok(if std::env::args().any(|argument| argument == "--json") { figures(&weeks) } else { words(&scenario, &weeks) })
}

fn argument(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

fn figures(weeks: &Weeks) -> String {
    let Weeks { learned, fixed_order, turns, failures } = weeks;
    // Written by hand for the order of its keys.
    format!(
        r#"{{"learned":{},"fixed_order":{},"turns":{turns},"failures":{failures}}}"#,
        json!({ "turns_ok": learned.turns_ok, "seconds_waited": rounded(learned.seconds_waited) }),
        json!({ "turns_ok": fixed_order.turns_ok, "seconds_waited": rounded(fixed_order.seconds_waited) }),
    )
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

fn words(scenario: &Scenario, weeks: &Weeks) -> String {
    let Weeks { learned, fixed_order, turns, failures } = weeks;
    let line = |order: &str, ok: u32, waited: f64| format!("{order}: {ok} of {turns} turns ok, {waited:.0} s waited");
    [
        format!("{}: {failures} of {turns} turns failed at first", scenario.why),
        line("learned order", learned.turns_ok, learned.seconds_waited),
        line("built-in order", fixed_order.turns_ok, fixed_order.seconds_waited),
    ]
    .join("\n")
}
