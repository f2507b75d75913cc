import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeBackend } from "../backend/fake/fake";
import type { FakeOptions } from "../backend/fake/world";
import { Models } from "./models.svelte";
import { Toasts } from "./toasts.svelte";

let backend: ReturnType<typeof fakeBackend>;
let toasts: Toasts;
let models: Models;
let changed: number;

async function begin(options: Partial<FakeOptions> = {}): Promise<void> {
  backend = fakeBackend(options);
  toasts = new Toasts();
  changed = 0;
  models = new Models(backend, toasts, async () => void (changed += 1));
  backend.listen((event) => {
    if (event.type === "download") models.heard(event.state);
  });
  await models.open();
}

beforeEach(() => {
  vi.useFakeTimers();
  return begin();
});

describe("a download", () => {
  test("tells how far it is, and is a model on this computer when it is whole", async () => {
    await models.start("small");
    await vi.advanceTimersByTimeAsync(1000);
    expect(models.downloadOf("small")).toEqual({
      id: "small",
      name: "Qwen 3 4B Instruct",
      state: "running",
      received: 38_000_000,
      total: 2_500_000_000,
      bytesPerSecond: 38_000_000,
      problem: null,
    });
    await vi.advanceTimersByTimeAsync(70_000);
    expect([models.downloads, changed, backend.world.models.map((model) => model.id)]).toEqual([
      [],
      1,
      ["starter-1.5b-instruct-q4_k_m.gguf", "qwen3-4b-instruct-q4_k_m.gguf"],
    ]);
  });

  test("is paused, keeps what came, and goes on from there", async () => {
    await models.start("small");
    await vi.advanceTimersByTimeAsync(1000);
    await models.pause("small");
    await vi.advanceTimersByTimeAsync(5000);
    const paused = models.downloadOf("small");
    await models.start("small");
    await vi.advanceTimersByTimeAsync(500);
    expect([paused?.state, paused?.received, models.downloadOf("small")?.state, models.downloadOf("small")?.received]).toEqual(["paused", 38_000_000, "running", 57_000_000]);
  });

  test("that is cancelled leaves nothing", async () => {
    await models.start("small");
    await models.discard("small");
    await vi.advanceTimersByTimeAsync(5000);
    expect([models.downloads, backend.world.models.length]).toEqual([[], 1]);
  });

  test("that breaks off says why, and keeps what came", async () => {
    await begin({ breaksDownloads: true });
    await models.start("small");
    await vi.advanceTimersByTimeAsync(60_000);
    const { state, problem, received } = models.downloadOf("small")!;
    expect([state, problem, received > 0]).toEqual(["failed", "The connection broke off. What came is kept; try again to go on from there.", true]);
  });

  test("from an address that is none says so beside the address", async () => {
    expect([await models.from("ftp://x"), models.addressProblem]).toEqual([false, "This is no address of a model file: it should begin with https:// and end in .gguf."]);
    expect([await models.from(" https://models.example/a.gguf "), models.addressProblem, models.downloads.map((one) => one.id)]).toEqual([true, "", ["a.gguf"]]);
  });

  test("from an address goes on from that address", async () => {
    const ask = vi.spyOn(backend, "downloadFrom");
    await models.from("https://models.example/a.gguf");
    await models.pause("a.gguf");
    await models.start("a.gguf");
    expect([ask.mock.calls, models.downloadOf("a.gguf")?.state]).toEqual([[["https://models.example/a.gguf"], ["https://models.example/a.gguf"]], "running"]);
  });

  test("that did not begin says why", async () => {
    await begin({ failing: new Set(["startDownload"]) });
    expect([await models.start("small"), toasts.list.map((toast) => toast.tone)]).toEqual([false, ["bad"]]);
  });
});

describe("a model file", () => {
  test("is chosen from the disk, and removed from the list", async () => {
    await models.choose();
    const added = backend.world.models.at(-1)!;
    await models.remove(added);
    expect([added.external, changed, backend.world.models.length, toasts.list.map((toast) => toast.text)]).toEqual([true, 2, 1, ["Added My own model"]]);
  });

  test("needs the more memory the more it shall read at once", async () => {
    const fits = [];
    for (const context of [8192, 65_536, 131_072]) {
      models.measure("starter-1.5b-instruct-q4_k_m.gguf", context);
      await vi.advanceTimersByTimeAsync(0);
      fits.push(models.need.value?.fits);
    }
    expect(fits).toEqual(["yes", "tight", "no"]);
  });

  test("is measured once for the same question, and not at all where there is none", async () => {
    const ask = vi.spyOn(backend, "memoryNeed");
    models.measure("a.gguf", 8192);
    await vi.advanceTimersByTimeAsync(0);
    models.measure("a.gguf", 8192);
    models.measure("", 8192);
    await vi.advanceTimersByTimeAsync(0);
    expect([ask.mock.calls, models.need.value]).toEqual([[["a.gguf", 8192]], null]);
  });
});
