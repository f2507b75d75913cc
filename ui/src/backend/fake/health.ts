// Health in the fake: what runs, what failed, what was learned, the database and its backups.
import type { Backend } from "../backend";
import type { BackupView, HealthQuery, Procedure } from "../types";
import type { Answer } from "./fake";
import type { World } from "./world";

type Commands = Pick<
  Backend,
  | "health"
  | "healthEvents"
  | "drift"
  | "logs"
  | "diagnostics"
  | "editLesson"
  | "retireProcedure"
  | "storeHealth"
  | "checkStore"
  | "backups"
  | "backUpNow"
  | "restoreBackup"
  | "restartEngine"
  | "stopEngine"
>;

/** How long the fake's engine takes to be ready. */
const WARM_UP = 1500;

export function healthCommands(world: () => World, answer: Answer): Commands {
  function procedureOf(id: number): Procedure {
    return world().procedures.find((one) => one.id === id) ?? world().refuse("not_found", "This does not exist any more.");
  }

  function backupOf(name: string): BackupView {
    return world().backups.find((one) => one.name === name) ?? world().refuse("not_found", "This backup does not exist any more.");
  }

  return {
    health: () =>
      answer("health", () => ({ online: world().online, queued: world().queue.length, services: [world().service], providers: world().providers })),
    healthEvents: (query: HealthQuery) =>
      answer("healthEvents", () => {
        const passes = world().troubles.filter((one) => (query.source === null || one.source === query.source) && (!query.onlyUnhealed || one.outcome !== "worked"));
        return { rows: passes.slice(query.offset, query.offset + query.limit), total: passes.length };
      }),
    drift: (days) => answer("drift", () => ({ days: world().driftDays.slice(-days), latest: world().strayed })),
    logs: () => answer("logs", () => world().log),
    diagnostics: () =>
      answer("diagnostics", () => `Atlas 0.1.0\ndatabase: ${world().store.mode}\nengine: ${world().service.state.type}\nfailures kept: ${world().troubles.length}`),
    editLesson: (id, lesson) => answer("editLesson", () => void Object.assign(procedureOf(id), { lesson, lessonBy: lesson === null ? null : "person" })),
    retireProcedure: (id, retired) => answer("retireProcedure", () => void (procedureOf(id).retired = retired)),

    storeHealth: () => answer("storeHealth", () => world().store),
    checkStore: () =>
      answer("checkStore", () => {
        world().store.checkedAt = world().now();
        return world().store;
      }),
    backups: () => answer("backups", () => world().backups),
    backUpNow: () =>
      answer("backUpNow", () => {
        const at = world().now();
        const backup = { name: `atlas-${at.replaceAll(":", "-")}.db`, at, bytes: 3_152_000, reason: "Made by you", verified: true };
        world().backups.unshift(backup);
        world().store.lastBackupAt = at;
        return backup;
      }),
    restoreBackup: (name) =>
      answer("restoreBackup", () => {
        if (name !== null) backupOf(name);
        const damaged = world().options.startup.type === "failed" || world().store.mode === "damaged" || world().store.mode === "onBackup";
        const at = world().now();
        if (!damaged) world().backups.unshift({ name: `atlas-before-${at.replaceAll(":", "-")}.db`, at, bytes: 3_160_000, reason: "Made before another backup was restored", verified: true });
        world().options.startup = { type: "ready" };
        world().store = { mode: "normal", problem: null, backup: null, backupAt: null, checkedAt: at, lastBackupAt: at };
        if (!damaged) return { message: "The backup is in place. The state before it was kept as a backup of its own.", salvaged: 0, fromBackup: 0, kept: null };
        const message = "The database is whole again. 12 newer or changed entries were saved from the damaged file; 3 that lay on its damaged parts are as the backup has them.";
        return { message, salvaged: 12, fromBackup: 3, kept: "damaged-2026-11-30.db" };
      }),

    restartEngine: () =>
      answer("restartEngine", () => {
        world().engineIs({ type: "starting" });
        setTimeout(() => world().engineIs({ type: "ready" }), WARM_UP);
      }),
    stopEngine: () => answer("stopEngine", () => world().engineIs({ type: "stopped" })),
  };
}
