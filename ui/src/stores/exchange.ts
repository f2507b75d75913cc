// A conversation as a person reads it: what they asked, and what came of it.
import type { FailureView, MemoryChange, Message, MessageId, MessageView } from "../backend/types";
import type { Outcome } from "./turn.svelte";

/** A question and its answer. Either may be missing: the answer while it is awaited, the question in damaged data. */
export interface Exchange {
  key: string;
  asked: MessageView | null;
  answer: MessageView | null;
}

/** Pairs messages, oldest first. An answer belongs to the question right before it. */
export function exchanges(views: readonly MessageView[]): Exchange[] {
  const list: Exchange[] = [];
  for (const view of views) {
    const last = list.at(-1);
    if (view.message.role === "user") list.push({ key: `m${view.message.id}`, asked: view, answer: null });
    else if (last && last.answer === null) last.answer = view;
    else list.push({ key: `m${view.message.id}`, asked: null, answer: view });
  }
  return list;
}

/** A message as it is before anything came of it. */
export function fresh(message: Message): MessageView {
  return { message, used: [], edited: false, changes: [], healing: [], failure: null };
}

/** The messages when a turn for `message` begins: what came of it before is gone. */
export function withStarted(views: readonly MessageView[], message: Message): MessageView[] {
  const at = views.findIndex((view) => view.message.id === message.id);
  if (at < 0) return [...views, fresh(message)];
  const asked = { ...views[at]!, message, healing: [], failure: null };
  const rest = views.slice(at + 1);
  const next = rest.findIndex((view) => view.message.role === "user");
  return [...views.slice(0, at), asked, ...(next < 0 ? [] : rest.slice(next))];
}

/** The messages with new changes of memory beneath one of them; a change that is there already is not doubled. */
export function withChanges(views: readonly MessageView[], message: MessageId, changes: readonly MemoryChange[]): MessageView[] {
  return views.map((view) => {
    if (view.message.id !== message) return view;
    const known = new Set(view.changes.map((change) => change.event));
    return { ...view, changes: [...view.changes, ...changes.filter((change) => !known.has(change.event))] };
  });
}

/** The messages when the turn for `message` has ended. */
export function withOutcome(
  views: readonly MessageView[],
  message: MessageId | null,
  outcome: Outcome,
  turn: Pick<MessageView, "used" | "healing">,
): MessageView[] {
  const failure: FailureView | null = outcome.type === "failed" ? outcome.failure : null;
  const marked = views.map((view) => (view.message.id === message ? { ...view, healing: turn.healing, failure } : view));
  return outcome.message ? [...marked, { ...fresh(outcome.message), used: turn.used }] : marked;
}
