//! The model files that the built-in engine can load: those in the folders of models, and any other that the person
//! chose.

use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use ts_rs::TS;

use crate::home::Home;
use crate::providers::error::EngineError;

mod chosen;
pub mod gguf;
pub mod memory;

use chosen::Chosen;
use gguf::{GgufError, Header};
pub use memory::{Memory, MemoryFit, MemoryNeed};

/// One change of the list of chosen files at a time.
static CHANGES: Mutex<()> = Mutex::const_new(());

/// A model file of the built-in engine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct LocalModel {
    /// What it is called by: its file's name.
    pub id: String,
    /// Its size in bytes, with all its parts; 0 where it is missing.
    #[ts(type = "number")]
    pub bytes: u64,
    /// The model's name, as its maker wrote it.
    pub name: Option<String>,
    /// Its architecture.
    pub architecture: Option<String>,
    /// How its numbers are kept: `Q4_K_M` …
    pub quantisation: Option<String>,
    /// How many tokens of context it was trained with.
    #[ts(type = "number | null")]
    pub trained_context: Option<u64>,
    /// It was chosen, and its file is not there any more.
    pub missing: bool,
    /// Its file is elsewhere on the disk, and not Atlas's to delete.
    pub external: bool,
}

/// Why a file cannot be a model, or cannot be removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelFileError {
    /// What is wrong with the file.
    #[error(transparent)]
    File(#[from] GgufError),
    /// It is a model for something else: for pictures, for vectors, a part that belongs to another model.
    #[error("not a model to talk to")]
    NotToTalkTo,
    /// It is one of several files, and not the first.
    #[error("not the first of several files")]
    NotFirstPart,
    /// There is no such model.
    #[error("there is no such model")]
    NoModel,
    /// It is in a folder that other programs use too.
    #[error("the file is not Atlas's own")]
    NotOurs,
    /// The folder of models cannot be written.
    #[error("the folder of models cannot be written")]
    Folder(io::ErrorKind),
}

impl ModelFileError {
    /// A stable code to switch on.
    pub fn code(&self) -> &'static str {
        match self {
            Self::File(GgufError::NotGguf) => "model_not_gguf",
            Self::File(GgufError::Version(_)) => "model_version",
            Self::File(GgufError::NotWhole) => "model_not_whole",
            Self::File(GgufError::Damaged) => "model_damaged",
            Self::File(GgufError::Unreadable(_)) => "model_unreadable",
            Self::NotToTalkTo => "model_not_to_talk_to",
            Self::NotFirstPart => "model_not_first_part",
            Self::NoModel => "model_missing",
            Self::NotOurs => "model_not_ours",
            Self::Folder(_) => "models_folder",
        }
    }

    /// Whether the same call may work when it is made again.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Folder(_) | Self::File(GgufError::Unreadable(_)) => true,
            Self::File(_) | Self::NotToTalkTo | Self::NotFirstPart | Self::NoModel | Self::NotOurs => false,
        }
    }

    /// What happened and what to try, for people.
    pub fn message(&self) -> String {
        match self {
            Self::File(GgufError::NotGguf) => {
                "This is not a model file: the local engine needs a file in the GGUF format.".into()
            }
            Self::File(GgufError::Version(version)) => format!(
                "This model file is of GGUF version {version}, which the local engine does not read. Look for a newer file of the same model."
            ),
            Self::File(GgufError::NotWhole) => {
                "This model file is not whole: it ends too early. Download it again, to its end.".into()
            }
            Self::File(GgufError::Damaged) => "This model file is damaged. Download it again.".into(),
            Self::File(GgufError::Unreadable(_)) => {
                "This file cannot be read. Check that it is there and that you may read it.".into()
            }
            Self::NotToTalkTo => {
                "This file belongs to a model, but is not one to talk to. Choose an \"instruct\" or \"chat\" model.".into()
            }
            Self::NotFirstPart => {
                "This model comes in several files. Choose the first of them; the others must stand beside it.".into()
            }
            Self::NoModel => "There is no such model any more.".into(),
            Self::NotOurs => {
                "This model is in a folder that other programs use too, so Atlas does not delete it. Delete the file yourself."
                    .into()
            }
            Self::Folder(_) => "Atlas cannot write to its folder of models. Check its permissions and the disk.".into(),
        }
    }
}

