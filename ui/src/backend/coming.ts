// What the core will say and its bindings do not yet: one type after the other goes from here to `bindings/`.
import type { AnswerSources as Sources } from "./bindings/AnswerSources";
import type { AppEvent as Event } from "./bindings/AppEvent";
import type { ConversationView as Opened } from "./bindings/ConversationView";
import type { FactDraft } from "./bindings/FactDraft";
import type { MemoryCounts as Counts } from "./bindings/MemoryCounts";
import type { MemoryRef } from "./bindings/MemoryRef";
import type { MessageView as View } from "./bindings/MessageView";
import type { Origin } from "./bindings/Origin";
import type { Role } from "./bindings/Role";
import type { TurnEvent as InTurn } from "./bindings/TurnEvent";
import type { UsedMemory as Used } from "./bindings/UsedMemory";

/** A message names its conversation, too. */
export type UsedMemory = Used & { conversation?: number | null };
export type AnswerSources = Omit<Sources, "used"> & { used: UsedMemory[] };
export type MessageView = Omit<View, "used"> & { used: UsedMemory[]; versions?: number };
export type ConversationView = Omit<Opened, "messages"> & { messages: MessageView[] };
export type TurnEvent = Exclude<InTurn, { type: "started" }> | (Omit<Extract<InTurn, { type: "started" }>, "used"> & { used: UsedMemory[] });
export type AppEvent = Event | { type: "erased"; receipt: ErasureReceipt } | { type: "embedding"; status: EmbeddingStatus };
export type MemoryCounts = Counts & { review?: number };
export type ForgetTarget =
  | { type: "facts"; ids: number[] }
  | { type: "episodes"; ids: number[] }
  | { type: "procedures"; ids: number[] }
  | { type: "subject"; name: string }
  | { type: "conversation"; id: number }
  | { type: "messages"; ids: number[] }
  | { type: "everything" };

/** What becomes of the messages that a memory came from. */
export type ForgetMessages = "keep" | "forget";

export interface ForgetPreview {
  facts: number;
  episodes: number;
  procedures: number;
  /** At most 50 of them. */
  messages: { id: number; conversation: number; role: Role; snippet: string }[];
  messageCount: number;
  /** For people, one a line: what goes. */
  lines: string[];
}

export interface ErasureReceipt {
  id: number;
  forgottenAt: string;
  at: string;
  /** For people, one a line: "1 fact", "2 notes". */
  lines: string[];
}

export interface ReviewItem {
  id: number;
  draft: FactDraft;
  sentence: string;
  why: string;
  origin: Origin;
  sourceMessage: number | null;
  sourceConversation: number | null;
  sourceTitle: string | null;
  proposedAt: string;
  conflictsWith: string | null;
}

/** One of the reasons for a rank. */
export interface RecallReason {
  name: string;
  label: string;
  value: number;
  contribution: number;
}

export interface RecallHit {
  memory: MemoryRef;
  sentence: string;
  score: number;
  at: string | null;
  conversation: number | null;
  message: number | null;
  reasons: RecallReason[];
}

/** What recall finds for a question, and what the model would be shown. */
export interface RecallTest {
  hits: RecallHit[];
  block: string;
  silent: boolean;
  tookMs: number;
}

export interface EmbeddingStatus {
  model: string;
  waiting: number;
  total: number;
}
