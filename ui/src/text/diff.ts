// What changed between two texts, line by line.

export interface DiffLine {
  kind: "same" | "added" | "removed";
  text: string;
}

/** The lines of both texts: what was removed stands before what took its place. */
export function diffLines(before: string, after: string): DiffLine[] {
  const old = before.split("\n");
  const now = after.split("\n");
  // common[i][j]: how many lines the rests from i and from j have in common, in order.
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i]![j] = old[i] === now[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: "same", text: old[i]! });
      i += 1;
      j += 1;
    } else if (i < old.length && (j >= now.length || common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push({ kind: "removed", text: old[i]! });
      i += 1;
    } else {
      lines.push({ kind: "added", text: now[j]! });
      j += 1;
    }
  }
  return lines;
}
