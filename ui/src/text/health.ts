// Failures, remedies and states in words.
import type { EngineState, HealthOutcome, HealthSource, ProviderHealthView, StoreHealthView } from "../backend/types";
import { day, daysBetween, time } from "./format";
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

/** What the engine does, however the core says it. */
export interface EngineReading {
  state: "stopped" | "starting" | "ready" | "unloaded" | "resting" | "flapping" | "unknown";
  /** Until when it is left alone. */
  until: string | null;
}

/** Reads the engine's state. One that this window does not know yet is unknown, and no error. */
export function engineReading(state: EngineState | null | undefined): EngineReading {
  if (typeof state === "string") {
    const known = ["stopped", "starting", "ready", "unloaded"] as const;
    return { state: known.find((one) => one === state) ?? "unknown", until: null };
  }
  if (state && "flapping" in state) return { state: "flapping", until: state.flapping.until };
  if (state && "resting" in state) return { state: "resting", until: state.resting.until };
  return { state: "unknown", until: null };
}

export function engineWords({ state }: EngineReading): { text: string; condition: Condition } {
  switch (state) {
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
    case "unknown":
      return { text: t.health.engineUnknown, condition: "watch" };
  }
}

/** Whether a service is asked, and why not. One that is left alone heals by itself: it is asked again later. */
export function providerWords(provider: ProviderHealthView): { text: string; condition: Condition } {
  const { breaker, failuresInARow, notBefore } = provider;
  switch (breaker) {
    case "open":
      return { text: notBefore ? t.health.providerOpen(time(notBefore), failuresInARow) : t.health.providerOpenSoon(failuresInARow), condition: "watch" };
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

export function storeWords({ mode }: StoreHealthView): { text: string; condition: Condition } {
  switch (mode) {
    case "readOnly":
      return { text: t.health.modeReadOnly, condition: "ill" };
    case "onBackup":
      return { text: t.health.modeOnBackup, condition: "ill" };
    case "repaired":
      return { text: t.health.modeRepaired, condition: "well" };
    default:
      return { text: t.health.modeNormal, condition: "well" };
  }
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
    locked: t.failed.titleHeld,
  };
  return titles[code] ?? t.failed.title;
}
