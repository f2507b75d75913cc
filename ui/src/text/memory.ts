// Memories in words: what somebody said, the label over it, and the quiet line beneath.
import type { Fact, FactDraft, Polarity, Procedure } from "../backend/types";
import { subjectName } from "./filters";
import { fullDay, month as monthName, percent, time } from "./format";
import { t } from "./text";
import { when } from "./when";

/** Words in three parts; the middle one matters most. */
export interface Marked {
  before: string;
  strong: string;
  after: string;
}

/** Words of which no part matters most. */
export function plain(words: string): Marked {
  return { before: words, strong: "", after: "" };
}

/** The relation of words that are kept without a structure. */
export const SAID = "said";

/** The structure over somebody's words, in words of its own. */
export interface Label {
  /** "not", "no longer", or nothing. */
  stance: string;
  /** "Mara", or nothing where it is about the person. */
  about: string;
  relation: string;
  value: string;
}

/** The label of words; none where they have no structure. */
export function labelOf({ subject, relation, value }: FactDraft, polarity: Polarity): Label | null {
  if (relation === SAID) return null;
  const stance = { holds: "", denied: t.memory.labelNot, ended: t.memory.labelEnded }[polarity];
  return { stance, about: subject === "user" ? "" : subjectName(subject), relation, value };
}

/** "Mara: works as → nurse" */
export function labelText({ stance, about, relation, value }: Label): string {
  return t.memory.label(stance, about, relation, value);
}

/** As much of long words as a notice has room for. */
export function clip(words: string, most = 80): string {
  const letters = [...words];
  return letters.length > most ? `${letters.slice(0, most - 1).join("").trimEnd()}…` : words;
}

/** The date that words mean, and whether it is over: "on 3 March 2026, 09:00". */
export interface Meant {
  text: string;
  past: boolean;
}

/** Reads `2026-03-05`, `2026-03-05T09:00`, `2026-03`, `2026` and a week as `2026-03-09/2026-03-15`, where the person is; none where it is no date. */
export function meant(date: string, now = new Date()): Meant | null {
  const week = /^(\d{4})-(\d{2})-(\d{2})\/(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  if (week) {
    const [year, month, first, endYear, endMonth, last] = week.slice(1).map(Number) as [number, number, number, number, number, number];
    const days = [new Date(year, month - 1, first), new Date(endYear, endMonth - 1, last)].map((day) => fullDay(day.toISOString())) as [string, string];
    return { text: t.memory.meantFrom(...days), past: new Date(endYear, endMonth - 1, last + 1) <= now };
  }
  if (/^\d{4}$/.test(date)) return { text: t.memory.meantIn(date), past: Number(date) < now.getFullYear() };
  const parts = /^(\d{4})-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2}))?)?/.exec(date);
  if (!parts) return null;
  const [year, month, ofMonth, hour, minute] = parts.slice(1).map((part) => (part === undefined ? null : Number(part))) as [number, number, ...(number | null)[]];
  if (ofMonth == null) {
    const text = t.memory.meantIn(monthName(new Date(year, month - 1, 1).toISOString()));
    return { text, past: new Date(year, month, 1) <= now };
  }
  const start = new Date(year, month - 1, ofMonth, hour ?? 0, minute ?? 0);
  const whole = fullDay(start.toISOString());
  if (hour == null) return { text: t.memory.meantOn(whole), past: new Date(year, month - 1, ofMonth + 1) <= now };
  return { text: t.memory.meantAt(whole, time(start.toISOString())), past: start < now };
}

/** Scripts and the marks that they put around somebody's words; all others have the last ones. */
const marks: readonly [script: RegExp, open: string, close: string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, "「", "」"],
  [/[\p{Script=Arabic}\p{Script=Cyrillic}\p{Script=Greek}]/u, "«", "»"],
  [/./su, "“", "”"],
];

/** The marks around somebody's words, by the script that they are in. */
export function quoteMarks(words: string): [open: string, close: string] {
  const [, open, close] = marks.find(([script]) => script.test(words)) ?? marks.at(-1)!;
  return [open, close];
}

/** Who said a fact, and when. */
export function toldBy(fact: Pick<Fact, "origin" | "saidAt">, now = new Date()): string {
  const date = when(fact.saidAt, now);
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
