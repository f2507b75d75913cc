// Everything that the fake keeps, in memory.
import { BackendError, type Preferences, type Startup } from "../backend";
import type {
  AppEvent,
  BackupView,
  BehaviorSpec,
  BehaviorView,
  ConductSample,
  DownloadState,
  DriftDay,
  EmbeddingStatus,
  Endpoint,
  EngineState,
  Episode,
  ErasureReceipt,
  Fact,
  Found,
  HealthEventView,
  ImportView,
  KeyStatus,
  LocalModel,
  LogLine,
  MemoryChange,
  MemoryEventView,
  MemoryFileEdits,
  Message,
  MessageView,
  Preset,
  Procedure,
  ProviderHealthView,
  ReviewItem,
  ServiceView,
  Settings,
  StoreHealthView,
  StoreModeName,
  WritingTrial,
} from "../types";
import { starter } from "./engine";
import { ago, defaultSpec, presets, seedConversations, seedEpisodes, seedFacts, seedPast, seedProcedures, type SeededConversation } from "./seed";
import { seedBackups, seedDrift, seedEngine, seedHealthEvents, seedLogs, seedProviders, seedStore, seedStrayed } from "./seed-health";
import { seedEdits, seedEvents, seedKeptOut, seedReview } from "./seed-memory";

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
  /** How many facts there are. */
  facts: number;
  /** How many memories wait to be read for their meaning. */
  waiting: number;
  /** Whether there is a model that reads for meaning. */
  meaning: boolean;
  /** Whether MEMORY.md was edited outside Atlas. */
  edited: boolean;
  /** How many failures the health page tells of. */
  troubles: number;
  /** Whether a service is left alone just now. */
  troubled: boolean;
  /** Whether the network is there. */
  online: boolean;
  /** How the database is. */
  store: StoreModeName;
  engine: EngineState;
  /** Whether downloads break off. */
  breaksDownloads: boolean;
  /** Whether a topic is sealed, which kept something out already. */
  sealed: boolean;
  /** What came of trying how the model can be asked for memories. */
  trial: WritingTrial | null;
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
  facts: 214,
  waiting: 0,
  meaning: true,
  edited: false,
  troubles: 40,
  troubled: false,
  online: true,
  store: "normal",
  engine: { type: "ready" },
  breaksDownloads: false,
  sealed: false,
  trial: null,
};

