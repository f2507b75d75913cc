// Failures, remedies and states in words.
import type { ConductSample, EngineState, FailureView, HealingNote, HealthOutcome, HealthSource, ProviderHealthView, StoreHealthView } from "../backend/types";
import { day, daysBetween, moment, percent, time } from "./format";
import { capital } from "./memory";
import { t } from "./text";
import { when } from "./when";

/** How well something is: the colour of a dot, and never that alone. */
export type Condition = "well" | "watch" | "ill";

/** What failed. A code with a suffix ("network_dns", "store_full") that has no words of its own is told by its family. */
export function failureName(code: string): string {
  const names: Readonly<Record<string, string>> = t.failures;
  for (let family = code; family; family = family.slice(0, Math.max(0, family.lastIndexOf("_")))) {
    const name = names[family];
    if (name) return name;
  }
  return t.failures.other;
}

/** What was done; empty for a remedy that has no words. */
export function remedyName(code: string): string {
  return (t.remedies as Readonly<Record<string, string>>)[code] ?? "";
}

export function engineWords(state: EngineState): { text: string; condition: Condition } {
  switch (state.type) {
    case "stopped":
      return { text: t.health.engineStopped, condition: "well" };
    case "starting":
      return { text: t.health.engineStarting, condition: "watch" };
    case "ready":
      return { text: t.health.engineReady, condition: "well" };
    case "unloaded":
      return { text: t.health.engineUnloaded, condition: "well" };
    case "resting":
      return { text: t.health.engineResting, condition: "watch" };
    case "flapping":
      return { text: t.health.engineFlapping, condition: "ill" };
  }
}

/** Whether a service is asked, and why not. One that is left alone heals by itself: it is asked again later. */
export function providerWords(provider: ProviderHealthView): { text: string; condition: Condition } {
  const { breaker, failuresInARow } = provider;
  switch (breaker) {
    case "open":
      return { text: t.health.providerOpen(failuresInARow), condition: "watch" };
    case "halfOpen":
      return { text: t.health.providerHalfOpen, condition: "watch" };
    case "closed":
      if (failuresInARow > 0) return { text: t.health.providerFailing(failuresInARow), condition: "watch" };
      return { text: provider.lastSuccessAt ? t.health.providerWell : t.health.providerUnasked, condition: "well" };
  }
}

/** When a service last answered, and what last went wrong. */
export function providerLine(provider: ProviderHealthView, now = new Date()): string {
  const parts = [provider.lastSuccessAt ? t.health.lastAnswer(moments(provider.lastSuccessAt, now)) : t.health.neverAnswered];
  if (provider.lastFailure && provider.lastFailureAt) {
    const name = failureName(provider.lastFailure);
    parts.push(t.health.lastFailure(name.charAt(0).toLowerCase() + name.slice(1), moments(provider.lastFailureAt, now)));
  }
  return capital(parts.join(" · "));
}

/** "today, 15:40" */
export function moments(iso: string, now = new Date()): string {
  return `${when(iso, now)}, ${time(iso)}`;
}

/** "Today, 15:40", else "28 November, 15:40". */
export function dated(iso: string, now = new Date()): string {
  const days = daysBetween(new Date(iso), now);
  const name = days === 0 ? t.dates.today : days === 1 ? t.dates.yesterday : day(iso, now);
  return `${name}, ${time(iso)}`;
}

export function storeWords({ mode, problem }: StoreHealthView): { text: string; condition: Condition } {
  switch (mode) {
    case "normal":
      // The database itself is in order: what is told then is that it could not be backed up.
      return problem ? { text: t.health.modeUnsaved, condition: "watch" } : { text: t.health.modeNormal, condition: "well" };
    case "repaired":
      return { text: t.health.modeRepaired, condition: "well" };
    case "checking":
      return { text: t.health.modeChecking, condition: "watch" };
    case "unwritable":
      return { text: t.health.modeUnwritable, condition: "ill" };
    case "damaged":
      return { text: t.health.modeDamaged, condition: "ill" };
    case "onBackup":
      return { text: t.health.modeOnBackup, condition: "ill" };
  }
}

/** What is wrong with the database, and of when the backup is that stands in its place: in the person's own time. */
export function storeProblem({ problem, backupAt }: StoreHealthView): string {
  return [problem, backupAt && t.health.backupOf(moment(backupAt))].filter(Boolean).join(" ");
}

/** Whether something new is kept. */
export function isKept({ mode }: StoreHealthView): boolean {
  return mode === "normal" || mode === "repaired";
}

/** Whether a backup is put in the place of a damaged database, so that what is newer is saved from that. */
export function isDamaged({ mode }: StoreHealthView): boolean {
  return mode === "damaged" || mode === "onBackup";
}

/** How an answer strayed. */
export function strayWords({ violations, onRole }: ConductSample): string {
  if (violations.length) return violations.map((kind) => t.violations[kind]).join(" · ");
  return onRole === null ? t.health.driftLeft : `${t.health.driftLeft} (${percent(onRole)})`;
}

/** What became of a turn that had to be healed; `now` while it goes on. */
export type Healing = "now" | "healed" | "tried";

/** A line of healing: what is being done, and what was done once that is over, whatever came of it. */
export function healingWords({ line, past }: HealingNote, healing: Healing): string {
  return healing === "now" ? line : past || line;
}

/** What the button of a failure says. A model that is not here is to be had in the settings. */
export function stepWords({ code, next }: FailureView): string {
  return code === "engine_missing" ? t.chat.getModel : t.next[next];
}

export const sourceNames: Record<HealthSource, string> = {
  turn: t.health.sourceTurn,
  background: t.health.sourceBackground,
  engine: t.health.sourceEngine,
  store: t.health.sourceStore,
  conduct: t.health.sourceConduct,
};

export const outcomeNames: Record<HealthOutcome, string> = { worked: t.health.worked, failed: t.health.failed, told: t.health.told };

/** The title of the page that says why Atlas did not open. */
export function failedTitle(code: string): string {
  const titles: Readonly<Record<string, string>> = {
    store_corrupt: t.failed.titleDamaged,
    store_full: t.failed.titleFull,
    store_read_only: t.failed.titleReadOnly,
    store_newer: t.failed.titleNewer,
    store_held: t.failed.titleHeld,
  };
  return titles[code] ?? t.failed.title;
}
