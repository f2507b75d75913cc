//! A window without a screen, and calls from its page.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use atlas_core::assistant::Parts;
use atlas_core::clock::SystemClock;
use atlas_core::embedding::Models;
use atlas_core::home::Home;
use atlas_core::keychain::FakeKeychain;
use atlas_core::providers::Reach;
use atlas_core::supervisor::EngineConfig;
use atlas_desktop::{Dialogs, Notices, World};
use serde_json::{Value, json};
use tauri::ipc::{CallbackFn, InvokeBody, InvokeResponseBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, Listener, Manager, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use tempfile::TempDir;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The app, opened in a folder of its own.
pub struct Desk {
    app: App<MockRuntime>,
    window: WebviewWindow<MockRuntime>,
    home: TempDir,
    /// What arrived at channels: the channel's number and the message.
    received: Arc<Mutex<Vec<(u32, Value)>>>,
    /// What every window heard.
    heard: Arc<Mutex<Vec<Value>>>,
    /// The notices that the desktop was to show, by title and body.
    pub notices: Arc<Mutex<Vec<(String, String)>>>,
}

impl Desk {
    /// A new person's Atlas.
    pub fn new() -> Self {
        Self::choosing(Dialogs::Answer(None))
    }

    /// A new person's Atlas, where files are chosen so.
    pub fn choosing(dialogs: Dialogs) -> Self {
        Self::of(tempfile::tempdir().unwrap(), dialogs, parts)
    }

    /// Atlas in a home that is there already.
    pub fn in_home(home: TempDir) -> Self {
        Self::of(home, Dialogs::Answer(None), parts)
    }

    /// Atlas in a home, made of these parts.
    pub fn of(home: TempDir, dialogs: Dialogs, parts: impl Fn() -> Parts + Send + Sync + 'static) -> Self {
        let received = Arc::new(Mutex::new(Vec::new()));
        let messages = Arc::clone(&received);
        let builder = mock_builder().channel_interceptor(move |_, channel, _, body| {
            let InvokeResponseBody::Json(json) = body else {
                panic!("a channel carries JSON");
            };
            messages.lock().unwrap().push((channel.0, serde_json::from_str(json).unwrap()));
            true
        });
        let notices = Arc::default();
        let shown = Notices::Kept(Arc::clone(&notices));
        let world = World { home: Home::at(home.path()), parts: Arc::new(parts), dialogs, notices: shown };
        let app = atlas_desktop::assemble(builder, world).build(atlas_desktop::context()).unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let events = Arc::clone(&heard);
        app.listen_any("atlas", move |event| {
            events.lock().unwrap().push(serde_json::from_str(event.payload()).unwrap());
        });
        let window = window(&app, "main");
        Self { app, window, home, received, heard, notices }
    }

    /// Calls a command from the page of the window.
    pub fn call(&self, command: &str, payload: Value) -> Result<Value, Value> {
        call(&self.window, command, payload)
    }

    /// Waits until a channel has carried a message that fits; answers with all that it carried so far.
    pub fn until(&self, channel: u32, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
        eventually(|| {
            let received = self.received.lock().unwrap().clone();
            let carried = received.into_iter().filter(|(to, _)| *to == channel).map(|(_, message)| message);
            let carried: Vec<Value> = carried.collect();
            if carried.iter().any(&fits) { Ok(carried) } else { Err(format!("channel {channel} carried {carried:#?}")) }
        })
    }

    /// Waits until every window has heard an event that fits, and answers with the latest such.
    pub fn hears(&self, fits: impl Fn(&Value) -> bool) -> Value {
        self.hears_while(fits, || {})
    }

    /// The same, with something that is done again and again meanwhile.
    pub fn hears_while(&self, fits: impl Fn(&Value) -> bool, meanwhile: impl Fn()) -> Value {
        eventually(|| {
            meanwhile();
            let heard = self.heard.lock().unwrap().clone();
            let event = heard.iter().rfind(|event| fits(event)).cloned();
            event.ok_or_else(|| format!("the windows heard {heard:#?}"))
        })
    }

    /// Makes a server the one that answers.
    pub fn use_server(&self, base_url: &str) {
        let settings = json!({
            "endpoint": {"preset": "custom", "baseUrl": base_url},
            "model": "scripted", "memoryWriting": "inBand", "maxRetries": 0, "workingMemoryLimit": 10,
        });
        self.call("save_settings", json!({"settings": settings})).unwrap();
    }

    /// The folder that holds all that Atlas keeps.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Calls a command from the page of another window.
    pub fn call_from(&self, label: &str, command: &str, payload: Value) -> Result<Value, Value> {
        let other = self.app.get_webview_window(label).unwrap_or_else(|| window(&self.app, label));
        call(&other, command, payload)
    }
}

/// Waits until there is something; fails with what there is instead.
pub fn eventually<T>(look: impl Fn() -> Result<T, String>) -> T {
    let started = Instant::now();
    loop {
        match look() {
            Ok(found) => return found,
            Err(instead) => assert!(started.elapsed() < PATIENCE, "in {PATIENCE:?} only this: {instead}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What Atlas is made of in tests.
pub fn parts() -> Parts {
    Parts {
        clock: Arc::new(SystemClock),
        keychain: Arc::new(FakeKeychain::new()),
        engine: EngineConfig::default(),
        embedding: Models::none(),
        reach: Reach::default(),
    }
}

fn window(app: &App<MockRuntime>, label: &str) -> WebviewWindow<MockRuntime> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::default()).build().unwrap()
}

fn call(window: &WebviewWindow<MockRuntime>, command: &str, payload: Value) -> Result<Value, Value> {
    let request = InvokeRequest {
        cmd: command.to_owned(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: "tauri://localhost".parse().unwrap(),
        body: InvokeBody::Json(payload),
        headers: Default::default(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(window, request).map(|body| match body {
        InvokeResponseBody::Json(json) => serde_json::from_str(&json).unwrap(),
        InvokeResponseBody::Raw(_) => panic!("{command} answers with JSON"),
    })
}
