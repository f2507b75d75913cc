// One list of memories: as long as it may be, read only where it is looked at.
import { SvelteSet } from "svelte/reactivity";
import { BackendError } from "../backend/backend";
import type { ErrorView, MemoryFilters, MemoryOrder, MemoryQuery, Page } from "../backend/types";

/** How many rows are read at once. */
export const PAGE = 100;
/** How many rows the core hands over at most. */
const MOST = 500;
const SEARCH_DELAY = 200;

/** What a list is read with. */
type Query<Filters> = Omit<MemoryQuery, "filters"> & { filters: Filters };

export class MemoryList<Row, Filters extends object = MemoryFilters> {
  /** As many places as there are rows; a place is empty until its row was read. */
  rows = $state.raw<(Row | undefined)[]>([]);
  search = $state("");
  /** What the rows were found for. */
  searched = $state("");
  order = $state<MemoryOrder>("newest");
  filters: Filters;
  filtered: boolean;
  status = $state<"loading" | "ready" | "failed">("loading");
  error = $state.raw<ErrorView | null>(null);
  /** Ids of the rows that are chosen. */
  selected = new SvelteSet<number>();
  /** Whether all rows are being read, in order to be chosen. */
  selecting = $state(false);
  /** Counts up when the rows are others than before, so that the list begins at its top. */
  renewed = $state(0);
  private wanted = { first: 0, last: PAGE - 1 };
  private reading = new Set<number>();
  private request = 0;
  private asked = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private read: (query: Query<Filters>) => Promise<Page<Row>>,
    readonly idOf: (row: Row) => number,
    /** The filters that let everything pass. */
    private none: Filters,
  ) {
    this.filters = $state.raw(none);
    this.filtered = $derived(JSON.stringify(this.filters) !== JSON.stringify(none));
  }

  get total(): number {
    return this.rows.length;
  }

  /** Reads anew what is looked at. The old rows stay until the new ones are there. */
  async load(): Promise<void> {
    this.request += 1;
    const request = this.request;
    const search = this.search.trim();
    const question = JSON.stringify([search, this.order, this.filters]);
    const same = question === this.asked;
    const offset = same ? Math.max(0, Math.floor(this.wanted.first / PAGE) * PAGE) : 0;
    const limit = same ? Math.min(MOST, Math.ceil((this.wanted.last + 1 - offset) / PAGE) * PAGE) : PAGE;
    if (this.status === "failed") this.status = "loading";
    try {
      const page = await this.read({ search, order: this.order, filters: this.filters, offset, limit: Math.max(PAGE, limit) });
      if (request !== this.request) return;
      this.reading.clear();
      this.rows = placed(new Array<Row | undefined>(page.total).fill(undefined), offset, page.rows);
      this.searched = search;
      this.status = "ready";
      this.error = null;
      if (!same) {
        this.asked = question;
        this.wanted = { first: 0, last: PAGE - 1 };
        this.selected.clear();
        this.renewed += 1;
      }
      this.want(this.wanted.first, Math.min(this.wanted.last, page.total - 1));
    } catch (thrown) {
      if (request !== this.request) return;
      this.error = BackendError.from(thrown).view();
      this.status = "failed";
    }
  }

  /** These rows are looked at, or nearly: those that are not there yet are read. */
  want(first: number, last: number): void {
    this.wanted = { first, last };
    if (this.status === "ready") void this.fetch();
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

  filter(change: Partial<Filters>): void {
    this.filters = { ...this.filters, ...change };
    void this.load();
  }

  unfilter(): void {
    this.filter(this.none);
  }

  /** Searches for nothing and filters nothing. */
  clear(): void {
    clearTimeout(this.timer);
    this.search = "";
    this.filters = this.none;
    void this.load();
  }

  /** Chooses or leaves the rows from one place to another; those that are not there yet are read first. */
  async select(first: number, last: number, selected: boolean): Promise<void> {
    const [from, to] = first < last ? [first, last] : [last, first];
    const request = this.request;
    this.selecting = true;
    try {
      for (let at = from; at <= to && request === this.request; at += 1) {
        if (this.rows[at] === undefined) await this.readInto(at, MOST);
        const row = this.rows[at];
        if (row === undefined) break;
        if (selected) this.selected.add(this.idOf(row));
        else this.selected.delete(this.idOf(row));
      }
    } catch (thrown) {
      this.error = BackendError.from(thrown).view();
    } finally {
      this.selecting = false;
    }
  }

  selectAll(): Promise<void> {
    return this.select(0, this.total - 1, true);
  }

  /** Takes rows out of sight; returns how to put them back. */
  hide(ids: readonly number[]): () => void {
    const before = this.rows;
    const gone = new Set(ids);
    this.request += 1;
    this.reading.clear();
    this.rows = before.filter((row) => row === undefined || !gone.has(this.idOf(row)));
    for (const id of ids) this.selected.delete(id);
    return () => (this.rows = before);
  }

  private async fetch(): Promise<void> {
    const first = Math.max(0, Math.floor(this.wanted.first / PAGE));
    const last = Math.floor(Math.min(this.wanted.last, this.total - 1) / PAGE);
    for (let page = first; page <= last; page += 1) {
      // Two at once: a thumb that is dragged through the list must not ask for all of it.
      if (this.reading.size >= 2) return;
      if (this.reading.has(page) || !this.lacks(page)) continue;
      this.reading.add(page);
      const request = this.request;
      void this.readInto(page * PAGE, PAGE)
        .catch((thrown: unknown) => {
          if (request === this.request) this.error = BackendError.from(thrown).view();
        })
        .finally(() => {
          if (request !== this.request) return;
          this.reading.delete(page);
          if (!this.error) void this.fetch();
        });
    }
  }

  private lacks(page: number): boolean {
    const end = Math.min((page + 1) * PAGE, this.total);
    for (let at = page * PAGE; at < end; at += 1) if (this.rows[at] === undefined) return true;
    return false;
  }

  private async readInto(offset: number, limit: number): Promise<void> {
    const request = this.request;
    const page = await this.read({ search: this.searched, order: this.order, filters: this.filters, offset, limit });
    if (request !== this.request) return;
    // Something was added or is gone meanwhile: places no longer mean what they meant.
    if (page.total !== this.total) await this.load();
    else if (page.rows.length === 0) this.rows = this.rows.slice(0, offset);
    else this.rows = placed([...this.rows], offset, page.rows);
  }
}

function placed<Row>(rows: (Row | undefined)[], offset: number, found: readonly Row[]): (Row | undefined)[] {
  found.forEach((row, index) => {
    if (offset + index < rows.length) rows[offset + index] = row;
  });
  return rows;
}
