import { type RefObject, useEffect } from 'react';
import { nameCells } from './cells';

/** Keeps the cells of the table in `ref` named after their columns, whatever rows come and go. */
export function useNamedCells(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const name = () => element.querySelectorAll('table').forEach(nameCells);
    const observer = new MutationObserver(name);
    observer.observe(element, { childList: true, subtree: true });
    name();
    return () => observer.disconnect();
  }, [ref]);
}
