// How Atlas is: what runs, what failed, the database and its backups, what was learned, and what can be done.
import { type Backend, BackendError } from "../backend/backend";
import type { BackupView, DriftView, HealthEventView, HealthQuery, HealthView, LogLine, StoreHealthView } from "../backend/types";
import { moment } from "../text/format";
import { type Condition, engineWords, providerWords, storeWords } from "../text/health";
import { t } from "../text/text";
import { Loaded } from "./loaded.svelte";
import { MemoryList } from "./memory-list.svelte";
import type { Toasts } from "./toasts.svelte";

/** How many days the drift view looks back. */
const DRIFT_DAYS = 30;

export type HealthFilters = Pick<HealthQuery, "source" | "onlyUnhealed">;

/** What is done just now, so that it is not asked for twice. */
type Act = "restart" | "stop" | "check" | "backUp" | "restore" | "diagnostics";

/** Tells the rest of the window. */
export interface HealthListener {
  /** The health was read. */
  read(health: HealthView): void;
  /** The agent is opened anew, on a backup. */
  restored(): Promise<void>;
  copy(text: string): Promise<boolean>;
}

export class Health {
  readonly now: Loaded<HealthView>;
  readonly store: Loaded<StoreHealthView>;
  readonly backups: Loaded<BackupView[]>;
  readonly drift: Loaded<DriftView>;
  readonly log: Loaded<LogLine[]>;
  readonly events: MemoryList<HealthEventView, HealthFilters>;
  acting = $state<Act | null>(null);
  /** The worst of what is known; `null` before anything is. */
  condition = $derived.by((): Condition | null => this.worst());
  private opened = false;

  constructor(
    private backend: Backend,
    private toasts: Toasts,
    private listener: HealthListener,
  ) {
    this.now = new Loaded(async () => {
      const health = await backend.health();
      listener.read(health);
      return health;
    });
    this.store = new Loaded(() => backend.storeHealth());
    this.backups = new Loaded(() => backend.backups());
    this.drift = new Loaded(() => backend.drift(DRIFT_DAYS));
    this.log = new Loaded(() => backend.logs());
    this.events = new MemoryList<HealthEventView, HealthFilters>(
      ({ filters, offset, limit }) => backend.healthEvents({ ...filters, offset, limit }),
      (event) => event.id,
      { source: null, onlyUnhealed: false },
    );
  }

  /** The database is otherwise than before. */
  heard(store: StoreHealthView): void {
    this.store.set(store);
    if (this.opened) void this.backups.load();
  }

  /** The page is open: every part is read, each for itself. */
  async open(): Promise<void> {
    this.opened = true;
    await Promise.all([this.glance(), this.backups.load(), this.drift.load(), this.log.load(), this.events.load()]);
  }

  close(): void {
    this.opened = false;
  }

  /** Reads what the rest of the window shows of it. */
  async glance(): Promise<void> {
    await Promise.all([this.now.load(), this.store.load()]);
  }

  /** Something changed; what is shown is read anew. */
  async refresh(): Promise<void> {
    await (this.opened ? Promise.all([this.glance(), this.backups.load(), this.events.load()]) : this.glance());
  }

  restartEngine(): Promise<void> {
    return this.act("restart", t.health.engineFailed, async () => {
      await this.backend.restartEngine();
      this.toasts.say(t.health.restarted);
    });
  }

  stopEngine(): Promise<void> {
    return this.act("stop", t.health.engineFailed, () => this.backend.stopEngine());
  }

  check(): Promise<void> {
    return this.act("check", t.health.checkFailed, async () => {
      this.store.set(await this.backend.checkStore());
      const well = this.store.value !== null && storeWords(this.store.value).condition === "well";
      this.toasts.say(well ? t.health.checkedNow : t.health.checkedIll, well ? "good" : "bad");
    });
  }

  backUp(): Promise<void> {
    return this.act("backUp", t.health.backUpFailed, async () => {
      await this.backend.backUpNow();
      this.toasts.say(t.health.backedUp, "good");
    });
  }

  /** Goes back to a backup, or on without one; the whole window reads anew what is there then. */
  restore(backup: BackupView | null): Promise<void> {
    return this.act("restore", t.health.restoreFailed, async () => {
      const { message, kept } = await this.backend.restoreBackup(backup?.name ?? null);
      await this.listener.restored();
      const title = backup ? t.health.restored(moment(backup.at)) : t.health.salvaged;
      this.toasts.notice(title, kept === null ? message : `${message} ${t.health.restoredKept(kept)}`);
    });
  }

  copyDiagnostics(): Promise<void> {
    return this.act("diagnostics", t.health.diagnosticsFailed, async () => {
      if (await this.listener.copy(await this.backend.diagnostics())) this.toasts.say(t.health.diagnosticsCopied, "good");
    });
  }

  /** Does one thing at a time, and says why where it failed. */
  private async act(act: Act, failed: string, run: () => Promise<void>): Promise<void> {
    if (this.acting) return;
    this.acting = act;
    try {
      await run();
      await this.refresh();
    } catch (thrown) {
      this.toasts.say(`${failed} ${BackendError.from(thrown).message}`, "bad");
    } finally {
      this.acting = null;
    }
  }

  private worst(): Condition | null {
    const health = this.now.value;
    if (!health) return this.now.error ? "watch" : null;
    const parts: Condition[] = [
      ...health.services.map((service) => engineWords(service.state).condition),
      ...health.providers.map((provider) => providerWords(provider).condition),
      health.online && health.queued === 0 ? "well" : "watch",
      this.store.value ? storeWords(this.store.value).condition : "well",
    ];
    return parts.includes("ill") ? "ill" : parts.includes("watch") ? "watch" : "well";
  }
}
