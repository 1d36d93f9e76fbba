import { useEffect, useState } from 'react';

/** So many charts redraw in one frame: a frame costs the browser as much as several, and a task must not block it long. */
const A_FRAME = 12;
/** Charts waiting to redraw, oldest first. */
const waiting = new Set<() => void>();
let scheduled = false;

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(serveSome);
}

function serveSome(): void {
  scheduled = false;
  for (const next of [...waiting].slice(0, A_FRAME)) {
    waiting.delete(next);
    next();
  }
  if (waiting.size > 0) schedule();
}

function takeTurn(redraw: () => void): () => void {
  waiting.add(redraw);
  schedule();
  return () => waiting.delete(redraw);
}

/**
 * `value`, but the charts of a page get their new ones a few in each animation frame: all of them within one task
 * would block the page. A chart that `waits`, as nobody sees it, gets none until it no longer does.
 */
export function useFrameTurn<T>(value: T, waits = false): T {
  const [shown, setShown] = useState({ value });
  const isNew = shown.value !== value;
  useEffect(() => (isNew && !waits ? takeTurn(() => setShown({ value })) : undefined), [value, isNew, waits]);
  return shown.value;
}
