//! The files of models that run on this computer: downloaded in the app, chosen on the disk, removed.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::broadcast;

use super::view::{AppEvent, LocalModel};
use super::{Assistant, Error};
use crate::supervisor::download::{DownloadStep, Source};
use crate::supervisor::{CATALOGUE, CatalogueModel, DownloadState, MemoryNeed, models};

impl Assistant {
    /// The models that Atlas offers to download.
    pub fn catalogue(&self) -> &'static [CatalogueModel] {
        CATALOGUE
    }

    /// The downloads that run, ran since Atlas was opened, or can go on, by file.
    pub async fn downloads(&self) -> Vec<DownloadState> {
        self.downloads.list().await
    }

    /// Begins to download a model of the catalogue, or goes on with it. The file that it becomes; the rest is told by
    /// [`AppEvent::Download`].
    pub async fn start_download(&self, id: &str) -> Result<String, Error> {
        Ok(self.downloads.start(Source::Catalogue(id.to_owned())).await?)
    }

    /// The same from an address that the person gives.
    pub async fn download_from(&self, address: &str) -> Result<String, Error> {
        Ok(self.downloads.start(Source::Address(address.trim().to_owned())).await?)
    }

    /// Goes on with a download that was cancelled, or left by an earlier run.
    pub async fn resume_download(&self, file: &str) -> Result<(), Error> {
        Ok(self.downloads.resume(file).await?)
    }

    /// Stops a download; what came is kept. One that does not run is no error.
    pub async fn cancel_download(&self, file: &str) {
        self.downloads.cancel(file).await;
    }

    /// Stops a download and removes what came.
    pub async fn discard_download(&self, file: &str) -> Result<(), Error> {
        Ok(self.downloads.discard(file).await?)
    }

    /// Takes a file anywhere on the disk as a model of the built-in engine. It stays where it is.
    pub async fn choose_model_file(&self, path: &Path) -> Result<LocalModel, Error> {
        let model = models::choose_file(&self.home, path).await?;
        self.tell(AppEvent::ModelsChanged);
        Ok(model)
    }

    /// Removes a model: a downloaded one from the disk, a chosen one from the list, with its file left alone. The engine is
    /// ended first where it runs with it.
    pub async fn remove_local_model(&self, id: &str) -> Result<(), Error> {
        let file = models::file(&self.home, id).await.ok();
        if file.is_some() && file == self.engine.latest_model() {
            self.engine.stop().await;
        }
        models::remove(&self.home, id).await?;
        self.tell(AppEvent::ModelsChanged);
        Ok(())
    }

    /// How much memory a model needs with a context of that many tokens, beside how much there is.
    pub async fn memory_need(&self, id: &str, context_tokens: u32) -> Result<MemoryNeed, Error> {
        Ok(models::memory_need(&self.home, id, context_tokens).await?)
    }

    /// Passes on how far downloads are, for as long as the assistant lives: each at most four times a second.
    pub(super) fn tell_downloads(self: &Arc<Self>) {
        let (mut news, downloads, events) = (self.downloads.watch(), self.downloads.clone(), self.events.clone());
        let closed = self.mind.stopped();
        tokio::spawn(async move {
            loop {
                let heard = tokio::select! {
                    () = closed.cancelled() => return,
                    heard = news.recv() => heard,
                };
                let states = match heard {
                    Ok(state) => vec![state],
                    // What was missed is in the list.
                    Err(broadcast::error::RecvError::Lagged(_)) => downloads.list().await,
                    Err(broadcast::error::RecvError::Closed) => return,
                };
                for state in states {
                    let is_done = state.step == DownloadStep::Done;
                    // Nobody listening is no fault.
                    let _ = events.send(AppEvent::Download { state });
                    if is_done {
                        let _ = events.send(AppEvent::ModelsChanged);
                    }
                }
            }
        });
    }

    /// Stops all downloads, removes what came of them, and forgets that they were.
    pub(super) async fn forget_downloads(&self) -> Result<(), Error> {
        for download in self.downloads.list().await {
            self.downloads.discard(&download.file).await?;
        }
        Ok(())
    }
}
