// Short notices at the foot of the window, and the time in which something can be taken back.

/** How a notice looks. */
export type Tone = "plain" | "good" | "bad";

export interface Toast {
  id: number;
  text: string;
  /** What it is about, in a few words, where that is told apart. */
  title?: string;
  tone: Tone;
  /** What its button does, if it has one. */
  undo: (() => void) | null;
  /** Whole seconds until it goes; endless where somebody has to take it away. */
  seconds: number;
}

/** How long something can be taken back. The core waits ten seconds before it purges: the button goes before it is too late. */
export const UNDO_SECONDS = 9;

/** How many notices are shown at once. */
const MOST = 3;

/** From how many characters on a notice stays twice as long. */
const LONG = 80;

export class Toasts {
  list = $state<Toast[]>([]);
  private last = 0;
  private timer: ReturnType<typeof setInterval> | null = null;

  /** Says something for as long as it takes to read. */
  say(text: string, tone: Tone = "plain"): number {
    return this.add({ text, tone, undo: null, seconds: tone === "bad" ? 10 : text.length > LONG ? 8 : 4 });
  }

  /** Says something that nobody shall miss: it stays until it is taken away. */
  notice(title: string, text: string): number {
    // The same thing again is no news.
    const known = this.list.find((toast) => toast.title === title && toast.text === text);
    return known ? known.id : this.add({ title, text, tone: "plain", undo: null, seconds: Infinity });
  }

  /** Says that something was done, with a button that takes it back while the time runs. */
  undoable(text: string, undo: () => void): number {
    return this.add({ text, tone: "plain", undo, seconds: UNDO_SECONDS });
  }

  /** Takes back what a notice told of, at most once. */
  undo(id: number): void {
    const undo = this.list.find((toast) => toast.id === id)?.undo;
    this.dismiss(id);
    undo?.();
  }

  /** Takes back what the newest notice told of. Returns whether there was something. */
  undoLast(): boolean {
    const toast = this.list.findLast((one) => one.undo !== null);
    if (toast) this.undo(toast.id);
    return toast !== undefined;
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
    this.rest();
  }

  private add(toast: Omit<Toast, "id">): number {
    this.last += 1;
    const list = [...this.list, { ...toast, id: this.last }];
    // Where there are too many, the oldest one that would go by itself makes room.
    const goes = list.length > MOST ? list.find((one) => one.seconds !== Infinity) ?? list[0] : undefined;
    this.list = list.filter((one) => one !== goes);
    if (toast.seconds !== Infinity) this.timer ??= setInterval(() => this.tick(), 1000);
    return this.last;
  }

  private tick(): void {
    this.list = this.list.map((toast) => ({ ...toast, seconds: toast.seconds - 1 })).filter((toast) => toast.seconds > 0);
    this.rest();
  }

  private rest(): void {
    if (this.timer === null || this.list.some((toast) => toast.seconds !== Infinity)) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}
