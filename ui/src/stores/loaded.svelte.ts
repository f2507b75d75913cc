// One thing that a page reads: what came, or why nothing did. Parts of a page that fail alone are told alone.
import { BackendError } from "../backend/backend";
import type { ErrorView } from "../backend/types";

export class Loaded<T> {
  /** What was read last; it stays while it is read anew. */
  value = $state.raw<T | null>(null);
  /** Why the last reading failed. */
  error = $state.raw<ErrorView | null>(null);
  loading = $state(false);
  private request = 0;

  constructor(private read: () => Promise<T>) {}

  /** Reads it. An answer that a newer request has overtaken is dropped. */
  async load(): Promise<void> {
    this.request += 1;
    const request = this.request;
    this.loading = true;
    try {
      const value = await this.read();
      if (request !== this.request) return;
      this.value = value;
      this.error = null;
    } catch (thrown) {
      if (request === this.request) this.error = BackendError.from(thrown).view();
    } finally {
      if (request === this.request) this.loading = false;
    }
  }

  /** Another command said how it is now. */
  set(value: T): void {
    this.request += 1;
    this.value = value;
    this.error = null;
    this.loading = false;
  }
}
