// A connection as it is edited: the service, its address, its key, its models, its test. Nothing of it counts before
// whoever owns it saves it; only the key is kept at once.
import { type Backend, BackendError } from "../backend/backend";
import type { ConnectionTest, Endpoint, KeepKey, KeyStatus, ModelInfo, Preset, PresetView, SettingsView } from "../backend/types";

/** Where requests would go, as the form has it. */
export interface Connection {
  endpoint: Endpoint;
  model: string;
}

export type ModelList = { type: "loading" } | { type: "ready"; models: ModelInfo[] } | { type: "failed"; reason: string };

const ADDRESS_DELAY = 500;

export class ConnectionDraft {
  draft = $state.raw<Connection | null>(null);
  key = $state.raw<KeyStatus>({ type: "notNeeded" });
  models = $state.raw<ModelList>({ type: "loading" });
  test = $state.raw<ConnectionTest | null>(null);
  testing = $state(false);
  private request = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private backend: Backend,
    /** The settings as they were read last. */
    private known: () => SettingsView | null,
    /** A key was kept or removed. */
    private keysChanged: () => Promise<void>,
  ) {}

  get presets(): readonly PresetView[] {
    return this.known()?.presets ?? [];
  }

  get localModels(): SettingsView["localModels"] {
    return this.known()?.localModels ?? [];
  }

  preset(preset: Preset): PresetView | undefined {
    return this.presets.find((one) => one.preset === preset);
  }

  /** Whether the form says something else than this. */
  differs(from: Connection | null): boolean {
    if (!this.draft) return false;
    const { endpoint, model } = this.draft;
    return endpoint.preset !== from?.endpoint.preset || endpoint.baseUrl !== from.endpoint.baseUrl || model.trim() !== from.model;
  }

  /** Whether it names all that a request needs. */
  get complete(): boolean {
    return Boolean(this.draft?.model.trim() && (this.draft.endpoint.preset === "builtIn" || this.draft.endpoint.baseUrl.trim()));
  }

  /** The form shows this connection, and asks for its key and its models. */
  begin({ endpoint, model }: Connection): void {
    this.change({ endpoint, model }, 0);
  }

  /** Another service in the form. */
  choose(preset: Preset): void {
    const known = this.preset(preset);
    const model = preset === "builtIn" ? (this.localModels[0]?.id ?? "") : (known?.defaultModel ?? "");
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
      this.test = { type: "fails", failure: { code, message, next: "openSettings", alternative: null, service: null, queued: false } };
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
    await this.keysChanged();
  }

  /** Keeps the key that the environment brought; throws why it could not be kept. */
  async keepEnvironmentKey(): Promise<void> {
    if (!this.draft) return;
    this.key = await this.backend.keepEnvironmentKey(this.draft.endpoint);
    await this.keysChanged();
  }

  async deleteKey(): Promise<void> {
    if (!this.draft) return;
    this.key = await this.backend.deleteKey(this.draft.endpoint);
    this.test = null;
    await this.keysChanged();
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

  private change(draft: Connection, delay: number): void {
    this.draft = draft;
    this.test = null;
    this.models = { type: "loading" };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      void this.loadKey();
      void this.loadModels();
    }, delay);
  }
}
