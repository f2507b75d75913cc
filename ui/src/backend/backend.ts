// The one interface between the window and everything behind it. `tauri.ts` implements it for the real app,
// `fake/fake.ts` for a plain browser and the tests; nothing else in the UI knows which one it talks to.
import type {
  AnswerSources,
  AppEvent,
  BackupView,
  BehaviorPreview,
  BehaviorSpec,
  BehaviorView,
  CatalogueModel,
  CommandReply,
  ConnectionTest,
  Conversation,
  ConversationId,
  ConversationView,
  DownloadState,
  DriftView,
  EmbeddingStatus,
  Endpoint,
  Episode,
  ErasureReceipt,
  ErrorView,
  EventQuery,
  ExportFormat,
  ExportReport,
  Fact,
  FactDraft,
  FactId,
  ForgetMessages,
  ForgetPreview,
  ForgetTarget,
  Found,
  HealthEventView,
  HealthQuery,
  HealthView,
  ImportPlan,
  ImportReport,
  ImportUndone,
  ImportView,
  KeepKey,
  KeyStatus,
  Learned,
  LocalModel,
  LogLine,
  MemoryChange,
  MemoryCounts,
  MemoryEventId,
  MemoryEventView,
  MemoryFileEdits,
  MemoryNeed,
  MemoryQuery,
  MemoryRef,
  MemorySource,
  Message,
  MessageId,
  ModelInfo,
  Page,
  Procedure,
  ProcedureId,
  RecallTest,
  RestoreReport,
  ReviewItem,
  Settings,
  SettingsView,
  StoreHealthView,
  SubjectCount,
  TurnEvent,
  TurnHandle,
  TurnId,
  WipePlan,
  WipeScope,
  WritingTrial,
} from "./types";

/** Light, dark, or as the system has it. */
export type Theme = "system" | "light" | "dark";

/** What belongs to the window and not to the agent. */
export interface Preferences {
  theme: Theme;
  /** 1 is 100 %. The shell applies it. */
  zoom: number;
}

/** Whether the agent could be opened. */
export type Startup = { type: "ready" } | { type: "failed"; error: ErrorView };

/** Hears what happens in one turn. */
export type TurnSink = (event: TurnEvent) => void;

/** What a command throws: always one of these, whatever went wrong. */
export class BackendError extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(view: ErrorView) {
    super(view.message);
    this.name = "BackendError";
    this.code = view.code;
    this.retryable = view.retryable;
  }

  /** Takes an `ErrorView`, an `Error`, or anything else that was thrown. */
  static from(thrown: unknown): BackendError {
    if (thrown instanceof BackendError) return thrown;
    if (isErrorView(thrown)) return new BackendError(thrown);
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new BackendError({ code: "shell", message, retryable: false });
  }

  /** As the contract has it. */
  view(): ErrorView {
    return { code: this.code, message: this.message, retryable: this.retryable };
  }
}

function isErrorView(value: unknown): value is ErrorView {
  return typeof value === "object" && value !== null && "code" in value && "message" in value && "retryable" in value;
}

/** One method for each command. Every one of them throws a {@link BackendError}. */
export interface Backend {
  /** Calls `listener` for every app-wide event until the returned function is called. */
  listen(listener: (event: AppEvent) => void): () => void;

  startup(): Promise<Startup>;
  preferences(): Promise<Preferences>;
  savePreferences(preferences: Preferences): Promise<void>;
  /** Opens a link in the system's browser: http, https and mailto only. */
  openLink(url: string): Promise<void>;

  conversations(search: string): Promise<Conversation[]>;
  conversation(id: ConversationId): Promise<ConversationView>;
  renameConversation(id: ConversationId, title: string): Promise<void>;
  deleteConversation(id: ConversationId, learned: Learned): Promise<void>;
  draft(conversation: ConversationId | null): Promise<string>;
  saveDraft(conversation: ConversationId | null, text: string): Promise<void>;

