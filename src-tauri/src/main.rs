//! The Atlas desktop app. Everything is in the library; on Windows no console window opens beside it.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() {
    atlas_desktop::run();
}
