// The settings: what is in force, and the connection that is edited.
import { type Backend, BackendError } from "../backend/backend";
import type { Endpoint, ErrorView, Found, ModelChoice, PresetView, Settings, SettingsView } from "../backend/types";
import { ConnectionDraft } from "./connection.svelte";

export class SettingsStore {
  view = $state.raw<SettingsView | null>(null);
  error = $state.raw<ErrorView | null>(null);
  /** Who answers, as it is edited. */
  readonly connection: ConnectionDraft;
  /** Why the last change was not saved. */
  refused = $state.raw<ErrorView | null>(null);
  dirty = $derived.by(() => {
    const settings = this.view?.settings;
    if (!settings) return false;
    return this.connection.differs(settings.endpoint ? { endpoint: settings.endpoint, model: settings.model } : null);
  });

  constructor(private backend: Backend) {
    this.connection = this.another();
  }

  /** Another connection to edit, apart from the one in force. */
  another(): ConnectionDraft {
    return new ConnectionDraft(
      this.backend,
      () => this.view,
      () => this.load(),
    );
  }

  /** A connection to mend what failed: its key, or its model. `null`: what is in force. */
  mending(failed: ModelChoice | null): ConnectionDraft {
    const draft = this.another();
    const settings = this.view?.settings;
    if (failed) draft.begin(failed);
    else if (settings?.endpoint) draft.begin({ endpoint: settings.endpoint, model: settings.model });
    return draft;
  }

  /** Whether a model was chosen, ever. */
  get isSetUp(): boolean {
    return this.view?.settings.endpoint != null;
  }

  /** Whether what answers runs on this computer, so that no network is needed. */
  get isLocal(): boolean {
    const endpoint = this.view?.settings.endpoint;
    return endpoint?.preset === "builtIn" || /^https?:\/\/(localhost|127(\.\d+){3}|\[::1\])(?=[:/]|$)/i.test(endpoint?.baseUrl ?? "");
  }

  preset(preset: PresetView["preset"]): PresetView | undefined {
    return this.connection.preset(preset);
  }

  /** "claude-haiku-4.5 · OpenRouter" */
  get modelName(): string | null {
    const settings = this.view?.settings;
    return settings?.endpoint ? this.nameOf({ endpoint: settings.endpoint, model: settings.model }) : null;
  }

  nameOf({ endpoint, model }: ModelChoice): string {
    return `${model.split("/").at(-1) || "–"} · ${this.preset(endpoint.preset)?.name ?? endpoint.preset}`;
  }

  async load(): Promise<void> {
    try {
      this.view = await this.backend.settings();
      this.error = null;
    } catch (thrown) {
      this.error = BackendError.from(thrown).view();
    }
  }

  /** The page is open: the form shows what is in force, and the list of models is asked for. */
  async edit(): Promise<void> {
    await this.load();
    if (!this.connection.draft || !this.dirty) this.discard();
  }

  /** The form shows what is in force again. */
  discard(): void {
    if (!this.view) return;
    this.refused = null;
    const { endpoint, model } = this.view.settings;
    if (endpoint) this.connection.begin({ endpoint, model });
    else this.connection.choose(this.connection.presets[0]?.preset ?? "custom");
  }

  /** Puts the form's connection in force. */
  async save(): Promise<boolean> {
    const draft = this.connection.draft;
    return draft ? this.take(draft.endpoint, draft.model) : false;
  }

  /** Puts another model in force, and leaves the form alone unless it said the same as before. */
  async take(endpoint: Endpoint, model: string): Promise<boolean> {
    const settings = this.view?.settings;
    if (!settings) return false;
    const untouched = !this.dirty;
    const taken = await this.put({ ...settings, endpoint, model: model.trim() });
    if (taken && untouched) this.discard();
    return taken;
  }

  /** Puts another model in the place of the one that failed: of the first service, of its second model or of the second service. */
  async replace(failed: ModelChoice | null, { endpoint, model }: ModelChoice): Promise<boolean> {
    const settings = this.view?.settings;
    const is = (one: Endpoint | null | undefined) => one?.preset === failed?.endpoint.preset && one?.baseUrl === failed?.endpoint.baseUrl;
    if (!settings || !failed || (is(settings.endpoint) && settings.model === failed.model)) return this.take(endpoint, model);
    if (settings.fallback && is(settings.fallback.endpoint) && settings.fallback.model === failed.model) return this.patch({ fallback: { endpoint, model: model.trim() } });
    if (is(settings.endpoint) && settings.fallbackModel === failed.model) return this.patch({ fallbackModel: model.trim() });
    return this.take(endpoint, model);
  }

  /** Puts one of the other settings in force, at once. */
  async patch(change: Partial<Omit<Settings, "endpoint" | "model">>): Promise<boolean> {
    const settings = this.view?.settings;
    return settings ? this.put({ ...settings, ...change }) : false;
  }

  /** Tries how the chosen model can be asked for memories. Throws why that failed. */
  async tryWriting(): Promise<void> {
    await this.backend.tryMemoryWriting();
    await this.load();
  }

  discover(): Promise<Found[]> {
    return this.backend.discover();
  }

  /** Takes up what was found at the first run. */
  use(found: Found): Promise<boolean> {
    return this.take(found.endpoint, found.model);
  }

  private async put(settings: Settings): Promise<boolean> {
    try {
      this.view = await this.backend.saveSettings(settings);
      this.refused = null;
      return true;
    } catch (thrown) {
      this.refused = BackendError.from(thrown).view();
      return false;
    }
  }
}
