//! The signs of all vectors in memory, in the order of passages, so that neighbours of a conversation stand beside each other.

use std::cmp::Ordering;

use super::codes::{Similarity, differing};
use crate::embedding::{BITS_STATIC, BITS_TRANSFORMER};
use crate::memory::index::PassageId;

/// One passage as it is held.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Row {
    /// Who said it, as [`speaker_code`](crate::memory::index::speaker_code); 0 for nobody.
    pub speaker: u8,
    /// The signs of its sum of words, where that model has read it.
    pub sum: Option<[u64; BITS_STATIC]>,
    /// The signs of its sentence, where that model has read it.
    pub sentence: Option<[u64; BITS_TRANSFORMER]>,
}

/// All passages that a model has read, ascending.
///
/// A passage that is gone keeps its place without signs until the next load: numbers are never given twice.
#[derive(Default)]
pub(super) struct Rows {
    pub passages: Vec<PassageId>,
    pub speakers: Vec<u8>,
    pub sums: Vec<[u64; BITS_STATIC]>,
    pub sentences: Vec<[u64; BITS_TRANSFORMER]>,
    /// How well each fits those beside it; see [`Fits`].
    pub fits: Vec<Fits>,
    has: Vec<u8>,
}

const SUM: u8 = 1;
const SENTENCE: u8 = 2;

/// How like its direct neighbours a passage is, on average, in each space. A thread of talk is alike, a heap of unrelated
/// lines is not. `None` without a neighbour.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Fits {
    pub sum: Option<f32>,
    pub sentence: Option<f32>,
}

impl Rows {
    /// Adds a row with a higher number than all others.
    pub fn push(&mut self, passage: PassageId, row: Row) {
        self.passages.push(passage);
        self.speakers.push(row.speaker);
        self.sums.push(row.sum.unwrap_or_default());
        self.sentences.push(row.sentence.unwrap_or_default());
        self.has.push(has(row));
        self.fits.push(Fits::default());
    }

    /// Changes, adds or (with no signs left) empties rows.
    pub fn put(&mut self, mut rows: Vec<(PassageId, Row)>) {
        rows.sort_unstable_by_key(|(passage, _)| *passage);
        let mut late = Vec::new();
        for (passage, row) in &rows {
            match self.passages.binary_search(passage) {
                Ok(at) => self.set(at, *row),
                Err(at) if at == self.passages.len() => self.push(*passage, *row),
                Err(_) => late.push((*passage, *row)),
            }
        }
        if late.is_empty() {
            rows.iter().for_each(|(passage, _)| self.fit_around(*passage));
        } else {
            self.insert(&late);
            self.fit_all();
        }
    }

    fn fit_around(&mut self, passage: PassageId) {
        if let Ok(at) = self.passages.binary_search(&passage) {
            (at.saturating_sub(1)..self.passages.len().min(at + 2)).for_each(|near| self.fit(near));
        }
    }

    fn set(&mut self, at: usize, row: Row) {
        self.speakers[at] = row.speaker;
        self.sums[at] = row.sum.unwrap_or_default();
        self.sentences[at] = row.sentence.unwrap_or_default();
        self.has[at] = has(row);
    }

    /// Merges rows in between the others.
    fn insert(&mut self, late: &[(PassageId, Row)]) {
        let old = std::mem::take(self);
        let (mut at, mut next) = (0, late.iter().peekable());
        while at < old.passages.len() || next.peek().is_some() {
            let order = match (old.passages.get(at), next.peek()) {
                (Some(held), Some((new, _))) => held.cmp(new),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            if order == Ordering::Less {
                self.push(old.passages[at], old.row(at));
                at += 1;
            } else if let Some((passage, row)) = next.next() {
                self.push(*passage, *row);
            }
        }
    }

    fn row(&self, at: usize) -> Row {
        let held = |space: u8| self.has[at] & space != 0;
        Row {
            speaker: self.speakers[at],
            sum: held(SUM).then(|| self.sums[at]),
            sentence: held(SENTENCE).then(|| self.sentences[at]),
        }
    }

    /// Whether a place has any signs.
    pub fn has_any(&self, at: usize) -> bool {
        self.has[at] != 0
    }

    /// Whether a place has signs of sums.
    pub fn has_sum(&self, at: usize) -> bool {
        self.has[at] & SUM != 0
    }

    /// Whether a place has signs of sentences.
    pub fn has_sentence(&self, at: usize) -> bool {
        self.has[at] & SENTENCE != 0
    }

    /// The place of the passage that stands so many places further in the session of this one.
    pub fn beside(&self, at: usize, by: i64) -> Option<usize> {
        let wanted = self.passages[at].neighbour(by)?;
        let there = at.checked_add_signed(by as isize)?;
        match self.passages.get(there) {
            Some(found) if *found == wanted => Some(there),
            // Something between the two is not read yet.
            _ => self.passages.binary_search(&wanted).ok(),
        }
    }

    /// How well most fit, by sums and by sentences.
    pub fn usual_fits(&self) -> [f32; 2] {
        let usual = |of: fn(&Fits) -> Option<f32>| {
            let (sum, count) = self
                .fits
                .iter()
                .filter_map(of)
                .fold((0.0, 0.0), |(sum, count), fit| (sum + f64::from(fit), count + 1.0));
            if count > 0.0 { (sum / count) as f32 } else { 0.0 }
        };
        [usual(|fits| fits.sum), usual(|fits| fits.sentence)]
    }

    /// Measures how well every passage fits those beside it.
    pub fn fit_all(&mut self) {
        (0..self.passages.len()).for_each(|at| self.fit(at));
    }

    fn fit(&mut self, at: usize) {
        let beside = |by: i64| {
            let wanted = self.passages[at].neighbour(by)?;
            let there = at.checked_add_signed(by as isize)?;
            (self.passages.get(there) == Some(&wanted)).then_some(there)
        };
        let (before, after) = (beside(-1), beside(1));
        let mean = |of: &dyn Fn(usize) -> Option<f32>| {
            let both = [before.and_then(of), after.and_then(of)];
            let count = both.iter().flatten().count();
            (count > 0).then(|| both.iter().flatten().sum::<f32>() / count as f32)
        };
        let sum = |there: usize| {
            let both = self.has[at] & self.has[there] & SUM != 0;
            both.then(|| Similarity::<BITS_STATIC>::of(differing(&self.sums[at], &self.sums[there])))
        };
        let sentence = |there: usize| {
            let both = self.has[at] & self.has[there] & SENTENCE != 0;
            both.then(|| Similarity::<BITS_TRANSFORMER>::of(differing(&self.sentences[at], &self.sentences[there])))
        };
        self.fits[at] = Fits { sum: mean(&sum), sentence: mean(&sentence) };
    }
}

fn has(row: Row) -> u8 {
    (u8::from(row.sum.is_some()) * SUM) | (u8::from(row.sentence.is_some()) * SENTENCE)
}
