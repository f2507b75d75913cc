// The health page in the whole window, on the fake backend.
import { describe, expect, test, vi } from "vitest";
import type { FakeOptions } from "../backend/fake/world";
import { app, begin, find, has, press, settle, textOf, type, useWindow } from "../window.testing";

useWindow();

async function open(options: Partial<FakeOptions> = {}, part = "now"): Promise<void> {
  await begin(options);
  app.router.go({ page: "health", part: part as "now" });
  await settle();
}

const rows = (testid: string) => [...document.querySelectorAll(`[data-testid="${testid}"]`)].map((row) => row.textContent?.trim().replace(/\s+/g, " ") ?? "");

describe("the way to it", () => {
  test("is a key, and an entry in the sidebar whose dot is also words", async () => {
    await begin({ store: "unwritable" });
    expect([textOf("nav-health"), find("nav-health").querySelector("[data-condition]")?.getAttribute("data-condition")]).toEqual(["Health Something needs you", "ill"]);
    press(document.body, "4", { ctrlKey: true });
    await settle();
    expect([location.hash, has("page-health"), textOf("condition")]).toEqual(["#/health/now", true, "Something needs you"]);
  });

  test("leads to each part by the keyboard", async () => {
    await open();
    press(find("tab-now"), "ArrowRight");
    await settle();
    press(find("tab-timeline"), "End");
    await settle();
    expect([location.hash, document.activeElement?.id]).toEqual(["#/health/log", "tab-log"]);
  });
});

describe("what is now", () => {
  test("says of the engine what it does, until when it is left alone, and why", async () => {
    vi.setSystemTime(new Date("2026-11-30T10:00:00Z"));
    await open({ engine: { type: "flapping", until: "2026-11-30T10:00:42Z" } });
    const before = textOf("countdown");
    await settle(2000);
    expect([textOf("service"), before, textOf("countdown"), textOf("engine-restart")]).toEqual([
      expect.stringContaining("It crashed again and again, so Atlas leaves it alone for a while."),
      "Next start in 42 s",
      "Next start in 40 s",
      "Start now",
    ]);
    expect([textOf("diagnosis"), textOf("service")]).toEqual([expect.stringContaining("not enough memory"), expect.stringContaining("Its last 4 lines")]);
    await settle(60_000);
    expect(textOf("countdown")).toBe("Starting again…");
  });

  test("restarts and stops the engine, and follows it", async () => {
    await open();
    find("engine-stop").click();
    await settle();
    const stopped = [textOf("service"), has("engine-stop"), textOf("engine-restart")];
    find("engine-restart").click();
    await settle();
    const starting = textOf("service");
    await settle(2000);
    expect([stopped, starting, textOf("service")]).toEqual([
      [expect.stringContaining("Not running."), false, "Start"],
      expect.stringContaining("Loading the model…"),
      expect.stringContaining("Ready"),
    ]);
  });

  test("says in words why a service is not asked, and counts down to the second until it is again", async () => {
    await open({ troubled: true });
    expect(rows("provider")[1]).toMatch(/Ollama Left alone after 3 failures/);
    const now = await app.backend.health();
    const notBefore = new Date(Date.now() + 42_000).toISOString();
    app.health.now.value = { ...now, providers: now.providers.map((one) => (one.breaker === "open" ? { ...one, notBefore } : one)) };
    await settle();
    const before = textOf("countdown");
    await settle(2000);
    expect([before, textOf("countdown"), find("countdown").getAttribute("role")]).toEqual([
      "Asked again in 42 s; at once where no other service can be asked",
      "Asked again in 40 s; at once where no other service can be asked",
      "timer",
    ]);
  });

  test("fails part by part, and each part can be read again", async () => {
    const failing = new Set(["backups"]);
    await open({ failing });
    const before = [rows("part-failed").length, has("service"), has("backups")];
    failing.clear();
    find("part-failed").querySelector("button")!.click();
    await settle();
    expect([before, has("part-failed"), has("backups")]).toEqual([[1, true, false], false, true]);
  });

  test("restores a backup only after it was said what happens, and reads everything anew", async () => {
    await open();
    const load = vi.spyOn(app.backend, "conversations");
    find("restore", 1).click();
    await settle();
    const asked = document.querySelector("dialog")?.textContent;
    find("confirm").click();
    await settle();
    expect([asked, load.mock.calls.length > 0, has("page-health"), textOf("toast")]).toEqual([
      expect.stringMatching(/goes back to how it was on .+ The database of now is kept as a backup first/),
      true,
      true,
      expect.stringMatching(/^The backup of .+ is restored\. The backup is in place\. The state before it was kept/),
    ]);
  });

  test("says of a damaged database that a backup gets what can still be read in it, and can do without a backup", async () => {
    await open({ store: "onBackup" });
    find("restore").click();
    await settle();
    const asked = document.querySelector("dialog")?.textContent;
    document.querySelector<HTMLButtonElement>("dialog footer button")?.click();
    await settle();
    find("salvage").click();
    await settle();
    const without = document.querySelector("dialog")?.textContent;
    find("confirm").click();
    await settle();
    expect([asked, without, textOf("toast"), has("salvage")]).toEqual([
      expect.stringContaining("adds what can still be read in the damaged database"),
      expect.stringContaining("The rest is lost, unless a backup has it."),
      expect.stringMatching(/^What could be read is restored\. .+ The damaged file is kept as damaged-2026-11-30\.db\./),
      false,
    ]);
  });

  test("backs up and checks at a press", async () => {
    await open();
    find("back-up").click();
    await settle();
    find("store-check").click();
    await settle();
    expect(rows("toast")).toEqual(["Backed up and verified.", "Checked: the database is in order."]);
  });

  test("is empty where nothing was asked or kept yet", async () => {
    await open({ filled: false });
    expect(textOf("page-health")).toMatch(/No service was asked yet\..*There is no backup yet\./);
  });
});

