import { expect, test } from "vitest";
import { BackendError } from "../backend/backend";
import { Loaded } from "./loaded.svelte";

const broken = new BackendError({ code: "store", message: "It could not be read.", retryable: true });

test("what was read stays while reading it anew fails, and says so", async () => {
  const answers: (() => number)[] = [
    () => 1,
    () => {
      throw broken;
    },
    () => 3,
  ];
  const part = new Loaded(async () => answers.shift()!());
  const seen = [];
  for (let round = 0; round < 3; round += 1) {
    await part.load();
    seen.push([part.value, part.error?.message ?? null, part.loading]);
  }
  expect(seen).toEqual([
    [1, null, false],
    [1, "It could not be read.", false],
    [3, null, false],
  ]);
});

test("an answer that a newer request has overtaken is dropped", async () => {
  const waiting: ((value: string) => void)[] = [];
  const part = new Loaded(() => new Promise<string>((resolve) => waiting.push(resolve)));
  const first = part.load();
  const second = part.load();
  waiting[1]!("new");
  await second;
  waiting[0]!("old");
  await first;
  expect([part.value, part.loading]).toEqual(["new", false]);
});

test("what a command said is not undone by an older reading", async () => {
  let answer: (value: string) => void = () => undefined;
  const part = new Loaded(() => new Promise<string>((resolve) => (answer = resolve)));
  const reading = part.load();
  part.set("said");
  answer("read");
  await reading;
  expect([part.value, part.loading]).toEqual(["said", false]);
});
