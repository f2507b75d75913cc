import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Conversation } from "../backend/types";
import { diffLines } from "./diff";
import { en } from "./en";
import { bytes, dollars, fullDay, time } from "./format";
import type { Polarity } from "../backend/types";
import { brought, takenBack } from "./imports";
import { clip, labelOf, labelText, meant, quoteMarks } from "./memory";
import { groupByTime, when } from "./when";

const source = join(import.meta.dirname, "..");

function files(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

/** Every leaf of the table, by its path. */
function leaves(table: object, path = ""): [string, unknown][] {
  return Object.entries(table).flatMap(([key, value]) => {
    const name = path ? `${path}.${key}` : key;
    return typeof value === "object" && value !== null ? leaves(value, name) : [[name, value] as [string, unknown]];
  });
}

describe("the table of strings", () => {
  test("has words for everything, and no trailing dots of haste", () => {
    const bad = leaves(en).filter(([, value]) => typeof value !== "function" && (typeof value !== "string" || !value.trim() || value.includes("...")));
    expect(bad).toEqual([]);
  });

  test("has nothing in it that nobody says", () => {
    const code = [...files(source, ".svelte"), ...files(source, ".ts")].map((file) => readFileSync(file, "utf8")).join("\n");
    const unused = leaves(en)
      .map(([path]) => path.split("."))
      .filter(([group]) => !["command", "next", "change", "shortcuts", "start", "failures", "remedies", "violations"].includes(group!))
      .filter(([, name]) => !code.includes(`.${name}`))
      .map((path) => path.join("."));
    expect(unused).toEqual([]);
  });

  test("is the only place with words in it", () => {
    const words = files(source, ".svelte").flatMap((file) => {
      const markup = readFileSync(file, "utf8")
        .replace(/<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, "")
        .replace(/\{(?:[^{}]|\{[^{}]*\})*\}/g, "");
      const said = [...markup.matchAll(/>([^<>]*[A-Za-z]{3,}[^<>]*)</g), ...markup.matchAll(/(?:aria-label|title|placeholder)="([^"]*[A-Za-z]{4,}[^"]*)"/g)];
      return said.map((match) => `${file.slice(source.length + 1)}: ${match[1]!.trim()}`);
    });
    expect(words.filter((word) => !/Esc|Enter|Ctrl|http/.test(word))).toEqual([]);
  });
});

test("only the backend knows the shell", () => {
  const others = [...files(source, ".svelte"), ...files(source, ".ts")].filter((file) => readFileSync(file, "utf8").includes('from "@tauri-' + "apps/"));
  expect(others.map((file) => file.slice(source.length + 1)).sort()).toEqual(["backend/connect.ts", "backend/tauri.ts"]);
});

describe("an import in words", () => {
  test("says what it brought, and that it brought nothing new", () => {
    expect(brought({ conversations: 1, messages: 12, added: 2, review: 3 })).toBe("1 conversation, 12 messages, 2 memories, 3 for Review");
    expect(brought({ conversations: 0, added: 0, review: 0 })).toBe("nothing new");
  });

  test("says what went when it was taken back, and what stays because it became the person’s", () => {
    const nothing = { conversations: 0, messages: 0, memories: 0, review: 0, kept: 0 };
    expect(takenBack({ ...nothing, conversations: 2, messages: 14, memories: 1, review: 3, kept: 2 })).toBe(
      "Taken back: 2 conversations, 14 messages, 1 memory, 3 from Review. 2 stay: you confirmed, changed or went on with them since.",
    );
    expect(takenBack({ ...nothing, kept: 1 })).toBe("Nothing of that import was left to take back. 1 stays: you confirmed, changed or went on with it since.");
    expect(takenBack(nothing)).toBe("Nothing of that import was left to take back.");
  });
});

describe("time in words", () => {
  const now = new Date(2026, 10, 29, 15, 40);
  const at = (days: number) => new Date(2026, 10, 29 - days, 23, 0).toISOString();

  test("says today, yesterday, and the day", () => {
    expect([when(new Date(2026, 10, 29, 0, 5).toISOString(), now), when(at(1), now), when(at(10), now)]).toEqual([
      "today",
      "yesterday",
      expect.stringMatching(/^on .*November/),
    ]);
  });

  test("groups conversations, newest first", () => {
    const conversation = (days: number): Conversation => ({ id: days, title: "x", createdAt: at(days), updatedAt: at(days), snippet: null });
    const groups = groupByTime([0, 1, 3, 7, 20, 60].map(conversation), now);
    expect(groups.map((group) => [group.title, group.conversations.map((one) => one.id)])).toEqual([
      ["Today", [0]],
      ["Yesterday", [1]],
      ["Last week", [3, 7]],
      ["Last month", [20]],
      ["September 2026", [60]],
    ]);
  });
});

test("small sums keep the digits that matter", () => {
  expect([0, 0.00114, 0.5, 12].map((sum) => dollars(sum).replace("US", ""))).toEqual(["$0.00", "$0.0011", "$0.50", "$12.00"]);
});

test("sizes are in the unit that fits", () => {
  expect([12, 3_100_000, 1_117_320_768].map(bytes)).toEqual([expect.stringMatching(/^12 byte/), "3.1 MB", "1.1 GB"]);
});

test("a label says whom it is about and whether it is so", () => {
  const told = (subject: string, relation: string, value: string, polarity: Polarity) => {
    const label = labelOf({ subject, relation, value }, polarity);
    return label && labelText(label);
  };
  expect([
    told("user", "lives in", "Bergen", "holds"),
    told("Mara", "works as", "nurse", "holds"),
    told("user's sister", "name", "سلمى", "holds"),
    told("user", "lives in", "Bergen", "denied"),
    told("Mara", "plays", "the cello", "ended"),
    told("user", "said", "The stairs were too much", "holds"),
  ]).toEqual(["lives in → Bergen", "Mara: works as → nurse", "your sister: name → سلمى", "not: lives in → Bergen", "no longer: Mara: plays → the cello", null]);
});

test("the date that words mean is told as exactly as it is known, and marked once it is over", () => {
  const now = new Date(2026, 2, 5, 12, 0);
  const told = (date: string) => meant(date, now);
  expect(["2026-03-05", "2026-03-04", "2026-03-05T09:00", "2026-03-05T15:30", "2026-03", "2026-02"].map((date) => told(date)?.past)).toEqual([false, true, true, false, false, true]);
  const at = new Date(2026, 2, 5, 9, 0).toISOString();
  expect([told("2026-03-05")?.text, told("2026-03-05T09:00")?.text, told("2026-03")?.text, told("soon")]).toEqual([`on ${fullDay(at)}`, `on ${fullDay(at)}, ${time(at)}`, "in March 2026", null]);
  const [first, last] = [2, 8].map((day) => fullDay(new Date(2026, 2, day).toISOString()));
  expect([told("2026-03-02/2026-03-08"), told("2026-02-23/2026-03-01")?.past, told("2027"), told("2025")?.past]).toEqual([
    { text: `from ${first} to ${last}`, past: false },
    true,
    { text: "in 2027", past: false },
    true,
  ]);
});

test("words stand in the marks of their own script", () => {
  expect(["I live in Porto", "أختي تعيش في بيروت", "味噌ラーメンが好き", "我住在上海", "Я живу в Бергене"].map((words) => quoteMarks(words).join(""))).toEqual(["“”", "«»", "「」", "“”", "«»"]);
});

test("long words are cut for a notice between letters", () => {
  expect([clip("short"), clip("an answer that is long", 10), clip("👩‍🚀".repeat(3), 4).endsWith("…")]).toEqual(["short", "an answer…", true]);
});
test("a difference shows what went before what came", () => {
  expect(diffLines("a\nb\nc", "a\nx\nc\nd")).toEqual([
    { kind: "same", text: "a" },
    { kind: "removed", text: "b" },
    { kind: "added", text: "x" },
    { kind: "same", text: "c" },
    { kind: "added", text: "d" },
  ]);
  expect(diffLines("same", "same")).toEqual([{ kind: "same", text: "same" }]);
});
