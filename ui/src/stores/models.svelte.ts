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
  /** What was cancelled: news of it that comes late is no news. */
  private discarded = new Set<string>();
  private asked: { model: string; contextTokens: number } | null = null;
  /** How many news came so far. */
  private news = 0;

  constructor(
    private backend: Backend,
    private toasts: Toasts,
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
    this.news += 1;
    if (this.discarded.has(state.file)) return;
    const before = this.downloadOf(state.file);
    if (state.step === "done") {
      this.downloads = this.downloads.filter((one) => one.file !== state.file);
      if (before) this.toasts.say(t.engineSettings.downloaded(state.name), "good");
    } else this.downloads = before ? this.downloads.map((one) => (one.file === state.file ? state : one)) : [...this.downloads, state];
  }

  downloadOf(file: string): DownloadState | undefined {
    return this.downloads.find((one) => one.file === file);
  }

  /** Begins the download of a model of the catalogue. */
  start(id: string): Promise<boolean> {
    return this.attempt(t.engineSettings.downloadFailed, async () => {
      this.discarded.delete(await this.backend.startDownload(id));
      await this.loadDownloads();
    });
  }

  /** Begins a download from an address. Returns whether it began; else `addressProblem` says why not. */
  async from(url: string): Promise<boolean> {
    this.addressProblem = "";
    try {
      this.discarded.delete(await this.backend.downloadFrom(url.trim()));
      await this.loadDownloads();
      return true;
    } catch (thrown) {
      this.addressProblem = BackendError.from(thrown).message;
      return false;
    }
  }

  /** Goes on with what came of a download. */
  resume(file: string): Promise<boolean> {
    return this.attempt(t.engineSettings.downloadFailed, async () => {
      await this.backend.resumeDownload(file);
      await this.loadDownloads();
    });
  }

  pause(file: string): Promise<boolean> {
    return this.attempt(t.engineSettings.actionFailed, async () => {
      await this.backend.cancelDownload(file);
      await this.loadDownloads();
    });
  }

  discard(file: string): Promise<boolean> {
    return this.attempt(t.engineSettings.actionFailed, async () => {
      await this.backend.discardDownload(file);
      this.discarded.add(file);
      await this.loadDownloads();
    });
  }

  choose(): Promise<boolean> {
    return this.attempt(t.engineSettings.modelChooseFailed, async () => {
      const model = await this.backend.chooseModelFile();
      if (model) this.toasts.say(t.engineSettings.modelChosen(model.name ?? model.id), "good");
    });
  }

  remove(model: LocalModel): Promise<boolean> {
    return this.attempt(t.engineSettings.modelRemoveFailed, () => this.backend.removeLocalModel(model.id));
  }

  /** Asks again where news came meanwhile: the answer may be older than they are. */
  private async loadDownloads(): Promise<void> {
    for (;;) {
      const { news } = this;
      const downloads = await this.backend.downloads().catch(() => this.downloads);
      if (news !== this.news) continue;
      this.downloads = downloads.filter((one) => one.step !== "done");
      return;
    }
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
