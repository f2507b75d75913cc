// The three lists of the memory page: read in pages, searched, ordered, forgotten from.
import { SvelteSet } from "svelte/reactivity";
import { type Backend, BackendError } from "../backend/backend";
import type { ErrorView, Episode, Fact, FactDraft, MemoryChange, MemoryCounts, MemoryOrder, MemoryQuery, Page, Procedure } from "../backend/types";
import type { Toasts } from "./toasts.svelte";
import { t } from "../text/text";

const PAGE = 100;
const MOST = 500;
const SEARCH_DELAY = 200;

interface Source<Row> {
  read(query: MemoryQuery): Promise<Page<Row>>;
  forget(ids: number[]): Promise<MemoryChange[]>;
}

/** One kind of memory. */
export class MemoryList<Row extends { id: number }> {
  rows = $state.raw<Row[]>([]);
  total = $state(0);
  search = $state("");
  /** What the rows were found for. */
  searched = $state("");
  order = $state<MemoryOrder>("newest");
  status = $state<"loading" | "ready" | "failed">("loading");
  error = $state.raw<ErrorView | null>(null);
  loadingMore = $state(false);
  selected = new SvelteSet<number>();
  private request = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private source: Source<Row>) {}

  /** Whether there is more to read. */
  get hasMore(): boolean {
    return this.rows.length < this.total;
  }

  /** Reads from the beginning, as many rows as are shown. The old rows stay until the new ones are there. */
  async load(): Promise<void> {
    this.request += 1;
    const request = this.request;
    const search = this.search.trim();
    const limit = search === this.searched ? Math.min(MOST, Math.max(PAGE, this.rows.length)) : PAGE;
    if (this.status === "failed") this.status = "loading";
    try {
      const page = await this.source.read({ search, order: this.order, offset: 0, limit });
      if (request !== this.request) return;
      this.rows = page.rows;
      this.total = page.total;
      this.searched = search;
      this.status = "ready";
      this.error = null;
      const shown = new Set(page.rows.map((row) => row.id));
      for (const id of [...this.selected]) if (!shown.has(id)) this.selected.delete(id);
    } catch (thrown) {
      if (request !== this.request) return;
      this.error = BackendError.from(thrown).view();
      this.status = "failed";
    }
  }

  /** Reads the next page. */
  async more(): Promise<void> {
    if (this.loadingMore || !this.hasMore || this.status !== "ready") return;
    this.loadingMore = true;
    const request = this.request;
    try {
      const page = await this.source.read({ search: this.searched, order: this.order, offset: this.rows.length, limit: PAGE });
      if (request !== this.request) return;
      const known = new Set(this.rows.map((row) => row.id));
      this.rows = [...this.rows, ...page.rows.filter((row) => !known.has(row.id))];
      this.total = page.rows.length ? page.total : this.rows.length;
    } catch (thrown) {
      this.error = BackendError.from(thrown).view();
    } finally {
      this.loadingMore = false;
    }
  }

  /** Searches when the typing pauses. */
  type(search: string): void {
    this.search = search;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), search ? SEARCH_DELAY : 0);
  }

  arrange(order: MemoryOrder): void {
    this.order = order;
    void this.load();
  }

  /** Hides rows at once, then forgets them; they come back if that fails. */
  async forget(ids: number[]): Promise<MemoryChange[]> {
    const before = { rows: this.rows, total: this.total };
    const gone = new Set(ids);
    this.rows = this.rows.filter((row) => !gone.has(row.id));
    this.total -= before.rows.length - this.rows.length;
    for (const id of ids) this.selected.delete(id);
    try {
      return await this.source.forget(ids);
    } catch (thrown) {
      this.rows = before.rows;
      this.total = before.total;
      throw BackendError.from(thrown);
    }
  }
}

export class Memory {
  counts = $state.raw<MemoryCounts | null>(null);
  facts: MemoryList<Fact>;
  episodes: MemoryList<Episode>;
  procedures: MemoryList<Procedure>;
  private opened = false;

  constructor(
    private backend: Backend,
    private toasts: Toasts,
  ) {
    this.facts = new MemoryList({ read: (query) => backend.facts(query), forget: (ids) => backend.forgetFacts(ids) });
    this.episodes = new MemoryList({ read: (query) => backend.episodes(query), forget: (ids) => backend.forgetEpisodes(ids) });
    this.procedures = new MemoryList({ read: (query) => backend.procedures(query), forget: (ids) => backend.forgetProcedures(ids) });
  }

  /** The page is open: everything on it is read. */
  async open(): Promise<void> {
    this.opened = true;
    await Promise.all([this.count(), this.facts.load(), this.episodes.load(), this.procedures.load()]);
  }

  /** The page is closed: nothing is read until it opens again. */
  close(): void {
    this.opened = false;
  }

  /** Something changed; what is shown is read anew. */
  async refresh(): Promise<void> {
    if (this.opened) await this.open();
  }

  /** Forgets, and offers to take it back. */
  async forget<Row extends { id: number }>(list: MemoryList<Row>, ids: number[], sentence: string | null): Promise<void> {
    try {
      const changes = await list.forget(ids);
      await this.count();
      const text = sentence === null ? t.memory.forgotMany(ids.length) : t.memory.forgotOne(sentence);
      this.toasts.undoable(text, () => void this.undo(changes));
    } catch (thrown) {
      this.toasts.say(`${t.memory.forgetFailed} ${BackendError.from(thrown).message}`, "bad");
    }
  }

  /** Changes a fact. Throws what is wrong with the new one. */
  async edit(fact: Fact, draft: FactDraft): Promise<void> {
    const change = await this.backend.editFact(fact.id, draft);
    await this.facts.load();
    this.toasts.undoable(t.memory.edited(change.sentence), () => void this.undo([change]));
  }

  history(fact: Fact): Promise<Fact[]> {
    return this.backend.factHistory(fact.id);
  }

  private async undo(changes: MemoryChange[]): Promise<void> {
    try {
      await this.backend.undo(changes.map((change) => change.event));
      await this.refresh();
      this.toasts.say(t.memory.restored, "good");
    } catch (thrown) {
      this.toasts.say(`${t.chat.undoFailed} ${BackendError.from(thrown).message}`, "bad");
    }
  }

  private async count(): Promise<void> {
    this.counts = await this.backend.memoryCounts().catch(() => this.counts);
  }
}
