// Memories in words: the sentence with its value marked, and the quiet line beneath it.
import type { Fact, Procedure } from "../backend/types";
import { percent } from "./format";
import { t } from "./text";
import { when } from "./when";

/** A sentence in three parts; the middle one matters most. */
export interface Marked {
  before: string;
  strong: string;
  after: string;
}

/** Finds the value in its sentence, from the end; a sentence that says it otherwise has nothing marked. */
export function markValue(sentence: string, value: string): Marked {
  const at = value ? sentence.toLowerCase().lastIndexOf(value.toLowerCase()) : -1;
  if (at < 0 || sentence.toLowerCase().length !== sentence.length) return { before: sentence, strong: "", after: "" };
  return { before: sentence.slice(0, at), strong: sentence.slice(at, at + value.length), after: sentence.slice(at + value.length) };
}

/** Who said a fact, and when. */
export function toldBy(fact: Pick<Fact, "origin" | "recordedAt">, now = new Date()): string {
  const date = when(fact.recordedAt, now);
  return {
    said: t.memory.saidOn(date),
    inferred: t.memory.inferredOn(date),
    imported: t.memory.importedOn(date),
    document: t.memory.documentOn(date),
  }[fact.origin];
}

/** What a fact took the place of: the last three values. */
export function replacedBy(fact: Fact): string {
  if (!fact.replaced.length) return "";
  const shown = t.memory.replaced(fact.replaced.slice(0, 3));
  return fact.replaced.length > 3 ? `${shown} ${t.memory.replacedMore(fact.replaced.length - 3)}` : shown;
}

/** "said", "inferred · 70% sure" */
export function factTag(fact: Fact): string {
  const origin = {
    said: t.memory.originSaid,
    inferred: t.memory.originInferred,
    imported: t.memory.originImported,
    document: t.memory.originDocument,
  }[fact.origin];
  if (fact.retiredAt !== null) return t.memory.noMore;
  return fact.confidence < 1 ? `${origin} · ${t.memory.sure(percent(fact.confidence))}` : origin;
}

/** How well a procedure did, and what was learned. */
export function procedureLine(procedure: Procedure, now = new Date()): string {
  const tries = procedure.successes + procedure.failures;
  const parts = [
    capital(t.memory.helped(procedure.successes, tries)),
    t.memory.lastTried(when(procedure.lastUsedAt, now)),
    procedure.lesson ?? "",
    procedure.lesson && procedure.lessonBy ? t.health.lessonBy[procedure.lessonBy] : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

/** With a capital at its beginning. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
