//! What goes into the gate, and what comes out of it.

use std::ops::Range;

use chrono::{DateTime, FixedOffset, Utc};

use crate::memory::fact::{FactDraft, Origin};
use crate::memory::history::change::MemoryChange;
use crate::memory::relation::{SAID, USER};
use crate::memory::writing::annotation::{Annotation, Change, Stance};
use crate::store::id::{FactId, MessageId};

/// A fact that somebody proposes.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The fact.
    pub draft: FactDraft,
    /// The words of the message that say it, as the proposer gives them; none where code is to find them.
    pub quote: Option<String>,
    /// How it is meant, as the proposer says.
    pub stance: Option<Stance>,
    /// What it does to what was known, as the proposer says.
    pub change: Option<Change>,
    /// The words of the message for when.
    pub when: Option<String>,
    /// What the proposer thinks that it is about: "health".
    pub topic: Option<String>,
    /// Where it comes from. What a model took from the person's own message is [`Origin::Said`].
    pub origin: Origin,
    /// 0 to 1.
    pub confidence: f64,
    /// Why it is proposed, for the log of changes; no text of the person.
    pub why: &'static str,
}

impl Candidate {
    /// A bare fact, without a word about how it was said.
    pub fn bare(draft: FactDraft, origin: Origin, confidence: f64, why: &'static str) -> Self {
        Self { draft, quote: None, stance: None, change: None, when: None, topic: None, origin, confidence, why }
    }

    /// What a model says of the person's message.
    pub fn annotated(annotation: Annotation, why: &'static str) -> Self {
        /// How sure a fact is that a model took from a message, where it does not say.
        const TAKEN: f64 = 0.8;
        let Annotation { about, relation, value, quote, stance, change, when, topic, confidence } = annotation;
        let draft = FactDraft { subject: about, relation, value };
        let bare = Self::bare(draft, Origin::Said, confidence.unwrap_or(TAKEN), why);
        Self { quote, stance, change, when, topic, ..bare }
    }

    /// Words that are kept as they stand.
    pub fn words(words: &str, origin: Origin, confidence: f64, why: &'static str) -> Self {
        let draft = FactDraft { subject: USER.to_owned(), relation: SAID.to_owned(), value: words.to_owned() };
        Self {
            quote: Some(words.to_owned()),
            stance: Some(Stance::States),
            ..Self::bare(draft, origin, confidence, why)
        }
    }
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
    /// What else was said in the conversation, which may name somebody.
    pub conversation: &'a str,
    /// When it was said, where the person was: "tomorrow" is counted from there, however late it is read.
    pub said_at: DateTime<FixedOffset>,
    /// Parts of the text, in bytes, that the person asked not to keep or to forget.
    pub barred: &'a [Range<usize>],
}

impl<'a> Source<'a> {
    /// A text that no message of a conversation holds.
    pub fn of_text(text: &'a str, said_at: DateTime<FixedOffset>) -> Self {
        Self { message: None, text, conversation: "", said_at, barred: &[] }
    }
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A part of it is missing or says nothing.
    Empty,
    /// It is longer than a fact is.
    TooLong,
    /// Small talk, or about the conversation itself, or about the assistant.
    NotAFact,
    /// The message does not say it.
    Ungrounded,
    /// The message asks, wishes, supposes, plays or quotes it.
    NotStated,
    /// It repeats recalled memory or a model's memory block.
    Recalled,
    /// It touches this topic, which the person sealed.
    Sealed(String),
    /// The person asked not to keep it.
    Unwanted,
    /// The person had it forgotten, and has not said it again since.
    Forgotten,
    /// Only the person can decide: it comes from a document, would overrule what the person said, does not go together
    /// with it, or is not certain. It waits in Review.
    Review,
    /// The person dismissed it in Review before.
    Dismissed,
}

impl Refusal {
    /// Why it is not kept and what to do, for people.
    pub fn message(&self) -> String {
        let message = match self {
            Self::Sealed(topic) => {
                return format!("It touches “{topic}”, a topic that you sealed, so Atlas does not keep it.");
            }
            Self::Empty => "There is nothing in it to remember.",
            Self::TooLong => "That is too long for one memory. Say it in fewer words.",
            Self::NotAFact => "That tells of the conversation, not of something to remember.",
            Self::Ungrounded => "You did not say this.",
            Self::NotStated => "You did not state this: it was asked, wished, supposed or somebody else's words.",
            Self::Recalled => "That repeats what Atlas recalled; it is known already.",
            Self::Unwanted => "You asked Atlas not to keep it.",
            Self::Forgotten => "You had this forgotten. Say it again, and Atlas keeps it.",
            Self::Review => "Only you can decide about it. It waits under Memory, Review.",
            Self::Dismissed => "You dismissed it in Review.",
        };
        message.to_owned()
    }
}
