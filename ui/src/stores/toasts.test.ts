import { beforeEach, expect, test, vi } from "vitest";
import { Toasts, UNDO_SECONDS } from "./toasts.svelte";

let toasts: Toasts;
beforeEach(() => {
  vi.useFakeTimers();
  toasts = new Toasts();
});

const shown = () => toasts.list.map(({ text, seconds }) => [text, seconds]);

test("an undo counts down and goes", () => {
  toasts.undoable("Forgot one", () => undefined);
  expect(shown()).toEqual([["Forgot one", UNDO_SECONDS]]);
  vi.advanceTimersByTime(3000);
  expect(shown()).toEqual([["Forgot one", UNDO_SECONDS - 3]]);
  vi.advanceTimersByTime((UNDO_SECONDS - 3) * 1000);
  expect([shown(), vi.getTimerCount()]).toEqual([[], 0]);
});

test("what is longer to read stays longer", () => {
  toasts.say("It is back.", "good");
  toasts.say("Taken back: 312 conversations, 8,204 messages. 2 stay: you confirmed, changed or went on with them since.", "good");
  expect(toasts.list.map((toast) => toast.seconds)).toEqual([4, 8]);
});

test("an undo works once", () => {
  const undo = vi.fn();
  const id = toasts.undoable("Forgot one", undo);
  toasts.undo(id);
  toasts.undo(id);
  expect([undo.mock.calls.length, shown()]).toEqual([1, []]);
});

test("an undo whose time is over does nothing", () => {
  const undo = vi.fn();
  const id = toasts.undoable("Forgot one", undo);
  vi.advanceTimersByTime(UNDO_SECONDS * 1000);
  toasts.undo(id);
  expect(undo).not.toHaveBeenCalled();
});

test("the keyboard takes back the newest first", () => {
  const calls: string[] = [];
  toasts.undoable("one", () => calls.push("one"));
  toasts.undoable("two", () => calls.push("two"));
  toasts.say("nothing to undo");
  expect([toasts.undoLast(), toasts.undoLast(), toasts.undoLast(), calls]).toEqual([true, true, false, ["two", "one"]]);
});

test("no more than three notices are shown", () => {
  for (const text of ["a", "b", "c", "d"]) toasts.say(text);
  expect(toasts.list.map((toast) => toast.text)).toEqual(["b", "c", "d"]);
});

test("a notice stays until it is taken away, is not said twice, and others make room for it", () => {
  const id = toasts.notice("The built-in model keeps crashing", "Atlas leaves it alone until 10:32.");
  toasts.notice("The built-in model keeps crashing", "Atlas leaves it alone until 10:32.");
  for (const text of ["one", "two", "three"]) toasts.say(text);
  const texts = toasts.list.map((toast) => toast.text);
  vi.advanceTimersByTime(60_000);
  const later = toasts.list.map((toast) => toast.title);
  const idle = vi.getTimerCount();
  toasts.dismiss(id);
  expect([texts, later, idle, toasts.list]).toEqual([["Atlas leaves it alone until 10:32.", "two", "three"], ["The built-in model keeps crashing"], 0, []]);
});
