// The one interface between the window and everything behind it. `tauri.ts` implements it for the real app,
// `fake/fake.ts` for a plain browser and the tests; nothing else in the UI knows which one it talks to.
import type { AnswerSources } from "./bindings/AnswerSources";
import type { AppEvent } from "./bindings/AppEvent";
import type { BehaviorPreview } from "./bindings/BehaviorPreview";
import type { BehaviorSpec } from "./bindings/BehaviorSpec";
import type { BehaviorView } from "./bindings/BehaviorView";
import type { CommandReply } from "./bindings/CommandReply";
import type { ConnectionTest } from "./bindings/ConnectionTest";
import type { Conversation } from "./bindings/Conversation";
import type { ConversationId } from "./bindings/ConversationId";
import type { ConversationView } from "./bindings/ConversationView";
import type { Endpoint } from "./bindings/Endpoint";
import type { Episode } from "./bindings/Episode";
import type { EpisodeId } from "./bindings/EpisodeId";
import type { ErrorView } from "./bindings/ErrorView";
import type { Fact } from "./bindings/Fact";
import type { FactDraft } from "./bindings/FactDraft";
import type { FactId } from "./bindings/FactId";
import type { Found } from "./bindings/Found";
import type { KeepKey } from "./bindings/KeepKey";
import type { KeyStatus } from "./bindings/KeyStatus";
import type { Learned } from "./bindings/Learned";
import type { MemoryChange } from "./bindings/MemoryChange";
import type { MemoryCounts } from "./bindings/MemoryCounts";
import type { MemoryEventId } from "./bindings/MemoryEventId";
import type { MemoryQuery } from "./bindings/MemoryQuery";
import type { MessageId } from "./bindings/MessageId";
import type { ModelInfo } from "./bindings/ModelInfo";
import type { Page } from "./bindings/Page";
import type { Procedure } from "./bindings/Procedure";
import type { ProcedureId } from "./bindings/ProcedureId";
import type { Settings } from "./bindings/Settings";
import type { SettingsView } from "./bindings/SettingsView";
import type { TurnEvent } from "./bindings/TurnEvent";
import type { TurnHandle } from "./bindings/TurnHandle";
import type { TurnId } from "./bindings/TurnId";
import type { WipePlan } from "./bindings/WipePlan";
import type { WipeScope } from "./bindings/WipeScope";

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
  send(conversation: ConversationId | null, text: string, sink: TurnSink): Promise<TurnHandle>;
  /** Asks again for the answer to the person's message; goes on where the token limit cut that answer. */
  retry(message: MessageId, sink: TurnSink): Promise<TurnHandle>;
  stop(turn: TurnId): Promise<void>;
  /** `null`: the text is no command. */
  runCommand(text: string, conversation: ConversationId | null): Promise<CommandReply | null>;
  answerSources(message: MessageId): Promise<AnswerSources>;

  facts(query: MemoryQuery): Promise<Page<Fact>>;
  episodes(query: MemoryQuery): Promise<Page<Episode>>;
  procedures(query: MemoryQuery): Promise<Page<Procedure>>;
  memoryCounts(): Promise<MemoryCounts>;
  factHistory(id: FactId): Promise<Fact[]>;
  editFact(id: FactId, draft: FactDraft): Promise<MemoryChange>;
  forgetFacts(ids: FactId[]): Promise<MemoryChange[]>;
  forgetEpisodes(ids: EpisodeId[]): Promise<MemoryChange[]>;
  forgetProcedures(ids: ProcedureId[]): Promise<MemoryChange[]>;
  undo(events: MemoryEventId[]): Promise<void>;

  behavior(): Promise<BehaviorView>;
  defaultBehavior(): Promise<BehaviorSpec>;
  previewBehavior(spec: BehaviorSpec): Promise<BehaviorPreview>;
  saveBehavior(spec: BehaviorSpec): Promise<BehaviorView>;
  behaviorVersions(): Promise<BehaviorView[]>;

  settings(): Promise<SettingsView>;
  saveSettings(settings: Settings): Promise<SettingsView>;
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
}
