// The real backend: each method is one command of the shell. No logic.
import { Channel, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { type Backend, BackendError, type TurnSink } from "./backend";
import type { AppEvent, TurnEvent } from "./types";

async function call<T>(command: string, args: Record<string, unknown> = {}): Promise<T> {
  try {
    return await invoke<T>(command, args);
  } catch (thrown) {
    throw BackendError.from(thrown);
  }
}

function channel(sink: TurnSink): Channel<TurnEvent> {
  const events = new Channel<TurnEvent>();
  events.onmessage = sink;
  return events;
}

/** Talks to the shell that this window belongs to. */
export function tauriBackend(): Backend {
  return {
    listen(listener) {
      const pending = listen<AppEvent>("atlas", (event) => listener(event.payload));
      return () => void pending.then((stop) => stop());
    },

    startup: () => call("startup"),
    preferences: () => call("preferences"),
    savePreferences: (preferences) => call("save_preferences", { preferences }),
    openLink: (url) => call("open_link", { url }),

    conversations: (search) => call("conversations", { search }),
    conversation: (id) => call("conversation", { id }),
    renameConversation: (id, title) => call("rename_conversation", { id, title }),
    deleteConversation: (id, learned) => call("delete_conversation", { id, learned }),
    draft: (conversation) => call("draft", { conversation }),
    saveDraft: (conversation, text) => call("save_draft", { conversation, text }),

    send: (conversation, text, temporary, sink) => call("send", { conversation, text, temporary, events: channel(sink) }),
    endTemporary: () => call("end_temporary"),
    editMessage: (message, text, sink) => call("edit_message", { message, text, events: channel(sink) }),
    messageVersions: (message) => call("message_versions", { message }),
    retry: (message, sink) => call("retry", { message, events: channel(sink) }),
    retryWithAlternative: (message, sink) => call("retry_with_alternative", { message, events: channel(sink) }),
    stop: (turn) => call("stop", { turn }),
    skipWait: (turn) => call("skip_wait", { turn }),
    sendQueuedNow: () => call("send_queued_now"),
    cancelQueued: (message) => call("cancel_queued", { message }),
    networkChanged: (online) => call("network_changed", { online }),
    runCommand: (text, conversation) => call("run_command", { text, conversation }),
    answerSources: (message) => call("answer_sources", { message }),

    facts: (query) => call("facts", { query }),
    episodes: (query) => call("episodes", { query }),
    procedures: (query) => call("procedures", { query }),
    memoryCounts: () => call("memory_counts"),
    factHistory: (id) => call("fact_history", { id }),
    editFact: (id, draft, quote) => call("edit_fact", { id, draft, quote }),
    pinFact: (id, pinned) => call("pin_fact", { id, pinned }),
    memorySource: (memory) => call("memory_source", { memory }),
    subjects: (search) => call("subjects", { search }),
    memoryEvents: (query) => call("memory_events", { query }),
    undo: (events) => call("undo", { events }),

    forgetPreview: (target) => call("forget_preview", { target }),
    forget: (target, messages) => call("forget", { target, messages }),
    receipts: () => call("receipts"),

    review: (query) => call("review", { query }),
    acceptReview: (ids, keepBoth) => call("accept_review", { ids, keepBoth }),
    editReview: (id, draft) => call("edit_review", { id, draft }),
    dismissReview: (ids) => call("dismiss_review", { ids }),

    testRecall: (question) => call("test_recall", { question }),
    embeddingStatus: () => call("embedding_status"),

    exportMemory: (format) => call("export_memory", { format }),
    chooseImport: () => call("choose_import"),
    importMemory: (token) => call("import_memory", { token }),
    imports: () => call("imports"),
    undoImport: (importId) => call("undo_import", { import: importId }),
    memoryFileEdits: () => call("memory_file_edits"),
    acceptMemoryFileEdits: () => call("accept_memory_file_edits"),
    dismissMemoryFileEdits: () => call("dismiss_memory_file_edits"),

    behavior: () => call("behavior"),
    defaultBehavior: () => call("default_behavior"),
    previewBehavior: (spec) => call("preview_behavior", { spec }),
    saveBehavior: (spec) => call("save_behavior", { spec }),
    behaviorVersions: () => call("behavior_versions"),

    settings: () => call("settings"),
    saveSettings: (settings) => call("save_settings", { settings }),
    tryMemoryWriting: () => call("try_memory_writing"),
    models: (endpoint) => call("models", { endpoint }),
    testConnection: (endpoint, model) => call("test_connection", { endpoint, model }),
    discover: () => call("discover"),
    keyStatus: (endpoint) => call("key_status", { endpoint }),
    saveKey: (endpoint, key, keep) => call("save_key", { endpoint, key, keep }),
    keepEnvironmentKey: (endpoint) => call("keep_environment_key", { endpoint }),
    deleteKey: (endpoint) => call("delete_key", { endpoint }),
    wipePlan: (scope) => call("wipe_plan", { scope }),
    wipe: (scope) => call("wipe", { scope }),

    health: () => call("health"),
    healthEvents: (query) => call("health_events", { query }),
    drift: (days) => call("drift", { days }),
    logs: () => call("logs"),
    diagnostics: () => call("diagnostics"),
    editLesson: (id, lesson) => call("edit_lesson", { id, lesson }),
    retireProcedure: (id, retired) => call("retire_procedure", { id, retired }),

    storeHealth: () => call("store_health"),
    checkStore: () => call("check_store"),
    backups: () => call("backups"),
    backUpNow: () => call("back_up_now"),
    restoreBackup: (name) => call("restore_backup", { name }),

    restartEngine: () => call("restart_engine"),
    stopEngine: () => call("stop_engine"),
    catalogue: () => call("catalogue"),
    downloads: () => call("downloads"),
    startDownload: (id) => call("start_download", { id }),
    downloadFrom: (url) => call("download_from", { url }),
    resumeDownload: (file) => call("resume_download", { file }),
    cancelDownload: (file) => call("cancel_download", { file }),
    discardDownload: (file) => call("discard_download", { file }),
    chooseModelFile: () => call("choose_model_file"),
    removeLocalModel: (id) => call("remove_local_model", { id }),
    memoryNeed: (model, contextTokens) => call("memory_need", { model, contextTokens }),
  };
}
