import { type ReactNode, useRef } from 'react';
import { useSteadyHeight } from '@/lib/useSteadyHeight';

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
