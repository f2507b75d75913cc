//! Where Atlas keeps things on disk: the only place that knows folder and file names.

use std::path::{Path, PathBuf};

/// The folder name under the system's data directory; the same as the desktop app's identifier, so that
/// everything Atlas keeps is in one place.
pub const FOLDER: &str = "app.atlas.desktop";

/// The agent that the shells open, while there is one.
pub const AGENT: &str = "atlas";

/// The root of everything that Atlas keeps.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// The person's own Atlas: `ATLAS_HOME` where that is set, else the system's data directory
    /// (`~/.local/share` on Linux). `None` where the system names no such directory.
    pub fn of_this_user() -> Option<Self> {
        let root =
            std::env::var_os("ATLAS_HOME").map(PathBuf::from).or_else(|| Some(dirs::data_dir()?.join(FOLDER)))?;
        Some(Self { root })
    }

    /// An Atlas in the given folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of one agent: its database, its lock and its backups.
    pub fn agent(&self, name: &str) -> PathBuf {
        self.root.join("agents").join(name)
    }

    /// Model files (GGUF) for the built-in engine.
    pub fn models(&self) -> PathBuf {
        std::env::var_os("ATLAS_MODELS").map_or_else(|| self.root.join("models"), PathBuf::from)
    }

    /// Logs, redacted.
    pub fn logs(&self) -> PathBuf {
        self.root.join("logs")
    }
}
