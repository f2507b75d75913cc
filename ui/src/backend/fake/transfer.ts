// Export and import in the fake: no file is touched; the plans and the reports are those of small, invented ones.
import type { Backend } from "../backend";
import type { ImportPlan } from "../types";
import type { Answer } from "./fake";
import type { World } from "./world";

type Commands = Pick<
  Backend,
  "exportMemory" | "chooseImport" | "importMemory" | "imports" | "undoImport" | "memoryFileEdits" | "acceptMemoryFileEdits" | "dismissMemoryFileEdits"
>;

const chosen: ImportPlan = {
  token: "conversations.zip",
  format: "ChatGPT export",
  title: "conversations.zip",
  conversations: 312,
  messages: 8_204,
  facts: 3,
  alreadyKnown: 1,
  notes: ["2 conversations were empty and are left out.", "Pictures are not imported."],
};

const found = [
  { draft: { subject: "user", relation: "studied", value: "naval architecture in Gdańsk" }, quote: "I studied naval architecture in Gdańsk" },
  { draft: { subject: "user", relation: "has", value: "a sister called Lena" }, quote: "I have a sister called Lena" },
  { draft: { subject: "user", relation: "is allergic to", value: "hazelnuts" }, quote: "I am allergic to hazelnuts" },
];

export function transferCommands(world: () => World, answer: Answer): Commands {
  function propose(why: string, items: typeof found) {
    const here = world();
    for (const item of items) {
      here.waiting.push({
        id: here.id(),
        ...structuredClone(item),
        polarity: "holds",
        saidAt: here.now(),
        date: null,
        why,
        origin: "imported",
        sourceMessage: null,
        sourceConversation: null,
        sourceTitle: "conversations.zip",
        proposedAt: here.now(),
        conflictsWith: null,
        bothMayHold: true,
      });
    }
    here.emit({ type: "memoryChanged", message: null, changes: [] });
  }

  function importChosen() {
    const before = new Set(world().waiting.map((item) => item.id));
    propose("Said in a conversation with ChatGPT on 4 May 2025", found);
    const waiting = world().waiting.map((item) => item.id).filter((id) => !before.has(id));
    const { format, conversations, messages } = chosen;
    const { imports } = world();
    imports.unshift({ id: world().id(), at: world().now(), format, conversations, messages, added: 0, review: waiting.length, undone: false, waiting });
    return { import: imports[0]!.id, conversations, added: 0, review: waiting.length, alreadyKnown: 1, notes: chosen.notes };
  }

  function takeBack(id: number) {
    const one = world().imports.find((view) => view.id === id);
    if (!one || one.undone) return { conversations: 0, messages: 0, memories: 0, review: 0, kept: 0 };
    one.undone = true;
    const here = world();
    const waiting = here.waiting.filter((item) => one.waiting.includes(item.id));
    here.waiting = here.waiting.filter((item) => !waiting.includes(item));
    here.emit({ type: "memoryChanged", message: null, changes: [] });
    return { conversations: one.conversations, messages: one.messages, memories: 0, review: waiting.length, kept: 0 };
  }

  return {
    exportMemory: (format) =>
      answer("exportMemory", () => ({
        path: format === "json" ? "~/Documents/atlas-2026-11-29.json" : "~/Documents/atlas-2026-11-29",
        facts: world().facts.length,
        episodes: world().episodes.length,
        procedures: world().procedures.length,
        conversations: world().conversations.length,
      })),
    chooseImport: () => answer("chooseImport", () => chosen),
    importMemory: () => answer("importMemory", importChosen),
    imports: () => answer("imports", () => world().imports.map(({ waiting: _, ...view }) => view)),
    undoImport: (id) => answer("undoImport", () => takeBack(id)),
    memoryFileEdits: () => answer("memoryFileEdits", () => world().fileEdits),
    acceptMemoryFileEdits: () =>
      answer("acceptMemoryFileEdits", () => {
        world().fileEdits = null;
        const change = world().learn("I play the cello", "added", null, null);
        world().emit({ type: "memoryChanged", message: null, changes: [change] });
        return { import: null, conversations: 0, added: 1, review: 0, alreadyKnown: 0, notes: [] };
      }),
    dismissMemoryFileEdits: () => answer("dismissMemoryFileEdits", () => void (world().fileEdits = null)),
  };
}
