//! Texts as vectors, by two small models that run on this computer: text in, numbers out, and no database.
//!
//! [`StaticModel`] adds up the vectors of words: microseconds, any language that its words cover. [`Transformer`] reads the
//! whole sentence: milliseconds. Both are loaded at their first use and then kept; both may be missing or damaged, and
//! recall goes on without them. A model's `version` stands beside every vector that it made: vectors of different
//! versions are never compared.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

mod common_words;
mod error;
mod static_model;
#[cfg(test)]
pub(crate) mod tests;
mod transformer;
mod vector;

pub use error::EmbeddingError;
pub use static_model::{Least, StaticModel, StaticVector, Term, Terms};
pub use transformer::{Reading, Transformer, TransformerVector, WordInContext};
pub use vector::{BITS_STATIC, BITS_TRANSFORMER, Quantized, dot};

/// The models of a folder. Cheap to clone; all clones share what was loaded.
#[derive(Clone)]
pub struct Models {
    inner: Arc<Inner>,
}

struct Inner {
    folder: Option<PathBuf>,
    static_model: OnceLock<Result<StaticModel, EmbeddingError>>,
    transformer: OnceLock<Result<Transformer, EmbeddingError>>,
}

impl Models {
    /// The models in this folder. Nothing is read yet.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self::new(Some(folder.into()))
    }

    /// No models: everything that asks for a vector hears [`EmbeddingError::Missing`].
    pub fn none() -> Self {
        Self::new(None)
    }

    fn new(folder: Option<PathBuf>) -> Self {
        Self { inner: Arc::new(Inner { folder, static_model: OnceLock::new(), transformer: OnceLock::new() }) }
    }

    /// The model of word vectors. The first call reads it, in about a tenth of a second.
    ///
    /// Errors: [`EmbeddingError::Missing`], [`EmbeddingError::Damaged`]; they stay until the next start.
    pub fn static_model(&self) -> Result<&StaticModel, EmbeddingError> {
        self.inner.static_model.get_or_init(|| StaticModel::load(self.folder()?)).as_ref().map_err(Clone::clone)
    }

    /// The model that reads sentences. The first call reads it, in about a fifth of a second.
    ///
    /// Errors: [`EmbeddingError::Missing`], [`EmbeddingError::Damaged`]; they stay until the next start.
    pub fn transformer(&self) -> Result<&Transformer, EmbeddingError> {
        self.inner.transformer.get_or_init(|| Transformer::load(self.folder()?)).as_ref().map_err(Clone::clone)
    }

    /// The model of word vectors if it was loaded already; for who must not wait.
    pub fn loaded_static_model(&self) -> Option<&StaticModel> {
        self.inner.static_model.get()?.as_ref().ok()
    }

    /// The model that reads sentences if it was loaded already.
    pub fn loaded_transformer(&self) -> Option<&Transformer> {
        self.inner.transformer.get()?.as_ref().ok()
    }

    fn folder(&self) -> Result<&Path, EmbeddingError> {
        self.inner.folder.as_deref().ok_or(EmbeddingError::Missing("the folder of the models"))
    }
}

/// Reads one file of the folder.
fn read(folder: &Path, file: &'static str) -> Result<Vec<u8>, EmbeddingError> {
    std::fs::read(folder.join(file)).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => EmbeddingError::Missing(file),
        _ => EmbeddingError::Damaged(file),
    })
}

/// A number for a model that is made of these bytes and used in this way; never 0, which means "none yet".
fn version(method: u8, files: &[&[u8]]) -> u32 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[method]);
    for file in files {
        hasher.update(&(file.len() as u64).to_le_bytes());
        hasher.update(file);
    }
    let hash = hasher.finalize();
    let [a, b, c, d, ..] = *hash.as_bytes();
    // SQLite's integers and the bindings' numbers are signed: 31 bits are plenty.
    (u32::from_le_bytes([a, b, c, d]) >> 1).max(1)
}
