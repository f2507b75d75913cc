import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeBackend } from "../backend/fake/fake";
import type { FakeOptions } from "../backend/fake/world";
import { Models } from "./models.svelte";
import { Toasts } from "./toasts.svelte";

let backend: ReturnType<typeof fakeBackend>;
let toasts: Toasts;
let models: Models;
let changed: number;

const SMALL = "qwen3-4b-instruct-q4_k_m.gguf";
const said = () => toasts.list.map((toast) => toast.text);

async function begin(options: Partial<FakeOptions> = {}): Promise<void> {
  backend = fakeBackend(options);
  toasts = new Toasts();
  changed = 0;
  models = new Models(backend, toasts);
  backend.listen((event) => {
    if (event.type === "download") models.heard(event.state);
    if (event.type === "modelsChanged") changed += 1;
  });
  await models.open();
}

beforeEach(() => {
  vi.useFakeTimers();
  return begin();
});

describe("a download", () => {
  test("that ended while the list was asked for is not put back by an older answer", async () => {
    const state = { file: "a.gguf", name: "A", bytes: 1, total: 1, bytesPerSecond: null, problem: null };
    vi.spyOn(backend, "downloads").mockImplementationOnce(() => {
      models.heard({ ...state, step: "failed" });
      return Promise.resolve([{ ...state, step: "checking" }]);
    });
    vi.spyOn(backend, "downloads").mockResolvedValue([{ ...state, step: "failed" }]);
    await models.open();
    expect(models.downloads).toEqual([{ ...state, step: "failed" }]);
  });

  test("tells how far it is, and is a model on this computer when it is whole", async () => {
    await models.start("small");
    await vi.advanceTimersByTimeAsync(1000);
    expect(models.downloadOf(SMALL)).toEqual({
      file: SMALL,
      name: "Qwen 3 4B Instruct",
      step: "loading",
      bytes: 38_000_000,
      total: 2_500_000_000,
      bytesPerSecond: 38_000_000,
      problem: null,
    });
    await vi.advanceTimersByTimeAsync(65_000);
    expect([models.downloads, changed, backend.world.models.map((model) => model.id), said()]).toEqual([
      [],
      1,
      ["starter-1.5b-instruct-q4_k_m.gguf", SMALL],
      ["Qwen 3 4B Instruct is downloaded and checked."],
    ]);
  });

  test("is paused, keeps what came, and goes on from there", async () => {
    await models.start("small");
    await vi.advanceTimersByTimeAsync(1000);
    await models.pause(SMALL);
    await vi.advanceTimersByTimeAsync(5000);
    const paused = models.downloadOf(SMALL);
    await models.resume(SMALL);
    await vi.advanceTimersByTimeAsync(500);
    const resumed = models.downloadOf(SMALL);
    expect([paused?.step, paused?.bytes, resumed?.step, resumed?.bytes]).toEqual(["paused", 38_000_000, "loading", 57_000_000]);
  });

  test("that is cancelled leaves nothing", async () => {
    await models.start("small");
    await models.discard(SMALL);
    await vi.advanceTimersByTimeAsync(5000);
    expect([models.downloads, backend.world.models.length]).toEqual([[], 1]);
  });

  test("that was cancelled does not come back with news that came late, and can be begun anew", async () => {
    await models.start("small");
    const paused = { ...models.downloadOf(SMALL)!, step: "paused" as const };
    await models.discard(SMALL);
    models.heard(paused);
    const after = models.downloads;
    await models.start("small");
    expect([after, models.downloadOf(SMALL)?.step]).toEqual([[], "loading"]);
  });

  test("that breaks off says why, and keeps what came", async () => {
    await begin({ breaksDownloads: true });
    await models.start("small");
    await vi.advanceTimersByTimeAsync(60_000);
    const { step, problem, bytes } = models.downloadOf(SMALL)!;
    expect([step, problem?.message, bytes > 0]).toEqual(["failed", "The connection broke several times. Go on later: what came is kept.", true]);
  });

  test("from an address that is none says so beside the address", async () => {
    expect([await models.from("ftp://x"), models.addressProblem]).toEqual([false, "This is not the address of a model file. It begins with https:// and ends with .gguf."]);
    expect([await models.from(" https://models.example/a.gguf "), models.addressProblem, models.downloads.map((one) => one.file)]).toEqual([true, "", ["a.gguf"]]);
  });

  test("that was left earlier is listed when the settings open, and goes on", async () => {
    backend.world.downloads = [{ file: "left.gguf", name: "Left", bytes: 5, total: 1_000_000_000, bytesPerSecond: null, step: "paused", problem: null }];
    await models.open();
    await models.resume("left.gguf");
    expect(models.downloadOf("left.gguf")).toMatchObject({ bytes: 5, step: "loading" });
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
    expect([added.external, changed, backend.world.models.length, said()]).toEqual([true, 2, 1, ["Added My own model"]]);
  });

  test("needs the more memory the more it shall read at once", async () => {
    const fits = [];
    for (const context of [8192, 65_536, 131_072]) {
      models.measure("starter-1.5b-instruct-q4_k_m.gguf", context);
      await vi.advanceTimersByTimeAsync(0);
      fits.push(models.need.value?.fit);
    }
    expect(fits).toEqual(["fits", "tight", "tooLarge"]);
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
