//! All weights of recall, in one place, and how they were found.
//!
//! A passage's score is the sum of its features, each times its weight: the logarithm of the odds that it is what the question
//! asks for. The weights are those that make labelled evidence most likely beside everything else that the same question
//! finds, and one command finds them anew:
//!
//! ```text
//! cargo run --release --bin recall -- --data tests/fixtures/own --fit
//! ```
//!
//! It begins at zero and draws nothing by lot, so there is no seed: the same data give the same table. These are of the data
//! whose BLAKE3 begins with 18b73a9da3ba4ad1 (the command prints it). Weights that never saw a conversation put .803 of its
//! evidence among the first ten, .721 without the model of sentences, .632 by words alone.

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
    Weight(Feature::Words, [0.314, 1.037, 2.486]),
    Weight(Feature::WordsAround, [0.795, 0.290, 1.687]),
    Weight(Feature::Alike, [2.070, 0.000, 0.136]),
    Weight(Feature::AlikeAround, [7.561, 2.488, 1.839]),
    Weight(Feature::AlikeSession, [4.581, 2.352, 2.544]),
    Weight(Feature::Meaning, [5.250, 6.445, 0.000]),
    Weight(Feature::MeaningAround, [0.696, 1.061, 0.000]),
    Weight(Feature::MeaningSession, [4.957, 4.414, 0.000]),
    Weight(Feature::Speaker, [2.004, 2.047, 2.119]),
    Weight(Feature::Assistant, [-2.003, -2.046, -2.119]),
    Weight(Feature::AssistantAsked, [4.766, 4.844, 5.620]),
    Weight(Feature::Tells, [0.494, 0.578, 0.841]),
    Weight(Feature::InPeriod, [3.576, 3.094, 2.764]),
    Weight(Feature::Asks, [-0.662, -0.616, -0.394]),
    Weight(Feature::Length, [0.693, 0.811, 0.583]),
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
    /// A fact about the person, for a question that asks for nothing else: before what its common words happen to find.
    pub const OF_THE_PERSON: f32 = 20.0;
    /// A fact that is certain.
    pub const CONFIDENT: f32 = 0.2;
    /// A pinned memory, so that it wins among equals.
    pub const PINNED: f32 = 0.3;
    /// What is of today; halved every 90 days.
    pub const RECENT: f32 = 0.2;
    /// What somebody talked about stands behind what was said.
    pub const EPISODE: f32 = -0.2;
    /// What the person once asked Atlas is like every question of its kind, and answers none.
    pub const ASKED: f32 = -8.0;
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
