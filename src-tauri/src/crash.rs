//! What is left behind when something inside Atlas breaks: where it happened, never what was being handled.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};

use atlas_core::clock::{Clock, SystemClock};
use atlas_core::home::Home;

/// The log begins anew past this size, in bytes.
const LOG_LIMIT: u64 = 64 * 1024;

/// From now on a panic writes one line to standard error and to `logs/crashes.log`.
///
/// Invariant: the panic's message is left out, because it may hold a message of the person's or a key.
pub fn install(home: &Home) {
    let logs = home.logs();
    std::panic::set_hook(Box::new(move |info| {
        let line = line(info);
        eprintln!("{line}");
        // A crash log that cannot be written must not break anything further.
        let _ = append(&logs, &line);
    }));
}

fn line(info: &PanicHookInfo<'_>) -> String {
    let place = info
        .location()
        .map_or_else(|| "an unknown place".to_owned(), |at| format!("{}:{}", file_name(at.file()), at.line()));
    let thread = std::thread::current().name().unwrap_or("unnamed").to_owned();
    let now = SystemClock.now().format("%Y-%m-%dT%H:%M:%SZ");
    format!("{now} Atlas {} broke at {place} (thread {thread})", env!("CARGO_PKG_VERSION"))
}

/// The last two parts of a source path: enough to find it, and nothing of the machine that built it.
fn file_name(path: &str) -> String {
    let mut parts: Vec<&str> = path.rsplit(['/', '\\']).take(2).collect();
    parts.reverse();
    parts.join("/")
}

fn append(logs: &Path, line: &str) -> std::io::Result<()> {
    fs::create_dir_all(logs)?;
    let path: PathBuf = logs.join("crashes.log");
    let full = fs::metadata(&path).is_ok_and(|file| file.len() > LOG_LIMIT);
    let mut file = OpenOptions::new().create(true).write(true).append(!full).truncate(full).open(path)?;
    writeln!(file, "{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_path_is_cut_to_its_end() {
        assert_eq!(file_name("/home/builder/.cargo/registry/src/x/serde/src/de.rs"), "src/de.rs");
        assert_eq!(file_name(r"C:\build\src\lib.rs"), "src/lib.rs");
        assert_eq!(file_name("lib.rs"), "lib.rs");
    }

    #[test]
    fn a_log_that_grew_too_long_begins_anew() {
        let folder = std::env::temp_dir().join(format!("atlas-crash-{}", std::process::id()));
        append(&folder, &"x".repeat(LOG_LIMIT as usize)).unwrap();
        append(&folder, "first").unwrap();
        append(&folder, "second").unwrap();
        let log = fs::read_to_string(folder.join("crashes.log")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(log, "first\nsecond\n");
    }
}
