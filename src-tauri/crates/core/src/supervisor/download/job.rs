//! What is to be downloaded, from where, and under which name.

use std::fmt;

use reqwest::Url;

use super::error::DownloadError;
use super::part::Note;
use super::transfer::allowed;
use crate::supervisor::catalogue::{self, CatalogueModel};

/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 120;

/// Where a model comes from.
#[derive(Clone, PartialEq, Eq)]
pub enum Source {
    /// The catalogue, by the model's id.
    Catalogue(String),
    /// An address: https, or this computer's own. Whether it is a model is told by what comes.
    Address(String),
}

impl fmt::Debug for Source {
    /// Without the address: a key may stand in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catalogue(id) => f.debug_tuple("Catalogue").field(id).finish(),
            Self::Address(_) => f.write_str("Address"),
        }
    }
}

/// What is to be done.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) file: String,
    pub(super) name: String,
    /// The whole address. It is in memory alone.
    pub(super) address: Url,
    pub(super) note: Note,
    pub(super) model: Option<&'static CatalogueModel>,
}

/// What a source comes to.
pub(super) fn job(source: &Source) -> Result<Job, DownloadError> {
    match source {
        Source::Catalogue(id) => {
            let model = catalogue::find(id).ok_or(DownloadError::NotInCatalogue)?;
            let address = allowed(model.url)?;
            let note = Note { catalogue: Some(id.clone()), ..Note::of(&address) };
            Ok(Job { file: model.file.to_owned(), name: model.name.to_owned(), address, note, model: Some(model) })
        }
        Source::Address(address) => {
            let url = allowed(address)?;
            let last = url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
            let file = clean(&last.replace("%20", "-"));
            if !file.ends_with(".gguf") || file.len() == ".gguf".len() {
                return Err(DownloadError::BadAddress);
            }
            if file.contains("-of-") {
                return Err(DownloadError::SeveralFiles);
            }
            let name = file.trim_end_matches(".gguf").to_owned();
            Ok(Job { file, name, note: Note::of(&url), address: url, model: None })
        }
    }
}

/// A name for a file: letters, digits and a few signs, and never a hidden one.
pub(super) fn clean(name: &str) -> String {
    let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    let name: String = name.chars().filter(fits).collect();
    let name = name.trim_start_matches('.');
    name[name.len().saturating_sub(LONGEST_NAME)..].trim_start_matches('.').to_owned()
}
