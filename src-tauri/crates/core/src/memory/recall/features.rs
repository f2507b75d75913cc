//! What a passage's place is judged by: named numbers, each with what it means.
//!
//! All are shares or cosines, so that the size of a memory does not matter.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Why a memory stands where it does, as people are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum ReasonName {
    /// It holds words of the question, or leads to them.
    Lexical,
    /// It means something near.
    Dense,
    /// It is of the time that the question names.
    Date,
    /// What stands beside it in the conversation.
    Neighbours,
    /// What the conversation was about.
    Session,
    /// Who said it.
    Speaker,
    /// What kind of sentence it is: a question tells little.
    Form,
    /// What kind of memory it is, and how sure.
    Kind,
    /// The question is about the person, and so is it.
    AboutYou,
    /// The person pinned it.
    Pin,
    /// How old it is.
    Recency,
    /// Nothing of the question: it fills the room.
    Familiar,
}

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident: $reason:ident,)*) => {
        /// A number that a passage is judged by.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Feature { $($(#[$doc])* $name,)* }

        impl Feature {
            /// All, in the order of [`Features`].
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// What people are told it is.
            pub fn reason(self) -> ReasonName {
                match self { $(Self::$name => ReasonName::$reason,)* }
            }
        }
    };
}

features! {
    // Words.
    /// BM25 of the question's terms, against the best of all that was found.
    Words: Lexical,
    /// The share of the question's meaning that it and what stands up to four places away hold, those farther away less.
    WordsAround: Neighbours,
    // Nearly the same words: each as its text means it where that was looked at, else by the vectors of words.
    /// The share of the question's meaning that it holds in nearly the same words.
    Alike: Dense,
    /// The same of it and those beside it.
    AlikeAround: Dense,
    /// The best of that in sight of its session.
    AlikeSession: Session,
    // Meaning: the cosine of sentences, or of sums of words where nobody reads sentences.
    /// How near it is.
    Meaning: Dense,
    /// How near what stands around it is.
    MeaningAround: Neighbours,
    /// The nearest in sight of its session.
    MeaningSession: Session,
    // Who said it.
    /// Somebody said it whom the question is about: whom it names, else the person.
    Speaker: Speaker,
    /// The assistant said it.
    Assistant: Speaker,
    /// The assistant said it, and the question speaks to the assistant.
    AssistantAsked: Speaker,
    // What it tells.
    /// The question asks for a time, a number or a name, and it tells one.
    Tells: Form,
    /// It is of the time that the question names.
    InPeriod: Date,
    /// It ends by asking.
    Asks: Form,
    /// How long it is.
    Length: Form,
}

/// One number for each feature.
pub type Features = [f32; Feature::ALL.len()];
