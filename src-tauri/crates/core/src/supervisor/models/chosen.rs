//! Model files elsewhere on the disk that the person chose: their paths, in a small file beside the downloaded models.
//! The files themselves are never copied, moved or deleted.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The file's name in Atlas's own folder of models.
const FILE: &str = ".chosen.json";

/// A file that the person chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Chosen {
    /// What the model is called by.
    pub(super) id: String,
    /// Where it is.
    pub(super) path: PathBuf,
}

/// The files that were chosen; none where the list cannot be read.
pub(super) fn load(folder: &Path) -> Vec<Chosen> {
    let json = std::fs::read(folder.join(FILE)).unwrap_or_default();
    serde_json::from_slice(&json).unwrap_or_default()
}

/// Saves the list: all of it, or nothing.
pub(super) fn save(folder: &Path, chosen: &[Chosen]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let json = serde_json::to_vec_pretty(chosen).expect("names and paths are plain data");
    let half = folder.join(format!("{FILE}.half"));
    std::fs::write(&half, json)?;
    std::fs::rename(half, folder.join(FILE))
}