/** The state, and the small helpers that everything in the fake shares. */
export class World {
  readonly options: FakeOptions;
  conversations: SeededConversation[] = [];
  facts: Fact[] = [];
  /** Facts that others took the place of. */
  past: Fact[] = [];
  events: MemoryEventView[] = [];
  /** What Review lists. */
  waiting: ReviewItem[] = [];
  receipts: ErasureReceipt[] = [];
  fileEdits: MemoryFileEdits | null = null;
  /** The imports that were made, the newest first, and what of each went to Review. */
  imports: (ImportView & { waiting: number[] })[] = [];
  embedding: EmbeddingStatus;
  /** The conversation of which nothing is stored. */
  temporary: SeededConversation | null = null;
  versions: BehaviorView[];
  /** What a message said before it was edited, oldest first. */
  said = new Map<number, Message[]>();
  episodes: Episode[] = [];
  procedures: Procedure[] = [];
  drafts = new Map<number | null, string>();
  preferences: Preferences = { theme: "system", zoom: 1 };
  settings: Settings;
  /** What came of trying how the model can be asked for memories. */
  trial: WritingTrial | null;
  keys = new Map<Preset, KeyStatus>();
  /** What failed and what was done about it, the newest first. */
  troubles: HealthEventView[] = [];
  service: ServiceView;
  providers: ProviderHealthView[] = [];
  driftDays: DriftDay[] = [];
  /** The latest answers that broke a rule or left the role. */
  strayed: ConductSample[] = [];
  log: LogLine[] = [];
  store: StoreHealthView;
  backups: BackupView[] = [];
  models: LocalModel[] = [structuredClone(starter)];
  downloads: DownloadState[] = [];
  online: boolean;
  /** The messages that wait for the network. */
  queue: number[] = [];
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
      fallbackModel: null,
      fallback: null,
      healingSeconds: 120,
      secondLook: false,
      webhook: null,
      notify: true,
      engine: { contextTokens: 8192, unloadAfterMinutes: 30 },
    };
    this.trial = this.options.trial;
    if (this.options.setUp) this.keys.set("openRouter", { type: "present", last4: "7f3a", place: "keychain" });
    const keptOut = this.options.sealed ? seedKeptOut() : [];
    const spec = { ...structuredClone(defaultSpec), sealedTopics: keptOut.map((one) => one.topic) };
    this.versions = [{ spec, version: 1, savedAt: ago(now, 40 * 86_400_000), keptOut }];
    this.embedding = {
      byMeaning: this.options.meaning,
      model: this.options.meaning ? "MiniLM" : "minilm.onnx is missing. Install Atlas again.",
      waiting: this.options.waiting,
      total: Math.max(this.options.waiting, 214),
    };
    this.service = seedEngine(this.options.engine);
    this.store = seedStore(now, this.options.store);
    this.online = this.options.online;
    if (this.options.edited) this.fileEdits = seedEdits();
    if (this.options.filled) {
      this.conversations = seedConversations(now, () => this.id());
      this.facts = seedFacts(now, this.conversations, this.options.facts);
      this.past = seedPast(now, () => this.id());
      this.episodes = seedEpisodes(now, this.conversations);
      this.procedures = seedProcedures(now);
      this.waiting = seedReview(now, this.conversations, () => this.id());
      this.events = seedEvents(this.facts.slice(0, 400), this.past, () => this.id());
      this.troubles = seedHealthEvents(now, this.conversations, this.options.troubles, () => this.id());
      this.providers = seedProviders(now, this.options.troubled);
      this.driftDays = seedDrift(now);
      this.strayed = seedStrayed(now);
      this.log = seedLogs(now);
      this.backups = seedBackups(now);
      const older = structuredClone(defaultSpec);
      older.personality.verbosity = "as long as it needs to be";
      this.versions.push({ spec: older, version: 0, savedAt: ago(now, 41 * 86_400_000), keptOut: [] });
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

  refuse(code: string, message: string): never {
    throw new BackendError({ code, message, retryable: false });
  }

  find(conversation: number): SeededConversation | undefined {
    if (this.temporary?.conversation.id === conversation) return this.temporary;
    return this.conversations.find((entry) => entry.conversation.id === conversation);
  }

  /** The conversation and the view of a message. */
  locate(message: number): { entry: SeededConversation; view: MessageView; index: number } | undefined {
    for (const entry of [...this.conversations, ...(this.temporary ? [this.temporary] : [])]) {
      const index = entry.messages.findIndex((view) => view.message.id === message);
      if (index >= 0) return { entry, view: entry.messages[index]!, index };
    }
    return undefined;
  }

  /** Keeps somebody's words as a new fact. */
  learn(quote: string, kind: MemoryChange["kind"], message: number | null, conversation: number | null): MemoryChange {
    const [, relation, value] = /^I (live in|play|drink|work as) (.+?)\.?$/i.exec(quote) ?? [];
    const at = this.now();
    const fact: Fact = {
      id: this.id(),
      subject: "user",
      relation: relation?.replace(/^\w+/, (verb) => `${verb}s`) ?? "said",
      value: value ?? quote,
      polarity: "holds",
      quote,
      saidAt: at,
      timeWords: null,
      date: null,
      topic: null,
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
    return this.record(kind, quote, { fact: fact.id, message, conversation, why: message === null ? "You entered it" : "You said so" }, () => {
      this.facts = this.facts.filter((other) => other.id !== fact.id);
    });
  }

  /** Another behaviour is in force. */
  putInForce(spec: BehaviorSpec): BehaviorView {
    const view = { spec, version: this.versions[0]!.version + 1, savedAt: this.now(), keptOut: this.versions[0]!.keptOut };
    this.versions.unshift(structuredClone(view));
    return view;
  }

  /** Makes a wish of Review part of the behaviour; `false` where it is a memory. */
  takeWish({ draft: { relation, value } }: ReviewItem): boolean {
    const spec = structuredClone(this.versions[0]!.spec);
    if (relation === "wants never remembered") spec.sealedTopics.push(value);
    else if (relation === "wants of every answer") spec.always.push({ text: value, hard: false });
    else return false;
    this.putInForce(spec);
    this.emit({ type: "behaviorChanged" });
    return true;
  }

  /** Notes that memory changed, and how to take it back. */
  record(
    kind: MemoryEventView["kind"],
    sentence: string,
    about: { fact?: number | null; why: string; message?: number | null; conversation?: number | null },
    undo: () => void,
  ): MemoryChange {
    const event = this.id();
    const { fact = null, message = null, conversation = null, why } = about;
    this.events.unshift({ event, at: this.now(), kind, memory: fact === null ? null : { type: "fact", id: fact }, sentence, why, message, conversation, undone: false, canUndo: true });
    this.undoable.set(event, undo);
    return { event, kind, fact, sentence, message };
  }

  /** The engine is in another state, and says so. */
  engineIs(state: EngineState): void {
    this.service = seedEngine(state);
    this.emit({ type: "engine", state });
    this.emit({ type: "healthChanged" });
  }

  /** The network came or went, and says so. */
  networkIs(online: boolean): void {
    this.online = online;
    this.emit({ type: "network", online });
    this.emit({ type: "healthChanged" });
  }

  /** What was forgotten leaves the timeline too, but for the fact that something was. */
  erase(event: number): void {
    this.undoable.delete(event);
    const gone = this.events.find((one) => one.event === event);
    if (!gone) return;
    this.events = this.events.filter((one) => one.event === event || one.sentence !== gone.sentence);
    Object.assign(gone, { sentence: "", canUndo: false });
  }

  /** A fact becomes history. */
  retire(fact: Fact): void {
    this.facts = this.facts.filter((other) => other.id !== fact.id);
    this.past.push({ ...fact, retiredAt: this.now(), validTo: this.now() });
  }

  /** It holds again. */
  restore(fact: Fact): void {
    this.past = this.past.filter((other) => other.id !== fact.id);
    this.facts.push(fact);
  }
}
