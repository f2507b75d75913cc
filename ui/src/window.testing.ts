// The whole window on the fake backend, for tests that do what a person does and look at what they then see.
import { flushSync, mount, tick, unmount } from "svelte";
import { afterEach, beforeEach, vi } from "vitest";
import AppView from "./App.svelte";
import { fakeBackend } from "./backend/fake/fake";
import type { FakeOptions } from "./backend/fake/world";
import { App } from "./stores/app.svelte";

/** The app of the test that runs. */
export let app: App;
let view: ReturnType<typeof mount>;

/** Prepares a window for each test of a file, and takes it away again. */
export function useWindow(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    location.hash = "";
    localStorage.clear();
    // happy-dom knows no popovers.
    vi.spyOn(document, "querySelector").mockImplementation(function (this: Document, selector: string) {
      return Document.prototype.querySelector.call(this, selector.replace(", [popover]:popover-open", ""));
    });
  });

  afterEach(async () => {
    await unmount(view);
    document.body.innerHTML = "";
  });
}

export async function begin(options: Partial<FakeOptions> = {}): Promise<void> {
  app = new App(fakeBackend(options));
  view = mount(AppView, { target: document.body, props: { app } });
  await settle();
}

export async function settle(milliseconds = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await tick();
  flushSync();
}

export function find<E extends HTMLElement = HTMLElement>(testid: string, index = 0): E {
  const found = document.querySelectorAll<E>(`[data-testid="${testid}"]`)[index];
  if (!found) throw new Error(`nothing is called ${testid}`);
  return found;
}

export const has = (testid: string) => document.querySelectorAll(`[data-testid="${testid}"]`).length > 0;
export const textOf = (testid: string) => find(testid).textContent?.trim().replace(/\s+/g, " ");

export function type(testid: string, text: string): void {
  const box = find<HTMLTextAreaElement>(testid);
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  flushSync();
}

export function press(target: EventTarget, key: string, more: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  flushSync();
  return event.defaultPrevented;
}
