import { expect, test } from "vitest";
import { Heights } from "./heights";

test("rows that were never seen stand where they are guessed", () => {
  const heights = new Heights(100_000, 64);
  expect([heights.top(10), heights.total, heights.at(0), heights.at(640), heights.at(639), heights.at(1e9), heights.at(-5)]).toEqual([
    640,
    6_400_000,
    0,
    10,
    9,
    99_999,
    0,
  ]);
});

test("a measured row moves those after it, and none before it", () => {
  const heights = new Heights(10, 50);
  expect([heights.set(3, 80), heights.set(3, 80), heights.set(3, 70)]).toEqual([true, false, true]);
  expect([heights.top(3), heights.top(4), heights.total, heights.at(219), heights.at(220)]).toEqual([150, 220, 520, 3, 4]);
});

test("the row at a height is the one that a walk through all of them finds", () => {
  const heights = new Heights(777, 40);
  for (let row = 0; row < 777; row += 3) heights.set(row, 20 + ((row * 37) % 90));
  for (let y = 0; y < heights.total; y += 13) {
    let row = 0;
    while (row < 776 && heights.top(row + 1) <= y) row += 1;
    expect(heights.at(y)).toBe(row);
  }
});

test("a list that grows keeps what was measured", () => {
  const before = new Heights(3, 50);
  before.set(1, 90);
  const after = new Heights(5, 50, before);
  expect([after.height(1), after.total, new Heights(1, 50, before).total, new Heights(0, 50).at(10)]).toEqual([90, 290, 50, 0]);
});