describe("what happened", () => {
  test("is a list of sentences with their outcome, narrowed by where and by what was not healed", async () => {
    await open({}, "timeline");
    const all = rows("trouble-row");
    find("source-engine").click();
    await settle();
    const engine = rows("trouble-row");
    find("only-unhealed").click();
    find("source-store").click();
    await settle();
    const none = textOf("memory-rows");
    find("clear-filters").click();
    await settle();
    expect([all[0], engine.every((row) => row.includes("not healed")), none, rows("trouble-row").length]).toEqual([
      expect.stringMatching(/OpenRouter is busy \(rate limit\): Wait as long as it asks.*waited 4 s.*healed/),
      true,
      "Nothing of this kind has happened. Show everything",
      all.length,
    ]);
  });

  test("leads to the conversation with Enter", async () => {
    await open({}, "timeline");
    press(find("trouble-row"), "Enter");
    await settle();
    expect([location.hash.startsWith("#/chat/"), has("message-user")]).toEqual([true, true]);
  });

  test("says what will stand there while nothing has failed, and what went wrong when it cannot be read", async () => {
    await open({ troubles: 0 }, "timeline");
    expect(textOf("memory-rows")).toMatch(/^Nothing has failed yet\./);
  });

  test("that cannot be read says so", async () => {
    await open({ failing: new Set(["healthEvents"]) }, "timeline");
    expect(textOf("memory-rows")).toMatch(/^What happened could not be read\..*Try again$/);
  });
});

