// What the chat shows of failures and remedies, in the whole window on the fake backend.
import { describe, expect, test } from "vitest";
import type { FakeOptions, World } from "../backend/fake/world";
import { app, begin, find, has, press, settle, textOf, type, useWindow } from "../window.testing";

useWindow();

async function ask(text: string, options: Partial<FakeOptions> = {}): Promise<void> {
  await begin(options);
  type("composer", text);
  press(find("composer"), "Enter");
}

describe("the quiet line", () => {
  test("counts down while something waits, and is read out once and not each second", async () => {
    await ask("very busy");
    await settle(1000);
    const spoken = () => [...find("healing").querySelectorAll("[role=status]")].map((one) => one.textContent);
    const before = [textOf("healing-countdown"), spoken()];
    await settle(3000);
    const line = "OpenRouter is busy. Waiting 30 s, then asking again.";
    expect([before, textOf("healing-countdown"), find("healing-countdown").getAttribute("aria-hidden"), spoken()]).toEqual([
      ["Waiting 30 s…", [line]],
      "Waiting 27 s…",
      "true",
      [line],
    ]);
  });

  test("ends the wait at a press, and the answer comes", async () => {
    await ask("very busy");
    await settle(1500);
    find("skip-wait").focus();
    find("skip-wait").click();
    await settle(2000);
    expect(document.activeElement).toBe(find("composer"));
    expect([has("skip-wait"), textOf("message-assistant"), find("healing").querySelector("summary span")?.textContent]).toEqual([
      false,
      "Atlas Thank you for waiting. Here I am.",
      expect.stringMatching(/^OpenRouter was busy; waited [01](\.\d)? s\.$/),
    ]);
  });

  test("tells in its details what failed, what was tried and how long was waited, in order", async () => {
    await ask("offline");
    await settle(4000);
    expect([...find("healing").querySelectorAll("li")].map((item) => item.textContent?.trim().replace(/\s+/g, " "))).toEqual([
      "There was no connection; waited 1 s. The network failed; Atlas waited and asked again · a wait of 1 s",
      "There was no connection; kept your message for when the network is back. The network failed; Atlas kept the message until the network is back",
    ]);
  });

  test("says why an answer was withdrawn, which is no longer there", async () => {
    await ask("are you human?");
    await settle(620);
    const first = textOf("message-assistant");
    await settle(10_000);
    expect([first, textOf("healing"), textOf("message-assistant")]).toEqual([
      expect.stringContaining("Of course, I am"),
      expect.stringContaining("claude-haiku-4.5 passed itself off as a human; asked for another answer."),
      "Atlas I am an assistant made of software, not a human being.",
    ]);
  });
});

describe("what healed", () => {
  test("is told as it is done, then as healed, which asks for nothing", async () => {
    await ask("busy");
    await settle(1000);
    const line = "OpenRouter is busy. Waiting 2 s, then asking again.";
    const now = find("healing").querySelector("summary span")?.textContent;
    await settle(8000);
    expect([now, find("healing").querySelector("summary span")?.textContent, find("healing").className.includes("healed")]).toEqual([line, "OpenRouter was busy; waited 2 s.", true]);
  });

  test("or did not is told as tried, and a message that waits for the network as it is", async () => {
    await ask("engine");
    await settle(3000);
    const tried = find("healing").querySelector("summary span")?.textContent;
    type("composer", "offline");
    press(find("composer"), "Enter");
    await settle(4000);
    expect([tried, find("healing", 1).querySelector("summary span")?.textContent]).toEqual([
      "The built-in model ended; started it again.",
      "There was no connection; kept your message for when the network is back.",
    ]);
  });
});

describe("a failure", () => {
  test("of a model that is not here leads to where one is to be had", async () => {
    await ask("no file");
    await settle(2000);
    const button = textOf("failure-next");
    find("failure-next").click();
    await settle();
    expect([button, location.hash, document.activeElement?.getAttribute("data-testid")]).toEqual(["Get a model", "#/settings/models", "choose-model"]);
  });

  test("that wants a key has the field right there, and asks again once the key is kept", async () => {
    await ask("wrong key");
    await settle(2000);
    type("settings-key", "sk-or-0123456789wxyz");
    find("settings-key-save").click();
    await settle(100);
    expect([has("page-settings"), app.settings.view?.key, has("stop")]).toEqual([
      false,
      { type: "present", last4: "wxyz", place: "keychain" },
      true,
    ]);
  });

  test("that wants another model has the list right there, and asks again with it", async () => {
    await ask("no model");
    await settle(2000);
    type("settings-model", "google/gemini-2.5-flash");
    find("mend-use").click();
    await settle(100);
    expect([app.settings.view?.settings.model, has("stop"), textOf("model-tag")]).toEqual(["google/gemini-2.5-flash", true, "gemini-2.5-flash · OpenRouter"]);
  });

  test("offers the person's other model, which answers in its place", async () => {
    await ask("no credit");
    await settle(2000);
    const offered = textOf("failure-alternative");
    find("failure-alternative").click();
    await settle(5000);
    expect([offered, has("failure"), textOf("message-assistant")]).toEqual([
      "Answer with gpt-5-mini · OpenAI",
      false,
      "Atlas I am gpt-5-mini, and I answer in its place.",
    ]);
  });

  test("of the engine starts it afresh, and then asks again", async () => {
    await ask("engine");
    await settle(3000);
    expect(textOf("failure-next")).toBe("Restart the built-in model");
    find("failure-next").click();
    await settle(50);
    expect([app.engine, has("stop")]).toEqual([{ type: "starting" }, true]);
  });

  test("of an engine that does not start says so, and asks nothing", async () => {
    await ask("engine", { failing: new Set(["restartEngine"]) });
    await settle(3000);
    find("failure-next").click();
    await settle(50);
    expect([has("failure"), textOf("toast")]).toEqual([true, expect.stringContaining("The built-in model could not be started.")]);
  });
});

