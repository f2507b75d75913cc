//! The architecture, as a test: dependencies point downwards only.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers of the core, the highest first. A module may use modules of lower layers and its own.
const LAYERS: &[&[&str]] = &[
    &["assistant"],
    &["turn"],
    &["mind"],
    &["healing"],
    &["behavior", "settings"],
    &["memory"],
    &["supervisor", "keychain"],
    &["providers", "embedding"],
    &["store"],
    &["text", "clock", "home", "logs"],
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests stand in the repository").to_owned()
}

/// All files below a folder with one of the endings.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, endings));
        } else if path.extension().is_some_and(|ending| endings.iter().any(|wanted| ending == *wanted)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Code lines: comments may name anything. A `use` over several lines is one.
fn code_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
        match lines.last_mut() {
            Some((_, whole)) if is_open => whole.push_str(line.trim_start()),
            _ => lines.push((index + 1, line.to_owned())),
        }
        let last = lines.last().map(|(_, line)| line.trim_start()).unwrap_or_default();
        is_open = (last.starts_with("use ") || last.starts_with("pub use ")) && !last.contains(';');
    }
    lines
}

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// The modules that a line names as `crate::module`, also inside braces: `use crate::{a::X, b::Y}`.
fn named_modules(line: &str) -> BTreeSet<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>();
    line.match_indices("crate::")
        .flat_map(|(at, path)| {
            let rest = &line[at + path.len()..];
            match rest.strip_prefix('{') {
                Some(list) => list.split(',').map(|item| word(item.trim_start())).collect::<Vec<_>>(),
                None => vec![word(rest)],
            }
        })
        .filter(|module| !module.is_empty())
        .collect()
}

#[test]
fn a_core_module_uses_only_modules_of_lower_layers() {
    let source = repository().join("src-tauri/crates/core/src");
    let mut wrong = Vec::new();
    for file in files(&source, &["rs"]) {
        let inside = file.strip_prefix(&source).unwrap();
        let module = inside.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
        if module == "lib" {
            continue;
        }
        let layer = layer_of(&module).unwrap_or_else(|| panic!("{module} stands in no layer: add it to LAYERS"));
        for (number, line) in code_lines(&fs::read_to_string(&file).unwrap()) {
            for used in named_modules(&line).into_iter().filter(|used| *used != module) {
                if layer_of(&used).is_some_and(|below| below <= layer) {
                    wrong.push(format!("{}:{number}: {module} uses {used}", inside.display()));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_core_and_the_terminal_name_no_tauri() {
    let mut wrong = Vec::new();
    for folder in ["src-tauri/crates/core", "src-tauri/crates/terminal"] {
        for file in files(&repository().join(folder), &["rs", "toml"]) {
            for (number, line) in code_lines(&fs::read_to_string(&file).unwrap()) {
                if line.contains("tauri::")
                    || line.contains("tauri.workspace")
                    || line.trim_start().starts_with("tauri")
                {
                    wrong.push(format!("{}:{number}: {line}", file.display()));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn only_the_backend_of_the_window_imports_tauri() {
    let source = repository().join("ui/src");
    let mut importing = BTreeSet::new();
    for file in files(&source, &["ts", "svelte", "js"]) {
        if fs::read_to_string(&file).unwrap().contains("@tauri-apps/") {
            importing.insert(file.strip_prefix(&source).unwrap().iter().next().unwrap().to_owned());
        }
    }
    assert_eq!(importing, BTreeSet::from(["backend".into()]));
}

#[test]
fn a_module_that_points_up_is_seen() {
    let one = |line: &str| named_modules(line).into_iter().collect::<Vec<_>>();
    assert_eq!(one("use crate::turn::Turn;"), ["turn"]);
    assert_eq!(one("    let x = crate::store::Store::open(crate::home::FOLDER);"), ["home", "store"]);
    assert_eq!(one("use crate::{memory::fact, turn::event};"), ["memory", "turn"]);
    let several = code_lines("use crate::{\n    memory::fact,\n    turn::event,\n};\nlet x = 1;");
    assert_eq!(several.len(), 2);
    assert_eq!(one(&several[0].1), ["memory", "turn"]);
    assert!(layer_of("store") > layer_of("turn"));
}
