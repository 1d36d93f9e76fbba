import { useEffect } from 'react';
import type { DesignerStore } from './model/store';

const TEXT_INPUTS =
  'textarea, [contenteditable="true"], input:not([type="radio"], [type="checkbox"], [type="button"], [type="file"])';

/** Ctrl+Z and Ctrl+Shift+Z for the whole definition, except where a text has an undo of its own. */
export function useUndoKeys(store: DesignerStore): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'z';
      if (!isUndo || (event.target as HTMLElement).closest(TEXT_INPUTS)) return;
      event.preventDefault();
      if (event.shiftKey) store.redo();
      else store.undo();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [store]);
}
