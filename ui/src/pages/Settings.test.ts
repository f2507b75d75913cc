// The settings page in the whole window, on the fake backend.
import { describe, expect, test } from "vitest";
import type { FakeOptions, World } from "../backend/fake/world";
import { app, begin, find, has, press, settle, textOf, type, useWindow } from "../window.testing";

useWindow();

async function open(options: Partial<FakeOptions> = {}): Promise<World> {
  await begin(options);
  app.router.go({ page: "settings", field: null });
  await settle();
  return (app.backend as unknown as { world: World }).world;
}

async function change(testid: string, value: string): Promise<void> {
  const control = find<HTMLInputElement>(testid);
  control.value = value;
  control.dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
}

async function toggle(testid: string): Promise<void> {
  find<HTMLInputElement>(testid).click();
  await settle();
}

describe("when something fails", () => {
  test("a second model is chosen from the same list, and taken away again", async () => {
    const world = await open();
    type("settings-fallback-model", "openai/gpt-5-mini");
    press(find("settings-fallback-model"), "Enter");
    await settle();
    const chosen = world.settings.fallbackModel;
    type("settings-fallback-model", "");
    find("settings-fallback-model").dispatchEvent(new FocusEvent("blur"));
    await settle();
    expect([chosen, world.settings.fallbackModel, world.settings.model]).toEqual(["openai/gpt-5-mini", null, "anthropic/claude-haiku-4.5"]);
  });

  test("a second service has a form of its own, counts once it is saved, and is taken away", async () => {
    const world = await open();
    find("fallback-edit").click();
    await settle();
    const form = find("fallback-form");
    const provider = form.querySelector<HTMLSelectElement>("[data-testid=settings-provider]")!;
    provider.value = "openAi";
    provider.dispatchEvent(new Event("change", { bubbles: true }));
    await settle();
    const unsaved = world.settings.fallback;
    form.querySelector<HTMLButtonElement>("[data-testid=settings-save]")!.click();
    await settle();
    const saved = [world.settings.fallback, textOf("fallback"), world.settings.endpoint?.preset];
    find("fallback-remove").click();
    await settle();
    expect([unsaved, saved, world.settings.fallback]).toEqual([
      null,
      [{ endpoint: { preset: "openAi", baseUrl: "https://api.openai.com/v1" }, model: "gpt-5-mini" }, "gpt-5-mini · OpenAI", "openRouter"],
      null,
    ]);
  });

  test("the second look says what it costs, and all of it counts at once", async () => {
    const world = await open();
    const cost = document.getElementById(find("settings-second-look").getAttribute("aria-describedby")!)?.textContent;
    await toggle("settings-second-look");
    await toggle("settings-notify");
    await change("settings-healing-seconds", "60");
    const { secondLook, notify, healingSeconds } = world.settings;
    expect([cost, secondLook, notify, healingSeconds]).toEqual([expect.stringContaining("one more call to the model for each answer"), true, false, 60]);
  });

  test("a webhook has to be an address, and may be none", async () => {
    const world = await open();
    await change("settings-webhook", "example.org");
    const wrong = [world.settings.webhook, find("settings-webhook").getAttribute("aria-invalid")];
    await change("settings-webhook", "https://example.org/hook");
    const right = [world.settings.webhook, find("settings-webhook").getAttribute("aria-invalid")];
    await change("settings-webhook", "");
    expect([wrong, right, world.settings.webhook]).toEqual([[null, "true"], ["https://example.org/hook", null], null]);
  });
});

describe("the built-in model", () => {
  test("tells the memory that it needs beside what there is, and warns where it does not fit", async () => {
    const world = await open();
    const before = [textOf("memory-need"), textOf("memory-fits")];
    await change("settings-context", "131072");
    expect([before, textOf("memory-need"), find("memory-fits").getAttribute("role"), world.settings.engine]).toEqual([
      ["1.8 GB needed, 6 GB free", "It fits."],
      "8.8 GB needed, 6 GB free",
      "alert",
      { contextTokens: 131_072, unloadAfterMinutes: 30 },
    ]);
  });

  test("gives its memory back when the person says, or never", async () => {
    const world = await open();
    await change("settings-unload", "0");
    expect(world.settings.engine).toEqual({ contextTokens: 8192, unloadAfterMinutes: 0 });
  });

  test("is used at a press, and then is in use", async () => {
    const world = await open();
    find("model-use").click();
    await settle();
    expect([world.settings.endpoint?.preset, has("model-use"), textOf("local-models")]).toEqual(["builtIn", false, expect.stringContaining("in use")]);
  });

  test("can be any file, which is only taken off the list when it is removed", async () => {
    await open();
    find("choose-model").click();
    await settle();
    const listed = find("local-models").children.length;
    find("model-remove", 1).click();
    await settle();
    const asked = document.querySelector("dialog")?.textContent;
    find("confirm").click();
    await settle();
    expect([listed, asked, find("local-models").children.length]).toEqual([2, expect.stringContaining("The file itself stays where it is."), 1]);
  });
});

