// The list of conversations: searched, renamed, deleted.
import type { Backend } from "../backend/backend";
import { BackendError } from "../backend/backend";
import type { Conversation, ConversationId, Learned } from "../backend/types";
import { groupByTime } from "../text/when";

const SEARCH_DELAY = 200;

export class Conversations {
  list = $state.raw<Conversation[]>([]);
  search = $state("");
  status = $state<"loading" | "ready" | "failed">("loading");
  /** What was found for, which trails what is typed. */
  searched = $state("");
  groups = $derived(groupByTime(this.list, new Date()));
  private request = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private backend: Backend) {}

  /** Reads the list. An answer that a newer request has overtaken is dropped. */
  async load(): Promise<void> {
    this.request += 1;
    const request = this.request;
    const search = this.search.trim();
    try {
      const list = await this.backend.conversations(search);
      if (request !== this.request) return;
      this.list = list;
      this.searched = search;
      this.status = "ready";
    } catch {
      if (request === this.request) this.status = "failed";
    }
  }

  /** Searches when the typing pauses. */
  type(search: string): void {
    this.search = search;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), search ? SEARCH_DELAY : 0);
  }

  titleOf(id: ConversationId): string | undefined {
    return this.list.find((conversation) => conversation.id === id)?.title;
  }

  /** Renames; the list shows the new title at once and the old one again if that fails. */
  async rename(id: ConversationId, title: string): Promise<BackendError | null> {
    const before = this.list;
    const shown = title.trim();
    if (shown) this.list = before.map((one) => (one.id === id ? { ...one, title: shown } : one));
    try {
      await this.backend.renameConversation(id, title.trim());
      await this.load();
      return null;
    } catch (thrown) {
      this.list = before;
      return BackendError.from(thrown);
    }
  }

  async delete(id: ConversationId, learned: Learned): Promise<BackendError | null> {
    try {
      await this.backend.deleteConversation(id, learned);
      this.list = this.list.filter((conversation) => conversation.id !== id);
      return null;
    } catch (thrown) {
      return BackendError.from(thrown);
    }
  }
}
