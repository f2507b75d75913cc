//! Every kind of failure: what the person sees, what was tried, what is stored. The README shows the same table.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use atlas_core::assistant::view::health::HealthOutcome;
use atlas_core::keychain::KeychainError;
use atlas_core::memory::conversation::MessageState;
use atlas_core::providers::preset::{Endpoint, Preset};
use atlas_core::providers::{Reach, Timeouts};
use atlas_tests::agent::{Agent, endpoint};
use atlas_tests::{Response, ScriptedServer};
use serde_json::{Value, json};

use super::events;
use crate::PATIENT;

/// What Atlas waits for where a wait is to come to its end.
const SOON: Duration = Duration::from_millis(200);
/// What is tried of a failure that may pass.
const RETRIED: &[&str] = &["wait", "wait", "wait"];

/// A failure that a server provokes.
struct Row {
    /// What it is called in the table.
    failure: &'static str,
    /// What the server does, again and again.
    server: Response,
    /// The failure's code.
    code: &'static str,
    /// How what the person sees begins.
    sees: &'static str,
    /// What was tried, in order.
    tried: &'static [&'static str],
    /// What is kept of the answer.
    kept: &'static str,
    /// How long Atlas waits for the server.
    timeouts: fn(Preset) -> Timeouts,
}

fn error(status: u16, body: Value) -> Response {
    Response::json(status, json!({ "error": body }))
}