test("a connection without a model on this computer leads to the models, each time", async () => {
  const world = await open();
  app.settings.connection.choose("builtIn");
  app.settings.connection.setModel("gone.gguf");
  world.models = [];
  await settle();
  const focused: (string | null | undefined)[] = [];
  for (let time = 0; time < 2; time += 1) {
    find("settings-test").click();
    await settle(1000);
    find("settings-test-next").click();
    await settle();
    focused.push(document.activeElement?.getAttribute("data-testid"));
    find("settings-test").focus();
  }
  expect([textOf("settings-test-next"), focused]).toEqual(["Get a model", ["choose-model", "choose-model"]]);
});

describe("a download", () => {
  test("shows how far it is and how long it takes, pauses, goes on, and is here when it is whole", async () => {
    await open();
    find("download").click();
    await settle(1000);
    const running = textOf("download-words");
    find("download-pause").click();
    await settle();
    const paused = textOf("download-words");
    find("download-resume").click();
    await settle(80_000);
    expect([running, paused, has("download-row"), textOf("catalogue-card"), find("local-models").children.length]).toEqual([
      "38 MB of 2.5 GB · 38 MB/s · 1 min left",
      "Paused at 38 MB of 2.5 GB",
      false,
      expect.stringContaining("on this computer"),
      2,
    ]);
  });

  test("that breaks off says why and can be tried again, or cancelled", async () => {
    await open({ breaksDownloads: true });
    find("download").click();
    await settle(40_000);
    const broken = textOf("download-row");
    find("download-retry").click();
    await settle(100);
    const again = find("download-row").dataset["state"];
    find("download-cancel").click();
    await settle();
    expect([broken, again, has("download-row")]).toEqual([expect.stringContaining("The connection broke several times."), "loading", false]);
  });

  test("that cannot come to its end is not tried again, only cancelled", async () => {
    const world = await open();
    const problem = { code: "download_other_file", message: "The server has another file at this address than Atlas expects. It was not used.", retryable: false };
    world.emit({ type: "download", state: { file: "b.gguf", name: "B", bytes: 7, total: 9, bytesPerSecond: null, step: "failed", problem } });
    await settle();
    expect([textOf("download-row"), has("download-retry"), has("download-cancel")]).toEqual([expect.stringContaining("It was not used."), false, true]);
  });

  test("from a URL says beside it what is wrong with the address", async () => {
    await open();
    type("download-url", "http://x");
    find("download-from-url").click();
    await settle();
    const wrong = [find("download-url").getAttribute("aria-invalid"), has("download-row")];
    type("download-url", "https://models.example/mine.gguf");
    find("download-from-url").click();
    await settle(100);
    expect([wrong, find<HTMLInputElement>("download-url").value, has("download-row")]).toEqual([["true", false], "", true]);
  });

  test("cannot be chosen from a catalogue that could not be read, which says so", async () => {
    await open({ failing: new Set(["catalogue"]) });
    expect(textOf("part-failed")).toContain("The list of models could not be read.");
  });
});

describe("writing memory", () => {
  const trial = { model: "vendor/qwen2.5-coder-1.5b", form: "labels" as const, right: 4, of: 6, at: new Date().toISOString() };

  test("tells the three ways, which one is in use, and that nothing was tried yet", async () => {
    await open();
    expect([textOf("writing-ways"), textOf("writing-trial"), textOf("writing-try")]).toEqual([
      expect.stringMatching(/In the answer in use .*In a second question .*Piece by piece/),
      "Which way this model can answer has not been tried yet.",
      "Try it now",
    ]);
  });

  test("tells what came of trying, and tries again", async () => {
    await open({ trial });
    expect([textOf("writing-trial"), textOf("writing-try")]).toEqual(["Tried with qwen2.5-coder-1.5b today: 4 of 6 right, so Atlas asks it piece by piece.", "Try again"]);
    find("writing-try").click();
    await settle();
    expect(textOf("writing-trial")).toBe("Tried with claude-haiku-4.5 today: 6 of 6 right, so Atlas asks for it in the answer.");
  });

  test("lets the person choose another way, and says that theirs counts", async () => {
    const world = await open({ trial });
    await change("settings-memory-writing", "secondCall");
    expect([world.settings.memoryWriting, textOf("writing-trial")]).toEqual(["secondCall", expect.stringContaining("You chose another way, and that counts.")]);
  });

  test("says where it could not be tried", async () => {
    await open({ failing: new Set(["tryMemoryWriting"]) });
    find("writing-try").click();
    await settle();
    expect(textOf("writing-problem")).toContain("It could not be tried. The database could not be read.");
  });
});
