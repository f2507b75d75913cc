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
      error: { code: "locked", message: "Another Atlas is open with this agent. Close it, then try again.", retryable: true },
    },
  },
  broken: { failing: new Set(["facts", "models", "episodes"]) },
  nokeychain: { keychain: false, setUp: false, filled: false },
  slow: { latency: 1500 },
  fast: { piece: 400 },
  huge: { facts: 100_000, latency: 12 },
  reading: { waiting: 1_204 },
  words: { meaning: false },
  edited: { edited: true },
};

/** The fake in the scenario and the theme that the page's address names. */
export function demoBackend(address: URLSearchParams): Backend {
  const backend = fakeBackend({ latency: 30, ...scenarios[address.get("scenario") ?? "filled"] });
  const theme = address.get("theme");
  if (theme) backend.world.preferences.theme = theme as Theme;
  return backend;
}
