// The memory page: its lists, what is done to them, and how it is taken back.
import { type Backend, BackendError } from "../backend/backend";
import { noFilters } from "../backend/filters";
import type {
  EmbeddingStatus,
  Episode,
  ErasureReceipt,
  EventQuery,
  Fact,
  FactDraft,
  ForgetMessages,
  ForgetPreview,
  ForgetTarget,
  ImportReport,
  ImportUndone,
  ImportView,
  MemoryChange,
  MemoryCounts,
  MemoryEventView,
  MemoryFileEdits,
  Procedure,
  ReviewItem,
} from "../backend/types";
import { brought, takenBack } from "../text/imports";
import { clip } from "../text/memory";
import { wishOf } from "../text/review";
import { t } from "../text/text";
import { MemoryList } from "./memory-list.svelte";
import type { Toasts } from "./toasts.svelte";

/** How often it is asked how far the reading for meaning has come, while somebody looks. */
const WATCH = 2000;

/** What somebody wants to be forgotten, until they have seen what goes with it. */
export interface ForgetWish {
  target: ForgetTarget;
  title: string;
  /** In its own words, where it is one thing. */
  words: string | null;
  /** What is said once it is done. */
  said: string;
  /** The list that shows it. */
  list: { hide(ids: readonly number[]): () => void } | null;
  /** A word to type first. */
  word?: string;
}

/** Which changes the timeline shows. */
export type EventFilters = Pick<EventQuery, "kinds">;

