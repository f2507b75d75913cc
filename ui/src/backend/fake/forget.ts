// Forgetting in the fake: hidden at once, erased when the time to take it back is over.
import type { Backend } from "../backend";
import type { Episode, ErasureReceipt, Fact, ForgetPreview, ForgetTarget, MemoryChange, MessageView, Procedure } from "../types";
import type { Answer } from "./fake";
import type { World } from "./world";

type Commands = Pick<Backend, "forgetPreview" | "forget" | "receipts">;

/** How long the core keeps what is forgotten, in case it is taken back. */
const UNDO_WINDOW = 10_000;

interface Chosen {
  facts: Fact[];
  older: Fact[];
  episodes: Episode[];
  procedures: Procedure[];
  messages: MessageView[];
}

function lines(world: World, chosen: Chosen, withMessages: boolean): string[] {
  const count = (number: number, one: string, other: string) => (number ? [`${number.toLocaleString("en")} ${number === 1 ? one : other}`] : []);
  const notes = chosen.episodes.filter((one) => one.kind === "note").length;
  return [
    ...count(chosen.facts.length, "fact", "facts"),
    ...count(chosen.older.length, "older value", "older values"),
    ...count(notes, "note", "notes"),
    ...count(chosen.episodes.length - notes, "summary", "summaries"),
    ...count(chosen.procedures.length, "procedure", "procedures"),
    ...count(world.waiting.filter((item) => chosen.messages.some((view) => view.message.id === item.sourceMessage)).length, "entry in Review", "entries in Review"),
    ...(withMessages ? count(chosen.messages.length, "message", "messages") : []),
  ];
}

export function forgetCommands(world: () => World, answer: Answer): Commands {
  /** The message that something came from, and what it was answered. */
  function exchange(message: number | null): MessageView[] {
    const place = message === null ? undefined : world().locate(message);
    return place ? place.entry.messages.slice(place.index, place.index + 2) : [];
  }

  function choose(target: ForgetTarget): Chosen {
    const { facts, past, episodes, procedures, conversations } = world();
    const none: Chosen = { facts: [], older: [], episodes: [], procedures: [], messages: [] };
    const ofFacts = (chosen: Fact[]): Chosen => {
      const sources = new Set(chosen.map((fact) => fact.sourceMessage).filter((id) => id !== null));
      const older = past.filter((old) => chosen.some((fact) => fact.subject === old.subject && fact.relation === old.relation && fact.replaced.includes(old.value)));
      return {
        ...none,
        facts: chosen,
        older,
        episodes: episodes.filter((one) => one.sourceMessage !== null && sources.has(one.sourceMessage)),
        messages: [...sources].flatMap((id) => exchange(id)),
      };
    };
    switch (target.type) {
      case "facts":
        return ofFacts([...facts, ...past].filter((fact) => target.ids.includes(fact.id)));
      case "subject":
        return ofFacts(facts.filter((fact) => fact.subject === target.name));
      case "episodes": {
        const chosen = episodes.filter((one) => target.ids.includes(one.id));
        return { ...none, episodes: chosen, messages: chosen.flatMap((one) => exchange(one.sourceMessage)) };
      }
      case "procedures":
        return { ...none, procedures: procedures.filter((one) => target.ids.includes(one.id)) };
      case "messages": {
        const messages = target.ids.flatMap((id) => exchange(id));
        const ids = new Set(messages.map((view) => view.message.id));
        return {
          ...ofFacts(facts.filter((fact) => fact.sourceMessage !== null && ids.has(fact.sourceMessage))),
          episodes: episodes.filter((one) => one.sourceMessage !== null && ids.has(one.sourceMessage)),
          messages,
        };
      }
      case "conversation":
        return {
          ...ofFacts(facts.filter((fact) => fact.sourceConversation === target.id)),
          episodes: episodes.filter((one) => one.conversation === target.id),
          messages: world().find(target.id)?.messages ?? [],
        };
      case "everything":
        return { facts, older: past, episodes, procedures, messages: conversations.flatMap((entry) => entry.messages) };
    }
  }

  function without<T extends { id: number }>(rows: T[], gone: readonly T[]): T[] {
    const ids = new Set(gone.map((row) => row.id));
    return rows.filter((row) => !ids.has(row.id));
  }

  function preview(target: ForgetTarget): ForgetPreview {
    const chosen = choose(target);
    return {
      facts: chosen.facts.length,
      episodes: chosen.episodes.length,
      procedures: chosen.procedures.length,
      lines: lines(world(), chosen, false),
      withMessages: [],
      moreMessages: Math.max(chosen.messages.length - 50, 0),
      messageCount: chosen.messages.length,
      messages: chosen.messages.slice(0, 50).map(({ message }) => ({ id: message.id, conversation: message.conversation, role: message.role, snippet: message.text.slice(0, 120) })),
    };
  }

  return {
    forgetPreview: (target) => answer("forgetPreview", () => preview(target)),
    forget: (target, messages) =>
      answer("forget", () => {
        const here = world();
        const chosen = choose(target);
        here.facts = without(here.facts, chosen.facts);
        here.past = without(here.past, [...chosen.older, ...chosen.facts]);
        here.episodes = without(here.episodes, chosen.episodes);
        here.procedures = without(here.procedures, chosen.procedures);
        const before = new Map(chosen.messages.map((view) => [view, { ...view.message }]));
        if (messages === "forget") for (const view of chosen.messages) Object.assign(view.message, { text: "", state: "forgotten" });
        let back = false;
        const comeBack = () => {
          if (back) return;
          back = true;
          here.facts.push(...chosen.facts.filter((fact) => fact.retiredAt === null));
          here.past.push(...chosen.older, ...chosen.facts.filter((fact) => fact.retiredAt !== null));
          here.episodes.push(...chosen.episodes);
          here.procedures.push(...chosen.procedures);
          for (const [view, message] of before) Object.assign(view.message, message);
        };
        const told = [
          ...chosen.facts.map((fact) => ({ fact: fact.id as number | null, sentence: fact.quote })),
          ...(chosen.facts.length ? [] : chosen.episodes.map((one) => ({ fact: null, sentence: one.text }))),
          ...chosen.procedures.map((one) => ({ fact: null, sentence: one.trigger })),
        ];
        if (!told.length) told.push({ fact: null, sentence: chosen.messages[0]?.message.text.slice(0, 60) ?? "" });
        const changes = told.map(({ fact, sentence }): MemoryChange => here.record("forgotten", sentence, { fact, why: "You forgot it" }, comeBack));
        const receipt: ErasureReceipt = { id: here.id(), forgottenAt: here.now(), at: here.now(), lines: lines(here, chosen, messages === "forget") };
        setTimeout(() => {
          if (back) return;
          for (const change of changes) here.erase(change.event);
          receipt.at = here.now();
          here.receipts.unshift(receipt);
          here.emit({ type: "erased", receipt });
        }, UNDO_WINDOW);
        here.emit({ type: "memoryChanged", message: null, changes });
        return changes;
      }),
    receipts: () => answer("receipts", () => world().receipts),
  };
}
