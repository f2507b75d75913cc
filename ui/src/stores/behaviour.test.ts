import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeBackend } from "../backend/fake/fake";
import { defaultSpec } from "../backend/fake/seed";
import type { BehaviorSpec } from "../backend/types";
import { Behaviour } from "./behaviour.svelte";
import { changes, moved, toDraft, toSpec } from "./spec-draft";

let backend: ReturnType<typeof fakeBackend>;
let kept: Map<string, string>;
let storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;

beforeEach(() => {
  vi.useFakeTimers();
  backend = fakeBackend();
  kept = new Map();
  storage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
});

async function loaded(): Promise<Behaviour> {
  const behaviour = new Behaviour(backend, storage);
  await behaviour.load();
  return behaviour;
}

function edited(change: (spec: BehaviorSpec) => void): BehaviorSpec {
  const spec = structuredClone(defaultSpec);
  change(spec);
  return spec;
}

describe("what counts as a change", () => {
  const count = (spec: BehaviorSpec) => changes(toDraft(spec, defaultSpec), defaultSpec).size;

  test.each<[string, number, (spec: BehaviorSpec) => void]>([
    ["nothing", 0, () => undefined],
    ["a field", 1, (spec) => (spec.personality.tone = "dry")],
    ["a rule that says something else", 1, (spec) => (spec.never[0]!.text = "lie")],
    ["a rule that becomes soft", 1, (spec) => (spec.never[0]!.hard = false)],
    ["a rule more", 1, (spec) => spec.always.push({ text: "be kind", hard: true })],
    ["a rule less", 1, (spec) => spec.always.pop()],
    ["the last rule first", 1, (spec) => spec.never.unshift(spec.never.pop()!)],
    ["a rule in front of all others", 1, (spec) => spec.never.unshift({ text: "lie", hard: true })],
    ["a topic", 1, (spec) => spec.sealedTopics.push("my health")],
    ["three of them", 3, (spec) => ((spec.identity.name = "Max"), spec.never.pop(), spec.escalationTriggers.push("x"))],
  ])("%s: %i", (_, expected, change) => {
    expect(count(edited(change))).toBe(expected);
  });

  test("a draft comes back as the spec that it was made from", () => {
    expect(toSpec(toDraft(defaultSpec, defaultSpec))).toEqual(defaultSpec);
  });
});

test("an entry is moved within its list and no further", () => {
  expect([moved([1, 2, 3], 0, 2), moved([1, 2, 3], 2, -5), moved([1, 2, 3], 0, 9)]).toEqual([[2, 3, 1], [3, 1, 2], [2, 3, 1]]);
});

describe("the form", () => {
  test("an untouched draft follows what was sealed in the chat", async () => {
    const behaviour = await loaded();
    const sealed = edited((spec) => spec.sealedTopics.push("my health"));
    await backend.saveBehavior(sealed);
    await behaviour.follow();
    expect([toSpec(behaviour.draft!), behaviour.dirty]).toEqual([sealed, false]);
  });

  test("a touched draft keeps its changes and takes over what was sealed in the chat", async () => {
    const behaviour = await loaded();
    behaviour.setText("personality.tone", "dry");
    await backend.saveBehavior(edited((spec) => spec.sealedTopics.push("my health")));
    await behaviour.follow();
    const expected = edited((spec) => ((spec.personality.tone = "dry"), spec.sealedTopics.push("my health")));
    expect([toSpec(behaviour.draft!), [...behaviour.changed]]).toEqual([expected, ["personality.tone"]]);
  });

  test("saves what was edited, and the next version follows it", async () => {
    const behaviour = await loaded();
    behaviour.setText("personality.tone", "dry");
    expect([behaviour.changed.size, behaviour.isDirty("personality.tone"), behaviour.isDefault("personality.tone")]).toEqual([1, true, false]);
    await behaviour.save();
    expect([behaviour.dirty, behaviour.saved?.version, backend.world.versions[0]?.spec]).toEqual([false, 2, edited((spec) => (spec.personality.tone = "dry"))]);
  });

  test("moves an entry and keeps its name, so that it keeps the focus", async () => {
    const behaviour = await loaded();
    const [first, second] = behaviour.draft!.never.map((item) => item.key);
    expect(behaviour.move("never", second!, 0)).toBe(0);
    expect(behaviour.draft!.never.map((item) => item.key).slice(0, 2)).toEqual([second, first]);
    expect(behaviour.move("never", second!, -1)).toBe(0);
    expect(behaviour.changed.size).toBe(1);
  });

  test("puts a removed entry back where it was", async () => {
    const behaviour = await loaded();
    const putBack = behaviour.remove("never", behaviour.draft!.never[1]!.key);
    expect(behaviour.changed.size).toBe(1);
    putBack();
    putBack();
    expect([behaviour.dirty, toSpec(behaviour.draft!)]).toEqual([false, defaultSpec]);
  });

  test("puts nothing back into another draft", async () => {
    const behaviour = await loaded();
    const putBack = behaviour.remove("never", behaviour.draft!.never[1]!.key);
    behaviour.discard();
    putBack();
    expect(toSpec(behaviour.draft!)).toEqual(defaultSpec);
  });

  test("resets one field, one list, or all, into the draft only", async () => {
    backend.world.versions[0]!.spec = edited((spec) => ((spec.identity.name = "Max"), spec.never.pop(), (spec.personality.tone = "dry")));
    const behaviour = await loaded();
    behaviour.reset("identity.name");
    behaviour.reset("never");
    expect([behaviour.isDefault("identity.name"), behaviour.isDefault("never"), behaviour.changed.size]).toEqual([true, true, 2]);
    behaviour.resetAll();
    expect([toSpec(behaviour.draft!), backend.world.versions[0]!.spec.identity.name]).toEqual([defaultSpec, "Max"]);
  });

  test("keeps the draft for the next start, until it is saved or discarded", async () => {
    const behaviour = await loaded();
    behaviour.add("sealedTopics", "my health");
    const next = await loaded();
    expect(next.draft?.sealedTopics.map((item) => item.value)).toEqual(["my health"]);
    next.discard();
    expect([next.dirty, kept.size]).toEqual([false, 0]);
  });

  test("a kept draft that cannot be read is no draft", async () => {
    kept.set("atlas.behaviour-draft", '{"identity":{}}');
    expect((await loaded()).dirty).toBe(false);
  });

  test("shows problems beside their fields when the typing pauses", async () => {
    const behaviour = await loaded();
    behaviour.setText("identity.name", "");
    behaviour.setItem("never", behaviour.draft!.never[2]!.key, { text: "", hard: true });
    await vi.advanceTimersByTimeAsync(250);
    expect([behaviour.problemsOf("identity.name").length, behaviour.problemsOf("never.2").length, behaviour.problemsOf("never.1").length]).toEqual([1, 1, 0]);
  });

  test("an older version is loaded into the draft, not put in force", async () => {
    const behaviour = await loaded();
    const [, older] = await behaviour.versions();
    behaviour.take(older!.spec);
    expect([[...behaviour.changed], behaviour.saved?.version]).toEqual([["personality.verbosity"], 1]);
  });
});

test("tells how often a seal kept something out, and nothing where it did not", async () => {
  backend = fakeBackend({ sealed: true });
  const behaviour = await loaded();
  expect(["my health", "work", "money"].map((topic) => behaviour.keptOut(topic))).toEqual([3, 0, 0]);
});
