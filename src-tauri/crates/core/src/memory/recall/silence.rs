//! When nothing relevant is known: better nothing than a neighbour.

use crate::memory::recall::features::Feature;
use crate::memory::recall::rank::Candidate;
use crate::memory::recall::weights::Column;

/// How many of the best are asked for evidence.
const BEST: usize = 10;
/// By words alone, a question must find so much of its meaning in one memory.
const LEAST_COVERAGE: f32 = 0.41;

/// What the passages that were found show of the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The largest share of its meaning whose terms one passage holds; nothing where they are about another thing of the person's.
    /// Asked only where there is no model.
    pub coverage: f32,
    /// The largest share whose terms stand near each other, among all.
    pub near: f32,
    /// The largest share that one session holds in nearly the same words.
    pub session: f32,
    /// The largest cosine of a sum of words.
    pub sum: f32,
    /// The largest cosine of a sentence.
    pub sentence: f32,
    /// The most that one of the best has of both, nearly the same words and meaning.
    pub both: f32,
    /// The highest score.
    pub best: f32,
    /// The mean score of the best.
    pub mean: f32,
    /// The share of its meaning that stands nowhere in memory.
    pub unknown: f32,
    /// 1 where it asks about a name that stands nowhere in memory, and about nobody who spoke.
    pub unknown_name: f32,
}

/// What is known of a question besides what it finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    /// See [`Evidence::coverage`].
    pub coverage: f32,
    /// See [`Evidence::unknown`].
    pub unknown: f32,
    /// See [`Evidence::unknown_name`].
    pub unknown_name: bool,
}

impl Evidence {
    /// The evidence of what was found: features and scores, the best first.
    pub fn of(found: &[(&[f32], f32)], asked: Asked) -> Self {
        let most = |feature: Feature| found.iter().map(|(features, _)| features[feature as usize]).fold(0.0, f32::max);
        let best = &found[..found.len().min(BEST)];
        let both = |features: &[f32]| features[Feature::Sentence as usize] * features[Feature::AlikeAround as usize];
        Self {
            coverage: asked.coverage,
            near: most(Feature::CoverageNear),
            session: most(Feature::SessionAlike),
            sum: most(Feature::Sum),
            sentence: most(Feature::Sentence),
            both: best.iter().map(|(features, _)| both(features)).fold(0.0, f32::max),
            best: best.first().map_or(0.0, |(_, score)| *score),
            mean: best.iter().map(|(_, score)| score).sum::<f32>() / best.len().max(1) as f32,
            unknown: asked.unknown,
            unknown_name: if asked.unknown_name { 1.0 } else { 0.0 },
        }
    }

    /// As numbers, for [`WEIGHTS`]; the last is always one.
    pub fn values(&self) -> [f32; 10] {
        [
            self.near,
            self.session,
            self.sum,
            self.sentence,
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
        let weights = match column {
            Column::Whole => &WEIGHTS[0],
            Column::WithoutSentences => &WEIGHTS[1],
            Column::WordsAlone => return self.coverage < LEAST_COVERAGE,
        };
        self.values().iter().zip(weights).map(|(value, weight)| value * weight).sum::<f32>() < 0.0
    }
}

/// The weights of the evidence, found together with those of [`weights`](super::weights): they tell questions asked of the right
/// memory from questions asked of somebody else's, whether those name somebody unknown or not. The cut is where silence
/// costs one or two of a thousand hits.
const WEIGHTS: [[f32; 10]; 2] = [
    [-0.456, -1.465, -3.404, 0.037, 0.641, 1.118, 0.182, -3.793, -3.122, -3.089],
    [0.113, -1.161, -2.387, 0.000, 0.000, 0.986, 0.286, -4.022, -3.511, -2.043],
];

/// Whether a passage shows anything of the question itself. By meaning everything is a little near, and its place says how
/// near; by words alone what only stands beside a hit says nothing, unless it answers.
pub(in crate::memory) fn shows_something(candidate: &Candidate, column: Column) -> bool {
    column != Column::WordsAlone || candidate.held != 0 || candidate.feature(Feature::Answers) > 0.0
}

/// What is so much less likely than the best is not told beside it.
pub(in crate::memory) const SPREAD: f32 = 12.0;
