//! A clean end: running answers are kept, the engine is ended, and only then does the process go.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tauri::{AppHandle, ExitRequestApi, Manager, Runtime};

use crate::session::Session;

/// How long an end may take before Atlas goes anyway.
const PATIENCE: Duration = Duration::from_secs(10);

/// How far the end of this process is.
#[derive(Debug, Default)]
pub struct Ending {
    begun: AtomicBool,
    done: AtomicBool,
    wanted_again: AtomicBool,
}

impl Ending {
    /// The last window was closed, or somebody asked the app to exit: the assistant is closed first.
    pub fn requested<R: Runtime>(&self, app: &AppHandle<R>, api: &ExitRequestApi, code: Option<i32>) {
        if self.done.load(Ordering::Acquire) {
            return;
        }
        api.prevent_exit();
        if self.begun.swap(true, Ordering::AcqRel) {
            return;
        }
        for window in app.webview_windows().values() {
            // It is on its way out; what is left is not the person's to wait for.
            let _ = window.hide();
        }
        tauri::async_runtime::spawn(end(app.clone(), code.unwrap_or(0)));
    }

    /// The person started Atlas while it was ending: it starts again as soon as it has ended.
    pub fn start_again_if_ending(&self) -> bool {
        let ending = self.begun.load(Ordering::Acquire);
        if ending {
            self.wanted_again.store(true, Ordering::Release);
        }
        ending
    }
}

async fn end<R: Runtime>(app: AppHandle<R>, code: i32) {
    let close = async {
        if let Some(assistant) = app.state::<Session>().opened().await {
            assistant.close().await;
        }
    };
    if tokio::time::timeout(PATIENCE, close).await.is_err() {
        eprintln!("Atlas did not end in {} seconds and goes without waiting longer.", PATIENCE.as_secs());
    }
    let ending = app.state::<Ending>();
    ending.done.store(true, Ordering::Release);
    if ending.wanted_again.load(Ordering::Acquire) {
        app.request_restart();
    } else {
        app.exit(code);
    }
}

/// Ends Atlas cleanly when the system or the person's terminal asks it to; a second request ends it at once.
pub fn end_on_signals<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        match asked_to_end().await {
            Ok(()) => app.exit(0),
            Err(error) => eprintln!("Atlas cannot hear the system's requests to end: {error}"),
        }
        if asked_to_end().await.is_ok() {
            std::process::exit(1);
        }
    });
}

#[cfg(unix)]
async fn asked_to_end() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hang_up.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn asked_to_end() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
