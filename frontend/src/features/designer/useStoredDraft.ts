import { useEffect, useRef } from 'react';
import { forgetDraft, writeDraft } from './model/storage';
import type { DesignerStore } from './model/store';

const DELAY_MS = 250;

/** Keep what is not saved in the tab's storage: it outlives reloads, crashes and a wrong press of "back". */
export function useStoredDraft(
  store: DesignerStore,
  experimentId: string | null,
  baseVersion: number | null,
) {
  const target = useRef({ experimentId, baseVersion });

  useEffect(() => {
    const before = target.current.experimentId;
    target.current = { experimentId, baseVersion };
    if (before !== experimentId) forgetDraft(before);
  }, [experimentId, baseVersion]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function keep() {
      clearTimeout(timer);
      timer = undefined;
      const { experimentId: id, baseVersion: version } = target.current;
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
