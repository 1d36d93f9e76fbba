import type { Draft } from './draft/draft';

/** A draft outlives a reload and a wrong press of "back": it stays in the tab until it is saved or thrown away. */
export interface StoredDraft {
  draft: Draft;
  /** The version that was edited; null for a new experiment. */
  baseVersion: number | null;
}

const FORMAT = 2;
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
