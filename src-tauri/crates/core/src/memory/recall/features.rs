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
    /// BM25 of the question's terms, as a share of all that they could say.
    Words: Lexical,
    /// Its words against the best of all that was found.
    WordsOfBest: Lexical,
    /// The share of the question's meaning of which it has nearly the same words, and not the very words.
    OnlyAlike: Lexical,
    /// The words of what was said before it.
    Before: Neighbours,
    /// The words of what was said after it.
    After: Neighbours,
    /// The words of what was said two places before it.
    Before2: Neighbours,
    /// The share of the question's meaning that it and what stands up to four places away hold, those farther away less.
    CoverageNear: Neighbours,
    /// Nearly the same words, in it and its neighbours.
    AlikeAround: Neighbours,
    /// The words of a question that it answers.
    Answers: Neighbours,
    /// The share of the question's meaning that is in sight of its session, in nearly the same words.
    SessionAlike: Session,
    /// Cosine of the sums of words.
    Sum: Dense,
    /// The same of what was said before it.
    SumBefore: Neighbours,
    /// The same up to four places away, those farther away less.
    SumNear: Neighbours,
    /// The best sum in sight of its session.
    SessionSum: Session,
    /// Cosine of the sentences.
    Sentence: Dense,
    /// The same of what was said after it.
    SentenceAfter: Neighbours,
    /// The same of what was said two places before it.
    SentenceBefore2: Neighbours,
    /// The same of what was said two places after it.
    SentenceAfter2: Neighbours,
    /// Nearly the same words in a question that it answers.
    AnswersAlike: Neighbours,
    /// The cosine of a question that it answers.
    AnswersSentence: Neighbours,
    /// The best sentence in sight of its session.
    SessionSentence: Session,
    /// Somebody said it whom the question names.
    Speaker: Speaker,
    /// The only one whom the question names said it.
    OnlySpeaker: Speaker,
    /// How near it is, where the only one whom the question names said it.
    SpeakerSentence: Speaker,
    /// The only one whom the question names asks something in it.
    SpeakerAsks: Speaker,
    /// It ends by asking.
    EndsAsking: Form,
    /// It follows a question.
    FollowsQuestion: Form,
    /// It is very short.
    Brief: Form,
    /// How long it is.
    Length: Form,
    /// The question asks when, and it tells a time.
    TellsTime: Form,
    /// The question asks how many, and it tells a number.
    TellsNumber: Form,
    /// The question asks for a name, and it tells one or more.
    TellsName: Form,
    /// It is of the time that the question names.
    InPeriod: Date,
    /// In a large memory: how well it fits those beside it, by sums of words.
    LargeFitsSum: Neighbours,
    /// In a large memory: how well it fits those beside it, by sentences.
    LargeFitsSentence: Neighbours,
    /// In a large memory: [`Self::CoverageNear`].
    LargeCoverageNear: Neighbours,
    /// In a large memory: [`Self::SessionAlike`].
    LargeSessionAlike: Session,
    /// In a large memory: [`Self::SumNear`].
    LargeSumNear: Neighbours,
    /// In a large memory: [`Self::SessionSum`].
    LargeSessionSum: Session,
    /// In a large memory: the sentences up to four places away, those farther away less.
    LargeSentenceNear: Neighbours,
    /// In a large memory: [`Self::Speaker`].
    LargeSpeaker: Speaker,
    /// The share of the question's meaning that it holds word by word, each as its text means it. Known of the best only.
    InContext: Dense,
    /// The same of it and those beside it.
    InContextNear: Dense,
}

/// One number for each feature.
pub type Features = [f32; Feature::ALL.len()];