  /** The message is on disk when this returns; when it throws, nothing was started. */
  send(conversation: ConversationId | null, text: string, temporary: boolean, sink: TurnSink): Promise<TurnHandle>;
  /** The temporary conversation and all that was said in it is gone. */
  endTemporary(): Promise<void>;
  /** The person says something else instead: what came after that message is replaced, and it is answered anew. */
  editMessage(message: MessageId, text: string, sink: TurnSink): Promise<TurnHandle>;
  /** What the person said there before, oldest first, and what it says now. */
  messageVersions(message: MessageId): Promise<Message[]>;
  /** Asks again for the answer to the person's message; goes on where the token limit cut that answer. */
  retry(message: MessageId, sink: TurnSink): Promise<TurnHandle>;
  /** The same question to the person's other model or service. */
  retryWithAlternative(message: MessageId, sink: TurnSink): Promise<TurnHandle>;
  stop(turn: TurnId): Promise<void>;
  /** A remedy of this turn waits: it waits no longer. */
  skipWait(turn: TurnId): Promise<void>;
  /** Sends what waits for the network, whether that is there or not. */
  sendQueuedNow(): Promise<void>;
  /** The message stays, and is not sent by itself. */
  cancelQueued(message: MessageId): Promise<void>;
  /** The system says that the network came or went. */
  networkChanged(online: boolean): Promise<void>;
  /** `null`: the text is no command. */
  runCommand(text: string, conversation: ConversationId | null): Promise<CommandReply | null>;
  answerSources(message: MessageId): Promise<AnswerSources>;

  facts(query: MemoryQuery): Promise<Page<Fact>>;
  episodes(query: MemoryQuery): Promise<Page<Episode>>;
  procedures(query: MemoryQuery): Promise<Page<Procedure>>;
  memoryCounts(): Promise<MemoryCounts>;
  factHistory(id: FactId): Promise<Fact[]>;
  /** Another label, and other words where `quote` has some; `null` leaves the words as they are. */
  editFact(id: FactId, draft: FactDraft, quote: string | null): Promise<MemoryChange>;
  /** `null` where it was so already. */
  pinFact(id: FactId, pinned: boolean): Promise<MemoryChange | null>;
  /** Where a memory was said; `null` where that is gone. */
  memorySource(memory: MemoryRef): Promise<MemorySource | null>;
  /** Whom and what the facts are about, the most first. */
  subjects(search: string): Promise<SubjectCount[]>;
  memoryEvents(query: EventQuery): Promise<Page<MemoryEventView>>;
  undo(events: MemoryEventId[]): Promise<void>;

  forgetPreview(target: ForgetTarget): Promise<ForgetPreview>;
  /** Hidden at once; erased when the time to take it back is over, which `erased` then tells. */
  forget(target: ForgetTarget, messages: ForgetMessages): Promise<MemoryChange[]>;
  receipts(): Promise<ErasureReceipt[]>;

  review(query: MemoryQuery): Promise<Page<ReviewItem>>;
  /** What they go against gives way to them, or stays beside them. */
  acceptReview(ids: number[], keepBoth: boolean): Promise<MemoryChange[]>;
  /** It waits on, in other words. */
  editReview(id: number, draft: FactDraft): Promise<MemoryChange>;
  dismissReview(ids: number[]): Promise<MemoryChange[]>;

  testRecall(question: string): Promise<RecallTest>;
  embeddingStatus(): Promise<EmbeddingStatus>;

  /** Asks for a place first; `null`: the person chose none. */
  exportMemory(format: ExportFormat): Promise<ExportReport | null>;
  /** Asks for a file and looks into it; `null`: the person chose none. Nothing is imported yet. */
  chooseImport(): Promise<ImportPlan | null>;
  importMemory(token: string): Promise<ImportReport>;
  /** The imports that were made, the newest first. */
  imports(): Promise<ImportView[]>;
  /** Takes an import back whole; what the person confirmed, changed or went on with since stays. */
  undoImport(importId: number): Promise<ImportUndone>;
  /** What somebody changed in MEMORY.md and USER.md outside Atlas. */
  memoryFileEdits(): Promise<MemoryFileEdits | null>;
  acceptMemoryFileEdits(): Promise<ImportReport>;
  dismissMemoryFileEdits(): Promise<void>;