/// The rows; `S` stands for the service's name.
fn rows() -> Vec<Row> {
    let row = |failure, server, code, sees, tried| Row {
        failure,
        server,
        code,
        sees,
        tried,
        kept: "",
        timeouts: Timeouts::for_preset,
    };
    let silent = || Response::partial::<&str>([]).then_stall();
    let half = || Response::partial(["Half"]).then_stall();
    vec![
        row(
            "refused key (401)",
            error(401, json!({ "code": "invalid_api_key", "message": "no" })),
            "credentials",
            "S does not accept the key.",
            &[],
        ),
        row(
            "403 that speaks of the key",
            error(403, json!({ "code": "permission_denied", "message": "no" })),
            "credentials",
            "S does not accept the key.",
            &[],
        ),
        row(
            "403 of a moderation",
            error(403, json!({ "code": 403, "message": "flagged", "metadata": { "flagged_input": "x" } })),
            "content_refused",
            "S refused this content.",
            &[],
        ),
        row(
            "no credit (402)",
            error(402, json!({ "message": "no" })),
            "credit",
            "The account at S has no credit left.",
            &[],
        ),
        row(
            "quota used up (429)",
            error(429, json!({ "code": "insufficient_quota", "message": "no" })),
            "credit",
            "The account at S has no credit left.",
            &[],
        ),
        row(
            "rate limit (429)",
            error(429, json!({ "message": "slow" })).header("retry-after", "7"),
            "rate_limit",
            "S is busy (rate limit).",
            RETRIED,
        ),
        row(
            "rate limit of an hour",
            error(429, json!({ "message": "slow" })).header("retry-after", "3600"),
            "rate_limit",
            "S is busy (rate limit).",
            &[],
        ),
        row(
            "unknown model (404)",
            error(404, json!({ "code": "model_not_found", "message": "no" })),
            "unknown_model",
            "S does not have m.",
            &[],
        ),
        row(
            "unknown model (400)",
            error(400, json!({ "message": "m is not a valid model ID", "code": 400 })),
            "unknown_model",
            "S does not have m.",
            &[],
        ),
        row(
            "too long, nothing to leave out",
            error(400, json!({ "code": "context_length_exceeded", "message": "no" })),
            "context_too_long",
            "The conversation is too long for m.",
            &[],
        ),
        row(
            "server error (500)",
            error(500, json!({ "message": "oops" })),
            "server",
            "S has a problem of its own.",
            RETRIED,
        ),
        row(
            "overloaded (529)",
            error(529, json!({ "message": "oops" })),
            "server",
            "S has a problem of its own.",
            RETRIED,
        ),
        row(
            "any other refusal (400)",
            error(400, json!({ "message": "no images" })),
            "rejected",
            "S rejected the request (status 400).",
            &[],
        ),
        row(
            "error inside a 200 stream",
            Response::stream(["data: {\"error\":{\"message\":\"oops\",\"code\":502}}\n\n"]),
            "server",
            "S has a problem of its own.",
            RETRIED,
        ),
        row(
            "broken connection",
            Response::cut_off(),
            "network",
            "The connection to S broke.",
            &["retry", "wait", "wait"],
        ),
        Row {
            kept: "Half",
            ..row(
                "stream cut in the middle",
                Response::partial(["Half"]).then_reset(),
                "truncated_stream",
                "The connection to S ended in the middle of the answer.",
                &["resume"],
            )
        },
        Row {
            timeouts: |_| Timeouts { first_token: SOON, ..PATIENT },
            ..row("no first word in time", silent(), "timeout", "S took too long to begin its answer.", RETRIED)
        },
        Row {
            kept: "Half",
            timeouts: |_| Timeouts { stalled: SOON, ..PATIENT },
            ..row("an answer that stalls", half(), "timeout", "S stopped in the middle of its answer.", &["resume"])
        },
        Row {
            kept: "Half",
            timeouts: |_| Timeouts { whole: SOON, ..PATIENT },
            ..row(
                "an answer without an end",
                half(),
                "timeout",
                "S did not come to the end of its answer in time.",
                &["resume"],
            )
        },
        row("empty answer", Response::answer([""]), "empty_answer", "m sent an empty answer.", &["retry"]),
        row(
            "unreadable answer",
            Response::stream(["data: {not json\n\n"]),
            "malformed_answer",
            "S sent an answer that cannot be read.",
            &["retry"],
        ),
        row(
            "a web page",
            Response::html(200, "<html>Please log in</html>"),
            "not_an_api",
            "At the address of S, something answers that is not a model service.",
            &[],
        ),
        row(
            "model still loading (503)",
            error(503, json!({ "message": "Loading model", "type": "unavailable_error", "code": 503 })),
            "engine_loading",
            "S is still loading m.",
            &["wait"; 30],
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_failure_is_told_tried_and_stored_as_the_table_says() {
    for row in rows() {
        let server = ScriptedServer::always(row.server);
        let agent = Agent::reaching(Reach { timeouts: row.timeouts, ..Reach::default() }).await;
        agent.ask(&server).await;
        let name = endpoint(&server).display_name();
        let heard = agent.says("What is new?").await;
        let failure = heard.failure().unwrap_or_else(|| panic!("{}: {heard:?}", row.failure));
        assert_eq!(failure.code, row.code, "{}", row.failure);
        assert!(failure.message.starts_with(&with_names(row.sees, &name)), "{}: {}", row.failure, failure.message);
        let tried: Vec<String> = heard.notes().into_iter().map(|note| note.remedy).collect();
        assert_eq!(tried, row.tried, "{}", row.failure);
        assert_eq!(server.requests().len(), 1 + row.tried.len(), "{}", row.failure);
        // The message is there, and what came of the answer; nothing else.
        let stored = agent.messages(heard.conversation()).await;
        let texts: Vec<_> = stored.iter().map(|message| (message.text.as_str(), message.state)).collect();
        let mut expected = vec![("What is new?", MessageState::Complete)];
        expected.extend((!row.kept.is_empty()).then_some((row.kept, MessageState::Partial)));
        assert_eq!(texts, expected, "{}", row.failure);
        // The timeline has each try, and the end.
        let told = events(&agent).await;
        assert_eq!(told.len(), row.tried.len() + 1, "{}: {told:?}", row.failure);
        assert!(told.iter().all(|event| event.code == row.code), "{}: {told:?}", row.failure);
        agent.assistant.close().await;
    }
}

/// What is wrong before anything is sent.
struct Local {
    failure: &'static str,
    /// Whom the settings name.
    endpoint: Option<Endpoint>,
    /// What the keychain does.
    keychain: Option<KeychainError>,
    /// How services are reached.
    reach: Reach,
    code: &'static str,
    sees: &'static str,
    tried: &'static [&'static str],
}

/// A server that answers this to whoever connects, whatever they say. It lives as long as the process.
fn answers(response: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
    let address = listener.local_addr().expect("a bound socket has an address");
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for mut stream in listener.incoming().flatten() {
            // Who answers before it was asked anything is not heard.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(response.as_bytes());
            // It is not closed: the client is to read what was said.
            open.push(stream);
        }
    });
    address
}

/// A proxy that answers this to whatever it is asked for.
fn proxy(response: &'static str) -> reqwest::Proxy {
    reqwest::Proxy::all(format!("http://{}", answers(response))).expect("an address")
}

