import { type ReactNode, useEffect, useRef } from 'react';

/** As high as its content has been so far at this width: what is below stays in its place when content goes. */
export function Steady({ className, children }: { className?: string; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
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
  }, []);
  return (
    <div ref={ref} className={className}>
      {children}
    </div>
  );
}
