//! The stage by meaning: a question as directions, and how near what was found is to them.

use rusqlite::Connection;
use rustc_hash::FxHashMap;

use crate::memory::index::vectors::{self, AROUND, Direction, Space, Surveyed};
use crate::memory::index::{Index, PassageId};
use crate::memory::recall::question::Question;
use crate::store::StoreError;

/// A question as a direction in each space for which there is a model.
pub(in crate::memory) fn directions(index: &Index, question: &Question) -> Vec<Direction> {
    if question.text.trim().is_empty() {
        return Vec::new();
    }
    Space::ALL.into_iter().filter_map(|space| index.direction(&question.text, space)).collect()
}

/// How near passages are to a question, from -1 to 1: measured for those that were chosen, by their signs for those around them.
#[derive(Debug, Default)]
pub(in crate::memory) struct Nearness {
    sums: FxHashMap<PassageId, f32>,
    sentences: FxHashMap<PassageId, f32>,
}

impl Nearness {
    /// Takes over what the first look saw, and measures what it chose.
    pub fn of(conn: &Connection, directions: &[Direction], chosen: &[Surveyed]) -> Result<Self, StoreError> {
        let mut near = Self::default();
        for one in chosen {
            for (place, (sum, sentence)) in one.sums.iter().zip(&one.sentences).enumerate() {
                let Some(there) = one.passage.neighbour(place as i64 - AROUND as i64) else { continue };
                near.sums.extend(sum.map(|sum| (there, sum)));
                near.sentences.extend(sentence.map(|sentence| (there, sentence)));
            }
        }
        let passages: Vec<PassageId> = chosen.iter().map(|one| one.passage).collect();
        for direction in directions {
            let measured = vectors::cosines(conn, direction, &passages)?;
            match direction.space {
                Space::Static => near.sums.extend(measured),
                Space::Dense => near.sentences.extend(measured),
            }
        }
        Ok(near)
    }

    /// Among sums of words.
    pub fn sum(&self, id: PassageId) -> f32 {
        self.sums.get(&id).copied().unwrap_or(0.0)
    }

    /// Among sentences.
    pub fn sentence(&self, id: PassageId) -> f32 {
        self.sentences.get(&id).copied().unwrap_or(0.0)
    }
}
