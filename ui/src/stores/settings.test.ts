import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeBackend } from "../backend/fake/fake";
import { SettingsStore } from "./settings.svelte";

let backend: ReturnType<typeof fakeBackend>;
let settings: SettingsStore;

async function begin(options: Parameters<typeof fakeBackend>[0] = {}): Promise<void> {
  backend = fakeBackend(options);
  settings = new SettingsStore(backend);
  await settings.edit();
  await vi.advanceTimersByTimeAsync(0);
}

beforeEach(async () => {
  vi.useFakeTimers();
  await begin();
});

describe("the connection", () => {
  test("is a draft until it is saved", async () => {
    settings.connection.setModel("google/gemini-2.5-flash");
    expect([settings.dirty, backend.world.settings.model]).toEqual([true, "anthropic/claude-haiku-4.5"]);
    expect(await settings.save()).toBe(true);
    expect([settings.dirty, backend.world.settings.model]).toEqual([false, "google/gemini-2.5-flash"]);
  });

  test("to another service starts with its address, its model and its key", async () => {
    settings.connection.choose("openAi");
    await vi.advanceTimersByTimeAsync(0);
    expect([settings.connection.draft, settings.connection.key]).toEqual([
      { endpoint: { preset: "openAi", baseUrl: "https://api.openai.com/v1" }, model: "gpt-5-mini" },
      { type: "missing" },
    ]);
  });

  test("says why there is no list of models, and takes a typed one", async () => {
    settings.connection.choose("custom");
    settings.connection.setAddress("http://127.0.0.1:9/v1");
    await vi.advanceTimersByTimeAsync(500);
    expect(settings.connection.models).toEqual({ type: "failed", reason: "Nothing answers at http://127.0.0.1:9/v1." });
    settings.connection.setModel("my-model");
    expect(await settings.save()).toBe(true);
    expect(backend.world.settings.model).toBe("my-model");
  });

  test("is tried as the form has it, saved or not", async () => {
    expect(await settings.connection.tryConnection()).toEqual({ type: "works", message: "claude-haiku-4.5 answered in 0.8 s." });
    settings.connection.choose("openAi");
    await vi.advanceTimersByTimeAsync(0);
    expect(await settings.connection.tryConnection()).toMatchObject({ type: "fails", failure: { next: "enterKey" } });
  });

  test("that is discarded is the saved one again", () => {
    settings.connection.choose("ollama");
    settings.discard();
    expect([settings.dirty, settings.connection.draft?.endpoint.preset]).toEqual([false, "openRouter"]);
  });
});

describe("the key", () => {
  test("is kept, known by its end, and removed", async () => {
    settings.connection.choose("openAi");
    await settings.connection.saveKey("  sk-test-0123456789abcd ", "inKeychain");
    expect(settings.connection.key).toEqual({ type: "present", last4: "abcd", place: "keychain" });
    await settings.connection.deleteKey();
    expect(settings.connection.key).toEqual({ type: "missing" });
  });

  test("without a keychain can be kept for the session", async () => {
    await begin({ keychain: false, setUp: false });
    settings.connection.choose("openRouter");
    await vi.advanceTimersByTimeAsync(0);
    expect(settings.connection.key.type).toBe("unavailable");
    await expect(settings.connection.saveKey("sk-test-0123456789abcd", "inKeychain")).rejects.toMatchObject({ code: "keychain" });
    await settings.connection.saveKey("sk-test-0123456789abcd", "thisSession");
    expect(settings.connection.key).toEqual({ type: "present", last4: "abcd", place: "session" });
  });
});

test("the other settings count at once, and leave a half-edited connection alone", async () => {
  settings.connection.choose("ollama");
  await settings.patch({ maxRetries: 5 });
  expect([backend.world.settings.maxRetries, backend.world.settings.endpoint?.preset, settings.connection.draft?.endpoint.preset]).toEqual([5, "openRouter", "ollama"]);
});

describe("mending what failed", () => {
  test("of the second service touches only that: its key and its model", async () => {
    const fallback = { endpoint: { preset: "openAi" as const, baseUrl: "https://api.openai.com/v1" }, model: "gpt-4o" };
    await settings.patch({ fallback, fallbackModel: "second" });
    const before = { ...backend.world.settings };
    const mend = settings.mending(fallback);
    await mend.saveKey("sk-0123456789wxyz", "inKeychain");
    mend.setModel("gpt-5-mini");
    expect(await settings.replace(fallback, mend.draft!)).toBe(true);
    expect([[...backend.world.keys.keys()].includes("openAi"), backend.world.settings]).toEqual([true, { ...before, fallback: { ...fallback, model: "gpt-5-mini" } }]);
  });

  test("of the second model leaves the first one", async () => {
    await settings.patch({ fallbackModel: "second" });
    const before = { ...backend.world.settings };
    const failed = { endpoint: before.endpoint!, model: "second" };
    expect(await settings.replace(failed, { ...failed, model: "third" })).toBe(true);
    expect(backend.world.settings).toEqual({ ...before, fallbackModel: "third" });
  });


  test("takes another model, and the form follows unless it was changed", async () => {
    const mend = settings.mending(null);
    mend.setModel("openai/gpt-5-mini");
    expect(await settings.take(mend.draft!.endpoint, mend.draft!.model)).toBe(true);
    expect([backend.world.settings.model, settings.connection.draft?.model, settings.dirty]).toEqual(["openai/gpt-5-mini", "openai/gpt-5-mini", false]);
    settings.connection.choose("ollama");
    await settings.take(mend.draft!.endpoint, "google/gemini-2.5-flash");
    expect([backend.world.settings.model, settings.connection.draft?.endpoint.preset]).toEqual(["google/gemini-2.5-flash", "ollama"]);
  });

  test("keeps a key for the service in force", async () => {
    settings.connection.choose("openAi");
    const mend = settings.mending(null);
    await mend.saveKey("sk-or-0123456789wxyz", "inKeychain");
    expect([mend.key, backend.world.keys.get("openAi")]).toEqual([{ type: "present", last4: "wxyz", place: "keychain" }, undefined]);
  });
});

test("what runs on this computer needs no network", async () => {
  const local = [];
  const endpoints = ["https://openrouter.ai/api/v1", "http://127.0.0.1:11434/v1", "http://localhost:1234/v1", "http://127.example.org/v1"];
  for (const baseUrl of endpoints) {
    await settings.take({ preset: "custom", baseUrl }, "m");
    local.push(settings.isLocal);
  }
  await settings.take({ preset: "builtIn", baseUrl: "" }, "m");
  expect([...local, settings.isLocal]).toEqual([false, true, true, false, true]);
});
