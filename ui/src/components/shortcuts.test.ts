import { expect, test } from "vitest";
import { shortcutOf } from "./shortcuts";

const press = { key: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test("keys with Control work everywhere, also while one types", () => {
  const keys = ["n", "N", "k", ",", "1", "2", "3", "4", "b", "/", "+", "=", "-", "0", "x"];
  expect(keys.map((key) => shortcutOf({ ...press, key, ctrlKey: true }, true))).toEqual([
    "newConversation",
    "newConversation",
    "search",
    "settings",
    "chat",
    "memory",
    "behaviour",
    "health",
    "sidebar",
    "this",
    "zoomIn",
    "zoomIn",
    "zoomOut",
    "zoomReset",
    null,
  ]);
});

test("while one types, a question mark is one and Control with Z is the text's own", () => {
  const undo = { ...press, key: "z", ctrlKey: true };
  expect([shortcutOf({ ...press, key: "?" }, true), shortcutOf({ ...press, key: "?" }, false)]).toEqual([null, "this"]);
  expect([shortcutOf(undo, true), shortcutOf(undo, false)]).toEqual([null, "undo"]);
});

test("keys with Alt are not for the window", () => {
  expect(shortcutOf({ ...press, key: "1", ctrlKey: true, altKey: true }, false)).toBeNull();
});
