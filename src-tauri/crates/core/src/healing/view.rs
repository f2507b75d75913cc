//! Failures and remedies in words for people.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::failure::{EngineFault, Failure, FailureKind, StoreFault};
use crate::behavior::conduct::ViolationKind;
use crate::providers::plain_text::plain_text;
use crate::providers::{NetworkKind, TimeoutPhase};
use crate::settings::ModelChoice;

mod note;

pub use note::HealingNote;

/// The longest message for people, in characters.
const LONGEST_MESSAGE: usize = 700;

/// The longest quotation of a provider in it, in characters.
const LONGEST_QUOTE: usize = 240;

/// A failure as a person sees it: what happened, what it means, and the one thing to do now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FailureView {
    /// A stable code to switch on: "credentials", "rate_limit", …
    pub code: String,
    /// What happened and what it means, in one or two sentences. Plain text.
    pub message: String,
    /// The button under it.
    pub next: NextStep,
    /// The person's other model or service, by name, where the question can be put to it instead: a second button.
    #[serde(default)]
    pub alternative: Option<String>,
    /// The service and the model that failed, where one was asked: what the person gives is for that one.
    #[serde(default)]
    pub service: Option<Box<ModelChoice>>,
    /// Whether the message waits for the network, and is sent by itself when it is back.
    #[serde(default)]
    pub queued: bool,
}

/// What a person can do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum NextStep {
    /// Ask again.
    Retry,
    /// Enter a key.
    EnterKey,
    /// Choose another model.
    ChooseModel,
    /// Look at provider and address.
    OpenSettings,
    /// Add credit, or choose another provider.
    AddCredit,
    /// Begin a new conversation: this one is too long.
    NewConversation,
    /// Say it in other words.
    Rephrase,
    /// Start the built-in engine afresh.
    RestartEngine,
    /// See what is wrong, and what can be done, on the Health page.
    OpenHealth,
}

impl Failure {
    /// It, for people.
    pub fn view(&self) -> FailureView {
        FailureView {
            code: self.kind.code().to_owned(),
            message: plain_text(&format!("{} {}", self.headline(), self.advice()), LONGEST_MESSAGE),
            next: self.next_step(),
            alternative: None,
            service: None,
            queued: false,
        }
    }

    /// What a procedure that is learned from it answers to: "OpenRouter is busy (rate limit)".
    pub fn trigger(&self) -> String {
        let headline = match &self.kind {
            // The rule is the person's own words, and stays where they wrote it.
            FailureKind::RuleBroken { rule: Some(_), .. } => format!("{} broke one of your rules", self.model()),
            _ => self.headline(),
        };
        plain_text(headline.trim_end_matches('.'), LONGEST_MESSAGE)
    }

    /// What happened, in one sentence.
    pub fn trigger_sentence(&self) -> String {
        plain_text(&self.headline(), LONGEST_MESSAGE)
    }

