// The settings: what is in force, the draft of the connection, its key, its models, its test.
import { type Backend, BackendError } from "../backend/backend";
import type { ConnectionTest, Endpoint, ErrorView, Found, KeepKey, KeyStatus, ModelInfo, Preset, PresetView, Settings, SettingsView } from "../backend/types";

/** Where requests would go, as the form has it. */
export interface Connection {
  endpoint: Endpoint;
  model: string;
}

export type ModelList = { type: "loading" } | { type: "ready"; models: ModelInfo[] } | { type: "failed"; reason: string };

const ADDRESS_DELAY = 500;

export class SettingsStore {
  view = $state.raw<SettingsView | null>(null);
  error = $state.raw<ErrorView | null>(null);
  /** The connection as it is edited. */
  draft = $state.raw<Connection | null>(null);
  key = $state.raw<KeyStatus>({ type: "notNeeded" });
  models = $state.raw<ModelList>({ type: "loading" });
  test = $state.raw<ConnectionTest | null>(null);
  testing = $state(false);
  /** Why the last change was not saved. */
  refused = $state.raw<ErrorView | null>(null);
  dirty = $derived.by(() => {
    const draft = this.draft;
    const settings = this.view?.settings;
    if (!draft || !settings) return false;
    const endpoint = settings.endpoint;
    const same = endpoint?.preset === draft.endpoint.preset && endpoint.baseUrl === draft.endpoint.baseUrl;
    return !same || settings.model !== draft.model;
  });
  private request = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private backend: Backend) {}

  get presets(): readonly PresetView[] {
    return this.view?.presets ?? [];
  }

  /** Whether a model was chosen, ever. */
  get isSetUp(): boolean {
    return this.view?.settings.endpoint != null;
  }

  preset(preset: Preset): PresetView | undefined {
    return this.presets.find((one) => one.preset === preset);
  }

  /** "claude-haiku-4.5 · OpenRouter" */
  get modelName(): string | null {
    const settings = this.view?.settings;
    if (!settings?.endpoint) return null;
    const model = settings.model.split("/").at(-1) || "–";
    return `${model} · ${this.preset(settings.endpoint.preset)?.name ?? settings.endpoint.preset}`;
  }

  async load(): Promise<void> {
    try {
      this.took(await this.backend.settings());
      this.error = null;
    } catch (thrown) {
      this.error = BackendError.from(thrown).view();
    }
  }

  /** The page is open: the form shows what is in force, and the list of models is asked for. */
  async edit(): Promise<void> {
    await this.load();
    if (!this.draft || !this.dirty) this.discard();
  }

  /** The form shows what is in force again. */
  discard(): void {
    if (!this.view) return;
    const { endpoint, model } = this.view.settings;
    if (endpoint) this.change({ endpoint, model }, 0);
    else this.choose(this.presets[0]?.preset ?? "custom");
  }

  /** Another service in the form. */
  choose(preset: Preset): void {
    const known = this.preset(preset);
    const model = preset === "builtIn" ? (this.view?.localModels[0]?.id ?? "") : (known?.defaultModel ?? "");
    this.change({ endpoint: { preset, baseUrl: known?.baseUrl ?? "" }, model }, 0);
  }

  setAddress(baseUrl: string): void {
    if (this.draft) this.change({ ...this.draft, endpoint: { ...this.draft.endpoint, baseUrl } }, ADDRESS_DELAY);
  }

  setModel(model: string): void {
    if (!this.draft) return;
    this.draft = { ...this.draft, model };
    this.test = null;
  }

  /** Puts the form's connection in force. */
  async save(): Promise<boolean> {
    const settings = this.view?.settings;
    if (!settings || !this.draft) return false;
    return this.put({ ...settings, endpoint: this.draft.endpoint, model: this.draft.model.trim() });
  }

  /** Puts one of the other settings in force, at once. */
  async patch(change: Partial<Omit<Settings, "endpoint" | "model">>): Promise<boolean> {
    const settings = this.view?.settings;
    return settings ? this.put({ ...settings, ...change }) : false;
  }

  /** Tries the form's connection. */
  async tryConnection(): Promise<ConnectionTest | null> {
    const draft = this.draft;
    if (!draft || this.testing) return null;
    this.testing = true;
    this.test = null;
    try {
      this.test = await this.backend.testConnection(draft.endpoint, draft.model.trim());
    } catch (thrown) {
      const { code, message } = BackendError.from(thrown);
      this.test = { type: "fails", failure: { code, message, next: "openSettings" } };
    } finally {
      this.testing = false;
    }
    return this.test;
  }

  /** Keeps a key; throws why it could not be kept. */
  async saveKey(key: string, keep: KeepKey): Promise<void> {
    if (!this.draft) return;
    this.key = await this.backend.saveKey(this.draft.endpoint, key.trim(), keep);
    this.test = null;
    void this.loadModels();
    await this.load();
  }

  /** Keeps the key that the environment brought; throws why it could not be kept. */
  async keepEnvironmentKey(): Promise<void> {
    if (!this.draft) return;
    this.key = await this.backend.keepEnvironmentKey(this.draft.endpoint);
    await this.load();
  }

  async deleteKey(): Promise<void> {
    if (!this.draft) return;
    this.key = await this.backend.deleteKey(this.draft.endpoint);
    this.test = null;
    await this.load();
  }

  async loadKey(): Promise<void> {
    const draft = this.draft;
    if (!draft) return;
    const status = await this.backend.keyStatus(draft.endpoint).catch((thrown): KeyStatus => {
      return { type: "unavailable", message: BackendError.from(thrown).message };
    });
    if (this.draft?.endpoint.preset === draft.endpoint.preset) this.key = status;
  }

  async loadModels(): Promise<void> {
    if (!this.draft) return;
    this.request += 1;
    const request = this.request;
    this.models = { type: "loading" };
    let list: ModelList;
    try {
      list = { type: "ready", models: await this.backend.models(this.draft.endpoint) };
    } catch (thrown) {
      list = { type: "failed", reason: BackendError.from(thrown).message };
    }
    if (request !== this.request) return;
    this.models = list;
    const only = list.type === "ready" ? list.models[0] : undefined;
    if (only && this.draft && !this.draft.model) this.setModel(only.id);
  }

  discover(): Promise<Found[]> {
    return this.backend.discover();
  }

  /** Takes up what was found at the first run. */
  async use(found: Found): Promise<boolean> {
    this.draft = { endpoint: found.endpoint, model: found.model };
    return this.save();
  }

  private change(draft: Connection, delay: number): void {
    this.draft = draft;
    this.test = null;
    this.refused = null;
    this.models = { type: "loading" };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      void this.loadKey();
      void this.loadModels();
    }, delay);
  }

  private async put(settings: Settings): Promise<boolean> {
    try {
      this.took(await this.backend.saveSettings(settings));
      this.refused = null;
      return true;
    } catch (thrown) {
      this.refused = BackendError.from(thrown).view();
      return false;
    }
  }

  private took(view: SettingsView): void {
    this.view = view;
  }
}
