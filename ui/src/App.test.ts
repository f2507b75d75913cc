// The whole window on the fake backend: what a person does and then sees.
import { flushSync, mount, tick, unmount } from "svelte";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import AppView from "./App.svelte";
import { fakeBackend } from "./backend/fake/fake";
import type { FakeOptions } from "./backend/fake/world";
import { App } from "./stores/app.svelte";

let app: App;
let view: ReturnType<typeof mount>;

beforeEach(() => {
  vi.useFakeTimers();
  location.hash = "";
  localStorage.clear();
  // happy-dom knows no popovers.
  vi.spyOn(document, "querySelector").mockImplementation(function (this: Document, selector: string) {
    return Document.prototype.querySelector.call(this, selector.replace(", [popover]:popover-open", ""));
  });
});

afterEach(async () => {
  await unmount(view);
  document.body.innerHTML = "";
});

async function begin(options: Partial<FakeOptions> = {}): Promise<void> {
  app = new App(fakeBackend(options));
  view = mount(AppView, { target: document.body, props: { app } });
  await settle();
}

async function settle(milliseconds = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await tick();
  flushSync();
}

function find<E extends HTMLElement = HTMLElement>(testid: string, index = 0): E {
  const found = document.querySelectorAll<E>(`[data-testid="${testid}"]`)[index];
  if (!found) throw new Error(`nothing is called ${testid}`);
  return found;
}

const has = (testid: string) => document.querySelectorAll(`[data-testid="${testid}"]`).length > 0;
const textOf = (testid: string) => find(testid).textContent?.trim().replace(/\s+/g, " ");

function type(testid: string, text: string): void {
  const box = find<HTMLTextAreaElement>(testid);
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  flushSync();
}

function press(target: EventTarget, key: string, more: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  flushSync();
  return event.defaultPrevented;
}

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
    await begin({ startup: { type: "failed", error: { code: "locked", message: "Another Atlas is open.", retryable: true } } });
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
    type("composer", "wrong key");
    press(find("composer"), "Enter");
    await settle(2000);
    expect([textOf("message-user"), textOf("failure-next")]).toEqual(["You wrong key", "Enter a key"]);
    find("failure-next").click();
    await settle();
    expect([has("page-settings"), location.hash]).toEqual([true, "#/settings/key"]);
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
    expect([textOf("chip-remembered"), textOf("chip-used")]).toEqual(["Remembered 1", "Used 1 memory"]);
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
    expect(document.querySelectorAll("[data-testid=conversation-row]").length).toBe(7);
  });
});

