// Filters in words: what stands on their chips, and what taking one away means.
import type { MemoryFilters, Origin } from "../backend/types";
import { day } from "./format";
import { t } from "./text";

/** From here on somebody is called sure. */
export const SURE = 0.9;
/** The greatest confidence below it. */
const UNSURE = SURE - 0.000001;

export type Sureness = "any" | "sure" | "unsure";

/** What a person is called in the list of subjects. */
export function subjectName(subject: string): string {
  if (subject === "user") return t.memory.you;
  const whose = /^user['’]s (.+)$/.exec(subject)?.[1];
  return whose === undefined ? subject : t.memory.your(whose);
}

export const originNames: Record<Origin, string> = {
  said: t.filters.said,
  inferred: t.filters.inferred,
  imported: t.filters.imported,
  document: t.filters.document,
};

export function sureness(filters: MemoryFilters): Sureness {
  if (filters.leastConfidence !== null) return "sure";
  return filters.mostConfidence !== null ? "unsure" : "any";
}

export function withSureness(sure: Sureness): Partial<MemoryFilters> {
  return { leastConfidence: sure === "sure" ? SURE : null, mostConfidence: sure === "unsure" ? UNSURE : null };
}

export interface FilterChip {
  label: string;
  without: Partial<MemoryFilters>;
}

/** One chip for each filter in use. */
export function chipsOf(filters: MemoryFilters): FilterChip[] {
  const chips: FilterChip[] = [];
  const add = (label: string, without: Partial<MemoryFilters>) => chips.push({ label, without });
  if (filters.subject !== null) add(t.filters.chipAbout(subjectName(filters.subject)), { subject: null });
  for (const origin of filters.origins) add(originNames[origin], { origins: filters.origins.filter((other) => other !== origin) });
  const sure = sureness(filters);
  if (sure !== "any") add(sure === "sure" ? t.filters.sureOnly : t.filters.unsureOnly, withSureness("any"));
  if (filters.episodeKind) add(filters.episodeKind === "note" ? t.filters.notes : t.filters.summaries, { episodeKind: null });
  if (filters.pinned) add(t.filters.pinned, { pinned: false });
  if (filters.neverUsed) add(t.filters.neverUsed, { neverUsed: false });
  if (filters.superseded) add(t.filters.superseded, { superseded: false });
  if (filters.asOf) {
    const date = day(filters.asOf.at);
    add(filters.asOf.view === "true" ? t.filters.chipTrue(date) : t.filters.chipBelieved(date), { asOf: null });
  }
  return chips;
}

/** The last moment of a day that a date field names ("2026-03-01"), where the person is. */
export function endOfDay(date: string): string {
  return new Date(`${date}T23:59:59.999`).toISOString();
}

/** What a date field shows for a moment. */
export function dateField(iso: string): string {
  const date = new Date(iso);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
