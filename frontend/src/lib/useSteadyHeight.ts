import { type RefObject, useEffect } from 'react';

/** An element never becomes lower than it was at its present width. */
export function useSteadyHeight(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    let width: number | undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry?.contentRect.width !== width) element.style.minHeight = '';
      width = entry?.contentRect.width;
      element.style.minHeight = `${element.offsetHeight}px`;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
}
