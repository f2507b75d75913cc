import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeBackend } from "../backend/fake/fake";
import type { Fact } from "../backend/types";
import { type ForgetWish, Memory } from "./memory.svelte";
import { Toasts } from "./toasts.svelte";

let backend: ReturnType<typeof fakeBackend>;
let toasts: Toasts;
let memory: Memory;

beforeEach(() => {
  vi.useFakeTimers();
  return begin();
});

async function begin(options: Parameters<typeof fakeBackend>[0] = {}): Promise<void> {
  backend = fakeBackend(options);
  toasts = new Toasts();
  memory = new Memory(backend, toasts);
  backend.listen((event) => {
    if (event.type === "erased") memory.erased(event.receipt);
  });
  await memory.open();
}

const facts = (): Fact[] => memory.facts.rows.filter((fact) => fact !== undefined);
const factOf = (value: string): Fact => facts().find((fact) => fact.value === value)!;
const said = () => toasts.list.map((toast) => toast.text);

function wish(...chosen: Fact[]): ForgetWish {
  return { target: { type: "facts", ids: chosen.map((fact) => fact.id) }, title: "", words: null, said: "Forgot it", list: memory.facts };
}

async function settle(milliseconds = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}

describe("forgetting", () => {
  test("tells beforehand what goes with it", async () => {
    const preview = await memory.preview({ type: "facts", ids: [factOf("Porto").id] });
    expect([preview.lines, preview.messages.length]).toEqual([["1 fact", "2 older values", "1 note"], 2]);
  });

  test("hides at once, and comes back when it is taken back", async () => {
    const porto = factOf("Porto");
    await memory.forget(wish(porto), "keep");
    expect([memory.facts.total, memory.counts?.facts, said()]).toEqual([213, 213, ["Forgot it"]]);
    toasts.undoLast();
    await settle();
    expect([memory.facts.total, factOf("Porto").id, said()]).toEqual([214, porto.id, ["It is back."]]);
    await settle(20_000);
    expect(backend.world.receipts).toEqual([]);
  });

  test("that nobody takes back is erased, with a receipt that names nothing", async () => {
    await memory.forget(wish(factOf("Porto")), "forget");
    await settle(10_000);
    const receipts = await memory.receipts();
    expect([said(), receipts.map((one) => one.lines)]).toEqual([
      ["Erased: 1 fact, 2 older values, 1 note, 2 messages."],
      [["1 fact", "2 older values", "1 note", "2 messages"]],
    ]);
    expect(JSON.stringify([backend.world.facts, backend.world.past, backend.world.events])).not.toContain("Porto");
  });

  test("keeps the messages where the person wants that, and erases their text where not", async () => {
    const texts = () => backend.world.conversations[0]!.messages.map((view) => view.message.text !== "");
    await memory.forget(wish(factOf("carsick")), "keep");
    expect(texts()).toEqual([true, true, true, true]);
    await memory.forget(wish(factOf("short answers and metric units")), "forget");
    expect(texts()).toEqual([false, false, true, true]);
  });

  test("everything about somebody leaves nothing about them", async () => {
    await memory.forget({ target: { type: "subject", name: "Mia" }, title: "", words: null, said: "", list: null }, "keep");
    expect([backend.world.facts.filter((fact) => fact.subject === "Mia"), memory.facts.total]).toEqual([[], 213]);
  });

  test("that fails puts the rows back and says so", async () => {
    backend.forget = () => Promise.reject(new Error("The disk is full."));
    await memory.forget(wish(facts()[0]!), "keep");
    expect([memory.facts.total, said()]).toEqual([214, ["It was not forgotten. The disk is full."]]);
  });
});

describe("a correction", () => {
  test("can be taken back", async () => {
    const porto = factOf("Porto");
    await memory.edit(porto, { subject: "user", relation: "lives in", value: "Braga" }, "I live in Braga");
    expect([factOf("Braga").quote, said()]).toEqual(["I live in Braga", ["Now: “I live in Braga”"]]);
    toasts.undoLast();
    await settle();
    expect(factOf("Porto").quote).toBe("I live in Porto");
  });

  test("keeps what it replaced, back to the first", async () => {
    await memory.edit(factOf("Porto"), { subject: "user", relation: "lives in", value: "Braga" }, "I live in Braga");
    expect((await memory.history(factOf("Braga"))).map((fact) => fact.value)).toEqual(["Braga", "Porto", "Berlin", "Gdańsk"]);
  });
});

