import { describe, expect, test } from "vitest";
import { belongsToInputMethod, type KeyPress, matchingCommands, sends } from "./composer-keys";

const enter: KeyPress = { key: "Enter", shiftKey: false, altKey: false, isComposing: false, keyCode: 13, timeStamp: 1000 };

describe("Enter", () => {
  test("sends", () => expect(sends(enter, null)).toBe(true));
  test("with Shift breaks the line", () => expect(sends({ ...enter, shiftKey: true }, null)).toBe(false));
  test("with Alt does nothing", () => expect(sends({ ...enter, altKey: true }, null)).toBe(false));
  test("of an input method that composes chooses a word", () => expect(sends({ ...enter, isComposing: true }, null)).toBe(false));
  test("of WebKit's input methods, which deny that they compose, chooses a word", () => {
    expect(sends({ ...enter, keyCode: 229 }, null)).toBe(false);
  });
  test("that comes right after the end of a composition was that end", () => expect(sends(enter, 980)).toBe(false));
  test("a moment after a composition sends", () => expect(sends(enter, 700)).toBe(true));
});

test("other keys do not send", () => expect(sends({ ...enter, key: "a" }, null)).toBe(false));
test("an input method's arrows are its own", () => expect(belongsToInputMethod({ ...enter, key: "ArrowDown", isComposing: true }, null)).toBe(true));

test("commands are offered while their name is typed", () => {
  expect(["", "/", "/re", "/RE", "/remember", "/remember ", "/x", "a /", "//"].map(matchingCommands)).toEqual([
    [],
    ["facts", "memories", "procedures", "remember", "help"],
    ["remember"],
    ["remember"],
    ["remember"],
    [],
    [],
    [],
    [],
  ]);
});
