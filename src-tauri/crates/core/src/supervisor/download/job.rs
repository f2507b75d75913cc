//! What is to be downloaded, from where, and under which name.

use super::error::DownloadError;
use super::part::Note;
use super::transfer::allowed;
use crate::supervisor::catalogue::{self, CatalogueModel};

/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 120;

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The catalogue, by the model's id.
    Catalogue(String),
    /// An address: https, or this computer's own. Whether it is a model is told by what comes.
    Address(String),
}

/// What is to be done.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) file: String,
    pub(super) name: String,
    pub(super) note: Note,
    pub(super) model: Option<&'static CatalogueModel>,
}

/// What a source comes to.
pub(super) fn job(source: &Source) -> Result<Job, DownloadError> {
    match source {
        Source::Catalogue(id) => {
            let model = catalogue::find(id).ok_or(DownloadError::NotInCatalogue)?;
            let note = Note { catalogue: Some(id.clone()), url: model.url.to_owned(), ..Note::default() };
            Ok(Job { file: model.file.to_owned(), name: model.name.to_owned(), note, model: Some(model) })
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
            let note = Note { url: url.into(), ..Note::default() };
            Ok(Job { name: file.trim_end_matches(".gguf").to_owned(), file, note, model: None })
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
