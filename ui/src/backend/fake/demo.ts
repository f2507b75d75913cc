// The fake as `npm run dev` and `npm run demo` use it. `?scenario=` chooses how it begins.
import type { Backend, Theme } from "../backend";
import type { Found } from "../types";
import { fakeBackend } from "./fake";
import type { FakeOptions } from "./world";

const found: Found[] = [
  {
    endpoint: { preset: "ollama", baseUrl: "http://127.0.0.1:11434/v1" },
    title: "Ollama is running on this computer, with 3 models",
    model: "llama3.2:3b",
    keyFromEnvironment: false,
  },
  {
    endpoint: { preset: "openRouter", baseUrl: "https://openrouter.ai/api/v1" },
    title: "A key for OpenRouter is in the environment (OPENROUTER_API_KEY)",
    model: "anthropic/claude-haiku-4.5",
    keyFromEnvironment: true,
  },
  {
    endpoint: { preset: "builtIn", baseUrl: "" },
    title: "The built-in model is ready: nothing leaves this computer",
    model: "starter-1.5b-instruct-q4_k_m.gguf",
    keyFromEnvironment: false,
  },
];

const scenarios: Record<string, Partial<FakeOptions>> = {
  filled: {},
  empty: { filled: false },
  first: { filled: false, setUp: false, found },
  nothing: { filled: false, setUp: false },
  failed: {
    startup: {
      type: "failed",
      error: { code: "store_held", message: "Atlas is already open on this computer. Use that window, or close it and try again.", retryable: true },
    },
  },
  broken: { failing: new Set(["facts", "models", "episodes"]) },
  nokeychain: { keychain: false, setUp: false, filled: false },
  slow: { latency: 1500 },
  fast: { piece: 400 },
  huge: { facts: 100_000, latency: 12 },
  reading: { waiting: 1_204 },
  words: { meaning: false },
  tried: { trial: { model: "qwen2.5-coder-1.5b", form: "labels", right: 4, of: 6, at: new Date().toISOString() }, sealed: true },
  edited: { edited: true },
  offline: { online: false },
  troubled: { troubled: true, engine: { type: "flapping", until: new Date(Date.now() + 9 * 60_000).toISOString() }, troubles: 2_000 },
  resting: { engine: { type: "resting", until: new Date(Date.now() + 45_000).toISOString() } },
  readonly: { store: "unwritable" },
  onbackup: { store: "onBackup" },
  corrupt: {
    startup: {
      type: "failed",
      error: { code: "store_corrupt", message: "Atlas’s database is damaged and could not be repaired. Restore a backup: what is there now is kept beside it.", retryable: true },
    },
  },
  full: { startup: { type: "failed", error: { code: "store_full", message: "The disk is full, so Atlas could not open its database. Free some space, then try again.", retryable: true } } },
  breaking: { breaksDownloads: true },
  unwell: { failing: new Set(["health", "healthEvents", "drift", "logs", "storeHealth", "backups", "catalogue", "downloads"]) },
};

/** The fake in the scenario and the theme that the page's address names. */
export function demoBackend(address: URLSearchParams): Backend {
  const backend = fakeBackend({ latency: 30, ...scenarios[address.get("scenario") ?? "filled"] });
  const theme = address.get("theme");
  if (theme) backend.world.preferences.theme = theme as Theme;
  return backend;
}
