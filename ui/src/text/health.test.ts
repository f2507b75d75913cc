import { describe, expect, test } from "vitest";
import type { ConductSample, HealingNote, ProviderHealthView, StoreHealthView } from "../backend/types";
import { duration } from "./format";
import { failureName, healingWords, isKept, providerLine, providerWords, remedyName, stepWords, storeProblem, storeWords, strayWords } from "./health";

test("a failure has words by its code, by its family, and in any case", () => {
  expect(["rate_limit", "network_dns", "store_disk", "engine_out_of_memory", "something_new"].map(failureName)).toEqual([
    "The service was busy",
    "The network failed",
    "The database failed",
    "There was not enough memory for the built-in model",
    "Something failed",
  ]);
});

test("a remedy that has no words is left out", () => {
  expect(["wait", "start_afresh", "answer_from_memory", "", "something_new"].map(remedyName)).toEqual(["waited and asked again", "left out the conversation so far", "answered from memory alone", "", ""]);
});

test("a line of healing is told in the past once it is over, and an old one as it was kept", () => {
  const note: HealingNote = { code: "server", line: "It is busy. Asking again.", past: "It was busy; asked again.", waitSeconds: 0, remedy: "retry" };
  const all = [note, { ...note, past: "" }].map((one) => (["now", "healed", "tried"] as const).map((healing) => healingWords(one, healing)));
  expect(all).toEqual([
    [note.line, note.past, note.past],
    [note.line, note.line, note.line],
  ]);
});

test("an answer that strayed says how, by each kind or by the role", () => {
  const sample = (violations: ConductSample["violations"], onRole: number | null): ConductSample => ({ at: "", model: "", provider: "", violations, onRole });
  expect([sample(["leaked_key"], 0.1), sample(["sealed_topic", "claims_human"], null), sample([], 0.424), sample([], null)].map(strayWords)).toEqual([
    "Showed something like a key",
    "Brought up a topic that you sealed · Passed itself off as a human",
    "Left the role (42%)",
    "Left the role",
  ]);
});

test("the database says how it is, and whether anything new is kept", () => {
  const view = (mode: StoreHealthView["mode"], problem: string | null = null): StoreHealthView => ({ mode, problem, backup: null, backupAt: null, checkedAt: null, lastBackupAt: null });
  const views = [view("normal"), view("normal", "No room."), view("repaired"), view("checking"), view("unwritable"), view("damaged"), view("onBackup")];
  expect(views.map((one) => [storeWords(one).condition, isKept(one)])).toEqual([
    ["well", true],
    ["watch", true],
    ["well", true],
    ["watch", false],
    ["ill", false],
    ["ill", false],
    ["ill", false],
  ]);
});

test("a backup in the database's place is told with its moment, where the person is", () => {
  const view: StoreHealthView = { mode: "onBackup", problem: "It is damaged.", backup: "b.db", backupAt: "2026-11-29T21:05:00", checkedAt: null, lastBackupAt: null };
  expect([storeProblem(view), storeProblem({ ...view, backupAt: null }), storeProblem({ ...view, problem: null, backupAt: null })]).toEqual([
    expect.stringMatching(/^It is damaged\. The backup is of (29 November|November 29,) 2026.* (21:05|9:05\sPM)\.$/),
    "It is damaged.",
    "",
  ]);
});

test("the button of a failure names its step, and where a model is missing that one is to be had", () => {
  const words = (code: string) => stepWords({ code, message: "", next: "openSettings", alternative: null, service: null, queued: false });
  expect([words("not_an_api"), words("engine_missing")]).toEqual(["Open settings", "Get a model"]);
});

describe("a service", () => {
  const well: ProviderHealthView = {
    provider: "OpenRouter",
    breaker: "closed",
    failuresInARow: 0,
    lastFailure: null,
    lastFailureAt: null,
    lastSuccessAt: null,
    notBefore: null,
  };
  const now = new Date("2026-11-30T12:00:00");

  test("says whether it is asked, and why not", () => {
    const at = "2026-11-30T10:32:00";
    const views = [
      well,
      { ...well, lastSuccessAt: at },
      { ...well, failuresInARow: 2 },
      { ...well, breaker: "halfOpen" as const },
      { ...well, breaker: "open" as const, failuresInARow: 1 },
    ];
    expect(views.map((view) => providerWords(view).text)).toEqual([
      "Not asked lately",
      "Answers",
      "Failed 2 times in a row, and is still asked",
      "Tried again with the next question",
      "Left alone after 1 failure",
    ]);
  });

  test("says when it last answered, and what last went wrong", () => {
    const line = providerLine({ ...well, lastFailure: "rate_limit", lastFailureAt: "2026-11-29T09:05:00" }, now);
    expect(line).toMatch(/^No answer yet · last failure yesterday, 0?9:05\D*: the service was busy$/);
  });
});

test("a stretch of time is said as short as it may be", () => {
  expect([0.4, 7, 59.6, 90, 3600, 3900, -3].map(duration)).toEqual(["0.4 s", "7 s", "1 min", "2 min", "1 h", "1 h 5 min", "0 s"]);
});
