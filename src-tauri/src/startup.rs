//! Opening the assistant: once, in the background, and again when it failed and the person asks for it.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use atlas_core::assistant::view::ErrorView;
use atlas_core::assistant::{Assistant, Parts};
use atlas_core::clock::SystemClock;
use atlas_core::embedding::Models;
use atlas_core::home::{self, AGENT, Home};
use atlas_core::keychain::SystemKeychain;
use atlas_core::providers::Reach;
use atlas_core::supervisor::EngineConfig;
use serde::Serialize;
use tauri::plugin::{self, TauriPlugin};
use tauri::{AppHandle, Manager, Runtime};

use crate::World;
use crate::ending::Ending;
use crate::events;
use crate::preferences::PreferencesFile;
use crate::session::Session;

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

/// An assistant that is being opened.
pub(crate) type Opening = Pin<Box<dyn Future<Output = Result<Arc<Assistant>, ErrorView>> + Send>>;

/// What the assistant of a real person is made of; `resources` is the folder of the app's own files.
pub fn real_parts(resources: Option<&Path>) -> Parts {
    Parts {
        clock: Arc::new(SystemClock),
        keychain: Arc::new(SystemKeychain::default()),
        engine: EngineConfig::default(),
        embedding: Models::in_folder(home::embedding_models(resources)),
        reach: Reach::default(),
    }
}

/// Puts the session beside the app and begins to open the assistant.
pub fn plugin<R: Runtime>(world: World) -> TauriPlugin<R> {
    plugin::Builder::new("atlas")
        .setup(move |app, _| {
            let (handle, World { home, parts, dialogs, notices }) = (app.clone(), world);
            app.manage(PreferencesFile::in_home(&home));
            app.manage(dialogs);
            app.manage(notices);
            app.manage(Ending::default());
            let opened = home.clone();
            app.manage(Session::new(home, move || Box::pin(open(handle.clone(), opened.clone(), parts()))));
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
    tauri::async_runtime::spawn(events::forward(app, assistant.events(), Arc::downgrade(&assistant)));
    Ok(assistant)
}
