// Dates, numbers and plurals, as the person's language has them.

const DAY = 86_400_000;

/** The person's own English where they have one, so that dates fit the words around them. */
const language = globalThis.navigator?.language?.startsWith("en") ? navigator.language : "en-GB";

/** "1 fact", "214 facts", "1,204 facts". English rules; a language with other plurals brings its own. */
export function plural(count: number, one: string, other: string): string {
  return `${number(count)} ${count === 1 ? one : other}`;
}

export function number(value: number): string {
  return new Intl.NumberFormat(language).format(value);
}

/** "3.4"; with `digits`, always so many after the point, so that numbers in a column compare. */
export function decimal(value: number, digits?: number): string {
  const format = digits === undefined ? { maximumFractionDigits: Math.abs(value) < 10 ? 1 : 0 } : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, format).format(value);
}

/** "84%" */
export function percent(share: number): string {
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

/** "$0.0011": US dollars, with as many digits as a small sum needs. */
export function dollars(sum: number): string {
  const digits = sum !== 0 && sum < 0.1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 };
  return new Intl.NumberFormat(language, { style: "currency", currency: "USD", ...digits }).format(sum);
}

/** "200K" */
export function compact(value: number): string {
  return new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** "1.1 GB" */
export function bytes(size: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  const power = size < 1 ? 0 : Math.min(3, Math.floor(Math.log10(size) / 3));
  const format = { style: "unit", unit: units[power], unitDisplay: "short", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, format).format(size / 1000 ** power);
}

/** "7 s", "2 min", "1 h 5 min": a stretch of time as short as it may be said. */
export function duration(seconds: number): string {
  const whole = Math.max(0, seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds));
  if (whole < 60) return `${decimal(whole)} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest ? `${Math.floor(minutes / 60)} h ${rest} min` : `${minutes / 60} h`;
}

/** "3 March", and with the year where it is another one. */
export function day(iso: string, now = new Date()): string {
  const date = new Date(iso);
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return new Intl.DateTimeFormat(language, { day: "numeric", month: "long", year }).format(date);
}

/** "3 March 2026" */
export function fullDay(iso: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(new Date(iso));
}

/** "15:40" */
export function time(iso: string): string {
  return new Intl.DateTimeFormat(language, { timeStyle: "short" }).format(new Date(iso));
}

/** The whole moment: for titles of times. */
export function moment(iso: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" }).format(new Date(iso));
}

/** "30/11/2026, 15:40:07": a moment to the second, as short as it may be. */
export function stamp(iso: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" }).format(new Date(iso));
}

export function month(iso: string): string {
  return new Intl.DateTimeFormat(language, { month: "long", year: "numeric" }).format(new Date(iso));
}

/** How many midnights lie between two moments, where the person is. */
export function daysBetween(earlier: Date, later: Date): number {
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  return Math.round((midnight(later) - midnight(earlier)) / DAY);
}
