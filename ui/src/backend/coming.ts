// What the core will say and its bindings do not yet: one type after the other goes from here to `bindings/`.
import type { MemoryRef } from "./bindings/MemoryRef";

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