    /// What happened, in one short sentence.
    fn headline(&self) -> String {
        let (provider, model) = (self.provider(), self.model());
        match &self.kind {
            FailureKind::NotSetUp => "No model has been chosen yet.".into(),
            FailureKind::NoKey => format!("{provider} needs a key."),
            FailureKind::Credentials => format!("{provider} does not accept the key."),
            FailureKind::Credit => format!("The account at {provider} has no credit left."),
            FailureKind::RateLimit { .. } => format!("{provider} is busy (rate limit)."),
            FailureKind::UnknownModel => format!("{provider} does not have {model}."),
            FailureKind::ContextTooLong { .. } => format!("The conversation is too long for {model}."),
            FailureKind::ContentRefused => format!("{provider} refused this content."),
            FailureKind::Server { .. } => format!("{provider} has a problem of its own."),
            FailureKind::Rejected { status, .. } => format!("{provider} rejected the request (status {status})."),
            FailureKind::EngineLoading => format!("{provider} is still loading {model}."),
            FailureKind::Network { kind } => self.network(*kind),
            FailureKind::Timeout { phase } => match phase {
                TimeoutPhase::Connect => format!("{provider} could not be reached in time."),
                TimeoutPhase::FirstToken => format!("{provider} took too long to begin its answer."),
                TimeoutPhase::Stalled => format!("{provider} stopped in the middle of its answer."),
                TimeoutPhase::Whole => format!("{provider} did not come to the end of its answer in time."),
            },
            FailureKind::TruncatedStream => format!("The connection to {provider} ended in the middle of the answer."),
            FailureKind::MalformedAnswer => format!("{provider} sent an answer that cannot be read."),
            FailureKind::EmptyAnswer => format!("{model} sent an empty answer."),
            FailureKind::MemoryOpsInvalid { refused: 0 } => format!("{model} wrote memory notes that cannot be read."),
            FailureKind::MemoryOpsInvalid { refused: 1 } => format!("{model} wrote a memory note that cannot be used."),
            FailureKind::MemoryOpsInvalid { refused } => {
                format!("{model} wrote {refused} memory notes that cannot be used.")
            }
            FailureKind::PromptCut { .. } => {
                format!("{provider} read only a part of the conversation, because it is too long for {model}.")
            }
            FailureKind::Engine(fault) => engine_headline(fault).into(),
            FailureKind::BadAddress => format!("The address of {provider} is not a web address."),
            FailureKind::NotAnApi => {
                format!("At the address of {provider}, something answers that is not a model service.")
            }
            FailureKind::Store(fault) => store_headline(*fault).into(),
            FailureKind::Interrupted => "Atlas was closed before the answer had come to its end.".into(),
            FailureKind::Keychain(_) => format!("The key for {provider} could not be read."),
            FailureKind::RuleBroken { rule: Some(rule), .. } => {
                format!("{model} broke one of your rules: “{}”.", plain_text(rule, LONGEST_QUOTE))
            }
            FailureKind::RuleBroken { kind, rule: None } => match kind {
                ViolationKind::ForbiddenClaim => format!("{model} broke one of your rules."),
                ViolationKind::SealedTopic => format!("{model} brought up a topic that you sealed."),
                ViolationKind::LeakedKey => format!("{model} wrote something that looks like a key."),
                ViolationKind::LeakedPrompt => format!("{model} recited its instructions."),
                ViolationKind::ClaimsHuman => format!("{model} passed itself off as a human."),
            },
            FailureKind::OffRole => format!("{model} has left its role."),
            FailureKind::LeftAlone { .. } => {
                format!("{provider} failed again and again, and is left alone for a while.")
            }
        }
    }

    fn network(&self, kind: NetworkKind) -> String {
        let provider = self.provider();
        match kind {
            NetworkKind::Dns => format!("The address of {provider} was not found."),
            NetworkKind::Refused => format!("{provider} does not answer: nothing runs at its address."),
            NetworkKind::Tls => format!("No trusted encrypted connection to {provider} could be made."),
            NetworkKind::Proxy => format!("The network's proxy does not let Atlas through to {provider}."),
            NetworkKind::Reset => format!("The connection to {provider} broke."),
            NetworkKind::Other => format!("{provider} cannot be reached."),
        }
    }

    /// What it means and what to do.
    fn advice(&self) -> String {
        match &self.kind {
            FailureKind::NotSetUp => "Choose one in the settings.".into(),
            FailureKind::NoKey => "Enter one to go on.".into(),
            FailureKind::Credentials => "Check it, or enter another.".into(),
            FailureKind::Credit => "Add credit there, or choose another provider.".into(),
            FailureKind::RateLimit { retry_after: Some(wait) } => {
                format!("It asks to wait {}. Try again then.", in_words(*wait))
            }
            FailureKind::RateLimit { retry_after: None } => "Try again in a moment.".into(),
            FailureKind::UnknownModel => "Choose a model that it has.".into(),
            FailureKind::ContextTooLong { limit_tokens: Some(limit) } => {
                format!("It takes {limit} tokens at most. Begin a new conversation; what Atlas remembers comes along.")
            }
            FailureKind::ContextTooLong { limit_tokens: None } => {
                "Begin a new conversation; what Atlas remembers comes along.".into()
            }
            FailureKind::ContentRefused => "Try to say it in other words.".into(),
            FailureKind::Server { .. } => "It usually passes. Try again in a moment.".into(),
            FailureKind::Rejected { said: Some(said), .. } => {
                format!(
                    "It said: “{}” Check the model and the provider in the settings.",
                    plain_text(said, LONGEST_QUOTE)
                )
            }
            FailureKind::Rejected { said: None, .. } => "Check the model and the provider in the settings.".into(),
            FailureKind::EngineLoading => "Try again in a moment.".into(),
            FailureKind::Network { kind } => network_advice(*kind).into(),
            FailureKind::Timeout { .. } => "Try again, or choose a faster model.".into(),
            FailureKind::TruncatedStream => "What came is kept. Try again.".into(),
            FailureKind::MalformedAnswer | FailureKind::EmptyAnswer => "Try again, or choose another model.".into(),
            FailureKind::MemoryOpsInvalid { .. } => "The answer stands; not everything was remembered.".into(),
            FailureKind::PromptCut { .. } => "Begin a new conversation, or choose a model that reads more.".into(),
            FailureKind::Engine(fault) => engine_advice(fault).to_string(),
            FailureKind::BadAddress => "It should look like http://localhost:8080/v1.".into(),
            FailureKind::NotAnApi => {
                "Check the address: it usually ends in /v1. A network that wants a login first can also be the cause."
                    .into()
            }
            FailureKind::Store(fault) => store_advice(*fault).into(),
            FailureKind::Interrupted => "Your message is kept, and so is what came of the answer. Ask again.".into(),
            FailureKind::Keychain(error) => error.message(),
            FailureKind::RuleBroken { .. } => "The answer is withheld. Try again, or change the rule.".into(),
            FailureKind::LeftAlone { .. } => "Try again, or choose another provider.".into(),
            FailureKind::OffRole => "Begin a new conversation; what Atlas remembers comes along.".into(),
        }
    }