/// A server whose queue of connections is full: it takes no more, and refuses none.
fn accepts_nobody() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
    let address = listener.local_addr().expect("a bound socket has an address");
    let mut waiting = Vec::new();
    while let Ok(stream) = TcpStream::connect_timeout(&address, SOON) {
        waiting.push(stream);
    }
    // As long as the process lives.
    Box::leak(Box::new((listener, waiting)));
    address
}

fn locals() -> Vec<Local> {
    let at = |base_url: String| Some(Endpoint { preset: Preset::Custom, base_url });
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let encrypted = at(format!("https://{}/v1", answers("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")));
    let local = |failure, endpoint, code, sees, tried| Local {
        failure,
        endpoint,
        keychain: None,
        reach: Reach::default(),
        code,
        sees,
        tried,
    };
    let elsewhere = || at("http://192.0.2.1/v1".to_owned());
    let through = |response| Reach { proxy: Some(proxy(response)), ..Reach::default() };
    vec![
        local("no model chosen yet", None, "not_set_up", "No model has been chosen yet.", &[]),
        local(
            "no engine or model file",
            Some(Preset::BuiltIn.endpoint()),
            "engine_missing",
            "The built-in engine or its model is not on this computer.",
            &[],
        ),
        Local {
            keychain: Some(KeychainError::Locked),
            ..local(
                "locked keychain",
                Some(Preset::OpenRouter.endpoint()),
                "keychain",
                "The key for OpenRouter could not be read.",
                &[],
            )
        },
        local(
            "nothing runs at the address",
            at(format!("http://{closed}/v1")),
            "network",
            "S does not answer: nothing runs at its address.",
            &["retry", "wait", "wait"],
        ),
        local(
            "no trusted encryption",
            encrypted,
            "network",
            "No trusted encrypted connection to S could be made.",
            &[],
        ),
        Local {
            reach: Reach { connect: SOON, ..Reach::default() },
            ..local(
                "no connection in time",
                at(format!("http://{}/v1", accepts_nobody())),
                "timeout",
                "S could not be reached in time.",
                RETRIED,
            )
        },
        Local {
            reach: through("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"),
            ..local(
                "a proxy that wants a login (407)",
                elsewhere(),
                "network",
                "The network's proxy does not let Atlas through to S.",
                &[],
            )
        },
        Local {
            reach: through("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"),
            ..local(
                "a proxy that does not get through (502)",
                at("https://192.0.2.1/v1".to_owned()),
                "network",
                "The network's proxy does not let Atlas through to S.",
                &[],
            )
        },
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_before_anything_is_sent_is_told_as_the_table_says() {
    for local in locals() {
        let agent = Agent::reaching(local.reach).await;
        agent.keychain.fail_with(local.keychain);
        agent.choose(|settings| settings.endpoint.clone_from(&local.endpoint)).await;
        let name = local.endpoint.as_ref().map(Endpoint::display_name).unwrap_or_default();
        let heard = agent.says("What is new?").await;
        let failure = heard.failure().unwrap_or_else(|| panic!("{}: {heard:?}", local.failure));
        assert_eq!(failure.code, local.code, "{}", local.failure);
        let seen = with_names(local.sees, &name);
        assert!(failure.message.starts_with(&seen), "{}: {}", local.failure, failure.message);
        let tried: Vec<String> = heard.notes().into_iter().map(|note| note.remedy).collect();
        assert_eq!(tried, local.tried, "{}", local.failure);
        assert_eq!(agent.messages(heard.conversation()).await.len(), 1, "{}", local.failure);
        agent.assistant.close().await;
    }
}

/// What fails quietly: the answer stands, and a line says what was done.
fn quiet() -> Vec<(&'static str, Response, &'static str, &'static str)> {
    let long = json!({"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 2}});
    let cut = Response::partial(["Hello."]).then(Response::stream([
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".to_owned(),
        format!("data: {long}\n\ndata: [DONE]\n\n"),
    ]));
    vec![
        (
            "memory notes that cannot be read",
            Response::answer(["Hello.\nMEMORY_OPS: {\"facts\": [{\"subject\""]),
            "m wrote memory notes that cannot be read.",
            "ask_part_again",
        ),
        (
            "memory notes that can be read in part",
            Response::answer([
                "Hello.\nMEMORY_OPS: {\"facts\": [7, {\"subject\": \"user\", \"relation\": \"likes\", \"value\": \"news\"}]}",
            ]),
            "m wrote a memory note that cannot be used.",
            "repair",
        ),
        (
            "a prompt that the server cut silently",
            cut,
            "S read only a part of the conversation, because it is too long for m.",
            "shrink_context",
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_quietly_leaves_the_answer_and_says_what_was_done() {
    for (failure, response, sees, remedy) in quiet() {
        let server = ScriptedServer::always(response);
        let agent = Agent::asking(&server).await;
        let name = agent.assistant.settings().await.unwrap().settings.endpoint.unwrap().display_name();
        let heard = agent.says(&"What is new? ".repeat(600)).await;
        assert_eq!((heard.terminal(), heard.streamed().trim_end()), ("completed", "Hello."), "{failure}");
        let notes: Vec<_> = heard.notes().into_iter().map(|note| (note.line, note.remedy)).collect();
        let is_told = |(line, done): &(String, String)| line.starts_with(&with_names(sees, &name)) && done == remedy;
        assert!(notes.iter().any(is_told), "{failure}: {notes:?}");
        assert!(events(&agent).await.iter().all(|event| event.outcome == HealthOutcome::Worked), "{failure}");
        agent.assistant.close().await;
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

/// What cannot be provoked by a server, with the test that provokes it for real.
const ELSEWHERE: &[(&str, &str, &str, &str, &str)] = &[
    (
        "no network",
        "The address of *Service* was not found.",
        "retry, the other service, then the message is kept and sent when the network is back",
        "healing/network.rs",
        "a_message_waits_for_the_network_and_is_sent_when_it_is_back",
    ),
    (
        "a service that stays down",
        "*Service* has a problem of its own.",
        "wait, the other service; after three failures it is left alone for a while",
        "healing/switching.rs",
        "a_dead_service_is_not_asked_every_time_and_asked_again_later",
    ),
    (
        "nobody can be asked",
        "No model could be asked, so this is only what I remember about it",
        "answer from memory, where something is remembered",
        "healing/switching.rs",
        "where_nobody_answers_what_is_remembered_is_told_and_said_to_be_no_more",
    ),
    (
        "an answer breaks a hard rule",
        "*Model* broke one of your rules",
        "the answer is withheld and asked for once more; nothing of it stays",
        "healing/rules.rs",
        "a_second_answer_that_breaks_it_is_withheld_and_the_person_is_told_which_rule",
    ),
    (
        "answers have left the role",
        "*Model* has left its role.",
        "start afresh: rules and memories without the conversation so far",
        "healing/learning.rs",
        "an_assistant_that_has_left_its_role_begins_afresh_with_the_spec_and_memories_reloaded",
    ),
    (
        "the engine dies in an answer",
        "The built-in engine ended by itself.",
        "start it afresh, the other service",
        "healing/engine.rs",
        "an_engine_that_dies_in_the_middle_is_started_again_and_answers",
    ),
    (
        "the engine stands still in an answer",
        "The built-in engine runs and does not answer.",
        "end it, start it afresh, go on from what came",
        "healing/engine.rs",
        "an_engine_that_stands_still_in_the_middle_is_replaced_and_the_answer_goes_on",
    ),
    (
        "the engine crashes again and again",
        "The built-in engine crashed again and again, and is left alone for a while.",
        "the other service; ten minutes' pause, one notice",
        "healing/engine.rs",
        "an_engine_that_crashes_again_and_again_is_left_alone_told_once_and_the_chat_goes_on",
    ),
    (
        "another program holds the database",
        "Atlas could not save just now because its database is busy.",
        "five tries, then the person; nothing half-written",
        "store_faults.rs",
        "another_process_that_holds_the_database_makes_a_write_busy_and_nothing_is_half_written",
    ),
    (
        "full disk",
        "The disk is full, so Atlas could not save this.",
        "reading goes on; writing goes on when there is room",
        "store_faults.rs",
        "on_a_disk_that_is_really_full_nothing_acknowledged_is_lost_and_room_is_enough_to_go_on",
    ),
    (
        "read-only folder",
        "Atlas may not write to its data folder.",
        "opened for reading",
        "store_faults.rs",
        "a_disk_that_cannot_be_written_is_opened_for_reading_and_says_so",
    ),
    (
        "damaged index",
        "Health: what was made anew",
        "the index is built anew from its texts",
        "store_faults.rs",
        "damaged_indexes_are_made_anew_and_the_person_is_told_that_nothing_was_lost",
    ),
    (
        "damaged page",
        "Atlas shows a backup, because its database is damaged.",
        "read on the newest good backup; a restore adds all that can still be read, and keeps the damaged file",
        "store_faults.rs",
        "a_damaged_database_is_read_on_its_backup_and_is_whole_again_after_a_restore",
    ),
];

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
