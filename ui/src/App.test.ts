// The whole window on the fake backend: what a person does and then sees.
import { describe, expect, test } from "vitest";
import { app, begin, find, has, press, settle, textOf, type, useWindow } from "./window.testing";

useWindow();

describe("the start", () => {
  test("leads to the first run where nothing is set up, and can be passed by", async () => {
    await begin({ filled: false, setUp: false });
    expect([has("welcome"), has("composer")]).toEqual([true, false]);
    find("welcome-skip").click();
    await settle();
    expect([has("welcome"), has("composer")]).toEqual([false, true]);
  });

  test("takes up what was found, and is ready to talk", async () => {
    const endpoint = { preset: "ollama" as const, baseUrl: "http://127.0.0.1:11434/v1" };
    await begin({ filled: false, setUp: false, found: [{ endpoint, title: "Ollama is running", model: "llama3.2:3b", keyFromEnvironment: false }] });
    find("welcome-option").click();
    await settle();
    expect([has("composer"), textOf("model-tag")]).toEqual([true, "llama3.2:3b · Ollama"]);
  });

  test("that failed says why and can be tried again", async () => {
    await begin({ startup: { type: "failed", error: { code: "store_held", message: "Another Atlas is open.", retryable: true } } });
    expect(textOf("failed-start")).toContain("Another Atlas is open.");
  });
});

describe("the chat", () => {
  test("shows the question, the answer as it arrives, and its end", async () => {
    await begin();
    type("composer", "hello");
    press(find("composer"), "Enter");
    await settle();
    expect([textOf("message-user"), has("stop"), find<HTMLTextAreaElement>("composer").value]).toEqual(["You hello", true, ""]);
    await settle(700);
    expect(find("message-assistant").dataset["state"]).toBe("streaming");
    await settle(10_000);
    expect([find("message-assistant").dataset["state"], has("send"), textOf("chat-status")]).toEqual(["complete", true, "The answer is complete."]);
  });

  test("an input method's Enter sends nothing", async () => {
    await begin();
    type("composer", "にほんご");
    press(find("composer"), "Enter", { isComposing: true });
    press(find("composer"), "Enter", { keyCode: 229 });
    find("composer").dispatchEvent(new Event("compositionend", { bubbles: true }));
    press(find("composer"), "Enter");
    await settle();
    expect([has("message-user"), find<HTMLTextAreaElement>("composer").value]).toEqual([false, "にほんご"]);
  });

  test("Escape stops the answer, and what came is kept", async () => {
    await begin();
    type("composer", "long");
    press(find("composer"), "Enter");
    await settle(1000);
    press(find("composer"), "Escape");
    await settle(100);
    expect([find("message-assistant").dataset["state"], has("retry"), textOf("chat-status")]).toEqual(["partial", true, "Stopped."]);
  });

  test("a failure has one sentence, one next step, and the question is kept", async () => {
    await begin();
    type("composer", "damaged");
    press(find("composer"), "Enter");
    await settle(2000);
    expect([textOf("message-user"), textOf("failure-next")]).toEqual(["You damaged", "Open Health"]);
    find("failure-next").click();
    await settle();
    expect([has("page-health"), location.hash]).toEqual([true, "#/health/now"]);
  });

  test("says what healed", async () => {
    await begin();
    type("composer", "busy");
    press(find("composer"), "Enter");
    await settle(1000);
    expect(textOf("healing")).toContain("OpenRouter is busy. Waiting 2 s, then asking again.");
  });

  test("a chip tells what was remembered, and takes it back", async () => {
    await begin();
    type("composer", "Remember that I live in Tokyo");
    press(find("composer"), "Enter");
    await settle(3000);
    expect([textOf("chip-remembered"), textOf("chip-used")]).toEqual(["Remembered 1", "Used 2 memories"]);
    find("chip-undo").click();
    await settle();
    expect([has("chip-remembered"), textOf("toast")]).toEqual([false, "Taken back."]);
  });

  test("a slash offers the commands, and the keyboard chooses one", async () => {
    await begin();
    type("composer", "/");
    expect(document.querySelectorAll("[role=option]").length).toBe(5);
    press(find("composer"), "ArrowUp");
    press(find("composer"), "Enter");
    await settle();
    expect([textOf("note")?.startsWith("/help"), has("message-user")]).toEqual([true, false]);
  });

  test("a message that could not be sent is in the box again", async () => {
    await begin({ failing: new Set(["send"]) });
    type("composer", "precious");
    press(find("composer"), "Enter");
    await settle();
    expect([find<HTMLTextAreaElement>("composer").value, has("message-user"), textOf("send-failed")]).toEqual([
      "precious",
      false,
      "The database could not be read. Close other programs that use it. It was not sent. Your text is back in the box.",
    ]);
  });
});

