// Memory in the fake: lists with their filters, correction, pins, undo, what happened when.
import type { Backend } from "../backend";
import { noFilters } from "../filters";
import type { AsOf, Fact, FactDraft, MemoryEventView, MemoryFilters, MemoryQuery, Page, Polarity, ReviewItem } from "../types";
import type { Answer } from "./fake";
import type { World } from "./world";

type Commands = Pick<
  Backend,
  | "facts"
  | "episodes"
  | "procedures"
  | "memoryCounts"
  | "factHistory"
  | "editFact"
  | "pinFact"
  | "memorySource"
  | "subjects"
  | "memoryEvents"
  | "undo"
  | "review"
  | "acceptReview"
  | "editReview"
  | "dismissReview"
  | "embeddingStatus"
>;

interface Read<T> {
  text: (row: T) => string;
  at: (row: T) => string;
  used?: (row: T) => number;
  sure?: (row: T) => number;
}

/** Searches, sorts and cuts a list as the core does. */
function page<T>(rows: readonly T[], query: Omit<MemoryQuery, "filters">, { text, at, used = () => 0, sure = () => 1 }: Read<T>): Page<T> {
  const words = query.search.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = rows.filter((row) => words.every((word) => text(row).toLowerCase().includes(word)));
  const newest = (one: T, other: T) => (at(one) < at(other) ? 1 : at(one) > at(other) ? -1 : 0);
  const orders: Record<MemoryQuery["order"], (one: T, other: T) => number> = {
    newest,
    oldest: (one, other) => newest(other, one),
    mostUsed: (one, other) => used(other) - used(one) || newest(one, other),
    leastConfident: (one, other) => sure(one) - sure(other) || newest(one, other),
    alphabetical: (one, other) => text(one).localeCompare(text(other)),
  };
  matching.sort(orders[query.order]);
  return { rows: matching.slice(query.offset, query.offset + query.limit), total: matching.length };
}

const factText = (fact: Fact) => `${fact.quote} ${fact.subject} ${fact.relation} ${fact.value}`;

/** Whether a fact held at a moment: in the world, or in what Atlas believed. */
function held(fact: Fact, { at, view }: AsOf): boolean {
  const from = view === "true" ? (fact.validFrom ?? fact.recordedAt) : fact.recordedAt;
  const to = view === "true" ? fact.validTo : fact.retiredAt;
  return from <= at && (to === null || to > at);
}

function passes(fact: Fact, filters: MemoryFilters): boolean {
  if (filters.asOf) {
    if (!held(fact, filters.asOf)) return false;
  } else if ((fact.retiredAt !== null) !== filters.superseded) return false;
  if (filters.origins.length && !filters.origins.includes(fact.origin)) return false;
  if (filters.leastConfidence !== null && fact.confidence < filters.leastConfidence) return false;
  if (filters.mostConfidence !== null && fact.confidence > filters.mostConfidence) return false;
  if (filters.neverUsed && fact.useCount > 0) return false;
  if (filters.pinned && !fact.pinned) return false;
  return filters.subject === null || fact.subject === filters.subject;
}

/** What a draft says of whether something is so stands before its relation, as the core reads it. */
function stanceOf({ relation, ...rest }: FactDraft): FactDraft & { polarity: Polarity } {
  const [, stance, bare] = /^(not |no longer )?(.*)$/.exec(relation)!;
  return { ...rest, relation: bare!, polarity: stance === undefined ? "holds" : stance === "not " ? "denied" : "ended" };
}

