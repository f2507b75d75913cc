// Moments in words.
import type { Conversation } from "../backend/types";
import { day, daysBetween, month } from "./format";
import { t } from "./text";

/** "today", "yesterday", else "on 3 March". */
export function when(iso: string, now = new Date()): string {
  const days = daysBetween(new Date(iso), now);
  if (days === 0) return t.dates.todayIn;
  if (days === 1) return t.dates.yesterdayIn;
  return t.dates.on(day(iso, now));
}

/** Conversations of one stretch of time. */
export interface Group {
  title: string;
  conversations: Conversation[];
}

/** Puts conversations, newest first, under "Today", "Yesterday", "Last week", "Last month" and the months before. */
export function groupByTime(conversations: readonly Conversation[], now: Date): Group[] {
  const groups: Group[] = [];
  for (const conversation of conversations) {
    const title = stretch(conversation.updatedAt, now);
    const last = groups.at(-1);
    if (last?.title === title) last.conversations.push(conversation);
    else groups.push({ title, conversations: [conversation] });
  }
  return groups;
}

function stretch(iso: string, now: Date): string {
  const days = daysBetween(new Date(iso), now);
  if (days <= 0) return t.dates.today;
  if (days === 1) return t.dates.yesterday;
  if (days <= 7) return t.dates.week;
  if (days <= 31) return t.dates.month;
  return month(iso);
}
