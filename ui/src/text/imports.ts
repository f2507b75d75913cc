// Imports in words: what one brought, and what came of taking it back.
import type { ImportUndone, ImportView } from "../backend/types";
import { t } from "./text";

type Counts = Pick<ImportView, "conversations" | "added" | "review"> & Partial<Pick<ImportView, "messages">>;

/** "2 conversations, 14 messages, 3 for Review" */
export function brought({ conversations, messages = 0, added, review }: Counts): string {
  const parts = [
    ...some(conversations, t.transfer.conversations),
    ...some(messages, t.transfer.messages),
    ...some(added, t.transfer.memories),
    ...some(review, t.transfer.forReview),
  ];
  return parts.join(", ") || t.transfer.nothingNew;
}

/** What went, and what stays because the person made it theirs. */
export function takenBack({ conversations, messages, memories, review, kept }: ImportUndone): string {
  const gone = [
    ...some(conversations, t.transfer.conversations),
    ...some(messages, t.transfer.messages),
    ...some(memories, t.transfer.memories),
    ...some(review, t.transfer.fromReview),
  ];
  return [gone.length ? t.transfer.undone(gone.join(", ")) : t.transfer.undoneNothing, ...some(kept, t.transfer.kept)].join(" ");
}

function some(count: number, say: (count: number) => string): string[] {
  return count ? [say(count)] : [];
}
