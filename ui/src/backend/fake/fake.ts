// A whole backend in memory: the UI runs on it in a plain browser and in its tests.
import { type Backend, BackendError } from "../backend";
import type { Conversation, Endpoint, KeyStatus, SettingsView } from "../types";
import { engineCommands } from "./engine";
import { forgetCommands } from "./forget";
import { healthCommands } from "./health";
import { memoryCommands } from "./memory";
import { preview } from "./prompt";
import { block, recallCommands } from "./recall";
import { defaultSpec, presets } from "./seed";
import { transferCommands } from "./transfer";
import { FakeTurns } from "./turns";
import { type FakeOptions, World } from "./world";

const help =
  "| Command | What it does |\n| --- | --- |\n| `/facts` | what Atlas knows about you |\n| `/memories` | what you talked about |\n" +
  "| `/procedures` | what it learned from failures |\n| `/remember X` | remembers X |\n| `/help` | this table |";

/** Answers as the shell does: later, and with a copy that nobody shares. */
export type Answer = <T>(command: string, make: () => T) => Promise<T>;

/** A backend in memory, and the state behind it for tests to look at. */
export function fakeBackend(options: Partial<FakeOptions> = {}): Backend & { world: World } {
  let world = new World(options);
  let turns = new FakeTurns(world);

  async function answer<T>(command: string, make: () => T): Promise<T> {
    if (world.options.latency) await new Promise((resolve) => setTimeout(resolve, world.options.latency));
    if (world.options.failing.has(command)) {
      throw new BackendError({ code: "store", message: "The database could not be read. Close other programs that use it.", retryable: true });
    }
    return structuredClone(make());
  }

  function refuse(code: string, message: string): never {
    throw new BackendError({ code, message, retryable: false });
  }

  function conversationOf(id: number) {
    return world.find(id) ?? refuse("not_found", "This conversation does not exist any more.");
  }

  function keyOf(endpoint: Endpoint): KeyStatus {
    const need = presets.find((one) => one.preset === endpoint.preset)!.key;
    if (need === "none") return { type: "notNeeded" };
    if (!world.options.keychain && !world.keys.has(endpoint.preset)) {
      return { type: "unavailable", message: "This computer has no keychain, or it is locked." };
    }
    return world.keys.get(endpoint.preset) ?? { type: "missing" };
  }

  function settingsView(): SettingsView {
    const { settings } = world;
    return {
      settings,
      automaticMemoryWriting: world.trial?.form ?? (settings.endpoint?.preset === "openRouter" ? "inBand" : "secondCall"),
      writingTrial: world.trial,
      presets,
      key: settings.endpoint ? keyOf(settings.endpoint) : { type: "notNeeded" },
      localModels: world.models,
      dataFolder: "~/.local/share/app.atlas.desktop",
    };
  }

  const here = () => world;

  return {
    get world() {
      return world;
    },
    listen: (listener) => world.listen(listener),
    startup: () => answer("startup", () => world.options.startup),
    preferences: () => answer("preferences", () => world.preferences),
    savePreferences: (preferences) =>
      answer("savePreferences", () => {
        world.preferences = preferences;
        // In the app, the shell zooms the web view itself.
        document.documentElement.style.zoom = String(preferences.zoom);
      }),
    openLink: (url) =>
      answer("openLink", () => {
        window.open(url, "_blank", "noopener,noreferrer");
      }),

    conversations: (search) =>
      answer("conversations", () => {
        const words = search.trim().toLowerCase();
        const sorted = [...world.conversations].sort((a, b) => b.conversation.updatedAt.localeCompare(a.conversation.updatedAt));
        return sorted.flatMap(({ conversation, messages }): Conversation[] => {
          if (!words) return [{ ...conversation, snippet: null }];
          const hit = messages.find((view) => view.message.text.toLowerCase().includes(words))?.message.text;
          if (hit === undefined) return conversation.title.toLowerCase().includes(words) ? [{ ...conversation, snippet: null }] : [];
          const at = hit.toLowerCase().indexOf(words);
          return [{ ...conversation, snippet: `${at > 30 ? "…" : ""}${hit.slice(Math.max(0, at - 30), at + 60)}…` }];
        });
      }),
    conversation: (id) =>
      answer("conversation", () => {
        const { conversation, messages } = conversationOf(id);
        const views = messages.map((view) => ({ ...view, edited: world.said.has(view.message.id) }));
        return { conversation, messages: views, running: turns.runningIn(id) };
      }),
    renameConversation: (id, title) =>
      answer("renameConversation", () => {
        conversationOf(id).conversation.title = title.trim() || conversationOf(id).messages[0]!.message.text.slice(0, 60);
        world.emit({ type: "conversationsChanged" });
      }),
    deleteConversation: (id, learned) =>
      answer("deleteConversation", () => {
        const running = turns.runningIn(id);
        if (running !== null) turns.stop(running);
        world.conversations = world.conversations.filter((entry) => entry.conversation.id !== id);
        if (learned === "forget") world.facts = world.facts.filter((fact) => fact.sourceConversation !== id);
        world.emit({ type: "conversationsChanged" });
        world.emit({ type: "memoryChanged", message: null, changes: [] });
      }),
    draft: (conversation) => answer("draft", () => world.drafts.get(conversation) ?? ""),
    saveDraft: (conversation, text) => answer("saveDraft", () => void world.drafts.set(conversation, text)),

    send: (conversation, text, temporary, sink) =>
      answer("send", () => {
        if (!world.settings.endpoint) refuse("not_set_up", "No model has been chosen yet. Choose one in Settings.");
        let entry = conversation === null ? undefined : conversationOf(conversation);
        if (!entry) {
          const at = world.now();
          const title = text.trim().split("\n")[0]!.slice(0, 60);
          const id = temporary ? -world.id() : world.id();
          entry = { conversation: { id, title, createdAt: at, updatedAt: at, snippet: null }, messages: [] };
          if (temporary) world.temporary = entry;
          else world.conversations.push(entry);
        }
        const handle = turns.send(entry, text, sink);
        world.emit({ type: "conversationsChanged" });
        return handle;
      }),
    retry: (message, sink) =>
      answer("retry", () => {
        const place = world.locate(message) ?? refuse("not_found", "This message does not exist any more.");
        return turns.retry(place.entry, place.view, place.index, sink);
      }),
    retryWithAlternative: (message, sink) =>
      answer("retryWithAlternative", () => {
        const place = world.locate(message) ?? refuse("not_found", "This message does not exist any more.");
        return turns.retry(place.entry, place.view, place.index, sink, "gpt-5-mini");
      }),
    skipWait: (turn) => answer("skipWait", () => turns.skipWait(turn)),
    sendQueuedNow: () => answer("sendQueuedNow", () => turns.sendQueued()),
    cancelQueued: (message) => answer("cancelQueued", () => turns.cancelQueued(message)),
    networkChanged: (online) =>
      answer("networkChanged", () => {
        if (online !== world.online) world.networkIs(online);
        if (online) turns.sendQueued();
      }),
    endTemporary: () =>
      answer("endTemporary", () => {
        const running = world.temporary && turns.runningIn(world.temporary.conversation.id);
        if (running) turns.stop(running);
        world.temporary = null;
      }),
    editMessage: (message, text, sink) =>
      answer("editMessage", () => {
        const place = world.locate(message) ?? refuse("not_found", "This message does not exist any more.");
        world.facts = world.facts.filter((fact) => fact.sourceMessage !== message);
        const lost = place.entry.messages.splice(place.index);
        const handle = turns.send(place.entry, text, sink);
        world.said.set(handle.message, [...(world.said.get(message) ?? []), lost[0]!.message]);
        world.emit({ type: "memoryChanged", message: null, changes: [] });
        return handle;
      }),
    messageVersions: (message) =>
      answer("messageVersions", () => {
        const { view } = world.locate(message) ?? refuse("not_found", "This message does not exist any more.");
        return [...(world.said.get(message) ?? []), view.message];
      }),
    stop: (turn) => answer("stop", () => turns.stop(turn)),
    runCommand: (text, conversation) =>
      answer("runCommand", () => {
        const [, name, rest] = /^\/(\w+)\s*(.*)$/s.exec(text.trim()) ?? [];
        const list = (title: string, lines: string[]) => ({
          text: lines.length ? `**${title}**\n\n${lines.slice(0, 20).map((line) => `- ${line}`).join("\n")}` : `${title}: none yet.`,
          changed: [],
        });
        if (name === "facts") return list("What I know", world.facts.map((fact) => `“${fact.quote}”`));
        if (name === "memories") return list("What we talked about", world.episodes.map((episode) => episode.text));
        if (name === "procedures") return list("What I learned", world.procedures.map((one) => `${one.trigger}: ${one.strategy}`));
        if (name === "help") return { text: help, changed: [] };
        if (name !== "remember") return null;
        if (!rest) return { text: "Write what to remember after it: `/remember I live in Porto`.", changed: [] };
        const change = world.learn(rest, "added", null, conversation);
        world.emit({ type: "memoryChanged", message: null, changes: [change] });
        return { text: "Remembered.", changed: [change.sentence] };
      }),
    answerSources: (message) =>
      answer("answerSources", () => {
        const { view } = world.locate(message) ?? refuse("not_found", "This answer does not exist any more.");
        return {
          used: view.used,
          promptBlock: block(view.used),
          specVersion: world.versions[0]!.version,
        };
      }),

    ...memoryCommands(here, answer),
    ...forgetCommands(here, answer),
    ...recallCommands(here, answer),
    ...transferCommands(here, answer),
    ...healthCommands(here, answer),
    ...engineCommands(here, answer),

    behavior: () => answer("behavior", () => world.versions[0]!),
    defaultBehavior: () => answer("defaultBehavior", () => defaultSpec),
    previewBehavior: (spec) => answer("previewBehavior", () => preview(spec)),
    saveBehavior: (spec) =>
      answer("saveBehavior", () => {
        const wrong = preview(spec).problems.find((problem) => problem.severity === "error");
        if (wrong) refuse("invalid", wrong.message);
        return world.putInForce(spec);
      }),
    behaviorVersions: () => answer("behaviorVersions", () => world.versions),

    settings: () => answer("settings", settingsView),
    saveSettings: (settings) =>
      answer("saveSettings", () => {
        world.settings = structuredClone(settings);
        return settingsView();
      }),
    tryMemoryWriting: () =>
      answer("tryMemoryWriting", () => {
        world.trial = { model: world.settings.model, form: "inBand", right: 6, of: 6, at: world.now() };
        return world.trial;
      }),
    models: (endpoint) =>
      answer("models", () => {
        if (endpoint.preset === "builtIn") return world.models.map(({ id, name }) => ({ id, name, contextTokens: 8192 }));
        if (endpoint.preset !== "openRouter") refuse("network", `Nothing answers at ${endpoint.baseUrl || "this address"}.`);
        const known = ["anthropic/claude-haiku-4.5", "anthropic/claude-sonnet-4.5", "google/gemini-2.5-flash", "openai/gpt-5-mini"];
        const more = Array.from({ length: 240 }, (_, index) => `vendor-${(index % 12) + 1}/model-${index + 1}`);
        return [...known, ...more].map((id) => ({ id, name: null, contextTokens: 200_000 }));
      }),
    testConnection: (endpoint, model) =>
      answer("testConnection", () => {
        const status = keyOf(endpoint);
        const need = presets.find((one) => one.preset === endpoint.preset)!.key;
        if (need === "required" && status.type !== "present") {
          const failure = { code: "no_key", message: "There is no key for this service yet.", next: "enterKey" as const, alternative: null, service: null, queued: false };
          return { type: "fails" as const, failure };
        }
        if (endpoint.preset === "builtIn" && !world.models.some((one) => one.id === model)) {
          const message = "The built-in engine or its model is not on this computer. Run the set-up again, or choose another provider.";
          return { type: "fails" as const, failure: { code: "engine_missing", message, next: "openSettings" as const, alternative: null, service: null, queued: false } };
        }
        if (endpoint.preset === "custom" || !model) {
          const message = `Nothing answers at ${endpoint.baseUrl || "this address"}. Is the server running?`;
          return { type: "fails" as const, failure: { code: "network", message, next: "openSettings" as const, alternative: null, service: null, queued: false } };
        }
        return { type: "works" as const, message: `${model.split("/").at(-1)} answered in 0.8 s.` };
      }),
    discover: () => answer("discover", () => world.options.found),
    keyStatus: (endpoint) => answer("keyStatus", () => keyOf(endpoint)),
    saveKey: (endpoint, key, keep) =>
      answer("saveKey", () => {
        if (/\s/.test(key.trim())) refuse("unusable_key", "This is no key: it has spaces or line breaks in it.");
        if (keep === "inKeychain" && !world.options.keychain) {
          refuse("keychain", "This computer has no keychain, or it is locked. Keep the key for this session only, or set OPENROUTER_API_KEY.");
        }
        const place = keep === "inKeychain" ? ("keychain" as const) : ("session" as const);
        const last4 = key.trim().slice(-Math.min(4, Math.floor(key.trim().length / 4)));
        world.keys.set(endpoint.preset, { type: "present", last4, place });
        return keyOf(endpoint);
      }),
    keepEnvironmentKey: (endpoint) =>
      answer("keepEnvironmentKey", () => {
        const status = keyOf(endpoint);
        if (status.type === "present") world.keys.set(endpoint.preset, { ...status, place: "keychain" });
        return keyOf(endpoint);
      }),
    deleteKey: (endpoint) =>
      answer("deleteKey", () => {
        world.keys.delete(endpoint.preset);
        return keyOf(endpoint);
      }),
    wipePlan: (scope) =>
      answer("wipePlan", () => {
        const memory = [`${world.facts.length} facts`, `${world.episodes.length} episodes`, `${world.procedures.length} procedures`];
        if (scope === "memory") return { items: memory };
        const rest = [`${world.conversations.length} conversations`, "1 key in the keychain (OpenRouter)", "2 backups, 3.1 MB", "1 log, 12 KB"];
        return { items: [...rest, ...memory, "1 downloaded model, 1.1 GB"] };
      }),
    wipe: (scope) =>
      answer("wipe", () => {
        if (scope === "memory") {
          world.facts = [];
          world.past = [];
          world.events = [];
          world.waiting = [];
          world.episodes = [];
          world.procedures = [];
          for (const entry of world.conversations) for (const view of entry.messages) view.changes = [];
        } else {
          const listen = world;
          world = new World({ ...world.options, filled: false, setUp: false });
          world.listen((event) => listen.emit(event));
          turns = new FakeTurns(world);
        }
        world.emit({ type: "conversationsChanged" });
        world.emit({ type: "memoryChanged", message: null, changes: [] });
      }),
  };
}
