// What the fake's health page shows at its start: a week with a few troubles in it, all believable.
import type { BackupView, ConductSample, DriftDay, EngineState, HealthEventView, LogLevel, LogLine, ProviderHealthView, ServiceView, StoreHealthView, StoreModeName } from "../types";
import { ago, type SeededConversation } from "./seed";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type Told = Pick<HealthEventView, "source" | "code" | "trigger" | "remedy" | "outcome" | "waitedSeconds" | "provider" | "model">;

const haiku = { provider: "OpenRouter", model: "anthropic/claude-haiku-4.5" };
const local = { provider: "Built-in model", model: "starter-1.5b-instruct-q4_k_m.gguf" };
const nobody = { provider: "", model: "" };

const troubles: Told[] = [
  { source: "turn", code: "rate_limit", trigger: "OpenRouter is busy (rate limit)", remedy: "Wait as long as it asks, then ask again", outcome: "worked", waitedSeconds: 4, ...haiku },
  { source: "turn", code: "credentials", trigger: "OpenRouter refuses the key", remedy: "Ask you for a key", outcome: "told", waitedSeconds: 0, ...haiku },
  { source: "engine", code: "engine_out_of_memory", trigger: "The built-in model was ended: there was not enough memory", remedy: "Start the engine afresh", outcome: "failed", waitedSeconds: 8, ...local },
  { source: "turn", code: "timeout", trigger: "خادم محلي لا يجيب في الوقت المناسب", remedy: "别的模型 / Ask another model", outcome: "worked", waitedSeconds: 60, provider: "خادم محلي", model: `vendor/${"averylongmodelname".repeat(5)}` },
  { source: "store", code: "store_busy", trigger: "The database was busy", remedy: "Try again after a moment", outcome: "worked", waitedSeconds: 0.4, ...nobody },
  { source: "turn", code: "truncated_stream", trigger: "The answer broke off", remedy: "Go on where it broke off", outcome: "worked", waitedSeconds: 1, ...haiku },
  { source: "conduct", code: "rule_broken", trigger: "claude-haiku-4.5 passed itself off as a human", remedy: "Take the answer back and ask for another one", outcome: "worked", waitedSeconds: 0, ...haiku },
  { source: "background", code: "memory_ops_invalid", trigger: "What to remember could not be read", remedy: "Ask again for that part only", outcome: "worked", waitedSeconds: 0, ...haiku },
  { source: "turn", code: "network", trigger: "OpenRouter could not be reached", remedy: "Keep the message until the network is back", outcome: "worked", waitedSeconds: 312, ...haiku },
  { source: "turn", code: "server", trigger: "OpenRouter has a fault of its own (529)", remedy: null, outcome: "failed", waitedSeconds: 0, ...haiku },
];

/** What failed and what was done about it, the newest first. */
export function seedHealthEvents(now: number, conversations: readonly SeededConversation[], count: number, next: () => number): HealthEventView[] {
  return Array.from({ length: count }, (_, index) => ({
    ...troubles[index % troubles.length]!,
    id: next(),
    at: ago(now, 25 * MINUTE + index * 3 * HOUR),
    conversation: index % 3 === 0 ? (conversations[index % Math.max(1, conversations.length)]?.conversation.id ?? null) : null,
  }));
}

export function seedEngine(state: EngineState): ServiceView {
  const runs = state.type === "ready" || state.type === "starting";
  const ill = state.type === "resting" || state.type === "flapping";
  return {
    name: "engine",
    state,
    runs: runs ? local.model : "",
    diagnosis: ill ? "There was not enough memory for this model. Close other programs, or choose a smaller model or context." : null,
    log: [
      "llama_model_loader: loaded meta data with 26 key-value pairs and 338 tensors",
      "llama_context: n_ctx = 8192",
      ...(ill ? ["ggml_aligned_malloc: insufficient memory (attempted to allocate 224.00 MB)", "error: failed to create context"] : ["main: server is listening on http://127.0.0.1:41207"]),
    ],
  };
}

