// Conversations that are stored nowhere, and messages that were sent.
import { describe, expect, test } from "vitest";
import { app, begin, find, has, press, settle, textOf, type, useWindow } from "../window.testing";

useWindow();

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
    expect([has("temporary-banner"), has("message-assistant"), has("chip-used"), app.conversations.list.length, has("forget-message")]).toEqual([true, true, false, 11, false]);
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
