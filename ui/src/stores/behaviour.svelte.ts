// The behaviour form: the saved version, the draft over it, and what the model would be told.
import { type Backend, BackendError } from "../backend/backend";
import type { BehaviorPreview, BehaviorSpec, BehaviorView, ErrorView, SpecProblem } from "../backend/types";
import { changes, itemPath, type Item, type ListName, type Lists, moved, newItem, type SpecDraft, textFields, textOf, type TextField, toDraft, toSpec } from "./spec-draft";

const PREVIEW_DELAY = 250;
const KEPT = "atlas.behaviour-draft";

export class Behaviour {
  saved = $state.raw<BehaviorView | null>(null);
  draft = $state<SpecDraft | null>(null);
  preview = $state.raw<BehaviorPreview | null>(null);
  /** What the model is told now. */
  savedPrompt = $state("");
  previewFailed = $state(false);
  saving = $state(false);
  error = $state.raw<ErrorView | null>(null);
  changed = $derived.by(() => (this.draft && this.saved ? changes(this.draft, this.saved.spec) : new Set<string>()));
  dirty = $derived(this.changed.size > 0);
  private standard = $state.raw<BehaviorSpec | null>(null);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private request = 0;

  constructor(
    private backend: Backend,
    private storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> = localStorage,
  ) {}

  /** The agent's name and tone, as they are in force. */
  get identity(): { name: string; tone: string } {
    const spec = this.saved?.spec;
    return { name: spec?.identity.name ?? "Atlas", tone: spec?.personality.tone ?? "" };
  }

  /** How often a sealed topic kept something out of memory. */
  keptOut(topic: string): number {
    return this.saved?.keptOut.find((one) => one.topic === topic)?.times ?? 0;
  }

  /** Reads the saved version; a draft that was kept from before comes back. */
  async load(): Promise<void> {
    try {
      const [saved, standard] = await Promise.all([this.backend.behavior(), this.backend.defaultBehavior()]);
      this.standard = standard;
      this.saved = saved;
      this.error = null;
      if (!this.draft) this.draft = toDraft(this.kept() ?? saved.spec, saved.spec);
      this.savedPrompt = (await this.backend.previewBehavior(saved.spec)).prompt;
      await this.refreshPreview();
    } catch (thrown) {
      this.error = BackendError.from(thrown).view();
    }
  }

  /**
   * Another version is in force than the one that was read: a sentence in the chat sealed a topic. An untouched draft
   * follows it; a touched one takes over what was sealed, so that saving it does not break the seal.
   */
  async follow(): Promise<void> {
    const before = this.saved;
    if (!before || !this.draft || this.saving) return;
    try {
      const saved = await this.backend.behavior();
      if (saved.version === this.saved?.version) return;
      const sealed = saved.spec.sealedTopics.filter((topic) => !before.spec.sealedTopics.includes(topic));
      const mine = toSpec(this.draft);
      const added = sealed.filter((topic) => !mine.sealedTopics.includes(topic));
      const spec = this.dirty ? { ...mine, sealedTopics: [...mine.sealedTopics, ...added] } : saved.spec;
      this.saved = saved;
      this.draft = toDraft(spec, saved.spec);
      this.savedPrompt = (await this.backend.previewBehavior(saved.spec)).prompt;
      this.touched();
    } catch {
      // It is read again when the page is opened.
    }
  }

  setText(field: TextField, text: string): void {
    if (!this.draft) return;
    this.draft.texts[field] = text;
    this.touched();
  }

  setItem<L extends ListName>(list: L, key: number, value: Lists[L]): void {
    const item = this.items(list).find((one) => one.key === key);
    if (!item) return;
    item.value = value;
    this.touched();
  }

  /** Adds an entry at the end and returns its key. */
  add<L extends ListName>(list: L, value: Lists[L]): number {
    const item = newItem(value);
    this.put(list, [...this.items(list), item]);
    return item.key;
  }

  /** Takes an entry out, and returns how to put it back. */
  remove(list: ListName, key: number): () => void {
    const draft = this.draft;
    const before = [...this.items(list)];
    const at = before.findIndex((item) => item.key === key);
    if (at < 0) return () => undefined;
    this.put(list, before.toSpliced(at, 1));
    return () => {
      const now = this.items(list);
      // Another draft has taken this one's place: there is nothing to put it back into.
      if (this.draft !== draft) return;
      if (!now.some((item) => item.key === key)) this.put(list, now.toSpliced(Math.min(at, now.length), 0, before[at]!));
    };
  }

  /** Moves an entry to a place in its list, and returns that place. */
  move(list: ListName, key: number, to: number): number {
    const items = this.items(list);
    const from = items.findIndex((item) => item.key === key);
    const target = Math.max(0, Math.min(items.length - 1, to));
    if (from >= 0 && from !== target) this.put(list, moved(items, from, target));
    return target;
  }

