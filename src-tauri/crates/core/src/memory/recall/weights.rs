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
//! prints this table anew, and what each conversation would get from weights that never saw it. The last column alone is older:
//! newer fits of it have larger weights of what was said right before and after, and in a talk with an assistant, unlike in
//! one between friends, that is often about something else.

use crate::memory::index::vectors::{AROUND, Direction, Space, Surveyed};
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
    /// By the directions that a question has, and by what its models have read of what was chosen: what is not read yet has no
    /// part in a measure that counts on it.
    pub(in crate::memory) fn of(directions: &[Direction], chosen: &[Surveyed]) -> Self {
        let knows = |space: Space, likeness: fn(&Surveyed) -> Option<f32>| {
            let unread = chosen.iter().filter(|one| likeness(one).is_none()).count();
            directions.iter().any(|direction| direction.space == space) && unread * MOST_UNREAD <= chosen.len()
        };
        match (knows(Space::Static, |one| one.sums[AROUND]), knows(Space::Dense, |one| one.sentences[AROUND])) {
            (_, true) => Self::Whole,
            (true, false) => Self::WithoutSentences,
            (false, false) => Self::WordsAlone,
        }
    }
}

/// One in so many passages may wait for its vector; a new message always does for a moment.
const MOST_UNREAD: usize = 10;

/// The weights of one feature, a column each.
struct Weight(Feature, [f32; 3]);

/// In the order of [`Feature::ALL`].
const WEIGHTS: &[Weight] = &[
    Weight(Feature::Words, [0.000, 0.727, 0.000]),
    Weight(Feature::WordsOfBest, [0.656, 1.145, 1.853]),
    Weight(Feature::OnlyAlike, [0.897, 4.707, 0.000]),
    Weight(Feature::Before, [0.000, 0.339, 0.320]),
    Weight(Feature::After, [0.000, 0.338, 0.000]),
    Weight(Feature::Before2, [0.509, 0.534, 0.813]),
    Weight(Feature::CoverageNear, [2.355, 3.708, 5.451]),
    Weight(Feature::AlikeAround, [0.000, 0.812, 0.000]),
    Weight(Feature::Answers, [0.000, 0.000, 1.789]),
    Weight(Feature::SessionAlike, [0.599, 1.212, 0.000]),
    Weight(Feature::Sum, [0.000, 2.479, 0.000]),
    Weight(Feature::SumBefore, [1.238, 1.104, 0.000]),
    Weight(Feature::SumNear, [0.000, 1.403, 0.000]),
    Weight(Feature::SessionSum, [1.098, 1.349, 0.000]),
    Weight(Feature::Sentence, [0.008, 0.000, 0.000]),
    Weight(Feature::SentenceAfter, [0.529, 0.000, 0.000]),
    Weight(Feature::SentenceBefore2, [0.875, 0.000, 0.000]),
    Weight(Feature::SentenceAfter2, [0.487, 0.000, 0.000]),
    Weight(Feature::AnswersAlike, [0.976, 1.358, 0.000]),
    Weight(Feature::AnswersSentence, [1.809, 0.000, 0.000]),
    Weight(Feature::SessionSentence, [3.262, 0.000, 0.000]),
    Weight(Feature::Speaker, [0.816, 1.232, 0.864]),
    Weight(Feature::OnlySpeaker, [0.777, 1.209, 0.864]),
    Weight(Feature::SpeakerSentence, [3.210, 0.000, 0.000]),
    Weight(Feature::SpeakerAsks, [-0.512, -0.560, -0.456]),
    Weight(Feature::EndsAsking, [-0.428, -0.328, -0.346]),
    Weight(Feature::FollowsQuestion, [-0.373, 0.220, 0.170]),
    Weight(Feature::Brief, [0.211, 1.122, 1.220]),
    Weight(Feature::Length, [-0.029, 0.206, 0.296]),
    Weight(Feature::TellsTime, [1.906, 1.950, 2.026]),
    Weight(Feature::TellsNumber, [2.085, 1.964, 1.849]),
    Weight(Feature::TellsName, [2.205, 2.969, 1.500]),
    Weight(Feature::InPeriod, [3.281, 3.236, 3.989]),
    Weight(Feature::LargeFitsSum, [0.887, 4.175, 0.000]),
    Weight(Feature::LargeFitsSentence, [4.531, 0.000, 0.000]),
    Weight(Feature::LargeCoverageNear, [0.199, 0.000, 0.000]),
    Weight(Feature::LargeSessionAlike, [1.178, 0.823, 0.000]),
    Weight(Feature::LargeSumNear, [1.574, 3.316, 0.000]),
    Weight(Feature::LargeSessionSum, [0.291, 0.776, 0.000]),
    Weight(Feature::LargeSentenceNear, [3.217, 0.000, 0.000]),
    Weight(Feature::LargeSpeaker, [1.263, 1.258, 0.000]),
    Weight(Feature::InContext, [2.652, 0.000, 0.000]),
    Weight(Feature::InContextNear, [4.948, 0.000, 0.000]),
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
