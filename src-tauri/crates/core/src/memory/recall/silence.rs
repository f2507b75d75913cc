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
    /// The largest share that one passage holds in nearly the same words, by itself.
    pub alike: f32,
    /// The same with what stands beside it.
    pub alike_around: f32,
    /// The largest nearness by meaning.
    pub meaning: f32,
    /// How many terms it has, as a logarithm: few are easily found.
    pub terms: f32,
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
    /// See [`Evidence::terms`].
    pub terms: f32,
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
        Self {
            coverage: asked.coverage,
            near: most(Feature::WordsAround),
            session: most(Feature::AlikeSession),
            alike: most(Feature::Alike),
            alike_around: most(Feature::AlikeAround),
            meaning: most(Feature::Meaning),
            terms: asked.terms,
            best: best.first().map_or(0.0, |(_, score)| *score),
            mean: best.iter().map(|(_, score)| score).sum::<f32>() / best.len().max(1) as f32,
            unknown: asked.unknown,
            unknown_name: if asked.unknown_name { 1.0 } else { 0.0 },
        }
    }

    /// As numbers, for [`WEIGHTS`]; the last is always one.
    pub fn values(&self) -> [f32; 11] {
        let Self { near, session, alike, alike_around, meaning, terms, best, mean, unknown, unknown_name, .. } = *self;
        [near, session, alike, alike_around, meaning, terms, best, mean, unknown, unknown_name, 1.0]
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
/// memory from questions that nothing answers and those asked of somebody else's, whether they name somebody unknown or not. The
/// cut is where silence costs four of a thousand hits.
const WEIGHTS: [[f32; 11]; 2] = [
    [-0.411, 1.697, -0.674, 1.697, 7.642, 0.943, 0.703, -0.544, -2.694, -0.960, -6.333],
    [0.116, 1.403, -0.562, -0.738, 4.244, 0.832, 0.937, -0.694, -2.670, -1.284, -3.947],
];

/// Whether a passage shows anything of the question itself. By meaning everything is a little near, and its place says how
/// near; by words alone what only stands beside a hit says nothing, unless it answers.
pub(in crate::memory) fn shows_something(candidate: &Candidate, column: Column) -> bool {
    column != Column::WordsAlone || candidate.held != 0 || candidate.answers
}

/// What is so much less likely than the best is not told beside it.
pub(in crate::memory) const SPREAD: f32 = 12.0;
