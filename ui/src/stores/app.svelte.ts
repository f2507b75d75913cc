// The whole window's state, made once from a backend. Pages get it from the context; components get props.
import { getContext, setContext } from "svelte";
import { type Backend, BackendError } from "../backend/backend";
import type { AppEvent, EngineState, ErrorView, MemoryRef, WipeScope } from "../backend/types";
import { t } from "../text/text";
import { Behaviour } from "./behaviour.svelte";
import { Chat } from "./chat.svelte";
import { Conversations } from "./conversations.svelte";
import { copyText } from "./copy";
import { Health } from "./health.svelte";
import { Memory } from "./memory.svelte";
import { Models } from "./models.svelte";
import { Network } from "./network.svelte";
import { PreferencesStore } from "./preferences.svelte";
import { newChat, type Route, Router } from "./router.svelte";
import { SettingsStore } from "./settings.svelte";
import { Toasts } from "./toasts.svelte";

/** How far the start has come. */
export type Stage = { type: "starting" } | { type: "failed"; error: ErrorView } | { type: "welcome" } | { type: "ready" };

export class App {
  stage = $state.raw<Stage>({ type: "starting" });
  engine = $state<EngineState | null>(null);
  /** Where the person wants to go, which would lose the temporary conversation. */
  leaving = $state.raw<{ route: Route; text: string } | null>(null);
  readonly router = new Router();
  readonly toasts = new Toasts();
  readonly conversations: Conversations;
  readonly chat: Chat;
  readonly memory: Memory;
  readonly behaviour: Behaviour;
  readonly settings: SettingsStore;
  readonly models: Models;
  readonly network: Network;
  readonly health: Health;
  readonly preferences: PreferencesStore;

  constructor(readonly backend: Backend) {
    this.conversations = new Conversations(backend);
    this.memory = new Memory(backend, this.toasts);
    this.behaviour = new Behaviour(backend);
    this.settings = new SettingsStore(backend);
    this.models = new Models(backend, this.toasts);
    this.network = new Network(backend);
    this.health = new Health(backend, this.toasts, {
      read: (health) => this.network.took(health),
      restored: () => this.reopen(),
      copy: (text) => this.copy(text),
    });
    this.preferences = new PreferencesStore(backend);
    this.chat = new Chat(backend, {
      adopted: (thread) => {
        if (this.chat.current === thread && this.router.page === "chat") {
          this.router.become({ page: "chat", conversation: thread.id, message: null });
        }
        void this.conversations.load();
      },
      settled: (thread) => {
        void thread.load();
        void this.conversations.load();
        void this.memory.refresh();
      },
    });
    backend.listen((event) => this.hear(event));
  }

  /** Opens the agent: ends in the chat, in the first run, or in the page that says why not. */
  async start(): Promise<void> {
    this.stage = { type: "starting" };
    try {
      await this.preferences.load();
      const startup = await this.backend.startup();
      if (startup.type === "failed") {
        this.stage = { type: "failed", error: startup.error };
        return;
      }
      await Promise.all([this.settings.load(), this.behaviour.load(), this.conversations.load()]);
      void this.memory.count();
      // Before it was open, the agent could not hear it.
      if (this.network.offline) this.network.tell();
      void this.health.glance();
      this.stage = this.settings.view && !this.settings.isSetUp && this.conversations.list.length === 0 ? { type: "welcome" } : { type: "ready" };
    } catch (thrown) {
      this.stage = { type: "failed", error: BackendError.from(thrown).view() };
    }
  }

  /** The first run is over. */
  enter(): void {
    this.stage = { type: "ready" };
    this.router.go(newChat);
  }

  /** The agent was opened anew with other data: the whole window reads it. */
  private async reopen(): Promise<void> {
    this.chat.reset();
    if (!this.behaviour.dirty) this.behaviour.clear();
    await this.start();
    await this.memory.refresh();
  }

  /** An empty conversation, ready to be written in. */
  newConversation(text = ""): void {
    if (this.chat.wouldLose(null)) {
      this.leaving = { route: newChat, text };
      return;
    }
    this.router.go(newChat);
    this.chat.open(null);
    if (text) this.chat.current.type(text);
  }

  /** Opens the conversation of an address, unless that would lose the temporary one: then the person is asked first. */
  openConversation(route: Extract<Route, { page: "chat" }>): void {
    if (this.chat.wouldLose(route.conversation)) {
      this.leaving = { route, text: "" };
      this.router.become({ page: "chat", conversation: this.chat.current.id, message: null });
    } else this.chat.open(route.conversation);
  }

  /** Opens the words that a memory came from, while they are there. */
  async openSource(memory: MemoryRef): Promise<void> {
    const source = await this.backend.memorySource(memory).catch(() => null);
    if (source) this.router.go({ page: "chat", ...source });
    else this.toasts.say(t.memory.sourceGone);
  }

  /** The temporary conversation is over; what the person wanted to open is opened. */
  async leaveTemporary(): Promise<void> {
    const to = this.leaving ?? { route: newChat, text: "" };
    this.leaving = null;
    await this.chat.endTemporary();
    this.router.go(to.route);
    if (to.route.page === "chat") this.chat.open(to.route.conversation);
    if (to.text) this.chat.current.type(to.text);
  }

  /** Opens a link in the system's browser. */
  openLink(url: string): void {
    this.backend.openLink(url).catch((thrown: unknown) => {
      this.toasts.say(`${t.chat.notOpened} ${BackendError.from(thrown).message}`, "bad");
    });
  }

  /** Copies, and says truly whether that worked. */
  async copy(text: string): Promise<boolean> {
    const copied = await copyText(text);
    if (!copied) this.toasts.say(t.app.copyFailed, "bad");
    return copied;
  }

  /** Deletes for good. Throws when not everything went. */
  async wipe(scope: WipeScope): Promise<void> {
    await this.backend.wipe(scope);
    if (scope === "everything") {
      this.behaviour.clear();
      this.chat.reset();
      await this.start();
      this.router.go(newChat);
    } else await this.chat.current.load();
    await this.memory.refresh();
    this.toasts.say(scope === "memory" ? t.wipe.doneMemory : t.wipe.doneEverything, "good");
  }

  private hear(event: AppEvent): void {
    switch (event.type) {
      case "memoryChanged":
        if (event.message !== null) this.chat.memoryChanged(event.message, event.changes);
        else this.chat.refresh();
        void this.memory.refresh();
        return;
      case "behaviorChanged":
        void this.behaviour.follow();
        return;
      case "conversationsChanged":
        void this.conversations.load();
        this.chat.followQueue();
        return;
      case "erased":
        this.memory.erased(event.receipt);
        return;
      case "embedding":
        this.memory.embedding = event.status;
        return;
      case "engine":
        this.engine = event.state;
        void this.health.refresh();
        return;
      case "network":
        this.network.heard(event.online);
        this.chat.followQueue();
        return;
      case "healthChanged":
        void this.health.refresh();
        this.chat.followQueue();
        return;
      case "notice":
        this.toasts.notice(event.title, event.body);
        return;
      case "download":
        this.models.heard(event.state);
        return;
      case "modelsChanged":
        void this.settings.load();
        return;
      case "storeHealth":
        this.health.heard(event.health);
        return;
      default:
        event satisfies never;
    }
  }
}

const KEY = Symbol("app");

export function provideApp(app: App): void {
  setContext(KEY, app);
}

/** The window's state, for a page. */
export function useApp(): App {
  return getContext<App>(KEY);
}