describe("the memory page", () => {
  async function open(options: Partial<FakeOptions> = {}, tab = "facts"): Promise<void> {
    await begin(options);
    find("nav-memory").click();
    await settle();
    if (tab !== "facts") find(`tab-${tab}`).click();
    await settle();
  }

  const rows = () => [...document.querySelectorAll<HTMLElement>("[data-testid=fact-row]")];
  const names = () => rows().map((row) => row.getAttribute("aria-label"));
  const focused = () => rows().indexOf(document.activeElement as HTMLElement);

  async function keys(...pressed: (string | [string, KeyboardEventInit])[]): Promise<void> {
    for (const one of pressed) {
      const [key, more] = typeof one === "string" ? [one, {}] : one;
      press(document.activeElement!, key, more);
      await settle();
    }
  }

  test("forgets with a look at what goes with it, and an undo that brings it back", async () => {
    await open();
    const first = names()[0];
    press(rows()[0]!, "Delete");
    await settle();
    expect(textOf("forget-dialog")).toContain("Nothing else goes with it.");
    find("forget-confirm").click();
    await settle();
    expect([names()[0] === first, textOf("toast")]).toEqual([false, `Forgot “${first}” Undo · 9`]);
    find("undo").click();
    await settle();
    expect(names()[0]).toBe(first);
  });

  test("forgets the messages too where the person wants that, and shows the receipt", async () => {
    await open();
    type("memory-search", "carsick");
    await settle(300);
    press(rows()[0]!, "Delete");
    await settle();
    expect([...find("forget-lines").children].map((line) => line.textContent)).toEqual(["1 fact", "1 note"]);
    find("messages-forget").click();
    find("forget-confirm").click();
    await settle(10_500);
    expect(textOf("toast")).toBe("Erased: 1 fact, 1 note, 2 messages.");
    app.router.go({ page: "chat", conversation: app.conversations.list[0]!.id, message: null });
    await settle();
    expect([textOf("message-user"), find("message-user", 1).textContent]).toEqual(["You This was forgotten.", expect.stringContaining("And where did we stay")]);
  });

  test("is walked through, chosen from and changed with the keyboard alone", async () => {
    await open();
    rows()[0]!.focus();
    await keys("ArrowDown", "ArrowDown", "ArrowUp");
    expect(focused()).toBe(1);
    await keys(" ", ["ArrowDown", { shiftKey: true }], ["ArrowDown", { shiftKey: true }]);
    expect([textOf("forget-selected"), focused()]).toEqual(["Forget 3…", 3]);
    await keys("Escape");
    expect(has("forget-selected")).toBe(false);
    await keys(["a", { ctrlKey: true }]);
    expect(textOf("forget-selected")).toBe("Forget 214…");
    await keys("Escape", "Home", "p");
    expect([focused(), names()[0], textOf("toast")]).toEqual([0, "Your lease has no heating surcharge until 2027, pinned", "Pinned: every answer knows it Undo · 9"]);
    await keys("u");
    expect(names()[0]).toBe("Your lease has no heating surcharge until 2027");
    await keys("Enter");
    type("fact-value", "a surcharge from 2028 on");
    find<HTMLFormElement>("fact-editor").requestSubmit();
    await settle();
    expect([names()[0], focused()]).toEqual(["Your lease has a surcharge from 2028 on", 0]);
  });

  test("reaches the last of a thousand rows with one key, and no more rows exist than are in sight", async () => {
    await open({ facts: 1000 });
    rows()[0]!.focus();
    await keys("End");
    await settle(100);
    expect([document.activeElement?.getAttribute("aria-posinset"), document.activeElement?.getAttribute("aria-setsize"), rows().length < 40]).toEqual(["1000", "1000", true]);
  });

  test("shows its filters as chips that can be taken away", async () => {
    await open();
    for (const filter of ["inferred", "neverUsed"]) find(`filter-${filter}`).click();
    await settle();
    expect([names(), document.querySelectorAll("[data-testid=filter-chip]").length]).toEqual([["You are probably learning Portuguese"], 2]);
    find("filter-chip").click();
    await settle();
    expect([textOf("filter-chip"), rows().length > 1]).toEqual(["Never used", true]);
  });

  test("says what would stand there, and tells that from a search without a match", async () => {
    await begin({ filled: false });
    find("nav-memory").click();
    await settle();
    expect(textOf("memory-rows")).toContain("Nothing is remembered yet.");
    type("memory-search", "zebra");
    await settle(300);
    expect(textOf("memory-rows")).toContain("Nothing matches “zebra”.");
  });

  test("lets the person decide in Review, with what is known beside it", async () => {
    await open({}, "review");
    expect(textOf("review-row")).toContain("Known so far You work as a marine engineer");
    find("review-accept").click();
    await settle();
    expect([document.querySelectorAll("[data-testid=review-row]").length, textOf("toast")]).toEqual([2, "Accepted: it is a fact now Undo · 9"]);
    expect(app.backend && (await app.backend.facts({ search: "pilot", order: "newest", offset: 0, limit: 5 })).rows.map((fact) => fact.replaced)).toEqual([["a marine engineer"]]);
  });

  test("tells what recall would find and why, and when it would be silent", async () => {
    await open({}, "recall");
    type("recall-question", "Where did we stay in Alfama?");
    find("recall-ask").click();
    await settle();
    expect([textOf("recall-hit"), textOf("prompt-block")]).toEqual([
      expect.stringMatching(/blue door.*Score.*Same words/),
      expect.stringContaining("In March 2024 you stayed in Alfama"),
    ]);
    type("recall-question", "zebra crossings");
    find("recall-ask").click();
    await settle();
    expect([textOf("recall-status"), has("recall-hit"), textOf("prompt-block")]).toEqual(["Nothing relevant is known", false, expect.stringContaining("Nothing relevant is known.")]);
  });

  test("imports nothing before the plan was seen, and leads to Review afterwards", async () => {
    await open();
    find("memory-import-button").click();
    await settle();
    find("import-choose").click();
    await settle();
    expect([textOf("import-plan"), textOf("tab-review")]).toEqual([expect.stringContaining("312 conversations"), "Review 3"]);
    find("import-run").click();
    await settle();
    expect(textOf("import-report")).toContain("3 memories wait in Review");
    find("import-review").click();
    await settle();
    expect(document.querySelectorAll("[data-testid=review-row]").length).toBe(6);
  });

  test("notices what was changed in MEMORY.md, and asks before it takes that over", async () => {
    await open({ edited: true });
    find("edits-notice").querySelector("button")!.click();
    await settle();
    expect(textOf("file-edits")).toContain("You play the cello");
    find("edits-accept").click();
    await settle();
    expect([has("edits-notice"), names()[0]]).toEqual([false, "You play the cello"]);
  });
});

