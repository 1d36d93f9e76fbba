import { useEffect } from 'react';
import { forgetDraft, writeDraft } from './model/storage';
import type { DesignerStore } from './model/store';

const DELAY_MS = 250;

/** Keep what is not saved in the tab's storage: it outlives reloads, crashes and a wrong press of "back". */
export function useStoredDraft(
  store: DesignerStore,
  experimentId: string | null,
  baseVersion: number | null,
) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function keep() {
      clearTimeout(timer);
      timer = undefined;
      if (store.isDirty()) writeDraft(experimentId, { draft: store.draft, baseVersion });
      else forgetDraft(experimentId);
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
  }, [store, experimentId, baseVersion]);
}
