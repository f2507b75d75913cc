//! What goes into the gate, and what comes out of it.

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};

use crate::memory::fact::{FactDraft, Origin};
use crate::memory::history::change::MemoryChange;
pub use crate::memory::writing::ops::ChangeHint;
use crate::store::id::{FactId, MessageId};

/// A fact that somebody proposes.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The fact.
    pub draft: FactDraft,
    /// Where it comes from. What a model took from the person's own message is [`Origin::Said`].
    pub origin: Origin,
    /// 0 to 1.
    pub confidence: f64,
    /// What the proposer thinks that it changes.
    pub hint: Option<ChangeHint>,
    /// What the proposer thinks that it is about: "health".
    pub topic: Option<String>,
    /// Why it is proposed, for the log of changes; no text of the person.
    pub why: &'static str,
}

/// What becomes of the values that a fact which the person accepts does not go together with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Authority {
    /// They give way to it.
    #[default]
    InPlace,
    /// They stay, where the relation can hold more than one.
    Beside,
}

/// What was said.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The message that the candidate comes from, where it is stored.
    pub message: Option<MessageId>,
    /// Its text.
    pub text: &'a str,
    /// What else was said in the conversation, which may support it too.
    pub conversation: &'a str,
}

/// What holds for every candidate.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// What must never be stored, in the person's words.
    pub sealed: &'a [String],
    /// The agent's own name: what is said about it is not about the person.
    pub agent: &'a str,
    /// The moment, where the person is.
    pub now: DateTime<FixedOffset>,
}

impl Rules<'_> {
    pub(in crate::memory) fn utc(&self) -> DateTime<Utc> {
        self.now.with_timezone(&Utc)
    }

    pub(in crate::memory) fn today(&self) -> NaiveDate {
        self.now.date_naive()
    }
}

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It is new.
    Added(MemoryChange),
    /// It was known. No change where this message supported it already.
    Confirmed {
        /// What was known.
        fact: FactId,
        /// The change.
        change: Option<MemoryChange>,
    },
    /// It took the place of these, which are history now.
    Superseded {
        /// What it replaced.
        old: Vec<FactId>,
        /// The change.
        change: MemoryChange,
    },
    /// It is new, and other values of the same relation stay.
    KeptBeside(MemoryChange),
    /// It is not stored.
    Refused(Refusal),
}

impl Decision {
    /// The change that it made, if any.
    pub fn change(&self) -> Option<&MemoryChange> {
        match self {
            Self::Added(change) | Self::KeptBeside(change) | Self::Superseded { change, .. } => Some(change),
            Self::Confirmed { change, .. } => change.as_ref(),
            Self::Refused(_) => None,
        }
    }

    /// The fact that it wrote or found.
    pub fn fact(&self) -> Option<FactId> {
        match self {
            Self::Confirmed { fact, .. } => Some(*fact),
            other => other.change().and_then(|change| change.fact),
        }
    }
}

/// Why a candidate is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A part of it is missing or says nothing.
    Empty,
    /// It is longer than a fact is.
    TooLong,
    /// Small talk, or about the conversation itself, or about the assistant.
    NotAFact,
    /// Nothing in the conversation supports it.
    Ungrounded,
    /// It repeats recalled memory or a model's memory block.
    Recalled,
    /// It touches a topic that the person sealed.
    Sealed,
    /// The person had it forgotten, and has not said it again since.
    Forgotten,
    /// Only the person can decide: it comes from a document, would overrule what the person said, or does not go together
    /// with it. It waits in Review.
    Review,
    /// The person dismissed it in Review before.
    Dismissed,
}

impl Refusal {
    /// Why it is not kept and what to do, for people.
    pub fn message(self) -> &'static str {
        match self {
            Self::Empty => "There is nothing in it to remember.",
            Self::TooLong => "That is too long for one fact. Say it in fewer words.",
            Self::NotAFact => "That tells of the conversation, not of something to remember.",
            Self::Ungrounded => "Nothing in the conversation supports it.",
            Self::Recalled => "That repeats what Atlas recalled; it is known already.",
            Self::Sealed => "It touches a topic that you sealed, so Atlas does not keep it.",
            Self::Forgotten => "You had this forgotten. Say it again, and Atlas keeps it.",
            Self::Review => "Only you can decide about it. It waits under Memory, Review.",
            Self::Dismissed => "You dismissed it in Review.",
        }
    }
}