describe("a temporary conversation", () => {
  async function talk(): Promise<void> {
    await begin();
    find("temporary-toggle").click();
    type("composer", "a secret");
    press(find("composer"), "Enter");
    await settle(5000);
  }

  test("says that nothing of it is stored, and is in no list", async () => {
    await talk();
    expect([has("temporary-banner"), has("message-assistant"), has("chip-used"), app.conversations.list.length, has("forget-message")]).toEqual([true, true, false, 7, false]);
  });

  test("is left only when the person says so, and is gone then", async () => {
    await talk();
    find("conversation-row").querySelector("button")!.click();
    await settle();
    expect([has("confirm"), has("temporary-banner")]).toEqual([true, true]);
    find("confirm").click();
    await settle();
    expect([has("temporary-banner"), textOf("message-user")]).toEqual([false, expect.stringContaining("We are going to Lisbon")]);
    expect(JSON.stringify(await app.backend.conversations("secret"))).toBe("[]");
  });

  test("outlives a look at another page", async () => {
    await talk();
    find("nav-memory").click();
    await settle();
    find("nav-chat").click();
    await settle();
    expect([has("temporary-banner"), textOf("message-user")]).toEqual([true, expect.stringContaining("a secret")]);
  });

  test("remembers nothing, even when it is told to", async () => {
    await begin();
    find("temporary-toggle").click();
    type("composer", "/remember I have a secret");
    press(find("composer"), "Enter");
    await settle();
    expect([textOf("send-failed"), (await app.backend.memoryCounts()).facts]).toEqual([expect.stringContaining("Nothing is remembered from a temporary conversation."), 214]);
  });

  test("leaves no draft behind", async () => {
    await begin();
    find("temporary-toggle").click();
    type("composer", "half a secret");
    await settle(1000);
    expect(await app.backend.draft(null)).toBe("");
  });
});

describe("a message that was sent", () => {
  async function open(): Promise<void> {
    await begin();
    find("conversation-row").querySelector("button")!.click();
    await settle();
  }

  test("can be said anew; what came after it is replaced, and what it said before can be read", async () => {
    await open();
    find("edit-message").click();
    await settle();
    type("message-edit", "We are going to Faro");
    press(find("message-edit"), "Enter");
    await settle(5000);
    expect([document.querySelectorAll("[data-testid=message-user]").length, textOf("message-user")]).toEqual([1, expect.stringContaining("We are going to Faro")]);
    find("message-versions-open").click();
    await settle();
    expect(textOf("message-versions")).toMatch(/now We are going to Faro.*We are going to Lisbon/);
  });

  test("is as it was where the new wording could not be sent, which is still there", async () => {
    await open();
    app.backend.editMessage = () => Promise.reject(new Error("The disk is full."));
    find("edit-message").click();
    await settle();
    type("message-edit", "We are going to Faro");
    press(find("message-edit"), "Enter");
    await settle();
    expect([find<HTMLTextAreaElement>("message-edit").value, has("message-assistant"), textOf("send-failed")]).toEqual([
      "We are going to Faro",
      true,
      expect.stringContaining("The disk is full."),
    ]);
    press(find("message-edit"), "Escape");
    await settle();
    expect(textOf("message-user")).toContain("We are going to Lisbon");
  });

  test("has an answer whose memories, and the very words that the model was shown, are one press away", async () => {
    await open();
    find("chip-used").click();
    await settle();
    expect([textOf("used-memories"), textOf("prompt-block")]).toEqual([expect.stringContaining("Mia gets carsick"), expect.stringContaining("<memory>")]);
    find("used-test").click();
    await settle();
    expect([has("recall-tab"), find<HTMLInputElement>("recall-question").value, has("recall-hit")]).toEqual([true, expect.stringContaining("We are going to Lisbon"), true]);
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
