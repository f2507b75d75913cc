//! What fails beside the answer.

use atlas_core::assistant::view::health::HealthOutcome;
use atlas_tests::agent::Agent;
use atlas_tests::{Response, ScriptedServer};
use serde_json::json;

use super::super::events;
use super::with_names;

/// What fails quietly: the answer stands, and a line says what was done.
pub(super) fn quiet() -> Vec<(&'static str, Response, &'static str, &'static str)> {
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