export function seedProviders(now: number, troubled: boolean): ProviderHealthView[] {
  const well = { breaker: "closed" as const, failuresInARow: 0, notBefore: null };
  return [
    { provider: "OpenRouter", ...well, lastFailure: "rate_limit", lastFailureAt: ago(now, 25 * MINUTE), lastSuccessAt: ago(now, 20 * MINUTE) },
    troubled
      ? {
          provider: "Ollama",
          breaker: "open",
          failuresInARow: 3,
          lastFailure: "network_refused",
          lastFailureAt: ago(now, 2 * MINUTE),
          lastSuccessAt: ago(now, 3 * DAY),
          notBefore: ago(now, -8 * MINUTE),
        }
      : { provider: "Ollama", ...well, lastFailure: null, lastFailureAt: null, lastSuccessAt: ago(now, 3 * DAY) },
  ];
}

export function seedStore(now: number, mode: StoreModeName): StoreHealthView {
  const problems: Record<StoreModeName, string | null> = {
    normal: null,
    repaired: "A part of the database that can be made anew was damaged, and was: the index of words. Nothing was lost.",
    checking: "The database may be damaged. Atlas is looking at all of it and saves nothing meanwhile.",
    unwritable: "Atlas cannot write to its database. Check the permissions of the data folder.",
    damaged: "Atlas’s database is damaged. Restore a backup: what can still be read in the damaged file is put into it.",
    onBackup: "The database is damaged, so Atlas shows a backup of it and saves nothing. Restore the backup: what can still be read in the damaged file is put into it.",
  };
  const backup = mode === "onBackup" ? seedBackups(now)[0]! : null;
  return { mode, problem: problems[mode], backup: backup?.name ?? null, backupAt: backup?.at ?? null, checkedAt: ago(now, 5 * HOUR), lastBackupAt: ago(now, 9 * HOUR) };
}

export function seedBackups(now: number): BackupView[] {
  const days = [0.4, 1.4, 2.4, 3.4, 4.4, 5.4, 6.4, 13, 20, 27];
  return days.map((days_, index) => ({
    name: `atlas-${ago(now, days_ * DAY).slice(0, 10)}.db`,
    at: ago(now, days_ * DAY),
    bytes: 3_140_000 - index * 41_000,
    verified: index !== 5,
    reason: index === 2 ? "Made before an update" : index === 5 ? "Not made by Atlas" : "Made by itself",
  }));
}

/** The latest answers that broke a rule or left the role, the newest first. */
export function seedStrayed(now: number): ConductSample[] {
  const model = { provider: haiku.provider, model: haiku.model };
  return [
    { at: ago(now, 2 * DAY), ...model, violations: ["claims_human"], onRole: 0.9 },
    { at: ago(now, 6 * DAY), ...local, violations: [], onRole: 0.42 },
    { at: ago(now, 7 * DAY), ...local, violations: ["forbidden_claim", "leaked_prompt"], onRole: 0.61 },
    { at: ago(now, 7.2 * DAY), ...local, violations: ["sealed_topic"], onRole: null },
  ];
}

export function seedDrift(now: number): DriftDay[] {
  const measured = [0.91, 0.93, 0.92, 0.9, null, 0.88, 0.71, 0.64, 0.86, 0.92, 0.93, 0.94, 0.93, 0.95];
  return measured.map((onRole, index) => ({
    day: ago(now, (measured.length - 1 - index) * DAY).slice(0, 10),
    answers: onRole === null ? 2 : 6 + ((index * 5) % 11),
    violations: index === 6 ? 2 : index === 11 ? 1 : 0,
    offRole: onRole !== null && onRole < 0.75 ? 2 : 0,
    onRole,
  }));
}

export function seedLogs(now: number): LogLine[] {
  const lines: [LogLevel, string][] = [
    ["info", "agent opened in 41 ms"],
    ["info", "backup written and verified: 3.1 MB"],
    ["info", "turn completed: 1184 + 212 tokens, first word after 640 ms"],
    ["warning", "provider busy: status 429, retry after 4 s"],
    ["info", "remedy wait worked"],
    ["error", "engine exited: signal 9, 1 of 5 crashes in 5 minutes"],
    ["info", "engine starts again in 2 s"],
    ["info", "engine ready after 3.2 s"],
  ];
  return Array.from({ length: 64 }, (_, index) => {
    const [level, text] = lines[index % lines.length]!;
    return { at: ago(now, (64 - index) * 7 * MINUTE), level, text };
  });
}
