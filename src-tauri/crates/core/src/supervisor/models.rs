//! The model files that the built-in engine can load.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::providers::error::EngineError;

/// A model file of the built-in engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct LocalModel {
    /// The file's name: the model's id.
    pub id: String,
    /// Its size in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// The models in a folder, by name; none where there is no such folder.
pub async fn list(folder: &Path) -> Vec<LocalModel> {
    let Ok(mut entries) = tokio::fs::read_dir(folder).await else { return Vec::new() };
    let mut models = Vec::new();
    while let Ok(Some(entry)) = entries.next_entry().await {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if !is_model(&name) {
            continue;
        }
        // Not the entry's own metadata: a link to a file elsewhere counts as the file.
        if let Ok(file) = tokio::fs::metadata(entry.path()).await
            && file.is_file()
        {
            models.push(LocalModel { id: name, bytes: file.len() });
        }
    }
    models.sort_by(|a, b| a.id.cmp(&b.id));
    models
}

/// The file of a model. [`EngineError::NoModel`] where there is none of that name.
pub async fn file(folder: &Path, id: &str) -> Result<PathBuf, EngineError> {
    // A name and nothing else: no model stands outside its folder.
    let mut parts = Path::new(id).components();
    let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) else { return Err(EngineError::NoModel) };
    if name != id || !is_model(id) {
        return Err(EngineError::NoModel);
    }
    let file = folder.join(id);
    match tokio::fs::metadata(&file).await {
        Ok(metadata) if metadata.is_file() => Ok(file),
        _ => Err(EngineError::NoModel),
    }
}

/// Whether a file of this name is a model to talk to: no half-loaded download, no part of another model.
fn is_model(name: &str) -> bool {
    let lower = name.to_lowercase();
    let later_part = lower.contains("-of-") && !lower.contains("-00001-of-");
    lower.ends_with(".gguf") && !name.starts_with('.') && !lower.starts_with("mmproj") && !later_part
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["small.gguf", "Big-00001-of-00002.gguf", "Big-00002-of-00002.gguf", ".half.gguf", "mmproj-x.gguf"]
        {
            fs::write(folder.path().join(name), name).unwrap();
        }
        fs::write(folder.path().join("notes.txt"), "").unwrap();
        fs::create_dir(folder.path().join("folder.gguf")).unwrap();
        folder
    }

    #[tokio::test]
    async fn the_list_has_the_models_and_no_other_files() {
        let folder = folder();
        let model = |id: &str| LocalModel { id: id.into(), bytes: id.len() as u64 };
        assert_eq!(list(folder.path()).await, [model("Big-00001-of-00002.gguf"), model("small.gguf")]);
        assert_eq!(list(&folder.path().join("nowhere")).await, []);
    }

    #[tokio::test]
    async fn a_model_is_named_by_its_file_and_never_by_a_path() {
        let folder = folder();
        let models = folder.path().join("models");
        fs::create_dir(&models).unwrap();
        fs::copy(folder.path().join("small.gguf"), models.join("small.gguf")).unwrap();
        assert_eq!(file(&models, "small.gguf").await, Ok(models.join("small.gguf")));
        let absolute = folder.path().join("small.gguf").display().to_string();
        for name in ["", ".", "..", "../small.gguf", "./small.gguf", "small.gguf/", "gone.gguf", &absolute] {
            assert_eq!(file(&models, name).await, Err(EngineError::NoModel), "{name}");
        }
    }
}
