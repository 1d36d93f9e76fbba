import { useDraft, useStore } from './designerContext';
import { focusSoon } from './fieldRegistry';
import type { Draft } from './model/draft/draft';
import { moved, valueAt, withChange } from './model/paths';

/** The place of an item in its list, and what can be done with it there. */
export interface Place {
  index: number;
  count: number;
  onMove: (by: number) => void;
  onRemove: () => void;
}

export interface Items<T> {
  path: string;
  places: readonly Place[];
  /** Adds a new item at the end, and puts the cursor there. */
  add: () => void;
  put: (change: (items: T[]) => T[]) => void;
}

/** A list of the draft, at `path`. The cursor of a new item goes to its `firstField`, or to the item itself. */
export function useItems<T>(
  path: string,
  create: (items: readonly T[], draft: Draft) => T,
  firstField = '',
): Items<T> {
  const store = useStore();
  const count = useDraft((draft) => (valueAt(draft, path) as T[] | undefined)?.length ?? 0);
  const change = (how: (items: T[], draft: Draft) => T[]) =>
    store.change((draft) => withChange<Draft, T[]>(draft, path, (items) => how(items, draft)));
  function add() {
    change((items, draft) => [...items, create(items, draft)]);
    focusSoon([path, count, firstField].filter((part) => part !== '').join('.'));
  }
  const places = Array.from({ length: count }, (_, index) => ({
    index,
    count,
    onMove: (by: number) => change((items) => moved(items, index, by)),
    onRemove: () => change((items) => items.filter((_item, place) => place !== index)),
  }));
  return { path, places, add, put: change };
}