    fn next_step(&self) -> NextStep {
        match self.kind {
            FailureKind::NoKey | FailureKind::Credentials | FailureKind::Keychain(_) => NextStep::EnterKey,
            FailureKind::Credit => NextStep::AddCredit,
            FailureKind::UnknownModel => NextStep::ChooseModel,
            FailureKind::ContextTooLong { .. } | FailureKind::PromptCut { .. } | FailureKind::OffRole => {
                NextStep::NewConversation
            }
            FailureKind::ContentRefused => NextStep::Rephrase,
            FailureKind::NotSetUp
            | FailureKind::Rejected { .. }
            | FailureKind::Engine(EngineFault::Missing)
            | FailureKind::BadAddress
            | FailureKind::NotAnApi
            | FailureKind::Network { kind: NetworkKind::Tls | NetworkKind::Proxy } => NextStep::OpenSettings,
            FailureKind::RateLimit { .. }
            | FailureKind::Server { .. }
            | FailureKind::EngineLoading
            | FailureKind::Network { .. }
            | FailureKind::Timeout { .. }
            | FailureKind::TruncatedStream
            | FailureKind::MalformedAnswer
            | FailureKind::EmptyAnswer
            | FailureKind::MemoryOpsInvalid { .. }
            | FailureKind::RuleBroken { .. }
            | FailureKind::LeftAlone { .. }
            | FailureKind::Store(StoreFault::Busy | StoreFault::Full | StoreFault::Other)
            | FailureKind::Interrupted => NextStep::Retry,
            FailureKind::Store(StoreFault::ReadOnly | StoreFault::Corrupt) => NextStep::OpenHealth,
            FailureKind::Engine(
                EngineFault::Start { diagnosis: Some(diagnosis) }
                | EngineFault::Exited { diagnosis: Some(diagnosis) }
                | EngineFault::Flapping { diagnosis: Some(diagnosis), .. },
            ) if diagnosis.is_about_the_model() => NextStep::ChooseModel,
            FailureKind::Engine(_) => NextStep::RestartEngine,
        }
    }

    fn provider(&self) -> &str {
        if self.provider.is_empty() { "The provider" } else { &self.provider }
    }

    fn model(&self) -> &str {
        if self.model.is_empty() { "The model" } else { &self.model }
    }
}

fn engine_headline(fault: &EngineFault) -> &'static str {
    match fault {
        EngineFault::Missing => "The built-in engine or its model is not on this computer.",
        EngineFault::Start { .. } => "The built-in engine does not start.",
        EngineFault::Exited { .. } => "The built-in engine ended by itself.",
        EngineFault::OutOfMemory => "The system ended the built-in engine, because memory ran out.",
        EngineFault::Unhealthy => "The built-in engine runs and does not answer.",
        EngineFault::Resting { .. } => "The built-in engine crashed, and rests before its next start.",
        EngineFault::Flapping { .. } => "The built-in engine crashed again and again, and is left alone for a while.",
    }
}

fn engine_advice(fault: &EngineFault) -> String {
    match fault {
        EngineFault::Missing => "Run the set-up again, or choose another provider.".into(),
        EngineFault::Start { diagnosis: Some(diagnosis) }
        | EngineFault::Exited { diagnosis: Some(diagnosis) }
        | EngineFault::Flapping { diagnosis: Some(diagnosis), .. } => {
            format!("{} {}", diagnosis.what(), diagnosis.advice())
        }
        EngineFault::OutOfMemory => "Close other programs, or choose a smaller model or a shorter context.".into(),
        EngineFault::Start { .. }
        | EngineFault::Exited { .. }
        | EngineFault::Unhealthy
        | EngineFault::Resting { .. }
        | EngineFault::Flapping { .. } => "Start it afresh, or choose another provider.".into(),
    }
}

