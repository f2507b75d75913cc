// What the rows of all kinds of memory can do.
import type { App } from "../../stores/app.svelte";
import { t } from "../../text/text";

export function copyItem(app: App, text: string) {
  return { label: t.memory.copy, icon: "copy" as const, run: () => void app.copy(text).then((done) => done && app.toasts.say(t.app.copied)) };
}

/** The way to where something was said; none where that is gone. */
export function sourceItems(app: App, label: string, conversation: number | null, message: number | null) {
  if (conversation === null) return [];
  return [{ label, icon: "chat" as const, run: () => app.router.go({ page: "chat", conversation, message }), testid: "row-source" }];
}
