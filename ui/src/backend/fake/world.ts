// Everything that the fake keeps, in memory.
import type { Preferences, Startup } from "../backend";
import type {
  AppEvent,
  BehaviorView,
  Endpoint,
  Episode,
  Fact,
  Found,
  KeyStatus,
  MemoryChange,
  MessageView,
  Preset,
  Procedure,
  Settings,
} from "../types";
import { ago, defaultSpec, presets, seedConversations, seedEpisodes, seedFacts, seedProcedures, type SeededConversation } from "./seed";

/** How the fake begins, and what fails in it. */
export interface FakeOptions {
  /** Whether it begins with a life in it. */
  filled: boolean;
  /** Whether a model has been chosen. */
  setUp: boolean;
  /** What `startup` says. */
  startup: Startup;
  /** What `discover` finds. */
  found: Found[];
  /** Whether there is a keychain. */
  keychain: boolean;
  /** Commands that throw. */
  failing: ReadonlySet<string>;
  /** Milliseconds between two pieces of an answer. */
  pace: number;
  /** How many characters a piece has. */
  piece: number;
  /** Milliseconds that a command takes; 0 answers in the same task. */
  latency: number;
}

export const ordinary: FakeOptions = {
  filled: true,
  setUp: true,
  startup: { type: "ready" },
  found: [],
  keychain: true,
  failing: new Set(),
  pace: 33,
  piece: 12,
  latency: 0,
};

/** The state, and the small helpers that everything in the fake shares. */
export class World {
  readonly options: FakeOptions;
  conversations: SeededConversation[] = [];
  facts: Fact[] = [];
  episodes: Episode[] = [];
  procedures: Procedure[] = [];
  drafts = new Map<number | null, string>();
  versions: BehaviorView[];
  preferences: Preferences = { theme: "system", zoom: 1 };
  settings: Settings;
  keys = new Map<Preset, KeyStatus>();
  /** How to take back each change, by its event. */
  undoable = new Map<number, () => void>();
  private lastId = 1000;
  private listeners = new Set<(event: AppEvent) => void>();

  constructor(options: Partial<FakeOptions> = {}) {
    this.options = { ...ordinary, ...options };
    const now = Date.now();
    const endpoint: Endpoint = { preset: "openRouter", baseUrl: presets[1]!.baseUrl };
    this.settings = {
      endpoint: this.options.setUp ? endpoint : null,
      model: this.options.setUp ? "anthropic/claude-haiku-4.5" : "",
      memoryWriting: null,
      maxRetries: 3,
      workingMemoryLimit: 10,
    };
    if (this.options.setUp) this.keys.set("openRouter", { type: "present", last4: "7f3a", place: "keychain" });
    this.versions = [{ spec: structuredClone(defaultSpec), version: 1, savedAt: ago(now, 40 * 86_400_000) }];
    if (this.options.filled) {
      this.conversations = seedConversations(now, () => this.id());
      const first = this.conversations[0]!;
      this.facts = seedFacts(now, first.messages[0]!.message.id, first.conversation.id);
      this.episodes = seedEpisodes(now, this.conversations);
      this.procedures = seedProcedures(now);
      const older = structuredClone(defaultSpec);
      older.personality.verbosity = "as long as it needs to be";
      this.versions.push({ spec: older, version: 0, savedAt: ago(now, 41 * 86_400_000) });
    }
  }

  id(): number {
    this.lastId += 1;
    return this.lastId;
  }

  now(): string {
    return new Date().toISOString();
  }

  emit(event: AppEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  listen(listener: (event: AppEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  find(conversation: number): SeededConversation | undefined {
    return this.conversations.find((entry) => entry.conversation.id === conversation);
  }

  /** The conversation and the view of a message. */
  locate(message: number): { entry: SeededConversation; view: MessageView; index: number } | undefined {
    for (const entry of this.conversations) {
      const index = entry.messages.findIndex((view) => view.message.id === message);
      if (index >= 0) return { entry, view: entry.messages[index]!, index };
    }
    return undefined;
  }

  /** Learns a sentence as a new fact. */
  learn(sentence: string, kind: MemoryChange["kind"], message: number | null, conversation: number | null): MemoryChange {
    const words = sentence.split(" ");
    const at = this.now();
    const fact: Fact = {
      id: this.id(),
      subject: "user",
      relation: words.slice(1, 3).join(" "),
      value: words.slice(3).join(" ") || words.slice(-1).join(" "),
      sentence,
      confidence: 1,
      origin: "said",
      sourceMessage: message,
      sourceConversation: conversation,
      validFrom: at,
      validTo: null,
      recordedAt: at,
      retiredAt: null,
      replaced: [],
      useCount: 0,
      lastUsedAt: null,
      pinned: false,
    };
    this.facts.unshift(fact);
    const change: MemoryChange = { event: this.id(), kind, fact: fact.id, sentence, message };
    this.undoable.set(change.event, () => {
      this.facts = this.facts.filter((other) => other.id !== fact.id);
    });
    return change;
  }
}
