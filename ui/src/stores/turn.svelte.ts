// One turn as the window sees it, from the press of Send to its one terminal event.
import type { FailureView, HealingNote, MemoryChange, Message, MessageId, TurnEvent, TurnHandle, TurnId, Usage, UsedMemory } from "../backend/types";

/** Where a turn is. */
export type Phase =
  /** Nothing is on disk yet. */
  | "sending"
  /** The message is on disk, and no word of the answer is there. */
  | "asking"
  /** Words arrive. */
  | "answering"
  /** It ended; nothing changes any more. */
  | "over";

/** How a turn ended. */
export type Outcome =
  | { type: "completed"; message: Message }
  | { type: "cancelled"; message: Message | null }
  | { type: "failed"; message: Message | null; failure: FailureView };

/** Told once each, in this order. */
export interface TurnListener {
  /** The person's message is on disk. */
  started(turn: Turn, message: Message): void;
  /** Memory changed because of the person's message. */
  changed(message: MessageId, changes: MemoryChange[]): void;
  ended(turn: Turn, outcome: Outcome): void;
}

export class Turn {
  phase = $state<Phase>("sending");
  /** The answer so far. */
  text = $state("");
  used = $state.raw<UsedMemory[]>([]);
  healing = $state.raw<HealingNote[]>([]);
  usage = $state.raw<Usage | null>(null);
  /** Until when something waits before it asks again, in milliseconds since 1970. */
  waitingUntil = $state<number | null>(null);
  /** Whether the person asked to stop it. */
  stopping = $state(false);
  /** The person's message, once it is known. */
  message: MessageId | null = null;
  id: TurnId | null = null;

  /**
   * `asked` is what the person wrote, shown until it is on disk. `prefix` is the answer that the limit cut, when this
   * turn goes on with it: what heals begins again from there.
   */
  constructor(
    readonly asked: string,
    readonly prefix: string,
    private listener: TurnListener,
    private stopTurn: (turn: TurnId) => void,
  ) {
    this.text = prefix;
  }

  /** The command returned. Events may have come before. */
  begun(handle: TurnHandle): void {
    this.name(handle.turn, handle.message);
  }

  /** Nothing was started: whatever may still come is dropped. */
  drop(): void {
    this.phase = "over";
  }

  /** Stops it now, or as soon as it is known by name. */
  stop(): void {
    if (this.phase === "over" || this.stopping) return;
    this.stopping = true;
    if (this.id !== null) this.stopTurn(this.id);
  }

  /** The person does not want to wait; the core is asked once. Returns the turn to name to it. */
  skipWait(): TurnId | null {
    const waiting = this.waitingUntil !== null;
    this.waitingUntil = null;
    return waiting ? this.id : null;
  }

  /** Takes in one event. Whatever comes after the terminal one is dropped. */
  apply(event: TurnEvent): void {
    if (this.phase === "over") return;
    this.waitingUntil = event.type === "healing" && event.note.waitSeconds > 0 ? Date.now() + event.note.waitSeconds * 1000 : null;
    switch (event.type) {
      case "started":
        this.phase = "asking";
        this.used = event.used;
        this.name(event.turn, event.message.id);
        this.listener.started(this, event.message);
        return;
      case "delta":
        this.phase = "answering";
        this.text += event.text;
        return;
      case "withdrawn":
        // The note that follows says why.
        this.phase = "asking";
        this.text = this.prefix;
        return;
      case "healing":
        // After the answer has begun it is only a remark: what the person reads stays.
        if (this.text === this.prefix) this.phase = "asking";
        this.healing = [...this.healing, event.note];
        return;
      case "waited":
        this.healing = [...this.healing.slice(0, -1), event.note];
        return;
      case "memoryChanged":
        if (this.message !== null) this.listener.changed(this.message, event.changes);
        return;
      case "usage":
        this.usage = event.usage;
        return;
      case "completed":
        this.end({ type: "completed", message: event.message });
        return;
      case "cancelled":
        this.end({ type: "cancelled", message: event.message });
        return;
      case "failed":
        this.end({ type: "failed", message: event.message, failure: event.failure });
        return;
      default:
        event satisfies never;
    }
  }

  private name(turn: TurnId, message: MessageId): void {
    const first = this.id === null;
    this.id = turn;
    this.message = message;
    if (first && this.stopping && this.phase !== "over") this.stopTurn(turn);
  }

  private end(outcome: Outcome): void {
    this.phase = "over";
    this.listener.ended(this, outcome);
  }
}