test("several pins are one notice, and one step back", async () => {
  const chosen = [factOf("carsick"), factOf("Portuguese")];
  await memory.pin(chosen, true);
  expect([facts().filter((fact) => fact.pinned).length, said()]).toEqual([3, ["Pinned 2 facts"]]);
  toasts.undoLast();
  await settle();
  expect(facts().filter((fact) => fact.pinned).map((fact) => fact.value)).toEqual(["Porto"]);
});

describe("Review", () => {
  const first = () => memory.review.rows[0]!;

  test("makes a fact of what is accepted, and history of what it does not go with", async () => {
    expect([first().quote, first().conflictsWith, memory.counts?.review]).toEqual(["As a harbour pilot I am used to fog", "I work as a marine engineer", 7]);
    await memory.accept([first()]);
    expect([factOf("a harbour pilot").replaced, factOf("a marine engineer"), memory.counts?.review]).toEqual([["a marine engineer"], undefined, 6]);
    toasts.undoLast();
    await settle();
    expect([factOf("a harbour pilot"), factOf("a marine engineer").useCount, memory.counts?.review]).toEqual([undefined, 8, 7]);
  });

  test("lets several go at once, and gets them back", async () => {
    const ids = memory.review.rows.map((item) => item!.id);
    await memory.dismiss(ids);
    expect([memory.review.total, said()]).toEqual([0, ["Dismissed 7"]]);
    toasts.undoLast();
    await settle();
    expect(memory.review.total).toBe(7);
  });

  test("makes a rule of a wish for every answer, and a seal of a topic, with no step back in memory", async () => {
    const wish = (relation: string) => memory.review.rows.find((item) => item!.draft.relation === relation)!;
    await memory.accept([wish("wants of every answer")]);
    await memory.accept([wish("wants never remembered")]);
    const { spec } = await backend.behavior();
    expect([spec.always.at(-1), spec.sealedTopics, memory.facts.total, memory.review.total, said()]).toEqual([
      { text: "antworte immer auf Deutsch", hard: false },
      ["mi divorcio"],
      214,
      5,
      ["Added as a soft rule under Behaviour", "Sealed: nothing about it is kept from now on"],
    ]);
    expect(toasts.list.map((toast) => toast.undo)).toEqual([null, null]);
  });

  test("keeps a corrected candidate waiting", async () => {
    await memory.correct(first(), { ...first().draft, value: "a ship’s pilot" });
    expect([first().quote, first().draft.value, memory.review.total]).toEqual(["As a harbour pilot I am used to fog", "a ship’s pilot", 7]);
  });
});

test("the timeline tells of each change, and takes it back once", async () => {
  await memory.pin([factOf("carsick")], true);
  const newest = memory.events.rows[0]!;
  expect([newest.kind, newest.sentence, newest.canUndo]).toEqual(["pinned", "Mia gets carsick, even on short trips", true]);
  await memory.undo([newest]);
  expect([memory.events.rows[0]?.undone, memory.events.rows[0]?.canUndo, factOf("carsick").pinned]).toEqual([true, false, false]);
});

test("while memories are read for their meaning, the page asks how far that is, and stops when it is done or closed", async () => {
  await begin({ waiting: 100 });
  await settle();
  expect(memory.embedding?.waiting).toBe(100);
  await settle(2000);
  await settle(2000);
  expect([memory.embedding?.waiting, vi.getTimerCount()]).toEqual([0, 0]);
});

test("a list that cannot be read says so, and the others are there", async () => {
  await begin({ failing: new Set(["facts"]) });
  expect([memory.facts.status, memory.facts.error?.code, memory.episodes.status]).toEqual(["failed", "store", "ready"]);
});