/// The models, by name: those in the folders, and those that the person chose elsewhere.
pub async fn list(home: &Home) -> Vec<LocalModel> {
    let home = home.clone();
    let listed = tokio::task::spawn_blocking(move || {
        let mut models: Vec<_> = folders(&home).iter().flat_map(|folder| in_folder(folder)).collect();
        models
            .extend(chosen::load(&home.own_models()).into_iter().map(|chosen| describe(chosen.id, &chosen.path, true)));
        models.sort_by(|a, b| a.id.cmp(&b.id));
        models.dedup_by(|a, b| a.id == b.id);
        models
    });
    listed.await.unwrap_or_default()
}

/// The file of a model. [`EngineError::NoModel`] where there is none of that name.
pub async fn file(home: &Home, id: &str) -> Result<PathBuf, EngineError> {
    let (home, id) = (home.clone(), id.to_owned());
    let found = tokio::task::spawn_blocking(move || find(&home, &id).filter(|file| file.is_file()));
    found.await.ok().flatten().ok_or(EngineError::NoModel)
}

/// Takes a file anywhere on the disk as a model. It stays where it is.
pub async fn choose_file(home: &Home, path: &Path) -> Result<LocalModel, ModelFileError> {
    let _one = CHANGES.lock().await;
    let (home, path) = (home.clone(), path.to_owned());
    blocking(move || {
        let path = std::path::absolute(path).map_err(|error| GgufError::Unreadable(error.kind()))?;
        check(&path)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).ok_or(GgufError::NotGguf)?;
        if folders(&home).iter().any(|folder| path.parent() == Some(folder)) && is_model(&name) {
            return Ok(describe(name, &path, false));
        }
        let folder = home.own_models();
        let mut all = chosen::load(&folder);
        if let Some(known) = all.iter().find(|chosen| chosen.path == path) {
            return Ok(describe(known.id.clone(), &path, true));
        }
        let id = free_name(&name, |id| in_folders(&home, id).is_some() || all.iter().any(|chosen| chosen.id == id));
        all.push(Chosen { id: id.clone(), path: path.clone() });
        chosen::save(&folder, &all).map_err(|error| ModelFileError::Folder(error.kind()))?;
        Ok(describe(id, &path, true))
    })
    .await
}

/// Removes a model: a downloaded one from the disk, a chosen one from the list, with its file left alone.
///
/// Errors: [`ModelFileError::NotOurs`] for a file in a folder that other programs use too.
pub async fn remove(home: &Home, id: &str) -> Result<(), ModelFileError> {
    let _one = CHANGES.lock().await;
    let (home, id) = (home.clone(), id.to_owned());
    blocking(move || {
        let folder = home.own_models();
        let mut all = chosen::load(&folder);
        let before = all.len();
        all.retain(|chosen| chosen.id != id);
        if all.len() < before {
            return chosen::save(&folder, &all).map_err(|error| ModelFileError::Folder(error.kind()));
        }
        let file = in_folders(&home, &id).ok_or(ModelFileError::NoModel)?;
        if file.parent() != Some(&folder) {
            return Err(ModelFileError::NotOurs);
        }
        parts(&file).iter().try_for_each(std::fs::remove_file).map_err(|error| ModelFileError::Folder(error.kind()))
    })
    .await
}

/// What a model needs with a context, beside the memory that there is.
pub async fn memory_need(home: &Home, id: &str, context_tokens: u32) -> Result<MemoryNeed, ModelFileError> {
    let (home, id) = (home.clone(), id.to_owned());
    blocking(move || {
        let file = find(&home, &id).filter(|file| file.is_file()).ok_or(ModelFileError::NoModel)?;
        let header = Header::read(&file)?;
        Ok(MemoryNeed::of(&header, size(&file), context_tokens, Memory::now()))
    })
    .await
}

