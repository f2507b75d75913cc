// Markdown that grows. Finished blocks are rendered once and never again; only what may still change is.
import { blocksOf, renderBlock } from "./render";

export class MarkdownStream {
  /** Finished blocks, as safe HTML. Only ever appended to. */
  readonly done: string[] = [];
  /** The last block, as safe HTML. */
  tail = "";
  private source = "";
  private frozen = 0;

  /** Takes the whole text so far. A text that does not go on from the last one begins anew. */
  update(source: string): void {
    if (!source.startsWith(this.source.slice(0, this.frozen))) {
      this.done.length = 0;
      this.frozen = 0;
    }
    this.source = source;
    const blocks = blocksOf(source.slice(this.frozen)).filter((block) => block.raw);
    // Blank lines after a block do not finish it: a list may go on after them.
    const last = blocks.findLastIndex((block) => block.type !== "space");
    for (const block of blocks.slice(0, Math.max(0, last))) {
      this.frozen += block.raw.length;
      if (block.type !== "space") this.done.push(renderBlock(block));
    }
    const open = blocks[last];
    this.tail = open ? renderBlock(open) : "";
  }
}

/** A finished text, block by block, as safe HTML. */
export function renderAll(source: string): string[] {
  return blocksOf(source)
    .filter((block) => block.type !== "space" && block.type !== "def")
    .map((block) => renderBlock(block));
}
