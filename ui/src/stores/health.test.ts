import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeBackend } from "../backend/fake/fake";
import type { FakeOptions } from "../backend/fake/world";
import { moment } from "../text/format";
import { Health } from "./health.svelte";
import { Toasts } from "./toasts.svelte";

let backend: ReturnType<typeof fakeBackend>;
let toasts: Toasts;
let health: Health;
let restored: number;
let copied: string[];

async function begin(options: Partial<FakeOptions> = {}): Promise<void> {
  backend = fakeBackend(options);
  toasts = new Toasts();
  restored = 0;
  copied = [];
  health = new Health(backend, toasts, {
    read: () => undefined,
    restored: async () => void (restored += 1),
    copy: async (text) => copied.push(text) > 0,
  });
  await health.open();
}

const said = () => toasts.list.map((toast) => [toast.tone, toast.text]);

beforeEach(() => {
  vi.useFakeTimers();
  return begin();
});

describe("how Atlas is", () => {
  test.each<[Partial<FakeOptions>, string]>([
    [{}, "well"],
    [{ engine: { type: "unloaded" } }, "well"],
    [{ store: "repaired" }, "well"],
    [{ troubled: true }, "watch"],
    [{ online: false }, "watch"],
    [{ engine: { type: "resting", until: "2026-12-01T00:00:00Z" } }, "watch"],
    [{ engine: { type: "flapping", until: "2026-12-01T00:00:00Z" } }, "ill"],
    [{ store: "checking" }, "watch"],
    [{ store: "unwritable" }, "ill"],
    [{ store: "damaged" }, "ill"],
    [{ store: "onBackup", troubled: true }, "ill"],
    [{ failing: new Set(["health"]) }, "watch"],
  ])("is the worst of its parts: %j is %s", async (options, condition) => {
    await begin(options);
    expect(health.condition).toBe(condition);
  });

  test("is read in parts that fail alone", async () => {
    await begin({ failing: new Set(["backups", "drift"]) });
    const parts = [health.now, health.store, health.backups, health.drift, health.log];
    expect(parts.map((part) => [part.value !== null, part.error !== null])).toEqual([
      [true, false],
      [true, false],
      [false, true],
      [false, true],
      [true, false],
    ]);
  });
});

describe("the engine", () => {
  test("is started afresh and stopped, and its state is read anew", async () => {
    await health.stopEngine();
    const stopped = health.now.value?.services[0]?.state;
    await health.restartEngine();
    const starting = health.now.value?.services[0]?.state;
    expect([stopped, starting, said()]).toEqual([{ type: "stopped" }, { type: "starting" }, [["plain", "The built-in model is starting."]]]);
  });

  test("that could not be started says why", async () => {
    await begin({ failing: new Set(["restartEngine"]) });
    await health.restartEngine();
    expect([said(), health.acting]).toEqual([[["bad", "That did not work. The database could not be read. Close other programs that use it."]], null]);
  });

  test("is asked for once, however often one presses", async () => {
    const restart = vi.spyOn(backend, "restartEngine");
    await Promise.all([health.restartEngine(), health.restartEngine()]);
    expect(restart).toHaveBeenCalledTimes(1);
  });
});

describe("the database", () => {
  test("is checked at a press, and says what came of it", async () => {
    const before = health.store.value?.checkedAt;
    await health.check();
    expect([health.store.value?.checkedAt === before, said()]).toEqual([false, [["good", "Checked: the database is in order."]]]);
  });

  test("is backed up at a press, and the list has the new backup", async () => {
    const before = health.backups.value!.length;
    await health.backUp();
    expect([health.backups.value!.length - before, health.backups.value![0]!.reason, said()]).toEqual([1, "Made by you", [["good", "Backed up and verified."]]]);
  });

  test("goes back to a backup, which keeps what was there, and the window reads anew", async () => {
    const backup = health.backups.value![2]!;
    await health.restore(backup);
    const message = "The backup is in place. The state before it was kept as a backup of its own.";
    expect([restored, health.backups.value![0]!.reason, toasts.list.map((toast) => [toast.title, toast.text, toast.seconds])]).toEqual([
      1,
      "Made before another backup was restored",
      [[`The backup of ${moment(backup.at)} is restored.`, message, Infinity]],
    ]);
  });

  test("that is damaged goes on with what can be read of it, and says what came of that", async () => {
    await begin({ store: "damaged" });
    const ask = vi.spyOn(backend, "restoreBackup");
    await health.restore(null);
    expect([ask.mock.calls, restored, health.condition, toasts.list.map((toast) => toast.title), toasts.list[0]?.text]).toEqual([
      [[null]],
      1,
      "well",
      ["What could be read is restored."],
      expect.stringMatching(/12 newer or changed entries were saved .+ The damaged file is kept as damaged-2026-11-30\.db\.$/),
    ]);
  });

  test("that could not be restored is as it was, and says why", async () => {
    await begin({ failing: new Set(["restoreBackup"]) });
    await health.restore(health.backups.value![0]!);
    expect([restored, said()]).toEqual([0, [["bad", "It was not restored. The database could not be read. Close other programs that use it."]]]);
  });
});

test("the timeline is filtered by where it happened and by what no remedy helped", async () => {
  health.events.filter({ source: "turn" });
  await vi.advanceTimersByTimeAsync(0);
  const ofTurns = new Set(health.events.rows.map((row) => row?.source));
  health.events.filter({ source: null, onlyUnhealed: true });
  await vi.advanceTimersByTimeAsync(0);
  const outcomes = new Set(health.events.rows.map((row) => row?.outcome));
  expect([ofTurns, outcomes, health.events.filtered]).toEqual([new Set(["turn"]), new Set(["told", "failed"]), true]);
});

test("the diagnostics are copied", async () => {
  await health.copyDiagnostics();
  expect([copied.map((text) => text.split("\n")[0]), said()]).toEqual([["Atlas 0.1.0"], [["good", "Copied. It holds no message, no memory and no key."]]]);
});
