// What the core will say and its bindings do not yet: one type after the other goes from here to `bindings/`.
import type { AppEvent as Event } from "./bindings/AppEvent";
import type { MemoryRef } from "./bindings/MemoryRef";
import type { Role } from "./bindings/Role";

export type AppEvent = Event | { type: "erased"; receipt: ErasureReceipt };
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
