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
    Weight(Feature::Words, [0.154, 0.463, 2.297]),
    Weight(Feature::WordsOfBest, [1.228, 1.218, 0.683]),
    Weight(Feature::OnlyAlike, [3.515, 5.807, 0.000]),
    Weight(Feature::Before, [0.000, 0.724, 2.128]),
    Weight(Feature::After, [0.037, 0.702, 2.159]),
    Weight(Feature::Before2, [0.000, 0.689, 1.498]),
    Weight(Feature::CoverageNear, [3.435, 3.692, 5.099]),
    Weight(Feature::AlikeAround, [0.434, 0.324, 0.000]),
    Weight(Feature::Answers, [0.000, 0.639, 1.690]),
    Weight(Feature::SessionAlike, [0.214, 0.968, 0.000]),
    Weight(Feature::Sum, [0.480, 3.476, 0.000]),
    Weight(Feature::SumBefore, [1.307, 0.153, 0.000]),
    Weight(Feature::SumNear, [0.000, 1.456, 0.000]),
    Weight(Feature::SessionSum, [0.000, 0.886, 0.000]),
    Weight(Feature::Sentence, [1.966, 0.000, 0.000]),
    Weight(Feature::SentenceAfter, [0.819, 0.000, 0.000]),
    Weight(Feature::SentenceBefore2, [1.056, 0.000, 0.000]),
    Weight(Feature::SentenceAfter2, [0.918, 0.000, 0.000]),
    Weight(Feature::AnswersAlike, [0.765, 1.053, 0.000]),
    Weight(Feature::AnswersSentence, [1.216, 0.000, 0.000]),
    Weight(Feature::SessionSentence, [4.110, 0.000, 0.000]),
    Weight(Feature::Speaker, [0.744, 1.213, 1.475]),
    Weight(Feature::OnlySpeaker, [0.583, 0.825, 0.966]),
    Weight(Feature::SpeakerSentence, [2.153, 0.000, 0.000]),
    Weight(Feature::SpeakerAsks, [-0.816, -0.674, -0.384]),
    Weight(Feature::EndsAsking, [-0.275, -0.125, -0.088]),
    Weight(Feature::FollowsQuestion, [-0.147, 0.145, 0.366]),
    Weight(Feature::Brief, [0.249, 1.146, 0.313]),
    Weight(Feature::Length, [-0.013, 0.253, 0.000]),
    Weight(Feature::TellsTime, [2.010, 1.741, 2.108]),
    Weight(Feature::TellsNumber, [1.749, 1.697, 2.405]),
    Weight(Feature::TellsName, [2.814, 3.046, 2.602]),
    Weight(Feature::InPeriod, [2.937, 3.167, 3.061]),
    Weight(Feature::LargeFitsSum, [0.754, 4.652, 0.000]),
    Weight(Feature::LargeFitsSentence, [5.774, 0.000, 0.000]),
    Weight(Feature::LargeCoverageNear, [0.436, 0.000, 0.000]),
    Weight(Feature::LargeSessionAlike, [2.704, 1.170, 0.000]),
    Weight(Feature::LargeSumNear, [0.000, 4.033, 0.000]),
    Weight(Feature::LargeSessionSum, [0.297, 0.598, 0.000]),
    Weight(Feature::LargeSentenceNear, [2.763, 0.000, 0.000]),
    Weight(Feature::LargeSpeaker, [2.059, 1.859, 1.011]),
    Weight(Feature::InContext, [1.9, 0.0, 0.0]),
    Weight(Feature::InContextNear, [4.5, 0.0, 0.0]),
    Weight(Feature::LargeInContextNear, [0.0, 0.0, 0.0]),
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
    /// What the person once asked Atlas is like every question of its kind, and answers none.
    pub const ASKED: f32 = -3.0;
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
