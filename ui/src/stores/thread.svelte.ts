// One conversation that is open: its messages, its draft, its running turn.
import { type Backend, BackendError, type TurnSink } from "../backend/backend";
import type { CommandReply, Conversation, ConversationId, ErrorView, MemoryChange, MessageId, MessageView, TurnHandle, TurnId } from "../backend/types";
import { t } from "../text/text";
import { exchanges, withChanges, withOutcome, withStarted } from "./exchange";
import { type Outcome, Turn, type TurnListener } from "./turn.svelte";

/** The reply to a slash command: shown in its place, stored nowhere. */
export interface Note {
  id: number;
  /** What the person typed. */
  command: string;
  reply: CommandReply;
  /** How many exchanges stand before it. */
  after: number;
}

/** Tells the rest of the window. */
export interface ThreadListener {
  /** A new conversation got its place on disk. */
  adopted(thread: Thread): void;
  /** A turn ended, in whichever conversation. */
  settled(thread: Thread): void;
}

const DRAFT_DELAY = 400;
const WATCH_DELAY = 1000;

export class Thread {
  id = $state<ConversationId | null>(null);
  conversation = $state.raw<Conversation | null>(null);
  views = $state.raw<MessageView[]>([]);
  notes = $state.raw<Note[]>([]);
  turn = $state.raw<Turn | null>(null);
  /** A turn that another window, or this one before a reload, began. */
  elsewhere = $state<TurnId | null>(null);
  status = $state<"loading" | "ready" | "failed">("loading");
  error = $state.raw<ErrorView | null>(null);
  /** Why the last message was not sent. */
  refused = $state.raw<ErrorView | null>(null);
  /** How the last turn here ended, for those who cannot see it. */
  ended = $state.raw<Outcome | null>(null);
  draft = $state("");
  /** Nothing of it is stored; it is gone once it is left. */
  temporary = $state(false);
  /** A message of the person's that they say anew, and how. */
  editing = $state.raw<{ message: MessageId; text: string } | null>(null);
  list = $derived(exchanges(this.views));
  busy = $derived(this.turn !== null || this.elsewhere !== null);
  private typed = false;
  private draftTimer: ReturnType<typeof setTimeout> | undefined;
  private watchTimer: ReturnType<typeof setTimeout> | undefined;
  private lastNote = 0;

  constructor(
    id: ConversationId | null,
    private backend: Backend,
    private listener: ThreadListener,
  ) {
    this.id = id;
  }

  /** Reads the conversation and its draft. */
  async open(): Promise<void> {
    await Promise.all([this.load(), this.loadDraft()]);
  }

  /** Reads the messages, except while a turn of this window is changing them. */
  async load(): Promise<void> {
    if (this.id === null) {
      this.status = "ready";
      return;
    }
    try {
      const view = await this.backend.conversation(this.id);
      if (this.turn) return;
      this.conversation = view.conversation;
      this.views = view.messages;
      this.elsewhere = view.running;
      this.status = "ready";
      this.error = null;
      if (view.running !== null) this.watch();
    } catch (thrown) {
      this.error = BackendError.from(thrown).view();
      // What is gone is not shown on, unlike what could not be read just now.
      if (this.status === "loading" || this.error.code === "not_found") this.status = "failed";
    }
  }

  /** Sends what the draft says: a command, or a message. The text comes back when that fails. */
  async send(): Promise<void> {
    const text = this.draft;
    if (this.busy || !text.trim()) return;
    if (this.temporary && /^\/remember\b/i.test(text)) {
      this.refused = { code: "temporary", message: t.chat.temporaryRemember, retryable: false };
      return;
    }
    this.type("");
    clearTimeout(this.draftTimer);
    if (text.startsWith("/") && (await this.command(text))) return;
    await this.begin(text, "", (turn) => this.backend.send(this.id, text, this.temporary, (event) => turn.apply(event)));
  }

  /** Asks again for the answer to the last message; goes on with an answer that the limit cut. */
  retry(message: MessageId): Promise<void> {
    return this.again(message, (sink) => this.backend.retry(message, sink));
  }

  /** Puts the last message to the person's other model or service. */
  retryWithAlternative(message: MessageId): Promise<void> {
    return this.again(message, (sink) => this.backend.retryWithAlternative(message, sink));
  }

  /** Whether a message here waits for the network. */
  get waits(): boolean {
    return this.views.some((view) => view.failure?.queued);
  }

  /** What heals shall not wait any longer. */
  skipWait(): void {
    const turn = this.turn?.skipWait() ?? null;
    if (turn !== null) void this.backend.skipWait(turn).catch(() => undefined);
  }

  /** Puts something else in the place of a message of the person's; what came after it is replaced by a new answer. */
  async edit(message: MessageId, text: string): Promise<void> {
    const at = this.views.findIndex((view) => view.message.id === message);
    if (this.busy || at < 0 || !text.trim()) return;
    this.editing = { message, text };
    const before = this.views;
    this.views = before.slice(0, at);
    const started = await this.begin(text, "", (turn) => this.backend.editMessage(message, text, (event) => turn.apply(event)), before);
    if (started) this.editing = null;
  }

