// What waits in Review, what happened in memory, and what somebody wrote into MEMORY.md.
import type { Fact, MemoryEventView, MemoryFileEdits, ReviewItem, SealCount } from "../types";
import { ago, type SeededConversation } from "./seed";

const DAY = 86_400_000;

export function seedReview(now: number, conversations: readonly SeededConversation[], next: () => number): ReviewItem[] {
  const letter = conversations[3];
  const source = {
    sourceMessage: letter?.messages[0]?.message.id ?? null,
    sourceConversation: letter?.conversation.id ?? null,
    sourceTitle: letter?.conversation.title ?? null,
  };
  const items: (Pick<ReviewItem, "draft" | "quote" | "why" | "origin" | "conflictsWith"> & Partial<ReviewItem> & { days: number })[] = [
    {
      draft: { subject: "user", relation: "lives in", value: "Rua das Flores 12, Porto" },
      quote: "The tenant lives in Rua das Flores 12, Porto, on the second floor.",
      why: "It stood in a document or a long paste, so you did not say it yourself.",
      origin: "document",
      conflictsWith: "I live in Porto",
      days: 5,
    },
    {
      draft: { subject: "user", relation: "works as", value: "a harbour pilot" },
      quote: "As a harbour pilot I am used to fog",
      why: "It does not seem to go together with what Atlas knows.",
      origin: "said",
      conflictsWith: "I work as a marine engineer",
      days: 2,
    },
    {
      draft: { subject: "Mia", relation: "is afraid of", value: "thunderstorms" },
      quote: "Mia did not sleep at all in that thunderstorm on the boat",
      why: "Atlas is not certain that you meant it like this.",
      origin: "inferred",
      conflictsWith: null,
      days: 6,
    },
    {
      draft: { subject: "user", relation: "wants of every answer", value: "antworte immer auf Deutsch" },
      quote: "antworte immer auf Deutsch",
      why: "You may want this of every answer from now on. Accepted, it becomes a rule under Behaviour.",
      origin: "said",
      conflictsWith: null,
      sourceTitle: "Besuch von Lena",
      days: 8,
    },
    {
      draft: { subject: "user", relation: "wants never remembered", value: "mi divorcio" },
      quote: "mi divorcio",
      why: "You may have asked never to remember anything about it.",
      origin: "said",
      conflictsWith: null,
      sourceTitle: "Clases de acordeón",
      days: 15,
    },
    {
      draft: { subject: "سلمى", relation: "works as", value: "مهندسة" },
      quote: "ربما تعمل سلمى مهندسة في المرفأ",
      why: "Atlas is not certain that you meant it like this.",
      origin: "said",
      conflictsWith: null,
      sourceTitle: "عرس سلمى",
      days: 21,
    },
    {
      draft: { subject: "user", relation: "likes", value: "納豆" },
      polarity: "denied",
      quote: "納豆はちょっと苦手かもしれない",
      why: "Atlas is not certain that you meant it like this.",
      origin: "said",
      conflictsWith: null,
      sourceTitle: "週末の献立",
      days: 22,
    },
  ];
  return items.map(({ days, ...item }) => ({
    id: next(),
    polarity: "holds",
    date: null,
    ...source,
    ...item,
    saidAt: ago(now, days * DAY),
    proposedAt: ago(now, days * DAY),
    bothMayHold: item.draft.relation !== "lives in",
  }));
}

/** The history of the first facts, newest first. */
export function seedEvents(facts: readonly Fact[], past: readonly Fact[], next: () => number): MemoryEventView[] {
  const told = (fact: Fact, kind: MemoryEventView["kind"]): MemoryEventView => ({
    event: next(),
    at: fact.recordedAt,
    kind,
    memory: { type: "fact", id: fact.id },
    sentence: fact.quote,
    why: { said: "You said so", inferred: "Concluded", imported: "Imported", document: "From a document that you pasted" }[fact.origin],
    message: fact.sourceMessage,
    conversation: fact.sourceConversation,
    undone: false,
    canUndo: false,
  });
  const events = [...past.map((fact) => told(fact, "added")), ...facts.map((fact) => told(fact, fact.replaced.length ? "superseded" : "added"))];
  return events.sort((one, other) => other.at.localeCompare(one.at));
}

/** What the seals of the behaviour kept out of memory. */
export function seedKeptOut(): SealCount[] {
  return [{ topic: "my health", times: 3 }, { topic: "work", times: 0 }];
}

export function seedEdits(): MemoryFileEdits {
  return { files: ["MEMORY.md"], added: ["I play the cello"], removed: ["I have read the book no. 12 on the shelf"] };
}