export class Memory {
  /** What is asked about in a dialog. */
  wish = $state.raw<ForgetWish | null>(null);
  counts = $state.raw<MemoryCounts | null>(null);
  embedding = $state.raw<EmbeddingStatus | null>(null);
  /** What somebody changed in MEMORY.md outside Atlas, until it is decided. */
  fileEdits = $state.raw<MemoryFileEdits | null>(null);
  readonly facts: MemoryList<Fact>;
  readonly episodes: MemoryList<Episode>;
  readonly procedures: MemoryList<Procedure>;
  readonly review: MemoryList<ReviewItem>;
  readonly events: MemoryList<MemoryEventView, EventFilters>;
  private opened = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private backend: Backend,
    private toasts: Toasts,
  ) {
    this.facts = new MemoryList((query) => backend.facts(query), (fact) => fact.id, noFilters);
    this.episodes = new MemoryList((query) => backend.episodes(query), (episode) => episode.id, noFilters);
    this.procedures = new MemoryList((query) => backend.procedures(query), (procedure) => procedure.id, noFilters);
    this.review = new MemoryList((query) => backend.review(query), (item) => item.id, noFilters);
    this.events = new MemoryList<MemoryEventView, EventFilters>(
      ({ search, filters, offset, limit }) => backend.memoryEvents({ search, ...filters, fact: null, offset, limit }),
      (event) => event.event,
      { kinds: [] },
    );
  }

  /** The page is open: everything on it is read. */
  async open(): Promise<void> {
    this.opened = true;
    this.watch();
    void this.readFileEdits();
    const lists = [this.facts, this.episodes, this.procedures, this.review, this.events];
    await Promise.all([this.count(), ...lists.map((list) => list.load())]);
  }

  /** The page is closed: nothing is read until it opens again. */
  close(): void {
    this.opened = false;
    clearTimeout(this.timer);
  }

  /** Something changed; what is shown is read anew. */
  async refresh(): Promise<void> {
    await (this.opened ? this.open() : this.count());
  }

  preview(target: ForgetTarget): Promise<ForgetPreview> {
    return this.backend.forgetPreview(target);
  }

  /** Forgets what was wished for, and offers to take it back. Its rows are gone at once, and come back if that fails. */
  async forget({ target, said, list }: ForgetWish, messages: ForgetMessages): Promise<void> {
    this.wish = null;
    const putBack = list && "ids" in target ? list.hide(target.ids) : () => undefined;
    try {
      const changes = await this.backend.forget(target, messages);
      await this.refresh();
      this.toasts.undoable(said, () => void this.undo(changes));
    } catch (thrown) {
      putBack();
      this.fail(t.memory.forgetFailed, thrown);
    }
  }

  /** The time to take it back is over, and it is erased. */
  erased(receipt: ErasureReceipt): void {
    this.toasts.say(t.forgetting.erased(receipt.lines.join(", ")), "good");
    void this.refresh();
  }

  receipts(): Promise<ErasureReceipt[]> {
    return this.backend.receipts();
  }

  /** Puts another label over a fact's words, or other words. Throws what is wrong with the new ones. */
  async edit(fact: Fact, draft: FactDraft, quote: string): Promise<void> {
    const change = await this.backend.editFact(fact.id, draft, quote);
    await this.refresh();
    this.toasts.undoable(t.memory.edited(clip(change.sentence)), () => void this.undo([change]));
  }

  /** Pins or unpins; several at once are one notice. */
  async pin(facts: readonly Fact[], pinned: boolean): Promise<void> {
    try {
      const changes: MemoryChange[] = [];
      for (const fact of facts) {
        const change = fact.pinned === pinned ? null : await this.backend.pinFact(fact.id, pinned);
        if (change) changes.push(change);
      }
      if (!changes.length) return;
      await this.refresh();
      const text = pinned ? t.memory.pinnedNow(changes.length) : t.memory.unpinnedNow(changes.length);
      this.toasts.undoable(text, () => void this.undo(changes));
    } catch (thrown) {
      this.fail(t.memory.pinFailed, thrown);
    }
  }

  /** Puts what was learned from a failure in other words. Throws why that could not be kept. */
  async editLesson({ id, lesson: before }: Procedure, lesson: string | null): Promise<void> {
    if (lesson === before) return;
    await this.backend.editLesson(id, lesson);
    await this.procedures.load();
    const back = () => this.backend.editLesson(id, before).then(() => this.procedures.load());
    this.toasts.undoable(t.health.lessonSaved, () => void back().catch((thrown: unknown) => this.fail(t.health.lessonFailed, thrown)));
  }

  /** Leaves a procedure out of what is tried, or takes it in again. */
  async retire(procedure: Procedure, retired: boolean): Promise<void> {
    const put = async (value: boolean) => {
      try {
        await this.backend.retireProcedure(procedure.id, value);
        await this.procedures.load();
        return true;
      } catch (thrown) {
        this.fail(t.health.pauseFailed, thrown);
        return false;
      }
    };
    const said = retired ? t.health.pausedNow(procedure.trigger) : t.health.resumedNow(procedure.trigger);
    if (await put(retired)) this.toasts.undoable(said, () => void put(!retired));
  }

  /** Takes candidates over. What they go against becomes history, unless both are kept; a wish becomes part of the behaviour. */
  accept(items: readonly ReviewItem[], keepBoth = false): Promise<void> {
    const ids = items.map((item) => item.id);
    const wish = items.length === 1 ? wishOf(items[0]!) : null;
    return this.decide(ids, () => this.backend.acceptReview([...ids], keepBoth), (count) => wish?.accepted ?? t.review.accepted(count));
  }

  /** They do not come back. */
  dismiss(ids: readonly number[]): Promise<void> {
    return this.decide(ids, () => this.backend.dismissReview([...ids]), t.review.dismissed);
  }

  /** Puts a candidate right; it still waits. Throws what is wrong with it. */
  async correct(item: ReviewItem, draft: FactDraft): Promise<void> {
    const change = await this.backend.editReview(item.id, draft);
    await this.review.load();
    this.toasts.undoable(t.memory.edited(clip(change.sentence)), () => void this.undo([change]));
  }

  history(fact: Fact): Promise<Fact[]> {
    return this.backend.factHistory(fact.id);
  }

  /** What happened to a fact and to what it replaced, newest first. */
  async eventsOf(fact: Fact): Promise<MemoryEventView[]> {
    return (await this.backend.memoryEvents({ search: "", kinds: [], fact: fact.id, offset: 0, limit: 50 })).rows;
  }

  async undo(changes: readonly Pick<MemoryChange, "event">[]): Promise<void> {
    try {
      await this.backend.undo(changes.map((change) => change.event));
      await this.refresh();
      this.toasts.say(t.memory.restored, "good");
    } catch (thrown) {
      this.fail(t.chat.undoFailed, thrown);
    }
  }

  /** Tells of an import, and offers to take it back whole. One that brought nothing needs no words. */
  imported(report: ImportReport): void {
    const { import: id } = report;
    if (id !== null) this.toasts.undoable(t.transfer.importedNow(brought(report)), () => void this.undoImport(id));
  }

  imports(): Promise<ImportView[]> {
    return this.backend.imports();
  }

  /** Takes an import back whole, and reads anew what is shown. Throws where that failed. */
  async takeBack(id: number): Promise<ImportUndone> {
    const undone = await this.backend.undoImport(id);
    await this.refresh();
    return undone;
  }

  async readFileEdits(): Promise<void> {
    this.fileEdits = await this.backend.memoryFileEdits().catch(() => null);
  }

  private async undoImport(id: number): Promise<void> {
    try {
      this.toasts.say(takenBack(await this.takeBack(id)), "good");
    } catch (thrown) {
      this.fail(t.transfer.takeBackFailed, thrown);
    }
  }

  private async decide(ids: readonly number[], act: () => Promise<MemoryChange[]>, said: (count: number) => string): Promise<void> {
    const putBack = this.review.hide(ids);
    try {
      const changes = await act();
      await this.refresh();
      // What became part of the behaviour is taken back there.
      if (changes.length) this.toasts.undoable(said(ids.length), () => void this.undo(changes));
      else this.toasts.say(said(ids.length), "good");
    } catch (thrown) {
      putBack();
      this.fail(t.review.failed, thrown);
    }
  }

  private fail(what: string, thrown: unknown): void {
    this.toasts.say(`${what} ${BackendError.from(thrown).message}`, "bad");
  }

  /** Counts what there is, and what waits in Review. */
  async count(): Promise<void> {
    this.counts = await this.backend.memoryCounts().catch(() => this.counts);
  }

  /** Asks how far the reading has come until it is done, or nobody looks. */
  private watch(): void {
    clearTimeout(this.timer);
    void this.backend
      .embeddingStatus()
      .catch(() => null)
      .then((status) => {
        this.embedding = status;
        if (this.opened && status && status.waiting > 0) this.timer = setTimeout(() => this.watch(), WATCH);
      });
  }
}
