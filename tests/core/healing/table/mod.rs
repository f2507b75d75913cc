//! Every kind of failure: what the person sees, what was tried, what is stored. The README shows the same table.

mod before;
mod elsewhere;
mod quiet;
mod server;

use std::fmt::Write as _;
use std::time::Duration;

use before::locals;
use elsewhere::ELSEWHERE;
use quiet::quiet;
use server::rows;

/// What Atlas waits for where a wait is to come to its end.
const SOON: Duration = Duration::from_millis(200);
/// What is tried of a failure that may pass.
const RETRIED: &[&str] = &["wait", "wait", "wait"];

/// The table as the README has it.
fn table() -> String {
    let mut table = String::from("| what fails | what you see | what Atlas tries, and keeps |\n| --- | --- | --- |\n");
    let named = |text: &str| text.split(' ').map(named_word).collect::<Vec<_>>().join(" ");
    for row in rows() {
        let tried = match row.tried {
            [] => "nothing: trying again cannot help".to_owned(),
            [one, .., last] if one == last => format!("{one}, {} times", row.tried.len()),
            some => some.join(", "),
        };
        let kept = if row.kept.is_empty() { "" } else { "; the part that came is kept" };
        writeln!(table, "| {} | {} | {tried}{kept} |", row.failure, named(row.sees)).expect("a string takes all");
    }
    for local in locals() {
        let tried = if local.tried.is_empty() {
            "nothing: trying again cannot help".to_owned()
        } else {
            local.tried.join(", ")
        };
        writeln!(table, "| {} | {} | {tried} |", local.failure, named(local.sees)).expect("a string takes all");
    }
    for (failure, _, sees, remedy) in quiet() {
        writeln!(table, "| {failure} | {} | {remedy}; the answer stands |", named(sees)).expect("a string takes all");
    }
    for (failure, sees, does, ..) in ELSEWHERE {
        writeln!(table, "| {failure} | {sees} | {does} |").expect("a string takes all");
    }
    table
}

/// A word as the README has it: `S` and `m` stand for a service and a model.
fn named_word(word: &str) -> String {
    match word {
        "S" => "*Service*".to_owned(),
        "S," => "*Service*,".to_owned(),
        "S." => "*Service*.".to_owned(),
        "m" => "*model*".to_owned(),
        "m." => "*model*.".to_owned(),
        word => word.to_owned(),
    }
}

/// A sentence with the service's name.
fn with_names(sentence: &str, service: &str) -> String {
    let named = |word: &str| match word {
        "S" => service.to_owned(),
        "S," => format!("{service},"),
        "S." => format!("{service}."),
        word => word.to_owned(),
    };
    sentence.split(' ').map(named).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_readme_shows_the_table() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).expect("a README");
    assert!(readme.contains(&table()), "put this into the README:\n{}", table());
}

#[test]
fn what_no_server_can_provoke_has_a_test_of_its_own() {
    let missing = ELSEWHERE.iter().filter(|(.., file, test)| {
        let path = format!("{}/core/{file}", env!("CARGO_MANIFEST_DIR"));
        !std::fs::read_to_string(path).is_ok_and(|source| source.contains(&format!("fn {test}()")))
    });
    assert_eq!(missing.map(|(failure, ..)| failure).collect::<Vec<_>>(), Vec::<&&str>::new());
}
