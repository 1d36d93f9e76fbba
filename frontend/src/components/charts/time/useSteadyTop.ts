import { useState } from 'react';

/**
 * The highest of the tops so far `of` something: an axis that shrinks with each trial's first reading, and grows again,
 * moves all that is drawn, and lets nobody compare a trial with the one before.
 */
export function useSteadyTop(top: number, of: string): number {
  const [highest, setHighest] = useState({ top, of });
  const next = highest.of === of ? Math.max(highest.top, top) : top;
  if (highest.of !== of || highest.top !== next) setHighest({ top: next, of });
  return next;
}
