//! The commands that the window may call: each unpacks, calls the assistant, and hands back what it said.
//!
//! A command's error is an [`ErrorView`](atlas_core::assistant::view::ErrorView); it means that nothing was started.

use tauri::Runtime;
use tauri::ipc::Invoke;

mod backups;
mod behavior;
mod conversations;
mod forgetting;
mod health;
mod local_models;
mod memory;
mod names;
mod settings;
mod shell;
mod transfer;
mod turn;

pub use names::COMMANDS;

/// Hands each call to its command.
pub fn handler<R: Runtime>() -> impl Fn(Invoke<R>) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        shell::startup,
        shell::preferences,
        shell::save_preferences,
        shell::open_link,
        conversations::conversations,
        conversations::conversation,
        conversations::rename_conversation,
        conversations::delete_conversation,
        conversations::draft,
        conversations::save_draft,
        turn::send,
        turn::end_temporary,
        turn::retry,
        turn::edit_message,
        turn::message_versions,
        turn::stop,
        turn::run_command,
        turn::answer_sources,
        memory::facts,
        memory::episodes,
        memory::procedures,
        memory::memory_counts,
        memory::embedding_status,
        memory::test_recall,
        memory::fact_history,
        memory::edit_fact,
        memory::pin_fact,
        memory::memory_events,
        memory::subjects,
        memory::memory_source,
        memory::forget_facts,
        memory::forget_episodes,
        memory::forget_procedures,
        memory::review,
        memory::accept_review,
        memory::edit_review,
        memory::dismiss_review,
        forgetting::forget_preview,
        forgetting::forget,
        forgetting::receipts,
        memory::undo,
        transfer::export_memory,
        transfer::choose_import,
        transfer::import_memory,
        transfer::imports,
        transfer::undo_import,
        transfer::memory_file_edits,
        transfer::accept_memory_file_edits,
        transfer::dismiss_memory_file_edits,
        health::health,
        health::health_events,
        health::drift,
        health::edit_lesson,
        health::retire_procedure,
        health::logs,
        health::diagnostics,
        health::skip_wait,
        health::retry_with_alternative,
        health::send_queued_now,
        health::cancel_queued,
        health::network_changed,
        health::restart_engine,
        health::stop_engine,
        backups::store_health,
        backups::check_store,
        backups::backups,
        backups::back_up_now,
        backups::restore_backup,
        local_models::catalogue,
        local_models::downloads,
        local_models::start_download,
        local_models::download_from,
        local_models::resume_download,
        local_models::cancel_download,
        local_models::discard_download,
        local_models::choose_model_file,
        local_models::remove_local_model,
        local_models::memory_need,
        behavior::behavior,
        behavior::default_behavior,
        behavior::preview_behavior,
        behavior::save_behavior,
        behavior::behavior_versions,
        settings::settings,
        settings::save_settings,
        settings::try_memory_writing,
        settings::models,
        settings::test_connection,
        settings::discover,
        settings::key_status,
        settings::save_key,
        settings::keep_environment_key,
        settings::delete_key,
        settings::wipe_plan,
        settings::wipe,
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::COMMANDS;

    /// The names between `generate_handler![` and `]` in this file.
    fn registered() -> BTreeSet<String> {
        let source = include_str!("mod.rs");
        let (_, list) = source.split_once("generate_handler![").unwrap();
        let (list, _) = list.split_once(']').unwrap();
        list.split(',').filter_map(|path| Some(path.trim().rsplit_once("::")?.1.to_owned())).collect()
    }

    /// Everything that the capability grants.
    fn granted() -> BTreeSet<String> {
        let capability: serde_json::Value = serde_json::from_str(include_str!("../../capabilities/main.json")).unwrap();
        assert_eq!(capability["windows"], serde_json::json!(["main"]));
        assert_eq!(capability.get("remote"), None, "no page from elsewhere is granted anything");
        capability["permissions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|permission| permission.as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn every_command_is_registered_and_granted_and_nothing_else_is() {
        let listed: BTreeSet<String> = COMMANDS.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(listed.len(), COMMANDS.len(), "a name stands twice");
        assert_eq!(registered(), listed);

        let permissions = listed.iter().map(|name| format!("allow-{}", name.replace('_', "-")));
        let events = ["core:event:allow-listen", "core:event:allow-unlisten"].map(str::to_owned);
        assert_eq!(granted(), permissions.chain(events).collect());
    }
}
