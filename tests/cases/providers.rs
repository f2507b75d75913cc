//! What Atlas as a whole makes of what a server sends: the answer, the failure, what is tried again, what is stored.

use atlas_core::healing::NextStep;
use atlas_core::memory::conversation::{MessageState, Usage};
use atlas_tests::agent::{Agent, Heard};
use atlas_tests::cases::Case;
use atlas_tests::server::{Response, ScriptedServer};
use serde_json::Value;

/// What happened.
struct Outcome {
    heard: Heard,
    agent: Agent,
    server: ScriptedServer,
}

/// Runs one case; what differs from its expectations.
pub async fn run(case: Case) -> Vec<String> {
    let server = ScriptedServer::always(Response::from_case(&case.content["response"]));
    let agent = Agent::asking(&server).await;
    let said = case.content["said"].as_str().unwrap_or("Tell me something.");
    let heard = agent.says(said).await;
    let outcome = Outcome { heard, agent, server };
    let expected = case.content["expect"].as_object().expect("a case expects something");
    let mut wrong = Vec::new();
    for (what, wanted) in expected {
        if let Some(difference) = outcome.difference(what, wanted).await {
            wrong.push(format!("{what}: expected {wanted}, {difference}"));
        }
    }
    outcome.agent.assistant.close().await;
    wrong
}

impl Outcome {
    /// What differs from one expectation, in words.
    async fn difference(&self, what: &str, wanted: &Value) -> Option<String> {
        let found: Value = match what {
            "text" => return self.text_differs(wanted.as_str().unwrap_or_default()),
            "facts_at_most" => {
                let count = self.agent.facts().await.len();
                return (count as u64 > wanted.as_u64()?).then(|| format!("found {count}"));
            }
            "message_for_people_contains_no" => {
                let message = &self.heard.failure()?.message;
                return message.contains(wanted.as_str()?).then(|| format!("found {message}"));
            }
            "failure_recorded" => {
                let recorded: Vec<_> = self.agent.procedures().await.into_iter().map(|row| row.category).collect();
                return (!recorded.contains(&wanted.as_str()?.to_owned())).then(|| format!("found {recorded:?}"));
            }
            "limit_tokens" => {
                let said = &self.heard.failure()?.message;
                return (!said.contains(&format!("{wanted} tokens"))).then(|| format!("found {said}"));
            }
            "terminal" => self.heard.terminal().into(),
            "failure" => self.failure_code().into(),
            "partial_kept" => self.partial_is_on_disk().await.into(),
            "cut_by_limit" => (self.heard.state() == Some(MessageState::CutByLimit)).into(),
            "facts" => self.agent.facts().await.len().into(),
            "facts_are" => self.triples().await,
            "refused" => self.refused().into(),
            "requests" => self.server.requests().len().into(),
            "retry" => (self.server.requests().len() > 1).into(),
            "retry_after_s" => self.agent.clock.slept().first().map(|wait| wait.as_secs()).into(),
            "ask" => self.asks().into(),
            "usage" => self.usage(),
            other => return Some(format!("there is no check for {other}")),
        };
        (found != *wanted).then(|| format!("found {found}"))
    }

    fn text_differs(&self, wanted: &str) -> Option<String> {
        let stored = self.heard.answer().map(|message| message.text.as_str()).unwrap_or_default();
        let streamed = self.heard.streamed();
        if comparable(stored) != wanted {
            return Some(format!("stored {stored:?}"));
        }
        (comparable(&streamed) != wanted).then(|| format!("streamed {streamed:?}"))
    }

    /// The code of the failure: of the turn, or the first that was tried to be healed.
    fn failure_code(&self) -> Option<&str> {
        self.heard.failure().map(|failure| failure.code.as_str())
    }

    async fn partial_is_on_disk(&self) -> bool {
        let messages = self.agent.messages(self.heard.conversation()).await;
        let last = messages.last();
        last == self.heard.answer() && last.is_some_and(|message| message.state == MessageState::Partial)
    }

    async fn triples(&self) -> Value {
        self.agent.facts().await.into_iter().map(|fact| vec![fact.subject, fact.relation, fact.value]).collect()
    }

    /// How many entries of a memory block were refused, as the line in the chat says it.
    fn refused(&self) -> u64 {
        let line = self.heard.healing().into_iter().find(|line| line.contains("memory"));
        line.and_then(|line| line.split_whitespace().find_map(|word| word.parse().ok())).unwrap_or(0)
    }

    fn asks(&self) -> Option<&'static str> {
        match self.heard.failure()?.next {
            NextStep::EnterKey => Some("key"),
            NextStep::ChooseModel => Some("model"),
            _ => None,
        }
    }

    fn usage(&self) -> Value {
        let usage = self.heard.answer().map(|message| message.usage).unwrap_or_default();
        let Usage { prompt_tokens, completion_tokens, cost } = usage;
        serde_json::json!({ "prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "cost": cost })
    }
}

/// A text as the cases compare it: trimmed, and with three or more line breaks made two.
fn comparable(text: &str) -> String {
    let mut text = text.trim().to_owned();
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}
