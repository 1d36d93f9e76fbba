import { isWithin } from './model/paths';

/** Which fields are on the page now, what they are called, and which were left: problems find their place by this. */
export class FieldRegistry {
  private labels = new Map<string, string>();
  private shown: ReadonlyMap<string, string> = new Map();
  private listeners = new Set<() => void>();
  private pending = false;
  private left: ReadonlySet<string> = new Set();
  private isAllLeft = false;

  register(path: string, label: string): () => void {
    this.labels.set(path, label);
    this.announce();
    return () => {
      if (this.labels.get(path) === label) this.labels.delete(path);
      this.announce();
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  snapshot = (): ReadonlyMap<string, string> => this.shown;

  /** Fields that somebody has been in; only then do they say what is wrong with them. */
  snapshotOfLeft = (): ReadonlySet<string> => this.left;

  leave(path: string): void {
    if (!this.left.has(path)) this.changeLeft([path]);
  }

  /** Whoever saves wants to know all that is wrong. */
  leaveAll(): void {
    if (this.isAllLeft) return;
    this.isAllLeft = true;
    this.changeLeft([]);
  }

  /** Whether a field, or one of a group, has been left. */
  isLeft(path: string): boolean {
    return this.isAllLeft || [...this.left].some((left) => isWithin(left, path));
  }

  private changeLeft(more: readonly string[]): void {
    this.left = new Set([...this.left, ...more]);
    for (const listener of this.listeners) listener();
  }

  /** Once for all fields that come and go in one rendering. */
  private announce(): void {
    if (this.pending) return;
    this.pending = true;
    queueMicrotask(() => {
      this.pending = false;
      this.shown = new Map(this.labels);
      for (const listener of this.listeners) listener();
    });
  }
}

const FOCUSABLE = 'input, textarea, select, button, [contenteditable="true"], [tabindex="0"]';

/** Bring a field into view and put the cursor there. */
export function focusField(path: string): boolean {
  const field = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(path)}"]`);
  if (!field) return false;
  for (const folded of document.querySelectorAll('details')) if (folded.contains(field)) folded.open = true;
  const target = field.matches(FOCUSABLE) ? field : (field.querySelector<HTMLElement>(FOCUSABLE) ?? field);
  target.scrollIntoView({ block: 'center' });
  target.focus({ preventScroll: true });
  return true;
}

/** Where a button takes its field away or moves it, the cursor goes to what is there next. */
export function focusSoon(path: string): void {
  requestAnimationFrame(() => focusField(path));
}
