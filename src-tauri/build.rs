//! Makes a permission of every command, so that a window gets only what its capability grants.

use std::path::Path;

#[path = "src/commands/names.rs"]
mod names;

fn main() {
    let ui = Path::new("../ui/dist");
    println!("cargo:rerun-if-changed={}", ui.display());
    println!("cargo:rerun-if-changed=src/commands/names.rs");
    assert!(
        ui.join("index.html").exists(),
        "The user interface is not built yet: run `npm ci` and then `npm run build` in the folder `ui`."
    );
    let commands = tauri_build::AppManifest::new().commands(names::COMMANDS);
    if let Err(error) = tauri_build::try_build(tauri_build::Attributes::new().app_manifest(commands)) {
        panic!("Tauri's build step failed: {error:#}");
    }
}
