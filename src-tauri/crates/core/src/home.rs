//! Where Atlas keeps things on disk: the only place that knows folder and file names.

use std::path::{Path, PathBuf};

/// The folder name under the system's data directory; the same as the desktop app's identifier, so that
/// everything Atlas keeps is in one place.
pub const FOLDER: &str = "app.atlas.desktop";

/// The agent that the shells open, while there is one.
pub const AGENT: &str = "atlas";

/// The folder of the models that memory is searched with, beside the app's own files.
pub const EMBEDDING: &str = "embedding";

/// Where the models are that memory is searched with: `ATLAS_EMBEDDING` where that is set, else among the app's
/// `resources`, else in the source tree that this program was built in. It may not be there.
pub fn embedding_models(resources: Option<&Path>) -> PathBuf {
    if let Some(folder) = std::env::var_os("ATLAS_EMBEDDING") {
        return folder.into();
    }
    let program = std::env::current_exe().ok();
    let beside = resources.into_iter().chain(program.as_deref().and_then(Path::parent));
    let above = program.iter().flat_map(|program| program.ancestors().skip(1));
    let in_source = above.map(|folder| folder.join("src-tauri").join(EMBEDDING));
    let mut places = beside.map(|folder| folder.join(EMBEDDING)).chain(in_source).peekable();
    let first = places.peek().cloned().unwrap_or_default();
    // The folder is there without the models too, in a source tree that nobody set up.
    places.find(|folder| folder.join("wordllama.safetensors").exists()).unwrap_or(first)
}

/// The root of everything that Atlas keeps.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
    /// A folder of models that the person shares with other programs.
    shared_models: Option<PathBuf>,
}

impl Home {
    /// The person's own Atlas: `ATLAS_HOME` where that is set, else the system's data directory
    /// (`~/.local/share` on Linux). `None` where the system names no such directory. `ATLAS_MODELS` can name another
    /// folder of models.
    pub fn of_this_user() -> Option<Self> {
        let root =
            std::env::var_os("ATLAS_HOME").map(PathBuf::from).or_else(|| Some(dirs::data_dir()?.join(FOLDER)))?;
        Some(Self { root, shared_models: std::env::var_os("ATLAS_MODELS").map(PathBuf::from) })
    }

    /// An Atlas in the given folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), shared_models: None }
    }

    /// The root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of one agent: its database, its lock and its backups.
    pub fn agent(&self, name: &str) -> PathBuf {
        self.root.join("agents").join(name)
    }

    /// Where the built-in engine's model files (GGUF) are.
    pub fn models(&self) -> PathBuf {
        self.shared_models.clone().unwrap_or_else(|| self.own_models())
    }

    /// The model files that Atlas downloaded: they are its own to delete.
    pub fn own_models(&self) -> PathBuf {
        self.root.join("models")
    }

    /// Logs, redacted.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_are_taken_from_the_apps_own_files_where_they_are_there() {
        let resources = tempfile::tempdir().unwrap();
        let folder = resources.path().join(EMBEDDING);
        std::fs::create_dir(&folder).unwrap();
        assert_ne!(embedding_models(Some(resources.path())), folder, "an empty folder is none");
        std::fs::write(folder.join("wordllama.safetensors"), "").unwrap();
        assert_eq!(embedding_models(Some(resources.path())), folder);
    }
}
