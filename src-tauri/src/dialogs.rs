//! The system's own dialogs for files. The page of the window asks for one and never learns or names a path.

use std::path::PathBuf;

use tauri::{Runtime, WebviewWindow};
use tauri_plugin_dialog::{DialogExt, FileDialogBuilder};
use tokio::sync::oneshot;

/// Who chooses files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Dialogs {
    /// The person, in the system's dialog.
    #[default]
    System,
    /// Nobody: this is always the answer. For tests, which see no dialog.
    Answer(Option<PathBuf>),
}

impl Dialogs {
    /// A file to read.
    pub async fn file<R: Runtime>(&self, window: &WebviewWindow<R>, title: &str) -> Option<PathBuf> {
        self.ask(window, title, |dialog, answer| {
            dialog
                .add_filter("JSON, ZIP, Markdown", &["json", "jsonl", "zip", "md", "txt"])
                .add_filter("*", &["*"])
                .pick_file(answer);
        })
        .await
    }

    /// A model file to use where it is.
    pub async fn model_file<R: Runtime>(&self, window: &WebviewWindow<R>, title: &str) -> Option<PathBuf> {
        self.ask(window, title, |dialog, answer| {
            dialog.add_filter("GGUF", &["gguf"]).add_filter("*", &["*"]).pick_file(answer);
        })
        .await
    }

    /// A place for a new file.
    pub async fn new_file<R: Runtime>(&self, window: &WebviewWindow<R>, title: &str, name: &str) -> Option<PathBuf> {
        self.ask(window, title, |dialog, answer| dialog.set_file_name(name).save_file(answer)).await
    }

    /// A folder for a new folder in it.
    pub async fn new_folder<R: Runtime>(&self, window: &WebviewWindow<R>, title: &str, name: &str) -> Option<PathBuf> {
        let folder = self.ask(window, title, |dialog, answer| dialog.pick_folder(answer)).await?;
        Some(folder.join(name))
    }

    async fn ask<R: Runtime>(
        &self,
        window: &WebviewWindow<R>,
        title: &str,
        show: impl FnOnce(FileDialogBuilder<R>, Box<dyn FnOnce(Option<tauri_plugin_dialog::FilePath>) + Send>),
    ) -> Option<PathBuf> {
        match self {
            Self::Answer(path) => path.clone(),
            Self::System => {
                let (answer, answered) = oneshot::channel();
                let dialog = window.dialog().file().set_title(title).set_parent(window);
                show(
                    dialog,
                    Box::new(move |path| {
                        // Where the window has gone meanwhile nobody waits for the answer.
                        let _ = answer.send(path.and_then(|path| path.into_path().ok()));
                    }),
                );
                answered.await.ok().flatten()
            }
        }
    }
}
