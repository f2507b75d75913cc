// What waits in Review, what happened in memory, and what somebody wrote into MEMORY.md.
import type { Fact, MemoryEventView, MemoryFileEdits, ReviewItem } from "../types";
import { ago, type SeededConversation } from "./seed";

const DAY = 86_400_000;

export function seedReview(now: number, conversations: readonly SeededConversation[], next: () => number): ReviewItem[] {
  const letter = conversations[3];
  const source = {
    sourceMessage: letter?.messages[0]?.message.id ?? null,
    sourceConversation: letter?.conversation.id ?? null,
    sourceTitle: letter?.conversation.title ?? null,
  };
  const items: (Pick<ReviewItem, "draft" | "sentence" | "why" | "origin" | "conflictsWith"> & { days: number })[] = [
    {
      draft: { subject: "user", relation: "lives in", value: "Rua das Flores 12, Porto" },
      sentence: "You live in Rua das Flores 12, Porto",
      why: "It stands in the letter that you pasted, not in your own words",
      origin: "document",
      conflictsWith: "You live in Porto",
      days: 5,
    },
    {
      draft: { subject: "user", relation: "works as", value: "a harbour pilot" },
      sentence: "You work as a harbour pilot",
      why: "It does not go with what is known, and you did not say that anything changed",
      origin: "said",
      conflictsWith: "You work as a marine engineer",
      days: 2,
    },
    {
      draft: { subject: "Mia", relation: "is afraid of", value: "thunderstorms" },
      sentence: "Mia is afraid of thunderstorms",
      why: "It was concluded from what you said about the night on the boat",
      origin: "inferred",
      conflictsWith: null,
      days: 6,
    },
  ];
  return items.map(({ days, ...item }) => ({ id: next(), ...item, ...source, proposedAt: ago(now, days * DAY), bothMayHold: item.draft.relation !== "lives in" }));
}

/** The history of the first facts, newest first. */
export function seedEvents(facts: readonly Fact[], past: readonly Fact[], next: () => number): MemoryEventView[] {
  const told = (fact: Fact, kind: MemoryEventView["kind"]): MemoryEventView => ({
    event: next(),
    at: fact.recordedAt,
    kind,
    memory: { type: "fact", id: fact.id },
    sentence: fact.sentence,
    why: { said: "You said so", inferred: "Concluded", imported: "Imported", document: "From a document that you pasted" }[fact.origin],
    message: fact.sourceMessage,
    conversation: fact.sourceConversation,
    undone: false,
    canUndo: false,
  });
  const events = [...past.map((fact) => told(fact, "added")), ...facts.map((fact) => told(fact, fact.replaced.length ? "superseded" : "added"))];
  return events.sort((one, other) => other.at.localeCompare(one.at));
}

export function seedEdits(): MemoryFileEdits {
  return { files: ["MEMORY.md"], added: ["You play the cello"], removed: ["You have read the book no. 12 on the shelf"] };
}
