import { beforeEach, describe, expect, test, vi } from "vitest";
import type { FailureView, MemoryChange, Message, TurnEvent } from "../backend/types";
import { Turn, type TurnListener } from "./turn.svelte";

const nothing = { promptTokens: null, completionTokens: null, cost: null };
const asked: Message = { id: 1, conversation: 9, turn: 5, role: "user", text: "Hi", at: "2026-11-29T12:00:00Z", state: "complete", model: null, usage: nothing };
const answer: Message = { ...asked, id: 2, role: "assistant", text: "Hello.", model: "m" };
const failure: FailureView = { code: "network", message: "There is no connection.", next: "retry", alternative: null, service: null, queued: false };
const change: MemoryChange = { event: 3, kind: "added", fact: 4, sentence: "I live in Porto", message: 1 };
const used = [{ memory: { type: "fact" as const, id: 4 }, sentence: "I live in Porto" }];
const started: TurnEvent = { type: "started", turn: 5, conversation: 9, message: asked, used };
const note = { code: "rate_limit", line: "OpenRouter is busy.", past: "OpenRouter was busy.", waitSeconds: 2, remedy: "wait" };

let heard: string[];
let stop: ReturnType<typeof vi.fn<(turn: number) => void>>;
let listener: TurnListener;

beforeEach(() => {
  heard = [];
  stop = vi.fn();
  listener = {
    started: (_turn, message) => heard.push(`started ${message.id}`),
    changed: (message, changes) => heard.push(`changed ${message} ${changes.length}`),
    ended: (_turn, outcome) => heard.push(outcome.type),
  };
});

function turnWith(events: TurnEvent[], prefix = ""): Turn {
  const turn = new Turn("Hi", prefix, listener, stop);
  for (const event of events) turn.apply(event);
  return turn;
}

function state({ phase, text, used: memories, healing, usage }: Turn) {
  return { phase, text, used: memories, healing, usage };
}

describe("a turn", () => {
  test("begins by sending", () => {
    expect(state(turnWith([]))).toEqual({ phase: "sending", text: "", used: [], healing: [], usage: null });
  });

  test("asks once the message is on disk", () => {
    expect(state(turnWith([started]))).toEqual({ phase: "asking", text: "", used, healing: [], usage: null });
    expect(heard).toEqual(["started 1"]);
  });

  test("appends what arrives", () => {
    const turn = turnWith([started, { type: "delta", text: "Hel" }, { type: "delta", text: "lo" }]);
    expect([turn.phase, turn.text]).toEqual(["answering", "Hello"]);
  });

  test("waits while something heals before the first word", () => {
    const turn = turnWith([started, { type: "healing", note }]);
    expect([turn.phase, turn.text, turn.healing]).toEqual(["asking", "", [note]]);
  });

  test("keeps what the person reads when something heals after it", () => {
    const turn = turnWith([started, { type: "delta", text: " more" }, { type: "healing", note }], "Once upon");
    expect([turn.phase, turn.text, turn.healing]).toEqual(["answering", "Once upon more", [note]]);
  });

  test("takes back what was said when it is withdrawn, and keeps what an earlier answer said", () => {
    const turn = turnWith([started, { type: "delta", text: " I am human" }, { type: "withdrawn" }], "Once upon");
    expect([turn.phase, turn.text]).toEqual(["asking", "Once upon"]);
    turn.apply({ type: "healing", note });
    turn.apply({ type: "delta", text: " a time" });
    expect([turn.phase, turn.text, turn.healing]).toEqual(["answering", "Once upon a time", [note]]);
  });

  test("knows until when it waits, and waits no longer once anything happens", () => {
    vi.useFakeTimers({ now: 1_000_000 });
    const turn = turnWith([started, { type: "healing", note }]);
    expect(turn.waitingUntil).toBe(1_002_000);
    turn.apply({ type: "healing", note: { ...note, waitSeconds: 0 } });
    expect(turn.waitingUntil).toBeNull();
    turn.apply({ type: "healing", note });
    turn.apply({ type: "delta", text: "Hello" });
    expect(turn.waitingUntil).toBeNull();
    vi.useRealTimers();
  });

  test("tells a wait that was cut short as long as it was", () => {
    const before = { ...note, code: "server" };
    const short = { ...note, past: "OpenRouter was busy; waited 0.5 s.", waitSeconds: 0.5 };
    const turn = turnWith([started, { type: "healing", note: before }, { type: "healing", note }, { type: "waited", note: short }]);
    expect([turn.healing, turn.waitingUntil, turn.phase]).toEqual([[before, short], null, "asking"]);
  });

  test("names itself once to whoever skips its wait", () => {
    const turn = turnWith([started, { type: "healing", note }]);
    expect([turn.skipWait(), turn.skipWait()]).toEqual([5, null]);
  });

  test("tells of memory that changed, with the person's message", () => {
    turnWith([started, { type: "memoryChanged", changes: [change] }]);
    expect(heard).toEqual(["started 1", "changed 1 1"]);
  });

  test("keeps what it cost", () => {
    const usage = { promptTokens: 10, completionTokens: 2, cost: 0.001 };
    expect(turnWith([started, { type: "usage", usage }]).usage).toEqual(usage);
  });

  test.each<[TurnEvent, string]>([
    [{ type: "completed", message: answer }, "completed"],
    [{ type: "cancelled", message: null }, "cancelled"],
    [{ type: "cancelled", message: answer }, "cancelled"],
    [{ type: "failed", message: null, failure }, "failed"],
    [{ type: "failed", message: answer, failure }, "failed"],
  ])("ends once, whatever comes after: %j", (terminal, outcome) => {
    const turn = turnWith([started, terminal, { type: "delta", text: "late" }, { type: "completed", message: answer }, { type: "memoryChanged", changes: [change] }]);
    expect(heard).toEqual(["started 1", outcome]);
    expect([turn.phase, turn.text]).toEqual(["over", ""]);
  });
});

describe("stopping a turn", () => {
  const handle = { turn: 5, conversation: 9, message: 1 };

  test("asks the core at once when the turn is known", () => {
    const turn = turnWith([started]);
    turn.stop();
    turn.stop();
    expect(stop.mock.calls).toEqual([[5]]);
  });

  test("before the message is on disk asks as soon as the turn is known, and once", () => {
    const turn = turnWith([]);
    turn.stop();
    expect(stop.mock.calls).toEqual([]);
    turn.begun(handle);
    turn.apply(started);
    expect(stop.mock.calls).toEqual([[5]]);
  });

  test("after its end does nothing", () => {
    const turn = turnWith([started, { type: "completed", message: answer }]);
    turn.stop();
    expect([turn.stopping, stop.mock.calls]).toEqual([false, []]);
  });
});
