// The part of the contract whose bindings are still to be generated. Each type goes as soon as `bindings/` has it:
// then it is exported from `types.ts` like all the others.
import type { AppEvent as KnownEvent } from "./bindings/AppEvent";
import type { HealthView as KnownHealth } from "./bindings/HealthView";
import type { Procedure as KnownProcedure } from "./bindings/Procedure";
import type { ServiceView as KnownService } from "./bindings/ServiceView";
import type { SettingsView as KnownSettings } from "./bindings/SettingsView";

/** The built-in engine's state. */
export type EngineState =
  | "stopped"
  | "starting"
  | "ready"
  /** It gave its memory back, and starts with the next question. */
  | "unloaded"
  /** It failed, and is started again then. */
  | { resting: { until: string } }
  /** It crashed again and again, and is left alone until then. */
  | { flapping: { until: string } };

/** A model file that the built-in engine can run. */
export type LocalModel = {
  /** The file's name: the model's id. */
  id: string;
  bytes: number;
  /** What the file calls itself. */
  name: string | null;
  /** "qwen2", "llama", … */
  architecture: string | null;
  /** How many tokens it was trained to read at once. */
  trainedContext: number | null;
  /** Whether the file is gone. */
  missing: boolean;
  /** Whether it lies outside Atlas's folder, so that it is only taken off the list. */
  external: boolean;
};

/** A model that can be downloaded. */
export type CatalogueModel = { id: string; name: string; about: string; bytes: number; licence: string; url: string; memoryBytes: number };

/** How far a download is. */
export type DownloadState = {
  id: string;
  name: string;
  state: "waiting" | "running" | "paused" | "checking" | "done" | "failed";
  received: number;
  total: number | null;
  bytesPerSecond: number | null;
  problem: string | null;
};

/** The memory that a model needs, beside what there is. */
export type MemoryNeed = {
  modelBytes: number;
  contextBytes: number;
  neededBytes: number;
  availableBytes: number;
  totalBytes: number;
  fits: "yes" | "tight" | "no";
  message: string;
};

/** A copy of the database. */
export type BackupView = { name: string; at: string; bytes: number; reason: string; verified: boolean };

/** How the database is. */
export type StoreHealthView = {
  mode: "normal" | "readOnly" | "onBackup" | "repaired";
  message: string | null;
  checkedAt: string | null;
  lastBackupAt: string | null;
};

export type Procedure = KnownProcedure & {
  /** The remedy's stable code. */
  remedy: string;
  /** Whether it is not tried any more. */
  retired: boolean;
};

export type ServiceView = Omit<KnownService, "state"> & { state: EngineState };
export type HealthView = Omit<KnownHealth, "services"> & { services: ServiceView[] };
export type SettingsView = Omit<KnownSettings, "localModels"> & { localModels: LocalModel[] };
export type AppEvent =
  | Exclude<KnownEvent, { type: "engine" }>
  | { type: "engine"; state: EngineState }
  | { type: "download"; state: DownloadState };
