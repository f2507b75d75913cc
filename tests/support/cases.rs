//! The hard cases: small inputs with their right outcomes, in files.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A case and the name of its file.
#[derive(Debug, Clone)]
pub struct Case {
    /// `stream_plain`.
    pub name: String,
    /// What is in the file.
    pub content: Value,
}

/// The folders with cases: the one that `ATLAS_CASES` names, else the one that may stand beside the repository; and
/// the repository's own where neither is there.
pub fn folder() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = std::env::var_os("ATLAS_CASES").map(PathBuf::from);
    let beside = repository.join("../../shared/cases");
    let own = repository.join("fixtures/cases");
    named.or_else(|| beside.is_dir().then_some(beside)).unwrap_or(own)
}

/// The cases of a kind (`providers`, `memory`) in a folder of cases, by name.
///
/// # Panics
/// Where a file cannot be read or is no JSON.
pub fn read(folder: &Path, kind: &str) -> Vec<Case> {
    let Ok(entries) = std::fs::read_dir(folder.join(kind)) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files.iter().map(|file| read_one(file)).collect()
}

fn read_one(file: &Path) -> Case {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let content = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Case { name, content }
}
