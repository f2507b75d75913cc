//! What a server provokes, again and again.

use atlas_core::memory::conversation::MessageState;
use atlas_core::providers::preset::Preset;
use atlas_core::providers::{Reach, Timeouts};
use atlas_tests::agent::{Agent, endpoint};
use atlas_tests::{Response, ScriptedServer};
use serde_json::{Value, json};

use super::super::events;
use super::{RETRIED, SOON, with_names};
use crate::PATIENT;

/// A failure that a server provokes.
pub(super) struct Row {
    /// What it is called in the table.
    pub failure: &'static str,
    /// What the server does, again and again.
    server: Response,
    /// The failure's code.
    code: &'static str,
    /// How what the person sees begins.
    pub sees: &'static str,
    /// What was tried, in order.
    pub tried: &'static [&'static str],
    /// What is kept of the answer.
    pub kept: &'static str,
    /// How long Atlas waits for the server.
    timeouts: fn(Preset) -> Timeouts,
}

fn error(status: u16, body: Value) -> Response {
    Response::json(status, json!({ "error": body }))
}

/// The rows; `S` stands for the service's name.
pub(super) fn rows() -> Vec<Row> {
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
