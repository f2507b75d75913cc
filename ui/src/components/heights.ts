// How high each row of a long list is, and so where it stands. Pure; rows that were never seen are guessed.

/** The heights of `count` rows. Every question takes time that grows with the logarithm of their number. */
export class Heights {
  /** How much rows differ from the guess, summed as a Fenwick tree. */
  private sums: Float64Array;
  private known: Float32Array;

  constructor(
    readonly count: number,
    readonly guess: number,
    before?: Heights,
  ) {
    this.sums = new Float64Array(count + 1);
    this.known = new Float32Array(count);
    if (!before) return;
    for (let row = 0; row < Math.min(count, before.count); row += 1) if (before.known[row]) this.set(row, before.known[row]!);
  }

  /** A row was measured. Returns whether that was news. */
  set(row: number, height: number): boolean {
    const news = height - (this.known[row] || this.guess);
    this.known[row] = height;
    if (news === 0) return false;
    for (let at = row + 1; at <= this.count; at += at & -at) this.sums[at]! += news;
    return true;
  }

  /** Where a row begins. That of the row after the last is the height of all. */
  top(row: number): number {
    let sum = row * this.guess;
    for (let at = row; at > 0; at -= at & -at) sum += this.sums[at]!;
    return sum;
  }

  height(row: number): number {
    return this.known[row] || this.guess;
  }

  get total(): number {
    return this.top(this.count);
  }

  /** The row that stands at a height; the nearest one beyond the ends. */
  at(y: number): number {
    let row = 0;
    let sum = 0;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.count))); step >= 1; step /= 2) {
      const next = row + step;
      if (next > this.count) continue;
      const after = sum + step * this.guess + this.sums[next]!;
      if (after > y) continue;
      row = next;
      sum = after;
    }
    return Math.max(0, Math.min(row, this.count - 1));
  }
}
