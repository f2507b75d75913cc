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
/// A passage that is gone keeps its place without signs until it comes back or all are loaded anew.
#[derive(Default)]
pub(super) struct Rows {
    pub passages: Vec<PassageId>,
    pub speakers: Vec<u8>,
    pub sums: Vec<[u64; BITS_STATIC]>,
    pub sentences: Vec<[u64; BITS_TRANSFORMER]>,
    /// How well each fits those beside it; see [`Fits`].
    pub fits: Vec<Fits>,
    /// What is known of each, as bits.
    known: Vec<u8>,
    usual: [Mean; 2],
}

/// It has signs of its sum, of its sentence.
const SUM: u8 = 1;
const SENTENCE: u8 = 2;
/// The row after it is the next in its session, the row after that the next but one.
const NEXT: u8 = 4;
const NEXT_BUT_ONE: u8 = 8;

/// How like its direct neighbours a passage is, on average, in each space. A thread of talk is alike, a heap of unrelated
/// lines is not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fits {
    /// Not a number: without a neighbour.
    sum: f32,
    sentence: f32,
}

impl Default for Fits {
    fn default() -> Self {
        Self { sum: f32::NAN, sentence: f32::NAN }
    }
}

impl Fits {
    fn of(sum: Option<f32>, sentence: Option<f32>) -> Self {
        Self { sum: sum.unwrap_or(f32::NAN), sentence: sentence.unwrap_or(f32::NAN) }
    }

    /// Among sums of words; `None` without a neighbour.
    pub fn sum(&self) -> Option<f32> {
        (!self.sum.is_nan()).then_some(self.sum)
    }

    /// Among sentences.
    pub fn sentence(&self) -> Option<f32> {
        (!self.sentence.is_nan()).then_some(self.sentence)
    }
}

/// A mean that follows its numbers.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn change(&mut self, before: Option<f32>, after: Option<f32>) {
        let [before, after] =
            [before, after].map(|number| number.map_or((0.0, 0.0), |number| (f64::from(number), 1.0)));
        self.sum += after.0 - before.0;
        self.count += after.1 - before.1;
    }

    fn get(self) -> Option<f32> {
        (self.count > 0.0).then(|| (self.sum / self.count) as f32)
    }
}

impl Rows {
    /// Adds a row with a higher number than all others.
    pub fn push(&mut self, passage: PassageId, row: Row) {
        for (back, link) in [(1, NEXT), (2, NEXT_BUT_ONE)] {
            if let Some(at) = self.passages.len().checked_sub(back)
                && self.passages[at].neighbour(back as i64) == Some(passage)
            {
                self.known[at] |= link;
            }
        }
        self.passages.push(passage);
        self.speakers.push(row.speaker);
        self.sums.push(row.sum.unwrap_or_default());
        self.sentences.push(row.sentence.unwrap_or_default());
        self.known.push(signs(row));
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
        self.known[at] = self.known[at] & (NEXT | NEXT_BUT_ONE) | signs(row);
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
        let held = |space: u8| self.known[at] & space != 0;
        Row {
            speaker: self.speakers[at],
            sum: held(SUM).then(|| self.sums[at]),
            sentence: held(SENTENCE).then(|| self.sentences[at]),
        }
    }

    /// Whether a place has any signs.
    pub fn has_any(&self, at: usize) -> bool {
        self.known[at] & (SUM | SENTENCE) != 0
    }

    /// Whether the row after a place is the next in its session, and the row after that the next but one.
    pub fn goes_on(&self, at: usize) -> [bool; 2] {
        [NEXT, NEXT_BUT_ONE].map(|link| self.known[at] & link != 0)
    }

    /// Whether a place has signs of sums.
    pub fn has_sum(&self, at: usize) -> bool {
        self.known[at] & SUM != 0
    }

    /// Whether a place has signs of sentences.
    pub fn has_sentence(&self, at: usize) -> bool {
        self.known[at] & SENTENCE != 0
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

    /// How well most fit.
    pub fn usual_fits(&self) -> Fits {
        Fits::of(self.usual[0].get(), self.usual[1].get())
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
            let both = self.known[at] & self.known[there] & SUM != 0;
            both.then(|| Similarity::<BITS_STATIC>::of(differing(&self.sums[at], &self.sums[there])))
        };
        let sentence = |there: usize| {
            let both = self.known[at] & self.known[there] & SENTENCE != 0;
            both.then(|| Similarity::<BITS_TRANSFORMER>::of(differing(&self.sentences[at], &self.sentences[there])))
        };
        let (fits, before) = (Fits::of(mean(&sum), mean(&sentence)), self.fits[at]);
        self.usual[0].change(before.sum(), fits.sum());
        self.usual[1].change(before.sentence(), fits.sentence());
        self.fits[at] = fits;
    }
}

fn signs(row: Row) -> u8 {
    (u8::from(row.sum.is_some()) * SUM) | (u8::from(row.sentence.is_some()) * SENTENCE)
}
