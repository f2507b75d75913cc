// @vitest-environment jsdom
import { expect, test, vi } from "vitest";
import * as render from "./render";
import { MarkdownStream, renderAll } from "./stream";

vi.mock(import("./render"), { spy: true });

const text = "# Title\n\nFirst *paragraph*.\n\n- one\n- two\n\n  more of two\n\n```rust\nfn x() {}\n\nfn y() {}\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nThe end.";

test("a text that arrives letter by letter ends as the same blocks as the whole", () => {
  const stream = new MarkdownStream();
  for (let end = 1; end <= text.length; end += 1) stream.update(text.slice(0, end));
  expect([...stream.done, stream.tail].filter(Boolean)).toEqual(renderAll(text));
});

test("a finished block is rendered once and stays the same", () => {
  const stream = new MarkdownStream();
  const seen: string[] = [];
  for (let end = 1; end <= text.length; end += 1) {
    stream.update(text.slice(0, end));
    seen.forEach((html, index) => expect(stream.done[index]).toBe(html));
    seen.push(...stream.done.slice(seen.length));
  }
  expect(seen.length).toBe(renderAll(text).length - 1);
});

test("an open code block is one growing block", () => {
  const stream = new MarkdownStream();
  stream.update("```\na\n\nb\n\nc");
  expect([stream.done.length, stream.tail.includes("a\n\nb\n\nc")]).toEqual([0, true]);
});

test("an answer that begins anew leaves nothing of the old one", () => {
  const stream = new MarkdownStream();
  stream.update("old one\n\nold two\n\nold three");
  stream.update("new");
  expect([stream.done, stream.tail.trim()]).toEqual([[], "<p>new</p>"]);
});

test("of thirty thousand tokens, each piece is read a few times and not once for every later one", () => {
  const read = vi.mocked(render.blocksOf);
  read.mockClear();
  const stream = new MarkdownStream();
  const paragraph = `${"word ".repeat(60)}\n\n`;
  let whole = "";
  for (let count = 0; count < 400; count += 1) {
    whole += paragraph;
    stream.update(whole);
  }
  const characters = read.mock.calls.reduce((sum, [source]) => sum + source.length, 0);
  expect([stream.done.length, whole.length > 120_000, characters < 3 * whole.length]).toEqual([399, true, true]);
});