/// Checks that a file is a whole model to talk to. It blocks.
pub(super) fn check(file: &Path) -> Result<Header, ModelFileError> {
    let header = Header::read(file)?;
    if header.part.is_some_and(|part| part > 0) {
        return Err(ModelFileError::NotFirstPart);
    }
    let is_model = header.kind.as_deref().is_none_or(|kind| kind == "model");
    let talks = header.architecture.as_deref().is_some_and(|name| name != "clip" && !name.contains("bert"));
    if is_model && talks { Ok(header) } else { Err(ModelFileError::NotToTalkTo) }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ModelFileError> + Send + 'static,
) -> Result<T, ModelFileError> {
    let failed = |_| Err(ModelFileError::Folder(io::ErrorKind::Other));
    tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
}

/// The folders of models, Atlas's own last.
fn folders(home: &Home) -> Vec<PathBuf> {
    let (models, own) = (home.models(), home.own_models());
    if models == own { vec![own] } else { vec![models, own] }
}

fn in_folder(folder: &Path) -> Vec<LocalModel> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            // A link to a file elsewhere counts as the file.
            (is_model(&name) && entry.path().is_file()).then(|| describe(name, &entry.path(), false))
        })
        .collect()
}

fn find(home: &Home, id: &str) -> Option<PathBuf> {
    let chosen = chosen::load(&home.own_models()).into_iter().find(|chosen| chosen.id == id);
    chosen.map(|chosen| chosen.path).or_else(|| in_folders(home, id))
}

fn in_folders(home: &Home, id: &str) -> Option<PathBuf> {
    // A name and nothing else: no model stands outside its folder.
    let mut parts = Path::new(id).components();
    let (Some(Component::Normal(name)), None) = (parts.next(), parts.next()) else { return None };
    if name != id || !is_model(id) {
        return None;
    }
    folders(home).into_iter().map(|folder| folder.join(id)).find(|file| file.is_file())
}

/// What a file's header tells. One that cannot be read is listed all the same: the engine says what is wrong with it.
fn describe(id: String, file: &Path, external: bool) -> LocalModel {
    if external && !file.is_file() {
        return LocalModel { id, missing: true, external, ..LocalModel::default() };
    }
    let header = Header::read(file).unwrap_or_default();
    LocalModel {
        id,
        bytes: size(file),
        name: header.name,
        architecture: header.architecture,
        quantisation: header.quantisation.map(str::to_owned),
        trained_context: header.trained_context,
        missing: false,
        external,
    }
}

fn size(file: &Path) -> u64 {
    parts(file).iter().filter_map(|part| part.metadata().ok()).map(|metadata| metadata.len()).sum()
}

/// The files of a model that comes in several, given the first; else the file itself.
fn parts(file: &Path) -> Vec<PathBuf> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let count = |rest: &str| rest.split_once('.')?.0.parse::<u16>().ok();
    match name.split_once("-00001-of-").map(|(stem, rest)| (stem, rest, count(rest))) {
        Some((stem, rest, Some(count))) => (1..=count)
            .map(|n| file.with_file_name(format!("{stem}-{n:05}-of-{rest}")))
            .filter(|part| part.is_file())
            .collect(),
        _ => vec![file.to_owned()],
    }
}

/// A name that nobody has yet.
fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let (stem, ending) = name.rsplit_once('.').map_or((name, String::new()), |(stem, end)| (stem, format!(".{end}")));
    let others = (2_u32..).map(|n| format!("{stem}-{n}{ending}"));
    std::iter::once(name.to_owned())
        .chain(others)
        .find(|name| !is_taken(name))
        .expect("of endlessly many names one is free")
}

/// Whether a file of this name is a model to talk to: no half-loaded download, no part of another model.
fn is_model(name: &str) -> bool {
    let lower = name.to_lowercase();
    let later_part = lower.contains("-of-") && !lower.contains("-00001-of-");
    lower.ends_with(".gguf") && !name.starts_with('.') && !lower.starts_with("mmproj") && !later_part
}

#[cfg(test)]
mod tests;
