// Whether the network is there, as the browser and the core have it, and how many messages wait for it.
import type { Backend } from "../backend/backend";
import type { HealthView } from "../backend/types";

export class Network {
  /** Whether the system has a connection. */
  private connected = $state(navigator.onLine !== false);
  /** Whether the core reaches anything over it. */
  private reached = $state(true);
  /** How many messages wait. */
  queued = $state(0);
  offline = $derived(!this.connected || !this.reached);

  constructor(private backend: Backend) {}

  /** Follows the system until the returned function is called, and tells the core. */
  watch(): () => void {
    const changed = (connected: boolean) => () => {
      this.connected = connected;
      // What the core found out before is no longer true.
      if (connected) this.reached = true;
      this.tell();
    };
    const [online, offline] = [changed(true), changed(false)];
    addEventListener("online", online);
    addEventListener("offline", offline);
    return () => {
      removeEventListener("online", online);
      removeEventListener("offline", offline);
    };
  }

  /** Tells the core how the system has it. */
  tell(): void {
    void this.backend.networkChanged(this.connected).catch(() => undefined);
  }

  /** The core says whether the network is there. */
  heard(online: boolean): void {
    this.reached = online;
  }

  /** The health of Atlas was read. */
  took(health: HealthView): void {
    this.reached = health.online;
    this.queued = health.queued;
  }
}
