//! The quiet line in the chat: what is being done about a failure, and what was done once that is over.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{LONGEST_MESSAGE, in_words};
use crate::healing::failure::{EngineFault, Failure, FailureKind, Phase, StoreFault};
use crate::healing::remedy::{Remedy, Step};
use crate::providers::plain_text::plain_text;
use crate::providers::{NetworkKind, TimeoutPhase};

/// One quiet line in the chat about something that healed or is being healed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct HealingNote {
    /// The failure's stable code.
    pub code: String,
    /// What is being done: "OpenRouter is busy. Waiting 2 s, then asking again."
    pub line: String,
    /// What was done, for when it is over, whatever came of it: "OpenRouter was busy; waited 2 s." Empty in old notes.
    #[serde(default)]
    pub past: String,
    /// How long it waits, in seconds; 0 for at once. The person can skip it: once it is over, how long it really waited.
    pub wait_seconds: f64,
    /// The remedy's stable code; empty for a note about something else.
    #[serde(default)]
    pub remedy: String,
}

impl HealingNote {
    /// A note about something that no remedy was needed for.
    pub fn remark(code: &str, line: String) -> Self {
        Self { code: code.to_owned(), past: line.clone(), line, wait_seconds: 0.0, remedy: String::new() }
    }
}

impl Failure {
    /// The line in the chat about a step; `other` is what is asked instead, where something is.
    pub fn note(&self, step: Step, other: &str) -> HealingNote {
        let other = if other.is_empty() { "your other model" } else { other };
        HealingNote {
            code: self.kind.code().to_owned(),
            line: plain_text(&format!("{} {}", self.headline(), self.doing(step, other)), LONGEST_MESSAGE),
            past: plain_text(&format!("{}; {}.", self.past_headline(), self.done(step, other)), LONGEST_MESSAGE),
            wait_seconds: step.wait.as_secs_f64(),
            remedy: step.remedy.code().to_owned(),
        }
    }

    /// What is being done, in one sentence.
    fn doing(&self, step: Step, other: &str) -> String {
        match step.remedy {
            Remedy::Wait if step.wait.is_zero() => "Asking again.".into(),
            Remedy::Wait => format!("Waiting {}, then asking again.", in_words(step.wait)),
            Remedy::Retry => "Asking again.".into(),
            Remedy::Resume => "Asking for the rest.".into(),
            Remedy::Regenerate => "Asking for another answer.".into(),
            Remedy::SwitchModel | Remedy::SwitchProvider => format!("Asking {other} instead."),
            Remedy::ShrinkContext if self.phase == Phase::After => "From now on its older half is summed up.".into(),
            Remedy::ShrinkContext => "Asking again with its older half summed up.".into(),
            Remedy::StartAfresh => "Starting afresh, with your rules and memories.".into(),
            Remedy::Repair => "The answer stands without them.".into(),
            Remedy::AskPartAgain => "The answer stands; they are asked for again.".into(),
            Remedy::RestartEngine => "Starting it afresh.".into(),
            Remedy::RebuildIndex => "Building the damaged index anew.".into(),
            Remedy::ReopenBackup => "Going on with the newest good backup.".into(),
            Remedy::Queue => "Your message is kept and sent when the network is back.".into(),
            Remedy::AnswerFromMemory => "Answering from memory alone.".into(),
            Remedy::AskPerson => String::new(),
        }
    }

    /// What was done, true whether it helped or not.
    fn done(&self, step: Step, other: &str) -> String {
        match step.remedy {
            Remedy::Wait if step.wait.is_zero() => "asked again".into(),
            Remedy::Wait => format!("waited {}", in_words(step.wait)),
            Remedy::Retry => "asked again".into(),
            Remedy::Resume => "asked for the rest".into(),
            Remedy::Regenerate => "asked for another answer".into(),
            Remedy::SwitchModel | Remedy::SwitchProvider if self.phase == Phase::Answering => {
                format!("asked {other} for the rest")
            }
            Remedy::SwitchModel | Remedy::SwitchProvider => format!("asked {other} instead"),
            Remedy::ShrinkContext if self.phase == Phase::After => "from now on its older half is summed up".into(),
            Remedy::ShrinkContext => "asked again with its older half summed up".into(),
            Remedy::StartAfresh => "started afresh, with your rules and memories".into(),
            Remedy::Repair => "the answer stands without them".into(),
            Remedy::AskPartAgain => "the answer stands, and they were asked for again".into(),
            Remedy::RestartEngine => "started it afresh".into(),
            Remedy::RebuildIndex => "built the damaged index anew".into(),
            Remedy::ReopenBackup => "went on with the newest good backup".into(),
            Remedy::Queue => "kept your message for when the network is back".into(),
            Remedy::AnswerFromMemory => "answered from memory alone".into(),
            Remedy::AskPerson => "asked you".into(),
        }
    }

