// What waits in Review and is no memory: wishes that become part of the behaviour once they are accepted.
import type { ReviewItem } from "../backend/types";
import { t } from "./text";

/** A wish, in words. */
export interface Wish {
  kind: string;
  /** What its accept button says. */
  accept: string;
  /** What is said once it is accepted. */
  accepted: string;
  /** What its one field is called. */
  field: string;
}

const wishes: Record<string, Wish> = {
  "wants never remembered": { kind: t.review.wishSeal, accept: t.review.acceptSeal, accepted: t.review.sealed, field: t.memory.editTopic },
  "wants of every answer": { kind: t.review.wishRule, accept: t.review.acceptRule, accepted: t.review.ruled, field: t.memory.editRule },
};

/** Which wish an item is; none where it is a memory. */
export function wishOf(item: Pick<ReviewItem, "draft">): Wish | null {
  return wishes[item.draft.relation] ?? null;
}
