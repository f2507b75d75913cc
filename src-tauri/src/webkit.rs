//! Which renderer WebKitGTK uses: with some drivers its fast one draws an empty window.

use std::ffi::OsStr;
use std::path::Path;

/// WebKitGTK's own switch.
const SWITCH: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// Turns the DMA-BUF renderer off where it is known to draw nothing, unless the person decided already.
///
/// Call it first of all: before GTK starts, and while there is one thread only.
pub fn choose_renderer() {
    if cfg!(target_os = "linux") && must_switch_off(std::env::var_os(SWITCH).as_deref(), Path::new("/")) {
        // SAFETY: nothing has started a thread yet (this is the first statement of `run`), so nobody else can be
        // reading or writing the environment.
        #[allow(unsafe_code)]
        unsafe {
            std::env::set_var(SWITCH, "1");
        }
    }
}

/// Whether to switch it off: an NVIDIA card, or no render node at all.
fn must_switch_off(chosen: Option<&OsStr>, root: &Path) -> bool {
    chosen.is_none() && (has_nvidia_driver(root) || !has_render_node(root))
}

fn has_nvidia_driver(root: &Path) -> bool {
    root.join("proc/driver/nvidia").exists() || root.join("sys/module/nvidia").exists()
}

fn has_render_node(root: &Path) -> bool {
    std::fs::read_dir(root.join("dev/dri")).is_ok_and(|entries| {
        entries.filter_map(Result::ok).any(|entry| entry.file_name().to_string_lossy().starts_with("renderD"))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    fn machine(files: &[&str]) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    #[test]
    fn a_machine_with_a_render_node_keeps_the_fast_renderer() {
        let machine = machine(&["dev/dri/card0", "dev/dri/renderD128"]);
        assert!(!must_switch_off(None, machine.path()));
    }

    #[test]
    fn a_machine_without_a_render_node_does_not() {
        assert!(must_switch_off(None, machine(&[]).path()));
        assert!(must_switch_off(None, machine(&["dev/dri/card0"]).path()));
    }

    #[test]
    fn a_machine_with_an_nvidia_driver_does_not() {
        let machine = machine(&["dev/dri/renderD128", "proc/driver/nvidia/version"]);
        assert!(must_switch_off(None, machine.path()));
    }

    #[test]
    fn what_the_person_set_stands() {
        assert!(!must_switch_off(Some(OsStr::new("0")), machine(&[]).path()));
        assert!(!must_switch_off(Some(OsStr::new("")), machine(&[]).path()));
    }
}
