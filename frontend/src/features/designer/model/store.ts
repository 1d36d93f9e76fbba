import { type Draft, toDefinition } from './draft/draft';

const MAX_STEPS = 200;
/** Typing goes back as one step until there is a pause of this length. */
const PAUSE_MS = 1000;

/**
 * The draft with its history, outside React: a field listens to its own value only, so that typing in one does not
 * render the others.
 */
export class DesignerStore {
  draft: Draft;
  private past: Draft[] = [];
  private future: Draft[] = [];
  /** What the last change was about; another change of the same soon after joins it. */
  private last: { group?: string; at: number } = { at: 0 };
  private saved: string;
  private listeners = new Set<() => void>();
  private checked: { draft: Draft; dirty: boolean } | null = null;

  constructor(draft: Draft, saved: Draft = draft) {
    this.draft = draft;
    this.saved = textOf(saved);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Change the draft. Changes of one `group` in quick succession are undone together. */
  change(change: (draft: Draft) => Draft, group?: string): void {
    const next = change(this.draft);
    if (next === this.draft) return;
    const at = Date.now();
    const joins = group !== undefined && group === this.last.group && at - this.last.at < PAUSE_MS;
    if (!joins) this.past = [...this.past, this.draft].slice(-MAX_STEPS);
    this.future = [];
    this.last = { group, at };
    this.put(next);
  }

  undo = (): void => this.step(this.past, this.future);
  redo = (): void => this.step(this.future, this.past);
  canUndo = (): boolean => this.past.length > 0;
  canRedo = (): boolean => this.future.length > 0;

  /** Take the newest draft of one side, and leave the one there is on the other. */
  private step(from: Draft[], to: Draft[]): void {
    const next = from.pop();
    if (!next) return;
    to.push(this.draft);
    this.last = { at: 0 };
    this.put(next);
  }

  private put(draft: Draft): void {
    this.draft = draft;
    this.notify();
  }

  /** Whether there is something that was not saved. */
  isDirty = (): boolean => {
    if (this.checked?.draft !== this.draft)
      this.checked = { draft: this.draft, dirty: textOf(this.draft) !== this.saved };
    return this.checked.dirty;
  };

  markSaved(draft: Draft): void {
    this.saved = textOf(draft);
    this.checked = null;
    this.notify();
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

const textOf = (draft: Draft) => JSON.stringify([draft.name, toDefinition(draft)]);
