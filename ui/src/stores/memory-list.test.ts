import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeBackend } from "../backend/fake/fake";
import { noFilters } from "../backend/filters";
import type { Fact, MemoryQuery } from "../backend/types";
import { MemoryList, PAGE } from "./memory-list.svelte";

let backend: ReturnType<typeof fakeBackend>;
let asked: MemoryQuery[];
let list: MemoryList<Fact>;

beforeEach(() => {
  vi.useFakeTimers();
  return begin();
});

async function begin(count = 1000): Promise<void> {
  backend = fakeBackend({ facts: count });
  asked = [];
  list = new MemoryList(
    (query) => {
      asked.push(query);
      return backend.facts(query);
    },
    (fact) => fact.id,
    noFilters,
  );
  await list.load();
}

const there = () => list.rows.filter((row) => row !== undefined).length;
const offsets = () => asked.map((query) => query.offset);
const quotes = () => list.rows.map((row) => row?.quote);
const settle = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

describe("a long list", () => {
  test("has a place for every row, and reads those that are looked at", async () => {
    expect([list.total, there()]).toEqual([1000, PAGE]);
    list.want(640, 710);
    await settle();
    expect([offsets(), list.rows[650]?.id !== undefined, list.rows[400]]).toEqual([[0, 600, 700], true, undefined]);
  });

  test("asks for a page once, and for no more than two at a time while one scrolls past", async () => {
    let open = 0;
    let most = 0;
    const read = backend.facts;
    backend.facts = async (query) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 50));
      open -= 1;
      return read(query);
    };
    for (let first = 0; first < 1000; first += 10) list.want(first, first + 20);
    await settle(1000);
    expect([most, new Set(offsets()).size === asked.length, list.rows[999] !== undefined, asked.length < 6]).toEqual([2, true, true, true]);
  });

  test("is read anew where somebody looks, and stays where it is", async () => {
    list.want(640, 710);
    await settle();
    const renewed = list.renewed;
    await list.load();
    expect([asked.at(-1)?.offset, list.rows[650] !== undefined, list.renewed]).toEqual([600, true, renewed]);
  });

  test("that became another one meanwhile is read anew", async () => {
    backend.world.facts.pop();
    list.want(640, 710);
    await settle();
    expect([list.total, list.rows[650] !== undefined]).toEqual([999, true]);
  });
});

describe("searching", () => {
  test("begins when the typing pauses, and at the top", async () => {
    const renewed = list.renewed;
    list.type("porto");
    expect(list.searched).toBe("");
    await settle(200);
    expect([list.searched, quotes(), list.renewed]).toEqual(["porto", ["I live in Porto"], renewed + 1]);
  });

  test("drops an answer that a newer question has overtaken", async () => {
    const slow = list.load();
    list.search = "porto";
    await list.load();
    await slow;
    expect(list.total).toBe(1);
  });
});

describe("filters", () => {
  test("are asked of the core, together", async () => {
    list.filter({ origins: ["inferred"], mostConfidence: 0.8 });
    await settle();
    expect([quotes(), list.filtered]).toEqual([["How do I say “the tide is out” in Portuguese?"], true]);
    expect(asked.at(-1)?.filters).toEqual({ ...noFilters, origins: ["inferred"], mostConfidence: 0.8 });
  });

  test("find what was replaced, and what was true on a day", async () => {
    list.filter({ superseded: true });
    await settle();
    expect(quotes()).toEqual(["I live in Berlin", "I live in Gdańsk"]);
    list.filter({ superseded: false, subject: "user", asOf: { at: new Date(Date.now() - 500 * 86_400_000).toISOString(), view: "true" } });
    list.search = "live";
    await list.load();
    expect(quotes()).toEqual(["I live in Berlin"]);
  });

  test("that let nothing pass are cleared with the search", async () => {
    list.filter({ pinned: true, neverUsed: true });
    await settle();
    expect(list.total).toBe(0);
    list.clear();
    await settle();
    expect([list.total, list.filtered, list.search]).toEqual([1000, false, ""]);
  });
});

describe("choosing", () => {
  test("takes in a whole range, also where nobody has looked yet", async () => {
    await list.select(2, 350, true);
    expect([list.selected.size, there() > 340]).toEqual([349, true]);
    await list.select(300, 350, false);
    expect(list.selected.size).toBe(298);
  });

  test("takes in everything that matches", async () => {
    await list.selectAll();
    expect([list.selected.size, list.selecting]).toEqual([1000, false]);
  });

  test("is over when another question is asked", async () => {
    await list.select(0, 3, true);
    list.type("porto");
    await settle(200);
    expect(list.selected.size).toBe(0);
  });
});

test("hidden rows are gone at once, and can be put back", () => {
  const first = list.rows[0]!;
  const putBack = list.hide([first.id]);
  expect([list.total, list.rows[0] === first]).toEqual([999, false]);
  putBack();
  expect([list.total, list.rows[0] === first]).toEqual([1000, true]);
});

test("a hundred thousand rows are a list like any other", async () => {
  await begin(100_000);
  list.want(99_950, 99_999);
  await settle();
  expect([list.total, list.rows[99_999]?.quote, asked.length]).toEqual([100_000, expect.stringMatching(/^I have read/), 2]);
});
