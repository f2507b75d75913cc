//! All weights of recall, in one place, and how they were found.
//!
//! A passage's score is the sum of its features, each times its weight: the logarithm of the odds that it is what the question
//! asks for. The weights are those that make labelled evidence most likely beside everything else that the same
//! question finds, in small memories and in a large one at once:
//!
//! ```text
//! cargo run --release --bin recall -- --data DIR --pool FILE --fit
//! ```
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
    Weight(Feature::Words, [0.206, 0.102, 0.000]),
    Weight(Feature::WordsOfBest, [1.368, 0.999, 1.853]),
    Weight(Feature::OnlyAlike, [3.714, 5.156, 0.000]),
    Weight(Feature::Before, [0.000, 0.166, 0.320]),
    Weight(Feature::After, [0.000, 0.699, 0.000]),
    Weight(Feature::Before2, [0.000, 0.706, 0.813]),
    Weight(Feature::CoverageNear, [3.745, 3.537, 5.451]),
    Weight(Feature::AlikeAround, [0.796, 0.377, 0.000]),
    Weight(Feature::Answers, [0.000, 0.540, 1.789]),
    Weight(Feature::SessionAlike, [0.179, 1.126, 0.000]),
    Weight(Feature::Sum, [0.581, 3.162, 0.000]),
    Weight(Feature::SumBefore, [1.384, 0.386, 0.000]),
    Weight(Feature::SumNear, [0.000, 1.559, 0.000]),
    Weight(Feature::SessionSum, [0.000, 1.074, 0.000]),
    Weight(Feature::Sentence, [2.510, 0.000, 0.000]),
    Weight(Feature::SentenceAfter, [0.854, 0.000, 0.000]),
    Weight(Feature::SentenceBefore2, [1.304, 0.000, 0.000]),
    Weight(Feature::SentenceAfter2, [1.026, 0.000, 0.000]),
    Weight(Feature::AnswersAlike, [0.923, 1.167, 0.000]),
    Weight(Feature::AnswersSentence, [1.920, 0.000, 0.000]),
    Weight(Feature::SessionSentence, [4.986, 0.000, 0.000]),
    Weight(Feature::Speaker, [1.139, 1.316, 0.864]),
    Weight(Feature::OnlySpeaker, [0.776, 1.154, 0.864]),
    Weight(Feature::SpeakerSentence, [2.517, 0.000, 0.000]),
    Weight(Feature::SpeakerAsks, [-0.966, -0.849, -0.456]),
    Weight(Feature::EndsAsking, [-0.296, -0.242, -0.346]),
    Weight(Feature::FollowsQuestion, [-0.236, 0.166, 0.170]),
    Weight(Feature::Brief, [-0.097, 0.997, 1.220]),
    Weight(Feature::Length, [-0.055, 0.127, 0.296]),
    Weight(Feature::TellsTime, [2.366, 2.057, 2.026]),
    Weight(Feature::TellsNumber, [2.321, 1.450, 1.849]),
    Weight(Feature::TellsName, [3.005, 2.678, 1.500]),
    Weight(Feature::InPeriod, [3.450, 2.971, 3.989]),
    Weight(Feature::LargeFitsSum, [1.882, 4.092, 0.000]),
    Weight(Feature::LargeFitsSentence, [6.035, 0.000, 0.000]),
    Weight(Feature::LargeCoverageNear, [0.696, 0.000, 0.000]),
    Weight(Feature::LargeSessionAlike, [2.438, 1.127, 0.000]),
    Weight(Feature::LargeSumNear, [0.000, 2.509, 0.000]),
    Weight(Feature::LargeSessionSum, [1.034, 0.351, 0.000]),
    Weight(Feature::LargeSentenceNear, [3.934, 0.000, 0.000]),
    Weight(Feature::LargeSpeaker, [1.895, 1.235, 0.000]),
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
