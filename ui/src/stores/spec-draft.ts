// The behaviour while it is edited: every entry of a list has a name of its own, so that moving, editing and removing can
// be told apart, and so that a field keeps its focus when the list around it changes. Pure.
import type { BehaviorSpec, DecisionRule, Rule } from "../backend/types";

/** An entry of a list. */
export interface Item<T> {
  key: number;
  /** Where it stood in the saved version; `null` for a new one. */
  origin: number | null;
  value: T;
}

export const textFields = [
  "identity.name",
  "identity.role",
  "identity.version",
  "personality.tone",
  "personality.verbosity",
  "personality.formality",
  "memoryDirectives.storeFacts",
  "memoryDirectives.storeEpisodes",
  "memoryDirectives.storeProcedures",
] as const;
export type TextField = (typeof textFields)[number];

/** The lists and what stands in them. */
export interface Lists {
  never: Rule;
  always: Rule;
  decisionRules: DecisionRule;
  escalationTriggers: string;
  sealedTopics: string;
}
export type ListName = keyof Lists;
export const listNames = ["never", "always", "decisionRules", "escalationTriggers", "sealedTopics"] as const satisfies readonly ListName[];

export type SpecDraft = { texts: Record<TextField, string> } & { [L in ListName]: Item<Lists[L]>[] };

let lastKey = 0;

/** An entry that was not there before. */
export function newItem<T>(value: T): Item<T> {
  lastKey += 1;
  return { key: lastKey, origin: null, value };
}

/** The text of one field of a spec. */
export function textOf(spec: BehaviorSpec, field: TextField): string {
  const [part, name] = field.split(".") as [keyof BehaviorSpec, string];
  return (spec[part] as unknown as Record<string, string>)[name]!;
}

/** `spec` as a draft of changes to `saved`: entries that stand in both are the same entry. */
export function toDraft(spec: BehaviorSpec, saved: BehaviorSpec): SpecDraft {
  const texts = Object.fromEntries(textFields.map((field) => [field, textOf(spec, field)])) as Record<TextField, string>;
  return {
    texts,
    never: matched(spec.never, saved.never),
    always: matched(spec.always, saved.always),
    decisionRules: matched(spec.decisionRules, saved.decisionRules),
    escalationTriggers: matched(spec.escalationTriggers, saved.escalationTriggers),
    sealedTopics: matched(spec.sealedTopics, saved.sealedTopics),
  };
}

function matched<T>(values: readonly T[], saved: readonly T[]): Item<T>[] {
  const free = new Set(saved.keys());
  const items = values.map((value) => {
    const item = newItem(structuredClone(value));
    item.origin = [...free].find((index) => same(saved[index], value)) ?? null;
    if (item.origin !== null) free.delete(item.origin);
    return item;
  });
  // What is left over at the same place is the same entry, edited.
  items.forEach((item, index) => {
    if (item.origin === null && free.delete(index)) item.origin = index;
  });
  return items;
}

/** The draft as a spec. */
export function toSpec(draft: SpecDraft): BehaviorSpec {
  const { texts } = draft;
  const values = <T>(items: Item<T>[]): T[] => items.map((item) => JSON.parse(JSON.stringify(item.value)) as T);
  return {
    identity: { name: texts["identity.name"], role: texts["identity.role"], version: texts["identity.version"] },
    personality: {
      tone: texts["personality.tone"],
      verbosity: texts["personality.verbosity"],
      formality: texts["personality.formality"],
    },
    never: values(draft.never),
    always: values(draft.always),
    decisionRules: values(draft.decisionRules),
    escalationTriggers: values(draft.escalationTriggers),
    memoryDirectives: {
      storeFacts: texts["memoryDirectives.storeFacts"],
      storeEpisodes: texts["memoryDirectives.storeEpisodes"],
      storeProcedures: texts["memoryDirectives.storeProcedures"],
    },
    sealedTopics: values(draft.sealedTopics),
  };
}

/** What differs from the saved version: a path for each field, entry, removal and move. */
export function changes(draft: SpecDraft, saved: BehaviorSpec): Set<string> {
  const changed = new Set<string>();
  for (const field of textFields) if (draft.texts[field] !== textOf(saved, field)) changed.add(field);
  for (const name of listNames) {
    const items: readonly Item<unknown>[] = draft[name];
    const before: readonly unknown[] = saved[name];
    const kept = items.flatMap((item) => (item.origin === null ? [] : [item.origin]));
    const steady = longestRising(kept);
    for (const item of items) {
      const moved = item.origin !== null && !steady.has(item.origin);
      if (item.origin === null || moved || !same(before[item.origin], item.value)) changed.add(itemPath(name, item.key));
    }
    before.forEach((_, index) => {
      if (!kept.includes(index)) changed.add(`${name}.removed.${index}`);
    });
  }
  return changed;
}

/** How a change of a list's entry is named. */
export function itemPath(list: ListName, key: number): string {
  return `${list}.item.${key}`;
}

/** The list with one entry taken from one place to another. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const target = Math.max(0, Math.min(items.length - 1, to));
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(target, 0, items[from]!);
}

/** The entries that need not have moved: a longest rising run of positions. */
function longestRising(positions: readonly number[]): Set<number> {
  const best: number[][] = [];
  for (const position of positions) {
    let before: number[] = [];
    for (const run of best) if (run.at(-1)! < position && run.length > before.length) before = run;
    best.push([...before, position]);
  }
  return new Set(best.reduce((longest, run) => (run.length > longest.length ? run : longest), []));
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).sort(([one], [other]) => one.localeCompare(other));
}
