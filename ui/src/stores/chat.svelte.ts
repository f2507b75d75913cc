// All conversations that were opened, and which of them is on screen.
import { type Backend, BackendError } from "../backend/backend";
import type { ConversationId, ErrorView, MemoryChange, MessageId } from "../backend/types";
import { Thread, type ThreadListener } from "./thread.svelte";

export class Chat {
  current = $state.raw<Thread>(undefined as never);
  private threads = $state.raw<Thread[]>([]);
  /** The conversations that are being answered now. */
  answering = $derived(new Set(this.threads.filter((thread) => thread.busy).map((thread) => thread.id)));

  constructor(
    private backend: Backend,
    private listener: ThreadListener,
  ) {
    this.current = this.add(null);
  }

  /** Shows a conversation, or a new one where `id` is null. What was typed in the one before is saved. */
  open(id: ConversationId | null): void {
    const before = this.current;
    const isNew = (thread: Thread) => thread.id === null && !thread.busy;
    if (before.status === "ready" && (id === null ? isNew(before) : before.id === id)) return;
    void before.leave();
    if (before.id === null) before.temporary = false;
    this.current = this.threads.find((thread) => (id === null ? isNew(thread) : thread.id === id)) ?? this.add(id);
    void this.current.open();
  }

  /** Whether opening a conversation would lose the temporary one. */
  wouldLose(id: ConversationId | null): boolean {
    return this.current.losable && (id === null || this.current.id !== id);
  }

  /** The temporary conversation is over, and nothing of it is left. */
  async endTemporary(): Promise<void> {
    const thread = this.current;
    if (!thread.temporary) return;
    thread.stop();
    this.threads = this.threads.filter((one) => one !== thread);
    this.current = this.add(null);
    void this.current.open();
    await this.backend.endTemporary().catch(() => undefined);
  }

  /** A conversation is gone. */
  forget(id: ConversationId): void {
    this.threads = this.threads.filter((thread) => thread.id !== id);
  }

  /** Everything is gone. */
  reset(): void {
    this.threads = [];
    this.current = this.add(null);
    void this.current.open();
  }

  /** Memory changed because of a message; whoever shows it reads what holds now. */
  memoryChanged(message: MessageId, changes: readonly MemoryChange[]): void {
    const thread = this.threads.find((one) => one.has(message));
    if (!thread) return;
    if (thread.turn) thread.changed(message, [...changes]);
    else void thread.load();
  }

  /** Memory changed in a way that any message may show: by hand, by an undo, by a purge. */
  refresh(): void {
    for (const thread of this.threads) if (thread.id !== null && !thread.turn) void thread.load();
  }

  /** What waited for the network may be on its way. */
  followQueue(): void {
    for (const thread of this.threads) if (thread.waits && !thread.turn) void thread.load();
  }

  /** Sends what waits for the network, now. Returns why not, where it could not be. */
  async sendQueued(): Promise<ErrorView | null> {
    try {
      await this.backend.sendQueuedNow();
      this.followQueue();
      return null;
    } catch (thrown) {
      return BackendError.from(thrown).view();
    }
  }

  /** A message that waits is not sent by itself any more. */
  async cancelQueued(message: MessageId): Promise<ErrorView | null> {
    try {
      await this.backend.cancelQueued(message);
      this.followQueue();
      return null;
    } catch (thrown) {
      return BackendError.from(thrown).view();
    }
  }

  /** Takes back what a message changed in memory. */
  async undo(thread: Thread, changes: readonly MemoryChange[]): Promise<ErrorView | null> {
    try {
      await this.backend.undo(changes.map((change) => change.event));
      await thread.load();
      return null;
    } catch (thrown) {
      return BackendError.from(thrown).view();
    }
  }

  /** Saves whatever is typed, before the window goes. */
  saveDrafts(): void {
    for (const thread of this.threads) void thread.saveDraft();
  }

  private add(id: ConversationId | null): Thread {
    const thread = new Thread(id, this.backend, this.listener);
    this.threads = [...this.threads, thread];
    return thread;
  }
}
