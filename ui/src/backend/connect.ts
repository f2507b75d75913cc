// Chooses the backend: the shell's where there is a shell, else the fake (which a production build does not contain).
import { isTauri } from "@tauri-apps/api/core";
import { type Backend, BackendError } from "./backend";
import { tauriBackend } from "./tauri";

/** The backend of this window. */
export async function connect(): Promise<Backend> {
  if (isTauri()) return tauriBackend();
  if (import.meta.env.MODE !== "production") {
    const { demoBackend } = await import("./fake/demo");
    return demoBackend(new URLSearchParams(location.search));
  }
  throw new BackendError({ code: "shell", message: "This page works inside the Atlas app only.", retryable: false });
}
