// The memory page: what a person does there and then sees.
import { describe, expect, test } from "vitest";
import type { fakeBackend } from "../backend/fake/fake";
import type { FakeOptions } from "../backend/fake/world";
import { app, begin, find, has, press, settle, textOf, type, useWindow } from "../window.testing";

useWindow();

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
    expect([focused(), names()[0], textOf("toast")]).toEqual([0, "The tenant pays no heating surcharge until 2027., pinned", "Pinned: every answer knows it Undo · 9"]);
    await keys("u");
    expect(names()[0]).toBe("The tenant pays no heating surcharge until 2027.");
    await keys("Enter");
    expect(document.activeElement).toBe(find("fact-words"));
    type("fact-value", "a surcharge from 2028 on");
    expect(textOf("fact-unsaid")).toContain("The words do not say “a surcharge from 2028 on”.");
    find("fact-put-in").click();
    await settle();
    expect([find<HTMLTextAreaElement>("fact-words").value, has("fact-unsaid")]).toEqual(["The tenant pays a surcharge from 2028 on.", false]);
    find<HTMLFormElement>("fact-editor").requestSubmit();
    await settle();
    expect([names()[0], textOf("row-label"), focused()]).toEqual(["The tenant pays a surcharge from 2028 on.", "flat → a surcharge from 2028 on", 0]);
  });

  test("shows the person’s words, once for all that they say, with a label, a date and what it means", async () => {
    await open();
    type("memory-search", "Lena");
    await settle(300);
    expect(names()).toEqual([
      "Meine Schwester Lena arbeitet als Hebamme in Dresden und isst kein Fleisch mehr.",
      "Meine Schwester Lena arbeitet als Hebamme in Dresden und isst kein Fleisch mehr. (Lena: works in → Dresden)",
      "Meine Schwester Lena arbeitet als Hebamme in Dresden und isst kein Fleisch mehr. (no longer: Lena: eats → Fleisch)",
      "Sie kommt morgen um neun zu Besuch.",
    ]);
    expect(rows().map((row) => row.querySelectorAll(".quote").length)).toEqual([1, 0, 0, 1]);
    expect([textOf("row-date"), find("row-date").title, rows()[3]!.querySelector(".words")!.getAttribute("dir")]).toEqual([
      expect.stringMatching(/^on .*past$/),
      "You wrote “morgen um neun”",
      "auto",
    ]);
  });

  test("lets the label be edited from its chip, with its stance, and leaves the words alone", async () => {
    await open();
    type("memory-search", "marine");
    await settle(300);
    find("row-label").click();
    await settle();
    expect(document.activeElement).toBe(find("fact-value"));
    find<HTMLSelectElement>("fact-stance").value = "ended";
    find("fact-stance").dispatchEvent(new Event("change", { bubbles: true }));
    find<HTMLFormElement>("fact-editor").requestSubmit();
    await settle();
    expect([names()[0], textOf("row-label")]).toEqual(["I work as a marine engineer", "no longer: works as → a marine engineer"]);
  });

  test("keeps words without a label, and lets the person add one", async () => {
    await open();
    type("memory-search", "stairs");
    await settle(300);
    find("row-label-add").click();
    await settle();
    expect(document.activeElement).toBe(find("fact-relation"));
    type("fact-relation", "has trouble with");
    type("fact-value", "stairs");
    find<HTMLFormElement>("fact-editor").requestSubmit();
    await settle();
    expect([names()[0], textOf("row-label")]).toEqual(["The stairs in Alfama were too much for my knee", "has trouble with → stairs"]);
  });

  test("offers wishes in Review as what they become", async () => {
    await open({}, "review");
    const accepts = [...document.querySelectorAll("[data-testid=review-accept]")].map((button) => button.textContent.trim());
    expect(accepts.filter((label) => label !== "Accept")).toEqual(["Add as a rule", "Seal this topic"]);
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
    expect([names(), document.querySelectorAll("[data-testid=filter-chip]").length]).toEqual([["How do I say “the tide is out” in Portuguese?"], 2]);
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
    expect(textOf("review-row")).toMatch(/As a harbour pilot I am used to fog works as → a harbour pilot.*Known so far I work as a marine engineer/);
    find("review-accept").click();
    await settle();
    expect([document.querySelectorAll("[data-testid=review-row]").length, textOf("toast")]).toEqual([6, "Accepted: Atlas remembers it Undo · 9"]);
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

  test("shows one kind of change in the timeline, and all of them again", async () => {
    await open();
    press(rows()[0]!, "p");
    await settle();
    find("tab-timeline").click();
    await settle();
    const kinds = () => [...new Set([...document.querySelectorAll("[data-testid=event-row] .tag")].map((tag) => tag.textContent))];
    expect(kinds().length).toBeGreaterThan(2);
    const choose = async (kind: string) => {
      find<HTMLSelectElement>("timeline-kind").value = kind;
      find("timeline-kind").dispatchEvent(new Event("change", { bubbles: true }));
      await settle();
    };
    await choose("pinned");
    expect(kinds()).toEqual(["pinned"]);
    await choose("retired");
    find("clear-filters").click();
    await settle();
    expect([kinds().length > 2, find<HTMLSelectElement>("timeline-kind").value]).toEqual([true, ""]);
  });

  test("says where memories are found by their words alone, or only for now", async () => {
    await open({ meaning: false });
    expect([textOf("embedding-missing"), has("embedding-line")]).toEqual([expect.stringContaining("Install Atlas again"), false]);
    app.memory.embedding = { byMeaning: true, model: "MiniLM", waiting: 3, total: 9 };
    await settle();
    expect([has("embedding-missing"), textOf("embedding-line")]).toEqual([false, expect.stringContaining("Reading 3 memories")]);
  });

  test("imports nothing before the plan was seen, and leads to Review afterwards", async () => {
    await open();
    find("memory-import-button").click();
    await settle();
    find("import-choose").click();
    await settle();
    expect([textOf("import-plan"), textOf("tab-review")]).toEqual([expect.stringContaining("312 conversations"), "Review 7"]);
    find("import-run").click();
    await settle();
    expect(textOf("import-report")).toContain("3 memories wait in Review");
    find("import-review").click();
    await settle();
    expect(document.querySelectorAll("[data-testid=review-row]").length).toBe(10);
  });

  async function importAFile(close = "import-close"): Promise<void> {
    find("memory-import-button").click();
    await settle();
    find("import-choose").click();
    await settle();
    find("import-run").click();
    await settle();
    find(close).click();
    await settle();
  }

  async function openImports(): Promise<void> {
    const more = find("memory-more").nextElementSibling!;
    more.dispatchEvent(Object.assign(new Event("toggle"), { newState: "open" }));
    await settle();
    (more as HTMLElement).hidePopover = () => undefined;
    find("memory-imports").click();
    await settle();
  }

  test("offers to take an import back once its report is closed, and says what went", async () => {
    await open();
    await importAFile();
    expect([textOf("toast"), textOf("tab-review")]).toEqual(["Imported: 312 conversations, 3 for Review Undo · 9", "Review 10"]);
    find("undo").click();
    await settle();
    expect([textOf("toast"), textOf("tab-review")]).toEqual(["Taken back: 312 conversations, 8,204 messages, 3 from Review.", "Review 7"]);
  });

  test("offers it on the way to Review too, and says where it failed", async () => {
    await open({ failing: new Set(["undoImport"]) });
    await importAFile("import-review");
    find("undo").click();
    await settle();
    expect([textOf("toast"), document.querySelectorAll("[data-testid=review-row]").length]).toEqual([expect.stringContaining("It was not taken back. The database"), 10]);
  });

  test("lists past imports, and takes one back after it said what happens", async () => {
    await open();
    await importAFile();
    await settle(10_000);
    await openImports();
    expect(textOf("import-row")).toContain("312 conversations, 8,204 messages, 3 for Review");
    expect(find("import-take-back").getAttribute("aria-label")).toContain("Take back: ChatGPT export, ");
    find("import-take-back").click();
    await settle();
    expect(find("confirm").closest("dialog")!.textContent).toContain("What you accepted, confirmed, changed or went on with since stays.");
    find("confirm").click();
    await settle();
    expect([has("confirm"), has("import-take-back"), textOf("import-row"), textOf("imports-said"), textOf("tab-review")]).toEqual([
      false,
      false,
      expect.stringContaining("taken back"),
      "Taken back: 312 conversations, 8,204 messages, 3 from Review.",
      "Review 7",
    ]);
    expect(document.activeElement).toBe(find("import-row"));
  });

  test("tells what came of an import, and of taking it back, where the dialog was closed meanwhile", async () => {
    await open();
    (app.backend as ReturnType<typeof fakeBackend>).world.options.latency = 500;
    find("memory-import-button").click();
    await settle();
    find("import-choose").click();
    await settle(500);
    find("import-run").click();
    find<HTMLDialogElement>("import-run").closest("dialog")!.close();
    await settle();
    expect([has("import-run"), has("toast")]).toEqual([false, false]);
    await settle(500);
    expect(textOf("toast")).toBe("Imported: 312 conversations, 3 for Review Undo · 9");
    await settle(10_000);
    await openImports();
    await settle(500);
    find("import-take-back").click();
    await settle();
    find("confirm").click();
    await settle();
    find("imports-close").click();
    await settle(3_000);
    expect(textOf("toast")).toContain("Taken back: 312 conversations");
  });

  test("says that there were no imports, that they could not be read, and that one was not taken back", async () => {
    const failing = new Set<string>();
    await open({ failing });
    await openImports();
    expect([textOf("imports-none"), has("imports-retry")]).toEqual(["Nothing has been imported yet.", false]);
    find("imports-close").click();
    await settle();
    await importAFile();
    failing.add("imports").add("undoImport");
    await openImports();
    expect([textOf("imports-problem"), has("imports-none")]).toEqual([expect.stringContaining("The imports could not be read. The database"), false]);
    failing.delete("imports");
    find("imports-retry").click();
    await settle();
    find("import-take-back").click();
    await settle();
    find("confirm").click();
    await settle();
    expect([textOf("imports-problem"), textOf("import-take-back")]).toEqual([expect.stringContaining("It was not taken back."), "Take back…"]);
  });

  test("notices what was changed in MEMORY.md, and asks before it takes that over", async () => {
    await open({ edited: true });
    find("edits-notice").querySelector("button")!.click();
    await settle();
    expect(textOf("file-edits")).toContain("I play the cello");
    find("edits-accept").click();
    await settle();
    expect([has("edits-notice"), names()[0]]).toEqual([false, "I play the cello"]);
  });
});
