//! Opening the assistant: once, in the background, and again when it failed and the person asks for it.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use atlas_core::assistant::view::{AppEvent, ErrorView};
use atlas_core::assistant::{Assistant, Parts};
use atlas_core::clock::SystemClock;
use atlas_core::embedding::Models;
use atlas_core::home::{self, AGENT, Home};
use atlas_core::keychain::SystemKeychain;
use atlas_core::supervisor::EngineConfig;
use serde::Serialize;
use tauri::plugin::{self, TauriPlugin};
use tauri::{AppHandle, Emitter, Manager, Runtime};
use tokio::sync::{OnceCell, broadcast};

use crate::World;
use crate::ending::Ending;
use crate::preferences::PreferencesFile;

/// The one event that windows hear; its payload is an [`AppEvent`].
const EVENT: &str = "atlas";

/// Whether there is an assistant to talk to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum Startup {
    /// It is open.
    Ready,
    /// It could not be opened; asking again tries again.
    Failed {
        /// Why, and what to do.
        error: ErrorView,
    },
}

type Opening = Pin<Box<dyn Future<Output = Result<Arc<Assistant>, ErrorView>> + Send>>;

/// The assistant of this process, opened when it is first wanted.
pub struct Session {
    open: Box<dyn Fn() -> Opening + Send + Sync>,
    assistant: OnceCell<Arc<Assistant>>,
}

impl Session {
    fn new(open: impl Fn() -> Opening + Send + Sync + 'static) -> Self {
        Self { open: Box::new(open), assistant: OnceCell::new() }
    }

    /// The assistant. Waits while it is being opened; tries again where that failed before.
    ///
    /// # Errors
    ///
    /// It cannot be opened: another Atlas holds it, or its database is beyond repair.
    pub async fn assistant(&self) -> Result<&Arc<Assistant>, ErrorView> {
        self.assistant.get_or_try_init(|| (self.open)()).await
    }

    /// The assistant, if it was opened.
    pub fn opened(&self) -> Option<&Arc<Assistant>> {
        self.assistant.get()
    }

    /// Whether there is an assistant to talk to.
    pub async fn state(&self) -> Startup {
        match self.assistant().await {
            Ok(_) => Startup::Ready,
            Err(error) => Startup::Failed { error },
        }
    }
}

/// What the assistant of a real person is made of; `resources` is the folder of the app's own files.
pub fn real_parts(resources: Option<&Path>) -> Parts {
    Parts {
        clock: Arc::new(SystemClock),
        keychain: Arc::new(SystemKeychain::default()),
        engine: EngineConfig::default(),
        embedding: Models::in_folder(home::embedding_models(resources)),
    }
}

/// Puts the session beside the app and begins to open the assistant.
pub fn plugin<R: Runtime>(world: World) -> TauriPlugin<R> {
    plugin::Builder::new("atlas")
        .setup(move |app, _| {
            let handle = app.clone();
            app.manage(PreferencesFile::in_home(&world.home));
            app.manage(Session::new(move || Box::pin(open(handle.clone(), world.home.clone(), (world.parts)()))));
            app.manage(world.dialogs.clone());
            app.manage(Ending::default());
            let handle = app.clone();
            tauri::async_runtime::spawn(async move {
                // A failure is told by the `startup` command, which the window calls first.
                let _ = handle.state::<Session>().assistant().await;
            });
            Ok(())
        })
        .build()
}

async fn open<R: Runtime>(app: AppHandle<R>, home: Home, parts: Parts) -> Result<Arc<Assistant>, ErrorView> {
    let folder = home.agent(AGENT);
    let assistant = Assistant::open(home, AGENT, parts).await.map_err(|error| {
        let view = error.view();
        ErrorView { message: format!("{} The data folder is {}.", view.message, folder.display()), ..view }
    })?;
    tauri::async_runtime::spawn(forward(app, assistant.events()));
    Ok(assistant)
}

/// Passes the assistant's events on to all windows, until the assistant is gone.
async fn forward<R: Runtime>(app: AppHandle<R>, mut events: broadcast::Receiver<AppEvent>) {
    loop {
        let heard = match events.recv().await {
            Ok(event) => vec![event],
            Err(broadcast::error::RecvError::Lagged(_)) => load_anew(),
            Err(broadcast::error::RecvError::Closed) => return,
        };
        for event in heard {
            // No window is left to hear it: that is no failure.
            let _ = app.emit(EVENT, event);
        }
    }
}

/// What stands in for events that were missed.
fn load_anew() -> Vec<AppEvent> {
    vec![AppEvent::MemoryChanged { message: None, changes: Vec::new() }, AppEvent::ConversationsChanged]
}