fn store_headline(fault: StoreFault) -> &'static str {
    match fault {
        StoreFault::Busy => "Atlas could not save, because another program uses its database.",
        StoreFault::Full => "The disk is full: Atlas could not save.",
        StoreFault::ReadOnly => "Atlas may not write to its data folder.",
        StoreFault::Corrupt => "Atlas's database is damaged.",
        StoreFault::Other => "Atlas could not read or write its own files.",
    }
}

fn store_advice(fault: StoreFault) -> &'static str {
    match fault {
        StoreFault::Busy => "Try again in a moment.",
        StoreFault::Full => "Free some space, then try again.",
        StoreFault::ReadOnly => "Check the folder's permissions, then start Atlas again.",
        StoreFault::Corrupt => "Health shows what can be done; nothing more is written to it.",
        StoreFault::Other => "Try again; if it happens again, restart Atlas.",
    }
}

fn network_advice(kind: NetworkKind) -> &'static str {
    match kind {
        NetworkKind::Dns => "Check the internet connection and the address.",
        NetworkKind::Refused => "Start the server, or check the address in the settings.",
        NetworkKind::Tls => {
            "Its certificate is not one that this computer trusts: add a private authority's certificate to the system, or check the address."
        }
        NetworkKind::Proxy => "Check the system's proxy settings.",
        NetworkKind::Reset | NetworkKind::Other => "Check the internet connection, then try again.",
    }
}

/// A time span as people say it: "0.5 s", "7 s", "2 min", "3 h".
fn in_words(wait: Duration) -> String {
    let seconds = wait.as_secs_f64();
    if seconds < 9.95 {
        let tenths = (seconds * 10.0).round() / 10.0;
        format!("{tenths} s")
    } else if seconds < 120.0 {
        format!("{seconds:.0} s")
    } else if seconds < 7200.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.0} h", seconds / 3600.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::healing::Phase;

    fn failure(kind: FailureKind) -> Failure {
        Failure { kind, provider: "OpenRouter".into(), model: "some/model".into(), phase: Phase::Asking }
    }

    fn view(code: &str, message: &str, next: NextStep) -> FailureView {
        FailureView {
            code: code.into(),
            message: message.into(),
            next,
            alternative: None,
            service: None,
            queued: false,
        }
    }

    #[test]
    fn a_failure_says_what_happened_and_what_to_do_now() {
        let expected = [
            (
                FailureKind::Credentials,
                view(
                    "credentials",
                    "OpenRouter does not accept the key. Check it, or enter another.",
                    NextStep::EnterKey,
                ),
            ),
            (
                FailureKind::UnknownModel,
                view(
                    "unknown_model",
                    "OpenRouter does not have some/model. Choose a model that it has.",
                    NextStep::ChooseModel,
                ),
            ),
            (
                FailureKind::RateLimit { retry_after: Some(Duration::from_secs(7)) },
                view(
                    "rate_limit",
                    "OpenRouter is busy (rate limit). It asks to wait 7 s. Try again then.",
                    NextStep::Retry,
                ),
            ),
            (
                FailureKind::ContextTooLong { limit_tokens: Some(8192) },
                view(
                    "context_too_long",
                    "The conversation is too long for some/model. It takes 8192 tokens at most. Begin a new conversation; \
                     what Atlas remembers comes along.",
                    NextStep::NewConversation,
                ),
            ),
        ];
        for (kind, expected) in expected {
            assert_eq!(failure(kind).view(), expected);
        }
    }

    #[test]
    fn the_providers_words_are_quoted_without_markup() {
        let said = Some("<b>only</b> 1 < 2 images &lt;script&gt;".into());
        assert_eq!(
            failure(FailureKind::Rejected { status: 400, said }).view().message,
            "OpenRouter rejected the request (status 400). It said: “only 1 ‹ 2 images ‹script›” Check the model and the \
             provider in the settings."
        );
    }

    #[test]
    fn a_name_with_markup_in_it_is_plain_text_too() {
        let failure =
            Failure { provider: "<img src=x>".into(), model: "<script>a".into(), ..failure(FailureKind::UnknownModel) };
        assert!(!failure.view().message.contains('<'), "{}", failure.view().message);
    }

    #[test]
    fn what_is_learned_from_it_answers_to_what_happened() {
        assert_eq!(failure(FailureKind::RateLimit { retry_after: None }).trigger(), "OpenRouter is busy (rate limit)");
    }

    #[test]
    fn spans_are_said_as_people_say_them() {
        let words = [
            (500, "0.5 s"),
            (2000, "2 s"),
            (9960, "10 s"),
            (119_000, "119 s"),
            (120_000, "2 min"),
            (10_800_000, "3 h"),
        ];
        for (millis, expected) in words {
            assert_eq!(in_words(Duration::from_millis(millis)), expected);
        }
    }
}
