// The model files of the built-in engine: those that are here, those that are on their way, and the memory they need.
import { type Backend, BackendError } from "../backend/backend";
import type { CatalogueModel, DownloadState, LocalModel, MemoryNeed } from "../backend/types";
import { t } from "../text/text";
import { Loaded } from "./loaded.svelte";
import type { Toasts } from "./toasts.svelte";

export class Models {
  readonly catalogue: Loaded<CatalogueModel[]>;
  readonly need: Loaded<MemoryNeed | null>;
  downloads = $state.raw<DownloadState[]>([]);
  /** Why the last address was not taken. */
  addressProblem = $state("");
  /** Where the downloads come from that were begun from an address. */
  private addresses = new Map<string, string>();
  private asked: { model: string; contextTokens: number } | null = null;

  constructor(
    private backend: Backend,
    private toasts: Toasts,
    /** The files that are here are others than before. */
    private changed: () => Promise<void>,
  ) {
    this.catalogue = new Loaded(() => backend.catalogue());
    this.need = new Loaded(async () => (this.asked ? backend.memoryNeed(this.asked.model, this.asked.contextTokens) : null));
  }

  /** The settings are open. */
  async open(): Promise<void> {
    // What other programs hold of the memory changes.
    const need = this.asked ? this.need.load() : null;
    await Promise.all([this.catalogue.load(), this.loadDownloads(), need]);
  }

  /** Asks how much memory a model needs with a context; no model needs none. */
  measure(model: string, contextTokens: number): void {
    const same = this.asked?.model === model && this.asked.contextTokens === contextTokens;
    if (same && this.need.value && !this.need.error) return;
    this.asked = model ? { model, contextTokens } : null;
    void this.need.load();
  }

  /** A download is further than before. */
  heard(state: DownloadState): void {
    const known = this.downloads.some((one) => one.id === state.id);
    const before = this.downloads.find((one) => one.id === state.id)?.state;
    this.downloads = known ? this.downloads.map((one) => (one.id === state.id ? state : one)) : [...this.downloads, state];
    if (state.state !== "done" || before === "done") return;
    this.toasts.say(t.engineSettings.downloaded(state.name), "good");
    this.downloads = this.downloads.filter((one) => one.id !== state.id);
    void this.changed();
  }

  downloadOf(id: string): DownloadState | undefined {
    return this.downloads.find((one) => one.id === id);
  }

  /** Begins a download, or goes on with it. */
  start(id: string): Promise<boolean> {
    const address = this.addresses.get(id);
    return this.attempt(t.engineSettings.downloadFailed, async () => {
      await (address === undefined ? this.backend.startDownload(id) : this.backend.downloadFrom(address));
      await this.loadDownloads();
    });
  }

  /** Begins a download from an address. Returns whether it began; else `addressProblem` says why not. */
  async from(url: string): Promise<boolean> {
    this.addressProblem = "";
    const before = new Set(this.downloads.map((one) => one.id));
    try {
      await this.backend.downloadFrom(url.trim());
      await this.loadDownloads();
      for (const { id } of this.downloads) if (!before.has(id)) this.addresses.set(id, url.trim());
      return true;
    } catch (thrown) {
      this.addressProblem = BackendError.from(thrown).message;
      return false;
    }
  }

  pause(id: string): Promise<boolean> {
    return this.attempt(t.engineSettings.actionFailed, async () => {
      await this.backend.cancelDownload(id);
      await this.loadDownloads();
    });
  }

  discard(id: string): Promise<boolean> {
    return this.attempt(t.engineSettings.actionFailed, async () => {
      await this.backend.discardDownload(id);
      await this.loadDownloads();
    });
  }

  choose(): Promise<boolean> {
    return this.attempt(t.engineSettings.modelChooseFailed, async () => {
      const model = await this.backend.chooseModelFile();
      if (!model) return;
      await this.changed();
      this.toasts.say(t.engineSettings.modelChosen(model.name ?? model.id), "good");
    });
  }

  remove(model: LocalModel): Promise<boolean> {
    return this.attempt(t.engineSettings.modelRemoveFailed, async () => {
      await this.backend.removeLocalModel(model.id);
      await this.changed();
    });
  }

  private async loadDownloads(): Promise<void> {
    this.downloads = (await this.backend.downloads().catch(() => this.downloads)).filter((one) => one.state !== "done");
  }

  private async attempt(failed: string, run: () => Promise<void>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (thrown) {
      this.toasts.say(`${failed} ${BackendError.from(thrown).message}`, "bad");
      return false;
    }
  }
}
