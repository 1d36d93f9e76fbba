/** Which fields are on the page now, and what they are called: problems find their place by this. */
export class FieldRegistry {
  private labels = new Map<string, string>();
  private shown: ReadonlyMap<string, string> = new Map();
  private listeners = new Set<() => void>();
  private pending = false;

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