describe("a message that waits for the network", () => {
  test("is marked, and is sent now at a press", async () => {
    await ask("offline");
    await settle(4000);
    const marked = [textOf("queued"), has("failure"), textOf("offline-banner")];
    find("queued-send").click();
    await settle(20_000);
    expect([marked, has("queued"), has("offline-banner"), has("message-assistant")]).toEqual([
      [expect.stringContaining("Waiting for the network"), false, expect.stringContaining("1 message waits for it.")],
      false,
      false,
      true,
    ]);
  });

  test("is sent by itself when the network is back", async () => {
    await ask("offline");
    await settle(4000);
    dispatchEvent(new Event("online"));
    await settle(20_000);
    expect([has("queued"), has("offline-banner"), has("message-assistant")]).toEqual([false, false, true]);
  });

  test("is not sent when the person does not want it any more, and can be asked again", async () => {
    await ask("offline");
    await settle(4000);
    find("queued-cancel").click();
    await settle();
    expect([has("queued"), textOf("failure-next"), has("message-user")]).toEqual([false, "Ask again", true]);
  });
});

test("an answer from memory alone says so, and can be asked for again", async () => {
  await ask("alone");
  await settle(5000);
  expect([textOf("from-memory"), textOf("retry")]).toEqual(["From memory alone", "Ask again"]);
});

describe("the window's top", () => {
  test("says that the network is gone and what still works, and forgets it when it is back", async () => {
    await begin();
    dispatchEvent(new Event("offline"));
    await settle();
    const away = textOf("offline-banner");
    dispatchEvent(new Event("online"));
    await settle();
    expect([away, has("offline-banner")]).toEqual(["You are offline. You can read everything, and memory works. New messages wait for the network.", false]);
  });

  test("says that a model on this computer needs no network", async () => {
    await begin({ online: false });
    await app.settings.take({ preset: "builtIn", baseUrl: "" }, "starter.gguf");
    await settle();
    expect(textOf("offline-banner")).toBe("You are offline. starter.gguf · Built-in model runs on this computer and answers as always. Memory works too.");
  });

  test("says that nothing new is kept, and leads to what can be done", async () => {
    await begin({ store: "onBackup" });
    const words = textOf("store-banner");
    find("store-banner").querySelector("button")!.click();
    await settle();
    expect([words, location.hash]).toEqual([expect.stringMatching(/shows a backup of it and saves nothing\..+ The backup is of .+\. What can be done$/), "#/health/now"]);
  });

  test("follows the database: what is wrong with it is told when it shows, and goes when it is over", async () => {
    await begin();
    const { world } = app.backend as unknown as { world: World };
    const well = world.store;
    world.emit({ type: "storeHealth", health: { ...well, mode: "checking", problem: "The database may be damaged. Atlas is looking at all of it." } });
    await settle();
    const told = [textOf("store-banner"), find("nav-health").querySelector("[data-condition]")?.getAttribute("data-condition")];
    world.emit({ type: "storeHealth", health: well });
    await settle();
    expect([told, has("store-banner")]).toEqual([[expect.stringContaining("Atlas is looking at all of it."), "watch"], false]);
  });

  test("shows a notice until somebody takes it away", async () => {
    await begin();
    (app.backend as unknown as { world: World }).world.emit({ type: "notice", title: "The built-in model keeps crashing.", body: "Atlas leaves it alone for ten minutes." });
    await settle(120_000);
    const later = textOf("toast");
    find("toast").querySelector("button")!.click();
    await settle();
    expect([later, has("toast")]).toEqual(["The built-in model keeps crashing. Atlas leaves it alone for ten minutes.", false]);
  });
});

describe("a start that failed", () => {
  const failed = (code: string, retryable = true): Partial<FakeOptions> => ({ startup: { type: "failed", error: { code, message: `It is ${code}.`, retryable } } });

  test("because of damaged data lists the backups, and goes on with the one that is restored", async () => {
    await begin(failed("store_corrupt"));
    const before = [textOf("failed-start"), find("backups").children.length];
    find("restore").click();
    await settle();
    find("confirm").click();
    await settle();
    expect([before, has("failed-start"), has("composer"), textOf("toast")]).toEqual([
      [expect.stringContaining("Your database is damaged It is store_corrupt."), 4],
      false,
      true,
      expect.stringMatching(/^The backup of .+ is restored\. The database is whole again\./),
    ]);
  });

  test("because of damaged data says why the backups cannot be listed, and tries that again", async () => {
    const failing = new Set(["backups"]);
    await begin({ ...failed("store_corrupt"), failing });
    const before = textOf("part-failed");
    failing.clear();
    find("part-failed").querySelector("button")!.click();
    await settle();
    expect([before, has("backups")]).toEqual([expect.stringContaining("The backups could not be listed."), true]);
  });

  test.each([
    ["store_full", "The disk is full", true],
    ["store_read_only", "The data folder cannot be written to", true],
    ["store_newer", "Your data is from a newer Atlas", false],
    ["store_held", "Atlas is already open", true],
    ["something_else", "Atlas could not start", true],
  ])("because it is %s has its own title and words, and offers no backup", async (code, title, retryable) => {
    await begin(failed(code, retryable));
    expect([document.querySelector("h1")?.textContent, textOf("failed-start"), has("failed-retry"), has("backups")]).toEqual([
      title,
      expect.stringContaining(`It is ${code}.`),
      retryable,
      false,
    ]);
  });
});