describe("the keyboard", () => {
  test("opens each page from everywhere", async () => {
    await begin();
    const pages = [];
    for (const key of ["2", "3", ",", "1"]) {
      press(document.body, key, { ctrlKey: true });
      await settle();
      pages.push(location.hash);
    }
    expect(pages).toEqual(["#/memory/facts", "#/behaviour", "#/settings", "#/chat"]);
  });

  test("is on the page that it opened, and not lost between two", async () => {
    await begin();
    const focused = [];
    for (const key of ["2", "3", ",", "1"]) {
      press(document.activeElement!, key, { ctrlKey: true });
      await settle();
      focused.push(document.activeElement?.id || (document.activeElement as HTMLElement).dataset["testid"]);
    }
    expect(focused).toEqual(["main", "main", "main", "composer"]);
  });

  test("finds the search, and clears it", async () => {
    await begin();
    type("search-conversations", "blue door");
    await settle(300);
    expect(document.querySelectorAll("[data-testid=conversation-row]").length).toBe(1);
    press(find("search-conversations"), "Escape");
    await settle();
    expect(document.querySelectorAll("[data-testid=conversation-row]").length).toBe(11);
  });
});

describe("the behaviour page", () => {
  test("keeps a draft while another page is open, and saves it with Control and S", async () => {
    await begin();
    find("nav-behaviour").click();
    await settle();
    type("spec-field-personality.tone", "dry");
    expect([textOf("behaviour-unsaved"), find<HTMLButtonElement>("behaviour-save").disabled]).toEqual(["1 change not saved", false]);
    find("nav-memory").click();
    await settle();
    find("nav-behaviour").click();
    await settle();
    expect(find<HTMLTextAreaElement>("spec-field-personality.tone").value).toBe("dry");
    press(find("spec-field-personality.tone"), "s", { ctrlKey: true });
    await settle();
    expect([has("behaviour-unsaved"), app.behaviour.identity.tone]).toEqual([false, "dry"]);
  });

  test("moves a rule with Alt and the arrows", async () => {
    await begin();
    find("nav-behaviour").click();
    await settle();
    press(find("spec-field-never.1.text"), "ArrowUp", { altKey: true });
    await settle();
    expect(find<HTMLTextAreaElement>("spec-field-never.0.text").value).toBe("provide medical or legal advice");
  });
});

describe("the settings page", () => {
  test("changes the theme at once", async () => {
    await begin();
    find("nav-settings").click();
    await settle();
    const select = find<HTMLSelectElement>("theme-select");
    select.value = "dark";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    await settle();
    expect(document.documentElement.getAttribute("data-theme")).toBe("dark");
  });

  test("wipes everything only after the words, and begins anew", async () => {
    await begin();
    find("nav-settings").click();
    await settle();
    find("wipe-everything").click();
    await settle();
    const confirm = () => find<HTMLButtonElement>("wipe-confirm");
    expect([confirm().disabled, find("wipe-items").children.length]).toEqual([true, 8]);
    type("wipe-word", "delete everything");
    expect(confirm().disabled).toBe(false);
    confirm().click();
    await settle();
    expect([has("welcome"), textOf("toast")]).toEqual([true, "Everything is deleted."]);
  });
});
