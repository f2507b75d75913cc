import { describe, expect, test } from "vitest";
import type { EngineState, ProviderHealthView } from "../backend/types";
import { duration } from "./format";
import { engineReading, failureName, providerLine, providerWords, remedyName } from "./health";

test("a failure has words by its code, by its family, and in any case", () => {
  expect(["rate_limit", "network_dns", "store_read_only", "engine_out_of_memory", "something_new"].map(failureName)).toEqual([
    "The service was busy",
    "The network failed",
    "The database failed",
    "The built-in model failed",
    "Something failed",
  ]);
});

test("a remedy that has no words is left out", () => {
  expect(["wait", "answer_from_memory", "", "something_new"].map(remedyName)).toEqual(["waited and asked again", "answered from memory alone", "", ""]);
});

test("the engine's state is read however it is said, and one that is not known is no error", () => {
  const until = "2026-11-30T10:32:00Z";
  const states = ["ready", "unloaded", { resting: { until } }, { flapping: { until } }, "dreaming", null];
  expect(states.map((state) => engineReading(state as EngineState | null))).toEqual([
    { state: "ready", until: null },
    { state: "unloaded", until: null },
    { state: "resting", until },
    { state: "flapping", until },
    { state: "unknown", until: null },
    { state: "unknown", until: null },
  ]);
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

  test("says whether it is asked, and until when not", () => {
    const at = "2026-11-30T10:32:00";
    const views = [
      well,
      { ...well, lastSuccessAt: at },
      { ...well, failuresInARow: 2 },
      { ...well, breaker: "halfOpen" as const },
      { ...well, breaker: "open" as const, failuresInARow: 3, notBefore: at },
      { ...well, breaker: "open" as const, failuresInARow: 1 },
    ];
    expect(views.map((view) => providerWords(view).text)).toEqual([
      "Not asked lately",
      "Answers",
      "Failed 2 times in a row, and is still asked",
      "Tried again with the next question",
      expect.stringMatching(/^Left alone until 10:32\D* after 3 failures$/),
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
