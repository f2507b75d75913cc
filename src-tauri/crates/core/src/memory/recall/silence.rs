//! When nothing relevant is known: better nothing than a neighbour.

use crate::memory::recall::features::Feature;
use crate::memory::recall::rank::{Candidate, Ranking};
use crate::memory::recall::weights::Column;

/// How many of the best are asked for evidence.
const BEST: usize = 10;

/// What the passages that were found show of the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The largest share of its meaning whose terms one of the best holds.
    pub coverage: f32,
    /// The largest share whose terms stand near each other, among all.
    pub near: f32,
    /// The largest share that one session holds in nearly the same words.
    pub session: f32,
    /// The largest cosine of a sum of words.
    pub sum: f32,
    /// The largest cosine of a sentence.
    pub sentence: f32,
    /// The mean of the cosines of the best sentences.
    pub sentences: f32,
    /// The most that one of the best has of both, nearly the same words and meaning.
    pub both: f32,
    /// The highest score.
    pub best: f32,
    /// The mean score of the best.
    pub mean: f32,
    /// The share of its meaning that stands nowhere in memory.
    pub unknown: f32,
    /// Whether it asks about a name that stands nowhere in memory, and about nobody who spoke.
    pub unknown_name: f32,
}

impl Evidence {
    /// The evidence of a ranking.
    pub(in crate::memory) fn of(ranking: &Ranking) -> Self {
        let most =
            |of: &dyn Fn(&Candidate) -> f32, candidates: &[Candidate]| candidates.iter().map(of).fold(0.0, f32::max);
        let all = &ranking.candidates[..];
        let best = &all[..all.len().min(BEST)];
        let mean = |of: &dyn Fn(&Candidate) -> f32| best.iter().map(of).sum::<f32>() / best.len().max(1) as f32;
        let feature = |feature: Feature| move |candidate: &Candidate| candidate.feature(feature);
        let both = |candidate: &Candidate| candidate.feature(Feature::Sentence) * candidate.feature(Feature::Alike);
        Self {
            coverage: most(&feature(Feature::Coverage), best),
            near: most(&feature(Feature::CoverageNear), all),
            session: most(&feature(Feature::SessionAlike), all),
            sum: most(&feature(Feature::Sum), all),
            sentence: most(&feature(Feature::Sentence), all),
            sentences: mean(&feature(Feature::Sentence)),
            both: most(&both, best),
            best: best.first().map_or(0.0, |candidate| candidate.score),
            mean: mean(&|candidate| candidate.score),
            unknown: ranking.unknown,
            unknown_name: if ranking.asks_of_unknown_name { 1.0 } else { 0.0 },
        }
    }

    /// As numbers, for [`WEIGHTS`].
    pub fn values(&self) -> [f32; 12] {
        [
            self.coverage,
            self.near,
            self.session,
            self.sum,
            self.sentence,
            self.sentences,
            self.both,
            self.best,
            self.mean,
            self.unknown,
            self.unknown_name,
            1.0,
        ]
    }

    /// Whether it is too little.
    pub fn is_too_little(&self, column: Column) -> bool {
        let weights = &WEIGHTS[column as usize];
        self.values().iter().zip(weights).map(|(value, weight)| value * weight).sum::<f32>() < 0.0
    }
}

/// The weights of the evidence, a row for each [`Column`]; the last is for the one that is always there. They tell questions asked of
/// the right memory from questions asked of another one; by words alone it is a share that a question must reach.
const WEIGHTS: [[f32; 12]; 3] = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.41],
];

/// Whether a passage shows anything of the question itself. By meaning everything is a little near, and its place says how
/// near; by words alone what only stands beside a hit says nothing, unless it answers.
pub(in crate::memory) fn shows_something(candidate: &Candidate, column: Column) -> bool {
    column != Column::WordsAlone || candidate.held != 0 || candidate.feature(Feature::Answers) > 0.0
}

/// What is so much less likely than the best is not told beside it.
pub(in crate::memory) const SPREAD: f32 = 6.0;
