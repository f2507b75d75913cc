//! The one assistant of this process: opened when it is first wanted, and opened anew after its database was restored.

use std::sync::Arc;

use atlas_core::assistant::backups::{self, BackupView, RestoreReport};
use atlas_core::assistant::view::ErrorView;
use atlas_core::assistant::{Assistant, Error};
use atlas_core::clock::SystemClock;
use atlas_core::home::{AGENT, Home};
use atlas_core::store::StoreError;
use tokio::sync::RwLock;

use crate::startup::{Opening, Startup};

/// The assistant of this process. Whoever opens or restores it holds the lock for as long as that takes, and commands
/// that come meanwhile wait.
pub struct Session {
    home: Home,
    open: Box<dyn Fn() -> Opening + Send + Sync>,
    assistant: RwLock<Option<Arc<Assistant>>>,
}

impl Session {
    /// A session of a home; `open` opens its agent.
    pub(crate) fn new(home: Home, open: impl Fn() -> Opening + Send + Sync + 'static) -> Self {
        Self { home, open: Box::new(open), assistant: RwLock::default() }
    }

    /// The assistant. Waits while it is being opened; tries again where that failed before.
    ///
    /// # Errors
    ///
    /// It cannot be opened: another Atlas holds it, or its database is beyond repair.
    pub async fn assistant(&self) -> Result<Arc<Assistant>, ErrorView> {
        if let Some(assistant) = self.opened().await {
            return Ok(assistant);
        }
        let mut place = self.assistant.write().await;
        if let Some(assistant) = place.as_ref() {
            return Ok(assistant.clone());
        }
        let assistant = (self.open)().await?;
        Ok(place.insert(assistant).clone())
    }

    /// The assistant, if it was opened; waits where it is being opened.
    pub async fn opened(&self) -> Option<Arc<Assistant>> {
        self.assistant.read().await.clone()
    }

    /// Whether there is an assistant to talk to.
    pub async fn state(&self) -> Startup {
        match self.assistant().await {
            Ok(_) => Startup::Ready,
            Err(error) => Startup::Failed { error },
        }
    }

    /// The backups, the newest first; also where the assistant cannot be opened.
    ///
    /// # Errors
    ///
    /// The folder of backups cannot be read.
    pub async fn backups(&self) -> Result<Vec<BackupView>, ErrorView> {
        backups::backups_of(&self.home, AGENT).await.map_err(|error| error.view())
    }

    /// Puts a backup in the place of the database; without a name, what can be read of a damaged one. An assistant that is
    /// open is closed first, and opened anew afterwards whatever came of it: where it cannot be, [`Session::assistant`] says so.
    ///
    /// # Errors
    ///
    /// Those of [`backups::restore_backup`]; somebody uses the assistant for longer than it is waited for. Nothing is
    /// changed then.
    pub async fn restore(&self, name: Option<&str>) -> Result<RestoreReport, ErrorView> {
        // A name that is none closes nothing.
        if let Some(name) = name
            && !self.backups().await?.iter().any(|backup| backup.name == name)
        {
            return Err(Error::Store(StoreError::Missing("backup")).view());
        }
        let mut place = self.assistant.write().await;
        let is_let_go = match place.take() {
            Some(assistant) => assistant.let_go().await,
            None => true,
        };
        let restored = if is_let_go {
            let restored = backups::restore_backup(&self.home, AGENT, name, &SystemClock).await;
            restored.map_err(|error| error.view())
        } else {
            Err(still_used())
        };
        *place = (self.open)().await.ok();
        restored
    }
}

fn still_used() -> ErrorView {
    ErrorView {
        code: "still_used".to_owned(),
        message: "Atlas is still busy with something else, so nothing was restored. Wait a moment and try again."
            .to_owned(),
        retryable: true,
    }
}
