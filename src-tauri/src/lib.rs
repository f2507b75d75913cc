//! The desktop shell of Atlas: one window, the commands that it may call, and a clean start and end.
//!
//! There is no logic here. A command unpacks its arguments, calls the [`atlas_core::assistant::Assistant`], and
//! hands back what it said; the webview sees neither the network, nor the file system, nor a key.

use std::sync::Arc;

use atlas_core::assistant::Parts;
use atlas_core::home::Home;
use tauri::{AppHandle, Builder, Context, Manager, RunEvent, Runtime};

pub mod commands;
mod crash;
pub mod dialogs;
mod ending;
mod events;
mod links;
mod notices;
mod preferences;
mod session;
mod startup;
mod turn_channel;
mod webkit;
mod window;

pub use dialogs::Dialogs;
pub use notices::Notices;
pub use preferences::{Preferences, Theme};
pub use startup::Startup;

/// What the shell needs of the world: where Atlas lives, and what the assistant is made of.
///
/// The parts are made anew each time the assistant is opened, because opening may fail and be tried again.
pub struct World {
    /// Where Atlas keeps things on disk.
    pub home: Home,
    /// The clock, the keychain, the engine, and the models that memory is searched with.
    pub parts: Arc<dyn Fn() -> Parts + Send + Sync>,
    /// Who chooses files.
    pub dialogs: Dialogs,
    /// Who shows notices outside the window.
    pub notices: Notices,
}

/// Runs the app until the person closes it.
pub fn run() {
    webkit::choose_renderer();
    let Some(home) = Home::of_this_user() else {
        eprintln!("Atlas found no folder for its data. Set the environment variable ATLAS_HOME to a folder of yours.");
        std::process::exit(1);
    };
    crash::install(&home);
    let context = context();
    let resources = tauri::utils::platform::resource_dir(context.package_info(), &tauri::Env::default()).ok();
    let world = World {
        home,
        parts: Arc::new(move || startup::real_parts(resources.as_deref())),
        dialogs: Dialogs::System,
        notices: Notices::Desktop,
    };
    let builder = Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, _arguments, _folder| {
            window::come_forward(app);
        }))
        .plugin(window::state_plugin());
    let app = assemble(builder, world)
        .setup(|app| {
            window::open(app.handle())?;
            ending::end_on_signals(app.handle());
            Ok(())
        })
        .build(context);
    match app {
        Ok(app) => app.run(on_event),
        Err(error) => {
            eprintln!("Atlas could not open its window: {error}");
            std::process::exit(1);
        }
    }
}

/// Adds everything but windows to a builder: the assistant behind the commands, and the preferences.
///
/// Generic over the runtime, so that the commands can be tested without a window.
pub fn assemble<R: Runtime>(builder: Builder<R>, world: World) -> Builder<R> {
    builder
        .plugin(tauri_plugin_store::Builder::new().build())
        .plugin(tauri_plugin_dialog::init())
        .plugin(notices::plugin())
        .plugin(startup::plugin(world))
        .invoke_handler(commands::handler())
}

/// The app's configuration, capabilities and user interface, as built into it.
pub fn context<R: Runtime>() -> Context<R> {
    tauri::generate_context!()
}

fn on_event<R: Runtime>(app: &AppHandle<R>, event: RunEvent) {
    if let RunEvent::ExitRequested { api, code, .. } = event {
        app.state::<ending::Ending>().requested(app, &api, code);
    }
}