describe("what was learned", () => {
  test("has its reliability as a bar and in words", async () => {
    await open({}, "learned");
    const bar = find("procedure-row").querySelector("[role=img]");
    expect([bar?.getAttribute("aria-label"), textOf("procedure-row")]).toEqual(["83% reliable over 10 tries", expect.stringContaining("It asks for 2 to 8 seconds")]);
  });

  test("is put in other words in place, and that can be taken back", async () => {
    await open({}, "learned");
    press(find("procedure-row"), "Enter");
    await settle();
    type("lesson", "Wait five seconds.");
    press(find("lesson"), "Enter");
    await settle();
    const changed = textOf("procedure-row");
    find("undo").click();
    await settle();
    expect([changed, textOf("procedure-row"), has("lesson-editor")]).toEqual([
      expect.stringContaining("Wait five seconds."),
      expect.stringContaining("It asks for 2 to 8 seconds"),
      false,
    ]);
  });

  test("that could not be put in other words keeps them in the box", async () => {
    await open({ failing: new Set(["editLesson"]) }, "learned");
    press(find("procedure-row"), "Enter");
    await settle();
    type("lesson", "Wait five seconds.");
    find("lesson-save").click();
    await settle();
    expect([find<HTMLTextAreaElement>("lesson").value, textOf("lesson-editor")]).toEqual(["Wait five seconds.", expect.stringContaining("The lesson was not changed.")]);
  });

  test("is paused with P, and used again with an undo", async () => {
    await open({}, "learned");
    press(find("procedure-row"), "p");
    await settle();
    const paused = [find("procedure-row").getAttribute("aria-label"), textOf("toast")];
    find("undo").click();
    await settle();
    expect([paused, find("procedure-row").getAttribute("aria-label")]).toEqual([
      [expect.stringMatching(/, paused$/), expect.stringContaining("it is not tried until you say so")],
      expect.not.stringMatching(/, paused$/),
    ]);
  });

  test("is forgotten with the choice that forgetting asks for, and comes back with an undo", async () => {
    await open({}, "learned");
    press(find("procedure-row"), "Delete");
    await settle();
    find("forget-confirm").click();
    await settle();
    const left = rows("procedure-row").length;
    find("undo").click();
    await settle();
    expect([left, rows("procedure-row").length]).toEqual([1, 2]);
  });
});

describe("drift", () => {
  test("is drawn, told in a sentence, and a table", async () => {
    await open({}, "drift");
    const pictures = [...document.querySelectorAll("[data-testid=drift] svg")].map((svg) => document.getElementById(svg.getAttribute("aria-labelledby")!)?.textContent);
    const body = find("drift-table").querySelectorAll("tbody tr");
    expect([pictures, body.length, body[0]?.textContent?.replace(/\s+/g, " ")]).toEqual([
      ["How close to the role Between 64% and 95%; 95% on the last day.", "Broken rules 3 rules broken, 4 answers out of the role."],
      14,
      expect.stringContaining("95%"),
    ]);
  });

  test("lists the latest answers that strayed: how, which model, when, and nothing of what they said", async () => {
    vi.setSystemTime(new Date("2026-11-30T12:00:00"));
    await open({}, "drift");
    expect([...find("drift-latest").children].map((row) => row.textContent?.trim().replace(/\s+/g, " "))).toEqual([
      expect.stringMatching(/^Passed itself off as a human claude-haiku-4\.5 · OpenRouter · .*28.*, 12:00/),
      expect.stringMatching(/^Left the role \(42%\) starter-1\.5b/),
      expect.stringMatching(/^Broke one of your rules · Recited its instructions starter-1\.5b/),
      expect.stringMatching(/^Brought up a topic that you sealed starter-1\.5b/),
    ]);
  });

  test("says what will stand there before there are answers", async () => {
    await open({ filled: false }, "drift");
    expect(textOf("page-health")).toContain("There is nothing to compare yet.");
  });
});

describe("the log", () => {
  test("shows the newest line first, and only what the level lets through", async () => {
    await open({}, "log");
    const all = find("log").children;
    const newest = all[0]?.textContent;
    const count = all.length;
    const select = find<HTMLSelectElement>("log-level");
    select.value = "error";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    await settle();
    expect([newest, count, find("log").children.length]).toEqual([expect.stringContaining("engine ready after 3.2 s"), 64, 8]);
  });

  test("is copied as it is shown, the oldest line first", async () => {
    await open({}, "log");
    const write = vi.fn(() => Promise.resolve());
    vi.stubGlobal("navigator", { clipboard: { writeText: write }, language: "en" });
    find("log-copy").click();
    await settle();
    const text = (write.mock.calls as unknown as string[][])[0]![0]!;
    expect([text.split("\n").length, text.split("\n").at(-1), textOf("toast")]).toEqual([64, expect.stringContaining("info engine ready after 3.2 s"), "Copied 64 lines"]);
  });
});

test("a message that waits can be sent from the health page too", async () => {
  await begin();
  type("composer", "offline");
  press(find("composer"), "Enter");
  await settle(4000);
  app.router.go({ page: "health", part: "now" });
  await settle();
  const waiting = textOf("network");
  find("send-queued").click();
  await settle(20_000);
  expect([waiting, textOf("network")]).toEqual([expect.stringContaining("Not connected 1 message waits for it"), "Network Connected"]);
});
