import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeBackend } from "../backend/fake/fake";
import { Memory } from "./memory.svelte";
import { Toasts } from "./toasts.svelte";

let backend: ReturnType<typeof fakeBackend>;
let toasts: Toasts;
let memory: Memory;

beforeEach(async () => {
  vi.useFakeTimers();
  backend = fakeBackend();
  toasts = new Toasts();
  memory = new Memory(backend, toasts);
  await memory.open();
});

const stands = () => ({ rows: memory.facts.rows.length, total: memory.facts.total, more: memory.facts.hasMore });

describe("the list of facts", () => {
  test("is read a page at a time, to its end", async () => {
    expect(stands()).toEqual({ rows: 100, total: 214, more: true });
    await memory.facts.more();
    await memory.facts.more();
    expect(stands()).toEqual({ rows: 214, total: 214, more: false });
  });

  test("is searched when the typing pauses", async () => {
    memory.facts.type("porto");
    expect(memory.facts.searched).toBe("");
    await vi.advanceTimersByTimeAsync(200);
    expect([memory.facts.searched, memory.facts.rows.map((fact) => fact.sentence)]).toEqual(["porto", ["You live in Porto"]]);
  });

  test("drops an answer that a newer question has overtaken", async () => {
    const slow = memory.facts.load();
    memory.facts.search = "porto";
    await memory.facts.load();
    await slow;
    expect(memory.facts.total).toBe(1);
  });

  test("says that it could not be read, and can be read again", async () => {
    backend = fakeBackend({ failing: new Set(["facts"]) });
    memory = new Memory(backend, toasts);
    await memory.open();
    expect([memory.facts.status, memory.facts.error?.code, memory.episodes.status]).toEqual(["failed", "store", "ready"]);
  });
});

describe("forgetting", () => {
  test("hides at once, and comes back when it is taken back", async () => {
    const porto = memory.facts.rows.find((fact) => fact.value === "Porto")!;
    await memory.forget(memory.facts, [porto.id], porto.sentence);
    expect([stands().total, memory.counts?.facts, toasts.list[0]?.text]).toEqual([213, 213, "Forgot “You live in Porto”"]);
    toasts.undoLast();
    await vi.advanceTimersByTimeAsync(0);
    expect([stands().total, memory.facts.rows.some((fact) => fact.id === porto.id)]).toEqual([214, true]);
  });

  test("several at once is one notice", async () => {
    const ids = memory.facts.rows.slice(0, 3).map((fact) => fact.id);
    for (const id of ids) memory.facts.selected.add(id);
    await memory.forget(memory.facts, ids, null);
    expect([memory.facts.selected.size, toasts.list.map((toast) => toast.text)]).toEqual([0, ["Forgot 3 memories"]]);
  });

  test("that fails puts the rows back and says so", async () => {
    backend.forgetFacts = () => Promise.reject(new Error("The disk is full."));
    await memory.forget(memory.facts, [memory.facts.rows[0]!.id], "x");
    expect([stands().rows, toasts.list[0]?.text]).toEqual([100, "It was not forgotten. The disk is full."]);
  });
});

test("an edited fact can be taken back", async () => {
  const porto = memory.facts.rows.find((fact) => fact.value === "Porto")!;
  await memory.edit(porto, { subject: "user", relation: "lives in", value: "Braga" });
  expect(memory.facts.rows.find((fact) => fact.id === porto.id)?.sentence).toBe("You live in Braga");
  toasts.undoLast();
  await vi.advanceTimersByTimeAsync(0);
  expect(memory.facts.rows.find((fact) => fact.id === porto.id)?.sentence).toBe("You live in Porto");
});