  behavior(): Promise<BehaviorView>;
  defaultBehavior(): Promise<BehaviorSpec>;
  previewBehavior(spec: BehaviorSpec): Promise<BehaviorPreview>;
  saveBehavior(spec: BehaviorSpec): Promise<BehaviorView>;
  behaviorVersions(): Promise<BehaviorView[]>;

  settings(): Promise<SettingsView>;
  saveSettings(settings: Settings): Promise<SettingsView>;
  /** Tries which form the chosen model can answer in, with a few probe messages; it takes a while. */
  tryMemoryWriting(): Promise<WritingTrial>;
  models(endpoint: Endpoint): Promise<ModelInfo[]>;
  testConnection(endpoint: Endpoint, model: string): Promise<ConnectionTest>;
  discover(): Promise<Found[]>;
  keyStatus(endpoint: Endpoint): Promise<KeyStatus>;
  /** The key leaves the window here and never comes back. */
  saveKey(endpoint: Endpoint, key: string, keep: KeepKey): Promise<KeyStatus>;
  /** Puts the key that the environment brought into the keychain. */
  keepEnvironmentKey(endpoint: Endpoint): Promise<KeyStatus>;
  deleteKey(endpoint: Endpoint): Promise<KeyStatus>;
  wipePlan(scope: WipeScope): Promise<WipePlan>;
  wipe(scope: WipeScope): Promise<void>;

  health(): Promise<HealthView>;
  healthEvents(query: HealthQuery): Promise<Page<HealthEventView>>;
  /** How the answers of the last days kept to the spec. */
  drift(days: number): Promise<DriftView>;
  /** The log's last lines, the oldest first. */
  logs(): Promise<LogLine[]>;
  /** A text about this Atlas that can be shown to others: no message, no memory, no key. */
  diagnostics(): Promise<string>;
  /** Puts a lesson in other words; `null` takes it away. */
  editLesson(id: ProcedureId, lesson: string | null): Promise<void>;
  /** A retired procedure is kept and not tried. */
  retireProcedure(id: ProcedureId, retired: boolean): Promise<void>;

  storeHealth(): Promise<StoreHealthView>;
  checkStore(): Promise<StoreHealthView>;
  /** The newest first. Works without an opened agent. */
  backups(): Promise<BackupView[]>;
  backUpNow(): Promise<BackupView>;
  /**
   * The agent is opened anew on that backup; what is there now is kept, and what is newer in a damaged database is saved from
   * it. `null`: without a backup, on what can be read of the damaged database alone. Works without an opened agent.
   */
  restoreBackup(name: string | null): Promise<RestoreReport>;

  restartEngine(): Promise<void>;
  stopEngine(): Promise<void>;
  /** The models that Atlas knows where to get. */
  catalogue(): Promise<CatalogueModel[]>;
  downloads(): Promise<DownloadState[]>;
  /** Begins the download of a model of the catalogue. A download is then called by the file that it becomes. */
  startDownload(id: string): Promise<string>;
  /** Begins the download of a model from an address. */
  downloadFrom(url: string): Promise<string>;
  /** Goes on with what came of one. */
  resumeDownload(file: string): Promise<void>;
  /** Stops it; what came is kept, so that it can go on. */
  cancelDownload(file: string): Promise<void>;
  /** What came of it is deleted. */
  discardDownload(file: string): Promise<void>;
  /** Asks for a GGUF file; `null`: the person chose none. */
  chooseModelFile(): Promise<LocalModel | null>;
  /** Deletes a model file of Atlas; one of somebody else's is only taken off the list. */
  removeLocalModel(id: string): Promise<void>;
  memoryNeed(model: string, contextTokens: number): Promise<MemoryNeed>;
}
