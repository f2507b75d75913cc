// The built-in model in the fake: its files, downloads that come bit by bit, and the memory that it needs.
import type { Backend } from "../backend";
import type { CatalogueModel, DownloadState, LocalModel } from "../types";
import type { Answer } from "./fake";
import type { World } from "./world";

type Commands = Pick<
  Backend,
  | "catalogue"
  | "downloads"
  | "startDownload"
  | "downloadFrom"
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
  trainedContext: 32_768,
  missing: false,
  external: false,
};

const catalogue: CatalogueModel[] = [
  {
    id: "small",
    name: "Qwen 3 4B Instruct",
    about: "Good answers in many languages on an ordinary laptop.",
    bytes: 2.5 * GB,
    licence: "Apache-2.0",
    url: "https://models.example/qwen3-4b-instruct-q4_k_m.gguf",
    memoryBytes: 3.6 * GB,
  },
  {
    id: "middle",
    name: "Mistral Small 24B",
    about: "Close to the large services; wants a strong computer.",
    bytes: 14.3 * GB,
    licence: "Apache-2.0",
    url: "https://models.example/mistral-small-24b-q4_k_m.gguf",
    memoryBytes: 17 * GB,
  },
];

export function engineCommands(world: () => World, answer: Answer): Commands {
  function tell(download: DownloadState): void {
    world().emit({ type: "download", state: structuredClone(download) });
  }

  /** Lets a download go on until it is whole, breaks off, or is stopped. */
  function run(download: DownloadState, bytes: number): void {
    Object.assign(download, { state: "running", total: bytes, problem: null, bytesPerSecond: SPEED });
    tell(download);
    const timer = setInterval(() => {
      if (download.state !== "running" || !world().downloads.includes(download)) {
        clearInterval(timer);
        return;
      }
      download.received = Math.min(bytes, download.received + (SPEED * BEAT) / 1000);
      if (world().options.breaksDownloads && download.received > bytes / 3) {
        Object.assign(download, { state: "failed", bytesPerSecond: null, problem: "The connection broke off. What came is kept; try again to go on from there." });
      } else if (download.received === bytes) {
        Object.assign(download, { state: "done", bytesPerSecond: null });
        world().models.push({ ...starter, id: catalogue.find((one) => one.id === download.id)?.url.split("/").at(-1) ?? download.id, bytes, name: download.name });
      }
      tell(download);
    }, BEAT);
  }

  function begin(id: string, name: string, bytes: number): void {
    let download = world().downloads.find((one) => one.id === id);
    if (!download) {
      download = { id, name, state: "waiting", received: 0, total: null, bytesPerSecond: null, problem: null };
      world().downloads.push(download);
    }
    run(download, bytes);
  }

  return {
    catalogue: () => answer("catalogue", () => catalogue),
    downloads: () => answer("downloads", () => world().downloads),
    startDownload: (id) =>
      answer("startDownload", () => {
        const model = catalogue.find((one) => one.id === id);
        begin(id, model?.name ?? id, model?.bytes ?? GB);
      }),
    downloadFrom: (url) =>
      answer("downloadFrom", () => {
        if (!/^https?:\/\/.+\.gguf$/i.test(url.trim())) world().refuse("invalid", "This is no address of a model file: it should begin with https:// and end in .gguf.");
        const name = url.trim().split("/").at(-1)!;
        begin(name, name, GB);
      }),
    cancelDownload: (id) =>
      answer("cancelDownload", () => {
        const download = world().downloads.find((one) => one.id === id);
        if (!download) return;
        Object.assign(download, { state: "paused", bytesPerSecond: null });
        tell(download);
      }),
    discardDownload: (id) => answer("discardDownload", () => void (world().downloads = world().downloads.filter((one) => one.id !== id))),
    chooseModelFile: () =>
      answer("chooseModelFile", () => {
        const model = { ...starter, id: "my-own-model-q5_k_m.gguf", name: "My own model", bytes: 4.9 * GB, external: true };
        if (!world().models.some((one) => one.id === model.id)) world().models.push(model);
        return model;
      }),
    removeLocalModel: (id) => answer("removeLocalModel", () => void (world().models = world().models.filter((one) => one.id !== id))),
    memoryNeed: (model, contextTokens) =>
      answer("memoryNeed", () => {
        const modelBytes = world().models.find((one) => one.id === model)?.bytes ?? 0;
        const contextBytes = contextTokens * 57_344;
        const neededBytes = modelBytes + contextBytes + 0.2 * GB;
        const availableBytes = 6 * GB;
        const fits = neededBytes > availableBytes ? "no" : neededBytes > 0.8 * availableBytes ? "tight" : "yes";
        const message = { yes: "It fits.", tight: "It fits, with little to spare.", no: "It does not fit: the system would end it. Choose a smaller model or context." }[fits];
        return { modelBytes, contextBytes, neededBytes, availableBytes, totalBytes: 16 * GB, fits, message };
      }),
  };
}
