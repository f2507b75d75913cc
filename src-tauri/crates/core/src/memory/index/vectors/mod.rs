//! Passages as vectors: which there are, which are near, and how near.
//!
//! The database has each vector in eight bits a dimension, and its signs; the signs of all are in memory too. A [`Survey`] of
//! the signs says which few hundred passages are worth a closer look, [`cosines`] how near those are; [`words`] compares the
//! best of them word by word. The work of making vectors is in [`queue`].

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::passage::PassageId;
use crate::embedding::{EmbeddingError, Models, Quantized};
use crate::store::StoreError;

mod codes;
pub mod queue;
mod resident;
mod rows;
mod survey;
#[cfg(test)]
mod tests;
pub mod words;

pub(super) use resident::Resident;
pub use survey::{AROUND, Survey, Surveyed, Window};
use words::AskedWord;

/// The spaces that vectors are in. Vectors of different spaces have nothing to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// Sums of the vectors of words: there at once.
    Static,
    /// What the transformer makes of a sentence: there a little later.
    Dense,
}

impl Space {
    /// Both, the quick one first.
    pub const ALL: [Self; 2] = [Self::Static, Self::Dense];

    /// The number of the model that fills this space.
    ///
    /// Errors: the model is missing or damaged.
    pub fn model(self, models: &Models) -> Result<u32, EmbeddingError> {
        match self {
            Self::Static => models.static_model().map(|model| model.version()),
            Self::Dense => models.transformer().map(|model| model.version()),
        }
    }

    /// A text as it is kept in this space; `None` for a text without direction: no word that the model knows. For work that
    /// nobody waits for: a question need not wait for it either.
    ///
    /// Errors: the model is missing or damaged, or failed at this text.
    fn read(self, models: &Models, text: &str) -> Result<Option<Kept>, EmbeddingError> {
        match self {
            Self::Static => {
                let vector = Quantized::of(&models.static_model()?.embed(text));
                Ok(vector.map(|vector| Kept { vector, words: Vec::new() }))
            }
            Self::Dense if text.trim().is_empty() => Ok(None),
            Self::Dense => {
                let reading = models.transformer()?.read_in_background(text)?;
                let words = words::codes(text, &reading.words);
                Ok(Quantized::of(&reading.whole).map(|vector| Kept { vector, words }))
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Dense => "dense",
        }
    }

    fn table(self) -> &'static str {
        match self {
            Self::Static => "static_vectors",
            Self::Dense => "dense_vectors",
        }
    }
}

/// A text in one space, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The vector.
    pub vector: Quantized,
    /// The [codes](words::codes) of its words, where the model knows them in their context; else nothing.
    pub words: Vec<u8>,
}

/// A text in one space, ready to be compared with what is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Direction {
    /// The space.
    pub space: Space,
    /// The model that made it.
    pub model: u32,
    /// The vector.
    pub vector: Quantized,
    /// Its words, where the model knows them in their context.
    pub words: Vec<AskedWord>,
}

impl Direction {
    /// A text as a direction. `None` without the model, or for a text without direction.
    pub fn of(text: &str, space: Space, models: &Models) -> Option<Self> {
        let model = space.model(models).ok()?;
        let (vector, words) = match space {
            Space::Static => (Quantized::of(&models.static_model().ok()?.embed(text)), Vec::new()),
            Space::Dense if text.trim().is_empty() => return None,
            Space::Dense => {
                let reading = models.transformer().ok()?.read(text).ok()?;
                (Quantized::of(&reading.whole), words::asked(text, &reading.words))
            }
        };
        Some(Self { space, model, vector: vector?, words })
    }
}

/// The cosines of passages with a direction. Passages that the direction's model has not read are left out.
///
/// Passages that stand beside each other are read in one go, so asking for neighbours too costs little.
pub fn cosines(
    conn: &Connection,
    direction: &Direction,
    passages: &[PassageId],
) -> Result<HashMap<PassageId, f32>, StoreError> {
    let mut cosines = HashMap::with_capacity(passages.len());
    each(conn, "vector", direction.space, direction.model, passages, |passage, bytes| {
        if let Some(cosine) = direction.vector.cosine_with(bytes) {
            cosines.insert(passage, cosine);
        }
    })?;
    Ok(cosines)
}

/// What is kept of passages in one space, as far as its model in force has read them.
pub fn kept_of(
    conn: &Connection,
    space: Space,
    passages: &[PassageId],
) -> Result<HashMap<PassageId, Kept>, StoreError> {
    let Some(model) = in_force(conn, space)? else { return Ok(HashMap::new()) };
    let mut kept = HashMap::with_capacity(passages.len());
    each(conn, "vector", space, model, passages, |passage, bytes| {
        let vector = Quantized::from_bytes(bytes.to_vec());
        kept.extend(vector.map(|vector| (passage, Kept { vector, words: Vec::new() })));
    })?;
    each(conn, "words", space, model, passages, |passage, bytes| {
        if let Some(kept) = kept.get_mut(&passage) {
            kept.words = bytes.to_vec();
        }
    })?;
    Ok(kept)
}

/// The model in force in a space; `None` before the first.
pub fn in_force(conn: &Connection, space: Space) -> Result<Option<u32>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT model FROM vector_models WHERE space = :space")?;
    Ok(statement.query_row(named_params! { ":space": space.name() }, |row| row.get("model")).optional()?)
}

/// Hands over what a column has of each passage that the model has read.
fn each(
    conn: &Connection,
    column: &'static str,
    space: Space,
    model: u32,
    passages: &[PassageId],
    mut found: impl FnMut(PassageId, &[u8]),
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT passage_id, model, {column} FROM {} WHERE passage_id BETWEEN ?1 AND ?2",
        space.table()
    ))?;
    // By place: thousands of rows are read for a question, and names would be looked up for each.
    for (first, last) in runs(passages) {
        let mut rows = statement.query((first, last))?;
        while let Some(row) = rows.next()? {
            if row.get::<_, u32>(1)? == model {
                let bytes = row.get_ref(2)?.as_blob().map_err(|_| StoreError::Corrupt)?;
                found(row.get(0)?, bytes);
            }
        }
    }
    Ok(())
}

/// Numbers as runs without a gap, ascending, each number once.
fn runs(passages: &[PassageId]) -> Vec<(PassageId, PassageId)> {
    let mut sorted = passages.to_vec();
    sorted.sort_unstable();
    let mut runs: Vec<(PassageId, PassageId)> = Vec::new();
    for passage in sorted {
        match runs.last_mut() {
            Some((_, last)) if passage.0 <= last.0 + 1 => *last = passage,
            _ => runs.push((passage, passage)),
        }
    }
    runs
}