  isDirty(path: TextField): boolean {
    return this.changed.has(path);
  }

  isItemDirty(list: ListName, key: number): boolean {
    return this.changed.has(itemPath(list, key));
  }

  isListDirty(list: ListName): boolean {
    return [...this.changed].some((path) => path.startsWith(`${list}.`));
  }

  /** Whether a field says what a new Atlas says. */
  isDefault(path: TextField | ListName): boolean {
    if (!this.draft || !this.standard) return true;
    const spec = toSpec(this.draft);
    if (isList(path)) return JSON.stringify(spec[path]) === JSON.stringify(this.standard[path]);
    return textOf(spec, path) === textOf(this.standard, path);
  }

  /** Puts the default of one field into the draft. */
  reset(path: TextField | ListName): void {
    if (!this.draft || !this.standard || !this.saved) return;
    if (isList(path)) {
      const spec = { ...toSpec(this.draft), [path]: this.standard[path] };
      this.put(path, toDraft(spec, this.saved.spec)[path]);
    } else this.setText(path, textOf(this.standard, path));
  }

  /** Puts all the defaults into the draft. */
  resetAll(): void {
    if (this.standard) this.take(this.standard);
  }

  /** Puts a whole spec into the draft: an older version, for one. */
  take(spec: BehaviorSpec): void {
    if (!this.saved) return;
    this.draft = toDraft(spec, this.saved.spec);
    this.touched();
  }

  discard(): void {
    if (this.saved) this.take(this.saved.spec);
  }

  /** Puts the draft in force. Throws what stands against it. */
  async save(): Promise<void> {
    if (!this.draft || this.saving) return;
    this.saving = true;
    try {
      const spec = toSpec(this.draft);
      const saved = await this.backend.saveBehavior(spec);
      this.saved = saved;
      this.draft = toDraft(saved.spec, saved.spec);
      this.savedPrompt = (await this.backend.previewBehavior(saved.spec)).prompt;
      this.touched();
    } finally {
      this.saving = false;
    }
  }

  /** What stands against saving, for a text field or for the entry at a place of a list. */
  problemsOf(field: string): SpecProblem[] {
    const wanted = plain(field);
    return (this.preview?.problems ?? []).filter((problem) => {
      const path = plain(problem.field);
      return path === wanted || path.startsWith(`${wanted}.`);
    });
  }

  versions(): Promise<BehaviorView[]> {
    return this.backend.behaviorVersions();
  }

  /** What a version told the model, and what the draft would. */
  async prompts(version: BehaviorView): Promise<{ before: string; after: string }> {
    const [before, after] = await Promise.all([
      this.backend.previewBehavior(version.spec),
      this.backend.previewBehavior(this.draft ? toSpec(this.draft) : version.spec),
    ]);
    return { before: before.prompt, after: after.prompt };
  }

  /** Forgets the draft and what was read: everything was wiped. */
  clear(): void {
    this.storage.removeItem(KEPT);
    this.draft = null;
  }

  private items<L extends ListName>(list: L): Item<Lists[L]>[] {
    return (this.draft?.[list] ?? []) as Item<Lists[L]>[];
  }

  private put(list: ListName, items: readonly Item<unknown>[]): void {
    if (!this.draft) return;
    (this.draft[list] as Item<unknown>[]) = [...items];
    this.touched();
  }

  /** The draft changed: it is kept for the next start, and the preview follows when the typing pauses. */
  private touched(): void {
    if (!this.draft) return;
    if (this.dirty) this.storage.setItem(KEPT, JSON.stringify(toSpec(this.draft)));
    else this.storage.removeItem(KEPT);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refreshPreview(), PREVIEW_DELAY);
  }

  private async refreshPreview(): Promise<void> {
    if (!this.draft) return;
    this.request += 1;
    const request = this.request;
    try {
      const preview = await this.backend.previewBehavior(toSpec(this.draft));
      if (request !== this.request) return;
      this.preview = preview;
      this.previewFailed = false;
    } catch {
      if (request === this.request) this.previewFailed = true;
    }
  }

  /** The draft of an earlier run, if it can still be read as one. */
  private kept(): BehaviorSpec | null {
    try {
      const spec = JSON.parse(this.storage.getItem(KEPT) ?? "null") as BehaviorSpec | null;
      return spec && textFields.every((field) => typeof textOf(spec, field) === "string") && toDraft(spec, spec) ? spec : null;
    } catch {
      this.storage.removeItem(KEPT);
      return null;
    }
  }
}

function isList(path: TextField | ListName): path is ListName {
  return !path.includes(".");
}

/** The core may name fields in snake case. */
function plain(field: string): string {
  return field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