    /// What happened, told when it is over; without a full stop.
    fn past_headline(&self) -> String {
        let (provider, model) = (self.provider(), self.model());
        match &self.kind {
            FailureKind::NotSetUp => "No model had been chosen yet".into(),
            FailureKind::NoKey => format!("{provider} needed a key"),
            FailureKind::Credentials => format!("{provider} did not accept the key"),
            FailureKind::Credit => format!("The account at {provider} had no credit left"),
            FailureKind::RateLimit { .. } => format!("{provider} was busy"),
            FailureKind::UnknownModel => format!("{provider} did not have {model}"),
            FailureKind::ContextTooLong { .. } => format!("The conversation was too long for {model}"),
            FailureKind::Server { .. } => format!("{provider} had a problem of its own"),
            FailureKind::EngineLoading => format!("{provider} was still loading {model}"),
            FailureKind::Network { kind } => self.past_network(*kind),
            FailureKind::MalformedAnswer => format!("{provider} sent an answer that could not be read"),
            FailureKind::MemoryOpsInvalid { refused: 0 } => {
                format!("{model} wrote memory notes that could not be read")
            }
            FailureKind::MemoryOpsInvalid { refused: 1 } => {
                format!("{model} wrote a memory note that could not be used")
            }
            FailureKind::MemoryOpsInvalid { refused } => {
                format!("{model} wrote {refused} memory notes that could not be used")
            }
            FailureKind::PromptCut { .. } => {
                format!("{provider} read only a part of the conversation, because it was too long for {model}")
            }
            FailureKind::Engine(fault) => past_engine(fault).into(),
            FailureKind::BadAddress => format!("The address of {provider} was not a web address"),
            FailureKind::NotAnApi => {
                format!("At the address of {provider}, something answered that is not a model service")
            }
            FailureKind::Store(fault) => past_store(*fault).into(),
            FailureKind::OffRole => format!("{model} had left its role"),
            FailureKind::LeftAlone { .. } => format!("{provider} failed again and again, and was left alone"),
            // Told in the past from the beginning.
            FailureKind::ContentRefused
            | FailureKind::Rejected { .. }
            | FailureKind::Timeout {
                phase: TimeoutPhase::Connect | TimeoutPhase::FirstToken | TimeoutPhase::Stalled | TimeoutPhase::Whole,
            }
            | FailureKind::TruncatedStream
            | FailureKind::EmptyAnswer
            | FailureKind::Interrupted
            | FailureKind::Keychain(_)
            | FailureKind::RuleBroken { .. } => self.headline().trim_end_matches('.').to_owned(),
        }
    }

    fn past_network(&self, kind: NetworkKind) -> String {
        let provider = self.provider();
        match kind {
            NetworkKind::Dns => format!("The address of {provider} was not found"),
            NetworkKind::Refused => format!("{provider} did not answer: nothing ran at its address"),
            NetworkKind::Tls => format!("No trusted encrypted connection to {provider} could be made"),
            NetworkKind::Proxy => format!("The network's proxy did not let Atlas through to {provider}"),
            NetworkKind::Reset => format!("The connection to {provider} broke"),
            NetworkKind::Other => format!("{provider} could not be reached"),
        }
    }
}

fn past_engine(fault: &EngineFault) -> &'static str {
    match fault {
        EngineFault::Missing => "The built-in engine or its model was not on this computer",
        EngineFault::Start { .. } => "The built-in engine did not start",
        EngineFault::Exited { .. } => "The built-in engine ended by itself",
        EngineFault::OutOfMemory => "The system ended the built-in engine, because memory ran out",
        EngineFault::Unhealthy => "The built-in engine ran and did not answer",
        EngineFault::Resting { .. } => "The built-in engine crashed, and rested before its next start",
        EngineFault::Flapping { .. } => "The built-in engine crashed again and again, and was left alone",
    }
}

