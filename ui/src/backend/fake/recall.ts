// Recall in the fake: by words, with reasons, silent where no word fits.
import type { Backend } from "../backend";
import type { MemoryRef, RecallHit, RecallReason } from "../types";
import type { Answer } from "./fake";
import type { World } from "./world";

const small = new Set("a an and are at be did do does for had has have how i in is it me my of on or so that the then to was we were what when where which who why will with you your".split(" "));

function words(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word && !small.has(word));
}

interface Known {
  memory: MemoryRef;
  sentence: string;
  at: string;
  conversation: number | null;
  message: number | null;
  pinned: boolean;
}

function known(world: World): Known[] {
  return [
    ...world.facts.map((fact): Known => ({
      memory: { type: "fact", id: fact.id },
      sentence: fact.quote,
      at: fact.recordedAt,
      conversation: fact.sourceConversation,
      message: fact.sourceMessage,
      pinned: fact.pinned,
    })),
    ...world.episodes.map((one): Known => ({
      memory: { type: "episode", id: one.id },
      sentence: one.text,
      at: one.at,
      conversation: one.conversation,
      message: one.sourceMessage,
      pinned: false,
    })),
    ...world.conversations.flatMap((entry) =>
      entry.messages
        .filter((view) => view.message.role === "user" && view.message.text)
        .map(({ message }): Known => ({
          memory: { type: "message", id: message.id },
          sentence: message.text,
          at: message.at,
          conversation: message.conversation,
          message: message.id,
          pinned: false,
        })),
    ),
  ];
}

/** What is found for a question, best first. */
export function found(world: World, question: string): RecallHit[] {
  const asked = words(question);
  const now = Date.now();
  return known(world)
    .map((one): RecallHit => {
      const has = words(one.sentence);
      const exact = asked.filter((word) => has.includes(word)).length;
      const near = asked.filter((word) => word.length > 3 && has.some((other) => other !== word && (other.startsWith(word.slice(0, 4)) || word.startsWith(other)))).length;
      const days = (now - Date.parse(one.at)) / 86_400_000;
      const lexical = exact / Math.max(1, asked.length);
      const dense = Math.min(1, (exact + near) / Math.max(1, asked.length));
      const reasons: RecallReason[] = [
        { name: "lexical", label: `Same words: ${asked.filter((word) => has.includes(word)).join(", ")}`, value: lexical, contribution: 3 * lexical },
        { name: "dense", label: "Meaning", value: dense, contribution: 2 * dense },
        { name: "recency", label: "Recent", value: 1 / (1 + days / 30), contribution: 0.4 / (1 + days / 30) },
        { name: "pin", label: "Pinned", value: one.pinned ? 1 : 0, contribution: one.pinned ? 0.5 : 0 },
      ];
      const score = exact + near ? reasons.reduce((sum, reason) => sum + reason.contribution, 0) : 0;
      const { pinned: _, ...rest } = one;
      return { ...rest, score, reasons: reasons.filter((reason) => reason.contribution > 0.005) };
    })
    .filter((hit) => hit.score > 0.5)
    .sort((one, other) => other.score - one.score)
    .slice(0, 20);
}

/** What the model would be shown of it. */
export function block(hits: readonly { sentence: string }[]): string {
  const lines = hits.slice(0, 10).map((hit) => `- ${hit.sentence} (you said so, 2026-03-03)`);
  const memory = lines.length ? lines.join("\n") : "Nothing relevant is known. Do not guess; say so if it matters.";
  return `<memory>\n${memory}\n</memory>\nToday is Sunday, 29 November 2026, 15:40.`;
}

export function recallCommands(world: () => World, answer: Answer): Pick<Backend, "testRecall"> {
  return {
    testRecall: (question) =>
      answer("testRecall", () => {
        const hits = found(world(), question);
        return { hits, block: block(hits), silent: hits.length === 0, tookMs: 3.4 };
      }),
  };
}
