//! All weights of recall, in one place, and how they were found.
//!
//! A passage's score is the sum of its features, each times its weight: the logarithm of the odds that it is what the question
//! asks for. The weights are those that make labelled evidence most likely beside everything else that the same
//! question finds, in small memories and in a large one at once:
//!
//!     cargo run --release --bin recall -- --data DIR --pool FILE --fit
//!
//! prints this table anew, and what each conversation would get from weights that never saw it.

use crate::memory::index::vectors::{Direction, Space};
use crate::memory::recall::features::{Feature, Features};

/// Which weights are used: by what the models that are there can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Words, sums of words, sentences.
    Whole,
    /// Without the model that reads sentences.
    WithoutSentences,
    /// Without any model.
    WordsAlone,
}

impl Column {
    /// By the directions that a question has.
    pub(in crate::memory) fn of(directions: &[Direction]) -> Self {
        let has = |space: Space| directions.iter().any(|direction| direction.space == space);
        match (has(Space::Static), has(Space::Dense)) {
            (_, true) => Self::Whole,
            (true, false) => Self::WithoutSentences,
            (false, false) => Self::WordsAlone,
        }
    }
}

/// The weights of one feature, a column each.
struct Weight(Feature, [f32; 3]);

/// In the order of [`Feature::ALL`].
const WEIGHTS: &[Weight] = &[
    Weight(Feature::Words, [0.000, 0.000, 0.000]),
    Weight(Feature::Coverage, [0.000, 0.000, 0.000]),
    Weight(Feature::WordsOfBest, [1.069, 1.511, 1.853]),
    Weight(Feature::Together, [0.687, 0.509, 0.714]),
    Weight(Feature::Alike, [0.000, 0.000, 0.000]),
    Weight(Feature::OnlyAlike, [3.749, 4.798, 0.000]),
    Weight(Feature::Before, [0.000, 0.000, 0.320]),
    Weight(Feature::After, [0.000, 0.000, 0.000]),
    Weight(Feature::Before2, [0.082, 0.563, 0.813]),
    Weight(Feature::After2, [0.000, 0.000, 0.052]),
    Weight(Feature::CoverageAround, [0.000, 0.000, 0.000]),
    Weight(Feature::CoverageNear, [4.157, 4.312, 5.451]),
    Weight(Feature::WordsNear, [0.000, 0.000, 0.316]),
    Weight(Feature::AlikeBefore, [0.000, 0.000, 0.000]),
    Weight(Feature::AlikeAfter, [0.000, 0.000, 0.000]),
    Weight(Feature::AlikeAround, [0.000, 0.000, 0.000]),
    Weight(Feature::Answers, [0.000, 0.000, 1.789]),
    Weight(Feature::SessionBest, [0.000, 0.000, 1.154]),
    Weight(Feature::SessionAlike, [0.528, 0.819, 0.000]),
    Weight(Feature::Sum, [0.000, 1.716, 0.000]),
    Weight(Feature::SumBefore, [0.543, 1.032, 0.000]),
    Weight(Feature::SumAfter, [0.000, 0.000, 0.000]),
    Weight(Feature::SumNear, [0.000, 0.878, 0.000]),
    Weight(Feature::SessionSum, [1.889, 3.510, 0.000]),
    Weight(Feature::SessionSumMean, [0.000, 0.000, 0.000]),
    Weight(Feature::Sentence, [2.912, 0.000, 0.000]),
    Weight(Feature::SentenceBefore, [0.015, 0.000, 0.000]),
    Weight(Feature::SentenceAfter, [0.552, 0.000, 0.000]),
    Weight(Feature::SentenceBefore2, [0.905, 0.000, 0.000]),
    Weight(Feature::SentenceAfter2, [0.084, 0.000, 0.000]),
    Weight(Feature::AnswersAlike, [0.799, 1.709, 0.000]),
    Weight(Feature::SentenceNear, [0.000, 0.000, 0.000]),
    Weight(Feature::AnswersSentence, [2.530, 0.000, 0.000]),
    Weight(Feature::SessionSentence, [2.837, 0.000, 0.000]),
    Weight(Feature::SessionMean, [0.000, 0.000, 0.000]),
    Weight(Feature::Speaker, [0.698, 0.874, 0.864]),
    Weight(Feature::OnlySpeaker, [0.698, 0.874, 0.864]),
    Weight(Feature::SpeakerSentence, [1.519, 0.000, 0.000]),
    Weight(Feature::SpeakerAsks, [-0.384, -0.400, -0.456]),
    Weight(Feature::SaidTo, [-0.697, -0.873, -0.863]),
    Weight(Feature::IsQuestion, [0.026, 0.006, 0.010]),
    Weight(Feature::EndsAsking, [-0.438, -0.393, -0.346]),
    Weight(Feature::FollowsQuestion, [-0.549, 0.064, 0.170]),
    Weight(Feature::Brief, [1.318, 1.317, 1.220]),
    Weight(Feature::Length, [0.386, 0.384, 0.296]),
    Weight(Feature::TellsTime, [2.010, 2.073, 2.026]),
    Weight(Feature::TellsNumber, [1.832, 1.909, 1.849]),
    Weight(Feature::TellsName, [1.500, 1.500, 1.500]),
    Weight(Feature::InPeriod, [4.318, 4.149, 3.989]),
    Weight(Feature::LargeFitsSum, [0.0, 0.0, 0.0]),
    Weight(Feature::LargeFitsSentence, [0.0, 0.0, 0.0]),
    Weight(Feature::LargeCoverageNear, [0.0, 0.0, 0.0]),
    Weight(Feature::LargeSessionAlike, [0.0, 0.0, 0.0]),
    Weight(Feature::LargeSumNear, [0.0, 0.0, 0.0]),
    Weight(Feature::LargeSessionSum, [0.0, 0.0, 0.0]),
    Weight(Feature::LargeSentence, [0.0, 0.0, 0.0]),
    Weight(Feature::LargeSentenceNear, [0.0, 0.0, 0.0]),
    Weight(Feature::LargeSessionSentence, [0.0, 0.0, 0.0]),
    Weight(Feature::LargeSpeaker, [0.0, 0.0, 0.0]),
];

