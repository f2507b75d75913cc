// What belongs to the window: its theme and its size.
import type { Backend } from "../backend/backend";
import type { Preferences, Theme } from "../backend/types";

const STEP = 0.1;
const LOW = 0.5;
const HIGH = 2;

export class PreferencesStore {
  value = $state.raw<Preferences>({ theme: "system", zoom: 1 });

  constructor(private backend: Backend) {}

  /** Reads them; without them the window follows the system. */
  async load(): Promise<void> {
    this.value = await this.backend.preferences().catch(() => this.value);
    this.show();
  }

  setTheme(theme: Theme): void {
    this.set({ ...this.value, theme });
  }

  larger(): void {
    this.setZoom(this.value.zoom + STEP);
  }

  smaller(): void {
    this.setZoom(this.value.zoom - STEP);
  }

  setZoom(zoom: number): void {
    this.set({ ...this.value, zoom: Math.round(Math.min(HIGH, Math.max(LOW, zoom)) * 10) / 10 });
  }

  private set(value: Preferences): void {
    this.value = value;
    this.show();
    void this.backend.savePreferences(value).catch(() => undefined);
  }

  private show(): void {
    const root = document.documentElement;
    if (this.value.theme === "system") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", this.value.theme);
  }
}
