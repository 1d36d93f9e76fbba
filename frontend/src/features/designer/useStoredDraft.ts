import { useEffect, useRef } from 'react';
import type { Draft } from './model/draft/draft';
import type { DesignerStore } from './model/store';
import type { Base } from './useSave';

const DELAY_MS = 250;

/** Keep what is not saved in the tab's storage: it outlives reloads, crashes and a wrong press of "back". */
export function useStoredDraft(store: DesignerStore, base: Base | null) {
  const target = useRef(base);

  useEffect(() => {
    const before = target.current;
    target.current = base;
    if (before?.id !== base?.id) forgetDraft(before?.id ?? null);
  }, [base]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function keep() {
      clearTimeout(timer);
      timer = undefined;
      const { id, version } = target.current ?? { id: null, version: null };
      if (store.isDirty()) writeDraft(id, { draft: store.draft, baseVersion: version });
      else forgetDraft(id);
    }
    const unsubscribe = store.subscribe(() => {
      timer ??= setTimeout(keep, DELAY_MS);
    });
    window.addEventListener('pagehide', keep);
    return () => {
      unsubscribe();
      window.removeEventListener('pagehide', keep);
      keep();
    };
  }, [store]);
}

/** A draft outlives a reload and a wrong press of "back": it stays in the tab until it is saved or thrown away. */
interface StoredDraft {
  draft: Draft;
  /** The version that was edited; null for a new experiment. */
  baseVersion: number | null;
}

const FORMAT = 3;
const keyOf = (experimentId: string | null) => `ngxlab.draft.${experimentId ?? 'new'}`;

export function readDraft(experimentId: string | null): StoredDraft | null {
  const text = sessionStorage.getItem(keyOf(experimentId));
  if (text === null) return null;
  try {
    const stored = JSON.parse(text) as StoredDraft & { format: number };
    return stored.format === FORMAT ? stored : null;
  } catch {
    return null; // not ours, or cut off
  }
}

/** A browser without room keeps no draft; the page itself still has it. */
export function writeDraft(experimentId: string | null, stored: StoredDraft): boolean {
  try {
    sessionStorage.setItem(keyOf(experimentId), JSON.stringify({ format: FORMAT, ...stored }));
    return true;
  } catch {
    return false;
  }
}

export function forgetDraft(experimentId: string | null): void {
  sessionStorage.removeItem(keyOf(experimentId));
}
