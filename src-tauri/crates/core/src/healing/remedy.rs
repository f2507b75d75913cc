//! The closed list of what Atlas can do about a failure. What is done, is done by whoever owns it: the turn, the supervisor, the
//! store. Which one comes next is for the playbook to say.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Something that Atlas can really do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// Wait, as long as the other side asks or a little longer each time, then ask again. The person can skip the wait.
    Wait,
    /// Ask again at once.
    Retry,
    /// Keep what came of the answer and ask for the rest.
    Resume,
    /// Take the answer back and ask for another one.
    Regenerate,
    /// Ask the person's other model at the same service.
    SwitchModel,
    /// Ask the person's other service.
    SwitchProvider,
    /// Ask again with the oldest part of the conversation summed up; never without the spec.
    ShrinkContext,
    /// Ask with the spec and what is remembered, and none of the conversation so far.
    StartAfresh,
    /// Keep what can be read of the broken part and leave out the rest.
    Repair,
    /// Ask again, only for the part that is broken.
    AskPartAgain,
    /// Start the local engine afresh.
    RestartEngine,
    /// Build a damaged index anew from what it is an index of.
    RebuildIndex,
    /// Go on with the newest good backup.
    ReopenBackup,
    /// Keep the message, and send it when the network is back.
    Queue,
    /// Answer with what is remembered alone, and say so.
    AnswerFromMemory,
    /// Tell the person, who alone can do something.
    AskPerson,
}

impl Remedy {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Wait,
        Self::Retry,
        Self::Resume,
        Self::Regenerate,
        Self::SwitchModel,
        Self::SwitchProvider,
        Self::ShrinkContext,
        Self::StartAfresh,
        Self::Repair,
        Self::AskPartAgain,
        Self::RestartEngine,
        Self::RebuildIndex,
        Self::ReopenBackup,
        Self::Queue,
        Self::AnswerFromMemory,
        Self::AskPerson,
    ];

    /// A stable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Retry => "retry",
            Self::Resume => "resume",
            Self::Regenerate => "regenerate",
            Self::SwitchModel => "switch_model",
            Self::SwitchProvider => "switch_provider",
            Self::ShrinkContext => "shrink_context",
            Self::StartAfresh => "start_afresh",
            Self::Repair => "repair",
            Self::AskPartAgain => "ask_part_again",
            Self::RestartEngine => "restart_engine",
            Self::RebuildIndex => "rebuild_index",
            Self::ReopenBackup => "reopen_backup",
            Self::Queue => "queue",
            Self::AnswerFromMemory => "answer_from_memory",
            Self::AskPerson => "ask_person",
        }
    }

    /// The remedy with a code.
    pub fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|remedy| remedy.code() == code)
    }

    /// What is done, in words for people; the strategy of a learned procedure.
    pub fn strategy(self) -> &'static str {
        match self {
            Self::Wait => "Wait a little (as long as it asks, where it does), then ask again",
            Self::Retry => "Ask again at once",
            Self::Resume => "Keep what came and ask for the rest",
            Self::Regenerate => "Take the answer back and ask for another one",
            Self::SwitchModel => "Ask your other model",
            Self::SwitchProvider => "Ask your other service",
            Self::ShrinkContext => "Sum up the older half of the conversation, then ask again",
            Self::StartAfresh => "Leave out the conversation so far; your rules and memories are told anew",
            Self::Repair => "Keep the answer and leave out the part that cannot be read",
            Self::AskPartAgain => "Keep the answer and ask again only for the part that cannot be read",
            Self::RestartEngine => "Start the built-in engine afresh, then ask again",
            Self::RebuildIndex => "Build the damaged index anew",
            Self::ReopenBackup => "Go on with the newest good backup",
            Self::Queue => "Keep the message and send it when the network is back",
            Self::AnswerFromMemory => "Answer with what is remembered alone, and say so",
            Self::AskPerson => "Ask you at once: trying again cannot help",
        }
    }
}

/// The next thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What.
    pub remedy: Remedy,
    /// How long to wait before; zero for every remedy but [`Remedy::Wait`].
    pub wait: Duration,
}

impl Step {
    /// Something that is done at once.
    pub fn now(remedy: Remedy) -> Self {
        Self { remedy, wait: Duration::ZERO }
    }

    /// A wait, and then the same question again.
    pub fn wait(wait: Duration) -> Self {
        Self { remedy: Remedy::Wait, wait }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_names_one_remedy_and_is_what_is_stored_of_it() {
        for remedy in Remedy::ALL {
            assert_eq!(Remedy::of_code(remedy.code()), Some(remedy));
            assert_eq!(serde_json::to_string(&remedy).unwrap(), format!("\"{}\"", remedy.code()));
        }
        assert_eq!(Remedy::of_code("wait_and_retry"), None);
    }
}
