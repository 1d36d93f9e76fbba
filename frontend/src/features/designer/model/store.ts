import { type Draft, toDefinition } from './draft/draft';
import { type Action, type History, historyOf, reduce } from './history';

/**
 * The draft with its history, outside React: a field listens to its own value only, so that typing in one does not
 * render the others.
 */
export class DesignerStore {
  private history: History;
  private saved: string;
  private listeners = new Set<() => void>();
  private checked: { draft: Draft; dirty: boolean } | null = null;

  constructor(draft: Draft, saved: Draft = draft) {
    this.history = historyOf(draft);
    this.saved = textOf(saved);
  }

  get draft(): Draft {
    return this.history.present;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  dispatch(action: Action): void {
    const next = reduce(this.history, action);
    if (next === this.history) return;
    this.history = next;
    this.notify();
  }

  /** Change the draft. Changes of one `group` in quick succession are undone together. */
  change(change: (draft: Draft) => Draft, group?: string): void {
    this.dispatch({ type: 'change', change, group, at: Date.now() });
  }

  undo = (): void => this.dispatch({ type: 'undo' });
  redo = (): void => this.dispatch({ type: 'redo' });
  canUndo = (): boolean => this.history.past.length > 0;
  canRedo = (): boolean => this.history.future.length > 0;

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
