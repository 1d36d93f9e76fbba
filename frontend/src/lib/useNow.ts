import { useEffect, useState } from 'react';

/** Clocks that tick now, each told that the page is about to be drawn. */
const clocks = new Set<() => void>();

/** The page is drawn soon: a clock that has half its interval behind it ticks along, so that it is not drawn once more. */
export function tickAlong(): void {
  for (const tickIfDue of clocks) tickIfDue();
}

/** After a tick along, the next one is waited for a little longer than an interval. */
const PATIENCE = 1.25;

/** Ticks at once, then every `intervalMs`, or along with what is drawn. Returns how it stops. */
function startClock(intervalMs: number, tick: (now: number) => void): () => void {
  let [ticked, timer] = [0, 0];
  const tickAndWait = (patience: number) => {
    clearTimeout(timer);
    ticked = Date.now();
    timer = window.setTimeout(() => tickAndWait(1), intervalMs * patience);
    tick(ticked);
  };
  const tickIfDue = () => {
    if (Date.now() - ticked >= intervalMs / 2) tickAndWait(PATIENCE);
  };
  clocks.add(tickIfDue);
  tickAndWait(1);
  return () => {
    clearTimeout(timer);
    clocks.delete(tickIfDue);
  };
}

export function useNow(intervalMs: number, active = true): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => (active ? startClock(intervalMs, setNow) : undefined), [intervalMs, active]);
  return now;
}