export function memoryCommands(world: () => World, answer: Answer): Commands {
  function factOf(id: number): Fact {
    return [...world().facts, ...world().past].find((one) => one.id === id) ?? world().refuse("not_found", "This fact does not exist any more.");
  }

  /** A fact takes the place of others, which become history. */
  function accept(item: ReviewItem, keepBoth: boolean): ReturnType<World["record"]>[] {
    if (world().takeWish(item)) return [];
    const at = world().now();
    const old = keepBoth ? undefined : world().facts.find((fact) => fact.quote === item.conflictsWith);
    const fact: Fact = {
      id: world().id(),
      ...item.draft,
      polarity: item.polarity,
      quote: item.quote,
      saidAt: item.saidAt,
      timeWords: null,
      date: item.date,
      topic: null,
      confidence: 1,
      origin: item.origin,
      sourceMessage: item.sourceMessage,
      sourceConversation: item.sourceConversation,
      validFrom: at,
      validTo: null,
      recordedAt: at,
      retiredAt: null,
      replaced: old ? [old.value, ...old.replaced] : [],
      useCount: 0,
      lastUsedAt: null,
      pinned: false,
    };
    world().facts.unshift(fact);
    if (old) world().retire(old);
    const change = world().record("accepted", fact.quote, { fact: fact.id, why: "You accepted it in Review" }, () => {
      world().facts = world().facts.filter((one) => one.id !== fact.id);
      if (old) world().restore(old);
      world().waiting.push(item);
    });
    return [change];
  }

  return {
    facts: (query) =>
      answer("facts", () => {
        const filters = query.filters ?? noFilters;
        const all = filters.superseded || filters.asOf ? [...world().facts, ...world().past] : world().facts;
        return page(
          all.filter((fact) => passes(fact, filters)),
          query,
          { text: factText, at: (fact) => fact.recordedAt, used: (fact) => fact.useCount, sure: (fact) => fact.confidence },
        );
      }),
    episodes: (query) =>
      answer("episodes", () => {
        const { neverUsed, episodeKind } = query.filters ?? noFilters;
        const rows = world().episodes.filter((one) => (!neverUsed || one.useCount === 0) && (episodeKind === null || one.kind === episodeKind));
        return page(rows, query, { text: (one) => one.text, at: (one) => one.at, used: (one) => one.useCount });
      }),
    procedures: (query) =>
      answer("procedures", () =>
        page(world().procedures, query, {
          text: (one) => `${one.trigger} ${one.strategy} ${one.lesson ?? ""}`,
          at: (one) => one.lastUsedAt,
          used: (one) => one.successes + one.failures,
          sure: (one) => one.reliability,
        }),
      ),
    memoryCounts: () =>
      answer("memoryCounts", () => ({
        facts: world().facts.length,
        episodes: world().episodes.length,
        procedures: world().procedures.length,
        review: world().waiting.length,
      })),
    factHistory: (id) =>
      answer("factHistory", () => {
        const fact = factOf(id);
        const same = (other: Fact) => other.subject === fact.subject && other.relation === fact.relation && other.id !== fact.id;
        const before = world().past.filter((other) => same(other) && fact.replaced.includes(other.value));
        return [fact, ...before.sort((one, other) => other.recordedAt.localeCompare(one.recordedAt))];
      }),
    editFact: (id, draft, quote) =>
      answer("editFact", () => {
        const fact = factOf(id);
        if (!draft.value.trim()) world().refuse("invalid", "A fact needs a value.");
        const before = structuredClone(fact);
        const old = { ...before, id: world().id() };
        Object.assign(fact, stanceOf(draft), { quote: quote?.trim() || before.quote, replaced: draft.value === before.value ? before.replaced : [before.value, ...before.replaced], recordedAt: world().now() });
        world().past.push({ ...old, retiredAt: fact.recordedAt, validTo: fact.recordedAt });
        return world().record("edited", fact.quote, { fact: id, why: "You corrected it" }, () => {
          Object.assign(fact, before);
          world().past = world().past.filter((one) => one.id !== old.id);
        });
      }),
    pinFact: (id, pinned) =>
      answer("pinFact", () => {
        const fact = factOf(id);
        if (fact.pinned === pinned) return null;
        fact.pinned = pinned;
        return world().record(pinned ? "pinned" : "unpinned", fact.quote, { fact: id, why: "" }, () => (fact.pinned = !pinned));
      }),
    memorySource: (memory) =>
      answer("memorySource", () => {
        const place = (conversation: number | null, message: number | null) => (conversation === null ? null : { conversation, message });
        switch (memory.type) {
          case "fact": {
            const fact = [...world().facts, ...world().past].find((one) => one.id === memory.id);
            return fact ? place(fact.sourceConversation, fact.sourceMessage) : null;
          }
          case "episode": {
            const episode = world().episodes.find((one) => one.id === memory.id);
            return episode ? place(episode.conversation, episode.sourceMessage) : null;
          }
          case "message": {
            const message = world().locate(memory.id)?.view.message;
            return message ? place(message.conversation, message.id) : null;
          }
          case "procedure":
            return null;
        }
      }),
    subjects: (search) =>
      answer("subjects", () => {
        const counts = new Map<string, number>();
        for (const fact of world().facts) counts.set(fact.subject, (counts.get(fact.subject) ?? 0) + 1);
        return [...counts]
          .map(([subject, facts]) => ({ subject, label: subject === "user" ? "You" : subject, facts }))
          .filter(({ label }) => label.toLowerCase().includes(search.trim().toLowerCase()))
          .sort((one, other) => other.facts - one.facts || one.label.localeCompare(other.label))
          .slice(0, 50);
      }),
    memoryEvents: (query) =>
      answer("memoryEvents", () => {
        const { kinds, fact } = query;
        const about = (one: MemoryEventView) => fact === null || (one.memory?.type === "fact" && one.memory.id === fact);
        const rows = world().events.filter((one) => (!kinds.length || kinds.includes(one.kind)) && about(one));
        return page(rows, { ...query, order: "newest" }, { text: (one) => `${one.sentence} ${one.why}`, at: (one) => one.at });
      }),
    undo: (events) =>
      answer("undo", () => {
        for (const event of events) {
          world().undoable.get(event)?.();
          world().undoable.delete(event);
          const told = world().events.find((one) => one.event === event);
          if (told) Object.assign(told, { undone: true, canUndo: false });
        }
        for (const entry of world().conversations) {
          for (const view of entry.messages) view.changes = view.changes.filter((change) => !events.includes(change.event));
        }
        world().emit({ type: "memoryChanged", message: null, changes: [] });
      }),

    review: (query) => answer("review", () => page(world().waiting, query, { text: (one) => one.quote, at: (one) => one.proposedAt })),
    acceptReview: (ids, keepBoth) =>
      answer("acceptReview", () => {
        const chosen = world().waiting.filter((item) => ids.includes(item.id));
        world().waiting = world().waiting.filter((item) => !ids.includes(item.id));
        return chosen.flatMap((item) => accept(item, keepBoth));
      }),
    editReview: (id, draft) =>
      answer("editReview", () => {
        const item = world().waiting.find((one) => one.id === id) ?? world().refuse("not_found", "This is not waiting any more.");
        const { draft: before, polarity } = item;
        const { polarity: after, ...label } = stanceOf(draft);
        Object.assign(item, { draft: label, polarity: after });
        return world().record("edited", item.quote, { why: "You corrected it in Review" }, () => Object.assign(item, { draft: before, polarity }));
      }),
    dismissReview: (ids) =>
      answer("dismissReview", () => {
        const chosen = world().waiting.filter((item) => ids.includes(item.id));
        world().waiting = world().waiting.filter((item) => !ids.includes(item.id));
        return chosen.map((item) =>
          world().record("dismissed", item.quote, { why: "You dismissed it in Review" }, () => void world().waiting.push(item)),
        );
      }),
    embeddingStatus: () =>
      answer("embeddingStatus", () => {
        const status = world().embedding;
        const now = { ...status };
        status.waiting = Math.max(0, status.waiting - 64);
        return now;
      }),
  };
}