  /** From now on nothing is stored, or everything again. Only before the first message. */
  makeTemporary(temporary: boolean): void {
    if (this.id !== null || this.busy) return;
    this.temporary = temporary;
    clearTimeout(this.draftTimer);
    if (temporary) void this.backend.saveDraft(null, "").catch(() => undefined);
    else this.type(this.draft);
  }

  /** Whether something would be lost if it were left now. */
  get losable(): boolean {
    return this.temporary && (this.id !== null || this.busy);
  }

  /** Stops the answer, whichever window asked for it. */
  stop(): void {
    if (this.turn) this.turn.stop();
    else if (this.elsewhere !== null) void this.backend.stop(this.elsewhere).catch(() => undefined);
  }

  /** The draft changed; it is saved when the typing pauses. */
  type(text: string): void {
    this.draft = text;
    this.typed = true;
    clearTimeout(this.draftTimer);
    this.draftTimer = setTimeout(() => void this.saveDraft(), DRAFT_DELAY);
  }

  /** Saves the draft now, if it changed. */
  async saveDraft(): Promise<void> {
    clearTimeout(this.draftTimer);
    // While a message is on its way, the draft on disk is the only copy of it.
    if (!this.typed || this.temporary || this.turn?.phase === "sending") return;
    this.typed = false;
    await this.backend.saveDraft(this.id, this.draft).catch(() => {
      this.typed = true;
    });
  }

  /** Memory changed because of a message that may stand here. */
  changed(message: MessageId, changes: MemoryChange[]): void {
    this.views = withChanges(this.views, message, changes);
  }

  has(message: MessageId): boolean {
    return this.views.some((view) => view.message.id === message);
  }

  removeNote(id: number): void {
    this.notes = this.notes.filter((note) => note.id !== id);
  }

  /** Stops all timers; the draft is saved. */
  async leave(): Promise<void> {
    clearTimeout(this.watchTimer);
    await this.saveDraft();
  }

  /** Runs a turn. Returns whether it was started; what stood there `before` stands there again if it was not. */
  private async begin(asked: string, prefix: string, call: (turn: Turn) => Promise<TurnHandle>, before?: MessageView[]): Promise<boolean> {
    const turn = new Turn(asked, prefix, this.hears, (id) => void this.backend.stop(id).catch(() => undefined));
    const shown = before ?? this.views;
    const draftKey = this.id;
    this.turn = turn;
    this.refused = null;
    this.ended = null;
    try {
      const handle = await call(turn);
      turn.begun(handle);
      this.adopt(handle.conversation);
      if (asked && !before) await this.clearDraft(draftKey);
      return true;
    } catch (thrown) {
      // Nothing was started: the window is as it was, and the text is back.
      turn.drop();
      this.turn = null;
      this.views = shown;
      this.refused = BackendError.from(thrown).view();
      if (asked && !before) this.type(this.draft.trim() ? `${asked}\n\n${this.draft}` : asked);
      return false;
    }
  }

  private hears: TurnListener = {
    started: (_turn, message) => {
      this.views = withStarted(this.views, message);
      this.adopt(message.conversation);
    },
    changed: (message, changes) => this.changed(message, changes),
    ended: (turn, outcome) => {
      this.views = withOutcome(this.views, turn.message, outcome, turn);
      this.turn = null;
      this.ended = outcome;
      this.listener.settled(this);
    },
  };

  private async again(message: MessageId, call: (sink: TurnSink) => Promise<TurnHandle>): Promise<void> {
    const exchange = this.list.at(-1);
    if (this.busy || exchange?.asked?.message.id !== message) return;
    const cut = exchange.answer?.message.state === "cutByLimit" ? exchange.answer.message.text : "";
    await this.begin("", cut, (turn) => call((event) => turn.apply(event)));
  }

  private async command(text: string): Promise<boolean> {
    try {
      const reply = await this.backend.runCommand(text, this.id);
      if (reply === null) return false;
      this.lastNote += 1;
      this.notes = [...this.notes, { id: this.lastNote, command: text.trim(), reply, after: this.list.length }];
      this.refused = null;
      await this.saveDraft();
    } catch (thrown) {
      this.refused = BackendError.from(thrown).view();
      this.type(text);
    }
    return true;
  }

  /** The new conversation is on disk under this id. */
  private adopt(id: ConversationId): void {
    if (this.id !== null) return;
    this.id = id;
    this.listener.adopted(this);
  }

  /** The message is on disk, so its draft is not needed; what was typed meanwhile is. */
  private async clearDraft(key: ConversationId | null): Promise<void> {
    if (this.temporary) return;
    if (key !== this.id || !this.draft) await this.backend.saveDraft(key, "").catch(() => undefined);
    this.typed = this.draft !== "";
    await this.saveDraft();
  }

  private async loadDraft(): Promise<void> {
    if (this.temporary) return;
    const draft = await this.backend.draft(this.id).catch(() => "");
    if (!this.typed) this.draft = draft;
  }

  private watch(): void {
    clearTimeout(this.watchTimer);
    this.watchTimer = setTimeout(() => void this.load(), WATCH_DELAY);
  }
}
