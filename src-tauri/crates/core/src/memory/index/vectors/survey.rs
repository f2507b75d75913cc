//! The first look at all of memory for one question: cheap enough to be given to everything, good enough to choose the few
//! hundred passages that are looked at closely.
//!
//! What is said beside a passage says much about it: an answer stands beside its question. So likeness is smoothed along each
//! conversation before the best are chosen. Measured on the conversations of LoCoMo (Maharana et al., ACL 2024) in a store of
//! 100,000 lines recombined from the same words: of the evidence, the best 400 by each measure alone hold 57 % by sentences and
//! 64 % by words; the best 250 of the smoothed sum hold 88 %.

use super::codes::{Similarity, differing};
use super::rows::{Fits, Rows};
use super::{Direction, Space};
use crate::embedding::{BITS_STATIC, BITS_TRANSFORMER};
use crate::memory::index::passage::{OwnerKind, PassageId, speaker_code};

/// A question to the first look.
#[derive(Debug, Clone, Copy)]
pub struct Survey<'a> {
    /// Passages that hold words of it, ascending, with the share of its meaning that they hold, from 0 to 1.
    pub words: &'a [(PassageId, f32)],
    /// The question as a direction, in each space for which there is a model.
    pub directions: &'a [Direction],
    /// The speakers that it names.
    pub named: &'a [String],
    /// As many messages are looked at closely; of each other kind [`FEW`].
    pub most: usize,
}

/// As many facts, episodes and procedures each are looked at closely.
pub const FEW: usize = 64;
/// So many places before and after a passage are told with it.
pub const AROUND: usize = 4;

/// How like the question passages are around one place, from [`AROUND`] before to as many after. `None`: nothing is there, or
/// it is not read yet.
pub type Window = [Option<f32>; 2 * AROUND + 1];

/// A passage that is worth a closer look.
#[derive(Debug, Clone, PartialEq)]
pub struct Surveyed {
    /// Which.
    pub passage: PassageId,
    /// The sum that chose it.
    pub score: f32,
    /// By sums of words; near the cosine.
    pub sums: Window,
    /// By sentences; near the cosine.
    pub sentences: Window,
    /// How like its neighbours it is, by sums of words; as most are, where it has none.
    pub fits_sum: f32,
    /// The same by sentences.
    pub fits_sentence: f32,
}

/// How much words, sums of words and sentences count in the first look.
const WORDS: f32 = 1.0;
const SUM: f32 = 1.0;
const SENTENCE: f32 = 2.0;
/// Sums, where there are no sentences.
const SUM_ALONE: f32 = 2.0;
/// How much passages one and two places away count.
const NEXT: f32 = 0.5;
const NEXT_BUT_ONE: f32 = 0.25;
/// How much it counts that a speaker is named.
const NAMED: f32 = 0.6;
/// How much it counts that a passage fits those beside it.
const FITS: f32 = 2.0;

/// The best passages, each kind by itself.
pub(super) fn survey(shelves: &[Rows], models: [Option<u32>; 2], asked: &Survey<'_>) -> Vec<Surveyed> {
    let mut best = Vec::new();
    for (kind, rows) in shelves.iter().enumerate() {
        let is_talk = kind == OwnerKind::Message as usize;
        let look = Look::at(rows, models, asked);
        let scores = if is_talk { look.smoothed(asked.named) } else { look.raw.clone() };
        let most = if is_talk { asked.most } else { FEW };
        best.extend(best_of(&scores, most).into_iter().map(|at| look.surveyed(at, scores[at])));
    }
    best.extend(unread(shelves, asked));
    best
}

/// What a question is like in one kind of memory.
struct Look<'a> {
    rows: &'a Rows,
    sum: Option<Signs<BITS_STATIC>>,
    sentence: Option<Signs<BITS_TRANSFORMER>>,
    /// By itself, for each row.
    raw: Vec<f32>,
}

/// A question's signs, and what each number of differing ones says.
struct Signs<const WORDS: usize> {
    signs: [u64; WORDS],
    similar: Similarity<WORDS>,
}

impl<const WORDS: usize> Signs<WORDS> {
    /// The signs of the direction in one space, if its model is the one in force.
    fn of(asked: &Survey<'_>, space: Space, model: Option<u32>) -> Option<Self> {
        let is_it = |direction: &&Direction| direction.space == space && Some(direction.model) == model;
        let direction = asked.directions.iter().find(is_it)?;
        Some(Self { signs: direction.vector.signs(), similar: Similarity::all() })
    }

    fn like(&self, code: &[u64; WORDS]) -> f32 {
        self.similar.at(differing(&self.signs, code))
    }
}

impl<'a> Look<'a> {
    fn at(rows: &'a Rows, models: [Option<u32>; 2], asked: &Survey<'_>) -> Self {
        let mut look = Self {
            rows,
            sum: Signs::of(asked, Space::Static, models[0]),
            sentence: Signs::of(asked, Space::Dense, models[1]),
            raw: Vec::new(),
        };
        look.raw = (0..rows.passages.len()).map(|at| look.likeness(at)).collect();
        look.add_words(asked.words);
        look
    }

    fn likeness(&self, at: usize) -> f32 {
        let weight = if self.sentence.is_some() { SUM } else { SUM_ALONE };
        weight * self.like_sum(at).unwrap_or(0.0) + SENTENCE * self.like_sentence(at).unwrap_or(0.0)
    }

    fn like_sum(&self, at: usize) -> Option<f32> {
        self.sum.as_ref().filter(|_| self.rows.has_sum(at)).map(|sum| sum.like(&self.rows.sums[at]))
    }

