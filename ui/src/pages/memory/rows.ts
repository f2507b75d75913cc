// What the rows of all kinds of memory can do.
import type { Piece, RowDate } from "../../components/row";
import type { App } from "../../stores/app.svelte";
import { fullDay } from "../../text/format";
import { meant } from "../../text/memory";
import { t } from "../../text/text";

export function copyItem(app: App, text: string) {
  return { label: t.memory.copy, icon: "copy" as const, run: () => void app.copy(text).then((done) => done && app.toasts.say(t.app.copied)) };
}

/** The way to where something was said; none where that is gone. */
export function sourceItems(app: App, label: string, conversation: number | null, message: number | null) {
  if (conversation === null) return [];
  return [{ label, icon: "chat" as const, run: () => app.router.go({ page: "chat", conversation, message }), testid: "row-source" }];
}

/** The day on which something was said, which leads to where it was. */
export function saidPiece(saidAt: string, run: (() => void) | undefined): Piece {
  const text = fullDay(saidAt);
  return { text, ...(run ? { name: t.memory.sourceOf(text), run } : {}), testid: "row-said" };
}

/** The date that words mean; none where they mean none. */
export function rowDate(date: string | null, timeWords: string | null): RowDate | null {
  const found = date === null ? null : meant(date);
  return found && { ...found, title: timeWords === null ? null : t.memory.meantBy(timeWords) };
}