/// The weight of a feature.
pub fn of(feature: Feature, column: Column) -> f32 {
    let Weight(named, weights) = &WEIGHTS[feature as usize];
    debug_assert_eq!(*named, feature, "the table has the order of the features");
    weights[column as usize]
}

/// The score of a passage.
pub fn score(features: &Features, column: Column) -> f32 {
    WEIGHTS.iter().zip(features).map(|(Weight(_, weights), value)| weights[column as usize] * value).sum()
}

/// Weights that no measurement gave, in the same measure: they are small, and settle what is otherwise equal.
pub(in crate::memory) mod judged {
    /// What is known stands before what was said on the way to it; nothing stands beside it that could speak for it.
    pub const FACT: f32 = 1.5;
    /// A fact about the person, for a question that says "I".
    pub const ABOUT_YOU: f32 = 1.0;
    /// A fact that is certain.
    pub const CONFIDENT: f32 = 0.2;
    /// A pinned memory, so that it wins among equals.
    pub const PINNED: f32 = 0.3;
    /// What is of today; halved every 90 days.
    pub const RECENT: f32 = 0.2;
    /// What somebody talked about stands behind what was said.
    pub const EPISODE: f32 = -0.2;
    /// What the assistant itself said tells less than what the person said.
    pub const ASSISTANT: f32 = -0.5;
    /// What a failure taught is seldom asked for.
    pub const PROCEDURE: f32 = -0.5;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_its_weights_in_its_place() {
        let named: Vec<Feature> = WEIGHTS.iter().map(|Weight(feature, _)| *feature).collect();
        assert_eq!(named, Feature::ALL);
    }
}