    fn like_sentence(&self, at: usize) -> Option<f32> {
        let sentence = self.sentence.as_ref().filter(|_| self.rows.has_sentence(at));
        sentence.map(|sentence| sentence.like(&self.rows.sentences[at]))
    }

    /// Both lists ascend, so one walk finds all, in steps that grow until they are too long.
    fn add_words(&mut self, words: &[(PassageId, f32)]) {
        let mut at = 0;
        for (passage, share) in words {
            let rest = &self.rows.passages[at..];
            let mut reach = 1;
            while rest.get(reach).is_some_and(|held| held < passage) {
                reach *= 2;
            }
            let from = reach / 2;
            at += from + rest[from.min(rest.len())..rest.len().min(reach + 1)].partition_point(|held| held < passage);
            if self.rows.passages.get(at) == Some(passage) {
                self.raw[at] += WORDS * share;
            }
        }
    }

    /// Each passage with what is said beside it, by whom, and whether it belongs there.
    fn smoothed(&self, named: &[String]) -> Vec<f32> {
        let named: Vec<u8> = named.iter().map(|name| speaker_code(name)).collect();
        let fits = if self.sentence.is_some() { Fits::sentence } else { Fits::sum };
        let usual = fits(&self.rows.usual_fits());
        let mut smoothed: Vec<f32> = self
            .raw
            .iter()
            .zip(&self.rows.fits)
            .map(|(raw, fit)| raw + FITS * fits(fit).or(usual).unwrap_or(0.0))
            .collect();
        for at in 0..smoothed.len() {
            let [next, next_but_one] = self.rows.goes_on(at);
            for (by, goes_on, weight) in [(1, next, NEXT), (2, next_but_one, NEXT_BUT_ONE)] {
                if goes_on {
                    smoothed[at] += weight * self.raw[at + by];
                    smoothed[at + by] += weight * self.raw[at];
                }
            }
            if !self.rows.has_any(at) && self.raw[at] == 0.0 {
                // Nothing is left of it here.
                smoothed[at] = f32::MIN;
            }
        }
        if !named.is_empty() {
            let speakers = smoothed.iter_mut().zip(&self.rows.speakers);
            speakers.filter(|(_, speaker)| named.contains(speaker)).for_each(|(score, _)| *score += NAMED);
        }
        smoothed
    }

    fn surveyed(&self, at: usize, score: f32) -> Surveyed {
        let window = |like: fn(&Self, usize) -> Option<f32>| -> Window {
            std::array::from_fn(|place| like(self, self.rows.beside(at, place as i64 - AROUND as i64)?))
        };
        let (fits, usual) = (self.rows.fits[at], self.rows.usual_fits());
        Surveyed {
            passage: self.rows.passages[at],
            score,
            sums: window(Self::like_sum),
            sentences: window(Self::like_sentence),
            fits_sum: fits.sum().or(usual.sum()).unwrap_or(0.0),
            fits_sentence: fits.sentence().or(usual.sentence()).unwrap_or(0.0),
        }
    }
}

/// The places of the highest scores above 0.
fn best_of(scores: &[f32], most: usize) -> Vec<usize> {
    let least = at_least(scores, most);
    let mut places: Vec<u32> =
        (0..scores.len() as u32).filter(|at| scores[*at as usize] > 0.0 && scores[*at as usize] >= least).collect();
    let better = |a: &u32, b: &u32| scores[*b as usize].total_cmp(&scores[*a as usize]).then(b.cmp(a));
    if places.len() > most {
        places.select_nth_unstable_by(most, better);
        places.truncate(most);
    }
    places.into_iter().map(|at| at as usize).collect()
}

/// A score that so many reach, and few more: found by counting how many lie in each of many equal steps.
fn at_least(scores: &[f32], most: usize) -> f32 {
    const STEPS: usize = 1_024;
    let highest = scores.iter().copied().fold(0.0_f32, f32::max);
    if scores.len() <= most || highest <= 0.0 {
        return 0.0;
    }
    let step = |score: f32| (score / highest * (STEPS - 1) as f32) as usize;
    let mut counts = [0_u32; STEPS];
    scores.iter().filter(|score| **score > 0.0).for_each(|score| counts[step(*score)] += 1);
    let mut reached = 0;
    let found = (0..STEPS).rev().find(|at| {
        reached += counts[*at] as usize;
        reached >= most
    });
    // One step lower, so that rounding leaves nobody out.
    found.map_or(0.0, |at| at.saturating_sub(1) as f32 / (STEPS - 1) as f32 * highest)
}

/// What holds the question's words and was read by no model yet.
fn unread(shelves: &[Rows], asked: &Survey<'_>) -> Vec<Surveyed> {
    let is_held = |passage: &PassageId| {
        shelves.get(passage.kind() as usize).is_some_and(|rows| rows.passages.binary_search(passage).is_ok())
    };
    let mut words: Vec<(PassageId, f32)> =
        asked.words.iter().filter(|(passage, _)| !is_held(passage)).copied().collect();
    if words.len() > asked.most {
        words.select_nth_unstable_by(asked.most, |(a, held_a), (b, held_b)| held_b.total_cmp(held_a).then(b.cmp(a)));
        words.truncate(asked.most);
    }
    let none = [None; 2 * AROUND + 1];
    words
        .into_iter()
        .map(|(passage, share)| Surveyed {
            passage,
            score: WORDS * share,
            sums: none,
            sentences: none,
            fits_sum: 0.0,
            fits_sentence: 0.0,
        })
        .collect()
}
