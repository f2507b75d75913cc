//! Why there is no vector.

/// Why a model could not be had, or could not read a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingError {
    /// A file is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A file is there and is not what it should be.
    #[error("{0} is damaged")]
    Damaged(&'static str),
    /// The model could not read a text.
    #[error("the model failed")]
    Failed,
}

impl EmbeddingError {
    /// What happened and what to try, for people.
    pub fn message(&self) -> String {
        match self {
            Self::Missing(file) => format!(
                "Atlas searches its memory by words alone, because {file} is missing. Install Atlas again, or run \
                 `bash .ci/models embedding` in its source, to search by meaning too."
            ),
            Self::Damaged(file) => format!(
                "Atlas searches its memory by words alone, because {file} is damaged. Install Atlas again, or delete the \
                 file and run `bash .ci/models embedding` in its source, to search by meaning too."
            ),
            Self::Failed => "The model that searches memory by meaning failed; Atlas searched by words alone.".into(),
        }
    }
}
