import { Skeleton } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useNear } from '@/lib/useNear';

/** Holds the place of what need not be there at once: its code may come when the reader is near, or nothing else is to do. */
export function WhenNear({ height, children }: { height: number; children: ReactNode }) {
  const [ref, isNear] = useNear<HTMLDivElement>({ orWhenIdle: true });
  return isNear ? (
    <Suspense fallback={<Skeleton height={height} />}>{children}</Suspense>
  ) : (
    <Skeleton ref={ref} height={height} />
  );
}
