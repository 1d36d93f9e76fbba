import { type ReactNode, type RefObject, useEffect, useRef } from 'react';

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

/** As high as its content has been so far: what is below stays in its place when content goes. */
export function Steady({ className, children }: { className?: string; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useSteadyHeight(ref);
  return (
    <div ref={ref} className={className}>
      {children}
    </div>
  );
}