fn past_store(fault: StoreFault) -> &'static str {
    match fault {
        StoreFault::Busy => "Atlas could not save, because another program used its database",
        StoreFault::Full => "The disk was full: Atlas could not save",
        StoreFault::ReadOnly => "Atlas could not write to its data folder",
        StoreFault::Corrupt => "Atlas's database was damaged",
        StoreFault::Other => "Atlas could not read or write its own files",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::behavior::conduct::ViolationKind;

    fn failure(kind: FailureKind) -> Failure {
        Failure { kind, provider: "OpenRouter".into(), model: "some/model".into(), phase: Phase::Asking }
    }

    #[test]
    fn the_line_in_the_chat_says_how_long_it_waits() {
        let busy = failure(FailureKind::RateLimit { retry_after: None });
        assert_eq!(
            busy.note(Step::wait(Duration::from_millis(1500)), ""),
            HealingNote {
                code: "rate_limit".into(),
                line: "OpenRouter is busy (rate limit). Waiting 1.5 s, then asking again.".into(),
                past: "OpenRouter was busy; waited 1.5 s.".into(),
                wait_seconds: 1.5,
                remedy: "wait".into(),
            }
        );
        assert_eq!(busy.note(Step::wait(Duration::ZERO), "").past, "OpenRouter was busy; asked again.");
        let line = |kind, remedy| failure(kind).note(Step::now(remedy), "gemma").line;
        assert_eq!(
            line(FailureKind::ContextTooLong { limit_tokens: None }, Remedy::ShrinkContext),
            "The conversation is too long for some/model. Asking again with its older half summed up."
        );
        assert_eq!(
            line(FailureKind::MemoryOpsInvalid { refused: 3 }, Remedy::Repair),
            "some/model wrote 3 memory notes that cannot be used. The answer stands without them."
        );
        assert_eq!(
            line(FailureKind::RateLimit { retry_after: None }, Remedy::SwitchModel),
            "OpenRouter is busy (rate limit). Asking gemma instead."
        );
    }

    #[test]
    fn what_was_done_is_told_in_the_past_by_each_remedy() {
        let reset = FailureKind::Network { kind: NetworkKind::Reset };
        let mut told = Vec::new();
        for remedy in Remedy::ALL {
            told.push(failure(reset.clone()).note(Step::now(remedy), "gpt-4o mini").past);
        }
        let expected = [
            "asked again",
            "asked again",
            "asked for the rest",
            "asked for another answer",
            "asked gpt-4o mini instead",
            "asked gpt-4o mini instead",
            "asked again with its older half summed up",
            "started afresh, with your rules and memories",
            "the answer stands without them",
            "the answer stands, and they were asked for again",
            "started it afresh",
            "built the damaged index anew",
            "went on with the newest good backup",
            "kept your message for when the network is back",
            "answered from memory alone",
            "asked you",
        ];
        assert_eq!(told, expected.map(|done| format!("The connection to OpenRouter broke; {done}.")));
        let in_the_middle = Failure { phase: Phase::Answering, ..failure(FailureKind::TruncatedStream) };
        assert_eq!(
            in_the_middle.note(Step::now(Remedy::SwitchModel), "gpt-4o mini").past,
            "The connection to OpenRouter ended in the middle of the answer; asked gpt-4o mini for the rest."
        );
    }

    #[test]
    fn what_happened_is_told_in_the_past_and_with_one_full_stop() {
        let past = |kind| failure(kind).note(Step::now(Remedy::Regenerate), "").past;
        let rule = Some("Never promise a refund.".to_owned());
        assert_eq!(
            [
                past(FailureKind::RuleBroken { kind: ViolationKind::ForbiddenClaim, rule }),
                past(FailureKind::Timeout { phase: TimeoutPhase::FirstToken }),
                past(FailureKind::Engine(EngineFault::Unhealthy)),
                past(FailureKind::MemoryOpsInvalid { refused: 1 }),
                past(FailureKind::Store(StoreFault::Full)),
            ],
            [
                "some/model broke one of your rules: “Never promise a refund.”; asked for another answer.",
                "OpenRouter took too long to begin its answer; asked for another answer.",
                "The built-in engine ran and did not answer; asked for another answer.",
                "some/model wrote a memory note that could not be used; asked for another answer.",
                "The disk was full: Atlas could not save; asked for another answer.",
            ]
        );
        let cut = FailureKind::PromptCut { sent: 9_000, read: 4_000 };
        let cut = Failure { phase: Phase::After, ..failure(cut) };
        assert_eq!(
            cut.note(Step::now(Remedy::ShrinkContext), "").past,
            "OpenRouter read only a part of the conversation, because it was too long for some/model; from now on its older \
             half is summed up."
        );
    }
}
