// The built-in model in the fake: its files, downloads that come bit by bit, and the memory that it needs.
import type { Backend } from "../backend";
import type { CatalogueModel, DownloadState, LocalModel, MemoryFit } from "../types";
import type { Answer } from "./fake";
import type { World } from "./world";

type Commands = Pick<
  Backend,
  | "catalogue"
  | "downloads"
  | "startDownload"
  | "downloadFrom"
  | "resumeDownload"
  | "cancelDownload"
  | "discardDownload"
  | "chooseModelFile"
  | "removeLocalModel"
  | "memoryNeed"
>;

const GB = 1_000_000_000;
/** How often a download tells how far it is, and how much came meanwhile. */
const BEAT = 500;
const SPEED = 38_000_000;

export const starter: LocalModel = {
  id: "starter-1.5b-instruct-q4_k_m.gguf",
  bytes: 1_117_320_768,
  name: "Starter 1.5B Instruct",
  architecture: "qwen2",
  quantisation: "Q4_K_M",
  trainedContext: 32_768,
  missing: false,
  external: false,
};

const catalogue: CatalogueModel[] = [
  {
    id: "small",
    name: "Qwen 3 4B Instruct",
    goodFor: "Good answers in many languages on an ordinary laptop.",
    file: "qwen3-4b-instruct-q4_k_m.gguf",
    url: "https://models.example/qwen3-4b-instruct-q4_k_m.gguf",
    bytes: 2.5 * GB,
    sha256: "0".repeat(64),
    licence: "Apache-2.0",
    memory: 3.6 * GB,
  },
  {
    id: "middle",
    name: "Mistral Small 24B",
    goodFor: "Close to the large services; wants a strong computer.",
    file: "mistral-small-24b-q4_k_m.gguf",
    url: "https://models.example/mistral-small-24b-q4_k_m.gguf",
    bytes: 14.3 * GB,
    sha256: "1".repeat(64),
    licence: "Apache-2.0",
    memory: 17 * GB,
  },
];

/** What the server says of a download that does not come to its end. */
const broken = { code: "download_network", message: "The connection broke several times. Go on later: what came is kept.", retryable: true };

export function engineCommands(world: () => World, answer: Answer): Commands {
  function tell(download: DownloadState): void {
    world().emit({ type: "download", state: structuredClone(download) });
  }

  function downloadOf(file: string): DownloadState {
    return world().downloads.find((one) => one.file === file) ?? world().refuse("download_none", "There is no such download any more.");
  }

  /** Lets a download go on until it is whole, breaks off, or is stopped. */
  function run(download: DownloadState): void {
    const total = download.total ?? GB;
    Object.assign(download, { step: "loading", total, problem: null, bytesPerSecond: SPEED });
    tell(download);
    const timer = setInterval(() => {
      if (download.step !== "loading" || !world().downloads.includes(download)) {
        clearInterval(timer);
        return;
      }
      download.bytes = Math.min(total, download.bytes + (SPEED * BEAT) / 1000);
      const whole = download.bytes === total;
      if (world().options.breaksDownloads && download.bytes > total / 3) Object.assign(download, { step: "failed", bytesPerSecond: null, problem: broken });
      else if (whole) Object.assign(download, { step: "done", bytesPerSecond: null });
      tell(download);
      if (whole) {
        world().models.push({ ...starter, id: download.file, bytes: total, name: download.name });
        world().emit({ type: "modelsChanged" });
      }
    }, BEAT);
  }

  function begin(file: string, name: string, total: number | null): string {
    if (world().models.some((one) => one.id === file)) world().refuse("download_already_here", "A model of this name is on this computer already.");
    const download: DownloadState = { file, name, bytes: 0, total, bytesPerSecond: null, step: "loading", problem: null };
    world().downloads = [...world().downloads.filter((one) => one.file !== file), download];
    run(download);
    return file;
  }

  return {
    catalogue: () => answer("catalogue", () => catalogue),
    downloads: () => answer("downloads", () => world().downloads),
    startDownload: (id) =>
      answer("startDownload", () => {
        const model = catalogue.find((one) => one.id === id) ?? world().refuse("download_not_in_catalogue", "Atlas does not know this model any more. Choose another one.");
        return begin(model.file, model.name, model.bytes);
      }),
    downloadFrom: (url) =>
      answer("downloadFrom", () => {
        if (!/^https:\/\/.+\.gguf$/i.test(url)) world().refuse("download_bad_address", "This is not the address of a model file. It begins with https:// and ends with .gguf.");
        const file = url.split("/").at(-1)!;
        return begin(file, file, null);
      }),
    resumeDownload: (file) => answer("resumeDownload", () => run(downloadOf(file))),
    cancelDownload: (file) =>
      answer("cancelDownload", () => {
        const download = downloadOf(file);
        Object.assign(download, { step: "paused", bytesPerSecond: null });
        tell(download);
      }),
    discardDownload: (file) => answer("discardDownload", () => void (world().downloads = world().downloads.filter((one) => one.file !== file))),
    chooseModelFile: () =>
      answer("chooseModelFile", () => {
        const model = { ...starter, id: "my-own-model-q5_k_m.gguf", name: "My own model", bytes: 4.9 * GB, external: true };
        if (!world().models.some((one) => one.id === model.id)) world().models.push(model);
        world().emit({ type: "modelsChanged" });
        return model;
      }),
    removeLocalModel: (id) =>
      answer("removeLocalModel", () => {
        world().models = world().models.filter((one) => one.id !== id);
        world().emit({ type: "modelsChanged" });
      }),
    memoryNeed: (id, contextTokens) =>
      answer("memoryNeed", () => {
        const model = world().models.find((one) => one.id === id)?.bytes ?? 0;
        const context = contextTokens * 57_344;
        const overhead = 0.2 * GB;
        const needed = model + context + overhead;
        const available = 6 * GB;
        const fit: MemoryFit = needed > available ? "tooLarge" : needed > 0.8 * available ? "tight" : "fits";
        return { model, context, overhead, needed, total: 16 * GB, available, fit };
      }),
  };
}
