// The time, as long as somebody looks at it.
import { createSubscriber } from "svelte/reactivity";

class Clock {
  private watch = createSubscriber((update) => {
    const timer = setInterval(update, 1000);
    return () => clearInterval(timer);
  });

  /** Milliseconds since 1970. Whoever reads it while drawing is drawn again each second. */
  get now(): number {
    this.watch();
    return Date.now();
  }
}

/** The clock of the window. */
export const clock = new Clock();

/** Whole seconds until a moment; never less than none. */
export function secondsUntil(moment: number): number {
  return Math.max(0, Math.ceil((moment - clock.now) / 1000));
}
